//! `stage --record` and `--replay`: the same bytes from the same facts, whatever was filed since, or a clear word why not.

use std::fs;
use std::path::{Path, PathBuf};

use git_docket::format::index::RULES;
use serde_json::{Value, json};

use crate::sources_support::Repo;
use crate::support::{arg, checked, docket, done, files, git, report, scratch, testdata};

mod deliveries;
mod kept;
mod merged;

fn payload(name: &str) -> String {
    arg(&testdata("threads/acme-web-42").join(name)).to_owned()
}

/// A directory with a store, and a stage of two payloads that is recorded in it; gives the digest.
fn recorded(dir: &Path, more: &[&str]) -> String {
    done(dir, &["init", "store"]);
    record(dir, &[payload("pull.json"), payload("comments.json")], more)
}

fn record(dir: &Path, from: &[String], more: &[&str]) -> String {
    let mut args = vec!["--store", "store", "stage", "--record", "--replace", "--out", "out"];
    args.extend(["--observed-at", "2026-03-05T00:00:00Z", "--from"]);
    args.extend(from.iter().map(String::as_str));
    args.extend(more);
    let staged = done(dir, &args);
    let digest = staged["indexDigest"].as_str().expect("a digest").to_owned();
    assert_eq!(staged["record"], format!("stages/{}.json", &digest[7..]));
    digest
}

fn replay(dir: &Path, digest: &str, more: &[&str]) -> (i32, Value) {
    report(dir, &[&["--store", "store", "stage", "--replay", digest, "--out", "again"], more].concat())
}

#[track_caller]
fn same(dir: &Path, digest: &str, more: &[&str]) {
    let (status, said) = replay(dir, digest, &[&["--replace"], more].concat());
    assert_eq!((status, &said["indexDigest"]), (0, &Value::from(digest)), "{said}");
    assert_eq!(said["replay"], json!({"expected": digest, "same": true}));
    assert_eq!(files(&dir.join("out")), files(&dir.join("again")));
}

#[track_caller]
fn refused(dir: &Path, digest: &str, code: &str) {
    let (status, said) = replay(dir, digest, &[]);
    assert_eq!((status, &said["error"]["code"]), (2, &Value::from(code)), "{said}");
    assert!(!dir.join("again").exists(), "something was written");
}

/// The paths of the record and of the only list of facts of a stage.
fn records(dir: &Path, digest: &str) -> (PathBuf, PathBuf) {
    let stages = dir.join("store/stages");
    let lists: Vec<_> =
        fs::read_dir(stages.join(&digest[7..])).expect("lists").map(|e| e.expect("one").path()).collect();
    assert_eq!(lists.len(), 1);
    (stages.join(format!("{}.json", &digest[7..])), lists[0].clone())
}

fn observations(dir: &Path) -> Vec<PathBuf> {
    let all = files(&dir.join("store")).into_keys().filter(|path| path.starts_with("observations/"));
    all.map(|path| dir.join("store").join(path)).collect()
}

#[test]
fn payloads_are_filed_and_the_stage_is_made_again() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    same(dir.path(), &digest, &[]);
    // Recording did not change the stage, and filed what `observe` files.
    let plain =
        done(dir.path(), &["stage", "--out", "plain", "--from", &payload("pull.json"), &payload("comments.json")]);
    assert_eq!(plain["indexDigest"], digest);
    let seen = done(
        dir.path(),
        &[
            "--store",
            "store",
            "observe",
            "--observed-at",
            "2026-03-05T00:00:00Z",
            &payload("pull.json"),
            &payload("comments.json"),
        ],
    );
    assert_eq!((&seen["observed"], &seen["elements"]), (&json!(0), &json!(0)), "{seen}");
    assert_eq!(done(dir.path(), &["verify", "store", "--rebuild"])["verified"], true);
}

#[test]
fn what_is_filed_later_does_not_matter() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    let mut pull: Value = serde_json::from_slice(&fs::read(payload("pull.json")).expect("a payload")).expect("JSON");
    pull["title"] = json!("another title");
    pull["updated_at"] = json!("2026-04-01T00:00:00Z");
    fs::write(dir.path().join("later.json"), pull.to_string()).expect("written");
    done(
        dir.path(),
        &["--store", "store", "observe", "later.json", &payload("reviews.json"), "--entity", "acme/web#42"],
    );
    let now = done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "now", "--record"]);
    assert_ne!(now["indexDigest"], digest);
    same(dir.path(), &digest, &[]);
    fs::remove_dir_all(dir.path().join("out")).expect("removed");
    fs::rename(dir.path().join("now"), dir.path().join("out")).expect("moved");
    same(dir.path(), now["indexDigest"].as_str().expect("a digest"), &[]);
}

#[test]
fn a_bare_branch_records_and_replays_also_as_of_a_revision() {
    let dir = scratch();
    git(dir.path(), &["init", "--quiet", "--bare", "store"]);
    done(dir.path(), &["init", "store", "--ref", "docket-facts"]);
    let digest = record(dir.path(), &[payload("pull.json")], &["--profile", "minimal"]);
    let log = checked(git(&dir.path().join("store"), &["log", "--format=%s", "docket-facts"]), "git log");
    assert!(String::from_utf8_lossy(&log.stdout).starts_with("Record the stage sha256:"), "{log:?}");
    same(dir.path(), &digest, &[]);
    done(dir.path(), &["--store", "store", "observe", &payload("comments.json"), "--entity", "acme/web#42"]);
    same(dir.path(), &digest, &["--at", "docket-facts"]);
    let (status, said) = replay(dir.path(), &digest, &["--at", "docket-facts~2", "--replace"]);
    assert_eq!((status, &said["error"]["code"]), (2, &json!("stage-unknown")), "{said}");
}

#[test]
fn a_delivery_is_a_fact_and_its_title_stands_again() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let event = arg(&testdata("deliveries/comment-created.json")).to_owned();
    for (at, more) in [vec![], vec!["--from".to_owned(), payload("pull.json")]].iter().enumerate() {
        let mut args = vec!["--store", "store", "stage", "--record", "--replace", "--out", "out", "--event", &event];
        args.extend(more.iter().map(String::as_str));
        if at == 1 {
            args.extend(["--entity", "acme/web#42"]);
        }
        let staged = done(dir.path(), &args);
        let digest = staged["indexDigest"].as_str().expect("a digest").to_owned();
        let index = fs::read_to_string(dir.path().join("out/index.json")).expect("an index");
        assert!(index.contains("\"event\":{"), "{index}");
        let (_, facts) = records(dir.path(), &digest);
        let facts: Value = serde_json::from_slice(&fs::read(facts).expect("a list")).expect("JSON");
        assert_eq!(facts["delivery"]["chosen"], at == 1, "{facts}");
        same(dir.path(), &digest, &[]);
    }
    assert_eq!(done(dir.path(), &["verify", "store", "--rebuild"])["verified"], true);
}

#[test]
fn quotes_of_a_work_tree_are_facts_too() {
    let (dir, repo) = (scratch(), Repo::new());
    repo.write("src/money/round.ts", "a needle\nkey = \"ghp_abcdefghijklmnopqrstuvwxyz0123456789\" needle\n").commit();
    let root = repo.path();
    let digest = recorded(dir.path(), &["--sources", arg(&root), "--sources-draft", "where is the needle"]);
    assert!(dir.path().join("out/sources/excerpts/0001.txt").exists());
    repo.write("src/money/round.ts", "nothing\n").commit();
    same(dir.path(), &digest, &[]);
    let store = files(&dir.path().join("store"));
    assert!(store.values().all(|bytes| !bytes.windows(8).any(|at| at == b"ghp_abcd")), "a secret was filed");
    let verified = done(dir.path(), &["verify", "store"]);
    assert!(
        verified["notes"].as_array().is_some_and(|notes| notes.iter().all(|n| n["code"] != "unreferenced-elements"))
    );
    // The element with the quotes is a fact that can be missing.
    let (_, facts) = records(dir.path(), &digest);
    let facts: Value = serde_json::from_slice(&fs::read(facts).expect("a list")).expect("JSON");
    let element = facts["quotes"][0][1].as_str().expect("a digest")[7..].to_owned();
    fs::remove_file(dir.path().join(format!("store/objects/{}/{}", &element[..2], &element[2..]))).expect("removed");
    fs::remove_dir_all(dir.path().join("again")).expect("removed");
    refused(dir.path(), &digest, "fact-missing");
    let (status, found) = report(dir.path(), &["verify", "store"]);
    assert_eq!((status, &found["findings"][0]["code"]), (1, &json!("element-missing")), "{found}");
}

#[test]
fn a_credential_is_named_and_never_filed() {
    let dir = scratch();
    let mut comments: Value =
        serde_json::from_slice(&fs::read(payload("comments.json")).expect("a payload")).expect("JSON");
    comments[0]["body"] = json!("the password is hunter-two-three");
    fs::write(dir.path().join("comments.json"), comments.to_string()).expect("written");
    done(dir.path(), &["init", "store"]);
    let stage = |secret: &str, more: &[&str]| {
        let mut command = docket(dir.path());
        command.args(["--json", "--store", "store", "stage", "--redact-env", "SECRET"]).args(more);
        let output = command.env("SECRET", secret).output().expect("started");
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let from = ["--record", "--out", "out", "--entity", "acme/web#42", "--from", "comments.json"];
    let (status, staged) = stage("hunter-two-three", &from);
    assert_eq!(status, Some(0), "{staged}");
    let digest = staged["indexDigest"].as_str().expect("a digest").to_owned();
    let (record, facts) = records(dir.path(), &digest);
    for file in [&record, &facts] {
        let text = fs::read_to_string(file).expect("a record");
        assert!(!text.contains("hunter") && !text.contains("SECRET"), "{text}");
    }
    let facts: Value = serde_json::from_slice(&fs::read(facts).expect("a list")).expect("JSON");
    assert_eq!(facts["credentials"], json!({"named": 1, "found": true}));
    refused(dir.path(), &digest, "credential-missing");
    let again = ["--replay", &digest, "--out", "again"];
    let (status, said) = stage("hunter-two-three", &again);
    assert_eq!((status, &said["replay"]["same"]), (Some(0), &json!(true)), "{said}");
    // With another value, as after a rotation, that of then would stand in the clear; so it would with a part of it.
    for other in ["something-else", "hunter-two"] {
        let (status, said) = stage(other, &["--replay", &digest, "--out", "other"]);
        assert_eq!((status, &said["error"]["code"]), (Some(2), &json!("credential-missing")), "{said}");
        assert!(!dir.path().join("other").exists(), "something was written");
    }
    // One that was named and found nowhere is not missed.
    let from = ["--record", "--out", "none", "--entity", "acme/web#42", "--from", &payload("comments.json")];
    let (_, staged) = stage("hunter-two-three", &from);
    let (status, said) = report(
        dir.path(),
        &["--store", "store", "stage", "--replay", staged["indexDigest"].as_str().expect("one"), "--out", "none-again"],
    );
    assert_eq!((status, &said["replay"]["same"]), (0, &json!(true)), "{said}");
    // One that is found only now takes more out: other bytes, which can be looked at.
    let again = ["--replay", staged["indexDigest"].as_str().expect("one"), "--out", "other"];
    let (status, said) = stage("payment provider", &again);
    assert_eq!((status, &said["replay"]["same"]), (Some(1), &json!(false)), "{said}");
    let digest = said["indexDigest"].as_str().expect("a digest");
    assert_eq!(done(dir.path(), &["verify", "other", "--index-digest", digest])["verified"], true);
}

#[test]
fn a_rebuild_of_a_recorded_stage_with_a_credential_says_why_it_cannot_be() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let thread = crate::support::testdata("threads/acme-web-42");
    for (layout, out) in [("entity-context-snapshot/v1", "upstream"), ("docket", "own")] {
        let mut command = docket(dir.path());
        command.args(["--store", "store", "stage", "--redact-env", "SECRET", "--record", "--entity", "acme/web#42"]);
        command.args(["--layout", layout, "--out", out, "--from"]).arg(&thread);
        let output = command.env("SECRET", "payment provider").output().expect("started");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let (status, said) = report(dir.path(), &["--store", "store", "verify", out, "--rebuild"]);
        assert_eq!((status, &said["error"]["code"]), (2, &json!("rebuild-unsupported")), "{said}");
        assert_eq!(said["error"]["hint"], "the stage was made with --redact-env", "{layout}: {said}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    let nobody = "sha256:1111111111111111111111111111111111111111111111111111111111111111";
    refused(dir.path(), nobody, "stage-unknown");
    let observation = observations(dir.path()).into_iter().find(|path| arg(path).contains("/comments/")).expect("one");
    let bytes = fs::read(&observation).expect("an observation");
    fs::remove_file(&observation).expect("removed");
    refused(dir.path(), &digest, "fact-missing");
    let (status, found) = report(dir.path(), &["verify", "store"]);
    assert_eq!((status, &found["findings"][0]["code"]), (1, &json!("fact-missing")), "{found}");
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(1), "{found}");
    fs::write(&observation, &bytes).expect("put back");
    let record: Value = serde_json::from_slice(&bytes).expect("JSON");
    let element = record["inputs"][0]["parts"][0][1].as_str().expect("a digest")[7..].to_owned();
    fs::remove_file(dir.path().join(format!("store/objects/{}/{}", &element[..2], &element[2..]))).expect("removed");
    refused(dir.path(), &digest, "fact-missing");
}

#[test]
fn any_changed_byte_of_a_record_is_found_once_and_nothing_is_made_of_it() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    let (record, facts) = records(dir.path(), &digest);
    for file in [record, facts] {
        let bytes = fs::read(&file).expect("a record");
        for at in (0..bytes.len()).step_by(61) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).expect("written");
            let (status, found) = report(dir.path(), &["verify", "store"]);
            let codes: Vec<_> = found["findings"].as_array().into_iter().flatten().map(|row| &row["code"]).collect();
            assert_eq!((status, codes), (1, vec![&json!("stage-invalid")]), "byte {at} of {}: {found}", file.display());
            let (status, said) = replay(dir.path(), &digest, &[]);
            assert_eq!(status, 2, "byte {at}: {said}");
        }
        fs::write(&file, [&bytes[..], b"\n"].concat()).expect("written");
        let (_, found) = report(dir.path(), &["verify", "store"]);
        assert_eq!(found["findings"][0]["cause"], "trailing-newline", "{found}");
        fs::write(&file, &bytes).expect("mended");
    }
    let (_, facts) = records(dir.path(), &digest);
    fs::remove_file(facts).expect("removed");
    refused(dir.path(), &digest, "fact-missing");
    let (_, found) = report(dir.path(), &["verify", "store"]);
    assert_eq!(found["findings"][0]["code"], "stage-invalid", "{found}");
}

#[test]
fn a_record_names_each_entity_once() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    let (record, _) = records(dir.path(), &digest);
    let mut said: Value = serde_json::from_slice(&fs::read(&record).expect("a record")).expect("JSON");
    let first = said["entities"][0].clone();
    said["entities"].as_array_mut().expect("entities").insert(0, first);
    fs::write(&record, said.to_string()).expect("written");
    let (status, found) = report(dir.path(), &["verify", "store"]);
    assert_eq!((status, &found["findings"][0]["code"]), (1, &json!("stage-invalid")), "{found}");
    let (status, said) = replay(dir.path(), &digest, &[]);
    assert_eq!(status, 2, "{said}");
}

#[test]
fn strangers_in_the_folder_are_found() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    let stages = dir.path().join("store/stages");
    fs::write(stages.join("readme"), "x").expect("written");
    fs::write(stages.join(&digest[7..]).join("readme"), "x").expect("written");
    std::os::unix::fs::symlink("/etc/passwd", stages.join(format!("{}.json", "1".repeat(64)))).expect("a link");
    let (status, found) = report(dir.path(), &["verify", "store"]);
    let codes: Vec<_> = found["findings"].as_array().into_iter().flatten().map(|row| &row["code"]).collect();
    assert_eq!(
        (status, codes),
        (
            1,
            vec!["not-regular-file", "file-extra", "file-extra"]
                .into_iter()
                .map(Value::from)
                .collect::<Vec<_>>()
                .iter()
                .collect()
        ),
        "{found}"
    );
}

#[test]
fn options_that_the_record_has_are_refused_and_a_record_needs_a_store() {
    let dir = scratch();
    let digest = recorded(dir.path(), &[]);
    for more in
        [["--profile", "full"], ["--max-comments", "3"], ["--from", "x"], ["--event", "x"], ["--entity", "acme/web#42"]]
    {
        let (status, said) = replay(dir.path(), &digest, &more);
        assert_eq!((status, &said["error"]["code"]), (2, &json!("usage")), "{more:?}: {said}");
    }
    let (status, said) = report(dir.path(), &["stage", "--record", "--from", &payload("pull.json"), "--out", "none"]);
    assert_eq!((status, &said["error"]["code"]), (2, &json!("store-missing")), "{said}");
    assert!(!dir.path().join("none").exists());
    // What is sealed or wrapped changes no byte.
    let (status, said) = replay(dir.path(), &digest, &["--seal", "--", "true"]);
    assert_eq!((status, &said["command"]["exit"]), (0, &json!(0)), "{said}");
}

#[test]
fn how_long_searches_may_take_is_nothing_to_a_replay() {
    let dir = scratch();
    let output = docket(dir.path())
        .args(["stage", "--replay", &format!("sha256:{}", "a".repeat(64)), "--out", "out", "--sources-seconds", "9"])
        .output()
        .expect("started");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be used with"), "{output:?}");
}
