//! Whether a text is hunks of a unified diff and nothing else, so that it can stand behind headers of ours.

/// True when each line belongs to a hunk whose header counts it: then no line can begin the diff of another file.
pub(super) fn is_hunks(text: &str) -> bool {
    let (mut old, mut new) = (0, 0);
    // A note that the last line has no end may follow any line once.
    let (mut any, mut note) = (false, false);
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let first = line.bytes().next();
        let known = match first {
            Some(b'\\') if note => {
                note = false;
                continue;
            }
            _ if (old, new) == (0, 0) => {
                let Some(counts) = counts(line) else { return false };
                ((old, new), any, note) = (counts, true, false);
                continue;
            }
            Some(b'-') => take(&mut old),
            Some(b'+') => take(&mut new),
            // Mailers strip the blank of an empty line; git reads it all the same.
            Some(b' ') | None => take(&mut old) && take(&mut new),
            _ => false,
        };
        if !known {
            return false;
        }
        note = true;
    }
    any && (old, new) == (0, 0)
}

fn take(left: &mut u64) -> bool {
    let some = *left > 0;
    *left = left.saturating_sub(1);
    some
}

/// How many lines of both sides follow a header `@@ -1,2 +3,4 @@`; a count that is left out is one. A hunk without lines is none.
fn counts(line: &str) -> Option<(u64, u64)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| {
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        number(start)?;
        number(count)
    };
    Some((count(old)?, count(new)?)).filter(|counts| *counts != (0, 0))
}

fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}
