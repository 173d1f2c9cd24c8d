//! The nouns: every record and tree that git-docket writes, as pure types with one reader and one writer each.

pub mod access;
pub mod atif;
pub mod digest;
pub mod entity;
pub mod evidence;
pub mod facet;
pub mod header;
pub mod index;
pub mod json;
pub mod kept;
pub mod layout;
pub mod observation;
pub mod patch;
pub mod path;
pub mod profile;
pub mod questions;
mod quotes;
pub mod source;
pub mod stage_facts;
pub mod stage_record;
pub mod steps;
mod subject;
pub mod time;
pub mod tree;
pub mod upstream;
