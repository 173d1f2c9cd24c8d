//! Numbers: finite doubles that RFC 8785 writes back with the same value.

use super::{Fault, FaultKind};

/// A finite double. Integers are exact: the reader refuses an integer token whose digits would change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(f64);

/// Below this magnitude every integer is a double of its own (2^53).
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// The number, or `None` for NaN and the infinities.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// The value as a double.
    pub fn as_f64(self) -> f64 {
        self.0
    }

    /// The value as an unsigned integer when it is one below 2^53.
    pub fn as_u64(self) -> Option<u64> {
        (self.0 >= 0.0 && self.0 < EXACT && self.0.fract() == 0.0).then_some(self.0 as u64)
    }

    /// Reads a token that already has the grammar of a JSON number.
    pub(super) fn from_token(token: &str, offset: usize) -> Result<Self, Fault> {
        let refused = |message| Fault { kind: FaultKind::NumberOutOfRange, offset, message };
        let integer = !token.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'));
        if integer && token.len() <= 15 {
            let small: i64 = token.parse().map_err(|_| refused("not an integer"))?;
            return Ok(Self(small as f64));
        }
        let value: f64 = token.parse().map_err(|_| refused("not a number"))?;
        if !value.is_finite() {
            return Err(refused("a double cannot hold this number"));
        }
        if integer && value != 0.0 && ryu_js::Buffer::new().format_finite(value) != token {
            return Err(refused("a double cannot hold this integer with the same digits"));
        }
        Ok(Self(value))
    }

    /// Appends the RFC 8785 form (ECMAScript `Number::toString`; minus zero is `0`).
    pub(super) fn append(self, out: &mut Vec<u8>) {
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            return append_integer(self.0 as i64, out);
        }
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(self.0).as_bytes());
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

/// Appends decimal digits without going through a formatter: most numbers of a payload are ids.
fn append_integer(value: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    out.extend_from_slice(&digits[at..]);
}
