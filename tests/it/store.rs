//! The room `store`: trees, writing, the lock, splitting and reading back.

mod facts;
mod laws;
mod replace;
mod split;
mod tree;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use git_docket::format::steps::{Step, Steps};
use tempfile::TempDir;

/// Paths and bytes.
type Files = Vec<(String, Vec<u8>)>;

#[expect(clippy::print_stderr, reason = "a test that could not run says so")]
fn skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}

/// A directory for a test, in memory where there is such a place: these tests flush a great deal.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a temporary directory")
}

/// Lets so many steps happen, and refuses all others.
struct StopAfter {
    left: AtomicUsize,
}

impl StopAfter {
    fn new(steps: usize) -> Self {
        Self { left: AtomicUsize::new(steps) }
    }
}

impl Steps for StopAfter {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        let taken = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        taken.map(drop).map_err(|_| io::Error::other("the test stops the world here"))
    }
}

/// Every file below a directory by its path, links by their target, without following any.
fn files_below(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let walk = walkdir::WalkDir::new(dir).into_iter().map(|entry| entry.expect("listed"));
    let file = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(dir).expect("below").display().to_string();
        let bytes = if entry.path_is_symlink() {
            std::fs::read_link(entry.path()).expect("a link").into_os_string().into_encoded_bytes()
        } else {
            std::fs::read(entry.path()).expect("read")
        };
        (path, bytes)
    };
    walk.filter(|entry| !entry.file_type().is_dir()).map(file).collect()
}

/// The permission bits of a path itself.
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    path.symlink_metadata().expect("there").permissions().mode() & 0o7777
}
