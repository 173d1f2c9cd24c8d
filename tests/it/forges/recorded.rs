//! Every recorded folder: what it is recognised as, what is left, and that nothing of it is lost.

use crate::support::{arg, docket, done, files, report, scratch, shared};

/// Folder, entities, looks filed, and what is left with its reason.
const FOLDERS: [(&str, &[&str], u64, &[&str]); 13] = [
    ("gitlab/issue-14233409-2", &["gitlab:gitlab.com/packit-service/ogr-tests/-/issues/2"], 6, &[]),
    ("gitlab/issue-19258958-12", &["gitlab:gitlab.com/packit-service/hello-world/-/issues/12"], 4, &[]),
    ("gitlab/mr-14233409-1", &["gitlab:gitlab.com/packit-service/ogr-tests/-/merge_requests/1"], 20, &[]),
    ("gitlab/mr-14233409-19", &["gitlab:gitlab.com/packit-service/ogr-tests/-/merge_requests/19"], 11, &[]),
    ("gitlab/mr-29121611-2", &["gitlab:gitlab.com/nikromen/playground/-/merge_requests/2"], 5, &[]),
    ("gitea/issue-demo-1", &["gitea:127.0.0.1:3939/alice/demo/issue/1"], 5, &[]),
    ("gitea/issue-real-2-ghost-locked", &["gitea:127.0.0.1:3939/alice/world/issue/2"], 5, &[]),
    ("gitea/pull-demo-2-pending-wip", &["gitea:127.0.0.1:3939/alice/demo/pull/2"], 14, &[]),
    ("gitea/pull-real-1-rename-binary-forcepush-merged", &["gitea:127.0.0.1:3939/alice/world/pull/1"], 15, &[]),
    (
        "gitea/repo-real",
        &[
            "gitea:127.0.0.1:3939/@bob",
            "gitea:127.0.0.1:3939/alice/world",
            "gitea:127.0.0.1:3939/alice/world/issue/2",
            "gitea:127.0.0.1:3939/alice/world/issue/3",
            "gitea:127.0.0.1:3939/alice/world/issue/4",
            "gitea:127.0.0.1:3939/alice/world/issue/5",
            "gitea:127.0.0.1:3939/alice/world/pull/1",
        ],
        7,
        &["branches.json facet-unsupported"],
    ),
    ("forgejo/issue-ogr-tests-244", &["forgejo:v10.next.forgejo.org/packit-validator/ogr-tests/issue/244"], 7, &[]),
    ("forgejo/pull-ogr-tests-119", &["forgejo:v10.next.forgejo.org/packit-validator/ogr-tests/pull/119"], 5, &[]),
    ("forgejo/pull-ogr-tests-209", &["forgejo:v10.next.forgejo.org/packit-validator/ogr-tests/pull/209"], 5, &[]),
];

const AT: &str = "2026-11-30T08:00:00Z";

#[test]
fn every_folder_is_recognised_staged_twice_alike_and_rebuilt() {
    for (folder, entities, observed, left) in FOLDERS {
        let Some(root) = shared(&format!("data/threads/{folder}")) else { return };
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        let seen = done(dir.path(), &["--store", "store", "observe", "--observed-at", AT, arg(&root)]);
        let named: Vec<_> = seen["entities"].as_array().expect("entities").iter().filter_map(|e| e.as_str()).collect();
        assert_eq!(named, entities, "{folder}");
        assert_eq!(seen["observed"], observed, "{folder}");
        let row = |row: &serde_json::Value| {
            let name = row["input"].as_str().expect("a name").rsplit('/').next().expect("a name").to_owned();
            format!("{name} {}", row["reason"].as_str().expect("a reason"))
        };
        let unrecognised: Vec<_> = seen["unrecognised"].as_array().expect("rows").iter().map(row).collect();
        assert_eq!(unrecognised, left, "{folder}");
        for input in seen["inputs"].as_array().expect("inputs") {
            let digest = input["digest"].as_str().expect("a digest");
            let name = input["input"].as_str().expect("a name");
            let raw = docket(dir.path()).args(["--store", "store", "show", "--raw", digest]).output().expect("runs");
            if !name.ends_with(".json") {
                assert_eq!(raw.stdout, std::fs::read(name).expect("a diff"), "{name}");
                continue;
            }
            let canonical = docket(dir.path()).args(["canon", name]).output().expect("runs");
            assert!(canonical.status.success() && raw.stdout == canonical.stdout, "{name}");
        }
        let stage = |out: &str| done(dir.path(), &["stage", "--from", arg(&root), "--observed-at", AT, "--out", out]);
        let (first, second) = (stage("one"), stage("two"));
        assert_eq!(first["indexDigest"], second["indexDigest"], "{folder}");
        assert_eq!(files(&dir.path().join("one")), files(&dir.path().join("two")), "{folder}");
        let digest = first["indexDigest"].as_str().expect("a digest");
        assert_eq!(report(dir.path(), &["verify", "one", "--index-digest", digest]).0, 0, "{folder}");
        done(dir.path(), &["--store", "store", "snapshot", "--out", "snapshot"]);
        assert_eq!(report(dir.path(), &["verify", "snapshot"]).0, 0, "{folder}");
        assert_eq!(report(dir.path(), &["verify", "store", "--rebuild"]).0, 0, "{folder}");
    }
}
