//! Values under a name that says that they are secret: assignments, members of JSON, headers, passwords in addresses.

use std::ops::Range;

use super::names::{is_secret_name, is_strong};
use super::value::{JUDGED, Value, opening, spaces};
use super::{address, block, code, login, markup};

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

/// A value of a secret near a word of [`ANCHORS`].
pub(super) struct Met {
    pub class: &'static str,
    pub range: Range<usize>,
    /// Whether something stands between the name and the value, so that other secrets may begin before it.
    pub apart: bool,
}

/// The value of a secret near a word of [`ANCHORS`]. Nothing before `fresh` is looked at.
pub(super) fn secret(text: &[u8], word: Range<usize>, fresh: usize) -> Option<Met> {
    if &text[word.clone()] == b"://" {
        let (class, range) = address::password(text, word, fresh)?;
        return Some(Met { class, range, apart: false });
    }
    let name = name(text, word, fresh);
    let Some((quoted, sep, at)) = separator(text, &name) else { return apart(text, &name) };
    let plain = plain(text, &name);
    let plain = plain.trim_start_matches('-');
    if HEADERS.contains(&plain) {
        let range = (sep == b':').then(|| credentials(text, at)).flatten()?;
        return Some(Met { class: "auth-header", range, apart: false });
    }
    if sep == b'='
        && let Some(range) = address::connection(text, &name, plain, at)
    {
        return Some(Met { class: "db-connection-password", range, apart: false });
    }
    if !is_secret_name(plain) {
        return None;
    }
    if sep == b':'
        && let Some(range) = block::value(text, &name, at)
    {
        return Some(Met { class: "json-field", range, apart: true });
    }
    let value = Value::read(text, sep, at)?;
    let range = is_believable(text, &name, plain, (quoted, sep), &value).then(|| value.whole(text))?;
    Some(Met { class: if sep == b':' { "json-field" } else { "env-assignment" }, range, apart: false })
}

/// Whether a value behind the sign of an assignment is a secret, as its name, its quotes and its form say.
fn is_believable(text: &[u8], name: &Range<usize>, plain: &str, (quoted, sep): (bool, u8), value: &Value) -> bool {
    let bytes = &text[value.range.clone()];
    let written = &text[name.clone()];
    let upper = written.iter().any(u8::is_ascii_uppercase) && !written.iter().any(u8::is_ascii_lowercase);
    // The name of a secret in a store of them.
    let is_slug = !upper && plain.ends_with("secret") && code::is_slug(bytes);
    if value.is_placeholder(text) || code::is_reference(bytes) || is_slug {
        return false;
    }
    // As `.npmrc` has it, behind the address of a registry.
    let of_registry = written[0] == b'_' && text[..name.start].ends_with(b"/:");
    match (quoted, sep) {
        // A member of JSON, or of what looks like it.
        (true, _) | (false, b':') if value.quoted => {
            value.has_no_space(text) && (value.is_mixed(text) || is_strong(plain))
        }
        (_, _) if value.quoted => value.has_no_space(text) && (upper || value.is_mixed(text) || is_strong(plain)),
        // As a shell and a query have it.
        (false, b'=') if !value.after_space => {
            (upper || of_registry || value.is_mixed(text) && !code::is_name(bytes, false)) && value.ends_cleanly(text)
        }
        // A line of a file of settings, where code may stand just so.
        _ => value.is_mixed(text) && value.stands_alone(text),
    }
}

/// The value of a name that no sign follows: of an option, in `.netrc`, in markup, in a list of variables.
fn apart(text: &[u8], name: &Range<usize>) -> Option<Met> {
    let before = name.start.checked_sub(1).map_or(b' ', |at| text[at]);
    let after = *text.get(name.end)?;
    let is_begun = before.is_ascii_whitespace() || b"\"'`(".contains(&before);
    let is_option = is_begun && text[name.clone()].starts_with(b"--") && after == b' ';
    let may_be_netrc = before.is_ascii_whitespace() && after.is_ascii_whitespace();
    if !is_option && !may_be_netrc && !markup::may_be(text, name, after) {
        return None;
    }
    let plain = plain(text, name);
    let plain = plain.trim_start_matches('-');
    if !is_secret_name(plain) {
        return None;
    }
    let option = || if is_option { login::option(text, name.end) } else { None };
    let netrc = || if may_be_netrc && plain == "password" { login::netrc(text, name) } else { None };
    let met = |class, range| Met { class, range, apart: true };
    match option().or_else(netrc) {
        Some(range) => Some(met(login::CLASS, range)),
        None => markup::value(text, name, is_strong(plain)).map(|range| met("json-field", range)),
    }
}

/// A name in lower case.
fn plain(text: &[u8], name: &Range<usize>) -> String {
    text[name.clone()].iter().map(|b| char::from(b.to_ascii_lowercase())).collect()
}

/// The name that a word is part of. A removed line of a diff has a mark before it.
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
    let found = &text[start..start + judged];
    // A constant is a type that a member of code has.
    let is_constant = !found.iter().any(u8::is_ascii_lowercase) && found.contains(&b'_') && code::is_name(found, true);
    let believable = found.iter().any(u8::is_ascii_digit) && (scheme || !is_constant) || scheme && judged >= 20;
    let least = if scheme { 8 } else { 12 };
    let whole = || start + text[start..].iter().take_while(|b| of_token(b)).count();
    (judged >= least && believable).then(|| start..whole())
}
