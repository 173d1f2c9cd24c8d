//! Laws: a tree does not differ from itself, two that differ have a change, and the way back mirrors the way there.

use std::collections::BTreeMap;

use git_docket::ops::diff::{Change, Kind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::compare;
use super::thing::{NEW, OLD, Thing, check, commit, item, thread};

/// One of many edits; several together make a random pull request.
fn edit(thing: &mut Thing, what: u8, id: u64) {
    let facet = ["comments", "reviews", "review-comments", "checks", "files", "commits", "timeline", "reactions"]
        [id as usize % 8];
    let row = |list: &mut Value, row: Value| list.as_array_mut().map_or((), |list| list.push(row));
    match what {
        0 => thing.header["title"] = json!(format!("title {id}")),
        1 => thing.body = (!id.is_multiple_of(3)).then(|| item(&format!("body {id}\n"), 0, "ada")),
        2 => drop(thing.comments.insert(id, item(&format!("text {id}\n"), id, "ada"))),
        3 => drop(thing.comments.remove(&(id % 3))),
        4 => drop(thing.reviews.insert(7, item(&format!("review {id}"), 7, "eve"))),
        5 => row(&mut thing.header["labels"], json!({"name": format!("label {}", id % 4)})),
        6 => thing.header["assignees"] = json!([{"login": format!("user{}", id % 3)}]),
        7 => thing.threads = json!([thread(11, &[11, id])]),
        8 => thing.threads = Value::Null,
        9 => drop(thing.checks.insert((id % 30).to_string(), check(id % 30, "success"))),
        10 => row(&mut thing.files, json!({"path": format!("{id}.rs"), "status": "added"})),
        11 => thing.commits = json!([commit(NEW, if id.is_multiple_of(2) { OLD } else { "x" })]),
        12 => thing.header["head"]["sha"] = json!(if id.is_multiple_of(2) { NEW } else { OLD }),
        13 => row(&mut thing.events, json!({"id": id.to_string(), "event": "head_ref_force_pushed", "commit": NEW})),
        14 => row(&mut thing.reactions, json!({"id": id, "content": "heart"})),
        15 => thing.members["coverage"][facet]["state"] = json!(["partial", "absent", "complete"][id as usize % 3]),
        16 => row(&mut thing.members["gaps"], json!({"scope": facet, "code": format!("code{}", id % 3), "count": id})),
        17 => row(&mut thing.members["tombstones"], json!({"facet": facet, "id": id})),
        18 => thing.header = json!({"title": if id.is_multiple_of(2) { json!(null) } else { json!(id) }}),
        19 => thing.threads[0]["resolved"] = json!(id.is_multiple_of(2)),
        20 => thing.logs.clear(),
        21 => thing.actors = json!([{"id": id % 2, "login": format!("login{id}")}]),
        _ => thing.summary = format!("summary {id}"),
    }
}

fn thing() -> impl Strategy<Value = Thing> {
    prop::collection::vec((0u8..23, 0u64..60), 0..8).prop_map(|edits| {
        let mut thing = Thing::default();
        // A file that is not there has no rows to be changed.
        for (what, id) in edits {
            if !(what == 19 && thing.threads.is_null() || what == 5 && !thing.header["labels"].is_array()) {
                edit(&mut thing, what, id);
            }
        }
        thing
    })
}

/// JSON of any shape, made of the names that the files of a tree use.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "id",
        "name",
        "login",
        "comments",
        "labels",
        "sha",
        "head",
        "title",
        "state",
        "resolved",
        "file",
        "scope",
        "code",
        "facet",
        "events",
        "counts",
        "parents",
        "updatedAt",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0u64..5).prop_map(Value::from),
        "[a-z\u{1b}`]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..4)
                .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

/// A pull request whose files hold JSON that nobody documents.
fn odd_thing() -> impl Strategy<Value = Thing> {
    prop::collection::vec((0u8..8, any_json()), 0..5).prop_map(|odd| {
        let mut thing = Thing::default();
        for (which, value) in odd {
            match which {
                0 => thing.header = value,
                1 => thing.threads = value,
                2 => thing.files = value,
                3 => thing.commits = value,
                4 => thing.events = value,
                5 => thing.actors = value,
                6 => thing.members["gaps"] = value,
                _ => thing.members["coverage"] = value,
            }
        }
        thing
    })
}

/// Additions or removals by entity, facet, id and value.
fn sums(changes: &[Change], is: fn(Kind) -> bool) -> BTreeMap<(Option<String>, Option<String>), usize> {
    let mut sums = BTreeMap::new();
    // A comment that came and went is a deletion on the way there, and nothing on the way back.
    let shown = |change: &&Change| is(change.change) && !(change.before.is_null() && change.after.is_null());
    for change in changes.iter().filter(shown) {
        *sums.entry((change.facet.clone(), change.id.clone())).or_default() += 1;
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_does_not_differ_from_itself_and_others_do(a in thing(), b in thing()) {
        let (a, b) = (a.tree(), b.tree());
        prop_assert!(compare(&a, &a).equal);
        prop_assert_eq!(compare(&a, &b).equal, a.files["index.json"] == b.files["index.json"]);
    }

    #[test]
    fn the_way_back_mirrors_the_way_there(a in thing(), b in thing()) {
        let (a, b) = (a.tree(), b.tree());
        let (there, back) = (compare(&a, &b), compare(&b, &a));
        prop_assert_eq!(sums(&there.changes, Kind::is_addition), sums(&back.changes, Kind::is_removal));
        prop_assert_eq!(sums(&there.changes, Kind::is_removal), sums(&back.changes, Kind::is_addition));
    }

    #[test]
    fn every_file_that_differs_is_said_or_follows(a in thing(), b in thing()) {
        // Nothing that a reader sees may change behind a diff that names something else only.
        let (tree_a, tree_b) = (a.tree(), b.tree());
        let diff = compare(&tree_a, &tree_b);
        let said = |path: &str| diff.changes.iter().any(|change| change.path == path);
        for (path, bytes) in &tree_b.files {
            let follows = ["summary.md", "actors.json", "index.json", "entity.json", "threads.json", "changes/diff.patch"];
            if tree_a.files.get(path).is_some_and(|other| other != bytes) && !follows.contains(&path.as_str()) {
                prop_assert!(said(path), "{} is not said: {:?}", path, diff.changes);
            }
        }
    }

    #[test]
    fn json_of_any_shape_is_compared_without_a_panic(a in odd_thing(), b in odd_thing()) {
        let (a, b) = (a.tree(), b.tree());
        let diff = compare(&a, &b);
        prop_assert_eq!(diff.equal, a.files["index.json"] == b.files["index.json"]);
        prop_assert!(compare(&a, &a).equal);
        let shown = diff.markdown();
        prop_assert!(shown.lines().all(|line| !line.contains(char::is_control)));
    }

    #[test]
    fn shown_text_never_panics(a in thing(), b in thing()) {
        let diff = compare(&a.tree(), &b.tree());
        for text in [diff.listing(), diff.stat(), diff.patch(), diff.markdown()] {
            prop_assert!(text.ends_with('\n') || text.is_empty());
        }
    }
}
