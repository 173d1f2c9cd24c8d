//! `digest`: of bytes as they lie, or of a text as a JSON string.

use super::Error;
use crate::format::digest::Digest;
use crate::format::json::{self, Json};

/// The SHA-256 digest of the bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    Digest::of(bytes)
}

/// The digest that source references use: SHA-256 over the canonical JSON string that holds the text, as 64 bare
/// hex digits. It is not what `sha256sum` prints for the file.
///
/// # Errors
/// `text-invalid` when the bytes are not UTF-8: such a text has no JSON string, so no digest.
pub fn json_string_digest(bytes: &[u8]) -> Result<String, Error> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Error::new("text-invalid", format!("text is not UTF-8 at byte {}", error.valid_up_to())))?;
    Ok(Digest::of(&json::to_vec(&Json::from(text))).hex())
}
