//! Items that one tree knows by the forge's number and the other only by something else: they are one, and neither came nor went.

use std::collections::BTreeMap;

use super::side::{plain_text, text};
use crate::format::json::Json;

/// The member of a row that has the digest of what the item says.
pub(super) const SAYS: &str = "says";

/// What tells an item where its number is not known.
struct Marks {
    node: Option<String>,
    /// By whom it was made, or its name, and in which second.
    made: Option<(String, String)>,
    /// The commit that an entry of the timeline names.
    commit: Option<String>,
    /// The digest of what it says.
    says: Option<String>,
}

/// The items of the second tree by their ids in the first, where these differ. `row` gives the members of an item.
pub(super) fn renamed<T>(
    a: &BTreeMap<String, T>,
    b: &BTreeMap<String, T>,
    row: impl Fn(&T) -> Json<'static>,
) -> BTreeMap<String, String> {
    let alone = |own: &BTreeMap<String, T>, other: &BTreeMap<String, T>| -> BTreeMap<String, Marks> {
        let alone = own.iter().filter(|(id, _)| !other.contains_key(*id));
        alone.map(|(id, item)| (id.clone(), Marks::of(id, &row(item)))).collect()
    };
    let (mut was, mut is) = (alone(a, b), alone(b, a));
    let mut found = BTreeMap::new();
    let by: [fn(&Marks) -> Option<String>; 5] = [
        |marks| marks.node.clone(),
        |marks| Some(format!("{} {}", marks.by_whom()?, marks.says.as_ref()?)),
        |marks| Some(format!("{} {}", marks.made.as_ref()?.1, marks.says.as_ref()?)),
        |marks| Some(format!("{} {}", marks.by_whom()?, marks.commit.as_ref()?)),
        Marks::by_whom,
    ];
    for (nth, mark) in by.into_iter().enumerate() {
        let (ours, theirs) = (only(&was, mark), only(&is, mark));
        for (mark, old) in ours {
            let Some(new) = theirs.get(&mark).cloned().flatten() else { continue };
            let Some(old) = old.filter(|old| !is_number(old) || !is_number(&new)) else { continue };
            // By its node an item is the same whoever wrote it.
            if nth > 0 && was[&old].is_of_another(&is[&new]) {
                continue;
            }
            was.remove(&old);
            is.remove(&new);
            found.insert(old, new);
        }
    }
    found
}

/// Gives the items of the first tree the ids that the second knows them by.
pub(super) fn rename<T>(a: &mut BTreeMap<String, T>, names: &BTreeMap<String, String>) {
    for (old, new) in names {
        if let Some(item) = a.remove(old) {
            a.insert(new.clone(), item);
        }
    }
}

/// The ids by their marks; none for a mark that several have.
fn only(items: &BTreeMap<String, Marks>, mark: fn(&Marks) -> Option<String>) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    for (id, marks) in items {
        let Some(mark) = mark(marks) else { continue };
        found.entry(mark).and_modify(|only| *only = None).or_insert(Some(id.clone()));
    }
    found
}

fn is_number(id: &str) -> bool {
    // The directories of checks of other kinds have a word before the number.
    let plain = id.rsplit_once('-').map_or(id, |(word, rest)| if word.ends_with("node") { id } else { rest });
    !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit())
}

/// What happened to whom, of an entry of the timeline, where a cross-reference is known by its source; the content of a reaction; and who.
fn what(row: &Json<'_>, who: &str) -> String {
    let detail = |name| row.get("details").and_then(|details| text(details, name));
    let words = [text(row, "event"), text(row, "content"), Some(detail("source").unwrap_or(who))];
    let whom = ["assignee", "label", "milestone", "reviewer", "team"].into_iter().map(detail);
    words.into_iter().chain(whom).flatten().collect::<Vec<_>>().join(" ")
}

impl Marks {
    fn by_whom(&self) -> Option<String> {
        self.made.as_ref().map(|(who, when)| format!("{when} {who}"))
    }

    /// Whether both tell who made them or for which commit, and it was not the same.
    fn is_of_another(&self, other: &Self) -> bool {
        if self.commit.as_ref().zip(other.commit.as_ref()).is_some_and(|(ours, theirs)| ours != theirs) {
            return true;
        }
        let (Some((ours, _)), Some((theirs, _))) = (&self.made, &other.made) else { return false };
        !ours.is_empty() && !theirs.is_empty() && ours != theirs
    }

    fn of(id: &str, row: &Json<'_>) -> Self {
        let source = row.get("source").unwrap_or(row);
        let own = source.get("id").map_or_else(|| id.to_owned(), plain_text);
        let node = text(source, "nodeId").map(str::to_owned).or((!is_number(&own)).then_some(own));
        let second = |name: &str| Some(text(row, name)?.get(..19)?.to_owned());
        let when = ["createdAt", "submittedAt", "startedAt"].iter().find_map(|name| second(name));
        let login = ["author", "actor"].iter().find_map(|name| text(row.get(name)?, "login"));
        let who = text(row, "name").or(login).unwrap_or_default();
        let says = text(row, SAYS).map(str::to_owned);
        // That of a comment on the diff is where it stands now.
        let commit = text(row, "event").and_then(|_| text(row, "commit")).map(str::to_owned);
        Self { node, says, commit, made: when.map(|when| (what(row, who).to_ascii_lowercase(), when)) }
    }
}
