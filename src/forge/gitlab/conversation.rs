//! Notes: comments of the conversation, and those in threads.

use crate::forge::facets::{Comment, Field, InvalidMetadata, Minimized, Place, Resolution, ReviewComment};
use crate::forge::member::Reader;

use super::header::account;

pub(super) fn comment(part: Reader<'_>) -> Result<Comment, InvalidMetadata> {
    Ok(Comment {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        // REST has no page of a note, the delivery of one has.
        url: part.text("web_url"),
        author: part.field("author", account),
        association: None,
        body: part.text_field("body"),
        created_at: part.time("created_at"),
        updated_at: part.time("updated_at"),
        minimized: Minimized::default(),
        reactions: None,
        // The older name is kept beside the new one, and is null for a note that nobody made so.
        internal: part.bool_field("internal").into_known().or_else(|| part.bool_field("confidential").into_known()),
    })
}

/// A note in a thread, on the diff or not; `root` is the first note of its discussion, which a plain list of notes does not tell.
pub(super) fn review_comment(part: Reader<'_>, root: Option<u64>) -> Result<ReviewComment, InvalidMetadata> {
    let comment = comment(part)?;
    let resolved = part.bool_field("resolved").into_known().filter(|_| part.is("resolvable"));
    let is_resolved = resolved == Some(true);
    Ok(ReviewComment {
        reply_to: root.filter(|root| comment.id != *root).map(Into::into),
        review: None,
        thread: None,
        resolved,
        resolution: Resolution {
            by: if is_resolved { part.field("resolved_by", account) } else { Field::Unknown },
            at: part.time("resolved_at").filter(|_| is_resolved),
        },
        place: part.below("position").map(place).unwrap_or_default(),
        comment,
    })
}

/// The place of the version of the diff that was commented on; where it is now is not told, nor whether it is outdated. A line
/// with a new number is on the right, whether or not it has an old one too.
fn place(part: Reader<'_>) -> Place {
    let (new, old) = (part.number("new_line"), part.number("old_line"));
    let (side, path, original_line) = match (new, old) {
        (Some(_), _) => (Some("right"), "new_path", new),
        (None, Some(_)) => (Some("left"), "old_path", old),
        (None, None) => (None, "new_path", None),
    };
    let start = |name| part.below("line_range")?.below("start")?.number(name);
    let on_file = part.str("position_type") == Some("file");
    Place {
        path: part.text(path).or_else(|| part.text("new_path")).or_else(|| part.text("old_path")),
        side: side.map(str::to_owned),
        line: Field::Unknown,
        original_line,
        original_start_line: if side == Some("left") { start("old_line") } else { start("new_line") },
        original_commit: part.text("head_sha"),
        subject: if on_file { Some("file".to_owned()) } else { original_line.map(|_| "line".to_owned()) },
        ..Place::default()
    }
}
