//! The prose of a Markdown text: comments of HTML and code are no part of what it says, only of what it shows or hides.
//!
//! No parser of Markdown: fences and comments that begin a line first, then in each paragraph code and comments, whichever opens first.
//! An opener without its closer is text, but for those that hide the rest of a text on the page too.

use std::collections::HashMap;
use std::ops::Range;

/// The text with code and comments blanked. Places stay where they are.
pub fn prose(text: &str) -> String {
    let mut out = Blanked { bytes: text.as_bytes().to_vec(), paragraph: 0..0 };
    let mut fence: Option<Fence> = None;
    let (mut at, mut quoted, mut may_end) = (0, 0, true);
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |len| at + len + 1);
        let line = Line::of(&text[at..end]);
        let start = at + line.start;
        let was = fence.take();
        fence = was.filter(|fence| !fence.ends_before(&line));
        if let Some(open) = fence {
            out.blank(start..end);
            fence = (!open.is_closed_by(&line)).then_some(open);
        } else if let Some(open) = Fence::of(&line) {
            out.end_paragraph(end);
            out.blank(start..end);
            fence = Some(open);
        } else if line.text.starts_with("<!--") {
            // Of what follows one that does not end nothing is seen on the page, be it that a quote ends.
            let to_end = if line.quotes > 0 { end } else { text.len() };
            let ended = if may_end { comment_end(&text.as_bytes()[start..]) } else { None };
            may_end = ended.is_some();
            let over = ended.map_or(to_end, |len| start + len);
            out.end_paragraph(start);
            out.blank(start..over);
            out.paragraph = over..over;
            // The rest of its last line begins nothing.
            let rest = memchr::memchr(b'\n', &text.as_bytes()[over..]).map_or(text.len(), |len| over + len + 1);
            at = if over == end { end } else { rest };
            out.paragraph.end = at;
            out.end_paragraph(at);
            continue;
        } else {
            if line.begins_block() || line.quotes > quoted {
                out.end_paragraph(start);
            }
            out.paragraph.end = end;
            if line.is_alone() {
                out.end_paragraph(end);
            }
        }
        (at, quoted) = (end, line.quotes);
    }
    out.end_paragraph(text.len());
    // Only whole characters were blanked.
    String::from_utf8(out.bytes).unwrap_or_default()
}

/// A line, or the rest of one: how it is quoted and indented, and what stands on it.
struct Line<'t> {
    quotes: usize,
    /// Columns before the text, behind the last mark of a quote.
    indent: usize,
    /// Where the text begins.
    start: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let (mut quotes, mut indent, mut start) = (0, 0, 0);
        for byte in line.bytes() {
            match byte {
                b' ' => indent += 1,
                b'\t' => indent += 4,
                b'>' => (quotes, indent) = (quotes + 1, 0),
                _ => break,
            }
            start += 1;
        }
        Self { quotes, indent, start, text: line[start..].trim_end() }
    }

    /// Whether a paragraph ends before it: no code begins in one item, row or heading and ends in another.
    fn begins_block(&self) -> bool {
        self.item().is_some() || self.is_alone() || self.text.starts_with('|')
    }

    /// How long the mark of an item of a list is that begins here, with what parts it from the text.
    fn item(&self) -> Option<usize> {
        let digits = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let marks: &[u8] = if digits > 0 { b".)" } else { b"-*+" };
        let rest = self.text[digits..].strip_prefix(|c: char| c.is_ascii() && marks.contains(&(c as u8)))?;
        let apart = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        (apart > 0).then_some(digits + 1 + apart)
    }

    /// Whether a paragraph ends with it: it is blank, or a heading.
    fn is_alone(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('#') && self.text.trim_start_matches('#').starts_with([' ', '\t'])
    }
}

/// Code between lines of backticks or tildes.
struct Fence {
    mark: u8,
    run: usize,
    quotes: usize,
    indent: usize,
}

impl Fence {
    /// The fence that a line opens. In an item of a list it is indented as far as the item.
    fn of(line: &Line<'_>) -> Option<Self> {
        let item = line.item().unwrap_or(0);
        let text = &line.text[item..];
        let mark = text.bytes().next().filter(|byte| b"`~".contains(byte))?;
        let run = text.bytes().take_while(|byte| *byte == mark).count();
        // Behind backticks another one makes it code within a line.
        let is_code = mark == b'`' && text[run..].contains('`');
        (run >= 3 && !is_code).then_some(Self { mark, run, quotes: line.quotes, indent: line.indent + item })
    }

    fn is_closed_by(&self, line: &Line<'_>) -> bool {
        let run = line.text.bytes().take_while(|byte| *byte == self.mark).count();
        run >= self.run && run == line.text.len()
    }

    /// Whether the quote or the item that it is in is over.
    fn ends_before(&self, line: &Line<'_>) -> bool {
        line.quotes < self.quotes || !line.text.is_empty() && line.indent + 3 < self.indent
    }
}

/// Where a comment that begins here is over; `<!-->` is a whole one.
fn comment_end(text: &[u8]) -> Option<usize> {
    memchr::memmem::find(&text[2..], b"-->").map(|len| len + 5)
}

struct Blanked {
    bytes: Vec<u8>,
    /// What was read of the present paragraph.
    paragraph: Range<usize>,
}

impl Blanked {
    fn blank(&mut self, range: Range<usize>) {
        self.bytes[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }

    /// Blanks what is code or hidden in the paragraph that is over; the next begins here.
    fn end_paragraph(&mut self, next: usize) {
        let Range { start, end } = std::mem::replace(&mut self.paragraph, next..next);
        let text = &self.bytes[start..end];
        let closers = closers(text);
        let (mut found, mut at, mut may_hide) = (Vec::new(), 0, true);
        while let Some(here) = memchr::memchr3(b'`', b'<', b'\\', &text[at..]).map(|len| at + len) {
            let run = text[here..].iter().take_while(|byte| **byte == b'`').count();
            at = match text[here] {
                b'\\' => here + 2 + text[here + 1..].iter().take_while(|byte| **byte == b'`').count().saturating_sub(1),
                b'`' => match closers.get(&here) {
                    Some(closer) => {
                        found.push(here..closer + run);
                        closer + run
                    }
                    None => here + run,
                },
                _ if may_hide && text[here..].starts_with(b"<!--") => match comment_end(&text[here..]) {
                    Some(len) => {
                        found.push(here..here + len);
                        here + len
                    }
                    None => {
                        may_hide = false;
                        here + 1
                    }
                },
                _ => here + 1,
            };
            if at >= text.len() {
                break;
            }
        }
        found.into_iter().for_each(|range| self.blank(start + range.start..start + range.end));
    }
}

/// Of each run of backticks the next one of the same length, where there is one.
fn closers(text: &[u8]) -> HashMap<usize, usize> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'`', &text[at..]).map(|len| at + len) {
        let len = text[start..].iter().take_while(|byte| **byte == b'`').count();
        runs.push((start, len));
        at = start + len;
    }
    let (mut next, mut found) = (HashMap::new(), HashMap::new());
    for (start, len) in runs.into_iter().rev() {
        if let Some(closer) = next.insert(len, start) {
            found.insert(start, closer);
        }
    }
    found
}
