//! The record of one look: which elements, for which subject and facet, from which source, when, how complete.

mod read;
mod strict;
mod write;

use std::str::FromStr;

use super::digest::Digest;
use super::entity::{Kind, Subject};
use super::facet::{Facet, Shape};
use super::json;
use super::path::MAX_PATH;
use super::time::Time;

pub use read::{digests_from_json, parts_from_json};
pub use write::parts_to_bytes;

/// The schema name that every observation carries.
pub const SCHEMA: &str = "git-docket.observation";

/// The most parts that stand in the record itself; longer lists lie in elements of at most this many parts.
pub const CHUNK: usize = 256;

/// One look at one facet of one subject. Its texts are its own, or `&str` of the bytes that it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation<S = String> {
    /// What was looked at.
    pub subject: Subject,
    /// The kind of the thread, when this look shows it.
    pub kind: Option<Kind>,
    /// Which kind of data.
    pub facet: Facet,
    /// The item that the set belongs to, for a set below the entity (the reactions of one comment): `review-comments/123`.
    pub item: Option<S>,
    /// When the look was made: the recording's own Date, the time given by the caller, or the door's clock.
    pub observed_at: Time,
    /// The place in the recording, which orders looks of one second.
    pub position: Option<u64>,
    /// The dialect that the payload was recognised as: `github-rest`.
    pub dialect: S,
    /// Pointers below the content (of a set: with the number of the item first) to members that an error made null: what they
    /// say is not known.
    pub failed: Vec<S>,
    /// What was seen.
    pub seen: Seen<S>,
}

/// What a look saw.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen<S = String> {
    /// Data.
    Data {
        /// How much of the facet it is.
        completeness: Completeness,
        /// Digest of the canonical content without volatile members: equal looks have equal digests.
        content: Digest,
        /// Where the content lies, page by page.
        inputs: Vec<Input<S>>,
    },
    /// The forge did not give the data.
    Unavailable {
        /// The HTTP status of the answer.
        status: u16,
        /// The URL that was asked.
        url: Option<S>,
    },
}

/// How much of a set a look shows, and by which proof. A record is [`Completeness::Whole`], or the last of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// A record, which has no pages.
    Whole,
    /// The caller says so (`--complete`).
    Asserted,
    /// A GET of the first page without a filter, with fewer items than a page holds and no link to another.
    OnePage,
    /// All pages from the first to the last are here.
    AllPages,
    /// Nothing proves that it is all; a header that counts as many items may do so later.
    Unproven,
    /// A part for certain: a filter, a missing page, a single item, or the caller says so (`--partial`).
    Partial,
    /// The last version of what the forge says it deleted: a record, or each item shown. Ids are not given twice, so that no
    /// other look, whenever it was made, brings it back.
    Deleted,
}

impl Completeness {
    const NAMES: [(Self, &'static str); 7] = [
        (Self::Whole, "whole"),
        (Self::Asserted, "asserted"),
        (Self::OnePage, "one-page"),
        (Self::AllPages, "all-pages"),
        (Self::Unproven, "unproven"),
        (Self::Partial, "partial"),
        (Self::Deleted, "deleted"),
    ];

    /// The name in records and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(value, _)| *value == self).map_or("partial", |(_, name)| name)
    }

    /// True when this look by itself proves that nothing is missing.
    pub fn is_proof(self) -> bool {
        !matches!(self, Self::Unproven | Self::Partial | Self::Deleted)
    }
}

impl FromStr for Completeness {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(value, _)| *value).ok_or(())
    }
}

/// One input document and the part of it that a look concerns.
///
/// The document is rebuilt from `container` by putting each part's element in the place that its pointer names, parents
/// before children. `parts` are those at, above or below `pointer`; when the document has others too, `whole` lists all.
#[derive(Debug, Clone, PartialEq)]
pub struct Input<S = String> {
    /// The digest of the whole canonical document (of its bytes as given when it has no canonical form).
    pub digest: Digest,
    /// The element with the document less its parts, each `null` there; `None` when one part is the whole document.
    pub container: Option<Digest>,
    /// RFC 6901 pointer to what this look concerns: the record, or for a set the document that holds the items.
    pub pointer: S,
    /// The split-out parts of this look, for a set exactly its items in order.
    pub parts: Parts<S>,
    /// Elements that list every part of the document, when looks at others share it.
    pub whole: Vec<Digest>,
    /// The URL that the document answered, when it is known.
    pub url: Option<S>,
}

/// A list of parts: in the record, or in elements of [`CHUNK`] parts each.
#[derive(Debug, Clone, PartialEq)]
pub enum Parts<S = String> {
    /// The parts themselves.
    Inline(Vec<Part<S>>),
    /// Elements that hold the parts, in order.
    Chunked(Vec<Digest>),
}

/// A part of a document that is filed as an element of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<S = String> {
    /// Where it belongs: RFC 6901 pointer into the document.
    pub at: S,
    /// The element.
    pub element: Digest,
    /// The code of the breach of profile, when the element is opaque: kept verbatim, not canonical.
    pub opaque: Option<S>,
}

/// A record that is not an observation of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnObservation {
    /// Not JSON of our profile.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A newer or unknown format.
    #[error(
        "the observation has schema {schema:?} and format {format:?}; this program reads git-docket.observation format 1"
    )]
    Format {
        /// The schema that was found.
        schema: Option<String>,
        /// The format number that was found.
        format: Option<u64>,
    },
    /// A member that is missing, unknown or of another type.
    #[error("the member {0:?} is missing, unknown or not what it must be")]
    Member(&'static str),
    /// Readable, but not the canonical bytes of what it says.
    #[error("the record is not in canonical form")]
    NotCanonical,
}

impl<S> Observation<S> {
    /// The path of the record below `observations/`, given the digest of its bytes.
    pub fn path(&self, digest: &Digest) -> String {
        let mut path = String::with_capacity(MAX_PATH);
        self.subject.append_dir(&mut path);
        path.push('/');
        path.push_str(self.facet.name());
        path.push('/');
        self.observed_at.append_stamp(&mut path);
        path.push('-');
        path.extend(digest.hex_digits()[..32].iter().copied().map(char::from));
        path.push_str(".json");
        path
    }

    /// The inputs of a look that saw data; none for one that did not.
    pub fn inputs(&self) -> &[Input<S>] {
        if let Seen::Data { inputs, .. } = &self.seen { inputs } else { &[] }
    }

    /// True for a set.
    pub fn is_set(&self) -> bool {
        self.facet.shape() == Shape::Set
    }
}
