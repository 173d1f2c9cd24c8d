//! What an index says of the tree itself: coverage, omissions, profile.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::Kind;
use super::header::changed;
use super::pair::{About, Pair, Unless, member, value};
use super::side::{Side, text};
use crate::format::index;
use crate::format::json::{Json, Object};

/// Members that have words of their own.
const OWN: [&str; 3] = ["coverage", "gaps", "tombstones"];

/// Compares the members of the two indexes.
pub(super) fn compare(pair: &mut Pair<'_>) {
    coverage(pair);
    gaps(pair);
    tombstones(pair);
    let (a, b) = (pair.a.members.clone(), pair.b.members.clone());
    let names: BTreeSet<&str> = a.iter().chain(b.iter()).map(|(name, _)| name).collect();
    for name in names.into_iter().filter(|name| !OWN.contains(name) && a.get(name) != b.get(name)) {
        let shown = |members: &Object<'_>| members.get(name).map_or(Value::Null, value);
        let about = about(pair, "", Some(name), shown(&a), shown(&b));
        match name {
            "asOf" => pair.say_unless(Unless::Anything, Kind::HeaderChanged, about),
            "profile" => pair.say(Kind::ProfileChanged, About { id: None, ..about }),
            _ => changed(pair, None, about),
        }
    }
}

fn about<'s>(pair: &Pair<'_>, facet: &'s str, id: Option<&str>, before: Value, after: Value) -> About<'s> {
    About { facet, id: id.map(str::to_owned), path: pair.b.path(index::NAME), before, after }
}

fn coverage(pair: &mut Pair<'_>) {
    let of = |side: &Side<'_>| side.members.get("coverage").and_then(Json::as_object).cloned().unwrap_or_default();
    let (a, b) = (of(&pair.a), of(&pair.b));
    let facets: BTreeSet<&str> = a.iter().chain(b.iter()).map(|(facet, _)| facet).collect();
    for facet in facets.into_iter().filter(|facet| a.get(facet) != b.get(facet)) {
        let null = Json::Null;
        let (was, is) = (a.get(facet).unwrap_or(&null), b.get(facet).unwrap_or(&null));
        let said = about(pair, facet, None, value(was), value(is));
        // Count and time of a facet that is as completely known as before follow its items.
        let same = ["state", "partialSince"].iter().all(|name| member(was, name) == member(is, name));
        if same {
            pair.say_unless(Unless::Anything, Kind::CoverageChanged, said);
        } else {
            pair.say(Kind::CoverageChanged, said);
        }
    }
}

fn gaps(pair: &mut Pair<'_>) {
    let of = |side: &Side<'_>| -> BTreeMap<(String, String), Json<'static>> {
        let name = |gap: &Json<'_>, name| text(gap, name).unwrap_or_default().to_owned();
        let gaps = side.members.get("gaps").and_then(Json::as_array).unwrap_or_default();
        gaps.iter().map(|gap| ((name(gap, "scope"), name(gap, "code")), gap.clone())).collect()
    };
    let (a, b) = (of(&pair.a), of(&pair.b));
    for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        let (was, is) = (a.get(key), b.get(key));
        let kind = match (was, is) {
            (None, _) => Kind::GapAdded,
            (_, None) => Kind::GapRemoved,
            (Some(was), Some(is)) if was != is => Kind::GapChanged,
            _ => continue,
        };
        let shown = |gap: Option<&Json<'_>>| gap.map_or(Value::Null, value);
        let about = about(pair, &key.0, Some(&key.1), shown(was), shown(is));
        pair.say(kind, about);
    }
}

/// Items that came and went between the two trees: neither shows them, and the second says that they are gone.
fn tombstones(pair: &mut Pair<'_>) {
    let said = pair.items_said();
    let new: Vec<_> = pair.b.tombstones.difference(&pair.a.tombstones).cloned().collect();
    for (facet, id) in new.into_iter().filter(|stone| !said.contains(stone)) {
        let kind = match facet.as_str() {
            "comments" => Kind::CommentDeleted,
            "reviews" => Kind::ReviewDeleted,
            "review-comments" => Kind::ReviewCommentDeleted,
            "checks" | "statuses" => Kind::CheckRemoved,
            "files" => Kind::FileRemoved,
            "commits" => Kind::CommitRemoved,
            "timeline" | "events" => Kind::EventRemoved,
            "labels" => Kind::LabelRemoved,
            "reactions" => Kind::ReactionRemoved,
            _ => Kind::ItemAbsent,
        };
        let said = about(pair, &facet, Some(&id), Value::Null, Value::Null);
        pair.say(kind, said);
    }
}
