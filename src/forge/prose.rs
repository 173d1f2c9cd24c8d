//! The prose of a Markdown text: comments of HTML and code are no part of what it says, only of what it shows or hides.

/// The text with code and comments blanked. Places stay where they are.
pub(super) fn prose(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut fence: Option<(u8, usize)> = None;
    let mut start = 0;
    let mut hidden = false;
    for line in text.split_inclusive('\n') {
        let here = start..start + line.len();
        start = here.end;
        let run = fence_of(line);
        match (fence, run) {
            (Some((mark, len)), Some((other, run, bare))) if mark == other && run >= len && bare => fence = None,
            (Some(_), _) => {}
            (None, Some((mark, run, _))) if !hidden => fence = Some((mark, run)),
            (None, _) => {
                hidden = blank_hidden(&mut bytes[here.clone()], hidden);
                blank_code(&mut bytes[here]);
                continue;
            }
        }
        blank(&mut bytes[here]);
    }
    // Only whole characters were blanked.
    String::from_utf8(bytes).unwrap_or_default()
}

/// The mark and length of the fence that a line is, and whether nothing else stands on it.
fn fence_of(line: &str) -> Option<(u8, usize, bool)> {
    let text = line.trim_start_matches(' ');
    let mark = text.bytes().next().filter(|b| line.len() - text.len() <= 3 && b"`~".contains(b))?;
    let run = text.bytes().take_while(|b| *b == mark).count();
    let rest = &text[run..];
    // Behind backticks another one makes it code within a line.
    (run >= 3 && !(mark == b'`' && rest.contains('`'))).then(|| (mark, run, rest.trim().is_empty()))
}

/// Blanks comments of HTML in a line; tells whether one goes on.
fn blank_hidden(line: &mut [u8], mut hidden: bool) -> bool {
    let mut at = 0;
    while at < line.len() {
        let mark: &[u8] = if hidden { b"-->" } else { b"<!--" };
        let found = memchr::memmem::find(&line[at..], mark).map(|len| at + len);
        let end = found.map_or(line.len(), |start| start + mark.len());
        if hidden {
            blank(&mut line[at..end]);
        } else if let Some(start) = found {
            blank(&mut line[start..end]);
        }
        hidden ^= found.is_some();
        at = end;
    }
    hidden
}

/// Blanks code within a line: between two runs of backticks of one length.
fn blank_code(line: &mut [u8]) {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'`', &line[at..]).map(|len| at + len) {
        let len = line[start..].iter().take_while(|b| **b == b'`').count();
        runs.push((start, len));
        at = start + len;
    }
    let mut open: Option<(usize, usize)> = None;
    for (start, len) in runs {
        match open {
            Some((from, of)) if of == len => {
                blank(&mut line[from..start + len]);
                open = None;
            }
            Some(_) => {}
            None => open = Some((start, len)),
        }
    }
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}
