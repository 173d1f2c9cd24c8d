//! The command that `stage` runs on what it wrote, and the files of CI runners that it writes to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, to_value};

use super::output::json;
use super::world;
use crate::format::digest::Digest;
use crate::ops::Error;
use crate::ops::process::Interrupts;
use crate::ops::runner::{annotations, check, dotenv, github_output, step_summary};
use crate::ops::stage::{Held, Report};
use crate::ops::wrap::{Options, Report as Ran, Use, run_on};

/// A command and what it may have.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running a command")]
pub(super) struct Wrap {
    /// End the command after this time: 90s, 10m, 1h30m; then exit 2
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "command")]
    timeout: Option<Duration>,
    /// Leave this variable in the command's environment although it holds a credential
    #[arg(long, value_name = "NAME", requires = "command")]
    pass_env: Vec<String>,
    /// Run this on the stage, check the stage, remove it, and exit with the command's status
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Where a CI runner wants to be told.
#[derive(Debug, Args)]
#[command(next_help_heading = "In CI")]
pub(super) struct Runner {
    /// Append context-dir, index-digest, complete, gaps and findings to $GITHUB_OUTPUT
    #[arg(long)]
    github_output: bool,
    /// Append a summary with gaps and findings to $GITHUB_STEP_SUMMARY
    #[arg(long)]
    step_summary: bool,
    /// Say on stderr, as GitHub's annotations, what is required and missing, unusable, or found
    #[arg(long)]
    annotations: bool,
    /// Append DOCKET_CONTEXT_DIR, DOCKET_INDEX_DIGEST, DOCKET_COMPLETE, and how many gaps (rows of the report, whatever each counts) and
    /// findings there are as DOCKET_GAPS and DOCKET_FINDINGS, to a dotenv report of GitLab
    #[arg(long, value_name = "FILE")]
    dotenv: Option<PathBuf>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| "a duration has units: 90s, 10m, 1h30m".to_owned())?;
    Duration::try_from(parsed).ok().filter(|time| !time.is_zero()).ok_or_else(|| "it must be above zero".to_owned())
}

impl Wrap {
    /// Takes the target for the command, when there is one.
    pub(super) fn take<'u>(&self, out: &Held, interrupts: &'u Interrupts) -> Result<Option<Use<'u>>, Error> {
        if self.command.is_empty() { Ok(None) } else { Use::take(out, interrupts).map(Some) }
    }

    /// True when a command is to be run.
    pub(super) fn is_some(&self) -> bool {
        !self.command.is_empty()
    }

    /// Runs the command on a stage, unless what was required of the stage is missing.
    pub(super) fn run(&self, used: Use<'_>, report: &Report, json: bool) -> Result<Option<Ran>, Error> {
        if !report.unmet.is_empty() {
            return used.end(true).map(|()| None);
        }
        used.run(&report.context_dir, &report.index_digest, self.options(json)).map(Some)
    }

    /// Runs the command on a stage that was there before, and stays.
    pub(super) fn run_on(&self, dir: &Path, digest: &Digest, json: bool) -> Result<Ran, Error> {
        run_on(dir, &digest.to_string(), self.options(json), &Interrupts::default())
    }

    fn options(&self, json: bool) -> Options<'_> {
        Options {
            command: &self.command,
            env: world::environment(),
            pass_env: &self.pass_env,
            stdout_to_stderr: json,
            deadline: self.timeout,
        }
    }
}

/// What is to be said of the environment of a command that ran.
pub(super) fn withheld(ran: &Ran) -> Option<String> {
    let names = &ran.removed_variables;
    (!names.is_empty()).then(|| format!("not in the command's environment: {} (--pass-env NAME)", names.join(", ")))
}

/// A report with what became of the command.
pub(super) fn with_command(report: &impl Serialize, ran: &impl Serialize) -> Result<Option<Value>, Error> {
    let mut value = json(to_value(report))?;
    if let Some(members) = value.as_mut().and_then(Value::as_object_mut) {
        members.insert("command".to_owned(), json(to_value(ran))?.unwrap_or_default());
    }
    Ok(value)
}

impl Runner {
    /// Refuses files that cannot be told anything, before anything is written.
    pub(super) fn check(&self, stage: &Path) -> Result<(), Error> {
        let output = self.github_output.then(|| variable("GITHUB_OUTPUT", "--github-output")).transpose()?;
        let summary = self.step_summary.then(|| variable("GITHUB_STEP_SUMMARY", "--step-summary")).transpose()?;
        output.iter().chain(&summary).chain(&self.dotenv).try_for_each(|file| check(file, stage))
    }

    /// Tells the runner; returns what is to be said on stderr.
    pub(super) fn tell(&self, report: &Report, interrupts: &Interrupts) -> Result<Vec<String>, Error> {
        let mut told = Vec::new();
        if self.github_output {
            github_output(&variable("GITHUB_OUTPUT", "--github-output")?, report, interrupts)?;
        }
        if self.step_summary && !step_summary(&variable("GITHUB_STEP_SUMMARY", "--step-summary")?, report, interrupts)?
        {
            told.push("the step summary would be larger than GitHub keeps, and was left as it is".to_owned());
        }
        if let Some(path) = &self.dotenv {
            dotenv(path, report, interrupts)?;
        }
        if self.annotations {
            told.extend(annotations(report));
        }
        Ok(told)
    }
}

fn variable(name: &str, option: &str) -> Result<PathBuf, Error> {
    world::variable(name).map(PathBuf::from).ok_or_else(|| {
        Error::new("runner-missing", format!("{option}: ${name} is not set")).hint("a GitHub Actions runner sets it")
    })
}
