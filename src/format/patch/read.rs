//! Reading a whole diff, file by file.

use super::head::{Head, Start, is_cut, start};
use super::hunks::{hunks, line};
use super::series::{has_open_mail, is_mail, lacks_mails};
use super::submodule::{submodule, takes_in};
use super::{FilePatch, NotAPatch, Patch};

/// Reads a diff. What stands before, between and behind its files (the mail of `git format-patch`, a signature) is passed over.
///
/// # Errors
/// [`NotAPatch`]: no file at all, a combined diff, or one with colours or by words.
pub fn read(text: &[u8]) -> Result<Patch<'_>, NotAPatch> {
    let mut patch = Patch::default();
    let mut between = Between::default();
    let (mut at, mut has_blobs, mut lacks_blob) = (0, false, false);
    while at < text.len() {
        let rest = &text[at..];
        let Some(start) = start(rest) else {
            let line = line(rest);
            match submodule(line, at).filter(|_| !between.is_message) {
                Some(file) => {
                    patch.add(file);
                    between = Between::default();
                }
                None => between.pass(line)?,
            }
            at += line.len();
            continue;
        };
        if start == Start::Combined {
            return Err(NotAPatch::Combined);
        }
        let head = Head::read(rest, start);
        let found = if head.binary { super::Hunks::default() } else { hunks(&rest[head.length..]) };
        let told = head.is_whole(found.count);
        has_blobs |= head.index.is_some();
        lacks_blob |= head.is_without_blob();
        let mut file = head.into_file(at);
        file.range.end += found.length;
        file.hunks = found.count;
        at = file.range.end;
        file.whole = !found.cut && told && !goes_on(&text[at..]);
        file.lines = (!file.binary && file.whole).then_some((found.additions, found.deletions));
        between = Between { is_cut: found.cut, is_next: true, is_message: false };
        patch.add(file);
    }
    // What ends inside a line ends too early, as far as anybody can tell. Who names one blob names all.
    let behind = &text[patch.files.last().map_or(0, |file| file.range.end)..];
    patch.cut = !text.ends_with(b"\n")
        || is_cut(last_line(behind))
        || has_open_mail(behind)
        || lacks_mails(text)
        || (has_blobs && lacks_blob);
    match patch.files.is_empty() {
        true if memchr::memmem::find(text, COLOURED).is_some() => Err(NotAPatch::Dressed),
        true => Err(NotAPatch::Nothing),
        false => Ok(patch),
    }
}

/// How a coloured head begins: with the sequence for bold or another, and what it colours.
const COLOURED: &[u8] = b"mdiff --git ";

/// What is known of the text between two files.
#[derive(Default)]
struct Between {
    /// Whether a hunk of the file before lacks lines.
    is_cut: bool,
    /// Whether nothing stood there yet.
    is_next: bool,
    /// Whether this is the message of a mail, in which anything may stand.
    is_message: bool,
}

impl Between {
    /// Takes a line that begins nothing.
    fn pass(&mut self, line: &[u8]) -> Result<(), NotAPatch> {
        self.is_message = is_mail(line) || (self.is_message && line.trim_ascii_end() != b"---");
        // Where lines of a hunk should be.
        let has = |open: &[u8], close: &[u8]| {
            memchr::memmem::find(line, open).is_some_and(|at| memchr::memmem::find(&line[at..], close).is_some())
        };
        let is_end_of_words = std::mem::take(&mut self.is_next) && line == b"~\n";
        if is_end_of_words || (self.is_cut && (line == b"~\n" || has(b"[-", b"-]") || has(b"{+", b"+}"))) {
            return Err(NotAPatch::Dressed);
        }
        Ok(())
    }
}

impl<'b> Patch<'b> {
    /// Adds a file, unless it is a part of the one before.
    fn add(&mut self, file: FilePatch<'b>) {
        if !self.files.last_mut().is_some_and(|last| takes_in(last, &file) || last.joins(&file)) {
            self.files.push(file);
        }
    }
}

/// The last line of a text, with its end.
fn last_line(text: &[u8]) -> &[u8] {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    &text[memchr::memrchr(b'\n', body).map_or(0, |at| at + 1)..]
}

/// True when lines of a hunk stand behind the last one: its head promised fewer. The signature of a mail is none.
fn goes_on(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'+' | b' ' | b'@') => true,
        Some(b'-') => !rest.starts_with(b"-- ") && start(rest).is_none(),
        _ => false,
    }
}
