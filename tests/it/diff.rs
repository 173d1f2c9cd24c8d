//! Tests of `diff`: what changed between two index trees, in the words of a forge.

mod laws;
mod show;
mod thing;
mod trees;
mod words;

use git_docket::format::tree::Tree;
use git_docket::ops::diff::{Change, Diff, Options, diff};

/// Compares with texts and without ignoring anything.
fn compare(a: &dyn Tree, b: &dyn Tree) -> Diff {
    diff(a, b, &Options { texts: true, ..Options::default() }).expect("two trees that can be compared")
}

/// `change facet id`, what a table can be compared with.
fn lines(changes: &[Change]) -> Vec<String> {
    let line = |change: &Change| {
        let mut line = change.change.as_str().to_owned();
        for piece in [&change.facet, &change.id].into_iter().flatten() {
            line.push(' ');
            line.push_str(piece);
        }
        line
    };
    changes.iter().map(line).collect()
}
