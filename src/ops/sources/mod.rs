//! `sources`: quote a repository for a draft ([`collect()`]), and tell later what became of the quotes ([`check()`]).

mod check;
mod collect;
mod decide;
mod find;
mod lines;
mod place;

pub use check::{
    MAX_INPUT, Options as CheckOptions, Report as CheckReport, check, references_from, references_of_stage,
};
pub use collect::{
    Door, Engine, How, Options as CollectOptions, Report as CollectReport, Wanted, collect, collect_for_stage,
};

pub use crate::git::search::Folding;
pub use crate::sources::Rules;
pub use crate::sources::disclosure::Audience;
pub use crate::sources::selection::Held;
