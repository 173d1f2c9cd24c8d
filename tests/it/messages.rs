//! What is said to somebody who erred: the message or its hint names the way out.

use std::fs;

use serde_json::Value;

use crate::support::{arg, docket, done, git, report, scratch, testdata};

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
    fs::create_dir(dir.path().join("empty")).expect("a directory");
    fs::write(dir.path().join("empty.diff"), "").expect("a diff");
    fs::write(dir.path().join("labels.json"), r#"[{"id":1,"name":"bug","color":"ff0000"}]"#).expect("labels");
    let account = r#"{"login":"acme","id":1}"#;
    let repository = format!(r#"{{"id":7,"name":"web","full_name":"acme/web","owner":{account}}}"#);
    let push = format!(r#"{{"ref":"refs/heads/main","repository":{repository},"sender":{account}}}"#);
    fs::write(dir.path().join("push.json"), push).expect("a delivery");
    let status = r#"{"id":1,"sha":"1111111111111111111111111111111111111111","context":"ci","state":"success","#;
    fs::write(dir.path().join("status.json"), format!(r#"{status}"repository":{repository},"sender":{account}}}"#))
        .expect("a delivery");
    git(&dir.path().join("store"), &["branch", "-f", "main"]);
    git(dir.path(), &["clone", "-q", "--no-checkout", "store", "clone"]);
    let url = "https://api.github.com/repos/acme/web";
    let whole = format!(
        r#"{{"id":7,"name":"web","full_name":"acme/web","owner":{account},"default_branch":"main","url":"{url}"}}"#
    );
    fs::write(dir.path().join("web.json"), whole).expect("a repository");
    done(dir.path(), &["--store", "store", "observe", "web.json"]);
    let observe = |path: &str| ["--store", "store", "observe", path, "--entity", "acme/web#42"].join("\u{0}");
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
        (stage(&[]), "usage", &["ENTITY", "--from", "--event", "--replay"]),
        (stage(&["--event", "status.json"]), "event-no-entity", &["--entity ENTITY"]),
        (stage(&["--event", "push.json"]), "event-no-entity", &["git docket stage ENTITY --out DIR"]),
        ("--store\u{0}store\u{0}verify\u{0}--at\u{0}HEAD:nosuch".to_owned(), "path-invalid", &["git ls-tree"]),
        (
            "--store\u{0}clone\u{0}--ref\u{0}origin/main\u{0}verify".to_owned(),
            "store-missing",
            &["--ref main finds the branch of a remote, too"],
        ),
        (
            "--store\u{0}store\u{0}observe\u{0}commments=x.json".to_owned(),
            "input-unreadable",
            &["commments is no facet", "review-comments"],
        ),
        ("--store\u{0}store\u{0}observe\u{0}hostname".to_owned(), "json-invalid", &["logs=PATH", "diff=PATH"]),
        ("--store\u{0}store\u{0}show\u{0}acme/web#42\u{0}--raw\u{0}comment".to_owned(), "usage", &["review-comments"]),
        ("clean\u{0}altered".to_owned(), "target-not-a-stage", &["--altered"]),
        ("clean\u{0}empty".to_owned(), "target-not-a-stage", &["there is no index.json"]),
        (
            stage(&["acme/web#42", "--out", "empty", "--replace"]).replacen("--out\u{0}new\u{0}", "", 1),
            "target-not-a-stage",
            &["there is no index.json"],
        ),
        (stage(&["acme/web#42", "--out", "gone/new"]).replacen("--out\u{0}new\u{0}", "", 1), "io", &["mkdir -p"]),
        (stage(&["acme/web"]), "entity-not-found", &["looks at it are filed", "no issue or pull request"]),
        (stage(&["--event", "acme/web#42"]), "input-unreadable", &["acme/web#42 reads as an entity", "--entity"]),
        (stage(&["acme/web#42", "--forge", "bogus"]), "usage", &["github, gitlab, gitea and forgejo"]),
        (
            stage(&["--from", &thread, "--entity", "acme/web#43"]),
            "entity-not-found",
            &["thread/43", "the payloads show github:github.com/acme/web/pull/42,", "--entity"],
        ),
        ("init\u{0}hostname".to_owned(), "store-invalid", &["is a file, and no directory"]),
        ("init\u{0}altered\u{0}--ref\u{0}facts".to_owned(), "repo-not-found", &["not empty", "git init"]),
        (observe("comments=labels.json"), "nothing-recognised", &["facet-mismatch", "FACET=", "leave that out"]),
        (observe("diff=empty.diff"), "nothing-recognised", &["diff-empty", "bring it again"]),
        (observe("push.json"), "nothing-recognised", &["event-no-entity", "--keep-unrecognised"]),
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

/// A list of FACET= is of the entity that is named, whatever else lies beside it.
#[test]
fn what_is_called_a_list_of_an_entity_is_of_it() {
    let dir = scratch();
    let thread = testdata("threads/acme-web-42");
    fs::write(dir.path().join("labels.json"), r#"[{"id":1,"name":"bug","color":"ff0000"}]"#).expect("labels");
    for (paths, code) in [
        (vec!["labels=labels.json"], 0),
        (vec!["labels=labels.json", arg(&thread)], 0),
        (vec!["labels.json", arg(&thread)], 2),
        (vec![arg(&thread)], 2),
    ] {
        let args = [vec!["stage", "--out", "out", "--replace", "--entity", "acme/web#43", "--from"], paths].concat();
        let (status, told) = report(dir.path(), &args);
        assert_eq!(status, code, "{args:?}: {told}");
    }
}

#[test]
fn a_branch_in_the_current_directory() {
    let dir = scratch();
    for (name, args) in [("dot", vec!["."]), ("none", vec![]), ("above", vec!["../above"])] {
        let here = dir.path().join(name);
        fs::create_dir(&here).expect("a directory");
        let args = [vec!["init", "--ref", "docket-facts"], args].concat();
        assert_eq!(done(&here, &args)["created"], true, "{name}");
        assert_eq!(done(&here, &args)["created"], false, "{name}");
        let left: Vec<_> = fs::read_dir(&here).expect("listed").map(|one| one.expect("one").file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
        git(&here, &["fsck", "--strict"]);
        done(&here, &["observe", arg(&testdata("threads/acme-web-42"))]);
    }
}
