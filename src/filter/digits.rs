//! What tells numbers of cards, accounts and persons from others: lengths, beginnings and check digits, as those who give them out say.

/// How many characters an account number has, by its country (the registry of ISO 13616).
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18\
    FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19\
    MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26\
    UA29VA22VG24XK20YE30";

/// The length that the country in the first two letters gives its account numbers.
pub(super) fn iban_len(country: &[u8]) -> Option<usize> {
    let row = IBANS.as_bytes().chunks_exact(4).find(|row| row[..2] == *country)?;
    Some(usize::from(row[2] - b'0') * 10 + usize::from(row[3] - b'0'))
}

/// Whether the check digits of an account number, which stands here without marks, fit: the remainder of ISO 7064.
pub(super) fn is_iban(number: &[u8]) -> bool {
    let Some((head, rest)) = number.split_at_checked(4) else { return false };
    let remainder = rest.iter().chain(head).fold(0_u32, |sum, byte| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        _ => (sum * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    remainder == 1
}

/// Whether digits are the number of a card: the lengths that issuers give to what begins so, and the check digit of Luhn.
pub(super) fn is_card(number: &[u8]) -> bool {
    if !(13..=19).contains(&number.len()) {
        return false;
    }
    let head = |count: usize| number[..count].iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let fits = matches!(
        (number.len(), head(2), head(4)),
        (13 | 16 | 19, 40..=49, _)
            | (16, 51..=55 | 65, _)
            | (15, 34 | 37, _)
            | (14, 36 | 38, _)
            | (16..=19, 62, _)
            | (16, _, 2221..=2720 | 3528..=3589 | 6011 | 6440..=6499)
            | (14, _, 3000..=3059)
    );
    let luhn = number.iter().rev().enumerate().fold(0, |sum, (at, digit)| {
        let digit = u32::from(digit - b'0');
        sum + if at % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
    });
    fits && luhn % 10 == 0
}

/// Whether nine digits are a US social security number that is given out: by its area, group and serial.
pub(super) fn is_social(number: &[u8]) -> bool {
    let [area @ .., _, _, _, _, _, _] = number else { return false };
    let given = !matches!(area, b"000" | b"666") && number[0] != b'9';
    number.len() == 9 && given && &number[3..5] != b"00" && &number[5..] != b"0000"
}
