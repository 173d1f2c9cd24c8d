//! Any bytes at all keep the laws of canonical JSON: the same laws as in `tests/it/json/laws.rs`.
//!
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz canon`

#![no_main]

#[path = "../../it/json/laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(bytes));
