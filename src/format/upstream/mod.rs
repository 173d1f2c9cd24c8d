//! The documents of `entity-context-snapshot/v1`, the layout that a runner of another project defines: types that the
//! writer and the verifier share.
//!
//! Each document is closed: what has another member, or lacks one, is none. `docs/format.md`, "The upstream layout", names the
//! rules, `docs/decisions/0010-upstream-layout.md` what was decided where they are silent.

mod actors;
mod check;
mod collection;
mod entity;
mod files;
mod index;
mod key;
mod members;
mod record;
mod reviews;
mod runs;
mod stamp;
mod text;
mod threads;
mod views;
mod words;

pub use actors::{Actor, Actors};
pub use check::{Check, Progress};
pub use collection::{Bounds, Collection};
pub use entity::Entity;
pub use files::files;
pub use index::{File, Filtering, Gap, Index, Record, Source, Subject, is_index};
pub use key::{check_paths, record_path, review_view_path, thread_path};
pub use members::Fault;
pub use record::{RecordFile, record_file};
pub use reviews::{Reply, Review, Reviews, Thread};
pub use runs::{Run, Runs};
pub use stamp::{ENTITY_ORDER_KEY, Stamp};
pub use text::{
    has_floor_char, is_finding_code, is_forge_id, is_git_oid, is_host, is_repository, is_repository_path, is_seen,
    is_structural_id,
};
pub use threads::{ThreadState, ThreadStates};
pub use views::views;
pub use words::{
    AccountKind, CheckStatus, Conclusion, Disposition, FileRole, Forge, GapCode, Kind, LogSelection, Permission,
    RecordKind, RunStatus, Scope, Selection, Side, SourceKind, State, Status, Usability,
};

use super::json::{self, Json};

/// The name of the layout, as an option spells it.
pub const LAYOUT: &str = "entity-context-snapshot/v1";

/// The only version of the schemas.
pub const SCHEMA_VERSION: u64 = 1;

/// The version of the filter that this program ships.
pub const FILTER_VERSION: &str = "git-docket/2";

/// The paths that every tree has besides `index.json` and the record of the entity.
pub const COLLECTION: &str = "collection.json";
/// The metadata of the entity.
pub const ENTITY: &str = "entity/metadata.json";
/// The order of the conversation.
pub const TIMELINE: &str = "views/timeline.order";
/// The order of what is unresolved.
pub const UNRESOLVED: &str = "views/unresolved-review.order";
/// Reviews and threads.
pub const REVIEWS: &str = "relations/reviews.json";
/// Receipts of runs.
pub const RUNS: &str = "history/agent-runs.json";
/// Accounts.
pub const ACTORS: &str = "state/actors.json";
/// The state of threads.
pub const THREADS: &str = "state/threads.json";

/// A document of the layout.
pub trait Document: Sized {
    /// The members as they are written.
    fn to_json(&self) -> Json<'static>;

    /// Reads a value, accepting exactly what the closed schema allows. Orders are not judged here.
    ///
    /// # Errors
    /// [`Fault`] names the member and what was expected.
    fn from_json(value: &Json<'_>) -> Result<Self, Fault>;

    /// The canonical bytes.
    fn to_bytes(&self) -> Vec<u8> {
        json::to_vec(&self.to_json())
    }
}
