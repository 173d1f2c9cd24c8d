//! What a snapshot of a part takes in.

use crate::format::entity::{Entity, Forge};
use crate::ops::Error;

/// Refuses a scope that no id can begin with.
///
/// # Errors
/// `scope-invalid`.
pub(super) fn check(scopes: &[String]) -> Result<(), Error> {
    match scopes.iter().find(|scope| !is_scope(scope)) {
        None => Ok(()),
        Some(scope) => Err(Error::new("scope-invalid", format!("{scope:?} is no beginning of an id"))
            .hint("a scope ends where a part of an id ends: github:github.com, github:github.com/acme, github:github.com/acme/web")),
    }
}

/// True for an id, and for what becomes one when the parts that are missing follow.
fn is_scope(scope: &str) -> bool {
    let scope = plain(scope);
    let forge = scope.split(':').next().and_then(|name| name.parse::<Forge>().ok());
    let rests: &[&str] = match forge {
        Some(forge) if forge.numbers_kinds_apart() => {
            &["", "/1", "/issues/1", "/-/issues/1", "/name/-/issues/1", "/group/name/-/issues/1"]
        }
        _ => &["", "/1", "/issue/1", "/name/issue/1", "/owner/name/issue/1"],
    };
    rests.iter().any(|rest| format!("{scope}{rest}").parse::<Entity>().is_ok())
}

/// A scope is an entity id or a prefix of one that ends where a segment ends; forges do not tell case.
pub(super) fn in_scope(entity: &Entity, scopes: &[String]) -> bool {
    let id = entity.to_string().to_ascii_lowercase();
    let covers =
        |scope: &String| id.strip_prefix(&plain(scope)).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    scopes.is_empty() || scopes.iter().any(covers)
}

fn plain(scope: &str) -> String {
    scope.trim_end_matches('/').to_ascii_lowercase()
}
