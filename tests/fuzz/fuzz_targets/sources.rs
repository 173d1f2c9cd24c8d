//! Any bytes at all, as references and as a source that is quoted: the same law as in `tests/it/sources_law.rs`.
//!
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz sources`

#![no_main]

#[path = "../../it/sources_law.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::check(bytes);
});
