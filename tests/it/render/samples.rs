//! A realistic pull request and a poorly known issue, as looks.

use git_docket::format::patch::hunks;

use super::*;

/// The record of the pull request of the golden tree.
pub fn pull_header() -> Header {
    let side = |branch: &str, c, repository: &str| Side {
        branch: branch.to_owned(),
        sha: Some(sha(c)),
        repository: Field::Known(repository.to_owned()),
    };
    let mut record = Header {
        kind: Some(Kind::Pull),
        issue_id: Field::Known(9001),
        pull_id: Field::Known(9002),
        node_id: known("PR_kwDOAbc"),
        repository: known("acme/web"),
        repository_id: Field::Known(77),
        url: known("https://github.com/acme/web/pull/42"),
        title: known("Keep the cache | when the *token* rotates"),
        body: known("The cache is dropped on every rotation.\r\n\r\nFixes the slow start."),
        state: Field::Known(OpenState::Open),
        author: Field::Known(actor(7, "octocat")),
        association: known("CONTRIBUTOR"),
        created_at: Field::Known(time(0)),
        updated_at: Field::Known(time(900)),
        closed_at: Field::Null,
        labels: Field::Known(vec![
            Label {
                id: Some(2),
                name: "performance".to_owned(),
                color: Field::Known("0e8a16".to_owned()),
                description: Field::Known("Makes it faster".to_owned()),
            },
            Label {
                id: Some(1),
                name: "cache".to_owned(),
                color: Field::Known("ededed".to_owned()),
                description: Field::Null,
            },
        ]),
        assignees: Field::Known(vec![actor(8, "hubot")]),
        milestone: Field::Null,
        locked: Field::Known(false),
        draft: Field::Known(false),
        merged: Field::Known(false),
        merged_at: Field::Null,
        head: Field::Known(side("keep-cache", 'a', "octocat/web")),
        base: Field::Known(side("main", 'b', "acme/web")),
        mergeable: Field::Null,
        requested_reviewers: Field::Known(vec![actor(9, "monalisa")]),
        auto_merge: Field::Null,
        ..Header::default()
    };
    record.counts.comments = Field::Known(3);
    record.counts.additions = Field::Known(12);
    record.counts.reactions = Field::Known(1);
    record
}

pub fn pull_comments() -> Vec<Item> {
    let bot = Comment { association: Some("NONE".to_owned()), body: Field::Null, ..comment(101, 101, "") };
    let ghost = Comment { author: Field::Null, ..comment(103, 110, "I saw this too.\nSince `1.4`.") };
    let emoji = comment(102, 102, "LGTM 👩\u{200d}💻\u{200b}\n\n\n");
    [bot, ghost, emoji].map(|one| Item::Comment(Box::new(one))).to_vec()
}

pub fn review(id: u64, state: ReviewState, submitted_at: Option<i64>, body: Field<String>) -> Item {
    Item::Review(Box::new(Review {
        id: id.into(),
        node_id: Some(format!("PRR_{id}")),
        url: Some(format!("https://github.com/acme/web/pull/42#pullrequestreview-{id}")),
        author: Field::Known(actor(9, "monalisa")),
        association: Some("MEMBER".to_owned()),
        body,
        state: Some(state),
        submitted_at: submitted_at.map(time),
        commit: Some(sha('a')),
        minimized: Minimized::default(),
    }))
}

pub const HUNK: &str = "@@ -1,3 +1,4 @@\n fn rotate() {\n-    cache.clear();\n+    // ```\n+    token.renew();";

pub fn review_comment(id: u64, reply_to: Option<u64>, body: &str) -> ReviewComment {
    ReviewComment {
        comment: comment(id, id as i64, body),
        review: Some(201.into()),
        reply_to: reply_to.map(Into::into),
        thread: None,
        resolved: None,
        resolution: Default::default(),
        place: Place {
            path: Some("src/cache.rs".to_owned()),
            side: Some("right".to_owned()),
            line: Field::Null,
            start_line: Field::Null,
            original_line: Some(3),
            original_start_line: Some(2),
            position: Field::Null,
            diff_hunk: Some(HUNK.to_owned()),
            commit: Some(sha('a')),
            original_commit: Some(sha('c')),
            subject: Some("line".to_owned()),
        },
    }
}

pub fn check(id: u64, origin: CheckOrigin, name: &str, conclusion: Option<&str>) -> Item {
    let created_at = if origin == CheckOrigin::Status { Some(time(400)) } else { None };
    Item::Check(Box::new(Check {
        id: id.into(),
        node_id: None,
        origin,
        name: name.to_owned(),
        status: Some(if conclusion.is_some() { CheckStatus::Completed } else { CheckStatus::InProgress }),
        conclusion: conclusion.map(str::to_owned),
        head_sha: Some(sha('a')),
        attempt: None,
        run: None,
        created_at,
        updated_at: None,
        started_at: Some(time(300)),
        completed_at: conclusion.map(|_| time(360)),
        url: Some(format!("https://github.com/acme/web/runs/{id}")),
        details_url: Some("https://ci.example/1".to_owned()),
        reporter: Some("actions".to_owned()),
        title: Some("Tests".to_owned()),
        summary: Some("1 failed\n\n- `rotate`".to_owned()),
    }))
}

pub fn file(path: &str, status: &str, patch: Option<&str>) -> FileChange {
    let (additions, deletions) = patch.map_or((2, 1), |patch| {
        let found = hunks(patch.as_bytes());
        (found.additions, found.deletions)
    });
    FileChange {
        path: path.to_owned(),
        previous_path: None,
        status: Some(status.to_owned()),
        additions: Some(additions),
        deletions: Some(deletions),
        sha: Some(sha('d')),
        patch: patch.map(str::to_owned),
    }
}

pub fn files() -> Vec<FileChange> {
    let moved =
        FileChange { previous_path: Some("docs/old name.md".to_owned()), ..file("docs/new name.md", "renamed", None) };
    let edited = FileChange {
        previous_path: Some("lib/a.rs".to_owned()),
        ..file("lib/b.rs", "renamed", Some("@@ -1 +1 @@\n-a\n+b"))
    };
    vec![
        file(
            "src/cache.rs",
            "modified",
            Some("@@ -1,2 +1,3 @@\n fn rotate() {\n-    cache.clear();\n+    // keep\n+    token.renew();"),
        ),
        file("src/größe \"x\".rs", "added", Some("@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file")),
        file("old.txt", "removed", Some("@@ -1,2 +0,0 @@\n-x\n-y")),
        file("logo.png", "modified", None),
        FileChange { sha: Some("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned()), ..file("empty", "added", None) },
        moved,
        edited,
    ]
}

pub fn commits() -> Vec<Item> {
    let commit = |c, parent, message: &str, author| {
        Item::Commit(Box::new(Commit {
            sha: sha(c),
            parents: Some(vec![sha(parent)]),
            message: Some(message.to_owned()),
            author_name: Some("Octo Cat".to_owned()),
            author,
            authored_at: Some(time(-500)),
            committed_at: Some(time(5_000_000)),
            url: None,
        }))
    };
    vec![
        commit('f', 'b', "Keep the cache\n\nIt is expensive to fill.", Field::Known(actor(7, "octocat"))),
        commit('a', 'f', "Fix the test", Field::Null),
    ]
}

pub fn event(key: &str, event: &str, at: Option<i64>, details: Vec<(&'static str, &str)>) -> Item {
    Item::Event(Box::new(Event {
        node_id: None,
        key: key.to_owned(),
        event: event.to_owned(),
        actor: Field::Known(actor(8, "hubot")),
        created_at: at.map(time),
        commit: None,
        details: details.into_iter().map(|(name, value)| (name, value.to_owned())).collect(),
    }))
}

/// The looks behind the golden pull request: ten facets, with what forges are known to send.
pub fn pull_looks() -> Vec<LoadedLook> {
    let threads = vec![
        review_comment(301, None, "Why not `clear`?\n\n```rust\ncache.clear()\n```"),
        review_comment(302, Some(301), "Because:\r\n## Comment 1 by account 1\r\n> it is slow"),
        review_comment(303, None, ""),
    ];
    let reaction = Item::Reaction(Box::new(Reaction {
        node_id: None,
        id: Some(1),
        content: "rocket".to_owned(),
        actor: Field::Known(actor(9, "monalisa")),
        created_at: Some(time(20)),
    }));
    vec![
        look(5, Facet::Header, header(pull_header())),
        look(4, Facet::Comments, items(vec![Item::Comment(Box::new(comment(99, 99, "deleted since")))], ALL)),
        set(Facet::Comments, pull_comments()),
        set(
            Facet::Reviews,
            vec![
                review(203, ReviewState::Pending, None, known("Not sent yet")),
                review(201, ReviewState::ChangesRequested, Some(200), Field::Null),
                review(202, ReviewState::Approved, Some(800), known("Good.")),
            ],
        ),
        set(Facet::ReviewComments, threads.into_iter().map(Box::new).map(Item::ReviewComment).collect()),
        set(
            Facet::Checks,
            vec![
                check(501, CheckOrigin::Run, "build", Some("success")),
                check(502, CheckOrigin::Run, "test", Some("failure")),
            ],
        ),
        set(Facet::Statuses, vec![check(501, CheckOrigin::Status, "ci/legacy", None)]),
        set(Facet::Files, files().into_iter().map(Box::new).map(Item::File).collect()),
        set(Facet::Commits, commits()),
        set(
            Facet::Timeline,
            vec![
                event("11", "labeled", Some(3), vec![("label", "cache")]),
                event(&format!("committed:{}", sha('f')), "committed", None, Vec::new()),
                event("12", "renamed", Some(700), vec![("from", "Keep it"), ("to", "Keep the cache")]),
            ],
        ),
        set(Facet::Reactions, vec![reaction]),
    ]
}

/// An issue of which little is known: a record and a part of the comments.
pub fn issue_looks() -> Vec<LoadedLook> {
    let mut record = Header {
        kind: Some(Kind::Issue),
        issue_id: Field::Known(8001),
        repository: known("acme/web"),
        url: known("https://github.com/acme/web/issues/42"),
        title: known("Slow start after a rotation"),
        body: Field::Null,
        state: Field::Known(OpenState::Closed),
        state_reason: known("completed"),
        author: Field::Null,
        created_at: Field::Known(time(0)),
        updated_at: Field::Known(time(50)),
        closed_at: Field::Known(time(50)),
        labels: Field::Known(Vec::new()),
        ..Header::default()
    };
    record.counts.comments = Field::Known(3);
    record.counts.reactions = Field::Known(0);
    let part = items(vec![Item::Comment(Box::new(comment(10, 10, "Same here.")))], Completeness::Partial);
    vec![
        look(1, Facet::Header, header(record)),
        look(1, Facet::Comments, part),
        look(2, Facet::Timeline, LookData::Unavailable(403)),
    ]
}
