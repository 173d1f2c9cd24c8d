//! Repositories that want to run something, belong to somebody else, or claim too much.

use std::os::unix::fs::PermissionsExt;

use git_docket::format::tree::{FileKind, Tree};
use git_docket::git::{Repo, Staged};

use super::{Place, commit_files, unhindered};

#[test]
fn nothing_configured_is_ever_run() {
    let place = Place::new();
    place.sample("work", &[]);
    let mark = place.path("mark");
    let script = format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexit 1\n", mark.display());
    place.file("evil", script.as_bytes());
    let evil = place.path("evil").display().to_string();
    let executable = || std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("evil"), executable()).expect("executable");
    for hook in
        ["pre-commit", "post-commit", "reference-transaction", "post-index-change", "update", "fsmonitor-watchman"]
    {
        place.file(&format!("work/.git/hooks/{hook}"), script.as_bytes());
        std::fs::set_permissions(place.path(&format!("work/.git/hooks/{hook}")), executable()).expect("executable");
    }
    place.file("work/.git/info/attributes", b"* filter=evil diff=evil merge=evil\n");
    for key in [
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
        "gpg.program",
        "core.sshCommand",
        "core.editor",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "core.alternateRefsCommand",
    ] {
        // git itself would run some of these while being told about them.
        let text = std::fs::read_to_string(place.path("work/.git/config")).expect("a configuration");
        let (section, name) = key.rsplit_once('.').expect("a key");
        let section = section.split_once('.').map_or(section.to_owned(), |(a, b)| format!("{a} \"{b}\""));
        place.file("work/.git/config", format!("{text}[{section}]\n\t{name} = {evil}\n").as_bytes());
    }
    let text = std::fs::read_to_string(place.path("work/.git/config")).expect("a configuration");
    place.file("work/.git/config", format!("{text}[commit]\n\tgpgsign = true\n").as_bytes());

    let repo = place.open("work");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let tree = repo.tree(&head, "").expect("a tree");
    for entry in tree.list("").expect("lists") {
        tree.read(&entry.path, 1 << 20).expect("reads");
    }
    place.file("work/f", b"f");
    commit_files(&repo, "refs/heads/main", &[("f", b"f")], unhindered()).expect("commits");
    let now = repo.resolve("main").expect("resolves").expect("exists");
    let now = repo.tree(&now, "").expect("a tree");
    let id = now.file_id("f").expect("finds").expect("is there");
    repo.index_update(&[Staged { path: "f".to_owned(), blob: Some((id, 1)) }], unhindered()).expect("updates");
    assert!(!mark.exists(), "something ran: {:?}", std::fs::read_to_string(&mark));
}

/// Runs in a process of its own, started by the test below with a hostile home; without one there is nothing to do.
#[test]
fn child_with_a_hostile_home() {
    let Some(dir) = std::env::var_os("GIT_DOCKET_TEST_NEW").map(std::path::PathBuf::from) else { return };
    let repo = Repo::init(&dir, "main", unhindered()).expect("initialises");
    assert_eq!(repo.identity(7).name, "Configured");
    commit_files(&repo, "refs/heads/main", &[("f", b"f\r\n")], unhindered()).expect("commits");
    std::fs::write(dir.join("f"), b"f\r\n").expect("a file");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let id = repo.tree(&head, "").expect("a tree").file_id("f").expect("finds").expect("is there");
    repo.index_update(&[Staged { path: "f".to_owned(), blob: Some((id, 3)) }], unhindered()).expect("updates");
}

#[test]
fn the_users_configuration_changes_nothing_and_runs_nothing() {
    let place = Place::new();
    let mark = place.path("mark");
    let script = format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexit 1\n", mark.display());
    let evil = |path: &str| {
        place.file(path, script.as_bytes());
        std::fs::set_permissions(place.path(path), std::fs::Permissions::from_mode(0o755)).expect("executable");
        place.path(path).display().to_string()
    };
    // Also a git that must not be asked.
    let (git, hook) = (evil("bin/git"), evil("template/hooks/post-commit"));
    let (bin, template) = (git.trim_end_matches("/git"), hook.trim_end_matches("/hooks/post-commit"));
    evil("template/hooks/reference-transaction");
    let config = format!(
        "[user]\n\tname = Configured\n\temail = c@example.com\n\tsigningKey = X\n[commit]\n\tgpgsign = true\n\
         [gpg]\n\tprogram = {git}\n[init]\n\ttemplateDir = {template}\n\tdefaultBranch = evil\n\
         \tdefaultObjectFormat = sha256\n\tdefaultRefFormat = reftable\n\
         [core]\n\tautocrlf = input\n\tfsmonitor = {git}\n\thooksPath = {template}/hooks\n\tbare = true\n\tabbrev = 4\n"
    );
    place.file("home/.gitconfig", config.as_bytes());
    let out = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "git::hostile::child_with_a_hostile_home"])
        .env_clear()
        .env("PATH", bin)
        .env("HOME", place.path("home"))
        .env("GIT_DOCKET_TEST_NEW", place.path("new"))
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&out.stderr));
    assert!(!mark.exists(), "something ran: {:?}", std::fs::read_to_string(&mark));
    place.fsck("new");
    assert_eq!(place.git("new", &["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    assert_eq!(place.git("new", &["cat-file", "-s", "HEAD:f"]).trim(), "3");
    assert_eq!(place.git("new", &["status", "--porcelain"]), "");
    assert!(!place.path("new/.git/hooks").exists());
}

#[test]
fn a_repository_of_somebody_else_is_refused_with_the_remedy() {
    let place = Place::new();
    place.sample("work", &[]);
    // Only root can give a repository away; for others there is nothing to test.
    if std::os::unix::fs::chown(place.path("work/.git"), Some(12345), None).is_err() {
        return;
    }
    let error = Repo::open(&place.path("work")).err().expect("refused");
    assert_eq!(error.code(), "repo-untrusted");
    let hint = error.hint().expect("a remedy");
    assert!(hint.contains("safe.directory") && hint.contains(&*place.path("work").to_string_lossy()), "{hint}");
    assert_eq!(Repo::discover(&place.path("work/many")).err().expect("refused").code(), "repo-untrusted");
}

#[test]
fn formats_that_are_not_understood_are_refused_by_name() {
    let place = Place::new();
    std::fs::create_dir(place.path("reftable")).expect("a directory");
    place.git("reftable", &["init", "-q", "--ref-format=reftable"]);
    let error = Repo::open(&place.path("reftable")).err().expect("refused");
    assert_eq!(error.code(), "repo-reftable");
    assert!(error.hint().is_some());

    place.sample("future", &[]);
    place.git("future", &["config", "core.repositoryFormatVersion", "1"]);
    place.git("future", &["config", "extensions.worktreeConfig", "true"]);
    assert!(Repo::open(&place.path("future")).is_ok());
    place.git("future", &["config", "extensions.teleport", "true"]);
    let error = Repo::open(&place.path("future")).err().expect("refused");
    assert_eq!(error.code(), "repo-unsupported");
    assert!(error.to_string().contains("teleport"), "{error}");
}

/// Writes a tree object as it is given.
fn raw_tree(place: &Place, dir: &str, bytes: &[u8]) -> String {
    place.file("raw", bytes);
    let path = place.path("raw").display().to_string();
    place.git(dir, &["hash-object", "-w", "--literally", "-t", "tree", &path]).trim().to_owned()
}

fn entry(mode: &str, name: &str, id: &str) -> Vec<u8> {
    let id: Vec<u8> = (0..20).map(|at| u8::from_str_radix(&id[at * 2..at * 2 + 2], 16).expect("hex")).collect();
    [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat()
}

fn open_tree(place: &Place, id: &str) -> std::io::Result<Vec<git_docket::format::tree::TreeEntry>> {
    let commit = place.git("work", &["commit-tree", "-m", "x", id]);
    let repo = place.open("work");
    let commit = repo.resolve(commit.trim()).expect("resolves").expect("exists");
    repo.tree(&commit, "")?.list("")
}

#[test]
fn trees_that_claim_too_much_are_refused() {
    let place = Place::new();
    place.sample("work", &[]);
    let blob = place.git("work", &["rev-parse", "HEAD:a.b"]).trim().to_owned();
    // Ten levels of ten: ten thousand million paths in a few hundred bytes.
    let mut id = raw_tree(&place, "work", &entry("100644", "f", &blob));
    for _ in 0..10 {
        let ten: Vec<u8> = (0..10).flat_map(|n| entry("40000", &n.to_string(), &id)).collect();
        id = raw_tree(&place, "work", &ten);
    }
    let error = open_tree(&place, &id).expect_err("too many");
    assert!(error.to_string().contains("too large"), "{error}");

    let deep = |levels: usize| {
        let path = format!("{}f", "d/".repeat(levels));
        place.git("work", &["read-tree", "--empty"]);
        place.git("work", &["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]);
        place.git("work", &["write-tree"]).trim().to_owned()
    };
    assert_eq!(open_tree(&place, &deep(250)).expect("lists").len(), 1);
    let id = deep(400);
    let error = open_tree(&place, &id).expect_err("too deep");
    assert!(error.to_string().contains("too large"), "{error}");
}

#[test]
fn malformed_trees_never_panic() {
    let place = Place::new();
    place.sample("work", &[]);
    let blob = place.git("work", &["rev-parse", "HEAD:a.b"]).trim().to_owned();
    let odd = [entry("100644", "..", &blob), entry("100644", "b/c", &blob), entry("160000", "sub", &blob)].concat();
    let list = open_tree(&place, &raw_tree(&place, "work", &odd)).expect("lists");
    assert_eq!(list.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(), ["..", "b/c", "sub"]);
    assert_eq!(list[2].kind, FileKind::Submodule);
    // Out of order, twice the same name, a name that is not UTF-8, cut short.
    let unsorted = [
        entry("100644", "b", &blob),
        entry("40000", "a", &raw_tree(&place, "work", &odd)),
        entry("100644", "b", &blob),
    ];
    let list = open_tree(&place, &raw_tree(&place, "work", &unsorted.concat())).expect("lists");
    assert_eq!(list.len(), 5);
    assert!(list.is_sorted_by(|a, b| a.path <= b.path));
    let mut raw = entry("100644", "x", &blob);
    raw[7] = 0xff;
    let list = open_tree(&place, &raw_tree(&place, "work", &raw)).expect("lists");
    assert_eq!(list[0].path, "\u{fffd}");
    let cut = &entry("100644", "x", &blob)[..20];
    assert!(open_tree(&place, &raw_tree(&place, "work", cut)).is_err());
}
