//! The environment of a command that reads a stage: without what lets it talk to a forge.

use std::collections::BTreeSet;
use std::ffi::OsString;

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

/// What tokens of forges begin with, as GitHub and GitLab document it.
const PREFIXES: &[&str] = &[
    "github_pat_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "glpat-",
    "gldt-",
    "glrt-",
    "glcbt-",
    "glptt-",
    "glft-",
    "glimt-",
    "glagent-",
    "gloas-",
    "glsoat-",
];

/// A shorter value is no token, and may stand anywhere by chance.
const SHORTEST: usize = 16;

/// The parts of a value that a token could be: alone, in an address, behind `Bearer`.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
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
/// written like a token, and those that hold the value of another that was taken out. What the caller names in `keep` stays.
pub fn environment(all: impl IntoIterator<Item = (OsString, OsString)>, keep: &[String]) -> Environment {
    let all: Vec<_> = all.into_iter().collect();
    let is_kept = |name: &OsString| keep.iter().any(|kept| name.as_os_str() == kept.as_str());
    let holds = |(name, value): &&(OsString, OsString)| {
        let value = value.to_string_lossy();
        NAMES.contains(&name.to_string_lossy().as_ref())
            || words(&value).any(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
    };
    let tokens: BTreeSet<String> = all
        .iter()
        .filter(holds)
        .filter(|(name, value)| !is_kept(name) && value.len() >= SHORTEST)
        .map(|(_, value)| value.to_string_lossy().into_owned())
        .collect();
    let mut found = Environment::default();
    for variable in all {
        let value = variable.1.to_string_lossy();
        let taken = holds(&&variable) || tokens.iter().any(|token| value.contains(token.as_str()));
        if taken && !is_kept(&variable.0) {
            found.removed.push(variable.0.to_string_lossy().into_owned());
        } else {
            found.kept.push(variable);
        }
    }
    found.removed.sort();
    found
}
