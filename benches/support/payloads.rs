//! Generated pull requests in the shape of the GitHub REST API: seeded, so that every run has the same bytes.

#![allow(clippy::unwrap_used, reason = "a bench stops where it cannot go on")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// A small generator (xorshift64*), so that the bytes do not depend on a crate's version.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    pub fn sha(&mut self) -> String {
        (0..5).map(|_| format!("{:08x}", self.below(1 << 32))).collect()
    }

    /// Words with a long tail: most texts are short, few are very long.
    pub fn text(&mut self, usual: u64) -> String {
        const WORDS: [&str; 16] = [
            "the",
            "rounding",
            "basket",
            "should",
            "not",
            "change",
            "when",
            "tax",
            "is",
            "applied",
            "refund",
            "`total()`",
            "please",
            "provider",
            "because",
            "— see",
        ];
        let tail = match self.below(4000) {
            0 => 8000,
            1..40 => 40,
            40..240 => 8,
            _ => 1,
        };
        let count = 1 + self.below(usual * tail);
        let words: Vec<_> = (0..count).map(|_| WORDS[self.below(16) as usize]).collect();
        words.join(" ")
    }
}

/// An account with all its addresses, as the API embeds it everywhere: a kilobyte.
pub fn user(id: u64) -> Value {
    let login = format!("user{id}");
    let api = format!("https://api.github.com/users/{login}");
    let mut user = json!({"login": login, "id": 1000 + id, "node_id": format!("U_{id}"), "gravatar_id": "", "type": "User",
        "avatar_url": format!("https://avatars.example/u/{id}?v=4"), "url": api, "html_url": format!("https://github.com/{login}"),
        "site_admin": false, "user_view_type": "public"});
    for (name, rest) in [
        ("followers_url", "followers"),
        ("following_url", "following{/other_user}"),
        ("gists_url", "gists{/gist_id}"),
        ("starred_url", "starred{/owner}{/repo}"),
        ("subscriptions_url", "subscriptions"),
        ("organizations_url", "orgs"),
        ("repos_url", "repos"),
        ("events_url", "events{/privacy}"),
        ("received_events_url", "received_events"),
    ] {
        user[name] = json!(format!("{api}/{rest}"));
    }
    user
}

pub fn repo() -> Value {
    json!({"id": 70001, "node_id": "R_70001", "name": "web", "full_name": "acme/web", "owner": user(0), "private": false,
        "html_url": "https://github.com/acme/web", "url": API, "default_branch": "main", "pushed_at": "2026-03-04T15:20:41Z"})
}

pub const API: &str = "https://api.github.com/repos/acme/web";

pub fn time(random: &mut Random, day: u64) -> String {
    let (h, m, s) = (random.below(24), random.below(60), random.below(60));
    format!("2026-{:02}-{:02}T{h:02}:{m:02}:{s:02}Z", 1 + day / 28 % 12, 1 + day % 28)
}

/// The ten payloads of one pull request: file name, URL, body.
pub fn pull(number: u64, random: &mut Random) -> Vec<(&'static str, String, Value)> {
    let (head, base) = (random.sha(), random.sha());
    let issue = format!("{API}/issues/{number}");
    let this = format!("{API}/pulls/{number}");
    let id = |random: &mut Random, at: u64| 1_000_000_000 + number * 1000 + at * 10 + random.below(9);
    let many = |random: &mut Random, most: u64| 1 + random.below(most);
    let comment = |random: &mut Random, at: u64| {
        let (id, made) = (id(random, at), time(random, number + at));
        json!({"id": id, "node_id": format!("IC_{id}"), "url": format!("{API}/issues/comments/{id}"), "issue_url": issue,
            "html_url": format!("https://github.com/acme/web/pull/{number}#issuecomment-{id}"), "user": user(random.below(50)),
            "created_at": made, "updated_at": made, "author_association": "MEMBER", "body": random.text(120)})
    };
    let review = |random: &mut Random, at: u64| {
        let id = id(random, 100 + at);
        json!({"id": id, "node_id": format!("PRR_{id}"), "user": user(random.below(50)), "body": random.text(40), "state": "COMMENTED",
            "html_url": format!("https://github.com/acme/web/pull/{number}#pullrequestreview-{id}"), "pull_request_url": this,
            "author_association": "MEMBER", "commit_id": head, "submitted_at": time(random, number + at)})
    };
    let review_comment = |random: &mut Random, at: u64| {
        let (id, made) = (id(random, 200 + at), time(random, number + at));
        json!({"id": id, "node_id": format!("PRRC_{id}"), "url": format!("{API}/pulls/comments/{id}"), "pull_request_review_id": 5,
            "diff_hunk": "@@ -1,3 +1,4 @@\n context\n-old\n+new", "path": format!("src/file{at}.rs"), "commit_id": head,
            "original_commit_id": head, "user": user(random.below(50)), "body": random.text(110), "created_at": made, "updated_at": made,
            "html_url": format!("https://github.com/acme/web/pull/{number}#discussion_r{id}"), "pull_request_url": this,
            "author_association": "MEMBER", "line": 3, "original_line": 3, "side": "RIGHT", "position": 3, "original_position": 3})
    };
    let file = |random: &mut Random, at: u64| {
        json!({"sha": random.sha(), "filename": format!("src/file{at}.rs"), "status": "modified", "additions": 1, "deletions": 1,
            "changes": 2, "patch": format!("@@ -1,3 +1,3 @@\n context\n-{}\n+{}", random.text(80), random.text(80))})
    };
    let commit = |random: &mut Random, at: u64| {
        let (sha, made) = (random.sha(), time(random, number + at));
        let person = json!({"name": "A Person", "email": "person@example.org", "date": made});
        json!({"sha": sha, "node_id": format!("C_{at}"), "commit": {"author": person, "committer": person, "message": random.text(20),
            "tree": {"sha": base}}, "url": format!("{API}/commits/{sha}"), "author": user(random.below(50)), "committer": user(1),
            "parents": [{"sha": base}]})
    };
    let check = |random: &mut Random, at: u64| {
        let id = id(random, 300 + at);
        json!({"id": id, "name": format!("job {at}"), "head_sha": head, "status": "completed", "conclusion": "success",
            "started_at": time(random, number), "completed_at": time(random, number), "details_url": format!("https://ci.example/{id}"),
            "output": {"title": null, "summary": random.text(10)}, "app": {"slug": "github-actions"}, "pull_requests": []})
    };
    let status = |random: &mut Random, at: u64| {
        let made = time(random, number);
        json!({"id": id(random, 400 + at), "state": "success", "context": format!("ci/{at}"), "description": random.text(5),
            "url": format!("{API}/statuses/{head}"), "target_url": "https://ci.example", "created_at": made, "updated_at": made,
            "creator": user(2)})
    };
    let event = |random: &mut Random, at: u64| {
        json!({"id": id(random, 500 + at), "node_id": format!("EV_{at}"), "url": format!("{API}/issues/events/{at}"), "actor": user(random.below(50)),
            "event": "labeled", "label": {"name": format!("label{at}"), "color": "d73a4a"}, "created_at": time(random, number + at),
            "commit_id": null, "commit_url": null})
    };
    let reaction = |random: &mut Random, at: u64| {
        json!({"id": id(random, 600 + at), "node_id": format!("REA_{at}"), "user": user(random.below(50)), "content": "heart",
            "created_at": time(random, number)})
    };
    let list = |random: &mut Random, most, item: &dyn Fn(&mut Random, u64) -> Value| {
        let count = many(random, most);
        Value::Array((0..count).map(|at| item(random, at)).collect())
    };
    let comments = list(random, 2, &comment);
    let reviews = list(random, 2, &review);
    let review_comments = list(random, 2, &review_comment);
    let files = list(random, 3, &file);
    let commits = list(random, 2, &commit);
    let runs = list(random, 3, &check);
    let statuses = list(random, 1, &status);
    let timeline = list(random, 3, &event);
    let reactions = list(random, 2, &reaction);
    let count = |value: &Value| value.as_array().unwrap().len();
    let header = json!({"id": 500_000 + number, "node_id": format!("PR_{number}"), "number": number, "url": this, "issue_url": issue,
        "html_url": format!("https://github.com/acme/web/pull/{number}"), "state": "open", "locked": false, "title": random.text(6),
        "user": user(random.below(50)), "body": random.text(160), "labels": [], "milestone": null, "assignees": [],
        "created_at": time(random, number), "updated_at": time(random, number + 40), "closed_at": null, "merged_at": null,
        "draft": false, "merged": false, "mergeable": true, "mergeable_state": "clean", "author_association": "MEMBER",
        "comments": count(&comments), "review_comments": count(&review_comments), "commits": count(&commits),
        "changed_files": count(&files), "additions": 1, "deletions": 1,
        "head": {"label": "acme:topic", "ref": "topic", "sha": head, "user": user(0), "repo": repo()},
        "base": {"label": "acme:main", "ref": "main", "sha": base, "user": user(0), "repo": repo()}});
    let runs = json!({"total_count": count(&runs), "check_runs": runs});
    vec![
        ("pull.json", this.clone(), header),
        ("comments.json", format!("{issue}/comments?per_page=100"), comments),
        ("reviews.json", format!("{this}/reviews?per_page=100"), reviews),
        ("review-comments.json", format!("{this}/comments?per_page=100"), review_comments),
        ("files.json", format!("{this}/files?per_page=100"), files),
        ("commits.json", format!("{this}/commits?per_page=100"), commits),
        ("check-runs.json", format!("{API}/commits/{head}/check-runs?per_page=100"), runs),
        ("statuses.json", format!("{API}/commits/{head}/statuses?per_page=100"), statuses),
        ("timeline.json", format!("{issue}/timeline?per_page=100"), timeline),
        ("reactions.json", format!("{issue}/reactions?per_page=100"), reactions),
    ]
}

/// Writes `pulls` pull requests below a directory, one folder each with its request log; returns the sizes of the payloads.
pub fn write(dir: &Path, pulls: u64, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed);
    let mut sizes = Vec::new();
    for number in 1..=pulls {
        let folder = dir.join(format!("{:02}/{number:04}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        let mut log = Vec::new();
        for (at, (name, url, body)) in pull(number, &mut random).into_iter().enumerate() {
            let text = serde_json::to_string(&body).unwrap();
            sizes.push(text.len());
            fs::write(folder.join(name), text).unwrap();
            let date = format!("Wed, 04 Mar 2026 16:30:{at:02} GMT");
            log.push(json!({"file": name, "url": url, "status": 200, "headers": {"date": date}}));
        }
        fs::write(folder.join("_requests.json"), serde_json::to_string(&log).unwrap()).unwrap();
    }
    sizes
}
