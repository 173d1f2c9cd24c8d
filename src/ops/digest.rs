//! `digest`: of bytes as they lie, or of a text as a JSON string.

use std::io::{self, Read};

use super::Error;
use crate::format::digest::{Digest, Hasher};
use crate::format::json::{self, Json};

/// The SHA-256 digest of bytes that are read as they come, however many.
///
/// # Errors
/// When they cannot be read.
pub fn digest(mut bytes: impl Read) -> io::Result<Digest> {
    let (mut hasher, mut piece) = (Hasher::default(), vec![0; 1 << 16]);
    loop {
        match bytes.read(&mut piece) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(count) => hasher.update(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
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
