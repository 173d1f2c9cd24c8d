//! What `summary.md` says of the moment of a stage, and of whom it does not show.

use std::collections::BTreeSet;

use crate::format::profile::{Admit, Bots, Trust};

/// The most logins of a list.
const MOST: usize = 10;

/// A line for each choice that leaves something out.
pub(super) fn lines(trust: &Trust) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.extend(trust.as_of.map(|time| ("as of", format!("{time}; what came later is not shown"))));
    let head = trust.head.as_ref();
    lines.extend(head.map(|sha| ("pinned to head", format!("{sha}; files, commits, diff and checks of no other"))));
    lines.extend((!trust.admits_everyone()).then(|| ("texts shown of", admitted(trust))));
    lines
}

fn admitted(trust: &Trust) -> String {
    let mut words = match &trust.admit {
        Admit::All => "everyone".to_owned(),
        Admit::Members => "owners, members and collaborators".to_owned(),
        Admit::Role(least) => format!("accounts known to have the role {} or a stronger one", least.name()),
        Admit::Association(words) if words.is_empty() => "nobody".to_owned(),
        Admit::Association(words) => words.iter().cloned().collect::<Vec<_>>().join(", "),
    };
    if trust.bots == Bots::Exclude {
        words.push_str("; of no bot");
    }
    let mut list = |before: &str, logins: &BTreeSet<String>| {
        if !logins.is_empty() {
            let shown: Vec<_> = logins.iter().take(MOST).cloned().collect();
            let rest = if logins.len() > MOST { format!(" and {} more", logins.len() - MOST) } else { String::new() };
            words.push_str(&format!("; {before} {}{rest}", shown.join(", ")));
        }
    };
    list("also of", &trust.allow);
    list("never of", &trust.deny);
    words
}
