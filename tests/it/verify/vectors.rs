//! The vectors of `testdata/format/v1/index`: one fault each, named by its code.

use std::fs;
use std::path::Path;

use git_docket::ops::verify::{Anchor, Cause, Code, NoteCode, verify};

use crate::trees::Mem;

fn vectors(folder: &str) -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/format/v1/index").join(folder);
    let mut found: Vec<_> = fs::read_dir(&dir)
        .expect("the folder of vectors")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a plain name");
            (name, fs::read(entry.path()).expect("a vector"))
        })
        .collect();
    found.sort();
    assert!(found.len() > 2, "{folder} has vectors");
    found
}

#[test]
fn a_valid_index_only_misses_the_files_that_it_lists() {
    for (name, bytes) in vectors("valid") {
        let mut tree = Mem::default();
        tree.put("index.json", bytes);
        let report = verify(&tree, &Anchor::default()).expect("readable");
        let others: Vec<_> = report.findings.iter().filter(|f| f.code != Code::FileMissing).collect();
        assert!(others.is_empty(), "{name}: {others:?}");
    }
}

#[test]
fn an_invalid_index_has_the_fault_of_its_name_and_no_other() {
    for (name, bytes) in vectors("invalid") {
        let (code, _) = name.split_once('.').expect("a name of the form CODE.WHAT.json");
        let mut tree = Mem::default();
        tree.put("index.json", bytes);
        match verify(&tree, &Anchor::default()) {
            Ok(report) => {
                let codes: Vec<_> = report.findings.iter().map(|f| f.code.as_str()).collect();
                assert_eq!(codes, [code], "{name}");
            }
            Err(error) => assert_eq!(error.code(), code, "{name}"),
        }
    }
}

/// The page and the types say the same.
#[test]
fn every_code_cause_and_note_stands_in_the_tables_of_the_format_page() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/format.md")).expect("the page");
    let section =
        page.split("\n## ").find(|section| section.lines().next().is_some_and(|title| title.ends_with(". Findings")));
    let section = section.expect("a section about findings");
    let table = |title: &str| -> Vec<&str> {
        let text = section.split("\n### ").find(|table| table.starts_with(title)).expect(title);
        text.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0)).collect()
    };
    assert_eq!(table("Codes"), Code::ALL.iter().map(|c| c.as_str()).collect::<Vec<_>>());
    assert_eq!(table("Causes"), Cause::ALL.iter().map(|c| c.as_str()).collect::<Vec<_>>());
    assert_eq!(table("Notes"), NoteCode::ALL.iter().map(|c| c.as_str()).collect::<Vec<_>>());
}
