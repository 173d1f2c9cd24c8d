//! Tests from the outside, one module a subject. `tests/tidy.rs` checks that none is forgotten here.

mod support;
mod trees;

mod cli;
mod contracts;
mod corpus;
mod diff;
mod forge;
mod git;
mod json;
mod observe;
mod render;
mod stage;
mod store;
mod sums;
mod verify;
