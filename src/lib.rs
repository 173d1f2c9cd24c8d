//! git-docket: a git-native, file-backed docket of what a forge said about issues and pull requests.
//!
//! The plan of the house, ground floor first; imports only go down (`tests/tidy.rs` says so).

pub mod forge;
pub mod format;
