//! Taking the texts out of an item: what stays is who, when and where.

use crate::forge::facets::{Check, Commit, Field, Item, Minimized, Place, Resolution, ReviewComment};

/// Takes the texts out of an item, and returns their size in bytes.
pub(super) fn strip(item: &mut Item) -> usize {
    match item {
        Item::Comment(c) => {
            (c.reactions, c.minimized) = (None, Minimized::default());
            body(&mut c.body)
        }
        Item::Review(r) => {
            (r.state, r.minimized) = (None, Minimized::default());
            body(&mut r.body)
        }
        Item::ReviewComment(c) => {
            (c.resolved, c.comment.reactions, c.comment.minimized) = (None, None, Minimized::default());
            c.resolution = Resolution::default();
            forget_lines(&mut c.place);
            body(&mut c.comment.body)
        }
        Item::Check(c) => outcome(c),
        Item::Commit(c) => commit(c),
        Item::Event(e) => std::mem::take(&mut e.details).iter().map(|(_, value)| value.len()).sum(),
        Item::Reaction(_) | Item::Thread(_) | Item::File(_) | Item::Label(_) | Item::Member(_) => 0,
    }
}

/// Takes out where a comment was made and the code there, which are of its time; returns the size of the code.
pub(super) fn place(item: &mut Item) -> usize {
    let Item::ReviewComment(comment) = item else { return 0 };
    std::mem::take(&mut comment.place).diff_hunk.map_or(0, |hunk| hunk.len())
}

/// Takes a body out.
pub(super) fn body(body: &mut Field<String>) -> usize {
    std::mem::take(body).into_known().map_or(0, |text| text.len())
}

/// Takes out what a commit says, and who made it.
pub(super) fn commit(commit: &mut Commit) -> usize {
    let texts = [commit.message.take(), commit.author_name.take()];
    texts.iter().flatten().map(String::len).sum()
}

/// Takes out how a check went.
fn outcome(check: &mut Check) -> usize {
    (check.status, check.conclusion, check.completed_at) = (None, None, None);
    texts_of(check)
}

/// Takes out what a check says, and leaves how it went.
pub(super) fn texts_of(check: &mut Check) -> usize {
    let texts = [check.title.take(), check.summary.take()];
    texts.iter().flatten().map(String::len).sum()
}

/// Takes out where a comment stands now; where it was made stays.
pub(super) fn forget_lines(place: &mut Place) {
    (place.line, place.start_line, place.position) = (Field::Unknown, Field::Unknown, Field::Unknown);
    place.commit = None;
}

/// The same where the comment stands on another commit than this.
pub(super) fn forget_lines_off(comment: &mut ReviewComment, head: Option<&str>) {
    if head.is_none() || comment.place.commit.as_deref() != head {
        forget_lines(&mut comment.place);
    }
}
