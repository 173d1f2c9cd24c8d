//! Texts whose lines are a structure: a diff, a file of source code. Whatever is taken out, a line stays a line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::notes::Notes;
use super::{Error, Filter, Filtered, Findings, Status, is_detected, is_injection, unicode, withheld};

/// A line that may not be shown as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// What stands in its place.
    pub text: String,
    /// What was found in it; what goes over several lines is found in each.
    pub findings: Findings,
    /// Whether nothing of it is shown.
    pub withheld: bool,
}

impl Filter {
    /// Filters a part of a diff. Only LF ends its lines; what another reader could take for a line end inside one becomes a space. With an
    /// injection the part is withheld, or begins with a line that names it, which git passes over.
    ///
    /// # Errors
    /// [`Error`] when a detector fails.
    pub fn diff<'t>(&self, raw: &'t str) -> Result<Filtered<'t>, Error> {
        let mut notes = Notes::new(self.explains).keeping_lines();
        let text = self.lined(raw, &mut notes)?;
        let injected = self.injections.find(&text, &mut notes)?;
        if !injected.is_empty() && !self.annotates {
            return Ok(withheld(notes));
        }
        let text = if injected.is_empty() { text } else { Cow::Owned(super::mark_of(&injected, "\n") + &text) };
        let status = if notes.findings.is_empty() { Status::Unchanged } else { Status::Modified };
        Ok(Filtered { text, status, findings: notes.findings, dropped_bytes: 0, spans: notes.spans })
    }

    /// The lines of a source, from 1, in which a secret or an injection is found, seen in the whole of it. A line with an injection is
    /// withheld, unless such texts are to be marked: then it is left to whoever shows it.
    ///
    /// # Errors
    /// [`Error`] when a detector fails.
    pub fn lines(&self, raw: &str) -> Result<BTreeMap<u64, Line>, Error> {
        let mut notes = Notes::new(true).keeping_lines();
        let text = self.lined(raw, &mut notes)?;
        self.injections.find(&text, &mut notes)?;
        let starts: Vec<usize> = memchr::memchr_iter(b'\n', raw.as_bytes()).map(|at| at + 1).collect();
        let number = |offset: usize| starts.partition_point(|start| *start <= offset) as u64 + 1;
        let hides = |class| is_detected(class) && !(self.annotates && is_injection(class));
        let mut found: BTreeMap<u64, Line> = BTreeMap::new();
        for span in notes.spans.iter().filter(|span| hides(span.class)) {
            for line in number(span.offset)..=number(span.offset + span.len.saturating_sub(1)) {
                let line = found.entry(line).or_default();
                *line.findings.entry(span.class).or_default() += 1;
                line.withheld |= is_injection(span.class);
            }
        }
        for (number, shown) in (1..).zip(text.split('\n')) {
            if let Some(line) = found.get_mut(&number) {
                line.text = if line.withheld { withheld_mark(&line.findings) } else { shown.to_owned() };
            }
        }
        Ok(found)
    }

    fn lined<'t>(&self, raw: &'t str, notes: &mut Notes) -> Result<Cow<'t, str>, Error> {
        let text = match flat(raw, notes) {
            Cow::Borrowed(text) => unicode::strip(text, notes),
            Cow::Owned(text) => Cow::Owned(unicode::strip(&text, notes).into_owned()),
        };
        self.redact_all(text, notes)
    }
}

/// What stands in the place of a text that is withheld.
pub fn withheld_mark(findings: &Findings) -> String {
    let classes: Vec<_> = findings.keys().copied().filter(|class| is_injection(class)).collect();
    if classes.is_empty() { "[withheld]".to_owned() } else { format!("[withheld:{}]", classes.join(",")) }
}

/// A text in which nothing but LF ends a line.
fn flat<'t>(text: &'t str, notes: &mut Notes) -> Cow<'t, str> {
    if !text.contains(unicode::is_other_line_end) {
        return Cow::Borrowed(text);
    }
    let mut new = notes.rewrite(text);
    for (at, c) in text.char_indices().filter(|(_, c)| unicode::is_other_line_end(*c)) {
        let end = at + c.len_utf8();
        let before_end = c == '\r' && (end == text.len() || text[end..].starts_with('\n'));
        new.keep_to(at);
        new.put(end, if before_end { "" } else { " " });
    }
    Cow::Owned(notes.finish(new))
}
