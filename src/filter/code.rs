//! What stands behind the sign of an assignment in code: names and calls with digits in them, which are no values.

/// Words of programs that have digits, by their end.
const TERMS: &[&str] = &[
    "base16",
    "base32",
    "base58",
    "base64",
    "b32",
    "b64",
    "sha1",
    "sha2",
    "sha3",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "md4",
    "md5",
    "blake2",
    "blake3",
    "argon2",
    "pbkdf2",
    "utf8",
    "utf16",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
    "oauth1",
    "oauth2",
    "auth0",
    "http2",
    "ed25519",
    "x25519",
    "curve25519",
    "secp256",
    "secp256k1",
    "secp256r1",
    "p256",
    "p384",
    "p521",
    "x509",
    "pkcs1",
    "pkcs8",
    "pkcs12",
    "aes128",
    "aes192",
    "aes256",
    "hs256",
    "hs384",
    "hs512",
    "rs256",
    "rs384",
    "rs512",
    "es256",
    "es384",
    "es512",
    "rsa2048",
    "rsa4096",
    "bip32",
    "bip39",
    "ipv4",
    "ipv6",
    "v1",
    "v2",
    "v3",
    "v4",
];

/// Words for secrets. A name that has one and ends in a number is one of several variables.
const SECRETS: &[&str] = &["token", "secret", "key", "passw", "pwd", "auth", "cred"];

/// The most digits at the end of a name that number it.
const NUMBERED: usize = 2;

/// Whether a value is an expression: a name, or calls, indexes and types made of names. `lenient`, where words follow it, takes every
/// name for numbered that ends like one; in a call it is. What begins with a name and ends with the bracket that it opens is a call,
/// whatever digits are in it.
pub(super) fn is_expression(value: &[u8], rest: &[u8], lenient: bool) -> bool {
    let joins = |b: &u8| b"()[]{}<>;&|?!*".contains(b);
    let of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.:".contains(b);
    let named = value.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let name = value.iter().take_while(|b| of_name(b)).count();
    let is_call = match value.get(name) {
        Some(b'(') => lenient || rest.first() == Some(&b')'),
        Some(_) => false,
        None => rest.first() == Some(&b'('),
    };
    if is_call && named {
        return true;
    }
    value.split(joins).all(|name| is_name(name, lenient || value.iter().any(joins)))
}

/// Whether a value says where another one is: an address, a name of a cloud's, a file, a place in a repository, or the path of a module.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.-/@".contains(b);
    let lower = value.to_ascii_lowercase();
    let is_file = value.iter().all(of_name) && FILES.iter().any(|end| lower.ends_with(end.as_bytes()));
    value.windows(3).any(|w| w == b"://" || w[..2] == *b"::")
        || value.starts_with(b"arn:")
        || is_file
        || is_cloud_name(&lower)
        || is_place(value)
}

/// How files of credentials end.
const FILES: &[&str] = &[
    ".json", ".pem", ".key", ".p12", ".pfx", ".crt", ".cer", ".jks", ".yml", ".yaml", ".toml", ".ini", ".conf", ".env",
    ".txt", ".gpg", ".asc", ".pub",
];

/// The name of a secret in a cloud: `projects/NAME/secrets/NAME/versions/1`, with a scheme or a host before it.
fn is_cloud_name(value: &[u8]) -> bool {
    let mut words = value.split(|b| matches!(b, b'/' | b':')).skip_while(|word| *word != b"projects").skip(2);
    matches!(words.next(), Some(b"secrets" | b"locations" | b"serviceaccounts"))
}

/// `OWNER/NAME#PATH`: a path behind the name of a repository or of a store of secrets.
fn is_place(value: &[u8]) -> bool {
    let of_path = |b: &u8| b.is_ascii_alphanumeric() || b"_.-/".contains(b);
    let mut parts = value.split(|b| *b == b'#');
    let (Some(place), Some(path), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let is_path = |part: &[u8]| part.first().is_some_and(u8::is_ascii_alphabetic) && part.iter().all(of_path);
    place.contains(&b'/') && is_path(place) && is_path(path)
}

/// Whether a value is what people call things that they number: words in small letters with numbers between or behind them.
pub(super) fn is_slug(value: &[u8]) -> bool {
    let is_word = |word: &[u8]| {
        let digits = word.strip_prefix(b"v").unwrap_or(word);
        let is_number = (1..=4).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
        is_number || !word.is_empty() && word.iter().all(u8::is_ascii_lowercase)
    };
    value.contains(&b'-') && value.split(|b| matches!(b, b'-' | b'.')).all(is_word)
}

/// Whether a value is a name, path or chain of names in which all digits are those of words of programs, or number the name.
pub(super) fn is_name(value: &[u8], lenient: bool) -> bool {
    let marks = |b: u8| b"_.:-/".contains(&b);
    if !value.iter().all(|b| b.is_ascii_alphanumeric() || marks(*b)) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let has = |word: &str| lower.windows(word.len()).any(|w| w == word.as_bytes());
    let has_secret = SECRETS.iter().any(|word| has(word));
    // A constant or type that is written in capitals.
    if has_secret && value.contains(&b'_') && !value.iter().any(u8::is_ascii_lowercase) {
        return true;
    }
    let numbered = lenient || has(".") || has("::") || has_secret;
    lower.split(|b| marks(*b)).all(|word| {
        digits(word).all(|(start, end)| {
            let is_term = TERMS.iter().any(|term| word[..end].ends_with(term.as_bytes()));
            is_term || numbered && end == word.len() && end - start <= NUMBERED
        })
    })
}

/// Where runs of digits stand in a word.
fn digits(word: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let starts = |at: &usize| word[*at].is_ascii_digit() && (*at == 0 || !word[at - 1].is_ascii_digit());
    let end = |at: usize| at + word[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    (0..word.len()).filter(starts).map(move |at| (at, end(at)))
}
