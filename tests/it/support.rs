//! What every test needs: where the recorded data lies, and a reason when it does not.

#![allow(dead_code, reason = "each test module uses its own part")]

use std::path::PathBuf;

/// The folder of recorded data beside the checkout, or `None` with a printed reason.
pub fn shared(below: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(below);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}
