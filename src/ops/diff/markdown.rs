//! A comparison as Markdown, for a job summary or a comment.

use std::fmt::Write as _;

use super::change::Diff;
use super::patch::unified;
use super::show::{lines, name};
use crate::ops::plain::plain;

impl Diff {
    /// A heading an entity, an item a change, and a block for each change of text. Whatever comes from a stranger stands in
    /// a code span or block that it cannot end, so that it mentions nobody, links nothing and renders as it is.
    pub fn markdown(&self) -> String {
        if self.equal {
            return "No changes.\n".to_owned();
        }
        let mut out = String::new();
        for changes in self.by_entity() {
            let _ = write!(out, "### {}\n\n", span(name(&changes[0])));
            for line in lines(changes) {
                let _ = write!(out, "- {}", line.word);
                for piece in [&line.about, &line.values] {
                    if !piece.is_empty() {
                        let _ = write!(out, " {}", span(piece));
                    }
                }
                out.push('\n');
            }
            out.push('\n');
            for (change, texts) in changes.iter().filter_map(|change| Some((change, change.text.as_ref()?))) {
                let text = unified(change, texts);
                if !text.is_empty() {
                    let fence = "`".repeat(longest_run(&text).max(2) + 1);
                    let _ = write!(out, "{fence}diff\n{}\n{fence}\n\n", text.trim_end_matches('\n'));
                }
            }
        }
        out
    }
}

/// A code span that its content cannot end.
fn span(text: &str) -> String {
    let text = plain(text, false);
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
