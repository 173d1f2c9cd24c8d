//! The vectors of `testdata/format/v1`: a fault each, refused by the reader and, where it can say it, by the schema.

use std::collections::BTreeMap;
use std::fs;

use git_docket::format::header;
use git_docket::format::observation::Observation;
use git_docket::format::profile::Profile;
use git_docket::format::stage_facts::StageFacts;
use git_docket::format::stage_record::{NotAStageRecord, StageRecord};
use git_docket::ops::verify::{Anchor, Code, verify};
use serde_json::Value;

use super::faults;
use crate::support::testdata;
use crate::trees::Mem;

/// The nouns that have vectors and a reader of their own.
const NOUNS: [&str; 6] = ["index", "observation", "profile", "stage-facts", "stage-record", "store"];

/// What a schema cannot refuse, by the beginning of the name, with the reason.
const BEYOND_SCHEMAS: &[(&str, &str)] = &[
    ("not-canonical.", "a schema sees values, not their spelling"),
    ("json-duplicate-key.", "a reader of JSON has taken one of the two before a schema sees it"),
    ("index-invalid.duplicate-member", "the same"),
    ("index-invalid.listed-twice", "no keyword compares a member of two items"),
    ("index-invalid.unsorted", "no keyword compares neighbours"),
    ("observations.of-another-name", "no keyword compares two values"),
    ("observations.twice", "no keyword compares a member of two items"),
    ("observedAt.no-such-day", "a pattern does not know the calendar"),
];

fn vectors(noun: &str, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let dir = testdata(&format!("format/v1/{noun}/{folder}"));
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display())) {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a plain name");
        found.insert(name, fs::read(entry.path()).expect("the vector can be read"));
    }
    assert!(!found.is_empty(), "{noun} has no {folder} vectors");
    found
}

/// What the reader of a noun says against some bytes.
fn refusal(noun: &str, bytes: &[u8]) -> Option<String> {
    match noun {
        "index" => refused_index(bytes),
        "observation" => match Observation::from_bytes(bytes) {
            // What is accepted is written with the same bytes.
            Ok(record) => (record.to_bytes() != bytes).then(|| "not written as it was read".to_owned()),
            Err(error) => Some(error.to_string()),
        },
        "profile" => Profile::from_bytes(bytes).err().map(|error| error.to_string()),
        "stage-facts" => StageFacts::from_bytes(bytes).err().map(|error| error.to_string()),
        "stage-record" => match StageRecord::from_bytes(bytes) {
            // Records of other rules are whole, and for another program.
            Ok(_) | Err(NotAStageRecord::Rules(_)) => None,
            Err(error) => Some(error.to_string()),
        },
        "store" => header::check(bytes).err().map(|error| error.to_string()),
        _ => panic!("{noun} has no reader"),
    }
}

/// Paths and their order are judged by `verify`, which reads an index; the files that it lists are not there.
fn refused_index(bytes: &[u8]) -> Option<String> {
    let mut tree = Mem::default();
    tree.put("index.json", bytes);
    match verify(&tree, &Anchor::default()) {
        Ok(report) => report.findings.iter().find(|finding| finding.code != Code::FileMissing).map(ToString::to_string),
        Err(error) => Some(error.to_string()),
    }
}

/// The reader has a short way for what nearly all records look like; it must not let a second spelling pass.
#[test]
fn whatever_is_read_as_a_record_is_written_with_the_same_bytes() {
    for (name, bytes) in vectors("observation", "valid") {
        let mut accepted = 0;
        let mut look = |changed: &[u8], at: usize| {
            if let Ok(record) = Observation::from_bytes(changed) {
                accepted += 1;
                let text = String::from_utf8_lossy(changed);
                assert_eq!(String::from_utf8_lossy(&record.to_bytes()), text, "{name}, changed at byte {at}");
            }
        };
        for at in 0..bytes.len() {
            let (before, after) = (&bytes[..at], &bytes[at + 1..]);
            look(&[before, after].concat(), at);
            for byte in *b"0:\" " {
                look(&[before, &[byte], after].concat(), at);
                look(&[before, &[byte], &bytes[at..]].concat(), at);
            }
        }
        assert!(accepted > 0, "{name}: a digit of a digest can be another");
    }
}

#[test]
fn reader_and_schema_accept_what_is_valid() {
    for noun in NOUNS {
        for (name, bytes) in vectors(noun, "valid") {
            assert_eq!(refusal(noun, &bytes), None, "{noun}/{name}");
            let value: Value = serde_json::from_slice(&bytes).expect("valid vectors are JSON");
            assert_eq!(faults(noun, &value), Vec::<String>::new(), "{noun}/{name}");
        }
    }
}

#[test]
fn reader_and_schema_refuse_what_is_invalid() {
    let mut used = Vec::new();
    for noun in NOUNS {
        for (name, bytes) in vectors(noun, "invalid") {
            assert!(refusal(noun, &bytes).is_some(), "the reader accepts {noun}/{name}");
            // What is no JSON never reaches a schema.
            let Ok(value) = serde_json::from_slice::<Value>(&bytes) else { continue };
            let excused = BEYOND_SCHEMAS.iter().find(|(head, _)| name.starts_with(head));
            match (excused, faults(noun, &value).is_empty()) {
                (None, accepted) => assert!(!accepted, "the schema accepts {noun}/{name}"),
                (Some((head, why)), accepted) => {
                    assert!(accepted, "{noun}/{name} is refused by the schema, against the list: {why}");
                    used.push(*head);
                }
            }
        }
    }
    for (head, _) in BEYOND_SCHEMAS {
        assert!(used.contains(head), "no vector begins with {head}");
    }
}

/// `FAULT.WHAT.json`: the code or the member, then what is wrong with it.
#[test]
fn names_of_vectors_say_the_code_or_the_member() {
    for noun in NOUNS {
        for (name, _) in vectors(noun, "invalid") {
            let parts: Vec<_> = name.split('.').collect();
            assert!(parts.len() == 3 && parts[2] == "json", "{noun}/{name}: not of the form FAULT.WHAT.json");
        }
    }
}
