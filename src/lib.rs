//! git-docket: a git-native, file-backed docket of what a forge said about issues and pull requests.
//!
//! The plan of the house, ground floor first. Imports only go down; `tests/tidy.rs` says so.

pub mod format;

mod system;

pub mod filter;
pub mod forge;
pub mod git;
pub mod sources;
pub mod store;

pub mod corpus;
pub mod render;

pub mod ops;

pub mod cli;
