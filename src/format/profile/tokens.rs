//! How many tokens a text is taken to be.

/// An estimate of the tokens that a language model makes of a text, as docs/format.md says it: runs of bytes of one class, each of which
/// comes to so many tokens. No vocabulary is asked, so that it is the same for ever; it is meant to be a little too high.
pub fn tokens(text: &[u8]) -> u64 {
    let (mut sum, mut rest) = (0, text);
    while let Some(first) = rest.first() {
        let class = Class::of(*first);
        let run = rest.iter().take_while(|byte| Class::of(**byte) == class).count();
        sum += class.tokens(run as u64);
        rest = &rest[run..];
    }
    sum
}

/// What a byte is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Number,
    Space,
    Line,
    Foreign,
    Other,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Self::Word,
            b'0'..=b'9' => Self::Number,
            b' ' => Self::Space,
            b'\n' | b'\r' | b'\t' => Self::Line,
            0x80.. => Self::Foreign,
            _ => Self::Other,
        }
    }

    /// The tokens of a run of so many bytes.
    fn tokens(self, run: u64) -> u64 {
        match self {
            Self::Word => run.div_ceil(7),
            Self::Number | Self::Foreign => run.div_ceil(3),
            // One space belongs to the word behind it.
            Self::Space => u64::from(run > 1),
            Self::Line => 1,
            Self::Other => run.div_ceil(2),
        }
    }
}
