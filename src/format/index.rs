//! `index.json`: the authoritative manifest of a tree, one node of it.

use std::str::FromStr;

use super::digest::Digest;
use super::entity::{Entity, Forge, Kind, Repository};
use super::json::{self, Json, Object};

/// The schema name that every index carries.
pub const SCHEMA: &str = "git-docket.index";

/// The version of the normal forms and filters that derive trees. A released version stays in the program.
pub const RULES: &str = "3";

/// Versions before it, whose trees are read and not derived again: none of them was released.
const OLDER: [&str; 2] = ["1", "2"];

/// The name of the manifest of every node.
pub const NAME: &str = "index.json";

/// The largest index that is read: enough for 300,000 entries of one directory, and a bound on what a hostile one costs.
pub const MAX_BYTES: u64 = 64 << 20;

/// The members that the index of an entity may have besides those of every index.
pub const MEMBERS: [&str; 12] = [
    "forge",
    "host",
    "repository",
    "entity",
    "asOf",
    "links",
    "linkedBy",
    "event",
    "profile",
    "tombstones",
    "coverage",
    "gaps",
];

/// One node of an index tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// What the node stands for.
    pub node: Node,
    /// Every file of the node, sorted by the bytes of the path; in an inner node the `index.json` of each child.
    pub entries: Vec<Entry>,
}

/// What a node stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// The root or a directory above the entities of a snapshot, or the root of a stage of several.
    Directory,
    /// One issue or pull request. The members besides `entries` are written as they are here.
    Entity {
        /// `forge host repository entity asOf profile event tombstones coverage gaps`, as docs/format.md says.
        members: Object<'static>,
    },
}

/// The entity that the members of a node say it is of; `None` when they do not say it.
pub fn entity_of(members: &Object<'_>) -> Option<Entity> {
    let text = |at: Option<&Json<'_>>| at.and_then(Json::as_str).map(str::to_owned);
    let forge: Forge = text(members.get("forge"))?.parse().ok()?;
    let name = text(members.get("repository")?.get("name"))?;
    let repository = Repository::new(forge, &text(members.get("host"))?, &name).ok()?;
    let entity = members.get("entity")?;
    let kind = Kind::from_name(&text(entity.get("kind"))?)?;
    Some(Entity { repository, kind, number: entity.get("number")?.as_u64()? })
}

/// What a file of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it, and docs/format.md defines each")]
pub enum Role {
    Index,
    Attributes,
    Summary,
    Entity,
    Body,
    Comment,
    Review,
    Thread,
    Check,
    Log,
    Files,
    Commits,
    Diff,
    Patch,
    Timeline,
    Threads,
    Actors,
    Reactions,
    Evidence,
    Context,
    References,
    Excerpt,
}

impl Role {
    const NAMES: [(Self, &'static str); 22] = [
        (Self::Index, "index"),
        (Self::Attributes, "attributes"),
        (Self::Summary, "summary"),
        (Self::Entity, "entity"),
        (Self::Body, "body"),
        (Self::Comment, "comment"),
        (Self::Review, "review"),
        (Self::Thread, "thread"),
        (Self::Check, "check"),
        (Self::Log, "log"),
        (Self::Files, "files"),
        (Self::Commits, "commits"),
        (Self::Diff, "diff"),
        (Self::Patch, "patch"),
        (Self::Timeline, "timeline"),
        (Self::Threads, "threads"),
        (Self::Actors, "actors"),
        (Self::Reactions, "reactions"),
        (Self::Evidence, "evidence"),
        (Self::Context, "context"),
        (Self::References, "references"),
        (Self::Excerpt, "excerpt"),
    ];

    /// The name in an index.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(role, _)| *role == self).map_or("", |(_, name)| name)
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(role, _)| *role).ok_or(())
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The path below the directory of the index.
    pub path: String,
    /// What the file is.
    pub role: Role,
    /// `application/json`, `text/markdown`, `text/plain` or `text/x-diff`.
    pub media_type: String,
    /// The size in bytes.
    pub bytes: u64,
    /// Plain SHA-256 of the file as it lies on disk.
    pub sha256: Digest,
    /// `ordinal source author createdAt updatedAt filter …`: what is known of the item in the file.
    pub about: Object<'static>,
}

/// A text that is not an index of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnIndex {
    /// Not JSON of our profile.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A newer or unknown format.
    #[error("the index has schema {schema:?} and format {format:?}; this program reads git-docket.index format 1")]
    Format {
        /// The schema that was found.
        schema: Option<String>,
        /// The format number that was found.
        format: Option<u64>,
    },
    /// An index of rules that this program does not know.
    #[error("the index has the rules {0:?}; this program reads up to {RULES}")]
    Rules(String),
    /// A member that is missing or of another type.
    #[error("the member {0:?} is missing or not what it must be")]
    Member(&'static str),
    /// Readable, but not the canonical bytes of what it says.
    #[error("the index is not in canonical form")]
    NotCanonical,
}

const ENTRY_MEMBERS: [&str; 5] = ["path", "role", "mediaType", "bytes", "sha256"];
const OWN_MEMBERS: [&str; 4] = ["schema", "format", "rules", "entries"];

impl Index {
    /// Whether it heads a snapshot: only there the root lists the attributes that keep git from changing its files.
    pub fn is_of_snapshot(&self) -> bool {
        self.entries.iter().any(|entry| entry.path == ".gitattributes")
    }

    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.clone().into_bytes()
    }

    /// The canonical bytes of an index that is not needed any more: nothing is copied on the way.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut out = match self.node {
            Node::Directory => Object::new(),
            Node::Entity { members } => members,
        };
        out.set("schema", SCHEMA).set("format", 1u32).set("rules", RULES);
        out.set("entries", self.entries.into_iter().map(Entry::into_json).collect::<Vec<_>>());
        json::to_vec(&Json::Object(out))
    }

    /// Reads an index. Paths are not judged here: a hostile one is a finding of `verify`, not a parse error.
    ///
    /// # Errors
    /// [`NotAnIndex`] says what is wrong; a newer format is told from damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAnIndex> {
        let value = json::parse(bytes)?;
        let schema = value.get("schema").and_then(Json::as_str);
        let format = value.get("format").and_then(Json::as_u64);
        if schema != Some(SCHEMA) || format != Some(1) {
            return Err(NotAnIndex::Format { schema: schema.map(str::to_owned), format });
        }
        let rules = value.get("rules").and_then(Json::as_str).ok_or(NotAnIndex::Member("rules"))?;
        if rules != RULES && !OLDER.contains(&rules) {
            let known = is_number(rules).then(|| NotAnIndex::Rules(rules.to_owned()));
            return Err(known.unwrap_or(NotAnIndex::Member("rules")));
        }
        let rows = value.get("entries").and_then(Json::as_array).ok_or(NotAnIndex::Member("entries"))?;
        let entries = rows.iter().map(Entry::from_json).collect::<Result<_, _>>()?;
        // Every member is kept, so that the value is canonical exactly when the index writes these bytes.
        if json::to_vec(&value) != bytes {
            return Err(NotAnIndex::NotCanonical);
        }
        let members = value.as_object().map(|members| less(members, &OWN_MEMBERS)).unwrap_or_default();
        let node = if members.is_empty() { Node::Directory } else { Node::Entity { members } };
        Ok(Self { node, entries })
    }
}

/// Whether a text counts versions, as all rules do.
fn is_number(rules: &str) -> bool {
    rules.starts_with(|first: char| matches!(first, '1'..='9')) && rules.bytes().all(|byte| byte.is_ascii_digit())
}

impl NotAnIndex {
    /// Why a newer program is needed; `None` for what is none of ours, and for damage.
    pub fn newer(&self) -> Option<String> {
        match self {
            Self::Format { schema: Some(schema), format: Some(format) } if schema == SCHEMA && *format > 1 => {
                Some(format!("format {format}; this program reads format 1"))
            }
            Self::Rules(rules) => Some(format!("rules {rules}; this program reads up to {RULES}")),
            _ => None,
        }
    }
}

/// The members of an object without some, no longer borrowed from the text.
fn less(object: &Object<'_>, names: &[&str]) -> Object<'static> {
    let mut rest = Object::new();
    for (name, member) in object.iter().filter(|(name, _)| !names.contains(name)) {
        rest.set(name.to_owned(), member.clone().into_owned());
    }
    rest
}

impl Entry {
    fn into_json(self) -> Json<'static> {
        let mut out = self.about;
        out.set("path", self.path);
        out.set("role", self.role.name());
        out.set("mediaType", self.media_type);
        out.set("bytes", self.bytes);
        out.set("sha256", self.sha256.hex());
        Json::Object(out)
    }

    fn from_json(row: &Json<'_>) -> Result<Self, NotAnIndex> {
        let members = row.as_object().ok_or(NotAnIndex::Member("entries"))?;
        let text = |name: &'static str| row.get(name).and_then(Json::as_str).ok_or(NotAnIndex::Member(name));
        Ok(Self {
            path: text("path")?.to_owned(),
            role: text("role")?.parse().map_err(|()| NotAnIndex::Member("role"))?,
            media_type: text("mediaType")?.to_owned(),
            bytes: row.get("bytes").and_then(Json::as_u64).ok_or(NotAnIndex::Member("bytes"))?,
            sha256: Digest::from_hex(text("sha256")?).ok_or(NotAnIndex::Member("sha256"))?,
            about: less(members, &ENTRY_MEMBERS),
        })
    }
}
