//! The environment of a command that reads a stage: without what lets it talk to a forge.

use std::ffi::OsString;

use crate::filter::{Error, Exact, forge_prefixes};
use crate::forge::base64;

/// Variables that hold credentials of a forge or of the runner that it lends.
const NAMES: &[&str] = &[
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "ACTIONS_RUNTIME_TOKEN",
    "CI_BUILD_TOKEN",
    "CI_DEPENDENCY_PROXY_PASSWORD",
    "CI_DEPLOY_PASSWORD",
    "CI_JOB_JWT",
    "CI_JOB_JWT_V1",
    "CI_JOB_JWT_V2",
    "CI_JOB_TOKEN",
    "CI_REGISTRY_PASSWORD",
    // It has the token of the job in its address.
    "CI_REPOSITORY_URL",
    "FORGEJO_TOKEN",
    "FULLSEND_FORGE_TOKEN",
    "FULLSEND_GCP_OIDC_AUTH_FILE",
    "FULLSEND_GCP_OIDC_URL",
    "GH_ENTERPRISE_TOKEN",
    "GH_TOKEN",
    "GITEA_PAT",
    "GITEA_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITHUB_PAT",
    "GITHUB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "GITLAB_API_TOKEN",
    "GITLAB_PRIVATE_TOKEN",
    "GITLAB_TOKEN",
    "GLAB_TOKEN",
    "INPUT_GITHUB-TOKEN",
    "INPUT_GITHUB_TOKEN",
    "INPUT_TOKEN",
    "OAUTH_TOKEN",
    "PRIVATE_TOKEN",
];

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
    let holds = |name: &OsString, value: &str| NAMES.contains(&&*name.to_string_lossy()) || holds_token(value);
    let (kept, taken): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(name, value)| is_kept(name) || !holds(name, &value.to_string_lossy()));
    let values = taken.iter().map(|(_, value)| value.to_string_lossy().into_owned());
    let tokens = Exact::new(&values.filter(|value| value.trim().len() >= SHORTEST).collect::<Vec<_>>())?;
    let is_in = |value: &OsString| tokens.as_ref().is_some_and(|tokens| tokens.is_in(&value.to_string_lossy()));
    let (copies, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(name, value)| !is_kept(name) && is_in(value));
    let mut removed: Vec<_> =
        taken.into_iter().chain(copies).map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    removed.sort();
    Ok(Environment { kept, removed })
}
