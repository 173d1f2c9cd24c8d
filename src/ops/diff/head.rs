//! The head of a pull request: pushed, or rewritten?

use std::collections::BTreeSet;

use super::change::Kind;
use super::header::{Field, changed};
use super::pair::{Pair, member};
use super::side::{Side, text};
use crate::format::index::Role;
use crate::format::json::Json;
use crate::ops::Error;

/// Says how the head moved.
pub(super) fn compare(pair: &mut Pair<'_>, field: &Field<'_>) -> Result<(), Error> {
    let sha = |side: Option<&Json<'static>>| side.and_then(|side| text(side, "sha")).map(str::to_owned);
    let (Some(before), Some(after)) = (sha(field.before), sha(field.after)) else {
        changed(pair, None, field.whole(Some("head")));
        return Ok(());
    };
    if before == after {
        changed(pair, None, field.whole(Some("head")));
        return Ok(());
    }
    let kind = if is_rewritten(pair, &before, &after)? { Kind::HeadForcePushed } else { Kind::HeadPushed };
    let shown = |side: Option<&Json<'_>>| side.map_or(serde_json::Value::Null, |side| member(side, "sha"));
    pair.say(kind, field.about(None, shown(field.before), shown(field.after)));
    Ok(())
}

/// Whether something shows that the new head does not contain the old one. The commits of the pull request decide
/// where they are known: an old head among them, or a parent of one, is contained. Else a force-push of the timeline that
/// the first tree does not have, or whose commit is the new head. Without either nothing is claimed.
fn is_rewritten(pair: &Pair<'_>, before: &str, after: &str) -> Result<bool, Error> {
    let commits = pair.b.rows(Role::Commits, "commits", "sha")?;
    if commits.contains_key(before) {
        return Ok(false);
    }
    let is_parent = |commit: &Json<'_>| {
        let parents = commit.get("parents").and_then(Json::as_array).unwrap_or_default();
        parents.iter().any(|parent| parent.as_str() == Some(before))
    };
    if commits.values().any(is_parent) {
        return Ok(false);
    }
    let parents_known = commits.values().all(|commit| commit.get("parents").is_some());
    // The list must be that of the new head: another look may have brought the header alone.
    if parents_known && commits.contains_key(after) && pair.b.proves_absence("commits", before) {
        return Ok(true);
    }
    let old = force_pushes(&pair.a)?.into_iter().map(|(id, _)| id).collect::<BTreeSet<_>>();
    let knows_timeline = pair.a.one(Role::Timeline).is_some();
    let shows = |(id, commit): (String, Option<String>)| {
        !old.contains(&id) && (knows_timeline || commit.as_deref() == Some(after))
    };
    Ok(force_pushes(&pair.b)?.into_iter().any(shows))
}

/// Id and commit of each force-push in the timeline.
fn force_pushes(side: &Side<'_>) -> Result<Vec<(String, Option<String>)>, Error> {
    let events = side.rows(Role::Timeline, "events", "id")?;
    let pushes = events.into_iter().filter(|(_, event)| text(event, "event") == Some("head_ref_force_pushed"));
    Ok(pushes.map(|(id, event)| (id, text(&event, "commit").map(str::to_owned))).collect())
}
