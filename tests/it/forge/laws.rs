//! Laws that hold for whatever a stranger sends: nothing is lost, nothing is pointed at that is not there, nothing panics.

use git_docket::forge::github;
use git_docket::forge::recognise::{Extent, Hints, Part, Recognised, recognise};
use git_docket::forge::url::Request;
use git_docket::format::entity::Subject;
use git_docket::format::facet::Facet;
use git_docket::format::json::Json;
use proptest::prelude::*;

use super::vector;

const VECTORS: [&str; 21] = [
    "as_issue",
    "check_runs",
    "combined",
    "comments",
    "commits",
    "error",
    "events",
    "files",
    "issue",
    "labels",
    "profile",
    "pull",
    "reactions",
    "repo_comments",
    "repo_events",
    "repository",
    "review_comments",
    "reviews",
    "search",
    "statuses",
    "timeline",
];

#[test]
fn no_vector_is_forgotten() {
    let folder = format!("{}/testdata/forge/github", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    assert_eq!(names, VECTORS);
}

/// Puts something else in the place of the `at`-th value below, depth first.
fn spoil(value: &mut Json<'static>, at: &mut usize, with: &Json<'static>) -> bool {
    if *at == 0 {
        *value = with.clone();
        return true;
    }
    *at -= 1;
    match value {
        Json::Array(items) => items.iter_mut().any(|item| spoil(item, at, with)),
        Json::Object(object) => object.iter_mut().any(|(_, member)| spoil(member, at, with)),
        _ => false,
    }
}

fn others() -> impl Strategy<Value = Json<'static>> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<u32>().prop_map(Json::from),
        Just(Json::Array(Vec::new())),
        Just(Json::Object(git_docket::format::json::Object::new())),
        "[a-z#/:.~]{0,12}".prop_map(Json::from),
        "https://(api.)?github.com/(repos/)?acme/web/(issues|pulls?|labels)/[0-9]{1,3}".prop_map(Json::from),
        prop::sample::select(&VECTORS[..]).prop_map(vector),
    ]
}

fn hold(view: &Json<'_>, found: &Recognised) -> Result<(), TestCaseError> {
    // What a look or a row is about, by its first steps from the top.
    let mut covered: Vec<&str> = found.left.iter().map(|left| left.pointer.as_str()).collect();
    for look in &found.looks {
        match &look.part {
            Part::Record { pointer, split } => {
                prop_assert_eq!(look.facet, Facet::Header);
                for at in split.iter().chain([pointer]) {
                    prop_assert!(view.pointer(at).is_some_and(|part| part.as_object().is_some()), "{}", at);
                }
                let _ = github::header(view.pointer(pointer).expect("the record is there"));
                covered.push(pointer);
            }
            Part::Set { items } => {
                prop_assert!(!items.is_empty() || look.extent == Extent::Whole || look.total.is_some());
                for at in items {
                    let _ = github::item(look.facet, view.pointer(at).expect("the item is there"));
                }
                covered.extend(items.iter().map(String::as_str));
            }
        }
    }
    let list = [("", view.as_array()), ("/check_runs", named(view, "check_runs")), ("/items", named(view, "items"))];
    let list =
        list.into_iter().chain([("/statuses", named(view, "statuses"))]).find_map(|(at, l)| Some((at, l?.len())));
    let whole = covered.contains(&"");
    for at in 0..list.map_or(0, |(_, length)| length) {
        let pointer = format!("{}/{at}", list.map_or("", |(base, _)| base));
        prop_assert!(whole || covered.contains(&pointer.as_str()), "{} is lost", pointer);
    }
    prop_assert!(!covered.is_empty() || !found.looks.is_empty(), "the payload is lost");
    Ok(())
}

fn named<'v>(view: &'v Json<'v>, name: &str) -> Option<&'v [Json<'v>]> {
    view.get(name).and_then(Json::as_array)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_spoilt_payload_loses_nothing(
        name in prop::sample::select(&VECTORS[..]),
        faults in prop::collection::vec((0usize..120, others()), 0..4),
        path in prop::sample::select(vec!["", "pulls/42/files", "issues/42/timeline", "commits/main/check-runs", "labels"]),
        entity in any::<bool>(),
        facet in prop::option::of(prop::sample::select(Facet::ALL)),
    ) {
        let mut view = vector(name);
        for (mut at, with) in faults {
            spoil(&mut view, &mut at, &with);
        }
        let url = Request::parse(&format!("https://api.github.com/repos/acme/web/{path}")).expect("a URL");
        let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
        let hints = Hints { url: (!path.is_empty()).then_some(&url), facet, entity: entity.then_some((&subject, None)), event: None };
        let found = recognise(&view, &hints);
        hold(&view, &found)?;
        // Nothing in the payload but its bytes decides.
        prop_assert_eq!(recognise(&view.clone(), &hints), found);
    }
}
