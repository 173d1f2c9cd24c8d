//! The only room that knows gix: reading revisions, writing packs and commits, moving refs.

pub mod search;
pub mod worktree;
pub mod worktree_follow;
pub mod worktree_read;
pub mod worktree_rename;
pub mod worktree_revision;
