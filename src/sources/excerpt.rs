//! Matching lines of one source, as references with their excerpts.

use std::collections::BTreeMap;

use super::MAX_PREFIX;
use crate::format::atif::text_digest;
use crate::format::digest::Digest;
use crate::format::source::{Quoted, Reference};

/// A complete source, read once: all its excerpts share these bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The path below the root.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// What stands in a block in the place of lines that may not be shown as they are, by their number.
    pub instead: BTreeMap<u64, Quoted>,
}

/// A reference and the text that it quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The reference.
    pub reference: Reference,
    /// What is shown: the start of the line, or of what stands in its place, at most [`MAX_PREFIX`] bytes.
    pub quoted: Quoted,
}

/// Which lines of a source are quoted.
pub trait Lines {
    /// Whether a line is wanted; `number` counts from 1.
    fn wants(&self, path: &str, number: u64, line: &str) -> bool;
}

/// The rule of OpenAgents: the line in lower case contains a term in lower case.
pub struct LowerCase(Vec<String>);

impl LowerCase {
    /// Lowers the terms once.
    pub fn new(terms: &[String]) -> Self {
        Self(terms.iter().map(|term| term.to_lowercase()).collect())
    }
}

impl Lines for LowerCase {
    fn wants(&self, _: &str, _: u64, line: &str) -> bool {
        let line = line.to_lowercase();
        self.0.iter().any(|term| line.contains(term))
    }
}

/// The start of a line that is quoted: cut at the last character boundary within [`MAX_PREFIX`] bytes.
pub fn prefix(line: &str) -> &str {
    let end = (0..=MAX_PREFIX.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    &line[..end]
}

/// The wanted lines of a source in their order, each as a reference. Digests are made only as far as the iterator is driven.
pub fn excerpts<'a>(
    source: &'a Source,
    lines: &'a dyn Lines,
    base: Option<&'a str>,
) -> impl Iterator<Item = Excerpt> + use<'a> {
    let mut whole: Option<Digest> = None;
    (1u64..).zip(source.text.lines()).filter(move |(number, line)| lines.wants(&source.path, *number, line)).map(
        move |(number, line)| {
            let text = prefix(line);
            let reference = Reference {
                path: source.path.clone(),
                line: number,
                source_digest: *whole.get_or_insert_with(|| text_digest(&source.text)),
                excerpt_digest: text_digest(text),
                truncated: text.len() < line.len(),
                base: base.map(str::to_owned),
            };
            let mut quoted = source
                .instead
                .get(&number)
                .cloned()
                .unwrap_or_else(|| Quoted { text: text.to_owned(), ..Quoted::default() });
            quoted.text.truncate(prefix(&quoted.text).len());
            Excerpt { reference, quoted }
        },
    )
}
