//! Doing what hunks say: whether they make one content of another.

use super::hunks::{head, line};

/// The content that hunks make of another; `None` where they do not fit it, or are not hunks from the first byte to the last.
pub fn applied(old: &[u8], hunks: &[u8]) -> Option<Vec<u8>> {
    let mut lines = old.split_inclusive(|byte| *byte == b'\n');
    let (mut made, mut taken, mut given, mut rest) = (Vec::with_capacity(old.len()), 0, 0, hunks);
    while !rest.is_empty() {
        let (mut from, mut to) = head(line(rest))?;
        rest = &rest[line(rest).len()..];
        // A hunk that has no line of a side stands behind the line that it names.
        let before = |side: (u64, u64)| if side.1 == 0 { Some(side.0) } else { side.0.checked_sub(1) };
        for _ in 0..before(from)?.checked_sub(taken)? {
            made.extend_from_slice(lines.next()?);
            (taken, given) = (taken + 1, given + 1);
        }
        if before(to)? != given {
            return None;
        }
        while from.1 + to.1 > 0 {
            let text = line(rest);
            rest = &rest[text.len()..];
            let (removes, adds, body) = match text.split_first()? {
                (b'-', body) => (true, false, body),
                (b'+', body) => (false, true, body),
                (b' ', body) => (true, true, body),
                // The blank of an empty line that something took away.
                (b'\n', _) => (true, true, text),
                _ => return None,
            };
            // The last line of the text may lack its end; that of the content lacks it where a note says so.
            let mut body = body.strip_suffix(b"\n").unwrap_or(body).to_vec();
            if rest.starts_with(b"\\") {
                rest = &rest[line(rest).len()..];
            } else {
                body.push(b'\n');
            }
            if removes {
                (from.1, taken) = (from.1.checked_sub(1)?, taken + 1);
                if lines.next()? != body {
                    return None;
                }
            }
            if adds {
                (to.1, given) = (to.1.checked_sub(1)?, given + 1);
                made.extend_from_slice(&body);
            }
        }
    }
    lines.for_each(|left| made.extend_from_slice(left));
    Some(made)
}
