//! A comparison for people: one line a change, or one line an entity.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::change::{Change, Diff, Kind};
use crate::ops::plain::plain;

/// A value on a line is cut, visibly, at this many characters.
const WIDTH: usize = 120;

/// The pieces of a line. All but the word may come from a stranger and are not escaped yet.
pub(super) struct Line {
    pub word: &'static str,
    pub about: String,
    pub values: String,
}

impl Diff {
    /// Every change on a line of its own below its entity. Entries of the timeline, which mostly say again what other
    /// lines say, are counted by their word. Characters that could move a cursor or hide are escaped.
    pub fn listing(&self) -> String {
        let mut out = String::new();
        for changes in self.by_entity() {
            let _ = writeln!(out, "{}", plain(name(&changes[0]), false));
            for line in lines(changes) {
                let _ = write!(out, "  {}", line.word);
                for piece in [&line.about, &line.values] {
                    if !piece.is_empty() {
                        let _ = write!(out, "  {}", plain(piece, false));
                    }
                }
                out.push('\n');
            }
        }
        out
    }

    /// One line an entity with the number of its changes of each kind, and one with the sum.
    pub fn stat(&self) -> String {
        let mut out = String::new();
        let mut entities = 0;
        for of_one in self.by_entity() {
            entities += 1;
            let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
            of_one.iter().for_each(|change| *counts.entry(change.change).or_default() += 1);
            let counts: Vec<_> = counts.iter().map(|(kind, n)| format!("{n} {}", kind.as_str())).collect();
            let _ = writeln!(out, "{}  {}", plain(name(&of_one[0]), false), counts.join(", "));
        }
        let _ = writeln!(out, "{} changes in {entities} places", self.changes.len());
        out
    }

    /// The changes of each entity; they stand together.
    pub(super) fn by_entity(&self) -> impl Iterator<Item = &[Change]> {
        self.changes.chunk_by(|a, b| a.entity == b.entity)
    }
}

/// The lines of one entity.
pub(super) fn lines(changes: &[Change]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut events: BTreeMap<&str, usize> = BTreeMap::new();
    for change in changes {
        match change.after.get("event").and_then(Value::as_str) {
            Some(event) if change.change == Kind::EventAdded => *events.entry(event).or_default() += 1,
            _ => lines.push(line(change)),
        }
    }
    if !events.is_empty() {
        let sum: usize = events.values().sum();
        let words: Vec<_> = events.iter().map(|(event, n)| format!("{n} {event}")).collect();
        lines.push(Line { word: Kind::EventAdded.as_str(), about: sum.to_string(), values: words.join(", ") });
    }
    lines
}

/// What stands above the lines of an entity.
pub(super) fn name(change: &Change) -> &str {
    change.entity.as_deref().unwrap_or("(no entity)")
}

/// The line of one change.
pub(super) fn line(change: &Change) -> Line {
    let mut about = Vec::new();
    let general = matches!(
        change.change,
        Kind::ItemChanged
            | Kind::ItemAbsent
            | Kind::CoverageChanged
            | Kind::GapAdded
            | Kind::GapRemoved
            | Kind::GapChanged
    );
    about.extend(change.facet.as_deref().filter(|_| general));
    about.extend(change.id.as_deref());
    about.extend((change.change == Kind::FileBytesChanged).then_some(change.path.as_str()));
    let values = match (&change.before, &change.after) {
        (Value::Null, Value::Null) => String::new(),
        (Value::Null, value) if change.change.is_addition() => short(value),
        (value, Value::Null) if change.change.is_removal() => short(value),
        (Value::Object(before), Value::Object(after)) => {
            let only = |these: &Map<String, Value>, those: &Map<String, Value>| {
                let differ = these.iter().filter(|(name, value)| those.get(*name) != Some(*value));
                short(&differ.map(|(name, value)| (name.clone(), value.clone())).collect())
            };
            // A text without new times differs in its bytes alone, which are no words.
            match (only(before, after), only(after, before)) {
                (was, is) if was.is_empty() && is.is_empty() => String::new(),
                (was, is) if was.is_empty() => format!("none → {is}"),
                (was, is) if is.is_empty() => format!("{was} → none"),
                (was, is) => format!("{was} → {is}"),
            }
        }
        (before, after) => format!("{} → {}", short(before), short(after)),
    };
    Line { word: change.change.as_str(), about: about.join(" "), values }
}

/// A value in few words.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => match text.strip_prefix("sha256:") {
            Some(hex) if hex.is_ascii() && hex.len() == 64 => format!("sha256:{}…", &hex[..12]),
            _ => format!("{text:?}"),
        },
        Value::Object(members) => {
            let shown = members.iter().filter(|(name, _)| *name != "sha256");
            shown.map(|(name, value)| format!("{name} {}", short(value))).collect::<Vec<_>>().join(", ")
        }
        Value::Array(items) => items.iter().map(short).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    match text.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
