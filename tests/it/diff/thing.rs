//! A pull request with some of everything, that a test can change before it is written as an index tree.

use std::collections::BTreeMap;

use git_docket::format::index::{Entry, Index, Node, Role};
use git_docket::format::json::{self, Json};
use serde_json::{Value, json};

use crate::trees::{Mem, entry};

pub const OLD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub const NEW: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
pub const BASE: &str = "cccccccccccccccccccccccccccccccccccccccc";

/// An item with a file: its text, and what the index says of it.
#[derive(Debug, Clone)]
pub struct Item {
    pub text: String,
    pub about: Value,
}

/// Everything that a pull request's tree is made of. `null` is a file that is not there.
#[derive(Debug, Clone)]
pub struct Thing {
    pub number: u64,
    pub header: Value,
    pub body: Option<Item>,
    pub comments: BTreeMap<u64, Item>,
    pub reviews: BTreeMap<u64, Item>,
    pub threads: Value,
    pub thread_texts: BTreeMap<u64, String>,
    pub checks: BTreeMap<String, Value>,
    pub logs: BTreeMap<String, String>,
    pub files: Value,
    pub patch: String,
    pub commits: Value,
    pub events: Value,
    pub reactions: Value,
    pub actors: Value,
    pub summary: String,
    pub members: Value,
}

pub fn item(text: &str, id: u64, login: &str) -> Item {
    let about = json!({"source": {"id": id}, "author": {"id": 1, "login": login}, "createdAt": time(id),
        "updatedAt": time(id), "ordinal": id});
    Item { text: text.to_owned(), about }
}

pub fn time(id: u64) -> String {
    format!("2026-01-02T03:04:{:02}Z", id % 60)
}

pub fn thread(id: u64, comments: &[u64]) -> Value {
    let comment = |own: &u64| {
        let mut row = json!({"id": own, "author": {"login": "rita"}, "createdAt": time(*own), "updatedAt": time(*own)});
        if *own != id {
            row["replyTo"] = json!(id);
        }
        row
    };
    json!({"id": id, "file": format!("threads/{id}.md"), "path": "src/lib.rs", "line": 3, "side": "right",
        "outdated": false, "resolved": false, "comments": comments.iter().map(comment).collect::<Vec<_>>()})
}

pub fn commit(sha: &str, parent: &str) -> Value {
    json!({"sha": sha, "parents": [parent], "message": "Do it"})
}

pub fn check(id: u64, conclusion: &str) -> Value {
    json!({"id": id, "origin": "check-run", "name": "build", "status": "completed", "conclusion": conclusion})
}

impl Default for Thing {
    fn default() -> Self {
        let complete = json!({"state": "complete", "items": 2, "asOf": time(9)});
        let facets = [
            "header",
            "comments",
            "reviews",
            "review-comments",
            "checks",
            "statuses",
            "files",
            "commits",
            "timeline",
            "reactions",
        ];
        let coverage: serde_json::Map<_, _> = facets.iter().map(|f| ((*f).to_owned(), complete.clone())).collect();
        Self {
            number: 42,
            header: json!({"number": 42, "kind": "pull", "title": "A title", "state": "open", "stateReason": null,
                "labels": [{"name": "bug", "color": "ff0000"}, {"name": "ui"}], "assignees": [{"login": "ada"}],
                "milestone": "1.0", "locked": false, "lockReason": null, "draft": true, "merged": false,
                "head": {"branch": "topic", "sha": OLD, "repository": "acme/web"},
                "base": {"branch": "main", "sha": BASE, "repository": "acme/web"},
                "requestedReviewers": [{"login": "rita"}], "requestedTeams": ["core"], "mergeable": true,
                "updatedAt": time(9), "counts": {"comments": 2, "commits": 1, "reactions": 1}}),
            body: Some(Item { text: "First\nSecond\nThird\n".to_owned(), about: json!({}) }),
            comments: [(1, item("One\n", 1, "ada")), (2, item("Two\n", 2, "bob"))].into(),
            reviews: [(7, item("", 7, "rita"))].into(),
            threads: json!([thread(11, &[11, 12])]),
            thread_texts: [(11, "A thread\n\nA reply\n".to_owned())].into(),
            checks: [("21".to_owned(), check(21, "failure"))].into(),
            logs: [("21".to_owned(), "log\n".to_owned())].into(),
            files: json!([{"path": "src/lib.rs", "status": "modified", "additions": 2, "deletions": 1, "patch": true}]),
            patch: "-a\n+b\n".to_owned(),
            commits: json!([commit(OLD, BASE)]),
            events: json!([{"id": "31", "event": "labeled", "createdAt": time(1)}]),
            reactions: json!([{"id": 41, "content": "+1", "actor": {"login": "ada"}}]),
            actors: json!([{"id": 1, "login": "ada", "associations": ["MEMBER"]}]),
            summary: "A summary\n".to_owned(),
            members: json!({"forge": "github", "host": "github.com", "repository": {"id": 5, "name": "acme/web"},
                "entity": {"kind": "pull", "number": 42}, "asOf": time(9), "tombstones": [], "coverage": coverage, "gaps": []}),
        }
    }
}

impl Thing {
    /// The tree, with an index that lists every file.
    pub fn tree(&self) -> Mem {
        let mut out = Writer::default();
        out.json("entity.json", Role::Entity, &self.header, &json!({}));
        if let Some(body) = &self.body {
            out.put("body.md", Role::Body, &body.text, &body.about);
        }
        for (folder, role, items) in
            [("comments", Role::Comment, &self.comments), ("reviews", Role::Review, &self.reviews)]
        {
            for (id, item) in items {
                out.put(&format!("{folder}/20260102T0304{:02}Z-{id}.md", id % 60), role, &item.text, &item.about);
            }
        }
        for (id, text) in &self.thread_texts {
            let text = thread_text(*id, text);
            out.put(&format!("threads/{id}.md"), Role::Thread, &text, &json!({"source": {"id": id}}));
        }
        for (id, check) in &self.checks {
            let about = json!({"source": {"id": check["id"]}});
            out.json(&format!("checks/20260102T030405Z-{id}/check.json"), Role::Check, check, &about);
        }
        for (id, log) in &self.logs {
            out.put(&format!("checks/20260102T030405Z-{id}/log.txt"), Role::Log, log, &json!({}));
        }
        out.put("changes/diff.patch", Role::Diff, &self.patch, &json!({}));
        out.put("summary.md", Role::Summary, &self.summary, &json!({}));
        for (path, role, member, list) in [
            ("threads.json", Role::Threads, "threads", &self.threads),
            ("changes/files.json", Role::Files, "files", &self.files),
            ("changes/commits.json", Role::Commits, "commits", &self.commits),
            ("timeline.json", Role::Timeline, "events", &self.events),
            ("reactions.json", Role::Reactions, "reactions", &self.reactions),
            ("actors.json", Role::Actors, "actors", &self.actors),
        ] {
            if !list.is_null() {
                out.json(path, role, &json!({ member: list }), &json!({}));
            }
        }
        let mut members = self.members.clone();
        members["entity"]["number"] = json!(self.number);
        out.finish(&members)
    }
}

#[derive(Default)]
struct Writer {
    tree: Mem,
    entries: Vec<Entry>,
}

impl Writer {
    fn put(&mut self, path: &str, role: Role, bytes: impl AsRef<[u8]>, about: &Value) {
        let mut row = entry(path, role, bytes.as_ref());
        let Json::Object(about) = ours(about) else { panic!("an object is needed") };
        row.about = about;
        self.entries.push(row);
        self.tree.put(path, bytes);
    }

    fn json(&mut self, path: &str, role: Role, value: &Value, about: &Value) {
        self.put(path, role, json::to_vec(&ours(value)), about);
    }

    fn finish(mut self, members: &Value) -> Mem {
        let Json::Object(members) = ours(members) else { panic!("an object is needed") };
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
        let index = Index { node: Node::Entity { members }, entries: self.entries };
        self.tree.put("index.json", index.to_bytes());
        self.tree
    }
}

/// The same value as ours.
fn ours(value: &Value) -> Json<'static> {
    let text = serde_json::to_vec(value).expect("a value has a text");
    json::parse(&text).expect("a text of our profile").into_owned()
}

/// A thread as it is written: a heading of our own, then a part for the body of each comment.
fn thread_text(id: u64, bodies: &str) -> String {
    let part = |body: &str| format!("\n## Comment of a thread\n\n> {}\n", body.trim_end());
    let parts: String = bodies.split("\n\n").map(part).collect();
    format!("# Review thread {id}\n\n```diff\n## Comment in a hunk\n```\n{parts}")
}
