//! What was typed: the commands and the options that all of them share.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
#[command(name = "git-docket", version, about, long_about = None, disable_help_subcommand = false)]
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
pub struct Global {
    /// The store: a directory with docket.json, or a git repository with a facts branch
    #[arg(long, global = true, env = "GIT_DOCKET_STORE", value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// The facts branch, used without a work tree
    #[arg(long = "ref", global = true, value_name = "REF")]
    pub facts_ref: Option<String>,
    /// The branch of derived snapshots
    #[arg(long, global = true, value_name = "REF", default_value = "docket-snapshots")]
    pub snapshot_ref: String,
    /// Print exactly one JSON object, also on trouble
    #[arg(long, global = true)]
    pub json: bool,
    /// Print one JSON object per line where there are many
    #[arg(long, global = true, conflicts_with = "json")]
    pub ndjson: bool,
    /// Say nothing on stderr but trouble
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Colour: auto, always, never (NO_COLOR is obeyed)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
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

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a store, in a work tree or on a branch
    Init(super::init::InitArgs),
    /// File payloads: elements and observations
    Observe(super::observe::ObserveArgs),
    /// Derive the snapshot tree and print its id
    Snapshot(super::snapshot::SnapshotArgs),
    /// Write the context of one entity or several for a consumer
    Stage(super::stage::StageArgs),
    /// Check a stage, a snapshot, a store or a revision, offline
    Verify(super::verify::VerifyArgs),
    /// What changed between two stages or snapshots
    Diff(super::diff::DiffArgs),
    /// Show an entity, a payload or an element
    Show(super::show::ShowArgs),
    /// Quote a repository for a draft, and check later whether the quotes still hold
    Sources(super::sources::SourcesArgs),
    /// Print the manifest in the form that sha256sum -c accepts
    Sums(super::sums::SumsArgs),
    /// Print the canonical bytes of a JSON document
    Canon(super::canon::CanonArgs),
    /// Print SHA-256 digests
    Digest(super::digest::DigestArgs),
    /// Print a JSON Schema, or the names of all
    Schema(super::schema::SchemaArgs),
}
