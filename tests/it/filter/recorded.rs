//! What the detectors find in everything that was recorded: the list of docs/filter.md, and nothing else.

use std::collections::BTreeMap;
use std::fs;

use git_docket::filter::is_detected;
use serde_json::Value;

use super::clean;
use crate::support::{project, shared};

/// Adds every string in a value.
fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(members) => members.values().for_each(|member| strings(member, out)),
        _ => {}
    }
}

/// The texts in a file: the strings of its JSON documents, else all of it.
fn texts(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        match value {
            Ok(value) => strings(&value, &mut found),
            Err(_) => return vec![String::from_utf8_lossy(bytes).into_owned()],
        }
    }
    found
}

#[test]
fn findings_in_recorded_payloads_are_those_that_were_judged() {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for folder in ["threads", "exchanges", "webhooks", "graphql", "logs", "openapi-examples"] {
        let Some(root) = shared(&format!("data/{folder}")) else { return };
        for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
            let entry = entry.expect("the recordings can be walked");
            if !entry.file_type().is_file() {
                continue;
            }
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            for text in texts(&fs::read(entry.path()).expect("a recording")) {
                for (class, count) in clean(&text, None).findings.into_iter().filter(|(class, _)| is_detected(class)) {
                    *found.entry(format!("| `{name}` | `{class}` |")).or_default() += count;
                }
            }
        }
    }
    let page = fs::read_to_string(project("docs/filter.md")).expect("the page");
    let section =
        page.split("### In recorded payloads").nth(1).expect("the section").split("\n#").next().expect("its text");
    let rows: Vec<_> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), found.len(), "{found:?}");
    for (row, count) in &found {
        let row = format!("{row} {count} |");
        assert!(rows.iter().any(|listed| listed.starts_with(&row)), "docs/filter.md does not list {row}");
    }
}
