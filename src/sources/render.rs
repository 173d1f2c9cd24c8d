//! The rendered block: references and their lines within fixed budgets, then the coverage.

use super::coverage::{Coverage, Diagnostic};
use super::excerpt::{Excerpt, Lines, Source, excerpts};
use super::{MAX_BLOCK, MAX_LINES, MAX_QUOTED, RESERVED, Rules, view};
use crate::format::evidence::{Allowance, Basis};

/// A block under construction. A record is rendered whole or not at all.
#[derive(Debug)]
pub struct Block {
    rules: Rules,
    records: String,
    quoted: usize,
    /// What was rendered, in order.
    pub excerpts: Vec<Excerpt>,
}

impl Block {
    /// An empty block.
    pub fn new(rules: Rules) -> Self {
        Self { rules, records: String::new(), quoted: 0, excerpts: Vec::new() }
    }

    /// Renders the wanted lines of a source until a budget ends it; a later source may still fit.
    pub fn add(&mut self, source: &Source, lines: &dyn Lines, base: Option<&str>, coverage: &mut Coverage) {
        let mut none = true;
        for excerpt in excerpts(source, lines, base) {
            none = false;
            if !self.push(excerpt) {
                coverage.note(Diagnostic::ExcerptBudget);
                break;
            }
        }
        if none && self.rules == Rules::Safe {
            coverage.note(Diagnostic::NoExcerpt);
        }
    }

    /// Names a place of which a profile may see no more than `allowance`.
    pub fn withhold(&mut self, path: &str, lines: &[u64], bound: (Allowance, Basis), coverage: &mut Coverage) {
        let (allowance, basis) = bound;
        let mut record = serde_json::json!({"path": path, "allowance": allowance.name(), "basis": basis.name()});
        if allowance == Allowance::PathSpan {
            record["lines"] = lines.into();
        }
        let record = format!("withheld {record}\n");
        coverage.note(Diagnostic::Withheld);
        if self.records.len() + record.len() > MAX_BLOCK - RESERVED {
            coverage.note(Diagnostic::ExcerptBudget);
        } else {
            self.records.push_str(&record);
        }
    }

    /// The whole block.
    pub fn finish(&self, coverage: &Coverage) -> String {
        format!("{}{}", self.records, coverage.line())
    }

    fn push(&mut self, excerpt: Excerpt) -> bool {
        let reference = &excerpt.reference;
        let (path, text) = match self.rules {
            Rules::Safe => (view::path(&reference.path), view::line(&excerpt.quoted.text)),
            Rules::OpenAgents => (reference.path.as_str().into(), excerpt.quoted.text.as_str().into()),
        };
        let record = format!("source {}\n  {path}:{}:{text}\n", reference.to_line(), reference.line);
        // What is shown counts: spelling out control characters makes a quoted line longer than the line.
        let quoted = self.quoted + text.len();
        let full = self.excerpts.len() == MAX_LINES;
        if full || quoted > MAX_QUOTED || self.records.len() + record.len() > MAX_BLOCK - RESERVED {
            return false;
        }
        self.quoted = quoted;
        self.records.push_str(&record);
        self.excerpts.push(excerpt);
        true
    }
}
