//! What must hold for any bytes. The fuzz target `canon` uses this file too.

use git_docket::format::json::{self, Fault, FaultKind, Json};

/// Panics when a law of the reader, the writer or the walkers is broken for these bytes.
pub fn check(bytes: &[u8]) {
    let parsed = json::parse(bytes);
    let lenient = json::parse_lenient(bytes);
    assert_eq!(
        json::canonical(bytes),
        parsed.as_ref().map(json::to_vec).map_err(Clone::clone),
        "two ways to canonical bytes"
    );
    match &parsed {
        Ok(value) => {
            let (viewed, breaches) = lenient.as_ref().expect("a lenient reader reads what a strict one reads");
            assert_eq!((viewed, breaches.len()), (value, 0));
            canonical_form(value);
        }
        Err(fault) => {
            assert!(fault.offset <= bytes.len(), "a fault has its place in the text");
            refused(fault, &lenient);
        }
    }
    let is_json = parsed.as_ref().err().is_none_or(|fault| fault.kind.is_breach_of_profile());
    grammar(bytes, is_json);
    if let Ok((viewed, breaches)) = &lenient {
        assert!(breaches.is_sorted_by_key(|breach| breach.offset), "breaches come in the order of the text");
        canonical_form(viewed);
        one_document(bytes, viewed);
        array_items(bytes, viewed);
    }
    several_documents(bytes);
}

/// What is written is read back as the same value, and written again as the same bytes.
fn canonical_form(value: &Json<'_>) {
    let written = json::to_vec(value);
    assert_eq!(json::parse(&written).as_ref(), Ok(value), "what was written is read back");
    assert_eq!(json::canonical(&written).as_ref(), Ok(&written), "canonical bytes are their own canonical form");
}

fn refused(fault: &Fault, lenient: &Result<(Json<'_>, Vec<Fault>), Fault>) {
    match lenient {
        Ok((_, breaches)) => assert_eq!(breaches.first(), Some(fault), "the strict fault is the first breach"),
        Err(invalid) => assert_eq!(invalid, fault, "the lenient reader refuses only what is not JSON"),
    }
}

/// `serde_json` says whether a text is JSON at all: it skips a value with its own code, to any depth.
fn grammar(bytes: &[u8], is_json: bool) {
    let skipped = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() && std::str::from_utf8(bytes).is_ok();
    assert_eq!(skipped, is_json, "serde_json takes another view of the grammar");
    assert_eq!(json::items(bytes).is_ok(), is_json, "the walker takes another view than the reader");
}

fn one_document(bytes: &[u8], viewed: &Json<'_>) {
    let ranges = json::documents(bytes).expect("one document is a row of documents");
    assert_eq!(ranges.len(), 1);
    assert_eq!(&json::parse_lenient(&bytes[ranges[0].clone()]).expect("the same document").0, viewed);
}

/// Items are read alone as they are read in their array, but for those at the limit of depth.
fn array_items(bytes: &[u8], viewed: &Json<'_>) {
    let ranges = json::items(bytes).expect("walked before");
    assert_eq!(ranges.as_ref().map(Vec::len), viewed.as_array().map(<[_]>::len), "as many items as the array has");
    let whole = json::parse_lenient(bytes).expect("read before");
    let too_deep = whole.1.iter().any(|breach| breach.kind == FaultKind::TooDeep);
    for (range, item) in ranges.iter().flatten().zip(viewed.as_array().into_iter().flatten()) {
        let (alone, _) = json::parse_lenient(&bytes[range.clone()]).expect("an item is a document");
        assert!(too_deep || alone == *item, "an item alone is the item of the array");
    }
}

/// Documents that follow each other are each JSON, with nothing but white space between.
fn several_documents(bytes: &[u8]) {
    let Ok(ranges) = json::documents(bytes) else { return };
    let mut end = 0;
    for range in ranges {
        assert!(bytes[end..range.start].iter().all(u8::is_ascii_whitespace), "only white space between documents");
        assert!(range.start < range.end, "no document is empty");
        assert!(json::items(&bytes[range.clone()]).is_ok(), "each document is one");
        end = range.end;
    }
    assert!(bytes[end..].iter().all(u8::is_ascii_whitespace), "only white space after the last document");
}
