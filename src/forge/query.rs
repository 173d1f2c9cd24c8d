//! What the query of a listing says: which page, how long, and whether anything is left out.

use std::collections::HashSet;

use crate::format::entity::Forge;

/// The page length when the query names none (GitHub REST, "Using pagination").
pub const DEFAULT_PAGE: u64 = 30;

/// The longest page that GitHub serves; more is cut to this.
pub const LONGEST_PAGE: u64 = 100;

/// The page length of GitLab when the query names none (GitLab REST, "Pagination").
const GITLAB_PAGE: u64 = 20;

/// Parameters of GitLab that repeat the path or a default, as its links to further pages do.
const GITLAB_ECHO: [&str; 7] =
    ["id", "noteable_id", "noteable_type", "issue_iid", "merge_request_iid", "noteable_iid", "discussion_id"];

/// Facts of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The page, 1 when not named.
    pub page: u64,
    /// How many items a full page holds; 0 where the server may have any limit, so that no page is short of it.
    pub per_page: u64,
    /// True unless every parameter is on the closed list of those that leave nothing out.
    pub filtered: bool,
    /// The parameters but `page`, sorted: two pages of one listing have the same.
    pub rest: String,
}

impl Query {
    /// Reads the text after `?` of a forge's URL.
    pub fn of(forge: Forge, text: &str) -> Self {
        match forge {
            Forge::GitHub => Self::parse(text),
            Forge::GitLab => Self::gitlab(text),
            Forge::Gitea | Forge::Forgejo => Self::gitea(text),
        }
    }

    fn gitlab(text: &str) -> Self {
        // A parameter that says what would hold without it is no other listing; a repeated one says nothing more.
        let mut kept: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        for parameter in text.split('&') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let says_nothing = value.is_empty()
                || GITLAB_ECHO.contains(&name)
                || matches!(parameter, "activity_filter=all_notes" | "order_by=created_at" | "pagination=legacy");
            if !says_nothing && seen.insert(parameter) {
                kept.push(parameter);
            }
        }
        let order_by = kept.iter().position(|parameter| parameter.starts_with("order_by="));
        order_by.map(|at| kept.remove(at));
        let mut out = Self::parse(&kept.join("&"));
        if !kept.iter().any(|parameter| parameter.starts_with("per_page=")) {
            out.per_page = GITLAB_PAGE;
        }
        let of_length = |parameter: &&str| *parameter != "per_page=20";
        out.rest = out.rest.split('&').filter(of_length).collect::<Vec<_>>().join("&");
        out
    }

    /// How long a page is at most is for whoever runs the server to set, so that none can be called short.
    fn gitea(text: &str) -> Self {
        let mut out = Self::parse(&text.replace("limit=", "per_page="));
        out.per_page = 0;
        out
    }

    /// Reads the text after `?` of a URL of GitHub. Names are compared as written: an encoded name is not on the list and so filters.
    pub fn parse(text: &str) -> Self {
        let mut out = Self { page: 1, per_page: DEFAULT_PAGE, filtered: false, rest: String::new() };
        let mut rest = Vec::new();
        let mut seen = HashSet::new();
        for parameter in text.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            // What a server makes of a name that stands twice is its own affair.
            out.filtered |= !seen.insert(name);
            let harmless = match name {
                "page" => positive(value).map(|page| out.page = page).is_some(),
                "per_page" => positive(value).map(|length| out.per_page = length.min(LONGEST_PAGE)).is_some(),
                "sort" | "direction" => true,
                // Check runs: the latest of each name, which is what no parameter means, or all of them.
                "filter" => matches!(value, "latest" | "all"),
                _ => false,
            };
            out.filtered |= !harmless;
            if name != "page" {
                rest.push(parameter);
            }
        }
        rest.sort_unstable();
        out.rest = rest.join("&");
        out
    }
}

fn positive(text: &str) -> Option<u64> {
    crate::format::entity::parse_number(text).filter(|n| *n > 0)
}
