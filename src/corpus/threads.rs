//! What a thread tells of its comments: that they are one, and where they stand.

use std::collections::HashMap;

use crate::forge::facets::{Id, Overlay, ReviewComment, Thread};

/// Gives comments the place of their thread and the comment that they answer, where they do not tell it themselves.
pub(super) fn take(comments: &mut [ReviewComment], threads: &[Thread]) {
    let homes: HashMap<&Id, &Thread> =
        threads.iter().flat_map(|thread| thread.comments.iter().map(move |id| (id, thread))).collect();
    for comment in comments {
        let Some(thread) = homes.get(&comment.comment.id) else { continue };
        comment.place.fill(&thread.place, true);
        if comment.reply_to.is_none() && thread.root.as_ref() != Some(&comment.comment.id) {
            comment.reply_to.clone_from(&thread.root);
        }
    }
}
