//! Tests from the outside, one module a subject. `tests/tidy.rs` checks that none is forgotten here.

mod support;
mod trees;

mod branches;
mod cli;
mod contracts;
mod corpus;
mod crash;
mod diff;
mod filter;
mod forge;
mod git;
mod hostile;
mod json;
mod observe;
mod places;
mod profile;
mod render;
mod sources_check;
mod sources_cli;
mod sources_hostile;
mod sources_process;
mod sources_safe;
mod sources_search;
mod sources_select;
mod sources_support;
mod sources_vectors;
mod stage;
mod stage_filter;
mod store;
mod sums;
mod targets;
mod verify;
