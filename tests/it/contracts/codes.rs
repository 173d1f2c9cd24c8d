//! One vocabulary: the words in the source are those in the documents, and those in the schemas.

use std::collections::BTreeSet;
use std::fs;

use git_docket::corpus::GapCode;
use git_docket::filter;
use git_docket::forge::recognise::Reason;
use git_docket::ops::diff::Kind;
use git_docket::ops::verify::{Anchored, Cause, Code, NoteCode};
use serde_json::Value;

use super::schema_texts;
use crate::support::project;

type Words = BTreeSet<String>;

/// The words in the first column of the table below a heading; a cell may have several.
fn table(page: &str, heading: &str) -> Words {
    let text = fs::read_to_string(project(page)).expect("the page");
    let section = text.split("\n### ").find(|section| section.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("{page} has no section {heading}"));
    words_of_rows(section)
}

/// The words in the first column of the table of the format page that has this head.
fn format_table(head: &str) -> Words {
    let text = fs::read_to_string(project("docs/format.md")).expect("the page");
    let table = text.split(head).nth(1).unwrap_or_else(|| panic!("docs/format.md has no table {head}"));
    words_of_rows(table.split("\n\n").next().unwrap_or_default())
}

fn words_of_rows(section: &str) -> Words {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    rows.flat_map(|cell| cell.split_whitespace().map(|word| word.trim_matches('`').to_owned())).collect()
}

/// The source below a folder or of a file, file by file.
fn source(below: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(project(below)).sort_by_file_name() {
        let entry = entry.expect("the source can be walked");
        if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(entry.path()).expect("the source can be read");
            found.push((entry.path().display().to_string(), text));
        }
    }
    assert!(!found.is_empty(), "{below} has source");
    found
}

/// The literals that stand directly behind a text, white space between them aside.
fn literals_behind(text: &str, before: &str) -> Vec<String> {
    let literal = |rest: &str| Some(rest.trim_start().strip_prefix('"')?.split_once('"')?.0.to_owned());
    text.split(before).skip(1).filter_map(literal).collect()
}

/// The words that the `code` functions of a file give.
fn words_of_code_functions(text: &str) -> Vec<String> {
    let bodies = text.split("fn code(").skip(1).map(|rest| rest.split("\n    }\n").next().unwrap_or_default());
    bodies.flat_map(|body| literals_behind(body, "=>")).collect()
}

fn listed<'w>(words: impl IntoIterator<Item = &'w str>) -> Words {
    words.into_iter().map(str::to_owned).collect()
}

#[test]
fn every_error_stands_in_the_table() {
    let mut given = Words::new();
    for (file, text) in source("src") {
        given.extend(literals_behind(&text, "Error::new("));
        if !file.ends_with("recognise.rs") {
            given.extend(words_of_code_functions(&text));
        }
    }
    // The reason for which an input is left becomes the error when there is no other input.
    given.insert(Reason::ForgeErrorBody.code().to_owned());
    assert!(given.len() > 50, "the source was not understood: {given:?}");
    assert_eq!(table("docs/codes.md", "Errors"), given);
}

#[test]
fn every_reason_stands_in_the_table() {
    let mut given = listed(Reason::ALL.iter().map(|reason| reason.code()));
    for (_, text) in source("src/ops/observe") {
        for push in text.split("left.push(").skip(1) {
            let call = push.split([';', '\n']).next().unwrap_or_default();
            let literal = call.contains("side").then(|| call.split('"').nth_back(1)).flatten();
            given.extend(literal.map(str::to_owned));
        }
    }
    assert_eq!(table("docs/codes.md", "Reasons"), given);
    assert_eq!(in_schema("report", "/$defs/observe/properties/unrecognised/items/properties/reason"), given);
}

#[test]
fn every_finding_of_observe_stands_in_the_table() {
    let mut given = Words::new();
    for (_, text) in source("src/ops/observe") {
        given.extend(literals_behind(&text, "FindingRow { code:"));
    }
    let json = source("src/format/json/mod.rs");
    given.extend(words_of_code_functions(&json[0].1).into_iter().filter(|code| code != "json-invalid"));
    assert_eq!(given.len(), 7, "{given:?}");
    assert_eq!(table("docs/codes.md", "Findings of `observe`"), given);
    assert_eq!(in_schema("report", "/$defs/observe/properties/findings/items/properties/code"), given);
}

#[test]
fn every_change_of_diff_stands_in_the_table() {
    let given = listed(Kind::ALL.iter().map(|kind| kind.as_str()));
    assert_eq!(format_table("| change | means |"), given);
    assert_eq!(in_schema("report", "/$defs/word"), given);
}

#[test]
fn every_gap_stands_in_the_table_with_its_usability() {
    let text = fs::read_to_string(project("docs/format.md")).expect("the page");
    let section = text.split("\n### ").find(|section| section.starts_with("Gaps")).expect("the section");
    let mut rows = BTreeSet::new();
    for row in section.split("\n## ").next().unwrap_or_default().lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.split(" | ").collect();
        let codes = cells[0].trim_start_matches("| ").split_whitespace().map(|code| code.trim_matches('`').to_owned());
        rows.extend(codes.map(|code| (code, cells[1].to_owned())));
    }
    let given = GapCode::ALL.iter().map(|gap| (gap.name().to_owned(), gap.usability().name().to_owned())).collect();
    assert_eq!(rows, given);
    let names = listed(GapCode::ALL.iter().map(|gap| gap.name()));
    assert_eq!(in_schema("index", "/$defs/gap/properties/code"), names);
}

#[test]
fn every_class_of_the_filters_stands_in_the_table() {
    let given = listed(filter::classes());
    assert!(given.len() > 50, "{given:?}");
    let tables = ["| class | what |", "| class of secret | shape |", "| class of injection | what |"];
    assert_eq!(tables.iter().flat_map(|head| format_table(head)).collect::<Words>(), given);
    assert_eq!(in_schema("index", "/$defs/found/properties/code"), given);
}

#[test]
fn the_schema_of_verify_has_every_word() {
    let at = |member: &str| in_schema("report", &format!("/$defs/verify/properties/{member}"));
    assert_eq!(at("findings/items/properties/code"), listed(Code::ALL.iter().map(|code| code.as_str())));
    assert_eq!(at("findings/items/properties/cause"), listed(Cause::ALL.iter().map(|cause| cause.as_str())));
    assert_eq!(at("notes/items/properties/code"), listed(NoteCode::ALL.iter().map(|note| note.as_str())));
    assert_eq!(at("anchor"), listed(Anchored::ALL.iter().map(|anchor| anchor.as_str())));
}

/// The words that an `enum` in a schema allows.
fn in_schema(schema: &str, pointer: &str) -> Words {
    let schema = schema_texts().remove(schema).expect("the schema");
    let words = schema.pointer(pointer).and_then(|at| at["enum"].as_array());
    let words = words.unwrap_or_else(|| panic!("no words at {pointer}"));
    words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
