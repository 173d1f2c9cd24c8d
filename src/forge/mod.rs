//! Payload → facets, pure: one dialect a folder, recognition by shape.

pub mod facets;
