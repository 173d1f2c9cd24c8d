//! Recorded exchanges: lines with request and answer, and the request logs that stand beside payload files.

use std::borrow::Cow;

use crate::format::json::Json;
use crate::format::time::Time;

use super::base64;
use super::url::{Request, Target};

/// One request and what is known of its answer, less the body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// The method, upper case.
    pub method: String,
    /// The URL as recorded.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
    /// The answer's own Date.
    pub date: Option<Time>,
    /// True when there is a Date header that is no HTTP date: a finding.
    pub date_fault: bool,
    /// The pages that the Link header names; `None` without such a header.
    pub link: Option<Links>,
    /// How many items the whole listing has, by `X-Total` (GitLab) or `X-Total-Count` (Gitea).
    pub total: Option<u64>,
    /// The following page by GitLab's `X-Next-Page`, `""` on the last.
    pub next_page: Option<String>,
    /// The entity tag as sent.
    pub etag: Option<String>,
    /// True when the recording kept headers at all, so that a missing one was not sent or was left out on purpose.
    pub headers_kept: bool,
    /// True when headers say that the answer was refused for asking too often.
    pub throttled: bool,
    /// The place in the recording: its `seq`, else the index of the line.
    pub position: u64,
    /// False for an exchange that nobody recorded, of which only the URL is known.
    pub is_recorded: bool,
}

impl Exchange {
    /// Whether the request asked for data: a GET, or a query of GraphQL, which is sent as a POST.
    pub fn is_read(&self) -> bool {
        let path = self.url.split(['?', '#']).next().unwrap_or_default();
        self.method == "GET" || (self.method == "POST" && path.ends_with("/graphql"))
    }
}

/// The relations of a Link header (RFC 8288) that paging uses, as URLs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    /// The following page.
    pub next: Option<String>,
    /// The page before.
    pub prev: Option<String>,
    /// The first page.
    pub first: Option<String>,
    /// The last page.
    pub last: Option<String>,
}

/// The body of a recorded answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Body<'v> {
    /// JSON, embedded in the line.
    Json(&'v Json<'v>),
    /// The text as sent.
    Text(&'v str),
    /// The bytes as sent.
    Bytes(Vec<u8>),
    /// The recording has none.
    Absent,
}

/// An entry of a request log: the name of the payload file beside it, and the exchange. The name is a stranger's text, to be
/// compared with the names of files that were found, never to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// The name of the file.
    pub file: String,
    /// The exchange.
    pub exchange: Exchange,
}

/// Why a line that looks like an exchange is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnExchange {
    /// A member that is missing or of another type.
    #[error("the exchange's {0} is missing or not what it must be")]
    Member(&'static str),
    /// `body_b64` is not canonical base64.
    #[error("the exchange's body_b64 is not base64")]
    Base64,
}

/// True for an object that has the members of a recorded exchange.
pub fn is_exchange(view: &Json<'_>) -> bool {
    let answer = ["headers", "body", "body_text", "body_b64"];
    ["method", "url"].iter().all(|name| text(view, name).is_some())
        && view.get("status").is_some()
        && answer.iter().any(|name| view.get(name).is_some())
}

/// Reads a line `{method, url, status, headers, body|body_text|body_b64, seq?}`. `index` counts the lines of the recording.
///
/// # Errors
/// [`NotAnExchange`] names the member.
pub fn exchange<'v>(line: &'v Json<'v>, index: u64) -> Result<(Exchange, Body<'v>), NotAnExchange> {
    let method = text(line, "method").ok_or(NotAnExchange::Member("method"))?;
    let exchange = read(line, method, index)?;
    let bodies = ["body", "body_text", "body_b64"].map(|name| line.get(name));
    let body = match bodies {
        [None, None, None] => Body::Absent,
        [Some(body), None, None] => Body::Json(body),
        [None, Some(body), None] => Body::Text(body.as_str().ok_or(NotAnExchange::Member("body_text"))?),
        [None, None, Some(body)] => {
            let body = body.as_str().ok_or(NotAnExchange::Member("body_b64"))?;
            Body::Bytes(base64::decode(body).ok_or(NotAnExchange::Base64)?)
        }
        _ => return Err(NotAnExchange::Member("body")),
    };
    Ok((exchange, body))
}

/// Reads a request log `[{file, url, status, headers}, …]`; `None` for anything else: a list without any object that has a
/// file and a URL. The method is GET unless an entry says otherwise. An entry that is none is one fault, and the others count.
pub fn request_log(view: &Json<'_>) -> Option<Vec<Result<Logged, NotAnExchange>>> {
    let entries = view.as_array()?;
    entries.iter().find(|entry| text(entry, "file").is_some() && text(entry, "url").is_some())?;
    let entry = |(entry, index): (&Json<'_>, u64)| {
        let file = text(entry, "file").ok_or(NotAnExchange::Member("file"))?.to_owned();
        let method = text(entry, "method").unwrap_or("GET");
        Ok(Logged { file, exchange: read(entry, method, index)? })
    };
    Some(entries.iter().zip(0..).map(entry).collect())
}

fn read(entry: &Json<'_>, method: &str, index: u64) -> Result<Exchange, NotAnExchange> {
    let status = entry.get("status").and_then(Json::as_u64).filter(|status| (100..1000).contains(status));
    let status = status.and_then(|s| u16::try_from(s).ok()).ok_or(NotAnExchange::Member("status"))?;
    let url = text(entry, "url").ok_or(NotAnExchange::Member("url"))?;
    let header = |name| header(entry, name);
    let sent = header("date");
    let date = sent.as_deref().and_then(Time::from_http_date);
    Ok(Exchange {
        method: method.to_ascii_uppercase(),
        url: url.to_owned(),
        status,
        date,
        date_fault: sent.is_some() && date.is_none(),
        link: header("link").map(|value| Links::parse(&value)),
        total: header("x-total").or_else(|| header("x-total-count")).and_then(|value| value.trim().parse().ok()),
        next_page: header("x-next-page").map(|value| value.trim().to_owned()),
        etag: header("etag").map(Cow::into_owned),
        headers_kept: entry.get("headers").and_then(Json::as_object).is_some_and(|headers| !headers.is_empty()),
        throttled: status == 429
            || (status == 403
                && (header("retry-after").is_some() || header("x-ratelimit-remaining").as_deref() == Some("0"))),
        position: entry.get("seq").and_then(Json::as_u64).unwrap_or(index),
        is_recorded: true,
    })
}

/// The value of a header, whichever case its name has; several values are joined as RFC 9110 §5.3 does.
fn header<'v>(entry: &'v Json<'_>, name: &str) -> Option<Cow<'v, str>> {
    let headers = entry.get("headers")?.as_object()?;
    let (_, value) = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    match value {
        Json::String(text) => Some(Cow::Borrowed(text)),
        Json::Array(values) => {
            let values: Vec<_> = values.iter().filter_map(Json::as_str).collect();
            Some(Cow::Owned(values.join(", ")))
        }
        _ => None,
    }
}

impl Links {
    /// Reads a Link header; what is not `<url>; rel="…"` is passed over.
    pub fn parse(value: &str) -> Self {
        let mut out = Self::default();
        let mut rest = value;
        while let Some((_, after)) = rest.split_once('<') {
            let Some((url, after)) = after.split_once('>') else { break };
            let parameters = after.split('<').next().unwrap_or(after);
            for parameter in parameters.split([';', ',']) {
                let Some((name, relations)) = parameter.split_once('=') else { continue };
                if name.trim().eq_ignore_ascii_case("rel") {
                    out.set(relations.trim().trim_matches('"'), url);
                }
            }
            rest = after;
        }
        out
    }

    fn set(&mut self, relations: &str, url: &str) {
        for relation in relations.split_ascii_whitespace() {
            let place = match relation {
                "next" => &mut self.next,
                "prev" => &mut self.prev,
                "first" => &mut self.first,
                "last" => &mut self.last,
                _ => continue,
            };
            place.get_or_insert_with(|| url.to_owned());
        }
    }

    /// The number of the page that a relation leads to, 1 when its URL names none.
    pub fn page(relation: Option<&String>) -> Option<u64> {
        relation.and_then(|url| Request::parse(url)).map(|request| request.query.page)
    }

    /// What any of the links names: the same listing as the request, but with the repository as a number.
    pub fn target(&self) -> Option<Target> {
        let url = [&self.next, &self.prev, &self.first, &self.last].into_iter().find_map(Option::as_ref)?;
        Target::parse(url)
    }
}

fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Json::as_str)
}
