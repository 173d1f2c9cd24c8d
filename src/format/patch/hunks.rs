//! Hunks: `@@ -1,2 +1,3 @@` and as many lines as that promises.

/// What the hunks at the start of a text come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hunks {
    /// How many there are.
    pub count: usize,
    /// Added lines.
    pub additions: u64,
    /// Removed lines.
    pub deletions: u64,
    /// How many bytes of the text they take.
    pub length: usize,
    /// True when the last one has fewer lines than its head promises.
    pub cut: bool,
}

/// True when a text is hunks and nothing else: then it can stand behind a head of ours, and none of its lines begins another file.
pub fn is_hunks(text: &[u8]) -> bool {
    let found = hunks(text);
    found.count > 0 && !found.cut && found.length == text.len()
}

/// Reads the hunks at the start of a text. They end where something else stands in the place of a head, or of a line that a head
/// promises: nothing inside a hunk can be taken for what follows it.
pub fn hunks(text: &[u8]) -> Hunks {
    let mut found = Hunks::default();
    while let Some(((_, old), (_, new))) = head(line(&text[found.length..])) {
        found.count += 1;
        found.length += line(&text[found.length..]).len();
        if !found.body(text, old, new) {
            found.cut = true;
            break;
        }
    }
    found
}

impl Hunks {
    /// Takes the lines of one hunk; false when some are not there.
    fn body(&mut self, text: &[u8], mut old: u64, mut new: u64) -> bool {
        // A note that the last line has no end may follow any line once.
        let mut note = false;
        loop {
            let line = line(&text[self.length..]);
            let (from, to) = match line.first() {
                Some(b'\\') if note => (0, 0),
                _ if old == 0 && new == 0 => return true,
                Some(b' ') => (1, 1),
                // Mail programs and editors take the blank of an empty line away.
                Some(b'\n') => (1, 1),
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                _ => return false,
            };
            let (Some(less_old), Some(less_new)) = (old.checked_sub(from), new.checked_sub(to)) else { return false };
            (old, new, note) = (less_old, less_new, from + to > 0);
            match (from, to) {
                (1, 0) => self.deletions += 1,
                (0, 1) => self.additions += 1,
                _ => {}
            }
            self.length += line.len();
        }
    }
}

/// The first line, with its line end.
pub(super) fn line(text: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', text).map_or(text, |at| &text[..=at])
}

/// Where the lines of a side begin, and how many there are.
type Side = (u64, u64);

/// The lines of each side that a head promises.
pub(super) fn head(line: &[u8]) -> Option<(Side, Side)> {
    let rest = line.strip_prefix(b"@@ -")?;
    let (old, rest) = range(rest)?;
    let (new, rest) = range(rest.strip_prefix(b" +")?)?;
    // A hunk without lines is none.
    (rest.starts_with(b" @@") && (old.1, new.1) != (0, 0)).then_some((old, new))
}

/// `12,3`, or `12` for one line.
fn range(text: &[u8]) -> Option<(Side, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(lines, rest)| ((start, lines), rest)),
        None => Some(((start, 1), rest)),
    }
}

fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = std::str::from_utf8(&text[..end]).ok()?;
    // More lines than any text has.
    (1..=15).contains(&end).then(|| digits.parse().ok()).flatten().map(|number| (number, &text[end..]))
}
