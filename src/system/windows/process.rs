//! A process in a job of its own, and what the console says to this one.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use win32job::{ExtendedLimitInfo, Job};

use crate::system::Ended;

/// How often is looked whether a process has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// What a keyboard's interrupt is called elsewhere.
const INTERRUPT: i32 = 2;

/// The status of what the console's interrupt ended: 0xC000013A.
const CONTROL_C_EXIT: i32 = -1_073_741_510;

/// A process, with those that it starts once it is in its job.
#[derive(Debug)]
pub struct Group {
    child: Arc<Mutex<Child>>,
    /// Closed, everything in it is ended: also when this process is killed.
    job: Mutex<Option<Job>>,
}

impl Group {
    /// Starts a command. No handle is inherited, so that a lock ends with this process; but so does the command.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, _alone: bool, _lock: Option<&File>) -> io::Result<Self> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        let mut child = command.spawn()?;
        if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
            // One that has ended cannot be put anywhere, and need not be.
            if child.try_wait()?.is_none() {
                let _ = child.kill();
                return Err(io::Error::other(error));
            }
        }
        Ok(Self { child: Arc::new(Mutex::new(child)), job: Mutex::new(Some(job)) })
    }

    /// Its pipes.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let mut child = lock(&self.child);
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    /// Calls back when it is over.
    pub fn at_exit(&self, over: impl FnOnce() + Send + 'static) {
        let child = Arc::clone(&self.child);
        thread::spawn(move || {
            while matches!(lock(&child).try_wait(), Ok(None)) {
                thread::sleep(PAUSE);
            }
            over();
        });
    }

    /// The console has told it already.
    pub fn signal(&self, _signal: i32) {}

    /// There is no gentle way.
    pub fn ask(&self) {
        self.kill();
    }

    /// Ends it, and all that it started.
    pub fn kill(&self) {
        let _ = lock(&self.child).kill();
        drop(lock(&self.job).take());
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait(self) -> io::Result<Ended> {
        let status = lock(&self.child).wait()?;
        let code = status.code().unwrap_or(i32::MAX);
        Ok(if code == CONTROL_C_EXIT { Ended::Killed(INTERRUPT) } else { Ended::Exited(code) })
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls back when the console asks this process to end; all that run on it are asked.
///
/// # Errors
/// When that cannot be heard.
pub fn on_interrupt(mut taken: impl FnMut(i32, bool) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || taken(INTERRUPT, true)).map_err(io::Error::other)
}
