//! Source references, pure: terms, card, excerpts, budgets, candidates, selection, disclosure and drift.
//!
//! Everything here works on text that somebody else read. The limits are those of OpenAgents' repository context.

pub mod candidates;
pub mod card;
pub mod coverage;
pub mod disclosure;
pub mod drift;
pub mod excerpt;
pub mod options;
pub mod render;
pub mod selection;
pub mod terms;
pub mod view;

/// The most search terms of a draft.
pub const MAX_TERMS: usize = 4;
/// The most tracked paths.
pub const MAX_PATHS: usize = 8;
/// The largest source in bytes; a larger one is excluded whole.
pub const MAX_SOURCE: u64 = 1 << 20;
/// The most quoted lines of one block.
pub const MAX_LINES: usize = 10;
/// The most bytes of one line that are quoted.
pub const MAX_PREFIX: usize = 160;
/// The most quoted bytes of one block.
pub const MAX_QUOTED: usize = 2048;
/// The largest block in bytes.
pub const MAX_BLOCK: usize = 8192;
/// The part of a block that is kept for its diagnostics.
pub const RESERVED: usize = 512;
/// The most bytes that one search may name paths with (each path and one more byte); more is no complete answer.
pub const MAX_CAPTURE: usize = 64 << 10;

/// Whose rules a collection follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// Ours: what docs/sources.md lists as defects is mended.
    #[default]
    Safe,
    /// OpenAgents' own behaviour to the byte.
    OpenAgents,
}
