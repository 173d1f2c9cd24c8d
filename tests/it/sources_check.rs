//! Drift: every class of it, in the work tree and in revisions, and what cannot be decided.

use git_docket::format::atif::text_digest;
use git_docket::format::source::Reference;
use git_docket::ops::sources::{CheckOptions as Options, CheckReport as Report, check, references_from};
use git_docket::sources::drift::Status;
use proptest::prelude::*;

use crate::sources_support::{Repo, git};

fn checked(repo: &Repo, at: Option<&str>, references: &[Reference]) -> Report {
    let options = Options { dir: repo.path(), at: at.map(str::to_owned) };
    check(&options, references.to_vec()).expect("a check")
}

fn row(report: &Report, at: usize) -> (Status, Option<(&str, u64)>, Option<&str>) {
    let drift = &report.references[at].1;
    (drift.status, drift.position.as_ref().map(|(path, line)| (path.as_str(), *line)), drift.reason)
}

/// A reference as a collection makes it.
fn quote(repo: &Repo, path: &str, line: u64, base: Option<&str>) -> Reference {
    let text = std::fs::read_to_string(repo.path().join(path)).expect("the source");
    let quoted = text.lines().nth(line as usize - 1).expect("the line");
    Reference {
        path: path.to_owned(),
        line,
        source_digest: text_digest(&text),
        excerpt_digest: text_digest(quoted),
        truncated: false,
        base: base.map(str::to_owned),
    }
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

/// A change, and what becomes of line 3 of the file.
#[test]
fn every_class_in_the_work_tree_and_in_a_revision() {
    type Case = (&'static str, fn(&Repo), Status, Option<(&'static str, u64)>, Option<&'static str>);
    let cases: [Case; 13] = [
        ("nothing", |_| (), Status::Same, Some(("f", 3)), None),
        ("a line below", |r| r.put("f", format!("{TEXT}nine\n")), Status::Same, Some(("f", 3)), None),
        ("a line above", |r| r.put("f", format!("zero\n{TEXT}")), Status::Moved, Some(("f", 4)), None),
        ("the line edited", |r| r.put("f", TEXT.replace("three", "drei")), Status::Changed, None, None),
        ("the nearest copy", |r| r.put("f", "x\nthree\nx\nx\nx\nthree\n"), Status::Moved, Some(("f", 2)), None),
        ("line ends", |r| r.put("f", TEXT.replace('\n', "\r\n")), Status::Same, Some(("f", 3)), None),
        ("emptied", |r| r.put("f", ""), Status::Changed, None, None),
        ("deleted", |r| drop(r.git(&["rm", "-q", "f"])), Status::Gone, None, None),
        ("renamed", |r| drop(r.git(&["mv", "f", "g"])), Status::Moved, Some(("g", 3)), None),
        (
            "renamed and changed",
            |r| {
                r.git(&["mv", "f", "g"]);
                r.write("g", format!("zero\n{TEXT}")).git(&["add", "g"]);
            },
            Status::Moved,
            Some(("g", 4)),
            None,
        ),
        (
            "renamed, the line edited",
            |r| {
                r.git(&["mv", "f", "g"]);
                r.write("g", TEXT.replace("three", "drei")).git(&["add", "g"]);
            },
            Status::Changed,
            None,
            Some("renamed"),
        ),
        ("no longer UTF-8", |r| r.put("f", b"three\xff\n"), Status::Unknown, None, Some("not-utf8")),
        ("too large", |r| r.put("f", vec![b'x'; (1 << 20) + 1]), Status::Unknown, None, Some("too-large")),
    ];
    for (name, change, status, position, reason) in cases {
        let repo = Repo::new();
        repo.write("f", TEXT).write("other", "quite another text\nwith lines\n");
        let base = repo.commit();
        let references = [quote(&repo, "f", 3, Some(&base))];
        change(&repo);
        assert_eq!(row(&checked(&repo, None, &references), 0), (status, position, reason), "{name}, work tree");
        let now = repo.commit();
        let report = checked(&repo, Some("HEAD"), &references);
        assert_eq!(row(&report, 0), (status, position, reason), "{name}, revision");
        assert_eq!(report.at, Some(now));
        assert!(checked(&repo, Some(&base), &references).all_same(), "{name}, the base itself");
    }
}

#[test]
fn what_stands_in_the_way_of_a_file() {
    let repo = Repo::new();
    repo.write("d/f", TEXT).write("l", TEXT);
    let base = repo.commit();
    let references = [quote(&repo, "d/f", 1, Some(&base)), quote(&repo, "l", 1, Some(&base))];
    std::fs::remove_dir_all(repo.path().join("d")).expect("removed");
    std::fs::remove_file(repo.path().join("l")).expect("removed");
    repo.write("d", "a file now\n").write("elsewhere/f", "one\n");
    std::os::unix::fs::symlink("elsewhere/f", repo.path().join("l")).expect("a link");
    let report = checked(&repo, None, &references);
    assert_eq!(row(&report, 0), (Status::Gone, None, None));
    assert_eq!(row(&report, 1), (Status::Gone, None, Some("not-a-file")));
    repo.commit();
    let report = checked(&repo, Some("HEAD"), &references);
    assert_eq!(row(&report, 0), (Status::Gone, None, None));
    assert_eq!(row(&report, 1), (Status::Gone, None, Some("not-a-file")));
}

#[test]
fn what_cannot_be_decided_is_unknown() {
    let repo = Repo::new();
    repo.write("f", TEXT).commit();
    let absent = "1".repeat(40);
    let mut unsafe_path = quote(&repo, "f", 1, None);
    let here = unsafe_path.clone();
    let gone = Reference { path: "gone".to_owned(), base: Some(absent.clone()), ..here.clone() };
    let forged = Reference { excerpt_digest: text_digest("never stood here"), ..here.clone() };
    let report = checked(&repo, None, &[gone.clone(), forged.clone()]);
    assert_eq!(row(&report, 0), (Status::Unknown, None, Some("no-such-commit")));
    assert_eq!(row(&report, 1), (Status::Unknown, None, Some("reference-inconsistent")));
    let report = checked(&repo, Some(&absent), std::slice::from_ref(&here));
    assert_eq!((report.at.clone(), row(&report, 0)), (None, (Status::Unknown, None, Some("no-such-commit"))));
    for path in ["../f", "/f", "./f", "a//b", "f/", ".git/config", "x/.GIT/y", &"d/".repeat(3000)] {
        unsafe_path.path = path.to_owned();
        for at in [None, Some("HEAD")] {
            let report = checked(&repo, at, std::slice::from_ref(&unsafe_path));
            assert_eq!(row(&report, 0), (Status::Unknown, None, Some("path-unsafe")), "{path}");
        }
    }
    let options = Options { dir: repo.path(), at: Some("no-such-branch".to_owned()) };
    let error = check(&options, vec![here]).expect_err("trouble");
    assert_eq!(
        (error.code(), error.to_string().contains("no-such-branch: no such revision")),
        ("revision-unknown", true)
    );
}

#[test]
fn shallow_partial_and_bare_repositories_say_what_they_lack() {
    let repo = Repo::new();
    repo.write("f", TEXT);
    let base = repo.commit();
    let references = [quote(&repo, "f", 3, Some(&base))];
    repo.git(&["mv", "f", "g"]);
    let now = repo.commit();
    let url = format!("file://{}", repo.path().display());
    let clone = |args: &[&str], name: &str| {
        let dir = repo.outside(name);
        let mut all = vec!["clone", "-q"];
        all.extend(args);
        let target = dir.display().to_string();
        all.extend([url.as_str(), target.as_str()]);
        git(repo.path().parent().expect("a parent"), &all);
        dir
    };
    let at = |dir: std::path::PathBuf, at: Option<&str>| {
        check(&Options { dir, at: at.map(str::to_owned) }, references.to_vec()).expect("a check")
    };
    let shallow = clone(&["--depth=1"], "shallow");
    assert_eq!(row(&at(shallow.clone(), None), 0), (Status::Unknown, None, Some("shallow")));
    assert_eq!(row(&at(shallow, Some("HEAD")), 0), (Status::Unknown, None, Some("shallow")));
    let bare = clone(&["--bare"], "bare");
    assert_eq!(row(&at(bare.clone(), Some(&now)), 0), (Status::Moved, Some(("g", 3)), None));
    assert_eq!(
        check(&Options { dir: bare, at: None }, references.to_vec()).expect_err("trouble").code(),
        "worktree-missing"
    );
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let partial = clone(&["--filter=blob:none", "--no-checkout"], "partial");
    assert_eq!(row(&at(partial.clone(), Some(&base)), 0), (Status::Unknown, None, Some("unreadable")));
    let fetched = git(&partial, &["rev-list", "--objects", "--all", "--missing=print"]);
    assert!(fetched.contains('?'), "an offline check fetched what was missing");
}

#[test]
fn a_rename_that_was_not_added_is_no_rename_of_git() {
    let repo = Repo::new();
    repo.write("f", TEXT);
    let base = repo.commit();
    let references = [quote(&repo, "f", 3, Some(&base)), Reference { base: None, ..quote(&repo, "f", 3, None) }];
    std::fs::rename(repo.path().join("f"), repo.path().join("g")).expect("renamed");
    assert_eq!(row(&checked(&repo, None, &references), 0).0, Status::Gone);
    repo.git(&["add", "g"]);
    let report = checked(&repo, None, &references);
    assert_eq!(row(&report, 0), (Status::Moved, Some(("g", 3)), None), "the old path is still in the index");
    assert_eq!(row(&report, 1), (Status::Gone, None, None), "without a base there is nothing to compare with");
}

#[test]
fn many_references_to_a_file_are_answered_in_their_order() {
    let repo = Repo::new();
    let text: String = (0..400).map(|n| format!("line {}\n", n % 100)).collect();
    repo.write("f", &text).write("g", &text);
    let base = repo.commit();
    let lines = (1..=400).rev().flat_map(|line| [("f", line), ("g", line)]);
    let references: Vec<Reference> = lines.map(|(path, line)| quote(&repo, path, line, Some(&base))).collect();
    repo.write("f", format!("new\n{text}"));
    let report = checked(&repo, None, &references);
    for ((reference, drift), before) in report.references.iter().zip(&references) {
        assert_eq!(reference, before);
        let (status, line) =
            if reference.path == "f" { (Status::Moved, reference.line + 1) } else { (Status::Same, reference.line) };
        assert_eq!((drift.status, drift.position.clone()), (status, Some((reference.path.clone(), line))));
    }
    assert_eq!((report.count(Status::Same), report.count(Status::Moved)), (400, 400));
    let json = report.to_json();
    assert_eq!((&json["counts"]["same"], &json["same"]), (&400.into(), &false.into()));
    assert_eq!(json["references"][0]["now"], serde_json::json!({"path": "f", "line": 401}));
    assert_eq!(
        (&json["references"][0]["occurrences"], &json["references"][0]["source"]),
        (&4.into(), &"changed".into())
    );
}

#[test]
fn references_come_from_records_lists_and_lines() {
    let repo = Repo::new();
    repo.write("a", "needle\nneedle\n").commit();
    let report = repo.collect("needle");
    let expected = report.context.references.clone();
    let lines: String = expected.iter().map(|reference| reference.to_line() + "\n").collect();
    let list = format!("[{}]", expected.iter().map(Reference::to_line).collect::<Vec<_>>().join(","));
    let context = serde_json::to_string(&report.context).expect("a context");
    let step = format!("{{\"extensions\":{{\"repository_context\":{context}}},\"x\":1}}");
    let report_text = serde_json::to_string(&report).expect("a report");
    for text in [lines, list, context, step, report_text, report.block.clone()] {
        assert_eq!(references_from(text.as_bytes()).expect("references"), expected, "{text}");
    }
    let one = expected[0].to_line();
    let wrong = [
        String::new(),
        "not JSON".to_owned(),
        "{}".to_owned(),
        "{\"schema\":\"openagents.repository-source.v2\"}".to_owned(),
        one.replace("\"line\":1", "\"line\":0"),
        one.replace("\"line\":1", "\"line\":1.5"),
        one.replace("\"truncated\":false", "\"truncated\":0"),
        one.replace("\"path\":\"a\"", "\"path\":\"\""),
        one.replace("\"path\":\"a\"", "\"path\":\"a\",\"path\":\"b\""),
        one.replace("\"source_digest\":\"", "\"source_digest\":\"sha256:"),
        one.replace("\"base\"", "\"Base\""),
    ];
    for text in wrong {
        assert_eq!(references_from(text.as_bytes()).expect_err("refused").code(), "sources-invalid", "{text}");
    }
    let later = one.replace("{\"schema\"", "{\"later\":[1],\"schema\"");
    assert_eq!(references_from(later.as_bytes()).expect("what is not named is passed over"), expected[..1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// No input makes the reader panic, and what it accepts it writes back.
    #[test]
    fn the_reader_survives_any_bytes(at in 0usize..400, byte in any::<u8>(), cut in 0usize..400) {
        let reference = Reference {
            path: "a/ü\n".to_owned(),
            line: 7,
            source_digest: text_digest("s"),
            excerpt_digest: text_digest("e"),
            truncated: true,
            base: Some("0".repeat(40)),
        };
        let mut bytes = reference.to_line().into_bytes();
        prop_assert_eq!(references_from(&bytes).expect("a reference"), vec![reference]);
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(found) = references_from(&bytes) {
            for reference in found {
                prop_assert_eq!(references_from(reference.to_line().as_bytes()).expect("a reference"), vec![reference]);
            }
        }
        bytes.truncate(cut);
        let _ = references_from(&bytes);
    }
}
