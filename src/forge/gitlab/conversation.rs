//! Notes: comments of the conversation and on the diff.

use crate::format::json::Json;

use crate::forge::facets::{Comment, Field, InvalidMetadata, Minimized, Place, ReviewComment};
use crate::forge::member::{number, owned, text, text_field, time};

use super::header::account_field;

pub(super) fn comment(note: &Json<'_>) -> Result<Comment, InvalidMetadata> {
    Ok(Comment {
        id: number(note, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        url: None,
        author: account_field(note, "author"),
        association: None,
        body: text_field(note, "body"),
        created_at: time(note, "created_at"),
        updated_at: time(note, "updated_at"),
        minimized: Minimized::default(),
        reactions: None,
    })
}

/// A note on the diff; `root` is the first note of its discussion, which a plain list of notes does not tell.
pub(super) fn review_comment(note: &Json<'_>, root: Option<u64>) -> Result<ReviewComment, InvalidMetadata> {
    let comment = comment(note)?;
    let resolved = note.get("resolved").and_then(Json::as_bool);
    Ok(ReviewComment {
        reply_to: root.filter(|root| comment.id != *root).map(Into::into),
        review: None,
        thread: None,
        resolved: resolved.filter(|_| note.get("resolvable").and_then(Json::as_bool) == Some(true)),
        place: note.get("position").map(place).unwrap_or_default(),
        comment,
    })
}

/// The place of the version of the diff that was commented on; where it is now is not told, nor whether it is outdated. A line
/// with a new number is on the right, whether or not it has an old one too.
fn place(position: &Json<'_>) -> Place {
    let (new, old) = (number(position, "new_line"), number(position, "old_line"));
    let (side, path, original_line) = match (new, old) {
        (Some(_), _) => (Some("right"), "new_path", new),
        (None, Some(_)) => (Some("left"), "old_path", old),
        (None, None) => (None, "new_path", None),
    };
    let start = |name: &str| position.pointer(&format!("/line_range/start/{name}")).and_then(Json::as_u64);
    let on_file = text(position, "position_type") == Some("file");
    Place {
        path: owned(position, path).or_else(|| owned(position, "new_path")).or_else(|| owned(position, "old_path")),
        side: side.map(str::to_owned),
        line: Field::Unknown,
        original_line,
        original_start_line: if side == Some("left") { start("old_line") } else { start("new_line") },
        original_commit: owned(position, "head_sha"),
        subject: if on_file { Some("file".to_owned()) } else { original_line.map(|_| "line".to_owned()) },
        ..Place::default()
    }
}
