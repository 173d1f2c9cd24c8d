//! The public suites: RFC 8785's test data, ten thousand ES6 numbers, JSONTestSuite.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_docket::format::json::{self, Json, Number};

use super::laws;
use crate::support::shared;

#[test]
fn the_six_pairs_of_rfc_8785() {
    let Some(folder) = shared("data/conformance/jcs/testdata") else { return };
    let mut pairs = 0;
    for entry in fs::read_dir(folder.join("input")).expect("the folder is there") {
        let name = entry.expect("readable").file_name();
        let input = fs::read(folder.join("input").join(&name)).expect("input");
        let expected = fs::read(folder.join("output").join(&name)).expect("output");
        let hex = fs::read_to_string(folder.join("outhex").join(&name).with_extension("txt")).expect("hex");
        let written = json::canonical(&input).expect("inputs are in the profile");
        assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected), "{name:?}");
        assert_eq!(written, from_hex(&hex), "{name:?}");
        laws::check(&input);
        pairs += 1;
    }
    assert_eq!(pairs, 6);
}

fn from_hex(text: &str) -> Vec<u8> {
    text.split_ascii_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("two hex digits")).collect()
}

#[test]
fn ten_thousand_es6_numbers() {
    let Some(path) = shared("data/conformance/es6testfile10k.txt") else { return };
    let text = fs::read_to_string(path).expect("readable");
    for line in text.lines() {
        let (bits, expected) = line.split_once(',').expect("bits, comma, text");
        let value = f64::from_bits(u64::from_str_radix(bits, 16).expect("hex"));
        let number = Number::new(value).expect("the file has finite numbers only");
        assert_eq!(String::from_utf8_lossy(&json::to_vec(&Json::Number(number))), expected, "{bits}");
        // The canonical spelling is in the profile, whatever its size, and means the same double.
        let read = json::parse(expected.as_bytes()).expect("canonical");
        assert_eq!(read, Json::Number(number), "{bits}");
    }
    assert_eq!(text.lines().count(), 10_000);
}

#[test]
fn json_test_suite() {
    let Some(folder) = shared("data/conformance/JSONTestSuite") else { return };
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json-conformance.md")).expect("the page");
    let mut decided = outcomes(&page);
    let mut counts = BTreeMap::new();
    for below in ["test_parsing", "test_transform"] {
        for entry in fs::read_dir(folder.join(below)).expect("the folder is there") {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            let expected = match (&name[..2], decided.remove(&name)) {
                (_, Some(outcome)) => outcome,
                ("y_", None) => "accepted".into(),
                ("n_", None) => "json-invalid".into(),
                (_, None) => panic!("docs/json-conformance.md does not decide {name}"),
            };
            assert!(!name.starts_with("n_") || expected == "json-invalid", "{name} is listed but not open");
            assert_eq!(outcome(&path), expected, "{name}");
            *counts.entry(if below == "test_transform" { "t" } else { &name[..1] }.to_owned()).or_insert(0) += 1;
        }
    }
    assert!(decided.is_empty(), "files that the suite does not have: {decided:?}");
    let counts: Vec<_> = counts.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(counts, [("i", 35), ("n", 188), ("t", 22), ("y", 95)]);
}

fn outcome(path: &Path) -> &'static str {
    let bytes = fs::read(path).expect("readable");
    laws::check(&bytes);
    json::parse(&bytes).map_or_else(|fault| fault.kind.code(), |_| "accepted")
}

/// The rows ``| `file` | outcome |`` of the page.
fn outcomes(page: &str) -> BTreeMap<String, String> {
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let file = cells.next()?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
        Some((file, cells.next()?.trim_matches('`').to_owned()))
    };
    page.lines().filter_map(row).collect()
}
