//! The door for people: arguments, clock, environment, exit code. One file a command.

mod args;
mod canon;
mod diff;
mod digest;
mod init;
mod observe;
mod output;
mod place;
mod reference;
mod schema;
mod show;
mod snapshot;
mod sources;
mod stage;
mod sums;
mod verify;
mod world;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::{Answer, Output};

pub use reference::reference;

/// Runs the program: 0 yes or done, 1 no, 2 trouble.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    let output = Output::new(&cli.global);
    match run(&cli) {
        Ok(answer) => output.answer(&answer),
        Err(error) => output.trouble(&error),
    }
}

fn run(cli: &Cli) -> Result<Answer, crate::ops::Error> {
    let global = &cli.global;
    match &cli.command {
        None => Ok(Answer::text(args::WELCOME.to_owned())),
        Some(Command::Init(args)) => init::run(args, global),
        Some(Command::Observe(args)) => observe::run(args, global),
        Some(Command::Snapshot(args)) => snapshot::run(args, global),
        Some(Command::Stage(args)) => stage::run(args, global),
        Some(Command::Verify(args)) => verify::run(args, global),
        Some(Command::Diff(args)) => diff::run(args, global),
        Some(Command::Show(args)) => show::run(args, global),
        Some(Command::Sources(args)) => sources::run(args, global),
        Some(Command::Sums(args)) => sums::run(args),
        Some(Command::Canon(args)) => canon::run(args),
        Some(Command::Digest(args)) => digest::run(args),
        Some(Command::Schema(args)) => schema::run(args),
    }
}
