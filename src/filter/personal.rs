//! Numbers of cards, accounts and persons, which the floor of another layout wants redacted: told by their form, length and check
//! digits alone.

use std::borrow::Cow;

use super::PLACEHOLDER;
use super::notes::Notes;

/// The classes of what is found here.
pub(super) const CLASSES: [&str; 3] = ["iban", "payment-card", "social-security-number"];

/// How many characters an account number has, by its country.
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27\
    GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21MC27MD24ME22MK19MR27MT31MU30\
    NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20";

/// The most characters of a number without the marks between its groups.
const LONGEST: usize = 34;

/// The text with the class of each number in its place.
pub(super) fn redact<'t>(text: Cow<'t, str>, notes: &mut Notes) -> Cow<'t, str> {
    let found = find(text.as_bytes());
    let mut parts = Vec::with_capacity(found.len());
    for (class, start, end) in found {
        notes.found(class, start, end);
        parts.push((start, end, format!("{PLACEHOLDER}{class}]")));
    }
    notes.replace(text, &parts)
}

/// Every number, in order and without overlap. Each word is looked at within [`LONGEST`] characters of its beginning.
fn find(bytes: &[u8]) -> Vec<(&'static str, usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = bytes.get(at) {
        let begins = next.is_ascii_digit() || next.is_ascii_uppercase();
        if !begins || (at > 0 && is_inside(bytes[at - 1])) {
            at += 1;
            continue;
        }
        match social(bytes, at).or_else(|| grouped(bytes, at)) {
            Some((class, end)) => {
                found.push((class, at, end));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a number does not begin behind, or end before, such a byte: it is a part of something longer.
fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'=' | b'#' | b'%') || !byte.is_ascii()
}

fn ends(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|next| !(next.is_ascii_alphanumeric() || matches!(next, b'_' | b'-' | b'/')))
}

/// `123-45-6789` with an area and serial that are given out.
fn social(bytes: &[u8], start: usize) -> Option<(&'static str, usize)> {
    let number = bytes.get(start..start + 11)?;
    let shaped =
        number.iter().enumerate().all(|(at, b)| if matches!(at, 3 | 6) { *b == b'-' } else { b.is_ascii_digit() });
    let given = !matches!(&number[..3], b"000" | b"666") && number[0] != b'9';
    let given = given && &number[4..6] != b"00" && &number[7..] != b"0000";
    (shaped && given && ends(bytes, start + 11)).then_some(("social-security-number", start + 11))
}

/// A card or account, whose groups a single space or hyphen may part.
fn grouped(bytes: &[u8], start: usize) -> Option<(&'static str, usize)> {
    let digits_only = bytes[start].is_ascii_digit();
    let mut number = Vec::with_capacity(LONGEST);
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        let part = if digits_only { byte.is_ascii_digit() } else { byte.is_ascii_digit() || byte.is_ascii_uppercase() };
        if part && number.len() < LONGEST {
            number.push(*byte);
            at += 1;
            continue;
        }
        let mark = *byte == b' ' || (digits_only && *byte == b'-');
        let goes_on = bytes.get(at + 1).is_some_and(|b| b.is_ascii_digit() || (!digits_only && b.is_ascii_uppercase()));
        if !(mark && goes_on && number.len() < LONGEST && !is_whole(&number, digits_only)) {
            break;
        }
        at += 1;
    }
    let class = if digits_only { "payment-card" } else { "iban" };
    (is_whole(&number, digits_only) && ends(bytes, at)).then_some((class, at))
}

fn is_whole(number: &[u8], digits_only: bool) -> bool {
    if digits_only { is_card(number) } else { is_account(number) }
}

/// The lengths that issuers give to what begins so, and the check digit of Luhn.
fn is_card(number: &[u8]) -> bool {
    if !(13..=19).contains(&number.len()) {
        return false;
    }
    let head = |count: usize| number[..count].iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let fits = match (number.len(), head(2), head(4)) {
        (13 | 16 | 19, 40..=49, _) | (16, 51..=55 | 65, _) | (15, 34 | 37, _) | (14, 36 | 38, _) | (16..=19, 62, _) => {
            true
        }
        (16, _, 2221..=2720 | 3528..=3589 | 6011 | 6440..=6499) | (14, _, 3000..=3059) => true,
        _ => false,
    };
    let luhn = number.iter().rev().enumerate().fold(0, |sum, (at, digit)| {
        let digit = u32::from(digit - b'0');
        sum + if at % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
    });
    fits && luhn % 10 == 0
}

/// The length of the country, and the remainder of ISO 7064.
fn is_account(number: &[u8]) -> bool {
    let [a, b, c, d, ..] = number else { return false };
    let by_country = || IBANS.as_bytes().chunks_exact(4).find(|country| country[..2] == [*a, *b]);
    let length = |country: &[u8]| usize::from(country[2] - b'0') * 10 + usize::from(country[3] - b'0');
    if !c.is_ascii_digit() || !d.is_ascii_digit() || by_country().map(length) != Some(number.len()) {
        return false;
    }
    let (head, rest) = number.split_at(4);
    let remainder = rest.iter().chain(head).fold(0_u32, |sum, byte| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        _ => (sum * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    remainder == 1
}
