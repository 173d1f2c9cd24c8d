//! `relations/reviews.json`: what reviews say and which records belong to which thread.

use crate::format::digest::Digest;
use crate::format::json::{Json, Object};

use super::Document;
use super::key::thread_path;
use super::members::{Fault, HEX, Members, hex, text};
use super::stamp::Stamp;
use super::text::{is_git_oid, is_repository_path, is_structural_id};
use super::words::{Disposition, Side};

/// Reviews and threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reviews {
    /// Formal reviews.
    pub reviews: Vec<Review>,
    /// Threads with at least one record that is shown.
    pub threads: Vec<Thread>,
}

/// A formal review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The forge's id.
    pub id: String,
    /// Its record.
    pub key: Digest,
    /// What it says.
    pub state: Disposition,
    /// When it was submitted.
    pub submitted_at: Stamp,
    /// The commit that was reviewed.
    pub reviewed_sha: Option<String>,
    /// Of a dismissed one: when and by whom, where the forge tells.
    pub dismissed: Option<(Option<Stamp>, Option<String>)>,
}

/// A thread on the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The forge's id.
    pub id: String,
    /// What its order is named by.
    pub key: Digest,
    /// When it began.
    pub created_at: Stamp,
    /// Its records in the order of the forge.
    pub records: Vec<Digest>,
    /// Which record answers which.
    pub replies: Vec<Reply>,
    /// The review that it began with.
    pub review_id: Option<String>,
    /// The record of that review.
    pub review_key: Option<Digest>,
    /// The commit that was reviewed.
    pub reviewed_sha: Option<String>,
    /// The file.
    pub path: Option<String>,
    /// The line now.
    pub line: Option<u64>,
    /// The side of the diff.
    pub side: Option<Side>,
    /// The first line of a range now.
    pub start_line: Option<u64>,
    /// The line when it was made.
    pub original_line: Option<u64>,
    /// The first line of a range when it was made.
    pub original_start_line: Option<u64>,
    /// The side of the diff when it was made.
    pub original_side: Option<Side>,
}

/// One record answers another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub key: Digest,
    /// What it answers.
    pub parent: Digest,
}

impl Document for Reviews {
    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("reviews", self.reviews.iter().map(Review::to_json).collect::<Vec<_>>());
        out.set("threads", self.threads.iter().map(Thread::to_json).collect::<Vec<_>>());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            reviews: members.list("reviews", Review::from_json)?,
            threads: members.list("threads", Thread::from_json)?,
        };
        members.end()?;
        Ok(read)
    }
}

impl Review {
    fn to_json(&self) -> Json<'static> {
        let mut row = Object::new();
        row.set("id", self.id.clone()).set("record_key", self.key.hex()).set("state", self.state.name());
        row.set("submitted_at", self.submitted_at.as_str().to_owned());
        row.set_some("reviewed_sha", self.reviewed_sha.clone());
        if let Some((at, by)) = &self.dismissed {
            row.set("dismissed_at", at.as_ref().map(|at| at.as_str().to_owned()));
            row.set("dismissed_by_actor_id", by.clone());
        }
        Json::Object(row)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let state = members.word("state")?;
        let dismissed = || -> Result<_, Fault> {
            Ok((
                members.nullable("dismissed_at", "expected a time or null", Stamp::read)?,
                members.nullable("dismissed_by_actor_id", "expected an id or null", text(is_structural_id))?,
            ))
        };
        let read = Self {
            id: members.form("id", "expected an id", text(is_structural_id))?,
            key: members.digest("record_key")?,
            state,
            submitted_at: members.stamp("submitted_at")?,
            reviewed_sha: members.optional("reviewed_sha", "expected an object id", text(is_git_oid))?,
            dismissed: if state == Disposition::Dismissed { Some(dismissed()?) } else { None },
        };
        members.end()?;
        Ok(read)
    }
}

impl Thread {
    fn to_json(&self) -> Json<'static> {
        let hex = |keys: &[Digest]| keys.iter().map(Digest::hex).collect::<Vec<_>>();
        let reply = |reply: &Reply| {
            let mut row = Object::new();
            row.set("record_key", reply.key.hex()).set("parent_record_key", reply.parent.hex());
            Json::Object(row)
        };
        let mut row = Object::new();
        row.set("id", self.id.clone()).set("thread_key", self.key.hex());
        row.set("created_at", self.created_at.as_str().to_owned()).set("order_path", thread_path(&self.key));
        row.set("record_keys", hex(&self.records));
        row.set("replies", self.replies.iter().map(reply).collect::<Vec<_>>());
        row.set_some("review_id", self.review_id.clone());
        row.set_some("review_record_key", self.review_key.map(|key| key.hex()));
        row.set_some("reviewed_sha", self.reviewed_sha.clone()).set_some("path", self.path.clone());
        row.set_some("line", self.line).set_some("side", self.side.map(|side| side.name()));
        row.set_some("start_line", self.start_line).set_some("original_line", self.original_line);
        row.set_some("original_start_line", self.original_start_line);
        row.set_some("original_side", self.original_side.map(|side| side.name()));
        Json::Object(row)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let key = members.digest("thread_key")?;
        let side = |word: &str| word.parse().ok();
        let read = Self {
            id: members.form("id", "expected an id", text(is_structural_id))?,
            key,
            created_at: members.stamp("created_at")?,
            records: members.texts("record_keys", HEX, hex)?,
            replies: members.list("replies", Reply::from_json)?,
            review_id: members.optional("review_id", "expected an id", text(is_structural_id))?,
            review_key: members.optional("review_record_key", HEX, hex)?,
            reviewed_sha: members.optional("reviewed_sha", "expected an object id", text(is_git_oid))?,
            path: members.optional("path", "expected a path in a repository", text(is_repository_path))?,
            line: members.optional_number("line")?,
            side: members.optional("side", "expected left or right", side)?,
            start_line: members.optional_number("start_line")?,
            original_line: members.optional_number("original_line")?,
            original_start_line: members.optional_number("original_start_line")?,
            original_side: members.optional("original_side", "expected left or right", side)?,
        };
        let own = thread_path(&key);
        members.form("order_path", "expected the path that the key makes", |path| (path == own).then_some(()))?;
        members.end()?;
        Ok(read)
    }
}

impl Reply {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self { key: members.digest("record_key")?, parent: members.digest("parent_record_key")? };
        members.end()?;
        Ok(read)
    }
}
