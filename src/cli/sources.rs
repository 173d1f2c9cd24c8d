//! `sources`: quote a repository for a draft, and check later whether the quotes still hold.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::args::Global;
use super::output::Answer;
use super::place::read_input;
use super::world::variable;
use crate::format::questions::{OURS, QuestionSet};
use crate::ops::Error;
use crate::ops::process::Job;
use crate::ops::sources::{self, Audience, CollectOptions, Door, Engine, Folding, Held, How, Rules, Wanted};

/// The largest draft, question set or list of references that is read.
const MAX_INPUT: u64 = 64 << 20;

/// Quote a repository for a draft, and check later whether the quotes still hold
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket sources collect --draft-file task.txt --json > context.json
  git docket sources check context.json
  git docket sources check context.json --at v1.2")]
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
    #[arg(long, value_name = "N", requires = "decide", default_value_t = 20)]
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

pub(super) fn run(args: &SourcesArgs, global: &Global) -> Result<Answer, Error> {
    match &args.verb {
        Verb::Collect(args) => collect(args, global),
        Verb::Check(args) => check(args),
    }
}

fn collect(args: &CollectArgs, global: &Global) -> Result<Answer, Error> {
    let rules = if args.compat.is_some() { Rules::OpenAgents } else { Rules::Safe };
    let options = CollectOptions {
        dir: args.repo.clone(),
        wanted: wanted(args)?,
        rules,
        how: how(&args.search, rules)?,
        audience: audience(&args.audience)?,
        door: door(&args.decide)?,
    };
    let report = sources::collect(&options)?;
    let text = match (global.json || global.ndjson, args.card) {
        // Serialised here: the order of members belongs to the foreign records, and a JSON value does not keep it.
        (true, _) => report.to_json() + "\n",
        (false, true) => format!("repo context:\n{}{}", report.card, report.block),
        (false, false) => report.block,
    };
    Ok(Answer::bytes(text))
}

fn wanted(args: &CollectArgs) -> Result<Wanted, Error> {
    let within = (!args.within.is_empty()).then(|| args.within.iter().cloned().collect());
    match (&args.wanted.draft, &args.wanted.draft_file) {
        (Some(text), _) => Ok(Wanted::Draft { text: text.clone(), within }),
        (None, Some(file)) => draft(file).map(|text| Wanted::Draft { text, within }),
        (None, None) => {
            args.wanted.place.iter().map(|place| parse_place(place)).collect::<Result<_, _>>().map(Wanted::Places)
        }
    }
}

/// The text of a draft in a file.
pub(super) fn draft(file: &Path) -> Result<String, Error> {
    String::from_utf8(read_input(file, MAX_INPUT)?)
        .map_err(|_| Error::new("draft-invalid", format!("{} is not UTF-8", file.display())))
}

fn parse_place(place: &str) -> Result<(String, u64), Error> {
    let parsed = place.rsplit_once(':').and_then(|(path, line)| Some((path.to_owned(), line.parse().ok()?)));
    parsed
        .filter(|(path, line)| !path.is_empty() && *line > 0)
        .ok_or_else(|| Error::new("usage", format!("place {place:?} is not a path, a colon and a line from 1")))
}

fn how(args: &SearchArgs, rules: Rules) -> Result<How, Error> {
    // The other program searches in the locale that it is started in; we look at the environment only to be compared with it.
    let started_in_c = || variable("LC_ALL").is_some_and(|value| value == "C" || value == "POSIX");
    let folding = match args.locale {
        Some(Locale::C) => Folding::Ascii,
        None if rules == Rules::OpenAgents && started_in_c() => Folding::Ascii,
        Some(Locale::Utf8) | None => Folding::Unicode,
    };
    let engine = match args.search {
        Searcher::InProcess if args.git.is_some() => {
            return Err(Error::new("usage", "--git names the program of --search git"));
        }
        Searcher::InProcess => Engine::InProcess,
        Searcher::Git => Engine::Git(args.git.clone().or_else(|| on_path("git")).ok_or_else(|| {
            Error::new("git-missing", "git is not on PATH").hint("name it with --git, or leave out --search git")
        })?),
    };
    Ok(How { engine, folding, time: Duration::from_secs(args.search_seconds) })
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = variable("PATH")?;
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

fn door(args: &DecideArgs) -> Result<Option<Door>, Error> {
    let Some(command) = &args.decide else { return Ok(None) };
    let questions = match &args.questions {
        Some(file) => read_input(file, MAX_INPUT)?,
        None => OURS.as_bytes().to_vec(),
    };
    let questions =
        QuestionSet::from_bytes(&questions).map_err(|error| Error::new("questions-invalid", error.to_string()))?;
    let held = args
        .reuse
        .as_ref()
        .map(|file| read_input(file, MAX_INPUT).and_then(|bytes| former(&bytes)))
        .transpose()?
        .flatten();
    let passed = args.pass_env.iter().map(String::as_str).chain(["PATH"]);
    let env = passed.filter_map(|name| Some((name.into(), variable(name)?.into()))).collect();
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
fn former(bytes: &[u8]) -> Result<Option<Held>, Error> {
    let invalid = |why| Error::new("reuse-invalid", format!("the former answer cannot be used: {why}"));
    Held::from_bytes(bytes).map_err(invalid)
}

fn check(args: &CheckArgs) -> Result<Answer, Error> {
    let references = match args.file.is_dir() {
        true => sources::references_of_stage(&args.file)?,
        false => sources::references_from(&read_input(&args.file, MAX_INPUT)?)?,
    };
    let options = sources::CheckOptions { dir: args.repo.clone(), at: args.at.clone() };
    let report = sources::check(&options, references)?;
    let json = Some(report.to_json());
    Ok(Answer { text: report.to_text(), json, no: !report.all_same(), ..Answer::default() })
}
