//! Any bytes at all, observed and staged: the same law as in `tests/it/hostile/law.rs`.
//!
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz observe`

#![no_main]

#[path = "../../it/hostile/law.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::check(bytes);
});
