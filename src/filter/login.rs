//! Passwords as programs are told them when somebody logs in: in `.netrc`, and as an option of a command.

use std::ops::Range;

use super::value::{is_mixed, stands_for_another};

/// The class of what is found here.
pub(super) const CLASS: &str = "login-password";

/// Words of which one stands before every such password but that of `.netrc`.
pub(super) const ANCHORS: &[&str] = &[" login", "-u ", "--user"];

/// How far a command is looked at, before and behind its option.
const COMMAND: usize = 256;

/// The least bytes of a password that is told by its place.
const LEAST: usize = 4;

/// Words that manuals put in the place of a password.
const WORDS: &[&[u8]] =
    &[b"password", b"passwd", b"pass", b"token", b"secret", b"api_token", b"api_key", b"apikey", b"pwd"];

/// The password in a command, of which the word of an option or `login` is met.
pub(super) fn command(text: &[u8], word: Range<usize>) -> Option<Range<usize>> {
    if text[word.clone()].eq_ignore_ascii_case(b" login") { registry(text, &word) } else { user(text, &word) }
}

/// `docker login -u NAME -p PASSWORD`, and what else logs in to a registry.
fn registry(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let before = &text[word.start.saturating_sub(16)..word.start];
    if ![&b"docker"[..], b"podman", b"buildah", b"nerdctl", b"registry", b"oras", b"skopeo"]
        .iter()
        .any(|p| before.ends_with(p))
    {
        return None;
    }
    let mut at = word.end;
    let end = text.len().min(at + COMMAND);
    while let Some((range, next)) = next_word(text, at, end) {
        at = next;
        let option = &text[range.clone()];
        let value = match option {
            b"-p" | b"--password" => next_word(text, at, end)?.0,
            _ => match option.strip_prefix(b"--password=").or_else(|| option.strip_prefix(b"-p=")) {
                Some(value) => range.end - value.len()..range.end,
                None => continue,
            },
        };
        return is_password(&text[value.clone()]).then_some(value);
    }
    None
}

/// The password in `curl -u NAME:PASSWORD`.
fn user(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    let starts = word.start.checked_sub(1).is_none_or(|at| text[at].is_ascii_whitespace());
    let sign = word.end + usize::from(text.get(word.end) == Some(&b'='));
    if !starts || text[word.clone()] == *b"--user" && !text.get(word.end).is_some_and(|b| matches!(b, b' ' | b'=')) {
        return None;
    }
    let (value, _) = next_word(text, sign, text.len().min(sign + COMMAND))?;
    let colon = value.start + text[value.clone()].iter().position(|b| *b == b':')?;
    let is_name = colon > value.start && !stands_for_another(&text[value.start..colon]);
    if !is_name || !is_password(&text[colon + 1..value.end]) {
        return None;
    }
    let before = &text[word.start.saturating_sub(COMMAND)..word.start];
    // A line goes on behind a backslash.
    let ends = |at: &usize| match before[*at] {
        b'\n' => !before[..*at].ends_with(b"\\"),
        other => matches!(other, b';' | b'|'),
    };
    let line = &before[(0..before.len()).rev().find(ends).map_or(0, |at| at + 1)..];
    let command = memchr::memmem::rfind(line, b"curl")?;
    let is_word = |at: Option<&u8>| at.is_none_or(|b| !b.is_ascii_alphanumeric());
    let is_curl = is_word(command.checked_sub(1).and_then(|at| line.get(at))) && is_word(line.get(command + 4));
    is_curl.then_some(colon + 1..value.end)
}

/// `machine HOST login NAME password PASSWORD`, on one line or several, as `.netrc` has it.
pub(super) fn netrc(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let before = &text[name.start.saturating_sub(COMMAND)..name.start];
    let mut words = before.split(u8::is_ascii_whitespace).rev().filter(|word| !word.is_empty());
    let is_mark = |word: Option<&[u8]>, is: &[u8]| word.is_some_and(|word| word.ends_with(is));
    let (_user, login, host) = (words.next()?, words.next(), words.next());
    let is_netrc = is_mark(login, b"login") && (is_mark(host, b"default") || is_mark(words.next(), b"machine"));
    let gap = text[name.end..].iter().take(32).take_while(|b| b.is_ascii_whitespace()).count();
    let at = name.end + gap;
    let len = text[at..].iter().take_while(|b| !b.is_ascii_whitespace() && !b"\"'`<\\".contains(b)).count();
    (is_netrc && gap > 0 && is_password(&text[at..at + len])).then_some(at..at + len)
}

/// The next word of a command, without its quotes, and where it ends. A line goes on behind a backslash.
fn next_word(text: &[u8], from: usize, end: usize) -> Option<(Range<usize>, usize)> {
    let mut at = from;
    loop {
        match &text[at..end] {
            [b' ' | b'\t', ..] => at += 1,
            [b'\\', b'\n', ..] => at += 2,
            [b'\n' | b';' | b'|' | b'&', ..] | [] => return None,
            [quote @ (b'"' | b'\''), rest @ ..] => {
                let len = rest.iter().position(|b| b == quote || *b == b'\n')?;
                return Some((at + 1..at + 1 + len, at + len + 2));
            }
            rest => {
                let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`;|&<>()".contains(b);
                let len = rest.iter().position(ends).unwrap_or(rest.len());
                return (len > 0).then_some((at..at + len, at + len));
            }
        }
    }
}

/// Whether a word in the place of a password is one.
fn is_password(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    word.len() >= LEAST && !stands_for_another(word) && !WORDS.contains(&&lower[..])
}

/// The value of an option in long form, behind a space: one with digits and letters.
pub(super) fn option(text: &[u8], at: usize) -> Option<Range<usize>> {
    let (value, _) = next_word(text, at, text.len().min(at + COMMAND))?;
    let word = &text[value.clone()];
    let is_value = word.len() >= 8 && is_mixed(word) && !stands_for_another(word) && word[0] != b'-';
    (is_value && !super::code::is_name(word, true)).then_some(value)
}
