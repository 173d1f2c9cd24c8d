//! What a thread tells of its comments: that they are one, and where they stand.

use std::collections::HashMap;

use crate::forge::facets::{Id, Overlay, ReviewComment, Thread};

/// Gives comments the place of their thread and the comment that they answer, where they do not tell it themselves.
pub(super) fn take(comments: &mut [ReviewComment], threads: &mut [Thread]) {
    let number = |comment: &ReviewComment| Some((comment.comment.node_id.clone()?, comment.comment.id.clone()));
    let numbers: HashMap<String, Id> = comments.iter().filter_map(number).collect();
    let named = |id: &Id| if let Id::Text(text) = id { numbers.get(text).cloned() } else { None };
    for thread in threads.iter_mut() {
        thread.root = thread.root.take().map(|id| named(&id).unwrap_or(id));
        thread.comments = std::mem::take(&mut thread.comments).into_iter().map(|id| named(&id).unwrap_or(id)).collect();
    }
    let homes: HashMap<&Id, &Thread> =
        threads.iter().flat_map(|thread| thread.comments.iter().map(move |id| (id, thread))).collect();
    for comment in comments {
        comment.reply_to = comment.reply_to.take().map(|id| named(&id).unwrap_or(id));
        let Some(thread) = homes.get(&comment.comment.id) else { continue };
        comment.place.fill(&thread.place, true);
        if comment.reply_to.is_none() && thread.root.as_ref() != Some(&comment.comment.id) {
            comment.reply_to.clone_from(&thread.root);
        }
    }
}
