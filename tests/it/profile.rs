//! Profiles: strict in, canonical out, and the three that are built in.

use git_docket::format::entity::Kind;
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json};
use git_docket::format::profile::{Keep, NotAProfile, Profile, facets_of};

fn built_in(name: &str) -> Profile {
    Profile::built_in(name).expect("a built-in profile")
}

#[test]
fn what_is_written_is_read_back_the_same() {
    for name in ["minimal", "default", "full"] {
        let profile = built_in(name);
        assert_eq!(profile.name, name);
        let bytes = profile.to_bytes();
        let read = Profile::from_bytes(&bytes).expect("our own bytes");
        assert_eq!(read, profile);
        assert_eq!(read.to_bytes(), bytes);
    }
    assert!(Profile::built_in("Default").is_none());
}

#[test]
fn a_person_may_write_white_space() {
    let text = String::from_utf8(built_in("minimal").to_bytes()).expect("UTF-8").replace(',', ",\n  ") + "\n";
    assert_eq!(Profile::from_bytes(text.as_bytes()), Ok(built_in("minimal")));
}

#[test]
fn default_and_full_ask_for_every_facet_that_a_kind_has() {
    for name in ["default", "full"] {
        for kind in [Kind::Issue, Kind::Pull] {
            assert!(facets_of(kind).all(|facet| built_in(name).asks_for(kind, facet)), "{name} {kind:?}");
        }
        assert!(built_in(name).asks_for(Kind::Pull, Facet::Statuses));
        assert!(!built_in(name).asks_for(Kind::Issue, Facet::Files));
    }
    let minimal = built_in("minimal");
    assert!(minimal.asks_for(Kind::Pull, Facet::Comments) && !minimal.asks_for(Kind::Pull, Facet::Events));
    assert_eq!(minimal.keep, Keep::Newest);
}

/// The profile with one member set to something else, or taken out.
fn with(pointer: &str, value: Option<Json<'static>>) -> Result<Profile, NotAProfile> {
    let bytes = built_in("default").to_bytes();
    let mut json = json::parse(&bytes).expect("our own bytes").into_owned();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let Some(Json::Object(object)) = json.pointer_mut(parent) else { panic!("no object at {parent}") };
    match value {
        Some(value) => object.set(name.to_owned(), value),
        None => {
            object.remove(name);
            object
        }
    };
    Profile::from_bytes(&json::to_vec(&json))
}

#[test]
fn one_fault_is_refused_by_name() {
    let names = |names: &[&'static str]| Some(Json::from(names.to_vec()));
    for (pointer, value, member) in [
        ("/maxByte", Some(Json::from(1u32)), "maxByte"),
        ("/maxBytes", Some(Json::from("1024")), "maxBytes"),
        ("/maxTokens", Some(Json::from(true)), "maxTokens"),
        ("/checkLogs", Some(Json::from("some")), "checkLogs"),
        ("/facets/merge", names(&["header"]), "merge"),
        ("/facets/issue", names(&["comments"]), "issue"),
        ("/facets/issue", names(&["header", "files"]), "issue"),
        ("/facets/issue", names(&["header", "header"]), "issue"),
        ("/facets/pull", names(&["header", "statues"]), "pull"),
        ("/keep", Some(Json::from("latest")), "keep"),
        ("/keep", None, "keep"),
        ("/name", Some(Json::from("My Profile")), "name"),
        ("/maxBodyBytes", Some(Json::from("1024")), "maxBodyBytes"),
        ("/maxBodyBytes", None, "maxBodyBytes"),
        ("/maxItemsPerFacet/header", Some(Json::from(1u32)), "header"),
        ("/maxItemsPerFacet/comments", Some(Json::Null), "comments"),
    ] {
        assert_eq!(with(pointer, value), Err(NotAProfile::Member(member.to_owned())), "{pointer}");
    }
    assert!(matches!(with("/format", Some(Json::from(2u32))), Err(NotAProfile::Format { format: Some(2), .. })));
    assert!(matches!(Profile::from_bytes(b"[]"), Err(NotAProfile::Format { .. })));
    assert!(matches!(Profile::from_bytes(b"{"), Err(NotAProfile::Json(_))));
}

#[test]
fn a_bound_may_be_nothing_or_none() {
    assert_eq!(with("/maxBodyBytes", Some(Json::Null)).expect("no bound").max_body_bytes, None);
    let none = with("/maxItemsPerFacet/comments", Some(Json::from(0u32))).expect("a bound of nothing");
    assert_eq!(none.max_items[&Facet::Comments], 0);
}

#[test]
fn the_format_page_shows_the_minimal_profile_as_it_is() {
    let page = include_str!("../../docs/format.md");
    let example = page.split("```json\n").filter_map(|block| block.split("\n```").next());
    let example: Vec<_> = example.filter(|block| block.starts_with("{\"admit\"")).collect();
    let bytes = String::from_utf8(built_in("minimal").to_bytes()).expect("UTF-8");
    assert_eq!(example, [bytes]);
}
