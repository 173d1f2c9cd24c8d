//! Digests: plain SHA-256 over bytes as they lie on disk.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; displayed as `sha256:` and 64 lowercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Ord for Digest {
    /// By their bytes. Digests mostly differ in the first eight, which are compared as one number.
    fn cmp(&self, other: &Self) -> Ordering {
        self.first().cmp(&other.first()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Digest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The first two bytes as a number: digests are spread evenly, so it finds one in a sorted list nearly at once.
    pub fn prefix(&self) -> u16 {
        u16::from_be_bytes([self.0[0], self.0[1]])
    }

    fn first(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Whether its hex digits begin with these.
    pub fn begins_with(&self, digits: &str) -> bool {
        let digit = |at: usize| self.0.get(at / 2).map(|byte| [byte >> 4, byte & 15][at % 2]);
        digits.bytes().enumerate().all(|(at, given)| digit(at) == Some(NIBBLES[usize::from(given)]))
    }

    /// The 64 lowercase hex digits, without the name of the algorithm.
    pub fn hex(&self) -> String {
        String::from_utf8_lossy(&self.hex_digits()).into_owned()
    }

    /// The same as ASCII bytes.
    pub fn hex_digits(&self) -> [u8; 64] {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [0; 64];
        for (at, byte) in self.0.into_iter().enumerate() {
            digits[2 * at] = HEX[usize::from(byte >> 4)];
            digits[2 * at + 1] = HEX[usize::from(byte & 15)];
        }
        digits
    }

    /// Reads exactly 64 lowercase hex digits.
    pub fn from_hex(hex: impl AsRef<[u8]>) -> Option<Self> {
        let digits: &[u8; 64] = hex.as_ref().try_into().ok()?;
        let (mut bytes, mut all) = ([0; 32], 0);
        for (at, byte) in bytes.iter_mut().enumerate() {
            let (high, low) = (NIBBLES[usize::from(digits[2 * at])], NIBBLES[usize::from(digits[2 * at + 1])]);
            *byte = high << 4 | low;
            all |= high | low;
        }
        (all < 16).then_some(Self(bytes))
    }
}

/// A hasher for bytes that arrive in pieces.
#[derive(Default, Clone)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Takes the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// What each byte is worth as a lowercase hex digit; 16 for one that is none. Looked up, so that a digest is read without a
/// branch for each digit.
const NIBBLES: [u8; 256] = {
    let mut worth = [16; 256];
    let mut digit = 0;
    while digit < 16 {
        worth[b"0123456789abcdef"[digit] as usize] = digit as u8;
        digit += 1;
    }
    worth
};

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not `sha256:` and 64 lowercase hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: expected sha256: and 64 lowercase hex digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        text.strip_prefix("sha256:").and_then(Self::from_hex).ok_or(NotADigest)
    }
}
