//! `index.json`: the manifest, which lists every other file.

use std::collections::BTreeMap;

use crate::format::digest::Digest;
use crate::format::json::{self, Json, Object};

use super::key::{check_paths, record_path};
use super::members::{Fault, Members, filled, text};
use super::stamp::Stamp;
use super::text::{is_finding_code, is_forge_id, is_host, is_repository, is_structural_id};
use super::words::{FileRole, Forge, GapCode, Kind, RecordKind, Scope, Status, Usability};
use super::{Document, SCHEMA_VERSION};

/// Where the entity is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The kind of software.
    pub forge: Forge,
    /// The host, with its port where that is not 443.
    pub host: String,
    /// What names the repository for ever.
    pub repository_id: String,
    /// What it is called now; no key depends on it.
    pub repository: String,
}

/// What the entity is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its kind.
    pub kind: Kind,
    /// What names it for ever; never its number.
    pub id: String,
    /// When it last changed.
    pub updated_at: Option<Stamp>,
}

/// What filtering did to something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtering {
    /// The strongest of what was done.
    pub status: Status,
    /// How often something was found, by code.
    pub findings: BTreeMap<String, u64>,
}

impl Default for Filtering {
    fn default() -> Self {
        Self { status: Status::Unchanged, findings: BTreeMap::new() }
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path.
    pub path: String,
    /// What it is.
    pub role: FileRole,
    /// The media type.
    pub media_type: String,
    /// The size in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes.
    pub sha256: Digest,
    /// What filtering did to it, where the role says so.
    pub filter: Option<Filtering>,
}

/// One record: the body of the entity, a comment, a review or a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What it is.
    pub kind: RecordKind,
    /// The forge's id.
    pub id: String,
    /// What its files are named by.
    pub key: Digest,
    /// When it was made; of a review, when it was submitted.
    pub created_at: Stamp,
    /// When it last changed.
    pub updated_at: Option<Stamp>,
    /// Id and login of the author, each unknown or gone where `None`; a check has neither.
    pub author: Option<(Option<String>, Option<String>)>,
    /// What filtering did to it.
    pub filter: Filtering,
    /// Whether a check has its log here.
    pub has_log: bool,
}

impl Record {
    /// Whether its files are there.
    pub fn is_emitted(&self) -> bool {
        self.filter.status != Status::Rejected
    }

    /// The file of an entity, comment or review that is shown.
    pub fn content_path(&self) -> Option<String> {
        let shown = self.is_emitted() && self.kind != RecordKind::Check;
        shown.then(|| record_path(self.kind, &self.created_at, &self.key))
    }
}

/// One omission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Where.
    pub scope: Scope,
    /// Why.
    pub code: GapCode,
    /// How much.
    pub count: u64,
}

/// The manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// The version of the filter.
    pub filter_version: String,
    /// SHA-256 of `collection.json`.
    pub collection_profile: Digest,
    /// What filtering did to the manifest itself.
    pub filter: Filtering,
    /// Where the entity is.
    pub source: Source,
    /// What it is.
    pub entity: Subject,
    /// Every other file.
    pub files: Vec<File>,
    /// Every record.
    pub records: Vec<Record>,
    /// What is missing.
    pub gaps: Vec<Gap>,
}

/// Whether bytes are a manifest of this layout, of whatever version and in whatever spelling.
pub fn is_index(bytes: &[u8]) -> bool {
    let Ok(value) = json::parse(bytes) else { return false };
    ["schema_version", "filter_version", "files"].iter().all(|name| value.get(name).is_some())
}

impl Document for Index {
    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("schema_version", SCHEMA_VERSION).set("filter_version", self.filter_version.clone());
        out.set("collection_profile", self.collection_profile.hex()).set("filter", self.filter.to_json());
        let mut source = Object::new();
        source.set("forge", self.source.forge.name()).set("host", self.source.host.clone());
        source.set("repository_id", self.source.repository_id.clone());
        source.set("repository", self.source.repository.clone());
        let mut entity = Object::new();
        entity.set("kind", self.entity.kind.name()).set("id", self.entity.id.clone());
        entity.set_some("updated_at", self.entity.updated_at.as_ref().map(|at| at.as_str().to_owned()));
        out.set("source", source).set("entity", entity);
        out.set("files", self.files.iter().map(File::to_json).collect::<Vec<_>>());
        out.set("records", self.records.iter().map(Record::to_json).collect::<Vec<_>>());
        out.set("gaps", self.gaps.iter().map(|gap| gap.to_json()).collect::<Vec<_>>());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        if members.number("schema_version", 1)? != SCHEMA_VERSION {
            return Err(Fault::new("schema_version", "expected 1"));
        }
        let read = Self {
            filter_version: members.form("filter_version", "expected a text", text(filled))?,
            collection_profile: members.digest("collection_profile")?,
            filter: below("filter", Filtering::of_document(members.value("filter")?))?,
            source: below("source", Source::from_json(members.value("source")?))?,
            entity: below("entity", Subject::from_json(members.value("entity")?))?,
            files: members.list("files", File::from_json)?,
            records: members.list("records", Record::from_json)?,
            gaps: members.list("gaps", Gap::from_json)?,
        };
        members.end()?;
        Ok(read)
    }
}

fn below<T>(name: &str, read: Result<T, Fault>) -> Result<T, Fault> {
    read.map_err(|fault| fault.below(name))
}

impl Source {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let forge: Forge = members.word("forge")?;
        let name = "expected the name of a repository";
        let read = Self {
            forge,
            host: members.form("host", "expected a lowercase DNS name", text(is_host))?,
            repository_id: members.form(
                "repository_id",
                "expected an id of this forge",
                text(|id| is_forge_id(forge, id, false)),
            )?,
            repository: members.form("repository", name, text(|name| is_repository(forge, name)))?,
        };
        members.end()?;
        Ok(read)
    }
}

impl Subject {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            kind: members.word("kind")?,
            id: members.form("id", "expected an id", text(is_structural_id))?,
            updated_at: members.optional_stamp("updated_at")?,
        };
        members.end()?;
        Ok(read)
    }
}

impl Filtering {
    fn to_json(&self) -> Json<'static> {
        let finding = |(code, count): (&String, &u64)| {
            let mut row = Object::new();
            row.set("code", code.clone()).set("count", *count);
            Json::Object(row)
        };
        let mut out = Object::new();
        out.set("status", self.status.name()).set("findings", self.findings.iter().map(finding).collect::<Vec<_>>());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let status = members.word("status")?;
        let rows = members.list("findings", |row| {
            let members = Members::of(row)?;
            let read = (members.form("code", "expected a code", text(is_finding_code))?, members.number("count", 1)?);
            members.end()?;
            Ok(read)
        })?;
        members.end()?;
        if !rows.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(Fault::new("findings", "expected each code once, in their order"));
        }
        Ok(Self { status, findings: rows.into_iter().collect() })
    }

    /// The same of a document, which is never rejected: nothing is made of it then.
    fn of_document(value: &Json<'_>) -> Result<Self, Fault> {
        let read = Self::from_json(value)?;
        match read.status {
            Status::Rejected => Err(Fault::new("status", "a document is not rejected")),
            _ => Ok(read),
        }
    }
}

impl File {
    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("path", self.path.clone()).set("role", self.role.name()).set("media_type", self.media_type.clone());
        out.set("bytes", self.bytes).set("sha256", self.sha256.hex());
        out.set_some("filter", self.filter.as_ref().map(Filtering::to_json));
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            path: members.form("path", "expected a path", text(filled))?,
            role: members.word("role")?,
            media_type: members.form("media_type", "expected a media type", text(filled))?,
            bytes: members.number("bytes", 0)?,
            sha256: members.digest("sha256")?,
            filter: if members.has("filter") {
                Some(below("filter", Filtering::of_document(members.value("filter")?))?)
            } else {
                None
            },
        };
        members.end()?;
        if read.role.is_filtered() && read.filter.is_none() {
            return Err(Fault::new("filter", "a file of this role says what filtering did"));
        }
        Ok(read)
    }
}

impl Record {
    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("kind", self.kind.name()).set("id", self.id.clone()).set("record_key", self.key.hex());
        out.set("created_at", self.created_at.as_str().to_owned()).set("filter", self.filter.to_json());
        out.set_some("updated_at", self.updated_at.as_ref().map(|at| at.as_str().to_owned()));
        if let Some((id, login)) = &self.author {
            out.set("author_id", id.clone()).set("author", login.clone());
        }
        out.set_some("content_path", self.content_path());
        if self.kind == RecordKind::Check && self.is_emitted() {
            let (metadata, log) = check_paths(&self.key);
            out.set("metadata_path", metadata).set_some("log_path", self.has_log.then_some(log));
        }
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let kind: RecordKind = members.word("kind")?;
        let author = match kind {
            RecordKind::Check => None,
            _ => Some((
                members.nullable("author_id", "expected an id or null", text(is_structural_id))?,
                members.nullable("author", "expected a login or null", text(filled))?,
            )),
        };
        let mut read = Self {
            kind,
            id: members.form("id", "expected an id", text(is_structural_id))?,
            key: members.digest("record_key")?,
            created_at: members.stamp("created_at")?,
            updated_at: members.optional_stamp("updated_at")?,
            author,
            filter: below("filter", Filtering::from_json(members.value("filter")?))?,
            has_log: false,
        };
        read.paths(&members)?;
        members.end()?;
        Ok(read)
    }

    /// The paths, which kind, time and key decide: another one names another record.
    fn paths(&mut self, members: &Members<'_>) -> Result<(), Fault> {
        let is = |expected: String| move |path: &str| (path == expected).then_some(());
        let other = "expected the path that kind, time and key make";
        if !self.is_emitted() {
            return Ok(());
        }
        match self.content_path() {
            Some(path) => members.form("content_path", other, is(path)),
            None => {
                let (metadata, log) = check_paths(&self.key);
                self.has_log = members.optional("log_path", other, is(log))?.is_some();
                members.form("metadata_path", other, is(metadata))
            }
        }
    }
}

impl Gap {
    fn to_json(self) -> Json<'static> {
        let mut out = Object::new();
        out.set("scope", self.scope.name()).set("code", self.code.name());
        out.set("usability", self.code.usability().name()).set("count", self.count);
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let code: GapCode = members.word("code")?;
        let read = Self { scope: members.word("scope")?, code, count: members.number("count", 1)? };
        let usability: Usability = members.word("usability")?;
        members.end()?;
        if usability != code.usability() {
            return Err(Fault::new("usability", "the code has another usability"));
        }
        Ok(read)
    }
}
