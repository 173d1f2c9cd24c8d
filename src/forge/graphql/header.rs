//! The header of an issue or pull request node.

use crate::format::entity::Kind;
use crate::format::json::Json;

use crate::forge::facets::{Actor, AutoMerge, Counts, Field, Header, InvalidMetadata, Label, Noted, Side, State};
use crate::forge::member::{number, text};

use super::connection::Connection;
use super::items::reaction_counts;
use super::read::{
    actor, actor_field, body, bool_field, database_id, field, node_id, number_field, owned, text_field, time_field,
    word,
};
use super::shape::{kind, page};

/// Reads an issue or pull request node. A list that is not all of it is unknown here.
///
/// # Errors
/// [`InvalidMetadata`] for a state that the mapping table does not list. Any other such word is unknown, and noted.
pub fn header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    let kind = kind(value);
    let id = |kinds: &[&str]| database_id(value, kinds).map_or(Field::Unknown, Field::Known);
    let mut out = Header {
        kind,
        node_id: node_id(value).map_or(Field::Unknown, Field::Known),
        repository: repository(value),
        repository_id: value.get("repository").map_or(Field::Unknown, |repository| {
            database_id(repository, &["R", "Repository"]).map_or(Field::Unknown, Field::Known)
        }),
        repository_node_id: value.get("repository").and_then(node_id).map_or(Field::Unknown, Field::Known),
        url: text_field(value, "url"),
        title: text_field(value, "title"),
        body: body(value),
        state: state(value)?,
        state_reason: word(value, "stateReason"),
        author: actor_field(value, "author"),
        association: text_field(value, "authorAssociation"),
        created_at: time_field(value, "createdAt"),
        updated_at: time_field(value, "updatedAt"),
        closed_at: time_field(value, "closedAt"),
        labels: every(value, "labels", label),
        assignees: every(value, "assignees", actor),
        milestone: milestone(value),
        locked: bool_field(value, "locked"),
        lock_reason: field(value, "activeLockReason", |word| word.as_str().and_then(lock_word).map(str::to_owned)),
        draft: bool_field(value, "isDraft"),
        closes: references(value, "closingIssuesReferences"),
        closers: references(value, "closedByPullRequestsReferences"),
        counts: counts(value),
        ..Header::default()
    };
    match kind {
        Some(Kind::Issue) => out.issue_id = id(&["I", "Issue"]),
        Some(Kind::Pull) => {
            out.pull_id = id(&["PR", "PullRequest"]);
            pull(value, &mut out);
        }
        None => {}
    }
    let is_odd =
        |name, unknown: bool| (unknown && text(value, name).is_some_and(|word| !word.is_empty())).then_some(name);
    let odd = [
        is_odd("activeLockReason", out.lock_reason == Field::Unknown),
        is_odd("mergeable", kind == Some(Kind::Pull) && out.mergeable == Field::Unknown),
    ];
    Ok(Noted { value: out, odd: odd.into_iter().flatten().collect() })
}

/// What only pull requests have.
fn pull(value: &Json<'_>, out: &mut Header) {
    out.merged_at = time_field(value, "mergedAt");
    out.merged = match (text(value, "state"), bool_field(value, "merged")) {
        (Some("MERGED"), _) => Field::Known(true),
        // Unlike REST, a node that is closed was not merged.
        (Some(_), _) => Field::Known(false),
        (None, merged) => merged,
    };
    out.merged_by = actor_field(value, "mergedBy");
    let commit = |name| value.get(name).and_then(|commit| owned(commit, "oid"));
    // REST shows the test merge of what is not merged in the same member.
    let shown = commit("mergeCommit").or_else(|| commit("potentialMergeCommit"));
    out.merge_commit = shown.map_or(Field::Unknown, Field::Known);
    out.head = side(value, "headRefName", "headRefOid", head_repository(value));
    let base = value.get("baseRepository").and_then(|repository| owned(repository, "nameWithOwner"));
    let base = base.map_or_else(|| out.repository.clone(), Field::Known);
    out.base = side(value, "baseRefName", "baseRefOid", base);
    out.mergeable = match text(value, "mergeable") {
        Some("MERGEABLE") => Field::Known(true),
        Some("CONFLICTING") => Field::Known(false),
        Some("UNKNOWN") => Field::Null,
        _ => Field::Unknown,
    };
    out.mergeable_state = word(value, "mergeStateStatus");
    if let Some((reviewers, teams)) = requests(value) {
        out.requested_reviewers = Field::Known(reviewers);
        out.requested_teams = Field::Known(teams);
    }
    out.auto_merge = field(value, "autoMergeRequest", |request| {
        request.as_object()?;
        let method = owned(request, "mergeMethod").map(|method| method.to_ascii_lowercase());
        Some(AutoMerge { enabled_by: actor_field(request, "enabledBy"), method })
    });
}

/// Whether a flat list in this node was made by `gh`, which reads connections to their end, or 100 items of them.
pub(super) fn is_of_gh(value: &Json<'_>) -> bool {
    const LISTS: [&str; 6] = [
        "closingIssuesReferences",
        "latestReviews",
        "projectCards",
        "projectItems",
        "reviewRequests",
        "statusCheckRollup",
    ];
    let flat = |name: &&str| value.get(name).is_some_and(|list| list.as_array().is_some());
    let author = value.get("author").is_some_and(|author| author.get("is_bot").is_some());
    let commented = |name| value.get(name).and_then(Json::as_array).unwrap_or_default().first();
    let marked = |item: &Json<'_>| item.get("includesCreatedEdit").is_some() || item.get("viewerDidAuthor").is_some();
    author || LISTS.iter().any(flat) || ["comments", "reviews"].into_iter().filter_map(commented).any(marked)
}

fn state(value: &Json<'_>) -> Result<Field<State>, InvalidMetadata> {
    Ok(match (text(value, "state"), value.get("closed").and_then(Json::as_bool)) {
        (Some("OPEN"), _) => Field::Known(State::Open),
        (Some("CLOSED" | "MERGED"), _) => Field::Known(State::Closed),
        (Some(_), _) => return Err(InvalidMetadata { member: "state" }),
        (None, Some(closed)) => Field::Known(if closed { State::Closed } else { State::Open }),
        (None, None) => Field::Unknown,
    })
}

/// A reason for locking in the words of REST.
pub(super) fn lock_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "OFF_TOPIC" => "off-topic",
        "RESOLVED" => "resolved",
        "SPAM" => "spam",
        "TOO_HEATED" => "too heated",
        _ => return None,
    })
}

fn milestone(value: &Json<'_>) -> Field<String> {
    field(value, "milestone", |milestone| {
        milestone.as_str().map(str::to_owned).or_else(|| owned(milestone, "title")).filter(|title| !title.is_empty())
    })
}

/// All nodes of a connection, where it is known that they are all and each of them can be read.
fn every<T>(value: &Json<'_>, name: &str, read: impl Fn(&Json<'_>) -> Option<T>) -> Field<Vec<T>> {
    match value.get(name) {
        None | Some(Json::Null) => Field::Unknown,
        Some(list) => {
            // A flat list of names is short in every dump; a connection says how much of it is there.
            let whole = Connection::read("", list, true).filter(Connection::is_whole);
            let all = whole.and_then(|list| list.items.into_iter().map(|(_, item)| read(item)).collect());
            all.map_or(Field::Unknown, Field::Known)
        }
    }
}

/// What a list links. It is linked for certain, also where the list is not all.
fn references(value: &Json<'_>, name: &str) -> Field<Vec<String>> {
    let list = value.get(name).and_then(|list| Connection::read("", list, true));
    list.map_or(Field::Unknown, |list| {
        Field::Known(list.items.iter().filter_map(|(_, node)| reference(node)).collect())
    })
}

/// The address of a node, else its number in its repository, which is that of what links it where the node does not tell.
fn reference(node: &Json<'_>) -> Option<String> {
    let of_page = owned(node, "url").filter(|url| !url.is_empty());
    let in_repository = || {
        let named = node.get("repository").map(|repository| {
            let owner = || repository.get("owner").and_then(|owner| owned(owner, "login"));
            let parts = || Some(format!("{}/{}", owner()?, owned(repository, "name")?));
            owned(repository, "nameWithOwner").or_else(parts)
        });
        Some(format!("{}#{}", named.unwrap_or_else(|| Some(String::new()))?, number(node, "number")?))
    };
    of_page.or_else(in_repository)
}

/// A label, or its name alone.
pub(super) fn label(value: &Json<'_>) -> Option<Label> {
    let name = value.as_str().map(str::to_owned).or_else(|| owned(value, "name"))?;
    Some(Label {
        id: database_id(value, &["LA", "Label"]),
        name,
        color: text_field(value, "color"),
        description: text_field(value, "description"),
    })
}

/// `owner/name`, as the page spells it.
fn repository(value: &Json<'_>) -> Field<String> {
    let named = value.get("repository").and_then(|repository| owned(repository, "nameWithOwner"));
    let of_page = || page(value).and_then(|page| page.repository).map(|repository| repository.path().to_owned());
    named.or_else(of_page).map_or(Field::Unknown, Field::Known)
}

/// The repository of the head; null when it was deleted, for which `gh` writes empty names.
fn head_repository(value: &Json<'_>) -> Field<String> {
    field(value, "headRepository", |repository| {
        let full = owned(repository, "nameWithOwner").filter(|name| !name.is_empty());
        let owner = value.get("headRepositoryOwner").and_then(|owner| text(owner, "login"));
        let parts = || Some(format!("{}/{}", owner?, text(repository, "name")?));
        repository
            .as_str()
            .map(str::to_owned)
            .or(full)
            .or_else(parts)
            .filter(|path| !path.starts_with('/') && !path.ends_with('/'))
    })
}

fn side(value: &Json<'_>, branch: &str, sha: &str, repository: Field<String>) -> Field<Side> {
    field(value, branch, |branch| {
        Some(Side {
            branch: branch.as_str()?.to_owned(),
            sha: owned(value, sha).filter(|sha| !sha.is_empty()),
            repository,
        })
    })
}

/// Whom a review is asked of: users, and teams by their slug. One that the asker may not see makes both unknown.
fn requests(value: &Json<'_>) -> Option<(Vec<Actor>, Vec<String>)> {
    let list = Connection::read("", value.get("reviewRequests")?, true).filter(Connection::is_whole)?;
    let (mut users, mut teams) = (Vec::new(), Vec::new());
    for (_, request) in list.items {
        let asked = request.get("requestedReviewer").unwrap_or(request);
        match text(asked, "slug").or_else(|| text(asked, "combinedSlug")) {
            Some(slug) => teams.push(slug.rsplit('/').next().unwrap_or(slug).to_owned()),
            None => users.push(actor(asked)?),
        }
    }
    Some((users, teams))
}

fn counts(value: &Json<'_>) -> Counts {
    let total = |name| value.get(name).map_or(Field::Unknown, |list| number_field(list, "totalCount"));
    // Of a pull request that is too big GitHub says that no file changed, and shows none.
    let no_files = number(value, "changedFiles") == Some(0) && value.get("files").is_some_and(Json::is_null);
    let all = reactions(value);
    Counts {
        comments: total("comments"),
        review_comments: Field::Unknown,
        notes: Field::Unknown,
        commits: total("commits"),
        files: if no_files { Field::Unknown } else { number_field(value, "changedFiles") },
        additions: if no_files { Field::Unknown } else { number_field(value, "additions") },
        deletions: if no_files { Field::Unknown } else { number_field(value, "deletions") },
        reactions: all.map_or_else(|| total("reactions"), Field::Known),
        reactions_by_content: reaction_counts(value).map_or(Field::Unknown, Field::Known),
    }
}

/// The sum over the groups of reactions, which name no reaction by itself.
fn reactions(value: &Json<'_>) -> Option<u64> {
    let groups = value.get("reactionGroups").and_then(Json::as_array)?;
    let count = |group: &Json<'_>| {
        let whom = ["users", "reactors"].iter().find_map(|name| group.get(name))?;
        number(whom, "totalCount")
    };
    groups.iter().map(count).sum()
}
