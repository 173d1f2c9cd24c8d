//! Tests of `git`: against repositories that real git made, and with real git as the judge of what we write.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use git_docket::format::steps::{Step, Steps, Unhindered};
use git_docket::git::{Identity, Oid, Repo};

mod hostile;
mod read;
mod reference;
mod work_tree;
mod write;

/// A directory with one git repository and an isolated git.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { root: tempfile::tempdir().expect("a temporary directory") }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    /// Runs git in a directory below the root and returns what it printed; fails loudly.
    fn git(&self, dir: &str, args: &[&str]) -> String {
        let out = run_git(&self.path(dir), args);
        assert!(out.status.success(), "git {args:?} in {dir}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    fn file(&self, below: &str, content: &[u8]) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, content).expect("a file");
    }

    /// A repository with two commits on `main`, some of its files awkward.
    fn sample(&self, dir: &str, init: &[&str]) {
        std::fs::create_dir_all(self.path(dir)).expect("a directory");
        self.git(dir, &[&["init", "-q", "-b", "main"], init].concat());
        for n in 0..40 {
            self.file(&format!("{dir}/many/{:02}/file-{n}.json", n % 7), format!("{{\"n\":{n}}}").as_bytes());
        }
        self.file(&format!("{dir}/a.b"), b"before the directory");
        self.file(&format!("{dir}/a/b"), b"in the directory");
        self.file(&format!("{dir}/a0"), b"after the directory");
        self.file(&format!("{dir}/empty"), b"");
        self.file(&format!("{dir}/\u{e4} space \"q\""), b"odd name\r\n");
        std::os::unix::fs::symlink("a.b", self.path(dir).join("link")).expect("a link");
        self.git(dir, &["add", "-A"]);
        self.git(dir, &["commit", "-q", "-m", "one"]);
        self.file(&format!("{dir}/a/b"), b"changed");
        self.git(dir, &["commit", "-q", "-a", "-m", "two"]);
    }

    fn open(&self, dir: &str) -> Repo {
        Repo::open(&self.path(dir)).expect("the repository opens")
    }

    /// What git thinks of the repository; must be nothing.
    fn fsck(&self, dir: &str) {
        let out = run_git(&self.path(dir), &["fsck", "--strict", "--full"]);
        let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        let bad: Vec<&str> =
            said.lines().filter(|l| !l.starts_with("dangling ") && !l.starts_with("notice: ")).collect();
        assert!(out.status.success() && bad.is_empty(), "git fsck: {said}");
    }
}

fn run_git(dir: &Path, args: &[&str]) -> Output {
    Command::new("git")
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.com")])
        .envs([("GIT_AUTHOR_DATE", "1700000000 +0000"), ("GIT_COMMITTER_DATE", "1700000000 +0000")])
        .output()
        .expect("git runs")
}

fn who() -> Identity {
    Identity { name: "Ada".to_owned(), email: "ada@example.com".to_owned(), seconds: 1_700_000_000 }
}

/// Writes files on top of a branch (or as its first commit) and moves it.
fn commit_files(repo: &Repo, branch: &str, files: &[(&str, &[u8])], steps: &dyn Steps) -> git_docket::git::Result<Oid> {
    let tip = repo.ref_value(branch)?;
    let base = tip.map(|id| repo.commit(id)).transpose()?;
    let mut writer = repo.writer(steps);
    let ids = writer.blobs(files.iter().map(|f| f.1.to_vec()).collect())?;
    let mut changes = files.iter().zip(ids).map(|(f, id)| (f.0.to_owned(), Some(id))).collect();
    let tree = writer.edit_tree(base.map(|c| c.tree), &mut changes)?;
    let commit = writer.commit(tree, tip.as_slice(), "files", &who())?;
    writer.finish()?;
    repo.update_ref(branch, commit, tip, &who(), "docket: files", steps)?;
    Ok(commit)
}

/// Stops the world before the nth step, for ever.
struct StopAt {
    at: usize,
    taken: AtomicUsize,
}

impl StopAt {
    fn new(at: usize) -> Self {
        Self { at, taken: AtomicUsize::new(0) }
    }

    fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }
}

impl Steps for StopAt {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        let now = self.taken.fetch_add(1, Ordering::SeqCst);
        // A second step after the stop would be a cleanup that a killed process could not do.
        assert!(now <= self.at, "the disk was touched after the stop");
        if now == self.at { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

fn oid(hex: &str) -> Oid {
    hex.trim().parse().expect("an object name")
}

fn unhindered() -> &'static dyn Steps {
    &Unhindered
}
