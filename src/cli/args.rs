//! What was typed: the commands and the options that all of them share.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

/// What is printed when no command is given.
pub const WELCOME: &str = "\
git-docket keeps what a forge said about issues and pull requests as plain
files in git, and builds from them trees that verify themselves.

Stage the context of a pull request for a script or an agent:
    git docket stage --from thread/ --out /tmp/context
    git docket stage github:github.com/acme/web/pull/42 --out /tmp/context

Keep facts, and see in git what changed:
    git docket init docket && cd docket
    git docket observe --commit ../thread/
    git docket snapshot --commit
    git docket diff docket-snapshots~1 docket-snapshots

Verify a stage, a store or any revision, offline:
    git docket verify /tmp/context --index-digest sha256:…
    git docket verify --at docket-snapshots
    git docket sums /tmp/context | (cd /tmp/context && sha256sum -c)

Exit status: 0 yes or done, 1 no (findings, differences), 2 trouble.
`git docket help` lists the commands, `git docket help VERB` explains one.
";

/// A docket of what a forge said, in git.
#[derive(Debug, Parser)]
#[command(name = "git-docket", version, about = "A docket of what a forge said, in git", long_about = None)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The verb.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// The store: a directory with docket.json, or a git repository with a facts branch
    #[arg(long, global = true, env = "GIT_DOCKET_STORE", hide_env_values = true, value_name = "DIR",
        value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub store: Option<PathBuf>,
    /// The facts branch, used without a work tree (docket-facts where there is no docket.json)
    #[arg(long = "ref", global = true, value_name = "REF")]
    pub facts_ref: Option<String>,
    /// The branch of derived snapshots
    #[arg(long, global = true, value_name = "REF", default_value = "docket-snapshots")]
    pub snapshot_ref: String,
    /// Print exactly one JSON object, also on trouble
    #[arg(long, global = true)]
    pub json: bool,
    /// Print one JSON object per line where there are many (the changes of diff), else as --json
    #[arg(long, global = true, conflicts_with = "json")]
    pub ndjson: bool,
    /// Say nothing on stderr but trouble
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Colour: auto, always or never; NO_COLOR is obeyed
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub color: Color,
    /// Show no progress
    #[arg(long, global = true)]
    pub no_progress: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands as they are shown and parsed: what explains a verb stands below its options, in the same form for `-h`,
/// `--help` and `help VERB`.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(|verb| {
        let long = verb.get_long_about().map(ToString::to_string).unwrap_or_default();
        let more = long.split_once("\n\n").map(|(_, more)| more.to_owned());
        let examples = verb.get_after_help().map(ToString::to_string);
        let below = more.into_iter().chain(examples).collect::<Vec<_>>().join("\n\n");
        verb.long_about(None::<&str>).after_help(below)
    })
}

/// The verbs. What each is for is said where its arguments are.
#[derive(Debug, Subcommand)]
pub enum Command {
    Init(super::init::InitArgs),
    Observe(super::observe::ObserveArgs),
    Snapshot(super::snapshot::SnapshotArgs),
    Stage(Box<super::stage::StageArgs>),
    Verify(super::verify::VerifyArgs),
    Diff(super::diff::DiffArgs),
    Show(super::show::ShowArgs),
    Sources(super::sources::SourcesArgs),
    Clean(super::clean::CleanArgs),
    Scavenge(super::scavenge::ScavengeArgs),
    Sums(super::sums::SumsArgs),
    Canon(super::canon::CanonArgs),
    Digest(super::digest::DigestArgs),
    Schema(super::schema::SchemaArgs),
}
