//! The titles in the note of a change, where the note tells them exactly.

/// What stands between the titles.
const TO: &str = "** to **";

/// The marks around what was taken out of the first title and put into the second.
const MARKS: [[&str; 2]; 2] = [["{-", "-}"], ["{+", "+}"]];

/// The title before and after. GitLab marks what differs, so that the rest of both must be the same; a title with marks of its own, or
/// with what stands between two, is not told.
pub(super) fn change(body: &str) -> Option<(String, String)> {
    let both = body.strip_prefix("changed title from **")?.strip_suffix("**")?;
    let (before, after) = both.split_once(TO).filter(|(_, after)| !after.contains(TO))?;
    let [was, is] = [before, after].map(|title| MARKS.iter().flatten().any(|mark| title.contains(mark)));
    if !was && !is {
        return Some((before.to_owned(), after.to_owned()));
    }
    let ((before, kept), (after, same)) = (unmarked(before, MARKS[0])?, unmarked(after, MARKS[1])?);
    (kept == same).then_some((before, after))
}

/// A title without marks, and what of it is not marked.
fn unmarked(title: &str, [open, close]: [&str; 2]) -> Option<(String, String)> {
    let (mut whole, mut kept, mut rest) = (String::new(), String::new(), title);
    while let Some((before, behind)) = rest.split_once(open) {
        let (marked, next) = behind.split_once(close)?;
        whole.extend([before, marked]);
        kept.push_str(before);
        rest = next;
    }
    whole.push_str(rest);
    kept.push_str(rest);
    let is_plain = MARKS.iter().flatten().all(|mark| !whole.contains(mark));
    is_plain.then_some((whole, kept))
}
