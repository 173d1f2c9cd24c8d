//! The numbers of the lines of a patch by which a comment on the diff names them.

use super::hunks::{head, line};

/// A patch with the side and number of each line before it: `R12` for one that is there after the change, also for context, `L9` for one
/// that is removed. Each has one name by which a comment may stand on it; a range has all its lines in one hunk. The `head` bytes before the
/// hunks, and the heads of hunks, are as they were; a note that belongs to the line before it has no number.
pub fn numbered(patch: &str, head: usize) -> String {
    let mut out = String::with_capacity(patch.len() + patch.len() / 4);
    let (before, mut rest) = patch.split_at(head);
    out.push_str(before);
    let (mut old, mut new) = (0u64, 0u64);
    // A line of a hunk may look like the head of one; the counts tell.
    let (mut old_left, mut new_left) = (0u64, 0u64);
    while !rest.is_empty() {
        let text = &rest[..line(rest.as_bytes()).len()];
        rest = &rest[text.len()..];
        let is_note = text.starts_with('\\');
        if let Some(found) = head_of(text).filter(|_| old_left == 0 && new_left == 0) {
            (old, old_left, new, new_left) = found;
            out.push_str(text);
            continue;
        }
        let (side, number) = match text.as_bytes().first() {
            _ if is_note || (old_left == 0 && new_left == 0) => ("", None),
            Some(b'-') => ("L", Some(old)),
            _ => ("R", Some(new)),
        };
        let steps = match (text.as_bytes().first(), number) {
            (_, None) => (0, 0),
            (Some(b'-'), _) => (1, 0),
            (Some(b'+'), _) => (0, 1),
            _ => (1, 1),
        };
        (old, new) = (old + steps.0, new + steps.1);
        (old_left, new_left) = (old_left.saturating_sub(steps.0), new_left.saturating_sub(steps.1));
        out.push_str(side);
        if let Some(number) = number {
            out.push_str(&number.to_string());
        }
        out.push('\t');
        out.push_str(text);
    }
    out
}

/// First line and number of lines of both sides.
fn head_of(text: &str) -> Option<(u64, u64, u64, u64)> {
    let ((old, old_lines), (new, new_lines)) = head(text.as_bytes())?;
    Some((old, old_lines, new, new_lines))
}
