//! Values under a name that says that they are secret: assignments, members of JSON, headers, passwords in addresses.

use std::ops::Range;

use super::code;

/// Words of which one stands in every name of a secret.
pub(super) const ANCHORS: &[&str] =
    &["key", "token", "secret", "passw", "passphrase", "pwd", "credential", "auth", "://"];

/// The classes of what is found here.
pub(super) const CLASSES: [&str; 5] =
    ["env-assignment", "json-field", "auth-header", "db-connection-password", "url-password"];

/// The most bytes of a name.
const MAX_NAME: usize = 64;

/// Names of headers whose value is a credential.
const HEADERS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "x-auth-token",
    "x-access-token",
    "x-vault-token",
    "x-goog-api-key",
    "private-token",
    "job-token",
];

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

/// Schemes of addresses whose password is that of a database or queue.
const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "oracle",
    "couchdb",
    "cassandra",
    "neo4j",
    "bolt",
    "ldap",
    "ldaps",
    "nats",
    "kafka",
];

/// The value of a secret near a word of [`ANCHORS`] and its class. Nothing before `fresh` is looked at.
pub(super) fn secret(text: &[u8], word: Range<usize>, fresh: usize) -> Option<(&'static str, Range<usize>)> {
    if &text[word.clone()] == b"://" {
        return address(text, word, fresh);
    }
    let name = name(text, word, fresh);
    // A removed line of a diff has a mark before its name.
    let plain: String = text[name.clone()].iter().map(|b| char::from(b.to_ascii_lowercase())).collect();
    let plain = plain.trim_start_matches('-');
    let (quoted, sep, at) = separator(text, &name)?;
    if HEADERS.contains(&plain) {
        return (sep == b':').then(|| credentials(text, at)).flatten().map(|range| ("auth-header", range));
    }
    let value = Value::read(text, sep, at)?;
    let upper = text[name.clone()].iter().any(u8::is_ascii_uppercase) && !text[name].iter().any(u8::is_ascii_lowercase);
    if !is_secret_name(plain) || value.is_placeholder(text) {
        return None;
    }
    let believable = match (quoted, sep) {
        // A member of JSON, or of what looks like it.
        (true, _) | (false, b':') if value.quoted => {
            value.has_no_space(text) && (value.is_mixed(text) || is_strong(plain))
        }
        (_, _) if value.quoted => value.has_no_space(text) && (upper || value.is_mixed(text) || is_strong(plain)),
        // As a shell and a query have it.
        (false, b'=') if !value.after_space => {
            (upper || value.is_mixed(text) && !code::is_name(&text[value.range.clone()], false))
                && value.ends_cleanly(text)
        }
        // A line of a file of settings, where code may stand just so.
        _ => value.is_mixed(text) && value.stands_alone(text),
    };
    let class = if sep == b':' { "json-field" } else { "env-assignment" };
    believable.then(|| (class, value.whole(text)))
}

/// The name that a word is part of.
fn name(text: &[u8], word: Range<usize>, fresh: usize) -> Range<usize> {
    let of_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let floor = fresh.max(word.start.saturating_sub(MAX_NAME)).min(word.start);
    let before = text[floor..word.start].iter().rev().take_while(|b| of_name(b)).count();
    let after = text[word.end..].iter().take(MAX_NAME).take_while(|b| of_name(b)).count();
    word.start - before..word.end + after
}

/// Whether the name is in quotes, the sign behind it (`=` or `:`), and where that ends.
fn separator(text: &[u8], name: &Range<usize>) -> Option<(bool, u8, usize)> {
    let mut at = name.end;
    let mut quoted = false;
    if text.get(at) == Some(&b'\\') {
        at += 1;
    }
    if let Some(quote @ (b'"' | b'\'')) = text.get(at) {
        quoted = name.start.checked_sub(1).is_some_and(|before| text[before] == *quote);
        if !quoted {
            return None;
        }
        at += 1;
    }
    at += spaces(text, at);
    let sign = *text.get(at)?;
    match (sign, text.get(at + 1)) {
        (b'=', Some(b'=' | b'~')) | (b':', Some(b':')) => None,
        (b'=', Some(b'>')) => Some((quoted, b':', at + 2)),
        (b':', Some(b'=')) => Some((quoted, b'=', at + 2)),
        (b'=' | b':', _) => Some((quoted, sign, at + 1)),
        _ => None,
    }
}

/// How long a value in quotes is that ends on its line.
fn closing(text: &[u8], quote: u8, escaped: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'\\' if escaped => return (text.get(at + 1) == Some(&quote)).then_some(at),
            b'\\' => at += 2,
            b'\n' => return None,
            b if *b == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// How long a value without quotes is.
fn bare_len(text: &[u8]) -> usize {
    let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`;,&|<>(){}[]\\".contains(b);
    text.iter().position(ends).unwrap_or(text.len())
}

/// How long a value without quotes is that a line has for itself: it may hold what ends one in code.
fn line_len(text: &[u8]) -> usize {
    let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`,\\".contains(b);
    let len = text.iter().position(ends).unwrap_or(text.len());
    let closes = |b: &&u8| b";|<>(){}[]&".contains(*b);
    len - text[..len].iter().rev().take_while(closes).count()
}

/// Values are aligned by so many spaces at most.
const MAX_SPACES: usize = 64;

fn spaces(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..].iter().take(MAX_SPACES).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// What stands behind the sign.
struct Value {
    range: Range<usize>,
    quoted: bool,
    after_space: bool,
    /// How long it is, without quotes.
    length: fn(&[u8]) -> usize,
}

/// The most bytes of a value without quotes by which it is judged.
const JUDGED: usize = 256;

/// The least bytes of a value without quotes that words follow.
const LONG: usize = 20;

/// Where a value begins: behind spaces and a quote, which may be escaped because all of it stands in a string.
fn opening(text: &[u8], sign_end: usize) -> (usize, Option<u8>, bool) {
    let mut at = sign_end + spaces(text, sign_end);
    let escaped = text.get(at) == Some(&b'\\') && matches!(text.get(at + 1), Some(b'"' | b'\''));
    at += usize::from(escaped);
    let quote = text.get(at).copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    (at + usize::from(quote.is_some()), quote, escaped)
}

impl Value {
    fn read(text: &[u8], sign: u8, sign_end: usize) -> Option<Self> {
        let (start, quote, escaped) = opening(text, sign_end);
        let rest = text.get(start..)?;
        let after_space = spaces(text, sign_end) > 0;
        let length = if sign == b':' || after_space { line_len } else { bare_len };
        let len = match quote {
            Some(quote) => closing(rest, quote, escaped)?,
            None => length(&rest[..rest.len().min(JUDGED)]),
        };
        (len >= 8).then_some(Self { range: start..start + len, quoted: quote.is_some(), after_space, length })
    }

    /// The whole value, however long.
    fn whole(self, text: &[u8]) -> Range<usize> {
        let start = self.range.start;
        if self.quoted { self.range } else { start..start + (self.length)(&text[start..]) }
    }

    /// A value that stands for another one: a variable, a hint what to write, what was taken out already.
    fn is_placeholder(&self, text: &[u8]) -> bool {
        let value = text[self.range.clone()].to_ascii_lowercase();
        let first = value[0];
        let begins = |words: &[&[u8]]| words.iter().any(|word| value.starts_with(word));
        let holds = |words: &[&[u8]]| words.iter().any(|word| value.windows(word.len()).any(|w| w == *word));
        let all_same = value.iter().all(|b| *b == first);
        let sign = b"$%<{[(*&@~#!".contains(&first) || begins(&[b"./", b"../", b"/"]) && !self.is_mixed(text);
        let word = begins(&[
            b"your",
            b"my-",
            b"my_",
            b"xxx",
            b"...",
            b"example",
            b"changeme",
            b"change-me",
            b"change_me",
            b"placeholder",
            b"dummy",
            b"fake",
            b"redacted",
            b"null",
            b"none",
            b"undefined",
            b"process.env",
            b"os.environ",
            b"os.getenv",
            b"secrets.",
            b"env.",
            b"config.",
            b"settings.",
            b"self.",
            b"this.",
            b"req.",
            b"request.",
            b"http://",
            b"https://",
            b"steps.",
            b"github.",
            b"inputs.",
            b"vars.",
            b"needs.",
            b"matrix.",
        ]);
        all_same || sign || word || holds(&[b"${", b"{{", b"$(", b"...", b"***", b"<your", b"[redacted:"])
    }

    fn has_no_space(&self, text: &[u8]) -> bool {
        !text[self.range.clone()].contains(&b' ')
    }

    /// Digits and letters together, as words rarely have them.
    fn is_mixed(&self, text: &[u8]) -> bool {
        let value = &text[self.range.clone()];
        value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
    }

    /// Whether it is no code, and ends its line or item. Where words follow it must be long to be more than a word of theirs; before `=`
    /// it is the type of a constant.
    fn stands_alone(&self, text: &[u8]) -> bool {
        let value = &text[self.range.clone()];
        let rest = &text[self.range.end..];
        let (ends, is_type) = match rest.get(spaces(text, self.range.end)..) {
            Some([b'/', b'/', ..] | []) | None => (true, false),
            Some([next, ..]) => (b"\r\n#;,}])|".contains(next) || b"\"'`\\<>".contains(&rest[0]), *next == b'='),
        };
        let is_code = is_type || code::is_expression(value, rest, !ends) || code::is_reference(value);
        !is_code && (ends || value.len() >= LONG)
    }

    /// A call or an index begins behind an expression of code, not behind a value.
    fn ends_cleanly(&self, text: &[u8]) -> bool {
        !matches!(text.get(self.range.end), Some(b'(' | b'[' | b'{'))
    }
}

/// Whether a name, in lower case, is one of a secret.
fn is_secret_name(name: &str) -> bool {
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
fn is_strong(name: &str) -> bool {
    ["password", "passwd", "passphrase", "secret", "secretkey", "clientsecret"].iter().any(|word| name.ends_with(word))
}

/// The credentials in the value of a header, behind the name of a scheme.
fn credentials(text: &[u8], sign_end: usize) -> Option<Range<usize>> {
    let (mut start, _, _) = opening(text, sign_end);
    let line = text.get(start..)?;
    let of_token = |b: &u8| b.is_ascii_alphanumeric() || b"-._~+/=:".contains(b);
    let word = line.iter().take(12).take_while(|b| b.is_ascii_alphabetic()).count();
    let scheme = ["bearer", "basic", "token", "apikey", "digest", "negotiate", "splunk"]
        .iter()
        .any(|scheme| line[..word].eq_ignore_ascii_case(scheme.as_bytes()) && line.get(word) == Some(&b' '));
    if scheme {
        start += word + spaces(text, start + word);
    }
    let judged = text[start..].iter().take(JUDGED).take_while(|b| of_token(b)).count();
    let believable = text[start..start + judged].iter().any(u8::is_ascii_digit) || scheme && judged >= 20;
    let least = if scheme { 8 } else { 12 };
    let whole = || start + text[start..].iter().take_while(|b| of_token(b)).count();
    (judged >= least && believable).then(|| start..whole())
}

/// The password in an address with a user part.
fn address(text: &[u8], sign: Range<usize>, fresh: usize) -> Option<(&'static str, Range<usize>)> {
    let of_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let floor = fresh.max(sign.start.saturating_sub(24)).min(sign.start);
    let len = text[floor..sign.start].iter().rev().take_while(|b| of_scheme(b)).count();
    let scheme = text[sign.start - len..sign.start].to_ascii_lowercase();
    let rest = &text[sign.end..text.len().min(sign.end + 512)];
    let end =
        rest.iter().position(|b| b.is_ascii_whitespace() || b"/\"'`<>?#,;(){}[]|\\".contains(b)).unwrap_or(rest.len());
    // A password may hold an @ itself: the last one ends the user part.
    let at = rest[..end].iter().rposition(|b| *b == b'@')?;
    let colon = rest[..at].iter().position(|b| *b == b':')?;
    let password = sign.end + colon + 1..sign.end + at;
    let first = *text[password.clone()].first()?;
    if b"$*".contains(&first) || text[password.clone()] == *b"REDACTED" {
        return None;
    }
    let base = scheme.split(|b| *b == b'+').next().unwrap_or_default();
    let database = DATABASES.iter().any(|name| name.as_bytes() == base);
    Some((if database { "db-connection-password" } else { "url-password" }, password))
}
