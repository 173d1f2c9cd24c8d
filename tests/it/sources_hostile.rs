//! Hostile repositories: nothing is executed, nothing outside is read, nothing hangs.

use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use git_docket::format::source::Reference;
use git_docket::git::search::{Folding, Search, search};
use git_docket::git::worktree::{NotAWorktree, Worktree};
use git_docket::git::worktree_read::Opened;
use git_docket::ops::sources::{CheckOptions, check};
use git_docket::ops::sources::{CollectOptions as Options, How, Wanted, collect};
use git_docket::sources::Rules;

use crate::sources_support::{Repo, git_engine, patient, patiently, skipped};

const SECRET: &str = "needle of a stranger";

/// Everything that a report could carry out of the repository.
fn all(report: &git_docket::ops::sources::CollectReport) -> String {
    serde_json::to_string(report).expect("a report")
}

#[test]
fn nothing_that_a_repository_configures_is_executed() {
    let repo = Repo::new();
    repo.write("a", "needle\nline two\nline three\n").write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    let base = repo.commit();
    let mark = repo.outside("mark");
    let script = repo.outside("evil.sh");
    std::fs::write(&script, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display())).expect("a script");
    Command::new("chmod").arg("+x").arg(&script).status().expect("chmod runs");
    let evil = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "pager.grep",
        "core.editor",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "diff.external",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "merge.evil.driver",
        "uploadpack.packObjectsHook",
        "credential.helper",
        "gpg.program",
    ] {
        repo.git(&["config", key, &evil]);
    }
    repo.git(&["config", "core.hooksPath", &repo.outside("hooks").display().to_string()]);
    std::fs::create_dir(repo.outside("hooks")).expect("a directory");
    for hook in ["post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"] {
        std::fs::copy(&script, repo.outside("hooks").join(hook)).expect("a hook");
    }
    let plain = Command::new("git").arg("-C").arg(repo.path()).args(["status", "--short"]).output().expect("git runs");
    assert!(mark.exists(), "plain git would have run something: {plain:?}");
    std::fs::remove_file(&mark).expect("removed");

    for engine in [Default::default(), git_engine()] {
        for rules in [Rules::Safe, Rules::OpenAgents] {
            let how = How { engine: engine.clone(), ..patiently() };
            let options = Options { rules, how, ..patient(repo.path(), "needle") };
            assert_eq!(collect(&options).expect("a collection").context.references.len(), 1);
        }
    }
    let references = repo.collect("needle").context.references;
    std::fs::rename(repo.path().join("a"), repo.path().join("b")).expect("renamed");
    for at in [None, Some(base)] {
        let options = CheckOptions { dir: repo.path(), at };
        check(&options, references.clone()).expect("a check");
    }
    assert!(!mark.exists(), "executed: {}", std::fs::read_to_string(&mark).unwrap_or_default());
}

#[test]
fn links_lead_nowhere() {
    let repo = Repo::new();
    let outside = repo.outside("outside");
    std::fs::create_dir(&outside).expect("a directory");
    std::fs::write(outside.join("file"), SECRET).expect("a file");
    repo.write("dir/file", "needle inside").write("sub/file", "needle in sub").write("plain", "needle plain");
    std::os::unix::fs::symlink("../outside/file", repo.path().join("tracked-link")).expect("a link");
    repo.commit();
    for dir in ["dir", "sub"] {
        std::fs::remove_dir_all(repo.path().join(dir)).expect("removed");
    }
    std::os::unix::fs::symlink(&outside, repo.path().join("dir")).expect("a link");
    std::os::unix::fs::symlink("real", repo.path().join("sub")).expect("a link");
    repo.write("real/file", "needle real");
    for engine in [Default::default(), git_engine()] {
        let options = Options { how: How { engine, ..patiently() }, ..patient(repo.path(), "needle") };
        let report = collect(&options).expect("a collection");
        assert!(!all(&report).contains("stranger"));
        assert_eq!(report.context.references.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["plain"]);
        assert_eq!(report.context.diagnostics, ["excluded linked source", "excluded source outside repository"]);
    }
    for path in ["dir/file", "tracked-link", "sub/file", "../outside/file", "/etc/passwd", "dir/../dir/file"] {
        let wanted = Wanted::Places(vec![(path.to_owned(), 1)]);
        let report = collect(&Options { wanted, ..patient(repo.path(), "") }).expect("a collection");
        assert_eq!(report.context.references, [], "{path}");
        assert_eq!(report.context.diagnostics.len(), 1, "{path}");
    }
}

/// Between the search and the read the file becomes a link: the read opens once and asks what it opened.
#[test]
fn a_link_put_in_place_after_the_search_is_not_followed() {
    let repo = Repo::new();
    std::fs::write(repo.outside("secret"), SECRET).expect("a file");
    repo.write("a", "needle").write("d/b", "needle").commit();
    let worktree = Worktree::open(&repo.path()).expect("a work tree");
    let (terms, stop) = (["needle".to_owned()], AtomicBool::new(false));
    let what = Search { terms: &terms, folding: Folding::Unicode, follow_links: false, capture: 1000, stop: &stop };
    let hits = search(&worktree, &what).expect("a search");
    assert_eq!(hits.terms[0].as_ref().map(Vec::len), Some(2));
    std::fs::remove_file(repo.path().join("a")).expect("removed");
    std::os::unix::fs::symlink("../secret", repo.path().join("a")).expect("a link");
    assert!(matches!(worktree.directory().open_file(b"a"), Opened::Linked { outside: true, last: true }));
    std::fs::rename(repo.path().join("d"), repo.outside("d")).expect("moved");
    std::os::unix::fs::symlink("../d", repo.path().join("d")).expect("a link");
    assert!(matches!(worktree.directory().open_file(b"d/b"), Opened::Linked { outside: true, last: false }));
}

/// A file that flips between content and link all the time: whatever is caught, it is never the stranger's.
#[test]
fn a_flipping_link_never_shows_what_it_leads_to() {
    let repo = Repo::new();
    std::fs::write(repo.outside("secret"), SECRET).expect("a file");
    repo.write("a", "needle inside\n").write("README.md", "readme\n").commit();
    let (path, stop) = (repo.path(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let spare = path.join("spare");
            while !stop.load(Ordering::Relaxed) {
                for name in ["a", "README.md"] {
                    std::os::unix::fs::symlink("../secret", &spare).expect("a link");
                    std::fs::rename(&spare, path.join(name)).expect("renamed");
                    std::fs::write(&spare, "needle inside\n").expect("a file");
                    std::fs::rename(&spare, path.join(name)).expect("renamed");
                }
            }
        });
        let leaks = (0..150).filter(|_| all(&repo.collect("needle")).contains("stranger")).count();
        stop.store(true, Ordering::Relaxed);
        assert_eq!(leaks, 0);
    });
}

#[test]
fn special_files_neither_block_nor_count() {
    let repo = Repo::new();
    repo.write("pipe", "needle").write("socket", "needle").write("dir", "needle").write("plain", "needle");
    repo.write("README.md", "x").commit();
    for name in ["pipe", "socket", "dir", "README.md"] {
        std::fs::remove_file(repo.path().join(name)).expect("removed");
    }
    for name in ["pipe", "README.md"] {
        assert!(Command::new("mkfifo").arg(repo.path().join(name)).status().expect("mkfifo runs").success());
    }
    let _socket = std::os::unix::net::UnixListener::bind(repo.path().join("socket")).expect("a socket");
    std::fs::create_dir(repo.path().join("dir")).expect("a directory");
    let report = repo.collect("needle");
    assert_eq!(report.context.references.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["plain"]);
    assert!(report.card.contains("README.md:\n[not quoted"));
    assert_eq!(repo.collect_as_openagents("needle").context.references.len(), 1);
    for name in ["pipe", "socket", "dir"] {
        let wanted = Wanted::Places(vec![(name.to_owned(), 1)]);
        let report = collect(&Options { wanted, ..patient(repo.path(), "") }).expect("a collection");
        assert_eq!(report.context.diagnostics, ["excluded non-file source"], "{name}");
    }
}

/// Rewrites a path in the index to one that git itself would never add. A checksum of zeroes means that none was made.
fn forge_path(repo: &Repo, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let path = repo.path().join(".git/index");
    let mut bytes = std::fs::read(&path).expect("the index");
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("the path");
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    let end = bytes.len();
    bytes[end - 20..].fill(0);
    std::fs::write(path, bytes).expect("the index");
}

#[test]
fn a_forged_index_reaches_neither_gits_own_files_nor_the_outside() {
    for (real, forged) in [
        ("xgit/config", ".git/config"),
        ("xx/secret", "../secret"),
        ("x/y/z/..a", "x/../../s"),
        ("xetc/hosts", "/etc/hosts"),
    ] {
        let repo = Repo::new();
        std::fs::write(repo.outside("secret"), SECRET).expect("a file");
        std::fs::write(repo.outside("s"), SECRET).expect("a file");
        repo.write(real, "needle").write("plain", "needle").commit();
        repo.git(&["config", "remote.origin.url", "https://needle:stranger@example.com/x"]);
        forge_path(&repo, real, forged);
        let report = repo.collect("needle localhost");
        assert!(
            !all(&report).contains("stranger") && !all(&report).contains("127.0.0.1"),
            "{forged}: {}",
            report.block
        );
    }
}

#[test]
fn a_damaged_index_makes_the_search_unavailable() {
    let repo = Repo::new();
    repo.write("a", "needle").commit();
    let index = repo.path().join(".git/index");
    let whole = std::fs::read(&index).expect("the index");
    for cut in [0, 5, 12, 40, whole.len() - 1] {
        std::fs::write(&index, &whole[..cut]).expect("the index");
        let said = repo.collect("needle").context.diagnostics;
        assert_eq!(said, ["search unavailable or exceeded its capture bound"], "cut at {cut}");
    }
    std::fs::remove_file(&index).expect("removed");
    assert!(Command::new("mkfifo").arg(&index).status().expect("mkfifo runs").success());
    assert_eq!(repo.collect("needle").context.diagnostics, ["search unavailable or exceeded its capture bound"]);
}

#[test]
fn names_that_are_no_text_are_said() {
    let repo = Repo::new();
    std::fs::write(repo.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt")), "needle").expect("a file");
    repo.write("new\nline", "needle").commit();
    let report = repo.collect("needle");
    assert_eq!(report.context.references.len(), 1);
    assert_eq!(report.context.diagnostics, ["excluded unsafe source path"]);
    assert_eq!(repo.collect_as_openagents("needle").context.diagnostics, ["source unavailable"]);
}

#[test]
fn a_repository_does_not_say_where_it_is() {
    let repo = Repo::new();
    repo.write("a", "needle").commit();
    repo.git(&["config", "core.worktree", "/"]);
    assert!(matches!(Worktree::open(&repo.path()), Err(NotAWorktree::Elsewhere(_))));
    let error = collect(&patient(repo.path(), "needle")).expect_err("refused");
    assert_eq!((error.code(), error.hint_text().is_some()), ("worktree-elsewhere", true));
    let other = Repo::new();
    other.write("a", "needle").commit();
    assert!(matches!(Worktree::open(&other.path().join(".git")), Err(NotAWorktree::Bare(_))));
    assert!(matches!(Worktree::open(&other.outside("none")), Err(NotAWorktree::Broken { .. })));
    let plain = tempfile::tempdir().expect("a directory");
    assert!(matches!(Worktree::open(plain.path()), Err(NotAWorktree::NoRepository(_))));
}

#[test]
fn linked_work_trees_and_submodules_are_work_trees() {
    let repo = Repo::new();
    repo.write("a", "needle").commit();
    let linked = repo.outside("linked");
    repo.git(&["worktree", "add", "-q", "-b", "side", &linked.display().to_string()]);
    let report = collect(&patient(&linked, "needle")).expect("a collection");
    assert_eq!(report.context.references.len(), 1);
    assert!(report.card.starts_with("repo: linked (branch side)\n"), "{}", report.card);
    let host = Repo::new();
    let url = repo.path().display().to_string();
    host.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "module"]);
    host.write("own", "needle").commit();
    let report = host.collect("needle");
    assert_eq!(report.context.references.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["own"]);
    let inside = collect(&patient(host.path().join("module"), "needle")).expect("a collection");
    assert_eq!(inside.context.references.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["a"]);
    // A reference that leads into a submodule is not looked up there.
    let reference = Reference { path: "module/a".to_owned(), ..inside.context.references[0].clone() };
    let options = CheckOptions { dir: host.path(), at: None };
    let drift = check(&options, vec![reference]).expect("a check").references.remove(0).1;
    assert_eq!((drift.status.name(), drift.source_same), ("unknown", None), "its base is a commit of the submodule");
}

/// Git goes through a link that stands for a directory: what it finds there takes no place with either engine.
#[test]
fn what_lies_behind_a_link_takes_no_place_with_either_engine() {
    let repo = Repo::new();
    repo.write("dir/a", "needle").write("sub/b", "needle").write("other/c", "word").write("real/b", "needle real");
    (0..7).for_each(|at| repo.put(&format!("z{at}"), "needle"));
    repo.commit();
    std::fs::create_dir(repo.outside("outside")).expect("a directory");
    for name in ["a", "c"] {
        std::fs::write(repo.outside("outside").join(name), SECRET).expect("a file");
    }
    for (name, to) in [("dir", "../outside"), ("sub", "real"), ("other", "../outside")] {
        std::fs::remove_dir_all(repo.path().join(name)).expect("removed");
        std::os::unix::fs::symlink(to, repo.path().join(name)).expect("a link");
    }
    let reports = [Default::default(), git_engine()].map(|engine| {
        let how = How { engine, ..patiently() };
        collect(&Options { how, ..patient(repo.path(), "needle") }).expect("a collection")
    });
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0].context.references.len(), 8, "{}", reports[0].block);
    assert_eq!(reports[0].context.diagnostics, ["excluded linked source", "excluded source outside repository"]);
}

#[test]
fn another_users_repository_is_refused_with_the_remedy() {
    let repo = Repo::new();
    repo.write("a", "needle").commit();
    let chown = Command::new("chown").args(["-R", "12345"]).arg(repo.path()).output().expect("chown runs");
    if !chown.status.success() {
        skipped("only root can give a file away");
        return;
    }
    let error = collect(&patient(repo.path(), "needle")).expect_err("refused");
    assert_eq!(error.code(), "repo-untrusted");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("safe.directory")));
    let theirs = repo.collect_as_openagents("needle");
    assert_eq!(theirs.context.diagnostics, ["search unavailable or exceeded its capture bound"]);
}

#[test]
fn the_branch_is_named_as_git_names_it() {
    let repo = Repo::new();
    assert!(repo.collect("x").card.starts_with("repo: repo\n"), "unborn");
    repo.write("a", "x").commit();
    assert!(repo.collect("x").card.starts_with("repo: repo (branch main)\n"));
    repo.git(&["tag", "main"]);
    assert_eq!(repo.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "heads/main");
    assert!(repo.collect("x").card.starts_with("repo: repo (branch heads/main)\n"));
    repo.git(&["checkout", "-q", "-b", "feature/x"]);
    assert!(repo.collect("x").card.starts_with("repo: repo (branch feature/x)\n"));
    repo.git(&["checkout", "-q", "--detach"]);
    assert!(repo.collect("x").card.starts_with("repo: repo\n"), "detached");
}
