//! The repository around a node: answers show threads in the repository that was asked for.

use crate::forge::member::text;
use crate::format::json::Json;

/// The node of the repository, named as `path` says, that an answer has around the thread at a pointer. One that does not tell its name
/// is that of the thread only where the thread, or the list that it stands in, is its own: what a thread refers to may lie elsewhere.
pub fn repository_around<'j>(answer: &'j Json<'_>, pointer: &str, path: &str) -> Option<&'j Json<'j>> {
    let mut above = pointer;
    while let Some(at) = above.rfind('/') {
        above = &above[..at];
        let node = answer.pointer(above)?;
        let is_own = || above.ends_with("/repository") && is_direct(&pointer[above.len()..]);
        let is_it = match text(node, "nameWithOwner") {
            Some(name) => name.eq_ignore_ascii_case(path),
            None => text(node, "__typename").is_none_or(|name| name == "Repository") && is_own(),
        };
        if is_it && text(node, "id").is_some() {
            return Some(node);
        }
    }
    None
}

/// Whether a way down leads to a member, or to an item of a connection that is one.
fn is_direct(below: &str) -> bool {
    let steps: Vec<_> = below.split('/').skip(1).collect();
    matches!(steps[..], [_] | [_, "nodes", _] | [_, "edges", _, "node"])
}
