//! A damaged store is never read as an empty one: whatever derives from it is refused, and what is committed says what it is of.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use git_docket::format::steps::{Step, Steps};
use git_docket::ops::place::Place;
use git_docket::ops::snapshot::{To, snapshot};
use serde_json::{Value, json};

use crate::support::{arg, done, files, git, onto_branch, report, scratch, testdata};

const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

fn thread() -> PathBuf {
    testdata("threads/acme-web-42")
}

fn observe(dir: &Path, input: &Path, more: &[&str]) -> Value {
    done(dir, &[&["--store", "store", "observe"], &AT[..], more, &[arg(input)]].concat())
}

/// A store in a work tree, committed, with a snapshot.
fn store(dir: &Path) -> PathBuf {
    done(dir, &["init", "store"]);
    observe(dir, &thread(), &["--commit"]);
    done(dir, &["--store", "store", "snapshot", "--commit"]);
    dir.join("store")
}

fn code(dir: &Path, args: &[&str]) -> (i32, String) {
    let (status, value) = report(dir, args);
    (status, value["error"]["code"].as_str().unwrap_or("none").to_owned())
}

fn tip(store: &Path, branch: &str) -> String {
    let shown = git(store, &["rev-parse", branch]).stdout;
    String::from_utf8(shown).expect("an id").trim().to_owned()
}

fn findings(dir: &Path, args: &[&str]) -> (i32, Vec<String>) {
    let (status, value) = report(dir, args);
    let rows = value["findings"].as_array().unwrap_or_else(|| panic!("{args:?}: {value}")).iter();
    let row =
        |row: &Value| format!("{} {}", row["code"].as_str().expect("a code"), row["path"].as_str().expect("a path"));
    (status, rows.map(row).collect())
}

/// Puts a link to the folder, or a file, in the place of a folder.
fn put_in_place(dir: &Path, folder: &Path, link: bool) {
    let aside = dir.join("aside");
    fs::rename(folder, &aside).expect("moved");
    if link {
        symlink(&aside, folder).expect("linked");
    } else {
        fs::write(folder, "").expect("written");
    }
}

#[test]
fn what_stands_in_the_place_of_a_folder_is_refused() {
    for folder in ["observations", "objects", "observations/github", "observations/github/github.com"] {
        for link in [true, false] {
            let dir = scratch();
            let store = store(dir.path());
            let before = tip(&store, "docket-snapshots");
            put_in_place(dir.path(), &store.join(folder), link);
            let top = !folder.contains('/');
            let refused = |args: &[&str], expected: &str| {
                let what = format!("{folder}, link: {link}: {args:?}");
                assert_eq!(code(dir.path(), args), (2, expected.to_owned()), "{what}");
            };
            // What lies deeper is a file among the observations that is none.
            refused(
                &["--store", "store", "snapshot", "--commit"],
                if top { "store-invalid" } else { "observation-invalid" },
            );
            assert_eq!(tip(&store, "docket-snapshots"), before);
            let entity = "github:github.com/acme/web/pull/42";
            refused(&["--store", "store", "stage", entity, "--out", "out"], "store-invalid");
            refused(&["--store", "store", "show", entity], "store-invalid");
            assert!(!dir.path().join("out").exists());
            if top {
                refused(&["sums", "store"], "store-invalid");
                refused(&[&["--store", "store", "observe"], &AT[..], &[arg(&thread())]].concat(), "store-invalid");
            }
            let finding = format!("{} {folder}", if link || top { "not-regular-file" } else { "file-extra" });
            for args in [&["verify", "store"][..], &["--store", "store", "verify", "--rebuild", "store"]] {
                let (status, found) = findings(dir.path(), args);
                assert!(status == 1 && found.contains(&finding), "{args:?}: {found:?}");
            }
        }
    }
}

#[test]
fn the_same_in_a_commit() {
    let dir = scratch();
    let store = store(dir.path());
    put_in_place(dir.path(), &store.join("observations"), true);
    git(&store, &["add", "-A"]);
    git(&store, &["commit", "-q", "-m", "a link"]);
    git(&store, &["switch", "-q", "--orphan", "other"]);
    let refused = |args: &[&str]| assert_eq!(code(dir.path(), args), (2, "store-invalid".to_owned()), "{args:?}");
    let at = ["--store", "store", "--ref", "docket-facts"];
    refused(&[&at[..], &["snapshot", "--commit"]].concat());
    refused(&[&at[..], &["stage", "acme/web#42", "--out", "out"]].concat());
    refused(&[&at[..], &["show", "acme/web#42", "--at", "docket-facts"]].concat());
    let (status, found) = findings(dir.path(), &[&at[..], &["verify"]].concat());
    assert!(status == 1 && found.contains(&"not-regular-file observations".to_owned()), "{found:?}");
}

#[test]
fn an_element_that_is_a_link_is_damage_and_no_gap() {
    for shard in [true, false] {
        let dir = scratch();
        let store = store(dir.path());
        let element = files(&store.join("objects")).into_keys().next().expect("an element");
        let at = store.join("objects").join(if shard { &element[..2] } else { &element });
        let aside = dir.path().join("aside");
        fs::rename(&at, &aside).expect("moved");
        symlink(&aside, &at).expect("linked");
        assert_eq!(code(dir.path(), &["--store", "store", "snapshot"]), (2, "element-corrupt".to_owned()));
        // One that is not there is a gap, as ever.
        fs::remove_file(&at).expect("removed");
        done(dir.path(), &["--store", "store", "snapshot"]);
    }
}

/// What the last snapshot says it is of.
fn trailer(store: &Path) -> String {
    let shown =
        git(store, &["log", "-1", "--format=%(trailers:key=Docket-Facts,valueonly)", "docket-snapshots"]).stdout;
    String::from_utf8(shown).expect("text").trim().to_owned()
}

#[test]
fn a_snapshot_names_the_commit_of_exactly_its_facts() {
    let dir = scratch();
    let store = store(dir.path());
    assert_eq!(trailer(&store), tip(&store, "HEAD"));
    // A fact less than the commit has.
    let looks = files(&store.join("observations"));
    let gone = looks.keys().find(|path| path.contains("/comments/")).expect("a look at comments");
    let gone = store.join("observations").join(gone);
    let bytes = fs::read(&gone).expect("read");
    fs::remove_file(&gone).expect("removed");
    done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    assert_eq!(trailer(&store), "uncommitted");
    // With it again, both are the same.
    fs::write(&gone, bytes).expect("written");
    done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    assert_eq!(trailer(&store), tip(&store, "HEAD"));
    done(dir.path(), &["--store", "store", "verify", "--at", "docket-snapshots", "--rebuild"]);
    // A fact more.
    observe(dir.path(), &testdata("deliveries/comment-created.json"), &[]);
    done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    assert_eq!(trailer(&store), "uncommitted");
}

/// Does something as soon as the first file is written.
struct Meanwhile<'m>(Mutex<Option<&'m (dyn Fn() + Sync)>>);

impl Steps for Meanwhile<'_> {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        let act = self.0.lock().expect("no panic").take();
        act.into_iter().for_each(|act| act());
        Ok(())
    }
}

#[test]
fn what_is_committed_while_a_snapshot_is_derived_is_not_said_to_be_in_it() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    observe(dir.path(), &thread(), &["--commit"]);
    let store = dir.path().join("store");
    let before = tip(&store, "HEAD");
    let another = || drop(observe(dir.path(), &testdata("threads/gitlab-mr-7"), &["--commit"]));
    let steps = Meanwhile(Mutex::new(Some(&another)));
    let place = Place::find(Some(&store), None, dir.path()).expect("a store");
    let to = To { message: None, now: "2026-03-05T00:00:00Z".parse().expect("a time") };
    let options = onto_branch(to, &steps);
    let made = snapshot(&place, &options).expect("made");
    assert_eq!((made.entities, steps.0.lock().expect("no panic").is_none()), (1, true), "{made:?}");
    assert_ne!(tip(&store, "HEAD"), before);
    assert_eq!(trailer(&store), before);
}

#[test]
fn a_refused_account_whose_record_is_damaged_is_not_passed_over() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    observe(dir.path(), &thread(), &[]);
    let (url, at) = ("https://api.github.com/users/mallory-new", "2026-03-01T00:00:00Z");
    let account = json!({"login": "mallory-new", "id": 9, "node_id": "U_9", "type": "User", "site_admin": false, "url": url,
        "html_url": "https://github.com/mallory-new", "public_repos": 1, "created_at": at, "updated_at": at});
    let line = json!({"method": "GET", "url": url, "status": 200, "body": account});
    fs::write(dir.path().join("account.ndjson"), format!("{line}\n")).expect("written");
    let observed = observe(dir.path(), &dir.path().join("account.ndjson"), &[]);
    assert_eq!(observed["observed"], 1, "{observed}");
    let args =
        ["--store", "store", "stage", "acme/web#42", "--out", "out", "--replace", "--deny-author", "mallory-new"];
    done(dir.path(), &args);
    let looks = files(&dir.path().join("store/observations"));
    let record = looks.keys().find(|path| path.contains("mallory")).unwrap_or_else(|| panic!("{:?}", looks.keys()));
    let record = dir.path().join("store/observations").join(record);
    let whole = fs::read(&record).expect("read");
    fs::write(&record, "junk").expect("written");
    assert_eq!(code(dir.path(), &args), (2, "observation-invalid".to_owned()));
    // Another thread may be what tells that somebody had the login.
    fs::write(&record, whole).expect("written");
    let api = "https://api.github.com/repos/acme/other";
    let issue = json!({"url": format!("{api}/issues/1"), "html_url": "https://github.com/acme/other/issues/1", "repository_url": api,
        "number": 1, "id": 70, "node_id": "I_70", "title": "t", "body": "b", "state": "open", "locked": false, "labels": [], "comments": 0,
        "user": {"login": "mallory-new", "id": 9, "type": "User"}, "created_at": at, "updated_at": at});
    fs::write(dir.path().join("other.json"), issue.to_string()).expect("written");
    observe(dir.path(), &dir.path().join("other.json"), &[]);
    done(dir.path(), &args);
    let looks = files(&dir.path().join("store/observations"));
    let other = looks.keys().find(|path| path.contains("acme/other")).unwrap_or_else(|| panic!("{:?}", looks.keys()));
    fs::write(dir.path().join("store/observations").join(other), "junk").expect("written");
    assert_eq!(code(dir.path(), &args), (2, "observation-invalid".to_owned()));
}

#[test]
fn what_cannot_be_read_may_be_what_is_asked_for() {
    let dir = scratch();
    let store = store(dir.path());
    let unknown = format!("sha256:{}", "0".repeat(64));
    let show = ["--store", "store", "show", "--raw", &unknown];
    assert_eq!(code(dir.path(), &show), (2, "input-unknown".to_owned()));
    let looks = files(&store.join("observations"));
    let comments = looks.keys().find(|path| path.contains("/comments/")).expect("a look at comments");
    fs::write(store.join("observations").join(comments), "junk").expect("written");
    assert_eq!(code(dir.path(), &show), (2, "observation-invalid".to_owned()));
    let newest = ["--store", "store", "show", "acme/web#42", "--raw", "comments"];
    assert_eq!(code(dir.path(), &newest), (2, "observation-invalid".to_owned()));
}

#[test]
fn sums_have_everything_that_a_store_has() {
    let dir = scratch();
    let store = store(dir.path());
    fs::write(dir.path().join("odd.json"), "{\"whatever\": 1}").expect("written");
    observe(dir.path(), &dir.path().join("odd.json"), &["--keep-unrecognised"]);
    fs::create_dir(store.join("erasures")).expect("made");
    fs::write(store.join("erasures/note.json"), "{}").expect("written");
    let sums = done(dir.path(), &["sums", "store"]);
    let text = sums.to_string();
    for path in files(&store).keys() {
        assert!(text.contains(path.as_str()), "{path} is not in {text}");
    }
}

/// A file of so many bytes, of which none takes room.
fn sparse(path: &Path, bytes: u64) {
    fs::create_dir_all(path.parent().expect("above")).expect("made");
    fs::File::create(path).and_then(|file| file.set_len(bytes)).expect("made");
}

#[test]
fn a_record_that_is_too_large_is_a_finding() {
    let dir = scratch();
    let store = store(dir.path());
    let digits = "0".repeat(64);
    let large = [
        (format!("erasures/{digits}.json"), "not-canonical", 65 << 20),
        (format!("observations/github/x-{}.json", &digits[..32]), "observation-invalid", 65 << 20),
        (format!("stages/{digits}.json"), "stage-invalid", 65 << 20),
        (format!("stages/{digits}/{}.json", &digits[..32]), "stage-invalid", 65 << 20),
        (format!("unrecognised/20260101T000000Z-{}.json", &digits[..32]), "observation-invalid", 1 << 20),
    ];
    large.iter().for_each(|(path, _, bytes)| sparse(&store.join(path), *bytes));
    let (status, found) = findings(dir.path(), &["verify", "store"]);
    let expected: Vec<_> = large.iter().map(|(path, code, _)| format!("{code} {path}")).collect();
    assert_eq!((status, found), (1, expected));
    // What is kept is told from it all the same.
    fs::remove_file(store.join(&large[1].0)).expect("removed");
    fs::write(dir.path().join("odd.json"), "{\"whatever\": 1}").expect("written");
    observe(dir.path(), &dir.path().join("odd.json"), &["--keep-unrecognised"]);
}

#[test]
fn a_commit_whose_tree_is_not_there_is_not_one_without_facts() {
    let dir = scratch();
    git(dir.path(), &["init", "-q", "-b", "main", "repo"]);
    let repo = dir.path().join("repo");
    done(&repo, &["init", "store"]);
    observe(&repo, &thread(), &[]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-q", "-m", "facts"]);
    done(&repo, &["--store", "store", "snapshot", "--commit"]);
    let tree = tip(&repo, "HEAD:store");
    fs::remove_file(repo.join(".git/objects").join(&tree[..2]).join(&tree[2..])).expect("removed");
    assert_eq!(
        code(&repo, &["--store", "store", "observe", "--commit", arg(&thread())]),
        (2, "object-missing".to_owned())
    );
    observe(&repo, &testdata("deliveries/comment-created.json"), &[]);
    assert_eq!(code(&repo, &["--store", "store", "snapshot", "--commit"]), (2, "object-missing".to_owned()));
}
