//! A process at the head of its group, and the signals that ask this one to end.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::thread;

use rustix::fd::OwnedFd;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::system::Ended;

/// A process, with those that it started unless it shares the group of this one.
#[derive(Debug)]
pub struct Group {
    child: Child,
    pid: Pid,
    alone: bool,
}

impl Group {
    /// Starts a command, `alone` at the head of a group of its own. It, and what it starts, holds `lock` as long as it lives.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, alone: bool, lock: Option<&File>) -> io::Result<Self> {
        if alone {
            command.process_group(0);
        }
        // A copy without the flag that closes it.
        let inherited: Option<OwnedFd> = lock.map(rustix::io::dup).transpose()?;
        let spawned = command.spawn();
        drop(inherited);
        let child = spawned?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("a process without a number"))?;
        Ok(Self { child, pid, alone })
    }

    /// Its pipes.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// Calls back when it is over. It is not reaped then, so that its id, and with it the group's, still means this group.
    pub fn at_exit(&self, over: impl FnOnce() + Send + 'static) {
        let pid = self.pid;
        thread::spawn(move || {
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            over();
        });
    }

    /// Passes a signal on.
    pub fn signal(&self, signal: i32) {
        self.send(Signal::from_named_raw(signal).unwrap_or(Signal::TERM));
    }

    /// Asks it to end.
    pub fn ask(&self) {
        self.send(Signal::TERM);
    }

    /// Ends it, and all of its group.
    pub fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        let _ = if self.alone { kill_process_group(self.pid, signal) } else { kill_process(self.pid, signal) };
    }

    /// Waits for its end, after which its id may be another's.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait(mut self) -> io::Result<Ended> {
        let status = self.child.wait()?;
        Ok(status.code().map_or_else(|| Ended::Killed(status.signal().unwrap_or(0)), Ended::Exited))
    }
}

/// Calls back for every signal that asks this process to end. `is_keyboard` says of one whether a terminal sends it to all that run on it.
///
/// # Errors
/// When signals cannot be taken.
pub fn on_interrupt(mut taken: impl FnMut(i32, bool) + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            taken(signal, matches!(signal, SIGINT | SIGQUIT));
        }
    });
    Ok(())
}
