//! Numbers: finite doubles that RFC 8785 writes back with the same value.

/// A finite double. Integers are exact: the reader refuses an integer token whose digits would change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(f64);

/// Up to this magnitude every integer has a double of its own (2^53).
const EXACT: u64 = 1 << 53;

impl Number {
    /// The number, or `None` for NaN and the infinities. Minus zero is zero, as RFC 8785 writes it.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// The value as a double.
    pub fn as_f64(self) -> f64 {
        self.0
    }

    /// The value as an unsigned integer when it is one below 2^53.
    pub fn as_u64(self) -> Option<u64> {
        (self.0 >= 0.0 && self.0 < EXACT as f64 && self.0.fract() == 0.0).then_some(self.0 as u64)
    }

    /// Reads a token that already has the grammar of a JSON number.
    ///
    /// # Errors
    /// Why the token is out of range, and the nearest number if there is a finite one.
    pub(super) fn from_token(token: &str) -> Result<Self, (&'static str, Option<Self>)> {
        if let Some(exact) = exact_integer(token) {
            return Ok(Self(exact));
        }
        let Some(number) = token.parse().ok().and_then(Self::new) else {
            return Err(("no double holds this number", None));
        };
        let integer = !token.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        if integer && ryu_js::Buffer::new().format_finite(number.0) != token {
            return Err(("no double holds this integer with the same digits", Some(number)));
        }
        Ok(number)
    }

    /// Appends the RFC 8785 form (ECMAScript `Number::toString`).
    pub(super) fn append(self, out: &mut Vec<u8>) {
        let integer = self.0 as i64;
        if integer.unsigned_abs() < EXACT && integer as f64 == self.0 {
            return append_integer(integer, out);
        }
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(self.0).as_bytes());
    }
}

/// The value of an integer token up to 2^53, which most numbers of a payload are.
fn exact_integer(token: &str) -> Option<f64> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    if digits.len() > 16 {
        return None;
    }
    let mut value = 0;
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
    }
    let magnitude = value as f64;
    let signed = if digits.len() < token.len() { 0.0 - magnitude } else { magnitude };
    (value <= EXACT).then_some(signed)
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

/// Appends decimal digits without going through a formatter.
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
