//! What a shape alone does not prove: checksums, and the structure inside an encoding.

use super::scan::Place;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Whether the last six digits are the CRC-32 of what stands between them and the prefix, in base 62: the form of the tokens of
/// GitHub and npm.
pub(super) fn base62_checksum(place: &Place<'_>) -> bool {
    let Some((prefix, digits)) = place.found().split_last_chunk::<36>() else { return false };
    let (random, sum) = digits.split_at(30);
    let mut rest = crc32(random);
    let matches = sum.iter().rev().all(|digit| {
        let expected = BASE62[(rest % 62) as usize];
        rest /= 62;
        expected == *digit
    });
    matches && prefix.ends_with(b"_")
}

/// CRC-32 (ISO-HDLC), bit by bit: it is asked of thirty bytes now and then.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// Whether digits and letters of both cases stand behind the prefix, or so many characters that no words in a row are meant.
pub(super) fn is_mixed(place: &Place<'_>) -> bool {
    let found = place.found();
    let has = |is: fn(&u8) -> bool| found.iter().skip(3).any(is);
    has(u8::is_ascii_digit) && (has(u8::is_ascii_uppercase) || !found[3..].contains(&b'-'))
}

/// The same for a key of OpenAI, whose newer forms and those of Anthropic have rules of their own.
pub(super) fn is_openai(place: &Place<'_>) -> bool {
    is_mixed(place) && ![&b"sk-ant-"[..], b"sk-proj-"].iter().any(|other| place.found().starts_with(other))
}

/// Whether the first part of a JSON Web Token is a header: an object that names an algorithm.
pub(super) fn jwt_header(place: &Place<'_>) -> bool {
    let head = place.found().split(|b| *b == b'.').next().unwrap_or_default();
    let text = decode_base64(head);
    text.starts_with(b"{") && text.windows(5).any(|w| w == b"\"alg\"")
}

/// The bytes of base64 in either alphabet, as far as whole groups reach.
pub(super) fn decode_base64(digits: &[u8]) -> Vec<u8> {
    let value = |digit: &u8| match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let (mut out, mut word, mut bits) = (Vec::with_capacity(digits.len() * 3 / 4), 0u32, 0);
    for value in digits.iter().map_while(value) {
        word = word << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits & 0xff) as u8);
        }
    }
    out
}

/// Whether no word before a phrase turns it around ("do not ignore previous instructions").
pub(super) fn is_not_denied(place: &Place<'_>) -> bool {
    let before = place.text[..place.start].trim_ascii_end();
    let before = &before[before.len().saturating_sub(8)..];
    ![&b"not"[..], b"n't", b"n\xe2\x80\x99t", b"never", b"cannot", b"without", b"Never", b"NOT"]
        .iter()
        .any(|no| before.ends_with(no))
}

/// Whether the name of a file is not that of the public half of a key.
pub(super) fn is_no_public_key(place: &Place<'_>) -> bool {
    !place.found().ends_with(b".pub")
}
