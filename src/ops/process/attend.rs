//! A command that the user names, run to its end in the foreground: signals reach it, a deadline ends it, and nothing of it
//! is left when it is over.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::Alarm;
use crate::format::steps::{Step, Steps};
use crate::system::{Ended, Group, on_interrupt};

/// How long a command has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(10);

/// What to run.
#[derive(Debug)]
pub struct Attended<'a> {
    /// The program, looked up in the PATH of `env`, and its arguments.
    pub command: &'a [OsString],
    /// Its whole environment.
    pub env: &'a [(OsString, OsString)],
    /// What it prints goes to stderr: stdout is promised to something else.
    pub stdout_to_stderr: bool,
    /// How long it may take.
    pub deadline: Option<Duration>,
    /// A lock that it holds as long as it lives.
    pub lock: Option<&'a File>,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ended by itself.
    Exited(i32),
    /// A signal ended it, or came before it was started.
    Killed(i32),
    /// The deadline passed, and it was ended.
    TimedOut,
    /// It could not be started.
    NotStarted(String),
}

enum Event {
    Exited,
    Signal {
        number: i32,
        /// Whether a terminal sends it to the command too.
        keyboard: bool,
    },
    Deadline,
    GraceOver,
}

/// The signals that ask this process to end, taken from the first change of the disk on: until then nothing is to be cleared
/// away. The first one stops the writer, or is passed on to the command that runs; what was begun is cleared away.
#[derive(Debug, Default)]
pub struct Interrupts(OnceLock<Arc<Caught>>);

#[derive(Debug, Default)]
struct Caught {
    first: AtomicI32,
    listener: Mutex<Option<Sender<Event>>>,
}

impl Interrupts {
    /// The signal that came first.
    pub fn signal(&self) -> Option<i32> {
        self.0.get().map(|caught| caught.first.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }

    fn caught(&self) -> io::Result<&Arc<Caught>> {
        if let Some(caught) = self.0.get() {
            return Ok(caught);
        }
        let caught = Arc::new(Caught::default());
        let taken = Arc::clone(&caught);
        on_interrupt(move |number, keyboard| taken.take(number, keyboard))?;
        Ok(self.0.get_or_init(|| caught))
    }
}

impl Caught {
    fn take(&self, number: i32, keyboard: bool) {
        let _ = self.first.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
        if let Some(listener) = &*self.listener.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = listener.send(Event::Signal { number, keyboard });
        }
    }

    fn listen(&self, listener: Option<Sender<Event>>) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = listener;
    }
}

impl Steps for Interrupts {
    /// After a signal nothing more is written. What is left then is to clear away, or to give a whole tree its name.
    fn before(&self, step: Step, _: &Path) -> io::Result<()> {
        match (self.caught()?.first.load(Ordering::SeqCst), step) {
            (0, _) | (_, Step::Sync | Step::Rename | Step::Remove) => Ok(()),
            (signal, Step::Write) => Err(io::Error::new(io::ErrorKind::Interrupted, format!("signal {signal}"))),
        }
    }
}

/// Runs a command. When this returns no process of its group is left, unless it runs on a terminal, whose foreground it shares.
///
/// # Errors
/// When signals cannot be taken.
pub fn attend(job: &Attended<'_>, interrupts: &Interrupts) -> io::Result<Outcome> {
    let caught = interrupts.caught()?;
    let Some((program, args)) = job.command.split_first() else {
        return Ok(Outcome::NotStarted("no command".to_owned()));
    };
    let (events, inbox) = channel();
    caught.listen(Some(events.clone()));
    if let Some(signal) = interrupts.signal() {
        return Ok(Outcome::Killed(signal));
    }
    let alone = !io::stdin().is_terminal();
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(job.env.iter().cloned());
    if job.stdout_to_stderr {
        command.stdout(Stdio::from(io::stderr()));
    }
    let group = match Group::start(&mut command, alone, job.lock) {
        Ok(group) => group,
        Err(error) => {
            caught.listen(None);
            return Ok(Outcome::NotStarted(error.to_string()));
        }
    };
    let timed_out = wait(&events, &inbox, &group, alone, job.deadline);
    group.kill();
    let ended = group.wait()?;
    caught.listen(None);
    Ok(match (timed_out, ended) {
        (true, _) => Outcome::TimedOut,
        (false, Ended::Exited(code)) => Outcome::Exited(code),
        (false, Ended::Killed(signal)) => Outcome::Killed(signal),
    })
}

/// Waits until the command is gone; true when its time ran out.
fn wait(
    events: &Sender<Event>,
    inbox: &Receiver<Event>,
    group: &Group,
    alone: bool,
    deadline: Option<Duration>,
) -> bool {
    let exited = events.clone();
    group.at_exit(move || drop(exited.send(Event::Exited)));
    let alarm = |time, event: fn() -> Event| {
        let events = events.clone();
        Alarm::after(time, move || drop(events.send(event())))
    };
    let _deadline = deadline.map(|time| alarm(time, || Event::Deadline));
    // From when it was asked to end it has the grace, whatever comes meanwhile, except that it is asked again.
    let (mut grace, mut timed_out) = (None, false);
    loop {
        match inbox.recv() {
            Ok(Event::Exited) | Err(_) => return timed_out,
            // The terminal sends these to the command too, which may live on.
            Ok(Event::Signal { keyboard: true, .. }) if !alone => continue,
            Ok(Event::Deadline) if grace.is_some() => continue,
            Ok(Event::GraceOver) => group.kill(),
            Ok(Event::Signal { .. }) if grace.is_some() => group.kill(),
            Ok(Event::Signal { number, .. }) => group.signal(number),
            Ok(Event::Deadline) => {
                timed_out = true;
                group.ask();
            }
        }
        grace.get_or_insert_with(|| alarm(GRACE, || Event::GraceOver));
    }
}
