//! From files to payloads: one document, one recorded answer or one line at a time.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use crate::forge::recording::{self, Body, Exchange, exchange, is_exchange};
use crate::forge::url::Request;
use crate::format::facet::Facet;
use crate::format::json;
use crate::ops::Error;

use super::gather::{Found, Gathered};

/// One payload and what is known of it from outside.
pub(super) struct Payload<'f> {
    /// The name in reports: the file, with the number of the line or document where it has several.
    pub name: String,
    /// The document.
    pub bytes: Cow<'f, [u8]>,
    /// The facet that the caller named.
    pub facet: Option<Facet>,
    /// The exchange that it is the answer of.
    pub exchange: Option<Exchange>,
    /// Its place in the recording.
    pub position: Option<u64>,
    /// What the URL of the exchange names.
    pub request: Option<Request>,
    /// The directory it was found in.
    pub folder: Option<PathBuf>,
    /// Which recording or file it belongs to: only within one are there pages.
    pub source: usize,
    /// True for one of several documents of a file that is no recording.
    pub one_of_many: bool,
}

/// The payloads of all files, and what was left aside.
#[derive(Default)]
pub(super) struct Payloads<'f> {
    pub list: Vec<Payload<'f>>,
    pub left: Vec<(String, &'static str)>,
}

const REQUEST_LOG: &str = "_requests.json";

/// Takes files apart. Nothing was written yet, so the first file that is not JSON and must be ends it all.
pub(super) fn payloads<'f>(gathered: &'f Gathered, source_url: Option<&str>) -> Result<Payloads<'f>, Error> {
    let mut out = Payloads { list: Vec::new(), left: gathered.left.clone() };
    let logs = request_logs(gathered);
    let mut sources: HashMap<&PathBuf, usize> = HashMap::new();
    for (at, file) in gathered.files.iter().enumerate() {
        let log = file.folder.as_ref().and_then(|folder| logs.get(folder));
        if log.is_some() && file_name(file) == REQUEST_LOG {
            continue;
        }
        let logged = log.and_then(|log| log.get(file_name(file)).cloned());
        // The files of one request log are one recording.
        let source = match (&logged, &file.folder) {
            (Some(_), Some(folder)) => *sources.entry(folder).or_insert(at),
            _ => at,
        };
        let known = logged.or_else(|| source_url.map(asked));
        take_apart(file, source, known.as_ref(), &mut out)?;
    }
    Ok(out)
}

/// An exchange of which only the URL is known.
fn asked(url: &str) -> Exchange {
    Exchange { method: "GET".into(), url: url.to_owned(), status: 200, ..Exchange::default() }
}

fn file_name(file: &Found) -> &str {
    file.name.rsplit('/').next().unwrap_or(&file.name)
}

/// The request logs by folder, each by the names of the files it tells of.
fn request_logs(gathered: &Gathered) -> HashMap<PathBuf, HashMap<String, Exchange>> {
    let mut logs = HashMap::new();
    for file in gathered.files.iter().filter(|file| file_name(file) == REQUEST_LOG) {
        let (Some(folder), Ok((view, _))) = (&file.folder, json::parse_lenient(&file.bytes)) else { continue };
        if let Some(entries) = recording::request_log(&view) {
            let entries = entries.into_iter().map(|entry| (entry.file, entry.exchange)).collect();
            logs.insert(folder.clone(), entries);
        }
    }
    logs
}

fn take_apart<'f>(
    file: &'f Found,
    source: usize,
    known: Option<&Exchange>,
    out: &mut Payloads<'f>,
) -> Result<(), Error> {
    let not_data = known.is_some_and(|exchange| exchange.method != "GET" || exchange.status != 200);
    let ranges = match json::documents(&file.bytes) {
        Ok(ranges) => ranges,
        // The body of an answer that is no data is not read at all.
        Err(_) if not_data => vec![0..0],
        Err(fault) if file.must_be_json => return Err(Error::from(fault).about(&file.name)),
        Err(_) => {
            out.left.push((file.name.clone(), "not-json"));
            return Ok(());
        }
    };
    let many = ranges.len() > 1;
    for (index, range) in ranges.into_iter().enumerate() {
        let bytes = &file.bytes[range];
        let name = if many { format!("{}:{}", file.name, index + 1) } else { file.name.clone() };
        match known {
            Some(exchange) => push(out, file, name, Cow::Borrowed(bytes), Some(exchange.clone()), source, false),
            None => match recorded(bytes, index as u64) {
                Some(Recorded::Answer(exchange, body)) => {
                    // A recording numbers its lines, also when it has only one.
                    let name = format!("{}:{}", file.name, index + 1);
                    push(out, file, name, body, Some(*exchange), source, false);
                }
                Some(Recorded::NotJson(exchange)) if exchange.method == "GET" && exchange.status == 200 => {
                    out.left.push((format!("{}:{}", file.name, index + 1), "not-json"));
                }
                Some(Recorded::NotJson(exchange)) => {
                    let name = format!("{}:{}", file.name, index + 1);
                    push(out, file, name, Cow::Borrowed(b"null"), Some(*exchange), source, false);
                }
                Some(Recorded::Broken(reason)) => {
                    return Err(Error::new("exchange-invalid", format!("{name}: {reason}")));
                }
                None => push(out, file, name, Cow::Borrowed(bytes), None, source, many),
            },
        }
    }
    Ok(())
}

fn push<'f>(
    out: &mut Payloads<'f>,
    file: &Found,
    name: String,
    bytes: Cow<'f, [u8]>,
    exchange: Option<Exchange>,
    source: usize,
    one_of_many: bool,
) {
    let request = exchange.as_ref().and_then(|exchange| Request::parse(&exchange.url));
    let (facet, folder) = (file.facet, file.folder.clone());
    let position = exchange.as_ref().map(|exchange| exchange.position);
    out.list.push(Payload { name, bytes, facet, exchange, position, request, folder, source, one_of_many });
}

/// A line of a recording.
enum Recorded<'f> {
    Answer(Box<Exchange>, Cow<'f, [u8]>),
    NotJson(Box<Exchange>),
    Broken(String),
}

/// Reads a document as a recorded exchange; `None` when it is none.
fn recorded<'f>(bytes: &'f [u8], index: u64) -> Option<Recorded<'f>> {
    let (line, breaches) = json::parse_lenient(bytes).ok()?;
    if !is_exchange(&line) {
        return None;
    }
    let (exchange, body) = match exchange(&line, index) {
        Ok(read) => read,
        Err(fault) => return Some(Recorded::Broken(fault.to_string())),
    };
    let body = match body {
        // An embedded body that breaks the profile is taken from the line as it stands there.
        Body::Json(_) if !breaches.is_empty() => Cow::Borrowed(&bytes[json::member(bytes, "body").ok()??]),
        Body::Json(value) => Cow::Owned(json::to_vec(value)),
        Body::Text(text) => Cow::Owned(text.as_bytes().to_vec()),
        Body::Bytes(bytes) => Cow::Owned(bytes),
        Body::Absent => Cow::Borrowed(&b""[..]),
    };
    let exchange = Box::new(exchange);
    let is_json = json::documents(&body).is_ok_and(|documents| documents.len() == 1);
    Some(if is_json { Recorded::Answer(exchange, body) } else { Recorded::NotJson(exchange) })
}
