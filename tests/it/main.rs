//! Tests from the outside, one module a subject. `tests/tidy.rs` checks that none is forgotten here.

mod support;

mod corpus;
mod filter;
mod forge;
mod git;
mod json;
mod profile;
mod render;
mod store;
mod verify;
