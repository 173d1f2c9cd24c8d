//! Stages that were recorded once and checked in: each released version of the rules makes them again, byte for byte.

use super::*;

/// The versions of the rules that a release had. None was released yet: `docs/decisions` says what that means.
const RELEASED: [&str; 0] = [];

/// The versions before the present one that no release had. A stage of one was never recorded but by hand.
const NEVER_RELEASED: [&str; 2] = ["1", "2"];

/// What a kept stage is made of: its name, and the arguments behind `stage --record`.
fn kept() -> Vec<Vec<String>> {
    let delivery = arg(&testdata("deliveries/comment-created.json")).to_owned();
    let from = |names: &[&str]| {
        let fixed = ["--observed-at", "2026-03-05T00:00:00Z", "--from"].map(str::to_owned);
        fixed.into_iter().chain(names.iter().map(|name| payload(name))).collect::<Vec<_>>()
    };
    let mut linked = from(&["pull.json", "comments.json", "review-comments.json", "timeline.json"]);
    linked.extend(["--with-linked", "--entity", "acme/web#42"].map(str::to_owned));
    let mut upstream = from(&["pull.json", "comments.json", "reviews.json", "check-runs.json"]);
    upstream.extend(["--layout", "entity-context-snapshot/v1", "--entity", "acme/web#42"].map(str::to_owned));
    vec![linked, vec!["--event".to_owned(), delivery, "--profile".to_owned(), "minimal".to_owned()], upstream]
}

/// Records the stages anew, when that is asked for: only while the present rules are not released.
fn update(home: &Path) {
    assert!(!RELEASED.contains(&RULES), "the rules {RULES} are released, and what they made never changes");
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    for stage in kept() {
        let mut args = vec!["--store", "store", "stage", "--record", "--replace", "--out", "out"];
        args.extend(stage.iter().map(String::as_str));
        done(dir.path(), &args);
    }
    let _ = fs::remove_dir_all(home);
    for (path, bytes) in files(&dir.path().join("store")) {
        let target = home.join(path);
        fs::create_dir_all(target.parent().expect("below the root")).expect("a directory");
        fs::write(target, bytes).expect("written");
    }
}

/// A copy of a kept store, and the digests of the stages that it records.
fn copy(home: &Path, dir: &Path) -> Vec<String> {
    let mut digests = Vec::new();
    for (path, bytes) in files(home) {
        let name = path.strip_prefix("stages/").and_then(|name| name.strip_suffix(".json"));
        digests.extend(name.filter(|name| name.len() == 64).map(|hex| format!("sha256:{hex}")));
        let target = dir.join("store").join(path);
        fs::create_dir_all(target.parent().expect("below the root")).expect("a directory");
        fs::write(target, bytes).expect("written");
    }
    digests
}

#[test]
fn every_released_version_of_the_rules_makes_its_stages_again() {
    let root = testdata("replay");
    if std::env::var_os("DOCKET_UPDATE_GOLDEN").is_some() {
        update(&root.join(format!("rules-{RULES}")));
    }
    for version in RELEASED.iter().copied().chain([RULES]) {
        let dir = scratch();
        let digests = copy(&root.join(format!("rules-{version}")), dir.path());
        assert_eq!(digests.len(), kept().len(), "stages of the rules {version}");
        assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
        for digest in digests {
            let (status, said) = replay(dir.path(), &digest, &["--replace"]);
            assert_eq!((status, &said["replay"]["same"]), (0, &json!(true)), "rules {version}: {said}");
            let verified = done(dir.path(), &["verify", "again", "--index-digest", &digest]);
            assert_eq!(verified["verified"], true, "{verified}");
        }
    }
    let there = fs::read_dir(&root).expect("the kept stages").map(|entry| entry.expect("one").file_name());
    for name in there {
        let name = name.to_string_lossy().into_owned();
        let version = name.strip_prefix("rules-").unwrap_or_default();
        assert!(version == RULES || RELEASED.contains(&version), "{name}: these rules were never released");
    }
}

/// The program says plainly that it does not have them, and does not make other bytes.
#[test]
fn rules_that_were_never_released_and_those_to_come_are_unsupported() {
    for version in NEVER_RELEASED.iter().copied().filter(|version| *version != RULES).chain(["99"]) {
        let dir = scratch();
        let digest = recorded(dir.path(), &[]);
        let (record, _) = records(dir.path(), &digest);
        let text = fs::read_to_string(&record).expect("a record");
        fs::write(&record, text.replace(&format!("\"rules\":\"{RULES}\""), &format!("\"rules\":\"{version}\"")))
            .expect("written");
        refused(dir.path(), &digest, "rules-unsupported");
    }
}
