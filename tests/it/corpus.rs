//! Folding looks into a state: the laws, and the cases that forges are known for.

mod deleted;
mod facets;
mod gaps;
mod laws;
mod nameless;
mod records;
mod sets;

use std::collections::BTreeSet;

use git_docket::corpus::{Availability, GapCode, LoadedLook, LookData, State, fold};
use git_docket::forge::facets::{
    Actor, Check, CheckOrigin, CheckStatus, Comment, Commit, Event, Field, FileChange, Header, InvalidMetadata, Item,
    Label, Minimized, Noted, Reaction, Side,
};
use git_docket::format::digest::Digest;
use git_docket::format::entity::{Forge, Kind, Repository, Subject};
use git_docket::format::facet::Facet;
use git_docket::format::observation::Completeness;
use git_docket::format::time::Time;

pub fn time(seconds: i64) -> Time {
    Time::from_unix(1_700_000_000 + seconds).expect("a time in range")
}

/// A look made so many seconds after the start of the test's world.
pub fn look(at: i64, facet: Facet, data: LookData) -> LoadedLook {
    let repository = Repository::new(Forge::GitHub, "github.com", "acme/web").expect("a repository");
    let digest = Digest::of(format!("{at} {facet:?} {data:?}").as_bytes());
    LoadedLook {
        observed_at: time(at),
        position: None,
        digest,
        subject: Subject::Thread { repository, number: 42 },
        kind: None,
        facet,
        item: None,
        data,
        sparse: false,
        outside_profile: 0,
        missing: false,
        document: None,
        head: None,
        delivered: false,
    }
}

pub fn items(items: Vec<Item>, completeness: Completeness) -> LookData {
    LookData::Items { items: items.into_iter().map(|item| Ok(item.into())).collect(), completeness }
}

pub fn header(header: Header) -> LookData {
    LookData::Header(Box::new(header.into()))
}

pub fn actor(id: u64, login: &str) -> Actor {
    Actor { id: Some(id), node_id: None, login: login.to_owned(), account: Some("User".to_owned()) }
}

pub fn comment(id: u64, updated_at: i64, body: &str) -> Comment {
    Comment {
        id: id.into(),
        node_id: None,
        url: None,
        author: Field::Known(actor(7, "octocat")),
        association: Some("MEMBER".to_owned()),
        body: Field::Known(body.to_owned()),
        created_at: Some(time(id as i64)),
        updated_at: Some(time(updated_at)),
        minimized: Minimized::default(),
        reactions: None,
        internal: None,
    }
}

fn comments_look(at: i64, completeness: Completeness, list: &[(u64, i64, &str)]) -> LoadedLook {
    let list = list.iter().map(|(id, updated, body)| Item::Comment(Box::new(comment(*id, *updated, body)))).collect();
    look(at, Facet::Comments, items(list, completeness))
}

fn label(name: &str) -> Label {
    Label { id: None, name: name.to_owned(), color: Field::Unknown, description: Field::Unknown }
}

fn reaction(id: u64) -> Item {
    Item::Reaction(Box::new(Reaction {
        id: Some(id),
        node_id: None,
        content: "+1".to_owned(),
        actor: Field::Null,
        created_at: Some(time(1)),
    }))
}

fn folded(looks: Vec<LoadedLook>) -> State {
    fold(looks).expect("looks at a thread")
}

fn ids(state: &State) -> Vec<u64> {
    state.comments.iter().filter_map(|comment| comment.id.number()).collect()
}

fn bodies(state: &State) -> Vec<&str> {
    state.comments.iter().filter_map(|comment| comment.body.known()).map(String::as_str).collect()
}

fn gone(state: &State) -> Vec<(Facet, String)> {
    state.tombstones.iter().map(|gone| (gone.facet, gone.item.key())).collect()
}

fn ambiguous(state: &State) -> u64 {
    Facet::ALL.iter().map(|facet| state.gaps.count(*facet, GapCode::OrderAmbiguous)).sum()
}

const ALL: Completeness = Completeness::AllPages;
const PART: Completeness = Completeness::Partial;
const UNPROVEN: Completeness = Completeness::Unproven;
