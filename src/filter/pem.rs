//! Private keys in PEM framing (RFC 7468, and what OpenSSH and PGP make of it).

use std::ops::Range;

/// How every one begins, in lower case.
pub(super) const ANCHOR: &str = "-----begin ";

/// The longest key that is looked for as a whole, in bytes.
const MAX: usize = 64 << 10;

/// How many lines, and bytes, of other output are passed over between two parts of a key in a log before no more is looked for.
const GAP: (usize, usize) = (4096, 1 << 20);

/// How many bytes behind the first line of a key may belong to the end of that line.
const ENDING: usize = 256;

/// The digits of a line that is a part of a key wherever it stands; the lines that programs write have 64 or more.
const LONG: usize = 40;

/// Every part of a text that is a key, in order. `begins` are the places of all that begins as [`ANCHOR`] says, in order: each key is read as
/// far as the next frame, so that no part of a text is read for two.
pub(super) fn private_keys(text: &[u8], begins: &[usize]) -> Vec<Range<usize>> {
    let frames: Vec<_> = begins.iter().filter_map(|at| Some((*at, label(&text[*at..])?))).collect();
    let mut keys: Vec<Range<usize>> = Vec::new();
    let mut all = frames.iter().enumerate().filter(|(_, (_, label))| is_private(label)).peekable();
    while let Some((number, &(start, label))) = all.next() {
        if keys.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let frame = start..start + ANCHOR.len() + label.len() + 5;
        // A frame of another kind may stand in a whole key, but ends the lines that are read behind one without an end. The next may share
        // the last dashes.
        let until = all.peek().map_or(text.len(), |(_, (next, _))| *next).max(frame.end);
        let next = frames.get(number + 1).map_or(until, |(next, _)| *next).max(frame.end);
        let last_line = || start + memchr::memrchr(b'\n', &text[start..next]).map_or(0, |at| at + 1);
        let stop = if next < text.len() { last_line() } else { next };
        keys.extend(private_key(&text[..until], frame, next, stop));
    }
    keys
}

/// The parts of a text that are a key: the whole with its frame; without an end, or with one that is far away, the lines of base64 that
/// follow behind what stands before the frame too, with headers and empty lines between. Behind other output a key goes on only where its end
/// is still to come, or with two full lines of its own width: a word alone is not a part of one. A frame without a content is no key: it is
/// how people and programs speak of them. The text ends where the next private key begins; any frame begins at `next`, in the line behind `stop`.
fn private_key(text: &[u8], frame: Range<usize>, next: usize, stop: usize) -> Vec<Range<usize>> {
    let Range { start, end: body } = frame;
    let label = &text[start + ANCHOR.len()..body - 5];
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
        let column = column(text, start);
        let own = masked(unmarked(&text[start - column..start]));
        let text = &text[..next];
        Lines { text, stop, label, own, column, width: 0, broken: false, headed: false, gap: (0, 0), begin: start }
            .read(line, &mut found);
    }
    found
}

/// The label of the frame that begins here, of any kind: what stands between the dashes (RFC 7468). In capitals, as everything writes it.
fn label(text: &[u8]) -> Option<&[u8]> {
    let head = text[..text.len().min(80)].strip_prefix(b"-----BEGIN ")?;
    let label = memchr::memmem::find(head, b"-----").map(|at| &head[..at])?;
    let is_label = label.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ');
    (is_label && !label.is_empty()).then_some(label)
}

/// Whether what a label names is a private key.
fn is_private(label: &[u8]) -> bool {
    label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK")
}

/// Where a key ends as its frame says. What stands in a frame is the key if nothing else has such dashes there, or a line looks like one.
fn whole(window: &[u8], label: &[u8]) -> Option<usize> {
    let mut other = false;
    for at in marks(window) {
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
        other = true;
    }
    None
}

/// Where five dashes stand that may be those of a frame: the last of as many as follow each other, since a diff puts one before them.
fn marks(text: &[u8]) -> impl Iterator<Item = usize> {
    let first = memchr::memmem::find_iter(text, b"-----").filter(|at| *at == 0 || text[at - 1] != b'-');
    first.map(|at| at + text[at + 5..].iter().take_while(|byte| **byte == b'-').count())
}

/// The lines behind the first of a key, as far as the next frame.
struct Lines<'t> {
    text: &'t [u8],
    /// Where the last line ends that is read: the next has a frame.
    stop: usize,
    label: &'t [u8],
    /// What stands before the frame on its line, as lines are compared.
    own: Vec<u8>,
    /// How long that is.
    column: usize,
    /// How many digits the full lines have that were found.
    width: usize,
    /// Whether something else stands between the last part and here.
    broken: bool,
    /// Whether headers stand before it, and not yet the empty line behind them.
    headed: bool,
    /// The lines and bytes since the last part.
    gap: (usize, usize),
    /// Where the first line of the key begins.
    begin: usize,
}

impl<'t> Lines<'t> {
    /// Adds the parts of the key to those that were found: lines that follow each other make one.
    fn read(&mut self, mut from: usize, found: &mut Vec<Range<usize>>) {
        let mut framed = None;
        while from < self.stop && self.gap.0 <= GAP.0 && self.gap.1 <= GAP.1 {
            let next = self.next(from);
            let line = &self.text[from..next];
            if marks(line).any(|at| self.ends(&line[at..])) {
                return;
            }
            let end = from + trim_end(line).len();
            let word = self.word(line);
            if self.continues(trim_end(line)) {
                // An empty line. Behind headers it says that the key comes.
                self.headed = false;
            } else if self.is_part(word, from, next, &mut framed) {
                match found.last_mut() {
                    Some(part) if !self.broken || end <= part.end => part.end = part.end.max(end),
                    _ => found.push(if self.broken { end - word.len() } else { self.begin }..end),
                }
                self.width = self.width.max(word.len());
                (self.broken, self.gap) = (false, (0, 0));
                // A short line is the last.
                if word.len() < self.width && !*framed.get_or_insert_with(|| self.is_ended(from)) {
                    return;
                }
            } else if found.is_empty() && !self.broken && is_header(line.get(self.column..).unwrap_or_default()) {
                self.headed = true;
            } else {
                self.broken = true;
                self.gap = (self.gap.0 + 1, self.gap.1 + line.len());
            }
            from = next;
        }
    }

    /// Whether the digits of a line are a part of the key.
    fn is_part(&self, word: &[u8], from: usize, next: usize, framed: &mut Option<bool>) -> bool {
        if !self.broken && !self.headed {
            return word.len() >= 16 || (self.width > 0 && is_rest(word));
        }
        if !self.broken || !is_key(word) {
            return false;
        }
        let after = &self.text[next..self.next(next)];
        let goes_on = || word.len() == self.width && is_key(self.word(after)) && self.word(after).len() <= self.width;
        goes_on() || *framed.get_or_insert_with(|| self.is_ended(from))
    }

    fn next(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |at| from + at + 1)
    }

    /// The digits that a line consists of, behind what stands before the frame too. None where it says something else.
    fn word(&self, line: &'t [u8]) -> &'t [u8] {
        let word = digits(line);
        let before = &line[..trim_end(line).len() - word.len()];
        if self.continues(before) { word } else { &[] }
    }

    /// Whether what begins a line is what stands before the frame, with another number or time, the mark of another kind of line of a diff,
    /// white space and quotes.
    fn continues(&self, before: &[u8]) -> bool {
        let before = masked(unmarked(before));
        let same = self.own.iter().zip(&before).take_while(|(own, here)| own == here).count();
        before[same..].iter().all(|byte| b" \"'`".contains(byte))
    }

    /// Whether the key ends where its frame says, however far away.
    fn is_ended(&self, from: usize) -> bool {
        let rest = &self.text[from..];
        marks(rest).any(|at| self.ends(&rest[at..]))
    }

    fn ends(&self, text: &[u8]) -> bool {
        text.strip_prefix(b"-----END ").is_some_and(|rest| rest.starts_with(self.label))
    }
}

/// What begins a line, less the mark that a diff gives it.
fn unmarked(before: &[u8]) -> &[u8] {
    before
        .strip_prefix(b"+")
        .or_else(|| before.strip_prefix(b"-"))
        .or_else(|| before.strip_prefix(b" "))
        .unwrap_or(before)
}

/// Whether a short word may be the last of a key: one of a language has no digits, and capitals at its beginning alone.
fn is_rest(word: &[u8]) -> bool {
    let mixed = word.iter().skip(1).any(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_lowercase);
    mixed || word.iter().any(|byte| !byte.is_ascii_alphabetic())
}

/// What begins a line without what differs from line to line: numbers are 0, words of capitals like those of a level A, and white space is
/// one blank.
fn masked(mut text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    while let Some(first) = text.first() {
        let run = |is: fn(&u8) -> bool| text.iter().take_while(|byte| is(byte)).count();
        let (len, mask) = match first {
            b'0'..=b'9' => (run(u8::is_ascii_digit), Some(b'0')),
            byte if byte.is_ascii_whitespace() => (run(u8::is_ascii_whitespace), Some(b' ')),
            byte if byte.is_ascii_alphabetic() => {
                let (word, capitals) = (run(u8::is_ascii_alphabetic), run(u8::is_ascii_uppercase));
                (word, (word == capitals && word >= 4).then_some(b'A'))
            }
            _ => (1, None),
        };
        match mask {
            Some(mask) => out.push(mask),
            None => out.extend_from_slice(&text[..len]),
        }
        text = &text[len..];
    }
    out
}

/// How far a place is from the beginning of its line.
fn column(text: &[u8], at: usize) -> usize {
    at - memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

/// Whether a line between the first and the key is a header of it (RFC 1421, RFC 4880).
fn is_header(line: &[u8]) -> bool {
    let line = trim_end(line.trim_ascii_start());
    let name = line.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    name > 0 && line[name..].starts_with(b": ")
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
            // A string goes on in the next line.
            [rest @ .., b'"' | b'\'', b' ', b'+' | b'.'] => rest,
            [rest @ .., b'm'] => match memchr::memrchr(b'\x1b', &rest[rest.len().saturating_sub(16)..]) {
                Some(at) => &rest[..rest.len().saturating_sub(16) + at],
                None => return line,
            },
            _ => return line,
        }
    }
}

/// The bytes at the beginning of a text that are lines of base64, with what quotes or indents them. The first has sixteen digits or
/// more, and a shorter one is the last, if it is alone on its line.
fn encoded_len(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let from = end + frame_len(&text[end..]);
        let is_digit = |b: &&u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
        let len = text[from..].iter().take_while(is_digit).count();
        if len < 16 {
            let ends = || text[from + len - 1] == b'=' || ends_line(&text[from + len..]);
            let is_last = end > 0 && len > 0 && is_rest(&text[from..from + len]) && ends();
            return if is_last { from + len } else { end };
        }
        end = from + len;
    }
}

/// Whether nothing comes any more on a line but what closes a string.
fn ends_line(text: &[u8]) -> bool {
    let rest = &text[text.iter().take(8).take_while(|b| b" \t\"'`,;+)".contains(b)).count()..];
    matches!(rest, [] | [b'\n' | b'\r', ..] | [b'\\', b'n' | b'r' | b't', ..])
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
