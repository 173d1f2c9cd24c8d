//! `observe --keep-unrecognised`: what is no look is filed as it was given, given back, verified, and shown nowhere.

use std::fs;

use serde_json::{Value, json};

use crate::support::{arg, checked, docket, done, files, git, report, scratch};

const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

#[test]
fn what_is_not_recognised_is_kept_as_it_was_given() {
    let dir = scratch();
    let store = dir.path().join("store");
    done(dir.path(), &["init", "store"]);
    let issue = json!({"number": 42, "title": "t", "state": "open", "body": null, "created_at": "2026-01-01T00:00:00Z",
        "url": "https://api.github.com/repos/acme/web/issues/42"});
    fs::write(dir.path().join("issue.json"), issue.to_string()).expect("written");
    let odd = " \r\n{ \"whatever\" : 1.50,\n \"a\": [\"\\ud800\"] }\n\t ";
    fs::write(dir.path().join("odd.json"), odd).expect("written");
    fs::create_dir(dir.path().join("more")).expect("made");
    fs::write(dir.path().join("more/notes.txt"), "no JSON\r\n").expect("written");
    let inputs = ["issue.json", "odd.json", "more"];
    let observe =
        |rest: &[&str]| done(dir.path(), &[&["--store", "store", "observe"], &AT[..], rest, &inputs].concat());
    let plain = observe(&[]);
    let before = files(&store);
    assert_eq!(plain["unrecognised"].as_array().map(Vec::len), Some(2), "{plain}");
    assert!(plain["unrecognised"][0].get("digest").is_none(), "without the option nothing is kept");
    done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "before"]);
    let kept = observe(&["--keep-unrecognised"]);
    let rows = kept["unrecognised"].as_array().expect("rows");
    let reasons: Vec<_> = rows.iter().map(|row| row["reason"].as_str().expect("a reason")).collect();
    assert_eq!(reasons, ["not-json", "shape-unknown"]);
    for (row, bytes) in rows.iter().zip(["no JSON\r\n", odd]) {
        let digest = row["digest"].as_str().expect("a digest");
        let shown = checked(
            docket(dir.path()).args(["--store", "store", "show", "--raw", digest]).output().expect("started"),
            "show --raw",
        );
        assert_eq!(shown.stdout, bytes.as_bytes(), "{row}");
    }
    let after = files(&store);
    let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert_eq!(new.iter().filter(|path| path.starts_with("unrecognised/20260101T000000Z-")).count(), 2, "{new:?}");
    for path in new.iter().filter(|path| path.starts_with("unrecognised/")) {
        let record: Value = serde_json::from_slice(&after[*path]).expect("JSON");
        crate::contracts::assert_valid("unrecognised", &record, path);
    }
    assert_eq!(observe(&["--keep-unrecognised"])["observed"], 0, "the same again is the same file");
    assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
    assert_eq!(done(dir.path(), &["--store", "store", "verify", "--rebuild", "store"])["verified"], true);
    done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "after"]);
    assert_eq!(files(&dir.path().join("before")), files(&dir.path().join("after")), "a stage does not show it");
    assert!(kept["unrecognised"].as_array().is_some_and(|rows| rows.len() == 2), "it is told all the same");
}

#[test]
fn it_may_be_all_that_there_is_and_its_damage_is_found() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    fs::write(dir.path().join("odd.json"), "{}").expect("written");
    assert_eq!(report(dir.path(), &["--store", "store", "observe", "odd.json"]).0, 2);
    assert_eq!(
        report(dir.path(), &["--store", "store", "observe", "--strict", "--keep-unrecognised", "odd.json"]).0,
        2
    );
    let seen = done(dir.path(), &["--store", "store", "observe", "--keep-unrecognised", "odd.json"]);
    assert_eq!((&seen["observed"], &seen["entities"]), (&json!(1), &json!([])));
    // A look of now at what is kept already is not kept again.
    let again = done(dir.path(), &["--store", "store", "observe", "--keep-unrecognised", "odd.json"]);
    assert_eq!((&again["observed"], &again["unchanged"]), (&json!(0), &json!(1)));
    let store = dir.path().join("store");
    let all = files(&store);
    let code = |damage: &dyn Fn()| {
        damage();
        let (status, report) = report(dir.path(), &["verify", arg(&store)]);
        let codes: Vec<_> =
            report["findings"].as_array().expect("findings").iter().map(|f| f["code"].clone()).collect();
        (status, json!(codes))
    };
    let record = all.keys().find(|path| path.starts_with("unrecognised/")).expect("a record");
    let element = all.keys().find(|path| path.starts_with("objects/")).expect("an element");
    fs::remove_file(store.join(element)).expect("removed");
    assert_eq!(code(&|| ()), (1, json!(["element-missing"])));
    fs::write(store.join(element), &all[element]).expect("written");
    assert_eq!(code(&|| fs::write(store.join(record), b"{}").expect("written")), (1, json!(["observation-invalid"])));
    fs::write(store.join(record), &all[record]).expect("written");
    assert_eq!(code(&|| fs::write(store.join("unrecognised/x"), b"").expect("written")), (1, json!(["file-extra"])));
}

#[test]
fn what_was_kept_is_committed_by_a_later_commit() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    fs::write(dir.path().join("odd.json"), "{}").expect("written");
    done(dir.path(), &["--store", "store", "observe", "--keep-unrecognised", "odd.json"]);
    let issue = json!({"number": 42, "title": "t", "state": "open", "body": null, "created_at": "2026-01-01T00:00:00Z",
        "url": "https://api.github.com/repos/acme/web/issues/42"});
    fs::write(dir.path().join("issue.json"), issue.to_string()).expect("written");
    done(dir.path(), &["--store", "store", "observe", "--commit", "issue.json"]);
    let store = dir.path().join("store");
    let status = git(&store, &["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(String::from_utf8_lossy(&status.stdout), "");
    let listed = git(&store, &["ls-tree", "-r", "--name-only", "HEAD", "unrecognised/"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout).lines().count(), 1);
}
