//! Private keys in PEM framing (RFC 7468, and what OpenSSH and PGP make of it).

use std::ops::Range;

/// How every one begins, in lower case.
pub(super) const ANCHOR: &str = "-----begin ";

/// The longest key that is looked for as a whole, in bytes.
const MAX: usize = 64 << 10;

/// How many lines, and bytes, without a part of the key are passed over in a log before no more is looked for.
const GAP: (usize, usize) = (4096, 1 << 20);

/// How many bytes behind the first line of a key may belong to the end of that line.
const ENDING: usize = 256;

/// The digits of a line that is a part of a key wherever it stands; the lines that programs write have 64 or more.
const LONG: usize = 40;

/// The parts of a text that are a key: the whole with its frame; without an end, or with one that is far away, each run of lines that
/// look like one, whatever stands before them on the line or between them. A frame without a content is no key: it is how people and
/// programs speak of them. What is read ends at the next key.
pub(super) fn private_key(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let Some(label) = label(&text[start..]) else { return Vec::new() };
    let body = start + ANCHOR.len() + label.len() + 5;
    let window = &text[body..text.len().min(start + MAX)];
    if let Some(end) = whole(window, label) {
        let all = start..body + end;
        return vec![all];
    }
    let end = body + encoded_len(window);
    let mut found = Vec::new();
    if end > body {
        found.push(start..end);
    }
    let ending = &text[body..text.len().min(body + ENDING)];
    let line = memchr::memchr(b'\n', ending).filter(|at| trim_end(&ending[..*at]).is_empty()).map(|at| body + at + 1);
    if let Some(line) = line {
        let mut lines = Lines { label, column: column(text, start), gap: (0, 0), begin: start, last: line };
        lines.read(text, line, &mut found);
    }
    found
}

/// What kind of private key begins here.
fn label(text: &[u8]) -> Option<&[u8]> {
    let head = text.get(ANCHOR.len()..text.len().min(80))?;
    let label = memchr::memmem::find(head, b"-----").map(|at| &head[..at])?;
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    let is_label = label.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ');
    (is_private && is_label).then_some(label)
}

/// Where a key ends as its frame says. What stands in a frame is the key if nothing else has such dashes there, or a line looks like one.
fn whole(window: &[u8], label: &[u8]) -> Option<usize> {
    let mut other = false;
    for at in memchr::memmem::find_iter(window, b"-----") {
        let here = &window[at..];
        if here.starts_with(b"-----END ") && here[9..].starts_with(label) {
            let is_key = if other {
                window[..at].split(|b| *b == b'\n').any(|line| is_key(digits(line)))
            } else {
                window[..at].iter().any(u8::is_ascii_alphanumeric)
            };
            let end = at + 9 + label.len();
            return is_key.then(|| end + window[end..].iter().take(5).take_while(|b| **b == b'-').count());
        }
        if is_private(here) {
            return None;
        }
        other = true;
    }
    None
}

fn is_private(text: &[u8]) -> bool {
    text.starts_with(b"-----BEGIN ") && label(text).is_some()
}

/// The lines behind the first of a key.
struct Lines<'t> {
    label: &'t [u8],
    /// How far from the beginning of its line the last part of the key stands.
    column: usize,
    /// The lines and bytes since the last part.
    gap: (usize, usize),
    /// Where the first line of the key begins.
    begin: usize,
    /// Where the line behind the last that belongs to the key begins.
    last: usize,
}

impl Lines<'_> {
    /// Adds the parts of the key to those that were found: lines that follow each other make one.
    fn read(&mut self, text: &[u8], mut from: usize, found: &mut Vec<Range<usize>>) {
        while from < text.len() && self.gap.0 <= GAP.0 && self.gap.1 <= GAP.1 {
            let next = memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |at| from + at + 1);
            let line = &text[from..next];
            let mut marks = memchr::memmem::find_iter(line, b"-----");
            if marks.any(|at| is_private(&line[at..]) || self.ends(&line[at..])) {
                return;
            }
            let word = digits(line);
            let end = from + trim_end(line).len();
            let follows = self.last == from;
            let aligned = (end - word.len() - from).abs_diff(self.column) <= 2;
            if follows && found.is_empty() && is_header(line.get(self.column..).unwrap_or_default()) {
                self.last = next;
            } else if is_key(word)
                || (follows && aligned && (word.len() >= 16 || (!found.is_empty() && !word.is_empty())))
            {
                match found.last_mut() {
                    Some(part) if follows || end <= part.end => part.end = part.end.max(end),
                    _ => found.push(if follows { self.begin } else { end - word.len() }..end),
                }
                (self.column, self.gap) = (end - word.len() - from, (0, 0));
                // A short line is the last of those that follow each other.
                self.last = if word.len() >= 16 { next } else { 0 };
            } else {
                self.gap = (self.gap.0 + 1, self.gap.1 + line.len());
            }
            from = next;
        }
    }

    fn ends(&self, text: &[u8]) -> bool {
        text.strip_prefix(b"-----END ").is_some_and(|rest| rest.starts_with(self.label))
    }
}

/// How far a place is from the beginning of its line.
fn column(text: &[u8], at: usize) -> usize {
    at - memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

/// Whether a line between the first and the key is a header of it (RFC 1421, RFC 4880), or the empty one behind them.
fn is_header(line: &[u8]) -> bool {
    let name = line.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    trim_end(line).is_empty() || (name > 0 && line[name..].starts_with(b":"))
}

/// The digits of base64 at the end of a line.
fn digits(line: &[u8]) -> &[u8] {
    let line = trim_end(line);
    let len = line.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    &line[line.len() - len..]
}

/// Whether a word is a part of a key for itself: long and mixed, and no path, digest or name.
fn is_key(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    let slashes = word.iter().filter(|b| **b == b'/').count();
    word.len() >= LONG
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && slashes * 8 <= word.len()
}

/// A line without what ends it: white space, also as an escape in a string, what closes a string, and colours.
fn trim_end(line: &[u8]) -> &[u8] {
    let mut line = line;
    loop {
        line = match line {
            [rest @ .., b'\\', b'n' | b'r' | b't'] => rest,
            [rest @ .., b] if b.is_ascii_whitespace() || b"\"',\\`".contains(b) => rest,
            [rest @ .., b'm'] => match memchr::memrchr(b'\x1b', &rest[rest.len().saturating_sub(16)..]) {
                Some(at) => &rest[..rest.len().saturating_sub(16) + at],
                None => return line,
            },
            _ => return line,
        }
    }
}

/// The bytes at the beginning of a text that are lines of base64, with what quotes or indents them. The first has sixteen digits or
/// more, and a shorter one is the last.
fn encoded_len(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let from = end + frame_len(&text[end..]);
        let is_digit = |b: &&u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
        let len = text[from..].iter().take_while(is_digit).count();
        if len < 16 {
            return if end > 0 && len > 0 { from + len } else { end };
        }
        end = from + len;
    }
}

/// White space, also as an escape in a string, and the marks of a quotation, a comment or a diff.
fn frame_len(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match &text[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b'-', b'-', ..] => return at,
            [b, ..] if b.is_ascii_whitespace() || b"\"',>|#-".contains(b) => 1,
            _ => return at,
        };
    }
}
