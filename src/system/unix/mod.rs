//! Unix: directories are descriptors, and everything beneath is opened from them.

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
