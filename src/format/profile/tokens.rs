//! How many tokens a text is taken to be.

/// An estimate of the tokens that a language model makes of a text: a quarter of its bytes, rounded up.
pub fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}
