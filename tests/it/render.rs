//! Trees of issues and pull requests: golden bytes, and what must hold for any content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use git_docket::corpus::{GapCode, LoadedLook, LookData, fold};
use git_docket::forge::facets::{
    Check, CheckOrigin, CheckStatus, Comment, Commit, Event, Field, FileChange, Header, Item, Label, Place, Reaction,
    Review, ReviewComment, ReviewState, Side, State as OpenState,
};
use git_docket::format::digest::Digest;
use git_docket::format::entity::Kind;
use git_docket::format::facet::Facet;
use git_docket::format::index::{Index, Node, Role};
use git_docket::format::json::{self, Json};
use git_docket::format::observation::Completeness;
use git_docket::format::path::{MAX_PATH, is_safe};
use git_docket::format::profile::{Keep, Profile};
use git_docket::render::{Mode, Rendered, children_index, entity, quote_path};
use proptest::prelude::*;

use crate::corpus::{actor, comment, header, items, look, time};

const ALL: Completeness = Completeness::AllPages;

fn sha(c: char) -> String {
    c.to_string().repeat(40)
}

fn known(text: &str) -> Field<String> {
    Field::Known(text.to_owned())
}

fn set(facet: Facet, list: Vec<Item>) -> LoadedLook {
    look(5, facet, items(list, ALL))
}

/// The record of the pull request of the golden tree.
fn pull_header() -> Header {
    let side = |branch: &str, c, repository: &str| Side {
        branch: branch.to_owned(),
        sha: sha(c),
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
                color: Some("0e8a16".to_owned()),
                description: Some("Makes it faster".to_owned()),
            },
            Label { id: Some(1), name: "cache".to_owned(), color: Some("ededed".to_owned()), description: None },
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

fn pull_comments() -> Vec<Item> {
    let bot = Comment { association: Some("NONE".to_owned()), body: Field::Null, ..comment(101, 101, "") };
    let ghost = Comment { author: None, ..comment(103, 110, "I saw this too.\nSince `1.4`.") };
    let emoji = comment(102, 102, "LGTM 👩\u{200d}💻\u{200b}\n\n\n");
    [bot, ghost, emoji].map(Item::Comment).to_vec()
}

fn review(id: u64, state: ReviewState, submitted_at: Option<i64>, body: Field<String>) -> Item {
    Item::Review(Review {
        id,
        node_id: Some(format!("PRR_{id}")),
        url: Some(format!("https://github.com/acme/web/pull/42#pullrequestreview-{id}")),
        author: Some(actor(9, "monalisa")),
        association: Some("MEMBER".to_owned()),
        body,
        state: Some(state),
        submitted_at: submitted_at.map(time),
        commit: Some(sha('a')),
    })
}

const HUNK: &str = "@@ -1,3 +1,4 @@\n fn rotate() {\n-    cache.clear();\n+    // ```\n+    token.renew();";

fn review_comment(id: u64, reply_to: Option<u64>, body: &str) -> ReviewComment {
    ReviewComment {
        comment: comment(id, id as i64, body),
        review: Some(201),
        reply_to,
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

fn check(id: u64, origin: CheckOrigin, name: &str, conclusion: Option<&str>) -> Item {
    let created_at = if origin == CheckOrigin::Status { Some(time(400)) } else { None };
    Item::Check(Check {
        id,
        origin,
        name: name.to_owned(),
        status: Some(if conclusion.is_some() { CheckStatus::Completed } else { CheckStatus::InProgress }),
        conclusion: conclusion.map(str::to_owned),
        head_sha: Some(sha('a')),
        created_at,
        started_at: Some(time(300)),
        completed_at: conclusion.map(|_| time(360)),
        url: Some(format!("https://github.com/acme/web/runs/{id}")),
        details_url: Some("https://ci.example/1".to_owned()),
        reporter: Some("actions".to_owned()),
        title: Some("Tests".to_owned()),
        summary: Some("1 failed\n\n- `rotate`".to_owned()),
    })
}

fn file(path: &str, status: &str, patch: Option<&str>) -> FileChange {
    FileChange {
        path: path.to_owned(),
        previous_path: None,
        status: Some(status.to_owned()),
        additions: Some(2),
        deletions: Some(1),
        sha: Some(sha('d')),
        patch: patch.map(str::to_owned),
    }
}

fn files() -> Vec<FileChange> {
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

fn commits() -> Vec<Item> {
    let commit = |c, parent, message: &str, author| {
        Item::Commit(Commit {
            sha: sha(c),
            parents: vec![sha(parent)],
            message: Some(message.to_owned()),
            author_name: Some("Octo Cat".to_owned()),
            author,
            authored_at: Some(time(-500)),
            committed_at: Some(time(5_000_000)),
            url: None,
        })
    };
    vec![
        commit('f', 'b', "Keep the cache\n\nIt is expensive to fill.", Some(actor(7, "octocat"))),
        commit('a', 'f', "Fix the test", None),
    ]
}

fn event(key: &str, event: &str, at: Option<i64>, details: Vec<(&'static str, &str)>) -> Item {
    Item::Event(Event {
        key: key.to_owned(),
        event: event.to_owned(),
        actor: Some(actor(8, "hubot")),
        created_at: at.map(time),
        commit: None,
        details: details.into_iter().map(|(name, value)| (name, value.to_owned())).collect(),
    })
}

/// The looks behind the golden pull request: ten facets, with what forges are known to send.
fn pull_looks() -> Vec<LoadedLook> {
    let threads = vec![
        review_comment(301, None, "Why not `clear`?\n\n```rust\ncache.clear()\n```"),
        review_comment(302, Some(301), "Because:\r\n## Comment 1 by account 1\r\n> it is slow"),
        review_comment(303, None, ""),
    ];
    let reaction = Item::Reaction(Reaction {
        id: 1,
        content: "rocket".to_owned(),
        actor: Some(actor(9, "monalisa")),
        created_at: Some(time(20)),
    });
    vec![
        look(5, Facet::Header, header(pull_header())),
        look(4, Facet::Comments, items(vec![Item::Comment(comment(99, 99, "deleted since"))], ALL)),
        set(Facet::Comments, pull_comments()),
        set(
            Facet::Reviews,
            vec![
                review(203, ReviewState::Pending, None, known("Not sent yet")),
                review(201, ReviewState::ChangesRequested, Some(200), Field::Null),
                review(202, ReviewState::Approved, Some(800), known("Good.")),
            ],
        ),
        set(Facet::ReviewComments, threads.into_iter().map(Item::ReviewComment).collect()),
        set(
            Facet::Checks,
            vec![
                check(501, CheckOrigin::Run, "build", Some("success")),
                check(502, CheckOrigin::Run, "test", Some("failure")),
            ],
        ),
        set(Facet::Statuses, vec![check(501, CheckOrigin::Status, "ci/legacy", None)]),
        set(Facet::Files, files().into_iter().map(Item::File).collect()),
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
fn issue_looks() -> Vec<LoadedLook> {
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
    let part = items(vec![Item::Comment(comment(10, 10, "Same here."))], Completeness::Partial);
    vec![
        look(1, Facet::Header, header(record)),
        look(1, Facet::Comments, part),
        look(2, Facet::Timeline, LookData::Unavailable(403)),
    ]
}

fn render(looks: Vec<LoadedLook>, mode: Mode<'_>) -> Rendered {
    entity(&fold(looks).expect("looks at a thread"), mode)
}

fn standard() -> Profile {
    Profile::built_in("default").expect("a built-in profile")
}

fn stage(looks: Vec<LoadedLook>) -> Rendered {
    render(looks, Mode::Stage(&standard()))
}

fn snapshot(looks: Vec<LoadedLook>) -> Rendered {
    render(looks, Mode::Snapshot)
}

fn text<'r>(tree: &'r Rendered, path: &str) -> &'r str {
    let bytes = tree.files.get(path).unwrap_or_else(|| panic!("no {path} in {:?}", tree.files.keys()));
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn json_of(tree: &Rendered, path: &str) -> Json<'static> {
    json::parse(tree.files[path].as_slice()).expect("JSON").into_owned()
}

fn index_of(tree: &Rendered) -> (Json<'static>, Index) {
    let index = Index::from_bytes(&tree.index).expect("an index");
    (json::parse(&tree.index).expect("JSON").into_owned(), index)
}

/// Checks what holds for every tree: the index lists exactly the files, as they are, in order.
fn check_tree(tree: &Rendered) {
    let (_, index) = index_of(tree);
    assert!(matches!(index.node, Node::Entity { .. }));
    let paths: Vec<_> = index.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, tree.files.keys().map(String::as_str).collect::<Vec<_>>());
    let mut ordinals: BTreeMap<Role, u64> = BTreeMap::new();
    for entry in &index.entries {
        let bytes = &tree.files[&entry.path];
        assert_eq!((entry.bytes, entry.sha256), (bytes.len() as u64, Digest::of(bytes)), "{}", entry.path);
        assert!(is_safe(&entry.path) && entry.path.len() <= MAX_PATH && entry.path.is_ascii(), "{}", entry.path);
        if let Some(ordinal) = entry.about.get("ordinal") {
            let expected = ordinals.entry(entry.role).or_default();
            *expected += 1;
            assert_eq!(ordinal.as_u64(), Some(*expected), "{}", entry.path);
        }
        if entry.media_type == "application/json" {
            let value = json::parse(bytes).unwrap_or_else(|fault| panic!("{}: {fault}", entry.path));
            assert_eq!(json::to_vec(&value), *bytes, "{}", entry.path);
        }
    }
    let (value, _) = index_of(tree);
    let gaps = value.get("gaps").and_then(Json::as_array).expect("gaps");
    let names: Vec<_> =
        gaps.iter().map(|gap| [gap.get("scope"), gap.get("code")].map(|m| m.and_then(Json::as_str))).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(tree.files["summary.md"].len() <= 16 * 1024);
}

// ---- golden trees ----

/// Compares a tree with the one that is filed; with `DOCKET_UPDATE_GOLDEN` in the environment, files it.
fn check_golden(name: &str, tree: &Rendered) {
    check_tree(tree);
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/render").join(name);
    let mut files = tree.files.clone();
    files.insert("index.json".to_owned(), tree.index.clone());
    if std::env::var_os("DOCKET_UPDATE_GOLDEN").is_some() {
        let _ = fs::remove_dir_all(&root);
        for (path, bytes) in &files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("make the directory");
            fs::write(path, bytes).expect("write the golden file");
        }
    }
    let mut filed = BTreeMap::new();
    read_all(&root, &root, &mut filed);
    assert_eq!(filed.keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
    for (path, bytes) in &files {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(bytes), text(&filed[path]), "{name}/{path}");
        assert_eq!(bytes, &filed[path], "{name}/{path}");
    }
}

fn read_all(root: &Path, dir: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).expect("the golden directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(root, &path, out);
        } else {
            let name = path.strip_prefix(root).expect("below").to_str().expect("UTF-8").replace('\\', "/");
            out.insert(name, fs::read(&path).expect("a golden file"));
        }
    }
}

#[test]
fn the_snapshot_of_a_pull_request() {
    check_golden("pull-snapshot", &snapshot(pull_looks()));
}

#[test]
fn the_stage_of_a_pull_request() {
    let tree = stage(pull_looks());
    check_golden("pull-stage", &tree);
    assert!(tree.complete);
    assert_eq!(tree.findings.get("zero-width"), Some(&1));
}

#[test]
fn the_snapshot_of_an_issue() {
    let tree = snapshot(issue_looks());
    check_golden("issue-snapshot", &tree);
    assert!(!tree.complete);
}

// ---- what must hold ----

#[test]
fn nothing_of_a_look_reaches_a_tree() {
    let one = stage(pull_looks());
    let moved = pull_looks().into_iter().enumerate().map(|(at, look)| LoadedLook {
        observed_at: time(look.observed_at.unix() - 1_700_000_000 + 9_000_000),
        position: Some(at as u64),
        digest: Digest::of(&[at as u8]),
        ..look
    });
    assert_eq!(stage(moved.rev().collect()), one);
    for bytes in one.files.values().chain([&one.index]) {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(&time(5).to_string()), "the time of a look is in {text}");
    }
}

#[test]
fn one_edited_comment_changes_its_file_the_index_and_the_summary() {
    let before = snapshot(pull_looks());
    let mut looks = pull_looks();
    for look in &mut looks {
        if let LookData::Items { items, .. } = &mut look.data
            && let Some(Ok(Item::Comment(comment))) = items.last_mut()
            && comment.id == 102
        {
            comment.body = known("Changed my mind.");
            comment.updated_at = Some(time(950));
        }
    }
    let after = snapshot(looks);
    let changed: BTreeSet<_> = after
        .files
        .iter()
        .filter(|(path, bytes)| before.files.get(*path) != Some(bytes))
        .map(|(p, _)| p.as_str())
        .collect();
    assert_eq!(changed, BTreeSet::from(["comments/20231114T221502Z-102.md", "summary.md"]));
    assert_eq!(before.files.len(), after.files.len());
    assert_ne!(before.index, after.index);
}

#[test]
fn the_newest_time_is_the_forges_and_no_claim_of_a_commit_or_a_check() {
    assert_eq!(snapshot(pull_looks()).as_of, Some(time(900)));
    let (index, _) = index_of(&snapshot(pull_looks()));
    assert_eq!(index.get("asOf").and_then(Json::as_str), Some(time(900).to_string().as_str()));
}

#[test]
fn a_body_is_null_or_empty_or_unknown() {
    let with = |body: Field<String>| {
        let comment = Comment { body: body.clone(), ..comment(1, 1, "") };
        snapshot(vec![
            look(1, Facet::Header, header(Header { kind: Some(Kind::Issue), body, ..Header::default() })),
            set(Facet::Comments, vec![Item::Comment(comment)]),
        ])
    };
    let about = |tree: &Rendered, role| {
        let (_, index) = index_of(tree);
        index.entries.into_iter().find(|entry| entry.role == role).map(|entry| entry.about)
    };
    for (body, null, unknown) in [
        (Field::Null, true, false),
        (known(""), false, false),
        (known("x"), false, false),
        (Field::Unknown, false, true),
    ] {
        let bytes: &[u8] = if body == known("x") { b"x" } else { b"" };
        let tree = with(body.clone());
        let row = about(&tree, Role::Comment).expect("a comment");
        assert_eq!((row.contains("bodyNull"), row.contains("bodyUnknown")), (null, unknown), "{body:?}");
        assert_eq!(tree.files["comments/20231114T221321Z-1.md"], bytes);
        // A body of the entity that nobody showed has no file.
        assert_eq!(tree.files.get("body.md").map(Vec::as_slice), if unknown { None } else { Some(bytes) });
        assert_eq!(about(&tree, Role::Body).is_some_and(|row| row.contains("bodyNull")), null);
    }
}

#[test]
fn unknown_null_and_known_are_three_states() {
    let record = Header { closed_at: Field::Null, locked: Field::Known(false), ..Header::default() };
    let value = json_of(&snapshot(vec![look(1, Facet::Header, header(record))]), "entity.json");
    assert_eq!(value.get("closedAt"), Some(&Json::Null));
    assert_eq!(value.get("locked"), Some(&Json::from(false)));
    assert_eq!(value.get("title"), None);
    assert_eq!(value.get("state"), None);
}

#[test]
fn a_merge_is_told_by_either_source() {
    let state = |record: Header| {
        let record = Header { kind: Some(Kind::Pull), state: Field::Known(OpenState::Closed), ..record };
        let value = json_of(&snapshot(vec![look(1, Facet::Header, header(record))]), "entity.json");
        (value.get("state").and_then(Json::as_str).map(str::to_owned), value.get("merged").and_then(Json::as_bool))
    };
    let by_flag = Header { merged: Field::Known(true), ..Header::default() };
    let by_time = Header { merged_at: Field::Known(time(1)), ..Header::default() };
    assert_eq!(state(by_flag), (Some("merged".to_owned()), Some(true)));
    assert_eq!(state(by_time), (Some("merged".to_owned()), Some(true)));
    assert_eq!(state(Header::default()), (Some("closed".to_owned()), None));
}

#[test]
fn items_of_one_second_and_without_time_have_names_of_their_own() {
    let at = |id| Item::Comment(Comment { created_at: Some(time(3)), ..comment(id, 3, "x") });
    let tree = snapshot(vec![
        set(Facet::Comments, vec![at(10), at(9), at(100)]),
        set(
            Facet::Reviews,
            vec![
                review(5, ReviewState::Pending, None, Field::Null),
                review(4, ReviewState::Approved, Some(1), Field::Null),
            ],
        ),
    ]);
    check_tree(&tree);
    let below =
        |dir: &str| tree.files.keys().filter_map(|path| path.strip_prefix(dir)).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(below("comments/"), ["20231114T221323Z-10.md", "20231114T221323Z-100.md", "20231114T221323Z-9.md"]);
    assert_eq!(below("reviews/"), ["20231114T221321Z-4.md", "undated-5.md"]);
}

#[test]
fn an_account_that_is_gone_is_null() {
    let ghost = Item::Comment(Comment { author: None, ..comment(1, 1, "x") });
    let tree = snapshot(vec![set(Facet::Comments, vec![ghost])]);
    let (_, index) = index_of(&tree);
    let row = index.entries.into_iter().find(|entry| entry.role == Role::Comment).expect("a comment");
    assert_eq!(row.about.get("author"), Some(&Json::Null));
    assert!(!tree.files.contains_key("actors.json"));
}

#[test]
fn an_account_is_listed_once_under_its_newest_login() {
    let by = |id, at, login: &str| Item::Comment(Comment { author: Some(actor(7, login)), ..comment(id, at, "x") });
    let tree =
        snapshot(vec![set(Facet::Comments, vec![by(1, 1, "old-name"), by(2, 9, "new-name"), by(3, 5, "old-name")])]);
    let value = json_of(&tree, "actors.json");
    assert_eq!(value.pointer("/actors/0/login").and_then(Json::as_str), Some("new-name"));
    assert_eq!(value.get("actors").and_then(Json::as_array).map(<[_]>::len), Some(1));
    assert_eq!(value.pointer("/actors/0/associations"), Some(&Json::from(vec!["MEMBER"])));
}

#[test]
fn threads_follow_replies_and_survive_what_no_forge_should_send() {
    let tree = |list: Vec<(u64, Option<u64>)>| {
        let list = list.into_iter().map(|(id, to)| Item::ReviewComment(review_comment(id, to, "x"))).collect();
        let tree = snapshot(vec![LoadedLook { kind: Some(Kind::Pull), ..set(Facet::ReviewComments, list) }]);
        check_tree(&tree);
        let value = json_of(&tree, "threads.json");
        let threads = value.get("threads").and_then(Json::as_array).expect("threads").to_vec();
        let ids = |thread: &Json<'_>| -> Vec<u64> {
            let comments = thread.get("comments").and_then(Json::as_array).expect("comments");
            comments.iter().filter_map(|comment| comment.get("id")?.as_u64()).collect()
        };
        threads.iter().map(|t| (t.get("id").and_then(Json::as_u64).expect("an id"), ids(t))).collect::<Vec<_>>()
    };
    assert_eq!(tree(vec![(1, None), (2, Some(1)), (3, None), (4, Some(2))]), [(1, vec![1, 2, 4]), (3, vec![3])]);
    // The root was deleted, or is on a page that was not seen.
    assert_eq!(tree(vec![(5, Some(1)), (6, Some(1))]), [(1, vec![5, 6])]);
    assert_eq!(tree(vec![(1, Some(1))]), [(1, vec![1])]);
    assert_eq!(tree(vec![(1, Some(2)), (2, Some(3)), (3, Some(1))]).len(), 1);
    let long: Vec<_> = (1..=3000).map(|id| (id, (id > 1).then(|| id - 1))).collect();
    assert_eq!(tree(long)[0].1.len(), 3000);
}

#[test]
fn what_changes_in_a_thread_leaves_its_text_alone() {
    let with = |place: fn(&mut Place), login: &str| {
        let mut comment = review_comment(1, None, "x");
        place(&mut comment.place);
        comment.comment.author = Some(actor(7, login));
        let tree = snapshot(vec![LoadedLook {
            kind: Some(Kind::Pull),
            ..set(Facet::ReviewComments, vec![Item::ReviewComment(comment)])
        }]);
        (text(&tree, "threads/20231114T221321Z-1.md").to_owned(), text(&tree, "threads.json").to_owned())
    };
    let now = with(|place| place.line = Field::Known(3), "octocat");
    let later = with(|place| place.commit = Some("e".repeat(40)), "octocat-renamed");
    assert_eq!(now.0, later.0);
    assert_ne!(now.1, later.1);
    assert!(now.1.contains(r#""outdated":false"#) && later.1.contains(r#""outdated":true"#));
    let of_file = with(|place| place.subject = Some("file".to_owned()), "octocat");
    assert!(!of_file.1.contains("outdated"));
}

#[test]
fn no_body_and_no_hunk_can_forge_the_structure_of_a_thread() {
    let body = "a\n## Comment 9 by account 1\r# Review thread 8\r\n```\n> b";
    let mut comment = review_comment(1, None, body);
    comment.place.diff_hunk = Some("@@ -1 +1 @@\n+`````\n+x\n## Comment 7 by account 1".to_owned());
    comment.place.path = Some("a\"\n## Comment 6 by account 1".to_owned());
    for mode in [Mode::Snapshot, Mode::Stage(&standard())] {
        let looks = vec![LoadedLook {
            kind: Some(Kind::Pull),
            ..set(Facet::ReviewComments, vec![Item::ReviewComment(comment.clone())])
        }];
        let tree = render(looks, mode);
        let text = text(&tree, "threads/20231114T221321Z-1.md");
        assert!(!text.contains('\r'), "{text}");
        let mut fence: Option<&str> = None;
        let mut headings = Vec::new();
        for line in text.lines() {
            match fence {
                Some(end) if line == end => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => fence = Some(line.trim_end_matches("diff")),
                None if line.starts_with('#') => headings.push(line),
                None => {}
            }
        }
        assert_eq!(headings, ["# Review thread 1", "## Comment 1 by account 7 at 2023-11-14T22:13:21Z"], "{text}");
        assert!(text.contains("> ## Comment 9 by account 1\n> # Review thread 8\n> ```\n> > b\n"), "{text}");
    }
}

#[test]
fn titles_and_names_stay_on_their_line_of_the_summary() {
    let hostile = "x\n## What is missing\n\nNothing | at all <img src=x> [a](b) `c` **d** \u{202e}e\u{200b}";
    let mut record = pull_header();
    record.title = known(hostile);
    record.milestone = known(hostile);
    record.labels = Field::Known(vec![Label { id: None, name: hostile.to_owned(), color: None, description: None }]);
    let author = actor(7, hostile);
    record.author = Field::Known(author.clone());
    let written = Comment { author: Some(author), ..comment(1, 1, "body text") };
    let looks = vec![
        look(1, Facet::Header, header(record)),
        set(Facet::Comments, vec![Item::Comment(written)]),
        set(Facet::Checks, vec![check(1, CheckOrigin::Run, hostile, Some(hostile))]),
    ];
    for mode in [Mode::Snapshot, Mode::Stage(&standard())] {
        let tree = render(looks.clone(), mode);
        let summary = text(&tree, "summary.md");
        let headings: Vec<_> = summary.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings.iter().filter(|line| **line == "## What is missing").count(), 1, "{summary}");
        assert!(
            !summary.replace("\\<", "").contains("<img") && !summary.contains("[a](b)") && !summary.contains("**d**"),
            "{summary}"
        );
        assert!(!summary.contains(['\u{202e}', '\u{200b}']) && !summary.contains("body text"), "{summary}");
        for row in summary.lines().filter(|line| line.starts_with("| checks/") || line.starts_with("| comments/")) {
            assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
        }
    }
}

#[test]
fn a_summary_is_bounded_whatever_there_is() {
    let long = "*".repeat(5000);
    let mut record = pull_header();
    record.title = known(&long);
    record.milestone = known(&long);
    record.state_reason = known(&long);
    record.head = Field::Known(Side { branch: long.clone(), sha: long.clone(), repository: known(&long) });
    record.base = record.head.clone();
    record.assignees = Field::Known((0..500).map(|id| actor(id, &long)).collect());
    record.requested_reviewers = record.assignees.clone();
    record.requested_teams = Field::Known(vec![long.clone(); 500]);
    let label = |n| Label { id: None, name: format!("{n}{long}"), color: None, description: None };
    record.labels = Field::Known((0..500).map(label).collect());
    let by = |id| Comment { author: Some(actor(id, &long)), ..comment(id, 1, "x") };
    let looks = vec![
        look(1, Facet::Header, header(record)),
        set(Facet::Comments, (1..2000).map(|id| Item::Comment(by(id))).collect()),
        set(Facet::Files, (1..2000).map(|id| Item::File(file(&format!("{id}{long}"), "added", None))).collect()),
        set(Facet::Checks, (1..500).map(|id| check(id, CheckOrigin::Run, &long, Some(&long))).collect()),
        set(Facet::ReviewComments, (1..500).map(|id| Item::ReviewComment(review_comment(id, None, "x"))).collect()),
    ];
    let tree = snapshot(looks);
    check_tree(&tree);
    let summary = text(&tree, "summary.md");
    for title in ["## Comments", "## Changed files", "## Checks", "## Review threads"] {
        assert!(summary.contains(title), "{title} is not in {summary}");
    }
    assert!(summary.contains(" older: see index.json") && summary.contains(" more: see index.json"));
}

#[test]
fn a_path_is_quoted_as_git_does_and_hides_nothing() {
    for (path, expected) in [
        ("src/a b.rs", "b/src/a b.rs"),
        ("größe", "\"b/gr\\303\\266\\303\\237e\""),
        ("a\"b\\c", "\"b/a\\\"b\\\\c\""),
        ("a\tb\nc\rd\u{1}", "\"b/a\\tb\\nc\\rd\\001\""),
    ] {
        assert_eq!(quote_path("b/", path), expected);
    }
    let hidden = "src/\u{202e}evil\u{200b}.rs";
    let looks = || vec![set(Facet::Files, vec![Item::File(file(hidden, "added", Some("@@ -0,0 +1 @@\n+x")))])];
    let path = |tree: &Rendered| {
        json_of(tree, "changes/files.json").pointer("/files/0/path").and_then(Json::as_str).map(str::to_owned)
    };
    let pull =
        |looks: Vec<LoadedLook>| looks.into_iter().map(|look| LoadedLook { kind: Some(Kind::Pull), ..look }).collect();
    assert_eq!(path(&snapshot(pull(looks()))).as_deref(), Some(hidden));
    assert_eq!(path(&stage(pull(looks()))).as_deref(), Some("\"src/\\342\\200\\256evil\\342\\200\\213.rs\""));
}

#[allow(clippy::print_stderr, reason = "a test that did not run says so")]
fn skip_without_git() {
    eprintln!("skipped: there is no git");
}

#[test]
fn git_reads_the_diff() {
    let tree = snapshot(pull_looks());
    let run =
        Command::new("git").args(["apply", "--numstat", "-z"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut git) = run else {
        skip_without_git();
        return;
    };
    let mut stdin = git.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, &tree.files["changes/diff.patch"]).expect("git reads");
    drop(stdin);
    let output = git.wait_with_output().expect("git ends");
    assert!(output.status.success());
    let listed = String::from_utf8(output.stdout).expect("UTF-8");
    let mut rows: Vec<_> = listed.split_terminator('\0').collect();
    rows.sort_unstable();
    let expected = [
        "0\t0\tdocs/new name.md",
        "0\t0\tempty",
        "0\t2\told.txt",
        "1\t1\tlib/b.rs",
        "2\t0\tsrc/größe \"x\".rs",
        "2\t1\tsrc/cache.rs",
    ];
    assert_eq!(rows, expected);
    // The picture has no patch, and a move without one may hide an edit of a binary file.
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::PatchMissing), 2);
}

#[test]
fn no_patch_at_all_is_no_empty_diff() {
    let tree = snapshot(vec![set(Facet::Files, vec![Item::File(file("a.png", "modified", None))])]);
    assert!(!tree.files.contains_key("changes/diff.patch"));
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::PatchMissing), 1);
}

#[test]
fn bounds_keep_one_end_and_count_the_rest() {
    let mut profile = standard();
    profile.max_items = [Facet::Comments, Facet::ReviewComments, Facet::Files, Facet::Checks, Facet::Labels]
        .map(|facet| (facet, 1))
        .into();
    let names = |tree: &Rendered, dir: &str| {
        tree.files
            .keys()
            .filter(|path| path.starts_with(dir))
            .map(|path| path.rsplit('-').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let newest = render(pull_looks(), Mode::Stage(&profile));
    check_tree(&newest);
    assert_eq!(names(&newest, "comments/"), ["103.md"]);
    assert_eq!(names(&newest, "threads/"), ["303.md"]);
    for (facet, count) in
        [(Facet::Comments, 2), (Facet::ReviewComments, 2), (Facet::Files, 6), (Facet::Checks, 1), (Facet::Labels, 1)]
    {
        assert_eq!(newest.gaps.count(facet, GapCode::ProfileBound), count, "{facet:?}");
    }
    assert!(newest.complete, "a bound does not make a source incomplete");
    profile.keep = Keep::Oldest;
    let oldest = render(pull_looks(), Mode::Stage(&profile));
    assert_eq!(names(&oldest, "comments/"), ["101.md"]);
    let thread = text(&oldest, "threads/20231114T221821Z-301.md");
    assert!(thread.contains("- comments left out by a bound: 1\n") && !thread.contains("Comment 302 by"), "{thread}");
    assert!(!text(&oldest, "summary.md").contains("checks/undated-502"));
}

#[test]
fn long_texts_are_cut_and_say_so() {
    let mut profile = standard();
    profile.max_body_bytes = Some(20);
    profile.max_metadata_bytes = Some(10);
    profile.max_patch_bytes = Some(30);
    let tree = render(pull_looks(), Mode::Stage(&profile));
    assert_eq!(text(&tree, "body.md"), "The cache is droppe\n");
    let (_, index) = index_of(&tree);
    let status = |path: &str| {
        let entry = index.entries.iter().find(|entry| entry.path == path).expect("an entry");
        entry.about.get("filter").and_then(|filter| filter.get("status")).and_then(Json::as_str).map(str::to_owned)
    };
    assert_eq!(status("body.md").as_deref(), Some("truncated"));
    assert_eq!(status("comments/20231114T221501Z-101.md").as_deref(), Some("unchanged"));
    let title = json_of(&tree, "entity.json").get("title").and_then(Json::as_str).map(str::to_owned);
    assert_eq!(title.as_deref(), Some("Keep the c"));
    // A patch is left out whole: half a hunk is no diff.
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::ProfileBound), 2);
    assert!(!text(&tree, "changes/diff.patch").contains("src/cache.rs"));
    profile.max_patch_bytes = None;
    profile.max_diff_bytes = Some(200);
    let tree = render(pull_looks(), Mode::Stage(&profile));
    assert!(text(&tree, "changes/diff.patch").len() <= 200);
    assert!(tree.gaps.count(Facet::Files, GapCode::ProfileBound) > 0);
}

#[test]
fn a_profile_that_asks_for_little_names_the_rest() {
    let minimal = Profile::built_in("minimal").expect("a built-in profile");
    let tree = render(pull_looks(), Mode::Stage(&minimal));
    check_tree(&tree);
    let dirs: BTreeSet<_> = tree.files.keys().map(|path| path.split('/').next().unwrap_or_default()).collect();
    assert_eq!(dirs, BTreeSet::from(["actors.json", "body.md", "comments", "entity.json", "summary.md"]));
    assert!(tree.complete);
    for (facet, count) in
        [(Facet::Reviews, 3), (Facet::Files, 7), (Facet::Checks, 2), (Facet::Timeline, 3), (Facet::Labels, 0)]
    {
        assert_eq!(tree.gaps.count(facet, GapCode::NotRequested), count, "{facet:?}");
    }
    let (value, _) = index_of(&tree);
    let coverage = value.get("coverage").and_then(Json::as_object).expect("coverage");
    assert_eq!(coverage.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["comments", "header", "labels"]);
    assert_eq!(Profile::from_json(value.get("profile").expect("a profile")), Ok(minimal));
}

#[test]
fn what_is_missing_is_never_an_empty_file() {
    let tree = snapshot(issue_looks());
    assert!(!tree.files.contains_key("timeline.json"));
    assert_eq!(tree.gaps.count(Facet::Timeline, GapCode::Forbidden), 1);
    assert_eq!(tree.gaps.count(Facet::Comments, GapCode::Incomplete), 2);
    // What a count proves to be empty is data.
    assert_eq!(text(&tree, "reactions.json"), r#"{"reactions":[]}"#);
}

#[test]
fn a_structural_text_that_is_not_one_is_left_out_and_counted_once() {
    let odd = Comment { url: Some("https://github.com/\u{202e}x".to_owned()), ..comment(1, 1, "x") };
    let looks = vec![set(Facet::Comments, vec![Item::Comment(odd)])];
    let tree = stage(looks.clone());
    assert_eq!(tree.gaps.count(Facet::Comments, GapCode::InvalidMetadata), 1);
    assert!(!String::from_utf8_lossy(&tree.index).contains("https://github.com/"));
    assert!(String::from_utf8_lossy(&snapshot(looks).index).contains("https://github.com/\u{202e}x"));
}

#[test]
fn reactions_to_items_name_them() {
    let react = |id| Item::Reaction(Reaction { id, content: "+1".to_owned(), actor: None, created_at: None });
    let below = LoadedLook { item: Some("comments/5".to_owned()), ..set(Facet::Reactions, vec![react(2)]) };
    let tree = snapshot(vec![below, set(Facet::Reactions, vec![react(1)])]);
    let expected = r#"{"reactions":[{"actor":null,"content":"+1","id":1},{"actor":null,"content":"+1","id":2,"item":"comments/5"}]}"#;
    assert_eq!(text(&tree, "reactions.json"), expected);
}

#[test]
fn the_index_of_a_directory_lists_that_of_each_child() {
    let children = [("web", b"{}".to_vec()), ("web-2", b"[]".to_vec())];
    let bytes = children_index(&children, Some(b"* -text\n"));
    let index = Index::from_bytes(&bytes).expect("an index");
    assert_eq!(index.node, Node::Directory);
    let rows: Vec<_> = index.entries.iter().map(|entry| (entry.path.as_str(), entry.role, entry.bytes)).collect();
    // Sorted by the bytes of the whole path, where `-` comes before `/`.
    assert_eq!(
        rows,
        [
            (".gitattributes", Role::Attributes, 8),
            ("web-2/index.json", Role::Index, 2),
            ("web/index.json", Role::Index, 2)
        ]
    );
    assert_eq!(index.entries[2].sha256, Digest::of(b"{}"));
    let reversed: Vec<_> = children.iter().rev().cloned().collect();
    assert_eq!(children_index(&reversed, Some(b"* -text\n")), bytes);
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,6}".prop_map(|text| text),
        proptest::sample::select(vec![
            "\n",
            "\r",
            "```",
            "> ",
            "# ",
            "| ",
            "\u{2028}",
            "\u{202e}",
            "\u{1b}[1m",
            "\0",
            "é",
            "\u{200b}"
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_content_gives_a_tree_that_holds(texts in proptest::collection::vec(any_text(), 12), bound in 0u64..60) {
        let mut record = pull_header();
        record.title = known(&texts[0]);
        record.body = known(&texts[1]);
        record.author = Field::Known(actor(7, &texts[2]));
        record.head = Field::Known(Side { branch: texts[3].clone(), sha: texts[4].clone(), repository: known(&texts[5]) });
        let mut on_diff = review_comment(1, None, &texts[6]);
        on_diff.place.path = Some(texts[7].clone());
        on_diff.place.diff_hunk = Some(texts[8].clone());
        let looks = vec![
            look(1, Facet::Header, header(record)),
            set(Facet::Comments, vec![Item::Comment(comment(1, 1, &texts[9]))]),
            set(Facet::ReviewComments, vec![Item::ReviewComment(on_diff)]),
            set(Facet::Files, vec![Item::File(file(&texts[10], "added", Some(&texts[11])))]),
        ];
        let mut profile = standard();
        profile.max_body_bytes = Some(bound);
        profile.max_metadata_bytes = Some(bound);
        profile.max_patch_bytes = Some(bound);
        for mode in [Mode::Snapshot, Mode::Stage(&profile)] {
            let tree = render(looks.clone(), mode);
            check_tree(&tree);
            let thread = text(&tree, "threads/20231114T221321Z-1.md");
            prop_assert!(!thread.contains('\r'));
            if matches!(mode, Mode::Stage(_)) {
                for (path, bytes) in tree.files.iter().chain([(&"index.json".to_owned(), &tree.index)]) {
                    let text = std::str::from_utf8(bytes).expect("UTF-8");
                    prop_assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{1b}', '\0', '\u{2028}']), "{path}: {text:?}");
                }
                prop_assert!(tree.files["body.md"].len() as u64 <= bound);
            }
        }
    }
}
