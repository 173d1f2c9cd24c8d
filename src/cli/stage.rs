//! `stage`: the context of entities for a consumer.

use std::path::PathBuf;

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::choices::{Choices, facet};
use super::given::{Given, GivenEvent};
use super::observe::Inputs;
use super::output::{Answer, json};
use super::place::{now, store, temp_dir};
use super::quotes::QuoteArgs;
use super::world;
use super::wrap::{Runner, Wrap, with_command, withheld};
use crate::format::digest::Digest;
use crate::format::tree::Tree;
use crate::ops::Error;
use crate::ops::place::Place;
use crate::ops::process::Interrupts;
use crate::ops::stage::{Layout, MIN_CREDENTIAL, Options, Places, Quote, Record, Report, Requirement, replay, stage};
use crate::ops::wanted::{Asked, Wanted};
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
  git docket stage acme/web#42 --record --out /tmp/context
  git docket stage --replay sha256:… --out /tmp/again
  git docket stage --from thread/ --timeout 30m -- ./review.sh")]
pub struct StageArgs {
    /// Entities: an id, a URL, or owner/name#number
    #[arg(value_name = "ENTITY", conflicts_with_all = ["from", "event", "replay"])]
    entities: Vec<String>,
    /// Payloads instead of a store: files, directories, `-` for standard input; FACET=PATH names the facet
    #[arg(long, value_name = "[FACET=]PATH", num_args = 1..)]
    from: Vec<String>,
    /// The delivery of a webhook names the entity, its time and head are those of the stage, and its title and body stand; $GITHUB_EVENT_PATH unless a file is named. One that names a commit alone (a check, a status) needs --entity, whatever a store knows
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    event: Option<Option<PathBuf>>,
    /// Make a recorded stage again from the facts that its record names, by the digest of its index; exit 1 when the bytes differ
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["from", "event", "record", "entity", "profile", "facets",
        "max_bytes", "max_tokens", "max_comments", "check_logs", "keep", "on_finding", "admit", "allow_author", "deny_author", "bots", "as_of",
        "head", "with_linked", "sources", "layout"])]
    replay: Option<Digest>,
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
    #[arg(long, value_name = "LAYOUT", default_value = "docket", value_parser = str::parse::<Layout>, hide_default_value = true)]
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
    /// File in the store what the stage is made of, and the facts of --from and --event, so that --replay makes it again
    #[arg(long)]
    record: bool,
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

fn requirement(name: &str) -> Result<Requirement, String> {
    match name {
        "complete" => Ok(Requirement::Complete),
        _ => facet(name).map(Requirement::Facet).map_err(|error| format!("{error}, and complete")),
    }
}

pub(super) fn run(args: &StageArgs, global: &Global) -> Result<Answer, Error> {
    check_options(args)?;
    let mut profile = args.choices.profile()?;
    let (out, interrupts) = (out(args)?, Interrupts::default());
    let places = Places::hold(&out, args.explain.as_deref(), args.allow_inside_worktree)?;
    args.runner.check(&out)?;
    let event = args.event.as_ref().map(|file| GivenEvent::read(file.as_deref(), &args.inputs)).transpose()?;
    if let Some(GivenEvent { delivery, .. }) = &event {
        // As of an earlier time the head of the delivery may have been another.
        let is_of_its_moment = profile.trust.as_of.is_none_or(|asked| delivery.at.is_some_and(|at| at <= asked));
        let head = delivery.head.clone().filter(|_| is_of_its_moment);
        profile.trust.as_of = profile.trust.as_of.or(delivery.at);
        profile.trust.head = profile.trust.head.or(head);
    }
    let asked = match &event {
        Some(event) => event.wanted().into_iter().map(Asked::At).collect(),
        None => asked(args)?,
    };
    let credentials = args.redact_env.iter().map(|name| credential(name)).collect::<Result<Vec<_>, _>>()?;
    let quoter = args.quotes.quoter()?;
    let quote = quoter.as_ref().map(|quoter| |entity: &_, touched, filter: &_| quoter.quote(entity, touched, filter));
    let recorded = if args.record { Some((store(global)?, now()?)) } else { None };
    let options = Options {
        wanted: &[],
        event: event.as_ref().map(GivenEvent::event),
        layout: args.layout,
        profile: &profile,
        out: &out,
        held: Some(&places),
        replace: args.replace,
        allow_inside_worktree: args.allow_inside_worktree,
        seal: args.seal,
        repository: args.repo.as_deref(),
        require: &args.require,
        quote: quote.as_ref().map(|quote| quote as &Quote<'_>),
        credentials: &credentials,
        explain: args.explain.as_deref(),
        record: recorded.as_ref().map(|(place, now)| Record { place, now: *now, facts: &[] }),
        steps: &interrupts,
    };
    let used = args.wrap.take(&places.out, &interrupts)?;
    let staged = staged(args, global, &asked, &options);
    let written = staged.is_ok();
    let told = staged.and_then(|(mut report, mut told)| {
        told.extend(event.iter().flat_map(|event| event.given.tell(&mut report)));
        told.extend(args.runner.tell(&report, &interrupts)?);
        Ok((report, told))
    });
    let (report, told) = match (told, used) {
        (Err(error), used) => {
            // What went wrong first is what is told; the lease says what else is left to remove.
            let _ = used.map(|used| used.end(written));
            return Err(event.iter().fold(error, |error, event| event.given.explain(error)));
        }
        (Ok((report, told)), Some(used)) => return ran(args, global, used, &report, told),
        (Ok(told), None) => told,
    };
    let no = !report.unmet.is_empty();
    let trouble = unmet(&report);
    Ok(Answer { text: text(&report), json: json(to_value(&report))?, story: told, trouble, no, ..Answer::default() })
}

fn unmet(report: &Report) -> Vec<String> {
    report.unmet.iter().map(|what| format!("required: {what}")).collect()
}

/// Refuses a call that names nothing to stage, and options that say how payloads are to be understood where none are read.
fn check_options(args: &StageArgs) -> Result<(), Error> {
    if args.entities.is_empty() && args.from.is_empty() && args.event.is_none() && args.replay.is_none() {
        return Err(Error::new("usage", "nothing is named that could be staged").hint(
            "name one: an ENTITY of the store, payloads (--from), a delivery (--event), or a recorded stage (--replay)",
        ));
    }
    match args.inputs.of_payloads() {
        Some("--observed-at") if args.event.is_some() => Ok(()),
        Some(option) if args.from.is_empty() => {
            Err(Error::new("usage", format!("{option} says how payloads are to be understood: it needs --from")))
        }
        _ => Ok(()),
    }
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
    // The directory and its digest are told of a stage that a command saw.
    let gone = if ran.is_none() { 2 } else { 0 };
    told.extend(text(report).lines().skip(gone).map(str::to_owned));
    let mut trouble = unmet(report);
    if ran.is_none() {
        trouble.push("the command was not run, and the stage is removed".to_owned());
    }
    told.extend(ran.as_ref().and_then(withheld));
    let value = with_command(report, &ran)?;
    let exit = ran.as_ref().map(|ran| ran.exit);
    Ok(Answer { json: value, story: told, trouble, no: ran.is_none(), exit, ..Answer::default() })
}

fn staged(
    args: &StageArgs,
    global: &Global,
    asked: &[Asked],
    options: &Options<'_>,
) -> Result<(Report, Vec<String>), Error> {
    if args.from.is_empty() {
        return from_store(args, global, asked, options).map(|report| (report, Vec::new()));
    }
    let given = Given::payloads(&args.from, &args.inputs, asked, global)?;
    if options.event.is_none() {
        given.check(asked).map_err(|error| given.explain(error))?;
    }
    let wanted = found(asked, given.facts.as_ref())?;
    let facts: Vec<_> = options.event.map(|event| event.facts).into_iter().chain([given.facts.as_ref()]).collect();
    let record = options.record.map(|record| Record { facts: &facts, ..record });
    let made = stage(given.facts.as_ref(), &Options { wanted: &wanted, record, ..*options });
    let mut report = made.map_err(|error| given.explain(error))?;
    let told = given.tell(&mut report);
    Ok((report, told))
}

fn from_store(args: &StageArgs, global: &Global, asked: &[Asked], options: &Options<'_>) -> Result<Report, Error> {
    let place = match (store(global), options.event) {
        // A delivery is a fact by itself, where no store was named or found.
        (Err(error), Some(event)) if error.code() == "store-missing" && is_unnamed(args, global) => {
            let wanted = found(asked, event.facts)?;
            return stage(event.facts, &Options { wanted: &wanted, ..*options });
        }
        (found, _) => found?,
    };
    let facts = facts_of(&place, args, global)?;
    if let Some(index) = &args.replay {
        return replay(facts.as_ref(), index, options);
    }
    let wanted = found(asked, facts.as_ref())?;
    let new: Vec<_> = options.event.map(|event| event.facts).into_iter().collect();
    let record = options.record.map(|record| Record { facts: &new, ..record });
    stage(facts.as_ref(), &Options { wanted: &wanted, record, ..*options })
}

fn facts_of(place: &Place, args: &StageArgs, global: &Global) -> Result<Box<dyn Tree>, Error> {
    match &args.at {
        Some(at) => place.facts_of(at, &global.snapshot_ref),
        None => place.facts(),
    }
}

fn is_unnamed(args: &StageArgs, global: &Global) -> bool {
    global.store.is_none() && global.facts_ref.is_none() && args.at.is_none()
}

/// The entities that the caller names.
fn asked(args: &StageArgs) -> Result<Vec<Asked>, Error> {
    args.entities.iter().chain(&args.inputs.entity).map(|text| args.inputs.home.asked(text)).collect()
}

/// The same where the facts have them.
fn found(asked: &[Asked], facts: &dyn Tree) -> Result<Vec<Wanted>, Error> {
    asked.iter().map(|asked| asked.find(facts)).collect()
}

/// The value of a variable that is to be redacted. One that is not there would leave what it was meant to hide.
fn credential(name: &str) -> Result<String, Error> {
    let refused = |why: &str| {
        Error::new("credential-invalid", format!("--redact-env {name}: {why}")).hint(
            "set and export the variable, or leave out --redact-env: nothing is staged whose credential is not known",
        )
    };
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
        let linked = if report.linked.contains(entity) { " (only linked)" } else { "" };
        text.push_str(&format!("  {entity}{linked}\n"));
    }
    for gap in &report.gaps {
        let of = gap.of();
        text.push_str(&format!("  gap: {of}{} {} ({}, {})\n", gap.scope, gap.code, gap.usability, gap.count));
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
    if let Some(left) = report.unrecognised.as_ref().filter(|left| !left.is_empty()) {
        text.push_str(&format!("  not recognised: {} inputs (--json lists them)\n", left.len()));
    }
    if let Some(record) = &report.record {
        text.push_str(&format!("  recorded: {record}\n"));
    }
    for finding in &report.findings {
        text.push_str(&format!("  found: {} ({})\n", finding.code, finding.count));
    }
    text
}
