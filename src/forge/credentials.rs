//! Credentials in URLs: what is filed for ever must not carry them.

/// What stands in the place of a credential.
pub const REDACTED: &str = "REDACTED";

/// Names of parameters that carry a credential, lower case.
const NAMES: [&str; 9] =
    ["api_key", "apikey", "auth", "authorization", "awsaccesskeyid", "code", "jwt", "passwd", "sig"];

/// What the names of other such parameters end in: `access_token`, `client_secret`, `X-Goog-Signature`.
const ENDS: [&str; 5] = ["credential", "password", "secret", "signature", "token"];

/// The URL with each credential in its user part, query and fragment replaced by [`REDACTED`]; `None` when it has none.
pub fn redacted(url: &str) -> Option<String> {
    let (before, fragment) = split(url, '#');
    let (address, query) = split(before, '?');
    let mut out = without_user(address);
    for (sign, part) in [('?', query), ('#', fragment)] {
        let Some(part) = part else { continue };
        out.push(sign);
        for piece in part.split_inclusive(['&', ';']) {
            push_parameter(&mut out, piece);
        }
    }
    (out != url).then_some(out)
}

fn split(text: &str, sign: char) -> (&str, Option<&str>) {
    text.split_once(sign).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn without_user(address: &str) -> String {
    let start = address.find("//").map_or(0, |at| at + 2);
    let end = address[start..].find('/').map_or(address.len(), |at| start + at);
    match address[start..end].rfind('@') {
        Some(at) => format!("{}{REDACTED}{}", &address[..start], &address[start + at..]),
        None => address.to_owned(),
    }
}

/// A parameter with the sign that ends it.
fn push_parameter(out: &mut String, piece: &str) {
    let parameter = piece.trim_end_matches(['&', ';']);
    match parameter.split_once('=') {
        Some((name, value)) if !value.is_empty() && is_secret(&decoded(name)) => {
            out.push_str(name);
            out.push('=');
            out.push_str(REDACTED);
        }
        _ => out.push_str(parameter),
    }
    out.push_str(&piece[parameter.len()..]);
}

fn is_secret(name: &str) -> bool {
    NAMES.contains(&name) || name.starts_with("x-amz-") || ENDS.iter().any(|end| name.ends_with(end))
}

/// A name without percent-encoding, lower case, so that no spelling of it hides.
fn decoded(name: &str) -> String {
    let mut out = Vec::new();
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &after[2..];
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).to_ascii_lowercase()
}
