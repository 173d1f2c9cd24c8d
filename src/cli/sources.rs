//! `sources`: quote a repository for a draft, and check later whether the quotes still hold.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::format::digest::Digest;
use crate::format::questions::{OURS, QuestionSet};
use crate::git::search::Folding;
use crate::ops::Error;
use crate::ops::process::Job;
use crate::ops::sources_check::{self, references_from, references_of_stage};
use crate::ops::sources_collect::{self, Door, Engine, How, Wanted};
use crate::sources::Rules;
use crate::sources::disclosure::Audience;
use crate::sources::drift::{Drift, Status};
use crate::sources::selection::Held;
use crate::sources::view;

/// Quote a repository for a draft, and check later whether the quotes still hold
#[derive(Debug, Args)]
pub struct SourcesArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Lines that hold a draft's words, each with path, line and digests
    Collect(Box<CollectArgs>),
    /// What became of recorded references: same, moved, changed, gone, unknown
    Check(CheckArgs),
}

#[derive(Debug, Args)]
struct CollectArgs {
    /// A directory in the repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    #[command(flatten)]
    wanted: WantedArgs,
    /// Look only at these paths: the files that a pull request touches
    #[arg(long, value_name = "PATH")]
    within: Vec<String>,
    /// Print the whole prompt part, the repository card before the block
    #[arg(long)]
    card: bool,
    /// Reproduce another program to the byte, its defects included (docs/sources.md)
    #[arg(long, value_name = "PROGRAM")]
    compat: Option<Compat>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    decide: DecideArgs,
    #[command(flatten)]
    audience: AudienceArgs,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct WantedArgs {
    /// The text of the task
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    draft: Option<String>,
    /// A file with the text of the task, `-` for stdin
    #[arg(long, value_name = "FILE")]
    draft_file: Option<PathBuf>,
    /// Quote this line instead of searching; may be repeated
    #[arg(long, value_name = "PATH:LINE")]
    place: Vec<String>,
}

#[derive(Debug, Args)]
struct SearchArgs {
    /// Who searches: this program, or git for comparison
    #[arg(long, value_name = "WHO", default_value = "in-process")]
    search: Searcher,
    /// The git program for `--search git` (default: the first on PATH)
    #[arg(long, value_name = "FILE")]
    git: Option<PathBuf>,
    /// Letters are the same by Unicode (C.UTF-8) or by ASCII only (C)
    #[arg(long, value_name = "LOCALE")]
    locale: Option<Locale>,
    /// The seconds that each search may take
    #[arg(long, value_name = "N", default_value_t = 2)]
    search_seconds: u64,
}

#[derive(Debug, Args)]
struct DecideArgs {
    /// A command that ranks the candidates: JSON on stdin, JSON on stdout
    #[arg(long, value_name = "CMD")]
    decide: Option<String>,
    /// The question set (default: our own)
    #[arg(long, value_name = "FILE", requires = "decide")]
    questions: Option<PathBuf>,
    /// The model to ask for
    #[arg(long, value_name = "NAME", requires = "decide")]
    decide_model: Option<String>,
    /// The seconds that the command may take
    #[arg(long, value_name = "N", default_value_t = 20)]
    decide_seconds: u64,
    /// A variable that the command may see; PATH always
    #[arg(long, value_name = "NAME", requires = "decide")]
    pass_env: Vec<String>,
    /// A former answer of `--json`, whose judgment stands again while nothing it depends on changed
    #[arg(long, value_name = "FILE", requires = "decide")]
    reuse: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct AudienceArgs {
    /// Who will see the result: direct_local, own_provider, hosted_http, relay, or a name with --profile-local
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The address of an own_provider; only loopback and private ones are local
    #[arg(long, value_name = "HOST", requires = "profile")]
    profile_address: Option<String>,
    /// Whether a profile of another name is local
    #[arg(long, value_name = "BOOL", requires = "profile")]
    profile_local: Option<bool>,
    /// A path whose content the profile may see; without any, whatever the collection reads
    #[arg(long, value_name = "PATH", requires = "profile")]
    grant: Vec<String>,
    /// Grant nothing but what --grant names
    #[arg(long, requires = "profile")]
    grant_nothing: bool,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// A context record, an answer of `sources collect --json`, references one a line, or a stage; `-` for stdin
    file: PathBuf,
    /// A directory in the repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Check against this revision instead of the work tree
    #[arg(long, value_name = "REV")]
    at: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compat {
    #[value(name = "openagents")]
    OpenAgents,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Searcher {
    InProcess,
    Git,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Locale {
    #[value(name = "C.UTF-8")]
    Utf8,
    #[value(name = "C")]
    C,
}

/// What the command needs of the world outside.
pub struct World<'a> {
    /// The value of a variable that is set.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The bytes of a file, of stdin for `-`.
    pub read: &'a dyn Fn(&Path) -> Result<Vec<u8>, Error>,
}

/// What the command has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// For people and pipes.
    pub text: Vec<u8>,
    /// For `--json`, already serialised: the order of members is part of the foreign records.
    pub json: String,
    /// True when the answer is "no": exit 1.
    pub no: bool,
}

/// Runs the command.
///
/// # Errors
/// Trouble: exit 2.
pub fn run(args: &SourcesArgs, world: &World<'_>) -> Result<Reply, Error> {
    match &args.verb {
        Verb::Collect(args) => collect(args, world),
        Verb::Check(args) => check(args, world),
    }
}

fn collect(args: &CollectArgs, world: &World<'_>) -> Result<Reply, Error> {
    let rules = if args.compat.is_some() { Rules::OpenAgents } else { Rules::Safe };
    let options = sources_collect::Options {
        dir: args.repo.clone(),
        wanted: wanted(args, world)?,
        rules,
        how: how(&args.search, rules, world)?,
        audience: audience(&args.audience)?,
        door: door(&args.decide, world)?,
    };
    let report = sources_collect::collect(&options)?;
    let text = if args.card { format!("repo context:\n{}{}", report.card, report.block) } else { report.block.clone() };
    let json = serde_json::to_string(&report).map_err(|error| Error::new("output-failed", error.to_string()))?;
    Ok(Reply { text: text.into_bytes(), json, no: false })
}

fn wanted(args: &CollectArgs, world: &World<'_>) -> Result<Wanted, Error> {
    let within = (!args.within.is_empty()).then(|| args.within.iter().cloned().collect());
    match (&args.wanted.draft, &args.wanted.draft_file) {
        (Some(text), _) => Ok(Wanted::Draft { text: text.clone(), within }),
        (None, Some(file)) => {
            let text = String::from_utf8((world.read)(file)?);
            let text = text.map_err(|_| Error::new("draft-invalid", format!("{} is not UTF-8", file.display())))?;
            Ok(Wanted::Draft { text, within })
        }
        (None, None) => {
            args.wanted.place.iter().map(|place| parse_place(place)).collect::<Result<_, _>>().map(Wanted::Places)
        }
    }
}

fn parse_place(place: &str) -> Result<(String, u64), Error> {
    let parsed = place.rsplit_once(':').and_then(|(path, line)| Some((path.to_owned(), line.parse().ok()?)));
    parsed
        .filter(|(path, line)| !path.is_empty() && *line > 0)
        .ok_or_else(|| Error::new("usage", format!("place {place:?} is not a path, a colon and a line from 1")))
}

fn how(args: &SearchArgs, rules: Rules, world: &World<'_>) -> Result<How, Error> {
    // The other program searches in the locale that it is started in; we look at the environment only to be compared with it.
    let started_in_c = || (world.variable)("LC_ALL").is_some_and(|value| value == "C" || value == "POSIX");
    let folding = match args.locale {
        Some(Locale::C) => Folding::Ascii,
        None if rules == Rules::OpenAgents && started_in_c() => Folding::Ascii,
        Some(Locale::Utf8) | None => Folding::Unicode,
    };
    let engine = match args.search {
        Searcher::InProcess => Engine::InProcess,
        Searcher::Git => Engine::Git(args.git.clone().or_else(|| on_path("git", world)).ok_or_else(|| {
            Error::new("git-missing", "git is not on PATH").hint("name it with --git, or leave out --search git")
        })?),
    };
    Ok(How { engine, folding, time: Duration::from_secs(args.search_seconds) })
}

fn on_path(program: &str, world: &World<'_>) -> Option<PathBuf> {
    let path = (world.variable)("PATH")?;
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())
}

fn audience(args: &AudienceArgs) -> Result<Option<Audience>, Error> {
    let Some(profile) = &args.profile else { return Ok(None) };
    let listed = args.grant_nothing || !args.grant.is_empty();
    let grants: Option<BTreeSet<String>> = listed.then(|| args.grant.iter().cloned().collect());
    Audience::resolve(profile, args.profile_address.as_deref(), args.profile_local, grants)
        .map(Some)
        .map_err(|error| Error::new("profile-unknown", error.to_string()).hint("say --profile-local true or false"))
}

fn door(args: &DecideArgs, world: &World<'_>) -> Result<Option<Door>, Error> {
    let Some(command) = &args.decide else { return Ok(None) };
    let questions = match &args.questions {
        Some(file) => (world.read)(file)?,
        None => OURS.as_bytes().to_vec(),
    };
    let questions =
        QuestionSet::from_bytes(&questions).map_err(|error| Error::new("questions-invalid", error.to_string()))?;
    let held = args.reuse.as_ref().map(|file| (world.read)(file).and_then(|bytes| held(&bytes))).transpose()?.flatten();
    let passed = args.pass_env.iter().map(String::as_str).chain(["PATH"]);
    let env = passed.filter_map(|name| Some((OsString::from(name), (world.variable)(name)?))).collect();
    let job = Job {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), command.into()],
        env,
        deadline: Duration::from_secs(args.decide_seconds),
        ..Job::default()
    };
    Ok(Some(Door { name: command.clone(), job, questions, model: args.decide_model.clone(), held }))
}

/// The judgment in a former answer; `None` when that answer had none.
fn held(bytes: &[u8]) -> Result<Option<Held>, Error> {
    let invalid = |why: &str| Error::new("reuse-invalid", format!("the former answer cannot be used: {why}"));
    crate::format::json::parse(bytes).map_err(|fault| invalid(&fault.to_string()))?;
    #[derive(serde::Deserialize)]
    struct Former {
        context: FormerContext,
        decision: Option<FormerDecision>,
    }
    #[derive(serde::Deserialize)]
    struct FormerContext {
        selection: Option<crate::format::evidence::Selection>,
    }
    #[derive(serde::Deserialize)]
    struct FormerDecision {
        door: String,
        task_digest: String,
    }
    let former: Former = serde_json::from_slice(bytes).map_err(|error| invalid(&error.to_string()))?;
    let (Some(record), Some(decision)) = (former.context.selection, former.decision) else { return Ok(None) };
    let task_digest = Digest::from_hex(&decision.task_digest).ok_or_else(|| invalid("task_digest is no digest"))?;
    Ok(Some(Held { task_digest, door: decision.door, record }))
}

fn check(args: &CheckArgs, world: &World<'_>) -> Result<Reply, Error> {
    let references = match args.file.is_dir() {
        true => references_of_stage(&args.file)?,
        false => references_from(&(world.read)(&args.file)?)?,
    };
    let options = sources_check::Options { dir: args.repo.clone(), at: args.at.clone() };
    let report = sources_check::check(&options, references)?;
    let mut text = String::new();
    for (reference, drift) in &report.references {
        text.push_str(&format!(
            "{:<8}{}:{}{}\n",
            drift.status.name(),
            view::path(&reference.path),
            reference.line,
            details(drift)
        ));
    }
    let counts = Status::ALL.map(|status| (report.count(status), status));
    let counts: Vec<_> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, status)| format!("{n} {}", status.name())).collect();
    text.push_str(&format!("{} references: {}\n", report.references.len(), counts.join(", ")));
    Ok(Reply { text: text.into_bytes(), json: report.to_json().to_string(), no: !report.all_same() })
}

fn details(drift: &Drift) -> String {
    let mut out = String::new();
    if let Some((path, line)) = drift.position.as_ref().filter(|_| drift.status == Status::Moved) {
        out.push_str(&format!(" -> {}:{line}", view::path(path)));
    }
    if drift.occurrences > 1 {
        out.push_str(&format!(" (the nearest of {})", drift.occurrences));
    }
    if let Some(reason) = drift.reason {
        out.push_str(&format!(" ({reason})"));
    }
    out
}
