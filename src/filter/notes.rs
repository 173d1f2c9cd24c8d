//! What is noted while a text is rewritten: counts by class and, on request, where in the raw text each finding lay.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::{Findings, Span};

/// A stretch of a rewritten text: copied from its source, or put in the place of something.
#[derive(Debug, Clone, Copy)]
struct Piece {
    out: usize,
    from: usize,
    copied: bool,
}

/// Findings of one text so far. Places are kept only when they are wanted.
pub(super) struct Notes {
    pub findings: Findings,
    pub spans: Vec<Span>,
    /// One list for each rewriting, first to last; `None` when nobody asks where.
    layers: Option<Vec<Vec<Piece>>>,
    /// Where something was taken out of the text as it is now, in order: what stands there began something before.
    pub seams: Vec<usize>,
    /// Whether what is replaced leaves its line ends, and with each the mark of a line of a diff behind it.
    keeps_lines: bool,
}

impl Notes {
    pub fn new(with_places: bool) -> Self {
        let layers = with_places.then(Vec::new);
        Self { findings: Findings::new(), spans: Vec::new(), layers, seams: Vec::new(), keeps_lines: false }
    }

    /// The same for a text whose lines have to stay.
    pub fn keeping_lines(mut self) -> Self {
        self.keeps_lines = true;
        self
    }

    /// Notes a finding at a place of the text as the last finished rewriting left it.
    pub fn found(&mut self, class: &'static str, start: usize, end: usize) {
        *self.findings.entry(class).or_default() += 1;
        if self.layers.is_some() {
            let range = self.source(start..end);
            self.spans.push(Span { class, offset: range.start, len: range.end.saturating_sub(range.start) });
        }
    }

    /// Where a place of the text as it is now stands in the raw text; where places are not kept, the place itself.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        let layers = self.layers.iter().flatten().rev();
        layers.fold(range, |range, pieces| source_of_start(pieces, range.start)..source_of_end(pieces, range.end))
    }

    /// Begins to write a text anew.
    pub fn rewrite<'t>(&mut self, text: &'t str) -> Rewrite<'t> {
        let pieces = self.layers.is_some().then(Vec::new);
        let former = std::mem::take(&mut self.seams).into();
        Rewrite { text, at: 0, out: String::with_capacity(text.len() + 1), pieces, former, seams: Vec::new() }
    }

    /// Ends a rewriting: places that are noted from now on are those of its result.
    pub fn finish(&mut self, mut rewrite: Rewrite<'_>) -> String {
        rewrite.keep_to(rewrite.text.len());
        self.seams = rewrite.seams;
        if let (Some(layers), Some(mut pieces)) = (&mut self.layers, rewrite.pieces) {
            pieces.push(Piece { out: rewrite.out.len(), from: rewrite.text.len(), copied: false });
            layers.push(pieces);
        }
        rewrite.out
    }

    /// Takes note that so many bytes at the front are gone.
    pub fn cut_front(&mut self, len: usize) {
        self.seams = self.seams.iter().filter_map(|seam| seam.checked_sub(len)).collect();
        if let Some(layers) = self.layers.as_mut().filter(|_| len > 0) {
            layers.push(vec![Piece { out: 0, from: len, copied: true }]);
        }
    }

    /// Takes the last rewriting back: the text before it is the one that goes on.
    pub fn forget_last(&mut self) {
        if let Some(layers) = &mut self.layers {
            layers.pop();
        }
    }

    /// Writes a text anew with something else in the place of some of its parts, which are sorted and do not overlap.
    pub fn replace<'t>(&mut self, text: Cow<'t, str>, parts: &[(usize, usize, String)]) -> Cow<'t, str> {
        if parts.is_empty() {
            return text;
        }
        let mut rewrite = self.rewrite(&text);
        for (start, end, with) in parts {
            rewrite.keep_to(*start);
            if self.keeps_lines {
                rewrite.put(*end, &(with.clone() + &lines_of(&text[*start..*end])));
            } else {
                rewrite.put(*end, with);
            }
        }
        Cow::Owned(self.finish(rewrite))
    }
}

/// The line ends in a text, each with the mark of a line of a diff that stands behind it.
fn lines_of(text: &str) -> String {
    text.split('\n').skip(1).fold(String::new(), |mut out, line| {
        out.push('\n');
        out.extend(line.chars().next().filter(|c| matches!(c, ' ' | '+' | '-' | '\\')));
        out
    })
}

fn source_of_start(pieces: &[Piece], at: usize) -> usize {
    let Some(piece) = pieces.partition_point(|piece| piece.out <= at).checked_sub(1).map(|n| pieces[n]) else {
        return at;
    };
    if piece.copied { piece.from + (at - piece.out) } else { piece.from }
}

fn source_of_end(pieces: &[Piece], at: usize) -> usize {
    let Some(last) = at.checked_sub(1) else { return 0 };
    let Some(n) = pieces.partition_point(|piece| piece.out <= last).checked_sub(1) else { return at };
    let piece = pieces[n];
    if piece.copied { piece.from + (at - piece.out) } else { pieces.get(n + 1).map_or(piece.from, |next| next.from) }
}

/// A text that is being written anew, from front to back.
pub(super) struct Rewrite<'t> {
    text: &'t str,
    at: usize,
    pub out: String,
    pieces: Option<Vec<Piece>>,
    /// The seams of the text that are not passed yet, and those of what is written.
    former: VecDeque<usize>,
    seams: Vec<usize>,
}

impl Rewrite<'_> {
    /// Copies everything up to a place.
    pub fn keep_to(&mut self, to: usize) {
        if to > self.at {
            self.piece(true);
            while let Some(seam) = self.seam_to(to) {
                self.seams.push(self.out.len() + seam.saturating_sub(self.at));
            }
            self.out.push_str(&self.text[self.at..to]);
            self.at = to;
        }
    }

    /// Writes something in the place of everything up to a place; nothing takes it out.
    pub fn put(&mut self, to: usize, with: &str) {
        if with.is_empty() {
            self.seams.push(self.out.len());
        } else {
            self.piece(false);
            self.out.push_str(with);
        }
        while self.seam_to(to).is_some() {}
        self.at = to;
    }

    /// Takes the next seam of the text up to a place.
    fn seam_to(&mut self, to: usize) -> Option<usize> {
        self.former.front().filter(|seam| **seam <= to)?;
        self.former.pop_front()
    }

    fn piece(&mut self, copied: bool) {
        if let Some(pieces) = &mut self.pieces {
            pieces.push(Piece { out: self.out.len(), from: self.at, copied });
        }
    }
}
