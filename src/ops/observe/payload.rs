//! From files to payloads: one document, one recorded answer or one line at a time.

use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::forge::credentials::redacted;
use crate::forge::recording::{Body, Exchange, exchange, is_exchange};
use crate::forge::resource::Resource;
use crate::forge::text::is_diff;
use crate::forge::url::Request;
use crate::format::facet::Facet;
use crate::format::json;
use crate::ops::Error;

use super::gather::{Aside, Found, Gathered};
use super::log::{REQUEST_LOG, file_name, request_logs};
use super::text::{self, Text};

/// One payload and what is known of it from outside.
pub(super) struct Payload {
    /// The name in reports: the file, with the number of the line or document where it has several.
    pub name: String,
    /// The document. It is let go as soon as it is taken apart.
    pub bytes: Vec<u8>,
    /// What stands before and behind it in a file that has no other: white space.
    pub margin: [Vec<u8>; 2],
    /// The facet that the caller named.
    pub facet: Option<Facet>,
    /// The exchange that it is the answer of.
    pub exchange: Option<Box<Exchange>>,
    /// True when its URL had a credential, which is gone from the exchange.
    pub credential: bool,
    /// Its place in the recording.
    pub position: Option<u64>,
    /// What the URL of the exchange names.
    pub request: Option<Box<Request>>,
    /// The directory it was found in.
    pub folder: Option<PathBuf>,
    /// Which recording or file it belongs to: only within one are there pages.
    pub source: usize,
    /// True for one of several documents of a file that is no recording.
    pub one_of_many: bool,
    /// True for a log or diff, which is no JSON.
    pub is_text: bool,
    /// Whose log it is.
    pub item: Option<String>,
    /// True for an answer whose body says nothing, and is not here.
    pub is_without_body: bool,
    /// True for a text that nobody named: it stands in a directory, and its form says what it is.
    pub is_found: bool,
}

/// The payloads of all files, and what was left aside.
#[derive(Default)]
pub(super) struct Payloads {
    pub list: Vec<Payload>,
    pub left: Vec<Aside>,
}

/// Takes files apart. Nothing was written yet, so the first file that is not JSON and must be ends it all.
pub(super) fn payloads(mut gathered: Gathered, source_url: Option<&str>) -> Result<Payloads, Error> {
    let texts = text::take(&mut gathered)?;
    let mut logs = request_logs(&gathered);
    let mut out = Payloads { list: Vec::new(), left: gathered.left };
    let mut again = Again::default();
    for text in texts {
        let log = text.found.folder.as_ref().and_then(|folder| logs.get_mut(folder));
        let known = log.map(|log| log.take(file_name(&text.found))).unwrap_or_default();
        again.add(&text.found, &known)?;
        out.list.extend(of_text(text, &known, source_url));
    }
    let mut files = Vec::with_capacity(gathered.files.len());
    for (at, file) in gathered.files.into_iter().enumerate() {
        let log = file.folder.as_ref().and_then(|folder| logs.get_mut(folder));
        if log.is_some() && file_name(&file) == REQUEST_LOG {
            continue;
        }
        // The files of one request log are one recording.
        let (mut known, mut source) = (Vec::new(), at);
        if let Some(log) = log {
            known = log.take(file_name(&file));
            source = if known.is_empty() { at } else { log.source };
        }
        again.add(&file, &known)?;
        if known.is_empty() {
            known.extend(source_url.map(asked));
        }
        files.push((file, source, known));
    }
    let apart: Vec<_> = files.into_par_iter().map(|(file, source, known)| take_apart(file, source, &known)).collect();
    for of_file in apart {
        let of_file = of_file?;
        out.list.extend(of_file.list);
        out.left.extend(of_file.left);
    }
    for (folder, log) in logs {
        let frame = Frame { name: log.name, facet: log.facet, folder: Some(folder), source: log.source };
        for index in log.faults {
            out.left.push(Aside::told(frame.line(index), "exchange-invalid"));
        }
        for (index, exchange) in log.entries.into_values().flatten() {
            if is_data(&exchange) {
                out.left.push(Aside::told(frame.line(index), "body-missing"));
            } else {
                out.list.push(frame.without_body(frame.line(index), exchange));
            }
        }
    }
    Ok(out)
}

/// The bytes of files that request logs name more than once: each answer is taken apart by itself, and so again.
#[derive(Default)]
struct Again(u64);

impl Again {
    /// What so much comes to is held in memory beside the files themselves.
    const MOST: u64 = 64 << 20;

    /// Counts a file that exchanges have as their body.
    ///
    /// # Errors
    /// `input-too-large`.
    fn add(&mut self, file: &Found, known: &[Exchange]) -> Result<(), Error> {
        let named = known.iter().filter(|exchange| is_data(exchange)).count() as u64;
        self.0 = self.0.saturating_add((file.bytes.len() as u64).saturating_mul(named.saturating_sub(1)));
        if self.0 <= Self::MOST {
            return Ok(());
        }
        let message = format!(
            "{}: {named} entries of {REQUEST_LOG} name it; what is named again has more than {} MiB",
            file.name,
            Self::MOST >> 20
        );
        Err(Error::new("input-too-large", message).hint("a file has the body of one answer; give each answer its own"))
    }
}

/// A text as a payload, once for each exchange that it is the body of. Its group takes the place of a source, so that the steps of a
/// job follow each other.
fn of_text(text: Text, known: &[Exchange], source_url: Option<&str>) -> Vec<Payload> {
    let Text { found, facet, item, group } = text;
    let is_found = found.below.is_some() && found.facet.is_none();
    let frame = Frame { name: found.name, facet: Some(facet), folder: found.folder, source: group };
    let asked: Vec<_> =
        if known.is_empty() { vec![source_url.map(asked)] } else { known.iter().cloned().map(Some).collect() };
    let payload = |exchange: Option<Exchange>| match exchange {
        Some(exchange) if !is_data(&exchange) => frame.without_body(frame.name.clone(), exchange),
        exchange => {
            let payload = frame.payload(frame.name.clone(), found.bytes.clone(), exchange, known.is_empty());
            Payload { is_text: true, item: item.clone(), is_found, ..payload }
        }
    };
    asked.into_iter().map(payload).collect()
}

/// True for what has a body to be recognised.
fn is_data(exchange: &Exchange) -> bool {
    exchange.is_read() && exchange.status == 200
}

/// An exchange of which only the URL is known.
fn asked(url: &str) -> Exchange {
    Exchange { method: "GET".into(), url: url.to_owned(), status: 200, ..Exchange::default() }
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

    /// An answer that needs no body to be understood.
    fn without_body(&self, name: String, exchange: Exchange) -> Payload {
        Payload { is_without_body: true, ..self.payload(name, b"null".to_vec(), Some(exchange), false) }
    }

    /// A file that is no JSON. The body of an answer that is no data is not read at all.
    fn not_json(self, bytes: Vec<u8>, known: &[Exchange], needed: bool) -> Payloads {
        let others = known.iter().filter(|exchange| !is_data(exchange));
        let list = others.map(|exchange| self.without_body(self.name.clone(), exchange.clone())).collect();
        let left = needed.then_some(Aside { name: self.name, reason: "not-json", bytes: Some(bytes) });
        Payloads { list, left: left.into_iter().collect() }
    }

    fn payload(&self, name: String, bytes: Vec<u8>, mut exchange: Option<Exchange>, one_of_many: bool) -> Payload {
        let request = exchange.as_ref().and_then(|exchange| Request::parse(&exchange.url));
        let clean = exchange.as_ref().and_then(|exchange| redacted(&exchange.url));
        let credential = clean.is_some();
        if let (Some(exchange), Some(clean)) = (&mut exchange, clean) {
            exchange.url = clean;
        }
        let position = exchange.as_ref().filter(|exchange| exchange.is_recorded).map(|exchange| exchange.position);
        let (facet, folder, source) = (self.facet, self.folder.clone(), self.source);
        let (is_text, is_found, is_without_body, item) = (false, false, false, None);
        Payload {
            name,
            bytes,
            margin: Default::default(),
            facet,
            exchange: exchange.map(Box::new),
            credential,
            position,
            request: request.map(Box::new),
            folder,
            source,
            one_of_many,
            is_text,
            item,
            is_without_body,
            is_found,
        }
    }
}

/// Makes payloads of a file; `known` are the exchanges that it is the body of.
fn take_apart(mut file: Found, source: usize, known: &[Exchange]) -> Result<Payloads, Error> {
    let frame = Frame { name: file.name, facet: file.facet, folder: file.folder, source };
    let needed = known.is_empty() || known.iter().any(is_data);
    let mut out = Payloads::default();
    if let Some(texts) = logged_texts(&frame, &file.bytes, known) {
        out.list = texts;
        return Ok(out);
    }
    let ranges = match documents(&file.bytes) {
        Ok(ranges) => ranges,
        Err(fault) if file.must_be_json && needed => {
            let refused = Error::from(fault).about(&frame.name);
            let is_json = refused.code() != "json-invalid" || matches!(file.bytes.first(), Some(b'{' | b'['));
            let hint = "a log is given as logs=PATH, a diff as diff=PATH";
            return Err(if is_json { refused } else { refused.hint(hint) });
        }
        Err(_) => return Ok(frame.not_json(file.bytes, known, needed)),
    };
    let many = ranges.len() > 1;
    for (index, range) in ranges.iter().cloned().enumerate() {
        let name = if many { frame.line(index) } else { frame.name.clone() };
        // A file is mostly one document, and its bytes are needed for nothing else.
        let around = |range: std::ops::Range<usize>| if many { Vec::new() } else { file.bytes[range].to_vec() };
        let margin = [around(0..range.start), around(range.end..file.bytes.len())];
        let body = |bytes: &mut Vec<u8>| match (many || known.len() > 1, range.start) {
            (false, 0) => {
                bytes.truncate(range.end);
                std::mem::take(bytes)
            }
            _ => bytes[range.clone()].to_vec(),
        };
        if !known.is_empty() {
            for exchange in known {
                let body = body(&mut file.bytes);
                let payload = frame.payload(name.clone(), body, Some(exchange.clone()), false);
                out.list.push(Payload { margin: margin.clone(), ..payload });
            }
            continue;
        }
        // A recording numbers its lines, also when it has only one.
        match recorded(&file.bytes[range.clone()], index as u64) {
            Some(Recorded::Answer(exchange, body)) => {
                out.list.push(frame.payload(frame.line(index), body, Some(*exchange), false));
            }
            Some(Recorded::Absent(exchange)) if is_data(&exchange) => {
                out.left.push(Aside::told(frame.line(index), "body-missing"));
            }
            Some(Recorded::NotJson(exchange, body)) if is_data(&exchange) => match text_facet(&exchange, &body) {
                Some(facet) => {
                    let answer = frame.payload(frame.line(index), body, Some(*exchange), false);
                    out.list.push(Payload { facet: Some(facet), is_text: true, ..answer });
                }
                None => out.left.push(Aside { name: frame.line(index), reason: "not-json", bytes: Some(body) }),
            },
            Some(Recorded::Absent(exchange) | Recorded::NotJson(exchange, _)) => {
                out.list.push(frame.without_body(frame.line(index), *exchange));
            }
            Some(Recorded::Broken(reason)) => return Err(Error::new("exchange-invalid", format!("{name}: {reason}"))),
            None => {
                let payload = frame.payload(name, body(&mut file.bytes), None, many);
                out.list.push(Payload { margin, ..payload });
            }
        }
    }
    Ok(out)
}

/// The documents of a file. One that only holds pages, as `gh api --paginate --slurp` prints them, is those pages.
fn documents(bytes: &[u8]) -> Result<Vec<Range<usize>>, json::Fault> {
    let documents = json::documents(bytes)?;
    let [only] = &documents[..] else { return Ok(documents) };
    let pages = pages(&bytes[only.clone()]);
    Ok(pages.map_or(documents.clone(), |pages| {
        pages.into_iter().map(|page| only.start + page.start..only.start + page.end).collect()
    }))
}

/// Where the pages in a document stand; none when it is no list of lists, of wrappers with a count, or of answers of GraphQL.
fn pages(document: &[u8]) -> Option<Vec<Range<usize>>> {
    let begins = |text: &[u8], signs: &[&str]| {
        let mut rest = text;
        signs.iter().all(|sign| {
            rest = rest.trim_ascii_start();
            rest.strip_prefix(sign.as_bytes()).map(|after| rest = after).is_some()
        })
    };
    let kinds: [&[&str]; 3] = [&["["], &["{", "\"total_count\""], &["{", "\"data\"", ":", "{"]];
    // Most lists begin with an item, and are not read for nothing.
    let kind = kinds.into_iter().find(|kind| begins(document, &[&["["][..], kind].concat()))?;
    let pages = json::items(document).ok()??;
    pages.iter().all(|page| begins(&document[page.clone()], kind)).then_some(pages)
}

/// The payloads of a file that a request log says is the log of a job or a diff, whatever its name says; `None` for any other.
fn logged_texts(frame: &Frame, bytes: &[u8], known: &[Exchange]) -> Option<Vec<Payload>> {
    let facet = |exchange: &Exchange| if is_data(exchange) { text_facet(exchange, bytes) } else { None };
    known.iter().any(|exchange| facet(exchange).is_some()).then_some(())?;
    let one = |exchange: &Exchange| {
        let name = frame.name.clone();
        match facet(exchange) {
            Some(facet) => {
                let answer = frame.payload(name, bytes.to_vec(), Some(exchange.clone()), false);
                Some(Payload { facet: Some(facet), is_text: true, ..answer })
            }
            None if is_data(exchange) => None,
            None => Some(frame.without_body(name, exchange.clone())),
        }
    };
    Some(known.iter().filter_map(one).collect())
}

/// A line of a recording.
enum Recorded {
    Answer(Box<Exchange>, Vec<u8>),
    NotJson(Box<Exchange>, Vec<u8>),
    Absent(Box<Exchange>),
    Broken(String),
}

/// Reads a document as a recorded exchange; `None` when it is none.
fn recorded(bytes: &[u8], index: u64) -> Option<Recorded> {
    if !may_be_exchange(bytes) {
        return None;
    }
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
        Body::Absent => return Some(Recorded::Absent(Box::new(exchange))),
    };
    let exchange = Box::new(exchange);
    let is_json = json::documents(&body).is_ok_and(|documents| documents.len() == 1);
    Some(if is_json { Recorded::Answer(exchange, body) } else { Recorded::NotJson(exchange, body) })
}

/// False for what names no `method`, not even with its letters as escapes: most documents, which are not read for nothing.
fn may_be_exchange(bytes: &[u8]) -> bool {
    [&b"\"method\""[..], b"\\u006", b"\\u007"].iter().any(|spelling| memchr::memmem::find(bytes, spelling).is_some())
}

/// What the body of an answer is that is no JSON: the log of a job, or a pull request in the form of a diff.
fn text_facet(exchange: &Exchange, body: &[u8]) -> Option<Facet> {
    match Request::parse(&exchange.url)?.target.resource {
        Resource::JobLogs(_) => Some(Facet::Logs),
        Resource::Pull(_) | Resource::PullDiff(_) if is_diff(body) => Some(Facet::Diff),
        _ => None,
    }
}
