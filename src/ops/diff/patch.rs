//! The texts of a comparison as unified diffs.

use std::fmt::Write as _;

use similar::TextDiff;

use super::change::{Change, Diff, Texts};
use super::show::line;
use crate::ops::plain::plain;

impl Diff {
    /// Every change as a line, and below it the unified diff of its texts, when the comparison was made with them. For
    /// people: characters that could move a cursor or hide are escaped, so that it is not meant to be applied.
    pub fn patch(&self) -> String {
        let mut out = String::new();
        for change in &self.changes {
            let line = line(change);
            let entity = change.entity.as_deref().unwrap_or(&change.path);
            let _ = write!(out, "docket {} {}", plain(entity, false), line.word);
            for piece in [&line.about, &line.values] {
                if !piece.is_empty() {
                    let _ = write!(out, " {}", plain(piece, false));
                }
            }
            out.push('\n');
            if let Some(texts) = &change.text {
                out.push_str(&unified(change, texts));
            }
        }
        out
    }
}

/// The unified diff of the two texts, with their paths; empty when they are the same.
pub(super) fn unified(change: &Change, texts: &Texts) -> String {
    let name = |side: &str, text: &Option<String>| match text {
        Some(_) => format!("{side}/{}", plain(&change.path, false)),
        None => "/dev/null".to_owned(),
    };
    let (before, after) = (texts.before.as_deref().unwrap_or(""), texts.after.as_deref().unwrap_or(""));
    // The default algorithm bounds its own search, so that hostile texts cost no more than a coarser result.
    let diff = TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(3).header(&name("a", &texts.before), &name("b", &texts.after));
    plain(&unified.to_string(), true).into_owned()
}
