//! The seam through which a test stops the world: every change of the disk announces itself first.

use std::io;
use std::path::Path;

/// A change of the disk that is about to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A file is created or written.
    Write,
    /// A file, directory or file system is flushed to the disk.
    Sync,
    /// A file or directory gets its final name.
    Rename,
    /// A file or directory is removed.
    Remove,
}

/// Asked before each [`Step`]; an error stops the writer at exactly this point.
pub trait Steps: Sync {
    /// Announces a step at a path.
    ///
    /// # Errors
    /// Whatever the implementation wants the writer to meet.
    fn before(&self, step: Step, path: &Path) -> io::Result<()>;
}

/// Lets every step happen: what the program itself uses.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unhindered;

impl Steps for Unhindered {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
