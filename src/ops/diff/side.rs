//! One entity in one tree: its index, and its files read on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::format::digest::Digest;
use crate::format::index::{self, Entry, Index, Node, Role};
use crate::format::json::{self, Json, Object};
use crate::format::path::is_safe;
use crate::format::tree::Tree;
use crate::ops::Error;

/// Gaps that leave out no item, only something of it.
const HARMLESS: [&str; 12] = [
    "attachment-not-fetched",
    "patch-missing",
    "thread-state-unknown",
    "kind-assumed",
    "outside-profile",
    "linked-not-filed",
    "linked-not-staged",
    "after-as-of",
    "earlier-version-missing",
    "edits-unknown",
    "not-admitted",
    "admission-unknown",
];

/// Why a profile does not show a text.
const REASONS: [&str; 5] =
    ["admission-unknown", "after-as-of", "as-of-unknown", "earlier-version-missing", "not-admitted"];

/// Whether a profile withholds the text of a file: what it is now was not looked at.
pub(super) fn is_hidden(about: &Object<'_>) -> bool {
    let reason = about.get("withheld").and_then(|row| text(row, "reason"));
    reason.is_some_and(|reason| REASONS.contains(&reason))
}

/// The same of a text on one line.
pub(super) fn is_hidden_mark(value: Option<&Json<'_>>) -> bool {
    let inner = value.and_then(Json::as_str).and_then(|text| text.strip_prefix("[withheld:")?.strip_suffix(']'));
    inner.is_some_and(|reason| REASONS.contains(&reason))
}

/// An entity as one tree shows it.
pub(super) struct Side<'t> {
    tree: &'t dyn Tree,
    /// The directory, `""` or ended by `/`.
    pub dir: String,
    /// The members of the index besides its entries.
    pub members: Object<'static>,
    /// The files.
    pub entries: Vec<Entry>,
    /// Facet and id of each item that a newer complete set no longer shows.
    pub tombstones: BTreeSet<(String, String)>,
    /// Facets of which an omission may hide items.
    scopes: BTreeSet<String>,
}

impl<'t> Side<'t> {
    /// From an index that was read.
    pub fn new(tree: &'t dyn Tree, dir: &str, index: Index) -> Self {
        let members = match index.node {
            Node::Entity { members } => members,
            Node::Directory => Object::new(),
        };
        let rows = |name: &str| members.get(name).and_then(Json::as_array).unwrap_or_default();
        let stone = |row: &Json<'_>| Some((text(row, "facet")?.to_owned(), plain_text(row.get("id")?)));
        let tombstones = rows("tombstones").iter().filter_map(stone).collect();
        let hides = |gap: &&Json<'_>| !text(gap, "code").is_some_and(|code| HARMLESS.contains(&code));
        let scopes =
            rows("gaps").iter().filter(hides).filter_map(|gap| text(gap, "scope").map(str::to_owned)).collect();
        Self { tree, dir: dir.to_owned(), members, entries: index.entries, tombstones, scopes }
    }

    /// The id of the entity, made of what its index says; its directory when the index does not say it.
    pub fn entity(&self) -> String {
        index::entity_of(&self.members)
            .map(|entity| entity.to_string())
            .unwrap_or_else(|| self.dir.trim_end_matches('/').to_owned())
    }

    /// The path of a file below the root of the tree.
    pub fn path(&self, name: &str) -> String {
        format!("{}{name}", self.dir)
    }

    /// The only file of a role.
    pub fn one(&self, role: Role) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.role == role)
    }

    /// The files of a role by the id of their item.
    pub fn items(&self, role: Role) -> BTreeMap<String, Entry> {
        let mut items = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry.role == role) {
            // An id that stands twice is no id: such files are told apart by path.
            if let Some(other) = items.insert(item_id(entry), entry.clone()) {
                items.insert(other.path.clone(), other);
            }
        }
        items
    }

    /// The bytes of a file, which are those that the index lists.
    pub fn read(&self, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = self.path(&entry.path);
        let damaged = |what: &str| {
            Error::new("tree-damaged", format!("{path} is not what its index lists: {what}"))
                .hint("git docket verify says more")
        };
        let bytes = match self.tree.read(&path, entry.bytes) {
            Ok(bytes) => bytes.ok_or_else(|| damaged("no file stands there"))?,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Err(damaged("it is larger")),
            Err(error) => return Err(unread(&path, &error)),
        };
        if Digest::of(&bytes) == entry.sha256 { Ok(bytes) } else { Err(damaged("it has another digest")) }
    }

    /// The value of a JSON file; `None` when it is not JSON of our profile, which has no better name than changed bytes.
    pub fn json(&self, role: Role) -> Result<Option<Json<'static>>, Error> {
        let Some(entry) = self.one(role) else { return Ok(None) };
        self.json_of(entry)
    }

    /// The same for a given file.
    pub fn json_of(&self, entry: &Entry) -> Result<Option<Json<'static>>, Error> {
        Ok(json::parse(&self.read(entry)?).ok().map(Json::into_owned))
    }

    /// The rows of a list in a JSON file by their key. Rows without one are told apart by place.
    pub fn rows(&self, role: Role, list: &str, key: &str) -> Result<BTreeMap<String, Json<'static>>, Error> {
        let Some(Json::Object(mut value)) = self.json(role)? else { return Ok(BTreeMap::new()) };
        let Some(Json::Array(rows)) = value.remove(list) else { return Ok(BTreeMap::new()) };
        Ok(keyed(rows, key))
    }

    /// True when this tree shows that the forge has no such item: a tombstone, or a complete facet of which nothing is hidden.
    pub fn proves_absence(&self, facet: &str, id: &str) -> bool {
        let coverage = self.members.get("coverage").and_then(|coverage| coverage.get(facet));
        let complete = coverage.and_then(|facet| text(facet, "state")) == Some("complete");
        complete && !self.scopes.contains(facet) || self.tombstones.contains(&(facet.to_owned(), id.to_owned()))
    }
}

/// Reads and checks an index.
pub(super) fn read_index(tree: &dyn Tree, dir: &str, expected: Option<&Digest>) -> Result<Option<Index>, Error> {
    let path = format!("{dir}{}", index::NAME);
    let Some(bytes) = tree.read(&path, index::MAX_BYTES).map_err(|error| unread(&path, &error))? else {
        return Ok(None);
    };
    let invalid = |why: String| {
        Error::new("index-invalid", format!("{path} cannot be relied on: {why}")).hint("git docket verify says more")
    };
    if expected.is_some_and(|digest| Digest::of(&bytes) != *digest) {
        return Err(invalid("it is not the one that its parent names".to_owned()));
    }
    let index = Index::from_bytes(&bytes).map_err(|trouble| match trouble.newer() {
        Some(newer) => Error::newer(&path, &newer),
        None => invalid(trouble.to_string()),
    })?;
    for pair in index.entries.windows(2) {
        if pair[0].path >= pair[1].path {
            return Err(invalid(format!("the paths are not sorted, or one stands twice: {}", pair[1].path)));
        }
    }
    if let Some(entry) = index.entries.iter().find(|entry| !is_safe(&entry.path)) {
        return Err(invalid(format!("it lists the unsafe path {:?}", entry.path)));
    }
    Ok(Some(index))
}

/// The forge's id of the item in a file; the path where the index does not tell it.
pub(super) fn item_id(entry: &Entry) -> String {
    entry.about.get("source").and_then(|source| source.get("id")).map_or_else(|| entry.path.clone(), plain_text)
}

/// Rows by a member.
pub(super) fn keyed(rows: Vec<Json<'static>>, key: &str) -> BTreeMap<String, Json<'static>> {
    let mut found = BTreeMap::new();
    for (at, row) in rows.into_iter().enumerate() {
        let place = format!("#{at}");
        let name = row.get(key).map_or_else(|| place.clone(), plain_text);
        let free = !found.contains_key(&name);
        found.insert(if free { name } else { place }, row);
    }
    found
}

/// A member that is text.
pub(super) fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// A string as it is, anything else as JSON.
pub(super) fn plain_text(value: &Json<'_>) -> String {
    match value {
        Json::String(text) => text.clone().into_owned(),
        other => String::from_utf8_lossy(&json::to_vec(other)).into_owned(),
    }
}

fn unread(path: &str, error: &io::Error) -> Error {
    Error::new("read-failed", format!("{path} could not be read: {error}"))
}
