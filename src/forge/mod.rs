//! Payload → facets, pure: one dialect a folder, recognition by shape.

pub mod answer;
pub mod base64;
mod collect;
pub mod credentials;
pub mod delivery;
pub mod dialect;
pub mod facets;
mod gitea;
pub mod github;
pub mod gitlab;
pub mod graphql;
pub mod head;
mod hints;
pub mod links;
pub mod log;
mod member;
pub mod named;
pub mod owners;
pub mod pages;
pub mod prose;
pub mod query;
pub mod recognise;
pub mod recording;
pub mod resource;
pub mod text;
pub mod url;
pub mod zip;
