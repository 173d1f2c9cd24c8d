//! Strict base64 (RFC 4648 §4): padded, no white space, one spelling for each content.

/// The bytes, or `None` for any text that the encoder would not have written.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    let padding = bytes.iter().rev().take(2).take_while(|b| **b == b'=').count();
    let (digits, _) = bytes.split_at(bytes.len() - padding);
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let mut word = 0u32;
        for digit in group {
            word = word << 6 | value(*digit)?;
        }
        // A group of n digits carries n-1 bytes; the bits left over must be zero.
        let carried = group.len() - 1;
        let spare = group.len() * 6 - carried * 8;
        if spare < 6 && word & ((1 << spare) - 1) != 0 {
            return None;
        }
        let word = word >> spare;
        out.extend_from_slice(&word.to_be_bytes()[4 - carried..]);
    }
    Some(out)
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}
