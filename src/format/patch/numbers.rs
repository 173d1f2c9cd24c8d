//! The lines of a patch and their numbers.

use super::hunks::{head, line};

/// What a line of a patch is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// The head of a hunk.
    Head,
    Removed,
    Added,
    Context,
    /// A note that belongs to the line before it, or what stands outside of hunks.
    Other,
}

/// The lines of a patch, each with its number before and after the change. A line of a hunk may look like the head of one; the counts tell.
fn lines(patch: &str) -> impl Iterator<Item = (Line, u64, u64, &str)> {
    // The number of the next line of each side, and how many are left.
    let (mut old, mut new) = ((0, 0), (0, 0));
    let mut rest = patch;
    std::iter::from_fn(move || {
        let (text, after) = rest.split_at(line(rest.as_bytes()).len());
        rest = after;
        let what = match text.as_bytes().first()? {
            _ if old.1 == 0 && new.1 == 0 => match head(text.as_bytes()) {
                Some(sides) => {
                    (old, new) = sides;
                    Line::Head
                }
                None => Line::Other,
            },
            b'\\' => Line::Other,
            b'-' => Line::Removed,
            b'+' => Line::Added,
            _ => Line::Context,
        };
        let found = (what, old.0, new.0, text);
        let next = |side: (u64, u64)| (side.0 + 1, side.1.saturating_sub(1));
        if matches!(what, Line::Removed | Line::Context) {
            old = next(old);
        }
        if matches!(what, Line::Added | Line::Context) {
            new = next(new);
        }
        Some(found)
    })
}

/// A patch with the side and number of each line before it by which a comment on the diff names it: `R12` for one that is there after the
/// change, also for context, `L9` for one that is removed. Each has one name by which a comment may stand on it; a range has all its lines
/// in one hunk. The `head` bytes before the hunks, and the heads of hunks, are as they were; a note has no number.
pub fn numbered(patch: &str, head: usize) -> String {
    let mut out = String::with_capacity(patch.len() + patch.len() / 4);
    let (before, hunks) = patch.split_at(head);
    out.push_str(before);
    for (what, old, new, text) in lines(hunks) {
        match what {
            Line::Head => {}
            Line::Removed => out.push_str(&format!("L{old}\t")),
            Line::Added | Line::Context => out.push_str(&format!("R{new}\t")),
            Line::Other => out.push('\t'),
        }
        out.push_str(text);
    }
    out
}

/// The number after the change of the first line that each hunk changes; where it only removes lines, of the one that follows them. At least 1.
pub fn first_changes(hunks: &str) -> impl Iterator<Item = u64> {
    let mut is_open = false;
    lines(hunks).filter_map(move |(what, _, new, _)| match what {
        Line::Head => {
            is_open = true;
            None
        }
        Line::Removed | Line::Added => std::mem::take(&mut is_open).then_some(new.max(1)),
        Line::Context | Line::Other => None,
    })
}
