//! From files to payloads: one document, one recorded answer or one line at a time.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::forge::recording::{self, Body, Exchange, exchange, is_exchange};
use crate::forge::url::Request;
use crate::format::facet::Facet;
use crate::format::json;
use crate::ops::Error;

use super::gather::{Found, Gathered};

/// One payload and what is known of it from outside.
pub(super) struct Payload {
    /// The name in reports: the file, with the number of the line or document where it has several.
    pub name: String,
    /// The document. It is let go as soon as it is taken apart.
    pub bytes: Vec<u8>,
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
pub(super) struct Payloads {
    pub list: Vec<Payload>,
    pub left: Vec<(String, &'static str)>,
}

const REQUEST_LOG: &str = "_requests.json";

/// Takes files apart. Nothing was written yet, so the first file that is not JSON and must be ends it all.
pub(super) fn payloads(gathered: Gathered, source_url: Option<&str>) -> Result<Payloads, Error> {
    let logs = request_logs(&gathered);
    let mut out = Payloads { list: Vec::new(), left: gathered.left };
    let mut sources: HashMap<PathBuf, usize> = HashMap::new();
    for (at, file) in gathered.files.into_iter().enumerate() {
        let log = file.folder.as_ref().and_then(|folder| logs.get(folder));
        if log.is_some() && file_name(&file) == REQUEST_LOG {
            continue;
        }
        let logged = log.and_then(|log| log.get(file_name(&file)).cloned());
        // The files of one request log are one recording.
        let source = match (&logged, &file.folder) {
            (Some(_), Some(folder)) => *sources.entry(folder.clone()).or_insert(at),
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

/// What is the same for all payloads of a file.
struct Frame {
    name: String,
    facet: Option<Facet>,
    folder: Option<PathBuf>,
    source: usize,
}

impl Frame {
    fn line(&self, index: usize) -> String {
        format!("{}:{}", self.name, index + 1)
    }

    fn payload(&self, name: String, bytes: Vec<u8>, exchange: Option<Exchange>, one_of_many: bool) -> Payload {
        let request = exchange.as_ref().and_then(|exchange| Request::parse(&exchange.url));
        let position = exchange.as_ref().map(|exchange| exchange.position);
        let (facet, folder, source) = (self.facet, self.folder.clone(), self.source);
        Payload { name, bytes, facet, exchange, position, request, folder, source, one_of_many }
    }
}

fn take_apart(file: Found, source: usize, known: Option<&Exchange>, out: &mut Payloads) -> Result<(), Error> {
    let not_data = known.is_some_and(|exchange| exchange.method != "GET" || exchange.status != 200);
    let frame = Frame { name: file.name, facet: file.facet, folder: file.folder, source };
    let ranges = match json::documents(&file.bytes) {
        Ok(ranges) => ranges,
        // The body of an answer that is no data is not read at all.
        Err(_) if not_data => std::iter::once(0..0).collect(),
        Err(fault) if file.must_be_json => return Err(Error::from(fault).about(&frame.name)),
        Err(_) => {
            out.left.push((frame.name, "not-json"));
            return Ok(());
        }
    };
    let many = ranges.len() > 1;
    for (index, range) in ranges.iter().cloned().enumerate() {
        let name = if many { frame.line(index) } else { frame.name.clone() };
        if let Some(exchange) = known {
            out.list.push(frame.payload(name, file.bytes[range].to_vec(), Some(exchange.clone()), false));
            continue;
        }
        // A recording numbers its lines, also when it has only one.
        match recorded(&file.bytes[range.clone()], index as u64) {
            Some(Recorded::Answer(exchange, body)) => {
                out.list.push(frame.payload(frame.line(index), body, Some(*exchange), false));
            }
            Some(Recorded::NotJson(exchange)) if exchange.method == "GET" && exchange.status == 200 => {
                out.left.push((frame.line(index), "not-json"));
            }
            Some(Recorded::NotJson(exchange)) => {
                out.list.push(frame.payload(frame.line(index), b"null".to_vec(), Some(*exchange), false));
            }
            Some(Recorded::Broken(reason)) => return Err(Error::new("exchange-invalid", format!("{name}: {reason}"))),
            None => out.list.push(frame.payload(name, file.bytes[range].to_vec(), None, many)),
        }
    }
    Ok(())
}

/// A line of a recording.
enum Recorded {
    Answer(Box<Exchange>, Vec<u8>),
    NotJson(Box<Exchange>),
    Broken(String),
}

/// Reads a document as a recorded exchange; `None` when it is none.
fn recorded(bytes: &[u8], index: u64) -> Option<Recorded> {
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
        Body::Json(_) if !breaches.is_empty() => bytes[json::member(bytes, "body").ok()??].to_vec(),
        Body::Json(value) => json::to_vec(value),
        Body::Text(text) => text.as_bytes().to_vec(),
        Body::Bytes(bytes) => bytes,
        Body::Absent => Vec::new(),
    };
    let exchange = Box::new(exchange);
    let is_json = json::documents(&body).is_ok_and(|documents| documents.len() == 1);
    Some(if is_json { Recorded::Answer(exchange, body) } else { Recorded::NotJson(exchange) })
}
