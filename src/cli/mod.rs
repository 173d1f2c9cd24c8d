//! The door for people: arguments, clock, environment, exit code. One file a command.

mod args;
mod canon;
mod choices;
mod clean;
mod diff;
mod digest;
mod given;
mod home;
mod init;
mod observe;
mod output;
mod place;
mod quotes;
mod reference;
mod scavenge;
mod schema;
mod show;
mod snapshot;
mod sources;
mod stage;
mod sums;
mod verify;
mod world;
mod wrap;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches as _};
use serde_json::json;

use args::{Cli, Command};
use output::{Answer, Output};

pub use reference::reference;

/// Runs the program: 0 yes or done, 1 no, 2 trouble.
pub fn main() -> ExitCode {
    let parsed = args::command().try_get_matches().and_then(|matches| read(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    let output = Output::new(&cli.global);
    match run(&cli) {
        Ok(answer) => output.answer(&answer),
        Err(error) => output.trouble(&error),
    }
}

/// What was typed. An empty variable counts as unset; an option that is given and empty names nothing.
fn read(matches: &ArgMatches) -> Result<Cli, clap::Error> {
    let mut cli = Cli::from_arg_matches(matches)?;
    if cli.global.store.as_ref().is_some_and(|store| store.as_os_str().is_empty()) {
        if matches.value_source("store") != Some(ValueSource::EnvVariable) {
            return Err(args::command().error(ErrorKind::InvalidValue, "--store needs a directory"));
        }
        cli.global.store = None;
    }
    Ok(cli)
}

fn run(cli: &Cli) -> Result<Answer, crate::ops::Error> {
    let global = &cli.global;
    match &cli.command {
        None => Ok(welcome()),
        Some(Command::Init(args)) => init::run(args, global),
        Some(Command::Observe(args)) => observe::run(args, global),
        Some(Command::Snapshot(args)) => snapshot::run(args, global),
        Some(Command::Stage(args)) => stage::run(args, global),
        Some(Command::Verify(args)) => verify::run(args, global),
        Some(Command::Diff(args)) => diff::run(args, global),
        Some(Command::Show(args)) => show::run(args, global),
        Some(Command::Sources(args)) => sources::run(args, global),
        Some(Command::Clean(args)) => clean::run(args),
        Some(Command::Scavenge(args)) => scavenge::run(args),
        Some(Command::Sums(args)) => sums::run(args),
        Some(Command::Canon(args)) => canon::run(args),
        Some(Command::Digest(args)) => digest::run(args),
        Some(Command::Schema(args)) => schema::run(args),
    }
}

/// What is said when no verb is given.
fn welcome() -> Answer {
    let command = args::command();
    let verbs: Vec<_> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let value = json!({"version": env!("CARGO_PKG_VERSION"), "verbs": verbs});
    Answer { text: args::WELCOME.to_owned(), json: Some(value), ..Answer::default() }
}
