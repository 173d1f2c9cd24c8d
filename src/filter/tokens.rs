//! The table of tokens that are known by their own shape, as their issuers document it. docs/filter.md says where each is from.

use super::check::{base62_checksum, is_mixed, is_openai, jwt_header};
use super::scan::{Edge, Place, Rule, always};

/// A token is judged from its first byte, and its letters are as they are.
const fn token(class: &'static str, anchors: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { class, anchors, pattern, before: 0, after: usize::MAX, edge: Edge::Alphanumeric, check: always }
}

const fn checked(
    class: &'static str,
    anchors: &'static [&'static str],
    pattern: &'static str,
    check: fn(&Place<'_>) -> bool,
) -> Rule {
    Rule { edge: Edge::Word, check, ..token(class, anchors, pattern) }
}

/// A valid checksum proves a token also where it is glued to other letters.
const fn proved(class: &'static str, anchors: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule { edge: Edge::Open, check: base62_checksum, ..token(class, anchors, pattern) }
}

/// Every token. Of two rules that fit the same place the first counts.
pub(super) static TOKENS: &[Rule] = &[
    token("openai-proj", &["sk-proj-"], r"sk-proj-[A-Za-z0-9_-]{20,}"),
    token("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{20,}"),
    checked("openai-key", &["sk-"], r"sk-[A-Za-z0-9_-]{20,}", is_openai),
    token("github-fine-pat", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{22,}"),
    token("github-pat", &["ghp_"], r"ghp_[A-Za-z0-9_]{36,}"),
    token("github-oauth", &["gho_"], r"gho_[A-Za-z0-9_]{36,}"),
    token("github-user-token", &["ghu_"], r"ghu_[A-Za-z0-9_]{36,}"),
    // Since 2026 also a JWT behind the prefix.
    token("github-server-token", &["ghs_"], r"ghs_[A-Za-z0-9_.-]{35,}[A-Za-z0-9_-]"),
    token("github-refresh-token", &["ghr_"], r"ghr_[A-Za-z0-9_]{36,}"),
    proved("github-pat", &["ghp_"], r"ghp_[A-Za-z0-9]{36}"),
    proved("github-oauth", &["gho_"], r"gho_[A-Za-z0-9]{36}"),
    proved("github-user-token", &["ghu_"], r"ghu_[A-Za-z0-9]{36}"),
    proved("github-server-token", &["ghs_"], r"ghs_[A-Za-z0-9]{36}"),
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36,}"),
    proved("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    token("slack-token", &["xox"], r"xox[abceoprs]-[A-Za-z0-9-]{10,}"),
    token("slack-token", &["xapp-"], r"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    token(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{30,}",
    ),
    token("google-api-key", &["aiza"], r"AIza[A-Za-z0-9_-]{35}"),
    token("google-oauth-token", &["ya29."], r"ya29\.(?:[a-z]{1,2}\.)?[A-Za-z0-9_-]{20,}"),
    token("google-oauth-token", &["gocspx-"], r"GOCSPX-[A-Za-z0-9_-]{24,}"),
    token("aws-access-key", &["akia", "asia", "abia", "acca"], r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}"),
    token("stripe-live", &["sk_live_", "rk_live_"], r"[sr]k_live_[A-Za-z0-9]{16,}"),
    token("stripe-test", &["sk_test_", "rk_test_"], r"[sr]k_test_[A-Za-z0-9]{16,}"),
    token("stripe-webhook", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}"),
    token("sendgrid-key", &["sg."], r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}"),
    token("hf-token", &["hf_"], r"hf_[A-Za-z0-9]{30,}"),
    token("pypi-token", &["pypi-age"], r"pypi-AgE[A-Za-z0-9_-]{16,}"),
    checked("pypi-token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,}", is_mixed),
    token(
        "gitlab-pat",
        &[
            "glpat-", "gldt-", "glptt-", "glrt-", "glcbt-", "glimt-", "glagent-", "glsoat-", "gloas-", "glffct-",
            "glft-",
        ],
        r"gl(?:pat|dt|ptt|rt|cbt|imt|agent|soat|oas|ffct|ft)-[A-Za-z0-9_.-]{19,}[A-Za-z0-9_-]",
    ),
    token("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    token("age-secret-key", &["age-secret-key-"], r"AGE-SECRET-KEY-[A-Z0-9-]{50,}"),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}"),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{27,}"),
    token("databricks-token", &["dapi"], r"dapi[a-f0-9]{32}"),
    token("shopify-token", &["shpat_", "shpss_", "shpca_", "shppa_"], r"shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}"),
    token("rubygems-token", &["rubygems_"], r"rubygems_[a-f0-9]{48}"),
    token("grafana-token", &["glsa_", "glc_"], r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}"),
    token("linear-key", &["lin_api_"], r"lin_api_[A-Za-z0-9]{40}"),
    token("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{52}"),
    checked("jwt", &["eyj"], r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}", jwt_header),
];

/// What the tokens of forges begin with.
pub fn forge_prefixes() -> impl Iterator<Item = &'static str> {
    let forges = TOKENS.iter().filter(|rule| rule.class.starts_with("github-") || rule.class.starts_with("gitlab-"));
    forges.flat_map(|rule| rule.anchors.iter().copied())
}
