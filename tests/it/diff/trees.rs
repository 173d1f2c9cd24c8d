//! Snapshots, stages and whatever else has an index: which entities are compared with which.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use git_docket::format::index::Role;
use git_docket::format::tree::{Tree, TreeEntry};
use git_docket::ops::diff::{Options, diff};
use globset::{Glob, GlobSetBuilder};
use serde_json::json;

use super::thing::Thing;
use super::{compare, lines};
use crate::trees::{Mem, directory, entry, flat, rooted};

fn thing(number: u64) -> Thing {
    Thing { number, ..Thing::default() }
}

/// A snapshot with the pulls given.
fn snapshot(pulls: &[Thing]) -> Mem {
    let trees: Vec<_> = pulls.iter().map(|pull| (pull.number.to_string(), pull.tree())).collect();
    let shard = rooted(&trees.iter().map(|(dir, tree)| (dir.as_str(), tree)).collect::<Vec<_>>());
    let levels = ["0000", "pull", "web", "acme", "github.com", "github"];
    levels.iter().fold(shard, |tree, dir| rooted(&[(dir, &tree)]))
}

/// Notes every path that is read; a list would be a step of the size of the tree.
struct Watched(Mem, Mutex<BTreeSet<String>>);

impl Tree for Watched {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        panic!("{dir:?} was listed")
    }
    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.1.lock().expect("no panic while it was held").insert(path.to_owned());
        self.0.read(path, limit)
    }
}

#[test]
fn only_what_differs_is_read() {
    let pulls: Vec<_> = (1..=50).map(thing).collect();
    let mut changed = pulls.clone();
    changed[6].header["title"] = json!("B");
    let watched = |pulls: &[Thing]| Watched(snapshot(pulls), Mutex::default());
    let (a, b) = (watched(&pulls), watched(&changed));
    let diff = compare(&a, &b);
    assert_eq!(lines(&diff.changes), ["title-edited header"]);
    assert_eq!(diff.changes[0].entity.as_deref(), Some("github:github.com/acme/web/pull/7"));
    assert_eq!(diff.changes[0].path, "github/github.com/acme/web/pull/0000/7/entity.json");
    let read = b.1.into_inner().expect("no panic while it was held");
    let below: Vec<_> = read.iter().filter(|path| path.contains("/0000/")).collect();
    assert_eq!(
        below,
        [
            "github/github.com/acme/web/pull/0000/7/entity.json",
            "github/github.com/acme/web/pull/0000/7/index.json",
            "github/github.com/acme/web/pull/0000/index.json",
        ]
    );
    // Equal trees cost one read each.
    let (a, b) = (watched(&pulls), watched(&pulls));
    assert!(compare(&a, &b).equal);
    assert_eq!(b.1.into_inner().expect("no panic while it was held").len(), 1);
}

#[test]
fn entities_come_and_go_in_the_order_of_their_numbers() {
    let a = snapshot(&[thing(2), thing(10)]);
    let b = snapshot(&[thing(2), thing(9), thing(100)]);
    let diff = compare(&a, &b);
    let said: Vec<_> = diff.changes.iter().map(|c| (c.change.as_str(), c.entity.as_deref().unwrap_or(""))).collect();
    let id = |n| format!("github:github.com/acme/web/pull/{n}");
    assert_eq!(said, [("entity-added", &*id(9)), ("entity-removed", &*id(10)), ("entity-added", &*id(100))]);
    assert_eq!(diff.changes[0].after, json!({"title": "A title", "state": "open"}));
    assert_eq!(compare(&b, &a).counts.into_iter().collect::<Vec<_>>(), [("entity-added", 1), ("entity-removed", 2)]);
}

#[test]
fn whole_branches_come_and_go() {
    let full = snapshot(&[thing(1), thing(2)]);
    let mut empty = Mem::default();
    empty.put("index.json", directory(Vec::new()));
    let diff = compare(&empty, &full);
    assert_eq!(diff.counts.into_iter().collect::<Vec<_>>(), [("entity-added", 2)]);
}

#[test]
fn a_stage_is_compared_with_the_same_entity_of_a_snapshot() {
    let mut next = thing(7);
    next.header["title"] = json!("B");
    let stage = next.tree();
    // As a single entity, and below one root with another.
    let diff = compare(&snapshot(&[thing(7)]), &stage);
    assert_eq!(lines(&diff.changes), ["title-edited header"]);
    assert_eq!(diff.changes[0].path, "entity.json");
    let several = rooted(&[("github.com/acme/web/pull/7", &stage), ("github.com/acme/web/pull/8", &thing(8).tree())]);
    let diff = compare(&snapshot(&[thing(7), thing(9)]), &several);
    assert_eq!(lines(&diff.changes), ["title-edited header", "entity-added", "entity-removed"]);
}

#[test]
fn another_entity_in_the_same_place_is_another_entity() {
    let diff = compare(&thing(1).tree(), &thing(2).tree());
    assert_eq!(lines(&diff.changes), ["entity-removed", "entity-added"]);
    // Moved without a change: the trees differ, the entities do not.
    let (here, there) = (rooted(&[("a", &thing(1).tree())]), rooted(&[("b", &thing(1).tree())]));
    assert_eq!(lines(&compare(&here, &there).changes), ["file-bytes-changed"]);
}

#[test]
fn files_above_the_entities_are_compared_by_bytes() {
    let with = |bytes: &[u8]| {
        let mut tree = rooted(&[("a", &thing(1).tree())]);
        let child = entry("a/index.json", Role::Index, &tree.files["a/index.json"]);
        tree.put(".gitattributes", bytes);
        tree.put("index.json", directory(vec![entry(".gitattributes", Role::Attributes, bytes), child]));
        tree
    };
    let diff = compare(&with(b"a"), &with(b"b"));
    assert_eq!(lines(&diff.changes), ["file-bytes-changed"]);
    assert_eq!((diff.changes[0].path.as_str(), &diff.changes[0].entity), (".gitattributes", &None));
}

#[test]
fn ignored_paths_are_left_out() {
    let mut next = thing(1);
    next.header["title"] = json!("B");
    next.comments.clear();
    let mut globs = GlobSetBuilder::new();
    globs.add(Glob::new("comments/**").expect("a glob"));
    let options = Options { ignore: globs.build().expect("globs"), texts: false };
    let diff = diff(&thing(1).tree(), &next.tree(), &options).expect("two trees");
    assert_eq!(lines(&diff.changes), ["title-edited header"]);
}

#[test]
fn trouble_has_a_code() {
    let good = thing(1).tree();
    let options = Options::default();
    let code = |a: &Mem, b: &Mem| diff(a, b, &options).expect_err("trouble").code();
    assert_eq!(code(&good, &Mem::default()), "diff-nothing");
    let mut bad = good.clone();
    bad.put("index.json", "{}");
    assert_eq!(code(&bad, &good), "index-invalid");
    // A file that is not what its index lists is not compared as if it were.
    let mut other = thing(1);
    other.header["title"] = json!("B");
    let mut damaged = other.tree();
    damaged.put("entity.json", "{}");
    assert_eq!(code(&good, &damaged), "tree-damaged");
    damaged.take("entity.json");
    assert_eq!(code(&good, &damaged), "tree-damaged");
    let mut child = rooted(&[("a", &good)]);
    let parent = child.clone();
    child.put("a/index.json", &other.tree().files["index.json"]);
    let mut moved = child.clone();
    let row = entry("a/index.json", Role::Index, b"something else");
    moved.put("index.json", directory(vec![row]));
    assert_eq!(code(&parent, &moved), "index-invalid");
    for path in ["../up/index.json", "/abs/index.json"] {
        let mut hostile = Mem::default();
        hostile.put("index.json", directory(vec![entry(path, Role::Index, b"x")]));
        assert_eq!(code(&good, &hostile), "index-invalid", "{path}");
    }
    let plain = flat(&[("body.md", Role::Body, b"x")]);
    assert_eq!(lines(&compare(&plain, &good).changes), ["file-bytes-changed", "entity-added"]);
}
