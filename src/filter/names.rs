//! Which names are those of secrets.

/// Names that end so are those of a secret, once the marks between their words are gone.
const SECRET_ENDINGS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "authkey",
    "accountkey",
    "sharedkey",
    "masterkey",
    "servicekey",
    "deploykey",
    "clientkey",
    "sshkey",
    "credential",
    "credentials",
    "authtoken",
    "auth",
    "pwd",
    "secretkeybase",
];

/// Tokens of programs, not of people: places in a list or a text.
const NO_SECRETS: &[&str] = &[
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "cursortoken",
    "synctoken",
    "starttoken",
    "endtoken",
    "eostoken",
    "bostoken",
    "padtoken",
    "unktoken",
    "specialtoken",
    "oauth",
    "preauth",
    "needsauth",
    "requireauth",
    "author",
    "noauth",
    "useauth",
];

/// Last parts of a name that say nothing about what it names.
const SUFFIXES: &[&str] =
    &["b64", "base64", "prod", "production", "dev", "staging", "test", "value", "old", "new", "ci"];

/// Whether a name, in lower case, is one of a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let mut parts: Vec<&str> = name.split(['_', '-', '.']).filter(|part| !part.is_empty()).collect();
    while parts.len() > 1
        && parts.last().is_some_and(|last| SUFFIXES.contains(last) || last.bytes().all(|b| b.is_ascii_digit()))
    {
        parts.pop();
    }
    let joined = parts.concat();
    let ends = |words: &[&str]| words.iter().any(|word| joined.ends_with(word));
    ends(SECRET_ENDINGS) && !ends(NO_SECRETS) && !matches!(joined.as_str(), "pwd" | "oldpwd" | "auth")
        || name == "_auth"
}

/// Names under which a value of letters alone is believed to be a secret.
pub(super) fn is_strong(name: &str) -> bool {
    ["password", "passwd", "passphrase", "secret", "secretkey", "clientsecret"].iter().any(|word| name.ends_with(word))
}
