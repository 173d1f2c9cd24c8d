//! `canon`: the canonical bytes of one JSON document.

use super::Error;
use crate::format::json::{self, Fault};

/// The canonical bytes (RFC 8785, no trailing newline) of one JSON document of our profile.
///
/// # Errors
/// The code of the fault (`json-invalid`, `json-duplicate-key` …); the message says where: line and column count from
/// one, the column in characters, the byte from zero.
pub fn canon(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    json::canonical(bytes).map_err(|fault| located(bytes, &fault))
}

fn located(bytes: &[u8], fault: &Fault) -> Error {
    let before = &bytes[..fault.offset.min(bytes.len())];
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    // What stands before a fault is UTF-8; all its bytes but the continuing ones (0b10……) begin a character.
    let column = 1 + before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    let message = format!("document at {line}:{column} (byte {}): {}", fault.offset, fault.message);
    Error::new(fault.kind.code(), message)
}
