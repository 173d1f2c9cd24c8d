//! `observe`: file payloads.

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::home::Home;
use super::output::{Answer, ProgressLine, json};
use super::place::{now, parse_time, store};
use crate::format::observation::Completeness;
use crate::format::time::Time;
use crate::ops::Error;
use crate::ops::observe::{Options, Report, observe};

/// File payloads: elements and observations
///
/// Reads files, directories and standard input, and recognises by shape what the REST APIs of GitHub, GitLab, Gitea and
/// Forgejo answer: single objects, lists, lines, concatenated documents, recorded exchanges, and payload files beside a
/// _requests.json; deliveries of webhooks of GitHub, Gitea and Forgejo; dumps of threads; logs of jobs (logs=PATH: a text, the archive or the
/// directory of a download; logs:JOB=PATH where JOB is the id or name of the check); and unified diffs (diff=PATH). Everything
/// is read and understood before the first file is written. What is not recognised is reported, with a reason.
///
/// A list is known to be whole only when the recording of its requests proves it, or --complete says so: only then is
/// what it does not show known to be gone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket observe --entity acme/web#42 --complete comments=comments.json labels=labels.json
  gh api repos/acme/web/pulls/42 | git docket observe --commit -
  git docket observe --event issue_comment --commit delivery.json
  git docket observe --entity acme/web#42 logs=run.zip logs:123=job.txt diff=42.diff
  git docket observe --strict --observed-at 2026-01-02T03:04:05Z thread/")]
pub struct ObserveArgs {
    /// What is read
    #[command(flatten)]
    pub inputs: Inputs,
    /// File a look of now even if it equals what is known
    #[arg(long)]
    record_look: bool,
    /// The payloads are deliveries of a webhook, of this event, such as issue_comment
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Commit the facts
    #[arg(long)]
    commit: bool,
    /// Refuse everything when anything is not recognised
    #[arg(long)]
    strict: bool,
    /// File what is not recognised too, byte for byte (of several documents in a file each without the white space around it): `show --raw DIGEST` gives it back
    #[arg(long)]
    keep_unrecognised: bool,
    /// Files, directories, `-` for standard input; FACET=PATH names the facet
    #[arg(value_name = "[FACET=]PATH", required = true)]
    paths: Vec<String>,
}

/// How inputs are to be understood; the same for `stage --from`.
#[derive(Debug, Args)]
pub struct Inputs {
    /// The entity that what names none belongs to
    #[arg(long, value_name = "ENTITY")]
    pub entity: Option<String>,
    /// Where short forms are
    #[command(flatten)]
    pub home: Home,
    /// The lists are whole
    #[arg(long, conflicts_with = "partial")]
    complete: bool,
    /// The lists are parts
    #[arg(long)]
    partial: bool,
    /// The URL that the payload answered, with its query
    #[arg(long, value_name = "URL")]
    source: Option<String>,
    /// The time of what has no date of its own, such as 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    observed_at: Option<Time>,
}

impl Inputs {
    /// The first option that says how payloads are to be understood, when one is given.
    pub(super) fn of_payloads(&self) -> Option<&'static str> {
        let given = [
            ("--source", self.source.is_some()),
            ("--complete", self.complete),
            ("--partial", self.partial),
            ("--observed-at", self.observed_at.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The options of the verb.
    pub fn options<'o>(&'o self, paths: &'o [String]) -> Result<Options<'o>, Error> {
        let entity = self.entity.as_deref().map(|text| self.home.asked(text)).transpose()?;
        let completeness = match (self.complete, self.partial) {
            (true, _) => Some(Completeness::Asserted),
            (_, true) => Some(Completeness::Partial),
            _ => None,
        };
        let (source, observed_at) = (self.source.as_deref(), self.observed_at);
        Ok(Options { entity, completeness, source, observed_at, ..Options::of(paths, now()?) })
    }
}

pub(super) fn run(args: &ObserveArgs, global: &Global) -> Result<Answer, Error> {
    let place = store(global)?;
    let mut options = args.inputs.options(&args.paths)?;
    options.event = args.event.as_deref();
    (options.record_look, options.commit, options.strict) = (args.record_look, args.commit, args.strict);
    options.keep_unrecognised = args.keep_unrecognised;
    let progress = ProgressLine::new(global);
    options.progress = &progress;
    let report = observe(&place, &options, &mut std::io::stdin().lock())?;
    Ok(Answer { text: text(&report), json: json(to_value(&report))?, story: story(&report), ..Answer::default() })
}

fn text(report: &Report) -> String {
    let mut text = format!(
        "{} observations filed, {} unchanged; {} new elements, {} bytes\n",
        report.observed, report.unchanged, report.elements, report.bytes
    );
    for entity in &report.entities {
        text.push_str(&format!("  {entity}\n"));
    }
    if let Some(commit) = &report.commit {
        text.push_str(&format!("commit {commit}\n"));
    }
    text
}

/// What was not recognised and what was found, a few lines of each; the rest is counted.
pub(super) fn story(report: &Report) -> Vec<String> {
    const SHOWN: usize = 10;
    let left = report.unrecognised.iter().map(|row| format!("not recognised: {}: {}", row.input, row.reason));
    let mut story: Vec<_> = left.take(SHOWN).collect();
    if report.unrecognised.len() > SHOWN {
        story.push(format!("not recognised: {} more (--json lists all)", report.unrecognised.len() - SHOWN));
    }
    story.extend(
        report.findings.iter().take(SHOWN).map(|row| format!("finding: {}: {} ({})", row.input, row.code, row.count)),
    );
    if report.findings.len() > SHOWN {
        story.push(format!("finding: {} more (--json lists all)", report.findings.len() - SHOWN));
    }
    story
}
