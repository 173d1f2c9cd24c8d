//! The only room that knows gix: reading revisions, writing packs and commits, moving refs.
