//! The only file that prints. stdout is the answer, stderr the story; a broken pipe is no trouble.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::args::{Color, Global};
use crate::ops::observe::{Doing, Progress};
use crate::ops::{Error, plain};
use crate::system;

/// What a command has to say.
#[derive(Debug, Default)]
pub struct Answer {
    /// For people. What could move a cursor or hide is escaped.
    pub text: String,
    /// Bytes that are the answer as they are (`canon`, `sums`).
    pub bytes: Vec<u8>,
    /// For `--json`; `None` when the bytes are the answer in any case.
    pub json: Option<Value>,
    /// For `--ndjson`, a line each.
    pub lines: Option<Vec<Value>>,
    /// What happened on the way, a line each.
    pub story: Vec<String>,
    /// The same that is said whatever was asked for: why what should be done was not.
    pub trouble: Vec<String>,
    /// True when the answer is "no": exit 1.
    pub no: bool,
    /// The exit status of a command that was run, which is passed on.
    pub exit: Option<u8>,
}

impl Answer {
    /// An answer that is bytes in any case.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), ..Self::default() }
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
        let story = answer.story.iter().filter(|_| !self.quiet);
        for line in story.chain(&answer.trouble) {
            let _ = writeln!(io::stderr().lock(), "{}", plain(line, true));
        }
        let written = match (&answer.lines, &answer.json) {
            (Some(lines), _) if self.ndjson => lines.iter().try_for_each(|line| print(format!("{line}\n").as_bytes())),
            (_, Some(value)) if self.json || self.ndjson => print(format!("{value}\n").as_bytes()),
            _ => print(plain(&answer.text, true).as_bytes()).and_then(|()| print(&answer.bytes)),
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.trouble(&Error::new("output-failed", format!("stdout cannot be written: {error}")))
            }
            _ => ExitCode::from(answer.exit.unwrap_or(u8::from(answer.no))),
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
        let _ = writeln!(stderr, "{on}error[{}]{off}: {}", error.code(), plain(&error.to_string(), true));
        if let Some(hint) = error.hint_text() {
            let _ = writeln!(stderr, "hint: {}", plain(hint, true));
        }
        ExitCode::from(2)
    }
}

/// One line on a terminal that says how far a verb is, and goes when that ends.
pub struct ProgressLine {
    shown: bool,
    /// The last hundredth that was shown; none yet is beyond all.
    last: AtomicU64,
}

/// How wide the line is at least: what is shorter covers what stood there.
const LINE: usize = 48;

impl ProgressLine {
    /// Shows something only when stderr is a terminal, and neither `--quiet` nor `--no-progress` is given.
    pub fn new(global: &Global) -> Self {
        let shown = !global.quiet && !global.no_progress && io::stderr().is_terminal();
        Self { shown, last: AtomicU64::new(u64::MAX) }
    }
}

impl Progress for ProgressLine {
    fn at(&self, doing: Doing, done: u64, of: u64) {
        let hundredth = (done * 100).checked_div(of).unwrap_or(100);
        let stage = 1000 * doing as u64;
        if !self.shown || self.last.swap(stage + hundredth, Ordering::Relaxed) == stage + hundredth {
            return;
        }
        let line = match doing {
            Doing::Reading => format!("reading {hundredth} % of {:.1} MB", of as f64 / 1e6),
            Doing::Taking => format!("filing {hundredth} % of {:.1} MB", of as f64 / 1e6),
            Doing::Filing => format!("filing {done} of {of} files"),
        };
        let _ = write!(io::stderr().lock(), "\r{line:LINE$}");
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown && self.last.load(Ordering::Relaxed) != u64::MAX {
            let _ = write!(io::stderr().lock(), "\r{:LINE$}\r", "");
        }
    }
}

/// Trouble with the arguments, or help that was asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    let told = error.render().to_string();
    if !error.use_stderr() {
        let text = if super::world::arguments_ask_for_json() { format!("{}\n", json!({ "text": told })) } else { told };
        let _ = print(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    if super::world::arguments_ask_for_json() {
        let body = json!({"code": "usage", "message": first_paragraph(&told), "hint": "git docket help"});
        let _ = print(format!("{}\n", json!({ "error": body })).as_bytes());
    } else {
        let _ = write!(io::stderr().lock(), "{}", plain(&told, true));
    }
    ExitCode::from(2)
}

/// What clap says before its tips and the usage, on one line.
fn first_paragraph(told: &str) -> String {
    let lines = told.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

fn print(bytes: &[u8]) -> io::Result<()> {
    system::print(&mut io::stdout().lock(), bytes)
}

/// A report as JSON; a report of ours always is.
pub(super) fn json(value: serde_json::Result<Value>) -> Result<Option<Value>, Error> {
    value.map(Some).map_err(|error| Error::new("output-failed", format!("the report cannot be written: {error}")))
}
