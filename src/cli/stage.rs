//! `stage`: the context of entities for a consumer.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::choices::{Choices, facet};
use super::observe::{Inputs, story};
use super::output::{Answer, ProgressLine, json};
use super::place::{MAX_DOCUMENT, read_input, store, temp_dir};
use super::quotes::QuoteArgs;
use super::world;
use super::wrap::{Runner, Wrap};
use crate::format::tree::Tree;
use crate::format::upstream::LAYOUT;
use crate::ops::Error;
use crate::ops::event::{Delivery, read_event};
use crate::ops::observe::observe_in_memory;
use crate::ops::process::Interrupts;
use crate::ops::stage::{Event, Layout, MIN_CREDENTIAL, Options, Quote, Report, Requirement, stage};
use crate::ops::wanted::Wanted;
use crate::ops::wrap::Use;

/// Write the context of one entity or several for a consumer
///
/// From the store, from the store as it was (--at), from payload files without a store (--from), or from the delivery of a
/// webhook (--event), alone or over any of these. The directory is
/// private (0700, files 0600), appears at once or not at all, and has the same bytes for the same input on every machine.
/// Text is cleaned of what nobody sees, secrets in it are redacted, a text with a prompt injection is withheld, and all of it is bounded by
/// the profile; every omission is a gap with a count.
///
/// Prints the directory and the digest of its index.json, with which `verify --index-digest` proves it later.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket stage acme/web#42 --out /tmp/context
  git docket stage --event --out /tmp/context
  git docket stage --from thread/ --out /tmp/context --replace --require header,comments
  git docket stage acme/web#42 --at docket-snapshots~3 --profile full --out /tmp/then
  git docket stage acme/web#42 --sources . --out /tmp/context
  git docket stage --from thread/ --timeout 30m -- ./review.sh")]
pub struct StageArgs {
    /// Entities: an id, a URL, or owner/name#number
    #[arg(value_name = "ENTITY", required_unless_present_any = ["from", "event"],
        conflicts_with_all = ["from", "event"])]
    entities: Vec<String>,
    /// Payloads instead of a store: files, directories, `-` for standard input; FACET=PATH names the facet
    #[arg(long, value_name = "[FACET=]PATH", num_args = 1..)]
    from: Vec<String>,
    /// The delivery of a webhook names the entity, its time and head are those of the stage, and its title and body stand; $GITHUB_EVENT_PATH unless a file is named
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    event: Option<Option<PathBuf>>,
    /// How the payloads are to be understood
    #[command(flatten)]
    inputs: Inputs,
    /// The facts as of a revision: of the facts, of a snapshot commit, or a snapshot id
    #[arg(long, value_name = "REV", conflicts_with = "from")]
    at: Option<String>,
    /// The directory to write; in GitHub Actions $RUNNER_TEMP/docket unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How the tree is laid out: docket, or entity-context-snapshot/v1
    #[arg(long, value_name = "LAYOUT", default_value = "docket", value_parser = layout, hide_default_value = true)]
    layout: Layout,
    /// What the profile says
    #[command(flatten)]
    choices: Choices,
    /// Also redact the value of this environment variable wherever it stands, as it is or encoded
    #[arg(long, value_name = "NAME", num_args = 1)]
    redact_env: Vec<String>,
    /// Write where each finding was (class, bytes of the raw text) to this file, which is private and lies outside the stage
    #[arg(long, value_name = "FILE")]
    explain: Option<PathBuf>,
    /// Exit 1 unless complete (or these facets are); the tree is written in any case
    #[arg(long, value_name = "complete|FACET,…", value_delimiter = ',', value_parser = requirement)]
    require: Vec<Requirement>,
    #[command(flatten)]
    quotes: QuoteArgs,
    /// Check what the pull request is said to change against this repository, which has its commits; the answer stands in the report
    /// and not in the stage
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Read-only modes: 0555 and 0444
    #[arg(long)]
    seal: bool,
    /// Replace what a former run wrote there
    #[arg(long)]
    replace: bool,
    /// Write inside a git work tree too
    #[arg(long)]
    allow_inside_worktree: bool,
    /// What CI runners are told
    #[command(flatten)]
    runner: Runner,
    /// What runs on the stage
    #[command(flatten)]
    wrap: Wrap,
}

fn layout(name: &str) -> Result<Layout, String> {
    match name {
        "docket" => Ok(Layout::Docket),
        LAYOUT => Ok(Layout::EntityContextSnapshot),
        _ => Err(format!("no such layout; there are docket and {LAYOUT}")),
    }
}

fn requirement(name: &str) -> Result<Requirement, String> {
    if name == "complete" { Ok(Requirement::Complete) } else { facet(name).map(Requirement::Facet) }
}

pub(super) fn run(args: &StageArgs, global: &Global) -> Result<Answer, Error> {
    let mut profile = args.choices.profile()?;
    let (out, interrupts) = (out(args)?, Interrupts::default());
    let event = args.event.as_ref().map(|file| event(args, file.as_deref())).transpose()?;
    if let Some((delivery, _)) = &event {
        profile.trust.as_of = profile.trust.as_of.or(delivery.at);
        profile.trust.head = profile.trust.head.or_else(|| delivery.head.clone());
    }
    let wanted_list = wanted(args, event.as_ref().map(|(delivery, _)| delivery))?;
    let credentials = args.redact_env.iter().map(|name| credential(name)).collect::<Result<Vec<_>, _>>()?;
    let quoter = args.quotes.quoter()?;
    let quote = quoter.as_ref().map(|quoter| |entity: &_, touched, filter: &_| quoter.quote(entity, touched, filter));
    let options = |wanted| Options {
        wanted,
        event: event.as_ref().map(|(delivery, facts)| Event { delivery, facts: facts.as_ref() }),
        layout: args.layout,
        profile: &profile,
        out: &out,
        replace: args.replace,
        allow_inside_worktree: args.allow_inside_worktree,
        seal: args.seal,
        repository: args.repo.as_deref(),
        require: &args.require,
        quote: quote.as_ref().map(|quote| quote as &Quote<'_>),
        credentials: &credentials,
        explain: args.explain.as_deref(),
        steps: &interrupts,
    };
    let used = args.wrap.take(&out, &interrupts)?;
    let staged = staged(args, global, &options(&wanted_list));
    let written = staged.is_ok();
    let told = staged.and_then(|(report, mut told)| {
        told.extend(report.unmet.iter().map(|what| format!("required: {what}")));
        told.extend(args.runner.tell(&report, &interrupts)?);
        Ok((report, told))
    });
    let (report, told) = match (told, used) {
        (Err(error), used) => {
            // What went wrong first is what is told; the lease says what else is left to remove.
            let _ = used.map(|used| used.end(written));
            return Err(error);
        }
        (Ok((report, told)), Some(used)) => return ran(args, global, used, &report, told),
        (Ok(told), None) => told,
    };
    let no = !report.unmet.is_empty();
    Ok(Answer { text: text(&report), json: json(to_value(&report))?, story: told, no, ..Answer::default() })
}

/// Runs the command. Its output is the answer, so that ours goes to stderr unless it is asked for as JSON.
fn ran(
    args: &StageArgs,
    global: &Global,
    used: Use<'_>,
    report: &Report,
    mut told: Vec<String>,
) -> Result<Answer, Error> {
    let ran = args.wrap.run(used, report, global.json || global.ndjson)?;
    told.extend(text(report).lines().map(str::to_owned));
    let mut value = json(to_value(report))?;
    if let Some(members) = value.as_mut().and_then(|value| value.as_object_mut()) {
        members.insert("command".to_owned(), json(to_value(&ran))?.unwrap_or_default());
    }
    let exit = ran.as_ref().map(|ran| ran.exit);
    Ok(Answer { json: value, story: told, no: ran.is_none(), exit, ..Answer::default() })
}

fn staged(args: &StageArgs, global: &Global, options: &Options<'_>) -> Result<(Report, Vec<String>), Error> {
    if args.from.is_empty() {
        return from_store(args, global, options);
    }
    let mut observe = args.inputs.options(&args.from)?;
    if let [only] = options.wanted {
        observe.entity = Some((only.subject.clone(), only.kind));
    }
    let progress = ProgressLine::new(global);
    observe.progress = &progress;
    let (facts, observed) = observe_in_memory(&observe, &mut std::io::stdin().lock())?;
    Ok((stage(&facts, options)?, story(&observed)))
}

fn from_store(args: &StageArgs, global: &Global, options: &Options<'_>) -> Result<(Report, Vec<String>), Error> {
    let place = match (store(global), options.event) {
        // A delivery is a fact by itself, where no store was named or found.
        (Err(error), Some(event)) if error.code() == "store-missing" && is_unnamed(args, global) => {
            return Ok((stage(event.facts, options)?, Vec::new()));
        }
        (found, _) => found?,
    };
    let facts = match &args.at {
        Some(at) => place.facts_of(at, &global.snapshot_ref)?,
        None => place.facts()?,
    };
    Ok((stage(facts.as_ref(), options)?, Vec::new()))
}

fn is_unnamed(args: &StageArgs, global: &Global) -> bool {
    global.store.is_none() && global.facts_ref.is_none() && args.at.is_none()
}

/// The entities that the caller names, or else the delivery does.
fn wanted(args: &StageArgs, event: Option<&Delivery>) -> Result<Vec<Wanted>, Error> {
    if let Some(event) = event {
        let wanted = |(subject, kind): &(_, _)| Wanted { subject: Clone::clone(subject), kind: *kind };
        return Ok(event.subjects.iter().map(wanted).collect());
    }
    args.entities.iter().chain(&args.inputs.entity).map(|text| args.inputs.home.wanted(text)).collect()
}

/// Reads the delivery: what it is about, and the facts that it gives.
fn event(args: &StageArgs, file: Option<&Path>) -> Result<(Delivery, Box<dyn Tree>), Error> {
    let path = file.map(Path::to_path_buf).or_else(|| world::variable("GITHUB_EVENT_PATH").map(PathBuf::from));
    let path = path.ok_or_else(|| {
        Error::new("event-missing", "--event needs a file where GITHUB_EVENT_PATH is not set")
            .hint("git docket stage --event delivery.json --out DIR")
    })?;
    let bytes = read_input(&path, MAX_DOCUMENT)?;
    let inputs = ["-".to_owned()];
    let mut options = args.inputs.options(&inputs)?;
    let entity = options.entity.as_ref().map(|(subject, kind)| (subject, *kind));
    let delivery = read_event(&bytes, &path.display().to_string(), entity)?;
    options.event = Some(delivery.event);
    // The moment of the delivery, not that of its reading, orders it among other looks.
    options.observed_at = delivery.at.or(options.observed_at);
    let (facts, _) = observe_in_memory(&options, &mut &bytes[..])?;
    Ok((delivery, Box::new(facts)))
}

/// The value of a variable that is to be redacted. One that is not there would leave what it was meant to hide.
fn credential(name: &str) -> Result<String, Error> {
    let refused = |why: &str| Error::new("credential-invalid", format!("--redact-env {name}: {why}"));
    let value = world::variable(name).ok_or_else(|| refused("the variable is not set, empty, or not UTF-8"))?;
    if value.trim().len() < MIN_CREDENTIAL {
        return Err(refused("the value is too short to be told from ordinary words"));
    }
    Ok(value)
}

/// `--out`, else a directory of the runner's own: every job empties it. What is made for a command alone needs no name.
fn out(args: &StageArgs) -> Result<PathBuf, Error> {
    if let Some(out) = &args.out {
        return Ok(out.clone());
    }
    if args.wrap.is_some() {
        return Ok(temp_dir().join(format!("docket-{}", std::process::id())));
    }
    let runner =
        world::variable("GITHUB_ACTIONS").filter(|value| value == "true").and_then(|_| world::variable("RUNNER_TEMP"));
    runner.map(|temp| PathBuf::from(temp).join("docket")).ok_or_else(|| {
        Error::new("out-missing", "--out DIR is needed outside of GitHub Actions")
            .hint("mktemp -d gives a private parent: --out \"$(mktemp -d)/context\"")
    })
}

fn text(report: &Report) -> String {
    let mut text = format!("{}\n{}\n", report.context_dir.display(), report.index_digest);
    text.push_str(&format!(
        "{} files, {} bytes, {}\n",
        report.files,
        report.bytes,
        if report.complete { "complete" } else { "not complete" }
    ));
    for entity in &report.entities {
        text.push_str(&format!("  {entity}\n"));
    }
    for gap in &report.gaps {
        text.push_str(&format!("  gap: {} {} ({}, {})\n", gap.scope, gap.code, gap.usability, gap.count));
    }
    for one in &report.sources {
        let coverage =
            if one.diagnostics.is_empty() { String::new() } else { format!(" ({})", one.diagnostics.join("; ")) };
        text.push_str(&format!("  sources: {} quoted{coverage}\n", one.references));
    }
    for crossed in &report.repository {
        let why = crossed.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        text.push_str(&format!("  repository: {}{why}, {} paths differ\n", crossed.state, crossed.differences.len()));
        for one in &crossed.differences {
            text.push_str(&format!("    {} {}\n", one.code, one.path));
        }
    }
    for finding in &report.findings {
        text.push_str(&format!("  found: {} ({})\n", finding.code, finding.count));
    }
    text
}
