//! Windows: what is opened is opened by its path, and what stands on the way is held so that nobody replaces it meanwhile.
//!
//! A directory that is open without leave to delete cannot be renamed or removed, so that a path through it keeps its meaning: this
//! is what descriptors give on Unix. What is not had: modes (only that a file is read-only), owners, the exchange of two names, flushing
//! a directory or a whole file system, a lock that a child inherits, a gentle way to end a process.

mod change;
mod dir;
mod file;
mod process;

pub use dir::{Dir, is_absence, is_linked};
pub use file::{
    FLUSHED_EACH, append_to, device, file_number, hold, open_followed, path_of, permissions, print, read_some,
    rename_dir, sync_dir,
};
pub use process::{Group, on_interrupt};
