//! `diff`: what changed between two index trees, in the words of a forge.
//!
//! Only indexes whose digests differ are read, so that the work grows with the change and not with the trees.

mod bodies;
mod change;
mod checks;
mod head;
mod header;
mod items;
mod known;
mod lists;
mod markdown;
mod pair;
mod patch;
mod same;
mod show;
mod side;
mod threads;
mod upstream;
mod walk;

pub use change::{Change, Diff, Kind, Texts};

use globset::GlobSet;

use super::Error;
use crate::format::tree::Tree;
use pair::Pair;
use side::Side;

/// What to compare, and how much to bring home.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Changes of files whose path matches are left out.
    pub ignore: GlobSet,
    /// Whether changes of text carry both texts, for [`Diff::patch`] and [`Diff::markdown`].
    pub texts: bool,
}

/// Compares two index trees: stages, snapshots, or parts of them.
///
/// Entities are matched by place, and those that stand in different places by their id: a stage can be compared with the
/// same entity of a snapshot. Two trees give no change exactly when their root indexes have the same bytes, unless
/// changes are ignored.
///
/// # Errors
/// `diff-nothing` when one has no `index.json`, `diff-layouts` when they are laid out in two ways, `index-invalid` or `tree-damaged` when a file that is read is not
/// what its index says, `read-failed`.
pub fn diff(a: &dyn Tree, b: &dyn Tree, options: &Options) -> Result<Diff, Error> {
    let mut changes = match upstream::changes(a, b)? {
        Some(changes) => changes,
        None => walk::changes(a, b, options.texts)?,
    };
    changes.retain(|change| !options.ignore.is_match(&change.path));
    Ok(Diff::new(changes))
}

/// The changes of one entity.
fn entity(a: Side<'_>, b: Side<'_>, texts: bool) -> Result<Vec<Change>, Error> {
    let mut pair = Pair::new(a, b, texts);
    header::compare(&mut pair)?;
    items::compare(&mut pair)?;
    threads::compare(&mut pair)?;
    checks::compare(&mut pair)?;
    lists::compare(&mut pair)?;
    known::compare(&mut pair);
    Ok(pair.finish())
}
