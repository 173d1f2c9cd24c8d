//! The only place that starts a process: supervised, in a group of its own, with a deadline, bounded output and no inherited environment.

mod attend;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

pub use attend::{Attended, Interrupts, Outcome, attend};

use crate::system::{Ended as End, Group};

/// How much is kept of what a process says on stderr.
const STDERR: usize = 8 << 10;

/// What to run.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// The program, by a path that is not looked up.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads; stdin ends after it.
    pub stdin: Vec<u8>,
    /// The most bytes that it may print.
    pub capture: usize,
    /// How long it may take.
    pub deadline: Duration,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It ended by itself.
    Exit {
        /// The exit code; `None` when a signal ended it.
        code: Option<i32>,
        /// All that it printed.
        stdout: Vec<u8>,
        /// The start of what it said on stderr.
        stderr: Vec<u8>,
    },
    /// It printed more than it may, and was ended.
    TooMuch,
    /// The deadline passed, and it was ended.
    Deadline,
    /// It could not be started.
    NotStarted(String),
}

enum Event {
    Out(Option<Vec<u8>>),
    Err(Vec<u8>),
    Exited,
    Deadline,
}

/// Runs a job to its end or its deadline; without any time it is not started. When this returns, no process of its group is left.
pub fn run(job: &Job) -> Ended {
    if job.deadline.is_zero() {
        return Ended::Deadline;
    }
    let mut command = Command::new(&job.program);
    command.args(&job.args).env_clear().envs(job.env.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = match Group::start(&mut command, true, None) {
        Ok(group) => group,
        Err(error) => return Ended::NotStarted(error.to_string()),
    };
    let (events, inbox) = channel();
    let _alarm = Alarm::after(job.deadline, {
        let events = events.clone();
        move || drop(events.send(Event::Deadline))
    });
    tend(&mut group, job, &events);
    drop(events);
    let ended = wait(&inbox, &group);
    group.kill();
    let code = group.wait().ok().and_then(|end| if let End::Exited(code) = end { Some(code) } else { None });
    match ended {
        Ended::Exit { stdout, stderr, .. } => Ended::Exit { code, stdout, stderr },
        other => other,
    }
}

/// One thread a pipe, and one that notices the exit.
fn tend(group: &mut Group, job: &Job, events: &Sender<Event>) {
    let (stdin, stdout, stderr) = group.pipes();
    if let Some(mut stdin) = stdin {
        let bytes = job.stdin.clone();
        // A process that does not read is its own affair.
        thread::spawn(move || drop(stdin.write_all(&bytes)));
    }
    if let Some(stdout) = stdout {
        let (events, capture) = (events.clone(), job.capture);
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(capture as u64 + 1).read_to_end(&mut bytes);
            let whole = read.is_ok() && bytes.len() <= capture;
            drop(events.send(Event::Out(whole.then_some(bytes))));
        });
    }
    if let Some(mut stderr) = stderr {
        let events = events.clone();
        thread::spawn(move || {
            let mut start = Vec::new();
            let _ = stderr.by_ref().take(STDERR as u64).read_to_end(&mut start);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            drop(events.send(Event::Err(start)));
        });
    }
    let events = events.clone();
    group.at_exit(move || drop(events.send(Event::Exited)));
}

/// Waits until the process is gone and its pipes are closed, or a limit is met.
fn wait(inbox: &Receiver<Event>, group: &Group) -> Ended {
    let (mut out, mut err, mut exited) = (None, None, false);
    while !exited || out.is_none() || err.is_none() {
        match inbox.recv() {
            Ok(Event::Out(Some(bytes))) => out = Some(bytes),
            Ok(Event::Out(None)) => return Ended::TooMuch,
            Ok(Event::Err(bytes)) => err = Some(bytes),
            Ok(Event::Exited) => {
                exited = true;
                // What it left behind would keep the pipes open.
                group.kill();
            }
            Ok(Event::Deadline) | Err(_) => return Ended::Deadline,
        }
    }
    Ended::Exit { code: None, stdout: out.unwrap_or_default(), stderr: err.unwrap_or_default() }
}

/// Calls back once after a time, unless it is dropped before. It waits on a channel and reads no clock.
#[derive(Debug)]
pub struct Alarm {
    _off: Sender<()>,
}

impl Alarm {
    /// Sets an alarm.
    pub fn after(time: Duration, ring: impl FnOnce() + Send + 'static) -> Self {
        let (off, dropped) = channel();
        thread::spawn(move || {
            if dropped.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                ring();
            }
        });
        Self { _off: off }
    }

    /// Sets an alarm that raises a flag; a time of zero raises it at once.
    pub fn flag(time: Duration) -> (Self, Arc<AtomicBool>) {
        let flag = Arc::new(AtomicBool::new(time.is_zero()));
        let raised = Arc::clone(&flag);
        (Self::after(time, move || raised.store(true, Ordering::Relaxed)), flag)
    }
}
