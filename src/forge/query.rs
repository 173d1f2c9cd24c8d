//! What the query of a listing says: which page, how long, and whether anything is left out.

/// The page length when the query names none (GitHub REST, "Using pagination").
pub const DEFAULT_PAGE: u64 = 30;

/// The longest page that GitHub serves; more is cut to this.
pub const LONGEST_PAGE: u64 = 100;

/// Facts of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The page, 1 when not named.
    pub page: u64,
    /// How many items a full page holds.
    pub per_page: u64,
    /// True unless every parameter is on the closed list of those that leave nothing out.
    pub filtered: bool,
    /// The parameters but `page`, sorted: two pages of one listing have the same.
    pub rest: String,
}

impl Query {
    /// Reads the text after `?`. Names are compared as written: an encoded name is not on the list and so filters.
    pub fn parse(text: &str) -> Self {
        let mut out = Self { page: 1, per_page: DEFAULT_PAGE, filtered: false, rest: String::new() };
        let mut rest = Vec::new();
        let mut seen = Vec::new();
        for parameter in text.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            // What a server makes of a name that stands twice is its own affair.
            out.filtered |= seen.contains(&name);
            seen.push(name);
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
