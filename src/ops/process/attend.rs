//! A command that the user names, run to its end in the foreground: signals reach it, a deadline ends it, and nothing of it
//! is left when it is over.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Alarm, group};
use crate::format::steps::{Step, Steps};

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
    pub lock: Option<BorrowedFd<'a>>,
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
    Signal(i32),
    Deadline,
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
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        let caught = Arc::new(Caught::default());
        let of_thread = Arc::clone(&caught);
        thread::spawn(move || {
            for signal in signals.forever() {
                of_thread.take(signal);
            }
        });
        Ok(self.0.get_or_init(|| caught))
    }
}

impl Caught {
    fn take(&self, signal: i32) {
        let _ = self.first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
        if let Some(listener) = &*self.listener.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = listener.send(Event::Signal(signal));
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
    if alone {
        command.process_group(0);
    }
    if job.stdout_to_stderr {
        command.stdout(Stdio::from(rustix::io::dup(io::stderr())?));
    }
    // A copy without the flag that closes it: the command, and what it starts, holds it too.
    let inherited: Option<OwnedFd> = job.lock.map(rustix::io::dup).transpose()?;
    let spawned = command.spawn();
    drop(inherited);
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            caught.listen(None);
            return Ok(Outcome::NotStarted(error.to_string()));
        }
    };
    let timed_out = wait(&events, &inbox, &child, alone, job.deadline);
    end(&child, alone, Signal::KILL);
    let status = child.wait()?;
    caught.listen(None);
    Ok(match (timed_out, status.code(), status.signal()) {
        (true, ..) => Outcome::TimedOut,
        (_, Some(code), _) => Outcome::Exited(code),
        (.., signal) => Outcome::Killed(signal.unwrap_or(0)),
    })
}

/// Waits until the command is gone; true when its time ran out.
fn wait(
    events: &Sender<Event>,
    inbox: &Receiver<Event>,
    child: &Child,
    alone: bool,
    deadline: Option<Duration>,
) -> bool {
    if let Some(pid) = group(child) {
        let events = events.clone();
        thread::spawn(move || {
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            drop(events.send(Event::Exited));
        });
    }
    let alarm = |time| {
        let events = events.clone();
        Alarm::after(time, move || drop(events.send(Event::Deadline)))
    };
    let mut alarms = deadline.map(alarm).into_iter().collect::<Vec<_>>();
    let (mut asked, mut timed_out) = (false, false);
    loop {
        let signal = match inbox.recv() {
            Ok(Event::Exited) | Err(_) => return timed_out,
            // The terminal sends these to the command too, which may live on.
            Ok(Event::Signal(SIGINT | SIGQUIT)) if !alone => continue,
            Ok(Event::Signal(signal)) => Signal::from_named_raw(signal).unwrap_or(Signal::TERM),
            Ok(Event::Deadline) => {
                timed_out |= !asked;
                Signal::TERM
            }
        };
        end(child, alone, if asked { Signal::KILL } else { signal });
        asked = true;
        alarms.push(alarm(GRACE));
    }
}

fn end(child: &Child, alone: bool, signal: Signal) {
    if let Some(pid) = group(child) {
        let _ = if alone { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
    }
}
