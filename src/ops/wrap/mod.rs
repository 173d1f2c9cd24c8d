//! A command that runs on a stage: the stage is made for it, checked after it, and removed with it.

mod environment;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::process::{Attended, Interrupts, Outcome, attend};
use super::verify::{Anchor, Finding, verify};
use super::{Error, target};
use crate::format::digest::Digest;
use crate::store;
use crate::store::dir::DirTree;
use crate::store::write::{Held, Lease};

pub use environment::{Environment, environment};

/// The exit status of what a signal ended is this and the signal, as shells have it.
const SIGNALLED: i32 = 128;

/// The command and what it may have.
#[derive(Debug)]
pub struct Options<'o> {
    /// The program and its arguments.
    pub command: &'o [OsString],
    /// The environment of the caller.
    pub env: Vec<(OsString, OsString)>,
    /// Names of variables that it keeps although they hold credentials of a forge.
    pub pass_env: &'o [String],
    /// What it prints goes to stderr.
    pub stdout_to_stderr: bool,
    /// How long it may take.
    pub deadline: Option<Duration>,
}

/// How the command went.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The status to exit with: the command's own, 128 and the signal that ended it.
    pub exit: u8,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Names of the variables that it was not given.
    pub removed_variables: Vec<String>,
}

/// A stage that is in use by this process alone, and is removed whatever happens.
#[derive(Debug)]
pub struct Use<'u> {
    lease: Lease,
    interrupts: &'u Interrupts,
}

impl<'u> Use<'u> {
    /// Takes a target before anything is written to it. What a dead run left there is removed.
    ///
    /// # Errors
    /// `stage-in-use` while another run has it, and those of the file system.
    pub fn take(dir: &Held, interrupts: &'u Interrupts) -> Result<Self, Error> {
        let lease = target::lease(dir, interrupts)?;
        Ok(Self { lease, interrupts })
    }

    /// Runs a command on the stage that was written to the target, checks the stage, and removes it.
    ///
    /// # Errors
    /// `stage-altered` when the stage is not as it was written, `command-timeout`, `command-not-started`; in each case the
    /// stage is removed.
    pub fn run(self, dir: &Path, digest: &str, options: Options<'_>) -> Result<Report, Error> {
        let done = attended(dir, digest, options, Some(&self.lease), self.interrupts);
        let ended = self.lease.end(self.interrupts);
        let report = done?;
        ended.map_err(Error::from)?;
        Ok(report)
    }

    /// Gives the target up. The stage is removed if it was `written`; else what stands there is another's.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn end(self, written: bool) -> Result<(), Error> {
        match self.lease.end(self.interrupts) {
            Err(store::Error::Foreign { .. }) if !written => Ok(()),
            ended => ended.map_err(Error::from),
        }
    }
}

/// Runs a command on a stage that is there, and was checked before; checks it again. It stays.
///
/// # Errors
/// `stage-altered`, `command-timeout`, `command-not-started`.
pub fn run_on(dir: &Path, digest: &str, options: Options<'_>, interrupts: &Interrupts) -> Result<Report, Error> {
    attended(dir, digest, options, None, interrupts)
}

fn attended(
    dir: &Path,
    digest: &str,
    options: Options<'_>,
    lease: Option<&Lease>,
    interrupts: &Interrupts,
) -> Result<Report, Error> {
    let io = |error: std::io::Error| Error::new("io", format!("{}: {error}", dir.display()));
    let dir = std::path::absolute(dir).map_err(io)?;
    let Environment { kept: mut env, removed } = environment(options.env, options.pass_env)?;
    for name in ["DOCKET_CONTEXT_DIR", "FULLSEND_CONTEXT_DIR"] {
        env.push((name.into(), dir.clone().into()));
    }
    env.push(("DOCKET_INDEX_DIGEST".into(), digest.into()));
    let job = Attended {
        command: options.command,
        env: &env,
        stdout_to_stderr: options.stdout_to_stderr,
        deadline: options.deadline,
        lock: lease.map(Lease::lock),
    };
    let outcome = attend(&job, interrupts).map_err(io)?;
    unaltered(&dir, digest)?;
    let program = options.command.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (exit, signal) = match outcome {
        Outcome::Exited(code) => (u8::try_from(code).unwrap_or(u8::MAX), None),
        Outcome::Killed(signal) => (u8::try_from(SIGNALLED + signal).unwrap_or(u8::MAX), Some(signal)),
        Outcome::TimedOut => {
            return Err(Error::new("command-timeout", format!("{program}: it took longer than it may")));
        }
        Outcome::NotStarted(why) => return Err(Error::new("command-not-started", format!("{program}: {why}"))),
    };
    Ok(Report { exit, signal, removed_variables: removed })
}

/// Checks that a stage is what it was when it was written.
fn unaltered(dir: &Path, digest: &str) -> Result<(), Error> {
    let altered = |what: String| {
        Error::new("stage-altered", format!("{}: the command altered the stage: {what}", dir.display()))
            .hint("whatever it concluded is not to be relied on")
    };
    let anchor = Anchor { index_digest: digest.parse::<Digest>().ok(), commit: None };
    let checked = DirTree::open(dir).map_err(Error::from).and_then(|tree| verify(&tree, &anchor));
    let report = checked.map_err(|error| altered(error.to_string()))?;
    let first = |findings: &[Finding]| findings.first().map(ToString::to_string).unwrap_or_default();
    match report.findings.len() {
        0 => Ok(()),
        1 => Err(altered(first(&report.findings))),
        many => Err(altered(format!("{}, and {} more findings", first(&report.findings), many - 1))),
    }
}
