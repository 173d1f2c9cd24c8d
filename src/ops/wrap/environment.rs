//! The environment of a command that reads a stage: without what lets it act as its caller.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use crate::filter::{Error, Exact, Filter, forge_prefixes, is_detected, is_injection};
use crate::forge::base64;
use crate::format::profile::OnFinding;

/// What the last word of the name of a secret ends in, whoever issued it: an opaque value does not tell for whom it is.
const SECRETS: [&str; 8] = ["TOKEN", "TOKENS", "PASSWORD", "PASSWD", "SECRET", "SECRETS", "CREDENTIAL", "CREDENTIALS"];

/// What the last word of the name of a secret is, where it may end other words too.
const SHORT: [&str; 4] = ["JWT", "PASS", "PASSPHRASE", "PAT"];

/// What stands before `KEY`, the last word, in the name of a secret. A key behind `API` stays: with it a command calls its model.
const KEYS: [&str; 6] = ["ACCESS", "DEPLOY", "PRIVATE", "SECRET", "SIGNING", "SSH"];

/// Last words that say what form a secret has or where it lies, and nothing of what it is. So does a version.
const FORMS: [&str; 4] = ["BASE64", "FILE", "ID", "PATH"];

/// Words of forges and runners: beside `TOKEN`, wherever it stands, their name is that of something for it.
const FORGE_WORDS: [&str; 13] =
    ["ACTIONS", "CI", "CODEBERG", "FORGE", "FORGEJO", "GH", "GITEA", "GITHUB", "GITLAB", "GL", "GLAB", "JOB", "RUNNER"];

/// Names of other kinds: what holds a secret among other things, and what has git, ssh or a cloud act as its caller.
const NAMES: [&str; 14] = [
    // It has the token of the job in its address.
    "CI_REPOSITORY_URL",
    "DOCKER_AUTH_CONFIG",
    "FULLSEND_GCP_OIDC_AUTH_FILE",
    "FULLSEND_GCP_OIDC_URL",
    "GIT_ASKPASS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "NETRC",
    "NPM_CONFIG__AUTH",
    "NPM_CONFIG_USERCONFIG",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SSH_AUTH_SOCK",
];

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is a secret: what holds it too is one.
    Secret,
    /// It says where one lies, or who gives it.
    Way,
    /// Nothing.
    Plain,
}

fn kind(name: &str) -> Kind {
    let upper = name.to_ascii_uppercase();
    if NAMES.contains(&&*upper) {
        return Kind::Way;
    }
    let mut words: Vec<_> = upper.split(['_', '-', '.']).collect();
    let all = words.clone();
    let mut points = false;
    while let Some(last) = words.pop() {
        points |= matches!(last, "FILE" | "PATH");
        let less = if FORMS.contains(&last) { "" } else { unversioned(last) };
        words.extend(Some(less).filter(|less| !less.is_empty()));
        if less.len() == last.len() {
            break;
        }
    }
    let is_secret = match words[..] {
        [.., of, "API", "KEY"] | [.., of, "AUTH" | "OAUTH" | "CRED" | "CREDS"] if FORGE_WORDS.contains(&of) => true,
        [.., before, "KEY"] | [.., before, "KEY", "BASE" | "PEM"] => KEYS.contains(&before),
        // Alone it is the folder that a command works in.
        [_, .., "PWD"] => true,
        [.., last] => SHORT.contains(&last) || SECRETS.iter().any(|word| last.ends_with(word)),
        [] => false,
    };
    if is_secret {
        return if points { Kind::Way } else { Kind::Secret };
    }
    let of_forge = all.contains(&"TOKEN") && all.iter().any(|word| FORGE_WORDS.contains(word));
    if of_forge { Kind::Way } else { Kind::Plain }
}

/// Classes of keys with which a command calls its model.
const MODELS: [&str; 5] = ["anthropic-key", "google-api-key", "groq-key", "openai-key", "openai-proj"];

/// Whether a value is one that the filter takes out of every text, and not what a command calls its model with.
fn is_found(filter: &Filter, name: &str, value: &str) -> Result<bool, Error> {
    if kind(name) == Kind::Plain && name.to_ascii_uppercase().ends_with("API_KEY") {
        return Ok(false);
    }
    let found = filter.clean(value, None)?.findings;
    Ok(found.keys().any(|class| is_detected(class) && !is_injection(class) && !MODELS.contains(class)))
}

/// Whether a name says how many tokens of a model there may be.
fn is_count(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.ends_with("TOKENS") && (name.split('_').any(|word| word == "MAX") || value.bytes().all(|b| b.is_ascii_digit()))
}

/// A word without the version at its end: `2`, `V3`, `10`.
fn unversioned(word: &str) -> &str {
    let less = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if less.len() == word.len() { word } else { less.strip_suffix('V').unwrap_or(less) }
}

/// A shorter value is no token, and may stand in any other by chance.
const SHORTEST: usize = 16;

/// The fewest bytes of a value, of letters and digits, that two variables do not have by chance, as they may have a word or a number.
const TELLING: usize = 4;

fn is_telling(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.as_bytes().iter().any(of);
    value.len() >= TELLING && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit)
}

/// Whether a value holds what is written like a token: alone, in an address, behind `Bearer`, or in base64, as `Basic` has it.
fn holds_token(value: &str) -> bool {
    let encoded = value.split(|c: char| !(c.is_ascii_alphanumeric() || "+/-_".contains(c)));
    let decoded = encoded.filter(|word| word.len() >= SHORTEST).filter_map(from_base64);
    has_token(value, 0) || decoded.into_iter().any(|text| has_token(&text, SHORTEST))
}

/// Whether a word of a text, of so many bytes at least, begins as a token of a forge does.
fn has_token(text: &str, shortest: usize) -> bool {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
    words.any(|word| word.len() >= shortest && forge_prefixes().any(|prefix| word.starts_with(prefix)))
}

/// How git is given its configuration by the environment: a count, and so many pairs from 0; or all in one, as `git -c` hands it on.
const CONFIG_COUNT: &str = "GIT_CONFIG_COUNT";
const CONFIG_KEY: &str = "GIT_CONFIG_KEY_";
const CONFIG_VALUE: &str = "GIT_CONFIG_VALUE_";
const CONFIG_ALL: &str = "GIT_CONFIG_PARAMETERS";

/// Keys of git's configuration that say who asks, or what tells it, in lower case.
const CONFIG_SECRETS: [&str; 7] =
    [".extraheader", "authorization:", "cookiefile", "core.askpass", "core.sshcommand", "credential.", ".proxyauth"];

/// Whether a part of git's configuration makes it act as its caller, by a header or a helper.
fn is_credential(name: &str, value: &str) -> bool {
    let is_config = name == CONFIG_ALL || name.starts_with(CONFIG_KEY) || name.starts_with(CONFIG_VALUE);
    let lower = value.to_ascii_lowercase();
    is_config && CONFIG_SECRETS.iter().any(|word| lower.contains(word))
}

/// Whether an address in a text names a user with a password.
fn has_password(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', '\'', '"', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

/// Numbers anew what is left of git's configuration: git refuses to work where one of a pair is not there.
fn renumbered(kept: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let count = |(name, value): &(OsString, OsString)| {
        (name == CONFIG_COUNT).then(|| value.to_str()?.parse::<usize>().ok()).flatten()
    };
    let Some(count) = kept.iter().find_map(count) else { return kept };
    let (mut keys, mut values, mut out) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (name, value) in kept {
        let text = name.to_string_lossy();
        let number = |text: &str| text.parse::<usize>().ok().filter(|at| *at < count && at.to_string() == text);
        let at = |start: &str| text.strip_prefix(start).map(number);
        // What has no place below the count is not read by git either.
        if let Some(at) = at(CONFIG_KEY) {
            keys.extend(at.map(|at| (at, value)));
        } else if let Some(at) = at(CONFIG_VALUE) {
            values.extend(at.map(|at| (at, value)));
        } else if text != CONFIG_COUNT {
            out.push((name, value));
        }
    }
    let pairs: Vec<_> = keys.into_iter().filter_map(|(at, key)| Some((key, values.remove(&at)?))).collect();
    out.push((CONFIG_COUNT.into(), pairs.len().to_string().into()));
    for (at, (key, value)) in pairs.into_iter().enumerate() {
        out.push((format!("{CONFIG_KEY}{at}").into(), key));
        out.push((format!("{CONFIG_VALUE}{at}").into(), value));
    }
    out
}

/// The text of base64, in either alphabet, without its padding.
fn from_base64(word: &str) -> Option<String> {
    let mut word = word.replace('-', "+").replace('_', "/");
    word.extend(std::iter::repeat_n('=', word.len().wrapping_neg() % 4));
    String::from_utf8(base64::decode(&word)?).ok()
}

/// What a command gets, and what was taken from it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The variables that it gets.
    pub kept: Vec<(OsString, OsString)>,
    /// Names of those that it does not.
    pub removed: Vec<String>,
}

/// Takes the credentials out of an environment: the variables whose name says that they are one or how to get one, those whose value
/// is written like a token of a forge or anything else that the filter knows as a secret, the parts of git's configuration that make it act as its caller, and those that hold the value of another
/// that was taken out, as it is or encoded. What the caller names in `keep` stays.
///
/// # Errors
/// When those values cannot be looked for.
pub fn environment(all: impl IntoIterator<Item = (OsString, OsString)>, keep: &[String]) -> Result<Environment, Error> {
    let is_kept = |name: &OsString| keep.iter().any(|kept| name.as_os_str() == kept.as_str());
    let filter = Filter::new(OnFinding::Annotate)?;
    let holds = |name: &str, value: &str| {
        let named = kind(name) != Kind::Plain && !is_count(name, value);
        named || holds_token(value) || has_password(value) || is_credential(name, value)
    };
    let (mut kept, mut taken, mut found) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (name, value) in all {
        let (text, told) = (name.to_string_lossy().into_owned(), value.to_string_lossy());
        let by_value = !is_kept(&name) && is_found(&filter, &text, &told)?;
        let goes = by_value || (!is_kept(&name) && holds(&text, &told));
        found.extend(by_value.then_some(text));
        if goes { taken.push((name, value)) } else { kept.push((name, value)) }
    }
    // A path or the name of a setting stands in many values, and none of them is a secret for it.
    let is_secret = |name: &str, value: &str| {
        kind(name) == Kind::Secret
            || found.contains(name)
            || holds_token(value)
            || has_password(value)
            || (name.starts_with(CONFIG_VALUE) && is_credential(name, value))
    };
    let values = taken.iter().map(|(name, value)| (name.to_string_lossy(), value.to_string_lossy()));
    let secrets: Vec<_> = values.filter(|(name, value)| is_secret(name, value)).map(|(_, value)| value).collect();
    let long = secrets.iter().filter(|value| value.trim().len() >= SHORTEST);
    let tokens = Exact::new(&long.map(|value| value.clone().into_owned()).collect::<Vec<_>>())?;
    let is_in = |value: &OsString| {
        let value = value.to_string_lossy();
        is_telling(&value) && secrets.contains(&value) || tokens.as_ref().is_some_and(|tokens| tokens.is_in(&value))
    };
    let (copies, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(name, value)| !is_kept(name) && is_in(value));
    let kept = renumbered(kept);
    let mut removed: Vec<_> =
        taken.into_iter().chain(copies).map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    removed.sort();
    Ok(Environment { kept, removed })
}
