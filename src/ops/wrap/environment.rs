//! The environment of a command that reads a stage: without what lets it talk to a forge.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::filter::{Error, Exact, forge_prefixes};
use crate::forge::base64;

/// Variables that hold credentials of a forge or of the runner that it lends.
const NAMES: &[&str] = &[
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "CI_BUILD_TOKEN",
    "CI_DEPENDENCY_PROXY_PASSWORD",
    "CI_DEPLOY_PASSWORD",
    "CI_JOB_JWT",
    "CI_JOB_JWT_V1",
    "CI_JOB_JWT_V2",
    "CI_REGISTRY_PASSWORD",
    // It has the token of the job in its address.
    "CI_REPOSITORY_URL",
    "FULLSEND_GCP_OIDC_AUTH_FILE",
    "FULLSEND_GCP_OIDC_URL",
    "GITEA_PAT",
    "GITHUB_PAT",
    "INPUT_TOKEN",
    "OAUTH_TOKEN",
    "PRIVATE_TOKEN",
];

/// Words of which one, before `TOKEN` as the last, makes the name of a variable that of a forge's token: `GITEA_SERVER_TOKEN`.
const FORGE_WORDS: &[&str] =
    &["ACTIONS", "CODEBERG", "FORGE", "FORGEJO", "GH", "GITEA", "GITHUB", "GITLAB", "GL", "GLAB", "JOB", "RUNNER"];

fn is_named_as_token(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let mut words = upper.split(['_', '-']);
    NAMES.contains(&&*upper) || (words.next_back() == Some("TOKEN") && words.any(|word| FORGE_WORDS.contains(&word)))
}

/// A shorter value is no token, and may stand anywhere by chance.
const SHORTEST: usize = 16;

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

/// Whether an entry of git's configuration sends a header that says who asks.
fn is_header(name: &OsString, value: &str) -> bool {
    name.to_string_lossy().starts_with(CONFIG_VALUE) && value.to_ascii_lowercase().contains("authorization:")
}

/// How git is given its configuration by the environment: a count, and so many pairs from 0.
const CONFIG_COUNT: &str = "GIT_CONFIG_COUNT";
const CONFIG_KEY: &str = "GIT_CONFIG_KEY_";
const CONFIG_VALUE: &str = "GIT_CONFIG_VALUE_";

/// Numbers anew what is left of git's configuration: git refuses to work where one of a pair is not there.
fn renumbered(kept: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let count = |(name, value): &(OsString, OsString)| {
        (name == CONFIG_COUNT).then(|| value.to_str()?.parse::<usize>().ok()).flatten()
    };
    let Some(count) = kept.iter().find_map(count).filter(|count| *count <= kept.len() * 2) else { return kept };
    let (mut config, mut out): (BTreeMap<OsString, OsString>, Vec<_>) = (BTreeMap::new(), Vec::new());
    for (name, value) in kept {
        let text = name.to_string_lossy();
        if text == CONFIG_COUNT || text.starts_with(CONFIG_KEY) || text.starts_with(CONFIG_VALUE) {
            config.insert(name, value);
        } else {
            out.push((name, value));
        }
    }
    let mut take = |start: &str, at: usize| config.remove(&OsString::from(format!("{start}{at}")));
    let pairs: Vec<_> = (0..count).filter_map(|at| take(CONFIG_KEY, at).zip(take(CONFIG_VALUE, at))).collect();
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

/// Takes the credentials of forges out of an environment: the variables that are known to hold them, those whose value is
/// written like a token, and those that hold the value of another that was taken out, as it is or encoded. What the caller names in `keep` stays.
///
/// # Errors
/// When those values cannot be looked for.
pub fn environment(all: impl IntoIterator<Item = (OsString, OsString)>, keep: &[String]) -> Result<Environment, Error> {
    let is_kept = |name: &OsString| keep.iter().any(|kept| name.as_os_str() == kept.as_str());
    let holds = |name: &OsString, value: &str| {
        is_named_as_token(&name.to_string_lossy()) || holds_token(value) || is_header(name, value)
    };
    let (kept, taken): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(name, value)| is_kept(name) || !holds(name, &value.to_string_lossy()));
    let values = taken.iter().map(|(_, value)| value.to_string_lossy().into_owned());
    let tokens = Exact::new(&values.filter(|value| value.trim().len() >= SHORTEST).collect::<Vec<_>>())?;
    let is_in = |value: &OsString| tokens.as_ref().is_some_and(|tokens| tokens.is_in(&value.to_string_lossy()));
    let (copies, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(name, value)| !is_kept(name) && is_in(value));
    let kept = renumbered(kept);
    let mut removed: Vec<_> =
        taken.into_iter().chain(copies).map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    removed.sort();
    Ok(Environment { kept, removed })
}
