//! The only file that prints. stdout is the answer, stderr the story; a broken pipe is no trouble.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::args::{Color, Global};
use crate::ops::Error;

/// What a command has to say.
#[derive(Debug, Default)]
pub struct Answer {
    /// For people and pipes.
    pub text: Vec<u8>,
    /// For `--json`; `None` when the text is the answer in any case (`canon`, `sums`).
    pub json: Option<Value>,
    /// For `--ndjson`, a line each.
    pub lines: Option<Vec<Value>>,
    /// What happened on the way, a line each.
    pub story: Vec<String>,
    /// True when the answer is "no": exit 1.
    pub no: bool,
}

impl Answer {
    /// An answer that is only text.
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// How to print.
pub struct Output {
    json: bool,
    ndjson: bool,
    quiet: bool,
    color: bool,
}

impl Output {
    /// Reads the options and asks the terminal.
    pub fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && !super::world::no_color(),
        };
        Self { json: global.json, ndjson: global.ndjson, quiet: global.quiet, color }
    }

    /// Prints an answer and gives its exit status.
    pub fn answer(&self, answer: &Answer) -> ExitCode {
        if !self.quiet {
            for line in &answer.story {
                let _ = writeln!(io::stderr().lock(), "{}", printable(line));
            }
        }
        let written = match (&answer.lines, &answer.json) {
            (Some(lines), _) if self.ndjson => lines.iter().try_for_each(|line| print(format!("{line}\n").as_bytes())),
            (_, Some(value)) if self.json || self.ndjson => print(format!("{value}\n").as_bytes()),
            _ => print(&answer.text),
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.trouble(&Error::new("output-failed", format!("stdout cannot be written: {error}")))
            }
            _ => ExitCode::from(u8::from(answer.no)),
        }
    }

    /// Prints trouble: for people on stderr, for `--json` as an object on stdout.
    pub fn trouble(&self, error: &Error) -> ExitCode {
        if self.json || self.ndjson {
            let body = json!({"code": error.code(), "message": error.to_string(), "hint": error.hint_text()});
            let _ = print(format!("{}\n", json!({ "error": body })).as_bytes());
            return ExitCode::from(2);
        }
        let (on, off) = if self.color { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "{on}error[{}]{off}: {}", error.code(), printable(&error.to_string()));
        if let Some(hint) = error.hint_text() {
            let _ = writeln!(stderr, "hint: {}", printable(hint));
        }
        ExitCode::from(2)
    }
}

/// Trouble with the arguments, or help that was asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = print(error.render().to_string().as_bytes());
        return ExitCode::SUCCESS;
    }
    if super::world::arguments_ask_for_json() {
        let message = error.render().to_string();
        let first = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let body = json!({"code": "usage", "message": first, "hint": "git docket help"});
        let _ = print(format!("{}\n", json!({ "error": body })).as_bytes());
    } else {
        let _ = write!(io::stderr().lock(), "{}", error.render());
    }
    ExitCode::from(2)
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Text for a terminal: control characters, which a forge or a file name may carry, are shown and not obeyed.
fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| if c.is_control() && c != '\n' && c != '\t' { c.escape_default().collect() } else { vec![c] })
        .collect()
}

/// A report as JSON; a report of ours always is.
pub(super) fn json(value: serde_json::Result<Value>) -> Result<Option<Value>, Error> {
    value.map(Some).map_err(|error| Error::new("output-failed", format!("the report cannot be written: {error}")))
}
