//! What is said to somebody who erred: the message or its hint names the way out.

use std::fs;

use serde_json::Value;

use crate::support::{arg, docket, done, report, scratch, testdata};

/// Each call is refused, with a code, and with words in its message or hint.
#[test]
fn a_refusal_names_the_way_out() {
    let dir = scratch();
    let thread = arg(&testdata("threads/acme-web-42")).to_owned();
    let event = arg(&testdata("deliveries/comment-created.json")).to_owned();
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", &thread]);
    done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "altered"]);
    fs::write(dir.path().join("altered/more"), "").expect("a file that nothing lists");
    fs::write(dir.path().join("profile.json"), "{\"name\":\"mine\"}").expect("no profile");
    fs::write(dir.path().join("hostname"), "runner-7\n").expect("a text");
    let stage = |more: &[&str]| [&["--store", "store", "stage", "--out", "new"], more].concat().join("\u{0}");
    let cases: Vec<(String, &str, &[&str])> = vec![
        (
            stage(&["--from", &thread, "acme/web#42"]),
            "input-unreadable",
            &["acme/web#42 reads as an entity", "--entity"],
        ),
        (stage(&["acme/web#42", "--profile", "tiny"]), "input-unreadable", &["minimal, default and full"]),
        (stage(&["acme/web#42", "--profile", "profile.json"]), "profile-invalid", &["no schema", "no format"]),
        (
            stage(&["--event", &event, "--entity", "acme/web#4711"]),
            "event-no-entity",
            &["is about", "not github:github.com/acme/web"],
        ),
        (stage(&["acme/web#42", "--timeout", "5", "--", "true"]), "usage", &["90s, 10m, 1h30m"]),
        (stage(&["acme/web#42", "--require", "all"]), "usage", &["comments", "complete"]),
        (stage(&["acme/web#42", "--redact-env", "NOPE"]), "credential-invalid", &["set and export"]),
        (stage(&["acme/web#7"]), "entity-not-found", &["git docket observe"]),
        (
            "--store\u{0}store\u{0}observe\u{0}commments=x.json".to_owned(),
            "input-unreadable",
            &["commments is no facet", "review-comments"],
        ),
        ("--store\u{0}store\u{0}observe\u{0}hostname".to_owned(), "json-invalid", &["logs=PATH", "diff=PATH"]),
        ("--store\u{0}store\u{0}show\u{0}acme/web#42\u{0}--raw\u{0}comment".to_owned(), "usage", &["review-comments"]),
        ("clean\u{0}altered".to_owned(), "target-not-a-stage", &["--altered"]),
        ("verify\u{0}nosuch".to_owned(), "store-missing", &["directory of a stage"]),
        ("sums\u{0}.".to_owned(), "sums-nothing", &["sha256sum"]),
    ];
    for (args, code, words) in cases {
        let args: Vec<_> = args.split('\u{0}').collect();
        let (status, refused) = report(dir.path(), &args);
        let error = &refused["error"];
        assert_eq!((status, &error["code"]), (2, &Value::from(code)), "{args:?}: {refused}");
        let said =
            format!("{} {}", error["message"].as_str().unwrap_or_default(), error["hint"].as_str().unwrap_or_default());
        assert!(words.iter().all(|word| said.contains(word)), "{args:?}: {said}");
        assert!(!said.contains("Some(") && !said.contains("None"), "{args:?}: {said}");
        assert!(!dir.path().join("new").exists(), "{args:?} wrote");
    }
}

#[test]
fn a_stage_is_not_put_into_another() {
    let dir = scratch();
    let thread = arg(&testdata("threads/acme-web-42")).to_owned();
    let stage =
        |out: &str, more: &[&str]| report(dir.path(), &[&["stage", "--from", &thread, "--out", out], more].concat());
    assert_eq!(stage("one", &[]).0, 0);
    for out in ["one/two", "one/comments/two", "one/a/b", "./one/../one/two"] {
        let (status, refused) = stage(out, &["--allow-inside-worktree"]);
        assert_eq!((status, &refused["error"]["code"]), (2, &"target-inside-worktree".into()), "{out}: {refused}");
    }
    assert_eq!(stage("one", &["--replace"]).0, 0, "a stage in the place of another");
    assert_eq!(done(dir.path(), &["verify", "one"])["verified"], true);
    let command = ["stage", "--from", &thread, "--out", "one/two", "--", "true"];
    assert_eq!(docket(dir.path()).args(command).output().expect("started").status.code(), Some(2));
    assert_eq!(done(dir.path(), &["verify", "one"])["verified"], true, "nothing was left in it");
}
