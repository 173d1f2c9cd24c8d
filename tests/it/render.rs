//! Trees of issues and pull requests: golden bytes, and what must hold for any content.

mod bounds;
mod changes;
mod golden;
mod items;
mod laws;
mod samples;
mod summary;
mod threads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use git_docket::corpus::{GapCode, LoadedLook, LookData, fold};
use git_docket::filter::Filter;
use git_docket::forge::facets::{
    Check, CheckOrigin, CheckStatus, Comment, Commit, Event, Field, FileChange, Header, Item, Label, Minimized, Place,
    Reaction, Review, ReviewComment, ReviewState, Side, State as OpenState,
};
use git_docket::format::digest::Digest;
use git_docket::format::entity::Kind;
use git_docket::format::facet::Facet;
use git_docket::format::index::{Index, Node, Role};
use git_docket::format::json::{self, Json};
use git_docket::format::observation::Completeness;
use git_docket::format::path::{MAX_PATH, is_safe};
use git_docket::format::profile::{OnFinding, Profile};
use git_docket::render::{Beside, Mode, Rendered, children_index, entity};
use samples::*;

use crate::corpus::{actor, comment, header, items, look, time};

const ALL: Completeness = Completeness::AllPages;

fn sha(c: char) -> String {
    c.to_string().repeat(40)
}

fn known(text: &str) -> Field<String> {
    Field::Known(text.to_owned())
}

fn set(facet: Facet, list: Vec<Item>) -> LoadedLook {
    look(5, facet, items(list, ALL))
}

fn render(looks: Vec<LoadedLook>, mode: Mode<'_>) -> Rendered {
    entity(&fold(looks).expect("looks at a thread"), mode).expect("no detector fails")
}

fn standard() -> Profile {
    Profile::built_in("default").expect("a built-in profile")
}

fn filter() -> &'static Filter {
    static FILTER: LazyLock<Filter> = LazyLock::new(|| Filter::new(OnFinding::Withhold).expect("the tables are sound"));
    &FILTER
}

fn stage(looks: Vec<LoadedLook>) -> Rendered {
    render(looks, Mode::Stage(&standard(), filter()))
}

fn snapshot(looks: Vec<LoadedLook>) -> Rendered {
    render(looks, Mode::Snapshot)
}

fn text<'r>(tree: &'r Rendered, path: &str) -> &'r str {
    let bytes = tree.files.get(path).unwrap_or_else(|| panic!("no {path} in {:?}", tree.files.keys()));
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn json_of(tree: &Rendered, path: &str) -> Json<'static> {
    json::parse(tree.files[path].as_slice()).expect("JSON").into_owned()
}

fn index_of(tree: &Rendered) -> (Json<'static>, Index) {
    let index = Index::from_bytes(&tree.index).expect("an index");
    (json::parse(&tree.index).expect("JSON").into_owned(), index)
}

/// Checks what holds for every tree: the index lists exactly the files, as they are, in order.
fn check_tree(tree: &Rendered) {
    let (_, index) = index_of(tree);
    assert!(matches!(index.node, Node::Entity { .. }));
    let paths: Vec<_> = index.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, tree.files.keys().map(String::as_str).collect::<Vec<_>>());
    let mut ordinals: BTreeMap<Role, u64> = BTreeMap::new();
    for entry in &index.entries {
        let bytes = &tree.files[&entry.path];
        assert_eq!((entry.bytes, entry.sha256), (bytes.len() as u64, Digest::of(bytes)), "{}", entry.path);
        assert!(is_safe(&entry.path) && entry.path.len() <= MAX_PATH && entry.path.is_ascii(), "{}", entry.path);
        if let Some(ordinal) = entry.about.get("ordinal") {
            let expected = ordinals.entry(entry.role).or_default();
            *expected += 1;
            assert_eq!(ordinal.as_u64(), Some(*expected), "{}", entry.path);
        }
        if entry.media_type == "application/json" {
            let value = json::parse(bytes).unwrap_or_else(|fault| panic!("{}: {fault}", entry.path));
            assert_eq!(json::to_vec(&value), *bytes, "{}", entry.path);
        }
    }
    let (value, _) = index_of(tree);
    let gaps = value.get("gaps").and_then(Json::as_array).expect("gaps");
    let names: Vec<_> =
        gaps.iter().map(|gap| [gap.get("scope"), gap.get("code")].map(|m| m.and_then(Json::as_str))).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(tree.files["summary.md"].len() <= 16 * 1024);
}

#[test]
fn the_index_of_a_directory_lists_that_of_each_child() {
    let children = [("web", b"{}".to_vec()), ("web-2", b"[]".to_vec())];
    let bytes = children_index(&children, Beside::Attributes(b"* -text\n"));
    let index = Index::from_bytes(&bytes).expect("an index");
    assert_eq!(index.node, Node::Directory);
    let rows: Vec<_> = index.entries.iter().map(|entry| (entry.path.as_str(), entry.role, entry.bytes)).collect();
    // Sorted by the bytes of the whole path, where `-` comes before `/`.
    assert_eq!(
        rows,
        [
            (".gitattributes", Role::Attributes, 8),
            ("web-2/index.json", Role::Index, 2),
            ("web/index.json", Role::Index, 2)
        ]
    );
    assert_eq!(index.entries[2].sha256, Digest::of(b"{}"));
    let reversed: Vec<_> = children.iter().rev().cloned().collect();
    assert_eq!(children_index(&reversed, Beside::Attributes(b"* -text\n")), bytes);
}
