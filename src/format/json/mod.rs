//! Canonical JSON: a strict reader, a canonical writer and the value between them.
//!
//! The bytes are RFC 8785 (JCS) without a trailing newline. The input profile is I-JSON made stricter
//! where silence would lose data: see `docs/format.md`, "Canonical JSON".

mod cursor;
mod number;
mod object;
mod pieces;
mod read;
mod rewrite;
mod skip;
mod value;
mod write;

pub(super) use cursor::plain_prefix;
pub use number::Number;
pub use object::Object;
pub use pieces::{NoPiece, Piece, Pieces, parse_within};
pub use read::{parse, parse_lenient};
pub use rewrite::canonical;
pub use skip::{documents, items, member};
pub use value::Json;
pub(super) use write::append_list;
pub use write::{append, append_text, to_vec};

/// The deepest nesting of arrays and objects that a document may have.
pub const MAX_DEPTH: usize = 128;

/// Why a text was refused. The code is part of the command-line contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The text is not RFC 8259 JSON.
    Invalid,
    /// An object names a member twice.
    DuplicateKey,
    /// A string holds half of a surrogate pair (only escapes can).
    LoneSurrogate,
    /// A number that RFC 8785 cannot write without changing it: an integer that a double does not
    /// hold with the same digits, or a token that is not finite.
    NumberOutOfRange,
    /// Nesting beyond [`MAX_DEPTH`].
    TooDeep,
}

impl FaultKind {
    /// The stable name of the fault.
    pub fn code(self) -> &'static str {
        match self {
            Self::Invalid => "json-invalid",
            Self::DuplicateKey => "json-duplicate-key",
            Self::LoneSurrogate => "json-lone-surrogate",
            Self::NumberOutOfRange => "json-number-out-of-range",
            Self::TooDeep => "json-too-deep",
        }
    }

    /// True for a text that is RFC 8259 JSON and breaks only our stricter profile.
    pub fn is_breach_of_profile(self) -> bool {
        self != Self::Invalid
    }
}

/// A refused text: what is wrong and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} at byte {offset}: {message}", kind.code())]
pub struct Fault {
    /// The kind, with its stable code.
    pub kind: FaultKind,
    /// Byte offset into the text as given.
    pub offset: usize,
    /// What was expected or found.
    pub message: &'static str,
}
