//! Repositories for the tests of `sources`, built by real git with fixed author, dates and configuration.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use git_docket::ops::sources::{CollectOptions as Options, CollectReport as Report, Engine, How, collect};
use git_docket::sources::Rules;

/// A temporary directory with a repository in `repo`.
pub struct Repo {
    dir: tempfile::TempDir,
}

impl Repo {
    pub fn new() -> Self {
        Self::named("repo")
    }

    pub fn named(name: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let repo = Self { dir };
        std::fs::create_dir(repo.outside(name)).expect("the repository's directory");
        git(&repo.outside(name), &["init", "-q", "-b", "main"]);
        git(&repo.outside(name), &["config", "core.autocrlf", "false"]);
        repo
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// A path beside the repository.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, bytes).expect("a file");
        self
    }

    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.write(path, bytes);
    }

    pub fn git(&self, args: &[&str]) -> String {
        git(&self.path(), args)
    }

    /// Commits everything and returns the id.
    pub fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "fixture"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn collect(&self, draft: &str) -> Report {
        collect(&patient(self.path(), draft)).expect("a collection")
    }

    pub fn collect_as_openagents(&self, draft: &str) -> Report {
        let options = Options { rules: Rules::OpenAgents, ..patient(self.path(), draft) };
        collect(&options).expect("a collection")
    }
}

/// The defaults with a time that a busy machine keeps, too.
pub fn patient(dir: impl Into<PathBuf>, draft: &str) -> Options {
    Options { how: patiently(), ..Options::for_draft(dir, draft) }
}

/// A search that is not in a hurry.
pub fn patiently() -> How {
    How { time: Duration::from_secs(300), ..How::default() }
}

/// The real git.
pub fn git_engine() -> Engine {
    let path = std::env::var_os("PATH").expect("PATH");
    let found = std::env::split_paths(&path).map(|dir| dir.join("git")).find(|file| file.is_file());
    Engine::Git(found.expect("git on PATH"))
}

/// Runs git without any configuration but the repository's.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(args);
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Fixture").env(format!("GIT_{who}_EMAIL"), "fixture@example.com");
        command.env(format!("GIT_{who}_DATE"), "2024-01-02T03:04:05+0000");
    }
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Says why a test has nothing to do here.
#[allow(clippy::print_stderr, reason = "a skipped test says why")]
pub fn skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}
