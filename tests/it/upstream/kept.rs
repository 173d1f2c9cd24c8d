//! A tree of the layout that is recorded: made again from its facts, the repository's among them, and known to `verify --rebuild`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::LAYOUT;
use super::staging::{account, comment, issue, repository};
use crate::support::{done, files, report, scratch, testdata};

/// Stages documents in a store of their own, records that, and gives the digest.
fn recorded(dir: &Path, documents: &[Value]) -> String {
    done(dir, &["init", "store"]);
    let names: Vec<_> = (0..documents.len()).map(|at| format!("{at}.json")).collect();
    for (name, document) in names.iter().zip(documents) {
        fs::write(dir.join(name), document.to_string()).expect("written");
    }
    let fixed = ["--store", "store", "stage", "--record", "--layout", LAYOUT, "--out", "out"];
    let given = ["--observed-at", "2026-03-05T00:00:00Z", "--from"];
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let staged = done(dir, &[&fixed[..], &given, &names].concat());
    let digest = staged["indexDigest"].as_str().expect("a digest").to_owned();
    assert_eq!(staged["record"], format!("stages/{}.json", &digest[7..]));
    digest
}

fn replay(dir: &Path, digest: &str) -> (i32, Value) {
    report(dir, &["--store", "store", "stage", "--replay", digest, "--out", "again", "--replace"])
}

#[track_caller]
fn same(dir: &Path, digest: &str) {
    let (status, said) = replay(dir, digest);
    assert_eq!((status, &said["replay"]["same"]), (0, &json!(true)), "{said}");
    assert_eq!(files(&dir.join("out")), files(&dir.join("again")));
    assert_eq!(done(dir, &["verify", "store", "--rebuild"])["verified"], true);
    assert_eq!(done(dir, &["--store", "store", "verify", "out", "--rebuild"])["verified"], true);
}

#[test]
fn a_recorded_tree_is_made_again_whatever_was_filed_since() {
    let dir = scratch();
    let documents = [issue(), comment(1, "hello", &account(2, "tove", "User")), repository()];
    let digest = recorded(dir.path(), &documents);
    same(dir.path(), &digest);
    let (mut later, mut renamed) = (issue(), repository());
    (later["title"], later["updated_at"]) = (json!("Another"), json!("2026-02-01T00:00:00Z"));
    renamed["node_id"] = json!("R_2");
    for (name, document) in [("later.json", later), ("renamed.json", renamed)] {
        fs::write(dir.path().join(name), document.to_string()).expect("written");
        done(dir.path(), &["--store", "store", "observe", name]);
    }
    same(dir.path(), &digest);
}

#[test]
fn the_record_of_the_repository_is_one_of_its_facts() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[issue(), repository()]);
    let all = files(&dir.path().join("store")).into_keys();
    let of_repository: Vec<_> = all.filter(|path| path.contains("acme/web/repository/")).collect();
    assert_eq!(of_repository.len(), 1, "{of_repository:?}");
    fs::remove_file(dir.path().join("store").join(&of_repository[0])).expect("removed");
    let (status, said) = replay(dir.path(), &digest);
    assert_eq!((status, &said["error"]["code"]), (2, &json!("fact-missing")), "{said}");
    // A tree that nobody can make again is not said to be stale: nothing tells the profile.
    let (status, said) = report(dir.path(), &["--store", "store", "verify", "out", "--rebuild"]);
    assert_eq!((status, &said["error"]["code"]), (2, &json!("rebuild-unsupported")), "{said}");
}

#[test]
fn our_own_layout_of_the_same_facts_is_another_record() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[issue(), repository()]);
    let args = ["--store", "store", "stage", "acme/web#7", "--record", "--out", "ours"];
    let ours = done(dir.path(), &args)["indexDigest"].as_str().expect("a digest").to_owned();
    assert_ne!(ours, digest);
    let record = |digest: &str| -> Value {
        let path = dir.path().join(format!("store/stages/{}.json", &digest[7..]));
        serde_json::from_slice(&fs::read(path).expect("a record")).expect("JSON")
    };
    assert_eq!((&record(&digest)["layout"], record(&ours).get("layout")), (&json!(LAYOUT), None));
    same(dir.path(), &digest);
}

#[test]
fn a_thread_and_its_delivery_are_recorded_as_well() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let (thread, delivery) = (testdata("threads/acme-web-42"), testdata("deliveries/comment-created.json"));
    let (thread, delivery) = (thread.to_str().expect("UTF-8"), delivery.to_str().expect("UTF-8"));
    let args = [
        "--store", "store", "stage", "--record", "--layout", LAYOUT, "--out", "out", "--event", delivery, "--from",
        thread,
    ];
    let staged = done(dir.path(), &args);
    same(dir.path(), staged["indexDigest"].as_str().expect("a digest"));
}
