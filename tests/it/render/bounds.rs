//! Profiles: bounds, and what is not asked for.

use git_docket::format::profile::Keep;

use super::*;

#[test]
fn bounds_keep_one_end_and_count_the_rest() {
    let mut profile = standard();
    profile.max_items = [Facet::Comments, Facet::ReviewComments, Facet::Files, Facet::Checks, Facet::Labels]
        .map(|facet| (facet, 1))
        .into();
    let names = |tree: &Rendered, dir: &str| {
        tree.files
            .keys()
            .filter(|path| path.starts_with(dir))
            .map(|path| path.rsplit('-').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let newest = render(pull_looks(), Mode::Stage(&profile, filter()));
    check_tree(&newest);
    assert_eq!(names(&newest, "comments/"), ["103.md"]);
    assert_eq!(names(&newest, "threads/"), ["303.md"]);
    for (facet, count) in
        [(Facet::Comments, 2), (Facet::ReviewComments, 2), (Facet::Files, 6), (Facet::Checks, 1), (Facet::Labels, 1)]
    {
        assert_eq!(newest.gaps.count(facet, GapCode::ProfileBound), count, "{facet:?}");
    }
    assert!(newest.complete, "a bound does not make a source incomplete");
    profile.keep = Keep::Oldest;
    let oldest = render(pull_looks(), Mode::Stage(&profile, filter()));
    assert_eq!(names(&oldest, "comments/"), ["101.md"]);
    let thread = text(&oldest, "threads/20231114T221821Z-301.md");
    assert!(thread.contains("- comments left out by a bound: 1\n") && !thread.contains("Comment 302 by"), "{thread}");
    // Of checks the one that failed stays, whichever end does.
    let summary = text(&oldest, "summary.md");
    assert!(summary.contains("checks/undated-502") && !summary.contains("checks/undated-501/"), "{summary}");
}

#[test]
fn long_texts_are_cut_and_say_so() {
    let mut profile = standard();
    profile.max_body_bytes = Some(20);
    profile.max_metadata_bytes = Some(10);
    profile.max_patch_bytes = Some(30);
    let tree = render(pull_looks(), Mode::Stage(&profile, filter()));
    assert_eq!(text(&tree, "body.md"), "The cache is droppe\n");
    let (_, index) = index_of(&tree);
    let status = |path: &str| {
        let entry = index.entries.iter().find(|entry| entry.path == path).expect("an entry");
        entry.about.get("filter").and_then(|filter| filter.get("status")).and_then(Json::as_str).map(str::to_owned)
    };
    assert_eq!(status("body.md").as_deref(), Some("truncated"));
    assert_eq!(status("comments/20231114T221501Z-101.md").as_deref(), Some("unchanged"));
    let title = json_of(&tree, "entity.json").get("title").and_then(Json::as_str).map(str::to_owned);
    assert_eq!(title.as_deref(), Some("Keep the c"));
    // A patch is left out whole: half a hunk is no diff.
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::ProfileBound), 2);
    assert!(!text(&tree, "changes/diff.patch").contains("src/cache.rs"));
    profile.max_patch_bytes = None;
    profile.max_diff_bytes = Some(200);
    let tree = render(pull_looks(), Mode::Stage(&profile, filter()));
    assert!(text(&tree, "changes/diff.patch").len() <= 200);
    assert!(tree.gaps.count(Facet::Files, GapCode::ProfileBound) > 0);
}

#[test]
fn a_profile_that_asks_for_little_names_the_rest() {
    let minimal = Profile::built_in("minimal").expect("a built-in profile");
    let tree = render(pull_looks(), Mode::Stage(&minimal, filter()));
    check_tree(&tree);
    let dirs: BTreeSet<_> = tree.files.keys().map(|path| path.split('/').next().unwrap_or_default()).collect();
    assert_eq!(dirs, BTreeSet::from(["actors.json", "body.md", "comments", "entity.json", "summary.md"]));
    assert!(tree.complete);
    for (facet, count) in
        [(Facet::Reviews, 3), (Facet::Files, 7), (Facet::Checks, 2), (Facet::Timeline, 3), (Facet::Labels, 0)]
    {
        assert_eq!(tree.gaps.count(facet, GapCode::NotRequested), count, "{facet:?}");
    }
    let (value, _) = index_of(&tree);
    let coverage = value.get("coverage").and_then(Json::as_object).expect("coverage");
    assert_eq!(coverage.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["comments", "header", "labels"]);
    assert_eq!(Profile::from_json(value.get("profile").expect("a profile")), Ok(minimal));
}
