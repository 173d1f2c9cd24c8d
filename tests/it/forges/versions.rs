//! Versions of one payload observed one after the other: `diff` names exactly what changed, as found by hand.

use std::path::Path;

use crate::support::{arg, done, report, scratch, shared};

/// A folder, the versions of a payload in it, and what changed from each to the next.
type Versions = (&'static str, &'static [&'static str], &'static [&'static [&'static str]]);

/// The changes from each version to the next, `change:id`. A record that the forge changed earlier than the one that is known
/// changes nothing, whenever it is observed.
const VERSIONS: [Versions; 9] = [
    ("gitlab/issue-14233409-2", &["issue.v0.json", "issue.v1.json"], &[&[]]),
    (
        "gitlab/mr-14233409-1",
        &[
            "merge_request.v0.json",
            "merge_request.v1.json",
            "merge_request.v2.json",
            "merge_request.v3.json",
            "merge_request.v4.json",
            "merge_request.v5.json",
        ],
        // v1, v4 and v5 are of before; v2 and v3, of one second, differ in what only their reader may do.
        &[&[], &["header-changed:requestedReviewers"], &[], &[], &[]],
    ),
    (
        "gitlab/mr-14233409-19",
        &["merge_request.v0.json", "merge_request.v1.json", "merge_request.v2.json", "merge_request.v3.json"],
        &[&["header-changed:updatedAt"], &[], &["header-changed:updatedAt"]],
    ),
    ("gitlab/mr-29121611-2", &["merge_request.v0.json", "merge_request.v1.json"], &[&[]]),
    ("gitlab/mr-29121611-2", &["merge_request.v1.json", "merge_request.v0.json"], &[&["header-changed:counts.notes"]]),
    (
        "forgejo/issue-ogr-tests-244",
        &["issue.v3.json", "issue.v0.json", "issue.v2.json", "issue.v1.json"],
        &[
            &["header-changed:counts.comments"],
            &["header-changed:counts.comments"],
            &["header-changed:counts.comments"],
        ],
    ),
    (
        "forgejo/pull-ogr-tests-119",
        &["pull.v0.json", "pull.v1.json", "pull.v2.json", "pull.v3.json"],
        &[&["header-changed:updatedAt"], &[], &["title-edited:null"]],
    ),
    ("forgejo/pull-ogr-tests-209", &["pull.v0.json", "pull.v1.json", "pull.v2.json"], &[&[], &[]]),
    (
        "forgejo/pull-ogr-tests-209",
        &["pull.v2.json", "pull.v0.json"],
        &[&["label-added:test_lb1", "label-added:test_lb2", "header-changed:counts.comments"]],
    ),
];

#[test]
fn a_diff_names_exactly_what_changed_between_versions() {
    for (folder, names, expected) in VERSIONS {
        let Some(root) = shared(&format!("data/threads/{folder}")) else { return };
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        for (at, name) in names.iter().enumerate() {
            observe(dir.path(), &root.join(name), at);
            let Some(changes) = at.checked_sub(1).map(|before| changes(dir.path(), before, at)) else { continue };
            assert_eq!(changes, expected[at - 1], "{folder}: {} to {name}", names[at - 1]);
        }
    }
}

fn observe(dir: &Path, file: &Path, at: usize) {
    let time = format!("2026-03-01T00:00:{at:02}Z");
    done(dir, &["--store", "store", "observe", "--observed-at", &time, arg(file)]);
    done(dir, &["--store", "store", "snapshot", "--out", &format!("s{at}")]);
}

fn changes(dir: &Path, before: usize, after: usize) -> Vec<String> {
    let (_, report) = report(dir, &["diff", &format!("s{before}"), &format!("s{after}")]);
    let of = |row: &serde_json::Value| {
        format!("{}:{}", row["change"].as_str().expect("a change"), row["id"].as_str().unwrap_or("null"))
    };
    // What only follows from a later time is not told apart from it here.
    let follows = ["header-changed:asOf", "coverage-changed:null", "file-bytes-changed:null"];
    let told = report["changes"].as_array().expect("changes").iter().map(of);
    told.filter(|change| !follows.contains(&change.as_str())).collect()
}
