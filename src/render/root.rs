//! The `summary.md` above the entities of a stage of several: which there are, and where each has its own.

use super::markdown::escaped;
use super::outline::append_table;
use super::summary::{MOST, OF_STRANGERS};
use crate::format::entity::Entity;

/// An entity of a stage of several.
pub struct Child {
    /// Which.
    pub entity: Entity,
    /// Its directory below the root.
    pub dir: String,
    /// Whether all that was asked for of it is known.
    pub complete: bool,
    /// Whether it was asked for; else it is there because others link it.
    pub asked: bool,
}

/// The page: those that were asked for before those that are only linked, as far as there is room, with a count of the rest.
pub fn children_summary(children: &[Child]) -> String {
    let (asked, linked): (Vec<_>, Vec<_>) = children.iter().partition(|child| child.asked);
    let mut page = format!("# {} issues, pull requests and merge requests\n\n{OF_STRANGERS}", children.len());
    page.push_str("Each has a directory with a summary of its own, which says what it is and what is missing.\n");
    append(&mut page, "Asked for", &asked);
    append(&mut page, "Only linked", &linked);
    page
}

fn append(page: &mut String, title: &str, children: &[&Child]) {
    if children.is_empty() {
        return;
    }
    append_table(page, title, "| entity | all that was asked for is known | summary |");
    for (at, child) in children.iter().enumerate() {
        let known = if child.complete { "yes" } else { "no" };
        let row = format!("| {} | {known} | {}/summary.md |\n", escaped(&child.entity.to_string()), child.dir);
        // The title of the other table and two lines that count the rest.
        if page.len() + row.len() + 300 > MOST {
            page.push_str(&format!("\nAnd {} more: see index.json.\n", children.len() - at));
            return;
        }
        page.push_str(&row);
    }
}
