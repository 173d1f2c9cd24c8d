//! Tests of `verify`: every damage is found, exactly once, with its code and cause.

mod damage;
mod hostile;
mod laws;
mod store;
mod vectors;

use git_docket::format::index::Role;
use git_docket::ops::verify::{Anchor, Finding, Report, verify};

use crate::trees::{Mem, flat, rooted};

/// A tree of two entities with everything that damage likes.
fn sample() -> Mem {
    let one = flat(&[
        ("body.md", Role::Body, b"First line\nSecond line\n"),
        ("changes/diff.patch", Role::Diff, b"-a\r\n+b\r\n"),
        ("comments/20260102T030405Z-1.md", Role::Comment, b"A comment without a line end"),
        ("comments/20260102T030405Z-2.md", Role::Comment, "Käse, naïve\n".as_bytes()),
        ("entity.json", Role::Entity, br#"{"number":1,"title":"A"}"#),
        ("summary.md", Role::Summary, b""),
    ]);
    let two = flat(&[
        ("body.md", Role::Body, b"Another body\n"),
        ("entity.json", Role::Entity, br#"{"number":2,"title":"B"}"#),
    ]);
    let pulls = rooted(&[("1", &one), ("2", &two)]);
    let mut tree = rooted(&[("github/pull", &pulls)]);
    // Deep chains are walked too.
    tree = rooted(&[("top", &tree)]);
    tree
}

const ONE: &str = "top/github/pull/1";

fn report(tree: &Mem) -> Report {
    let anchor = Anchor { index_digest: Some(tree.digest()), commit: None };
    verify(tree, &anchor).expect("a tree that can be read")
}

/// `code path cause` of each finding: what a table can be compared with.
fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|f| format!("{} {} {}", f.code.as_str(), f.path, f.cause.as_str())).collect()
}
