//! What surrounds the program: variables that are about another repository, configuration that a repository brings along.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{arg, checked, docket, done, git, report, scratch, testdata};

/// A store with facts and a snapshot, made with a variable set; what git says of it then.
fn made_with(dir: &Path, variable: Option<(&str, &str)>) -> String {
    let thread = testdata("threads/acme-web-42");
    let store = arg(&dir.join("store")).to_owned();
    let run = |args: &[&str]| {
        let mut command = docket(dir);
        command.args(args);
        if let Some((name, value)) = variable {
            command.env(name, value);
        }
        checked(command.output().expect("the program can be started"), &format!("{variable:?} {args:?}"));
    };
    run(&["init", &store]);
    run(&["--store", &store, "observe", "--commit", arg(&thread)]);
    run(&["--store", &store, "snapshot", "--commit"]);
    let said = |args: &[&str]| String::from_utf8_lossy(&git(Path::new(&store), args).stdout).into_owned();
    let refs = said(&["for-each-ref", "--format=%(refname) %(tree)"]);
    format!("{refs}{}{}{}", said(&["status", "--porcelain"]), said(&["rev-list", "--count", "HEAD"]), said(&["fsck"]))
}

/// In a hook git sets these to the repository that the hook is of.
#[test]
fn variables_about_another_repository_are_not_followed() {
    let expected = made_with(scratch().path(), None);
    assert!(expected.contains("refs/heads/docket-snapshots"), "{expected}");
    for (name, value) in [
        ("GIT_DIR", "other/.git"),
        ("GIT_COMMON_DIR", "other/.git"),
        ("GIT_WORK_TREE", "empty"),
        ("GIT_INDEX_FILE", "empty/index"),
        ("GIT_OBJECT_DIRECTORY", "empty"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "other/.git/objects"),
        ("GIT_NAMESPACE", "space"),
        ("GIT_SHALLOW_FILE", "other/shallow"),
        ("GIT_REPLACE_REF_BASE", "refs/heads"),
    ] {
        let dir = scratch();
        for below in ["other", "empty"] {
            fs::create_dir(dir.path().join(below)).expect("a directory");
        }
        git(&dir.path().join("other"), &["init", "-q"]);
        git(&dir.path().join("other"), &["commit", "-q", "--allow-empty", "-m", "other"]);
        let refs = git(&dir.path().join("other"), &["for-each-ref"]).stdout;
        let value = if name == "GIT_NAMESPACE" || name == "GIT_REPLACE_REF_BASE" {
            value.to_owned()
        } else {
            arg(&dir.path().join(value)).to_owned()
        };
        assert_eq!(made_with(dir.path(), Some((name, &value))), expected, "{name}");
        assert_eq!(fs::read_dir(dir.path().join("empty")).expect("a directory").count(), 0, "{name}");
        assert_eq!(git(&dir.path().join("other"), &["for-each-ref"]).stdout, refs, "{name}");
    }
}

/// A commit that is verified is the one with these bytes, and not what the repository would show in its place.
#[test]
fn replaced_objects_are_not_looked_at() {
    let dir = scratch();
    made_with(dir.path(), None);
    let store = dir.path().join("store");
    let id = |rev: &str| String::from_utf8_lossy(&git(&store, &["rev-parse", rev]).stdout).trim().to_owned();
    git(&store, &["replace", &id("HEAD:docket.json"), &id("HEAD:.gitignore")]);
    assert_eq!(git(&store, &["show", "HEAD:docket.json"]).stdout, git(&store, &["show", "HEAD:.gitignore"]).stdout);
    let verified = done(&store, &["verify", "--at", "HEAD"]);
    assert_eq!(verified["anchor"], "commit", "{verified}");
}

/// Whose repositories are trusted is said by the user and the system, never by a repository itself: git's rule.
#[test]
fn a_repository_cannot_vouch_for_itself() {
    let dir = scratch();
    made_with(dir.path(), None);
    let store = dir.path().join("store");
    // Only root can give a repository away; for others there is nothing to test.
    if std::os::unix::fs::chown(store.join(".git"), Some(12345), None).is_err()
        || std::os::unix::fs::chown(&store, Some(12345), None).is_err()
    {
        return;
    }
    let config = store.join(".git/config");
    let own = fs::read_to_string(&config).expect("a configuration");
    fs::write(&config, format!("{own}[safe]\n\tdirectory = *\n")).expect("written");
    let user = dir.path().join("user");
    for (text, trusted) in
        [("", false), ("[safe]\n\tdirectory = /elsewhere\n", false), ("[safe]\n\tdirectory = *\n", true)]
    {
        fs::write(&user, text).expect("written");
        let mut ours = docket(&store);
        ours.args(["verify", "--at", "HEAD"]).env("GIT_CONFIG_GLOBAL", &user);
        let ours = ours.output().expect("the program can be started");
        let mut theirs = Command::new("git");
        theirs.current_dir(&store).args(["rev-parse", "HEAD"]);
        theirs.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", &user);
        let theirs = theirs.output().expect("git can be started");
        assert_eq!(
            (ours.status.success(), theirs.status.success()),
            (trusted, trusted),
            "{text:?}: {ours:?} {theirs:?}"
        );
    }
    let (status, refused) = report(&store, &["verify", "--at", "HEAD"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"repo-untrusted".into()), "{refused}");
}
