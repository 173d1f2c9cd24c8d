//! The tables of secrets and injections: what each class finds, and the ordinary texts in which nothing is found.

use std::collections::BTreeSet;
use std::fs;

use git_docket::filter::{classes, is_detected, is_injection};
use serde_json::Value;

use super::{clean, display};
use crate::support::testdata;

/// The texts of a class. A bar stands in the middle of what looks like a secret, so that no other scanner stumbles over this folder.
fn texts(row: &Value, which: &str) -> Vec<String> {
    let list = row[which].as_array().unwrap_or_else(|| panic!("no {which}: {row}"));
    assert!(!list.is_empty(), "no {which}: {row}");
    list.iter().map(|text| text.as_str().expect("a text").replace('¦', "")).collect()
}

fn rows(file: &str) -> Vec<(String, Value)> {
    let bytes = fs::read(testdata(&format!("filter/{file}.json"))).expect("the vectors");
    let value: Value = serde_json::from_slice(&bytes).expect("JSON");
    value.as_object().expect("classes").iter().map(|(class, row)| (class.clone(), row.clone())).collect()
}

#[test]
fn each_class_finds_what_it_should_and_leaves_ordinary_texts_alone() {
    for (class, row) in rows("secrets").into_iter().chain(rows("injections")) {
        for text in texts(&row, "found") {
            assert!(clean(&text, None).findings.contains_key(class.as_str()), "{class} does not find {text:?}");
        }
        for text in texts(&row, "notFound") {
            let found = clean(&text, None).findings;
            assert!(found.is_empty(), "{class}: {text:?} is {found:?}");
        }
    }
}

#[test]
fn every_class_has_vectors() {
    let given: BTreeSet<_> = rows("secrets").into_iter().chain(rows("injections")).map(|(class, _)| class).collect();
    let detected = classes().into_iter().filter(|class| is_detected(class) && *class != "exact-credential");
    assert_eq!(given, detected.map(str::to_owned).collect::<BTreeSet<_>>());
    assert!(rows("injections").iter().all(|(class, _)| is_injection(class)));
    assert!(!rows("secrets").iter().any(|(class, _)| is_injection(class)));
}

#[test]
fn a_secret_goes_whole_and_an_injection_takes_its_text_with_it() {
    for (class, row) in rows("secrets") {
        for text in texts(&row, "found") {
            let shown = clean(&text, None).text.into_owned();
            assert!(shown.contains(&format!("[redacted:{class}]")), "{text:?} became {shown:?}");
        }
    }
    for (class, row) in rows("injections") {
        for text in texts(&row, "found") {
            let filtered = clean(&text, None);
            assert_eq!((&*filtered.text, filtered.status.name()), ("", "withheld"), "{class}: {text:?}");
            let one_line = text.replace('\n', " ");
            let line = display(&one_line, None);
            let commands = ["hidden-html-comment", "system-prompt-override", "curl-with-creds"];
            assert!(line.text.is_empty() || commands.contains(&class.as_str()), "{class}: {text:?} on one line");
        }
    }
}

/// The texts that begin with a token known by its own shape.
fn tokens() -> Vec<(String, String)> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let of_row = |(class, row): (String, Value)| {
        let list = row["found"].as_array().expect("texts").clone();
        let begun = list.into_iter().filter_map(|text| text.as_str().map(str::to_owned));
        let tokens = begun
            .filter(|text| text.split_once('¦').is_some_and(|(head, _)| !head.is_empty() && head.chars().all(word)));
        tokens.map(|text| (class.clone(), text.replace('¦', ""))).collect::<Vec<_>>()
    };
    rows("secrets").into_iter().filter(|(class, _)| class != "private-key").flat_map(of_row).collect()
}

#[test]
fn a_token_is_found_behind_an_escape_as_others_spell_it() {
    let escapes = [
        "a\\n",
        "\\t",
        "\\\\n",
        "\\x1b",
        "\\u003d",
        "\\u001b[32m",
        "\\U0001f600",
        "\\0",
        "\\033[1;31m",
        "^[[31m",
        "[31m",
        "[0m",
        "q=a%20",
        "%3D",
    ];
    let tokens = tokens();
    assert!(tokens.len() > 20, "{}", tokens.len());
    for (class, token) in &tokens {
        for escape in escapes {
            let text = format!("x {escape}{token}");
            assert!(clean(&text, None).findings.contains_key(class.as_str()), "{class} does not find {text:?}");
        }
    }
    // What is taken out leaves no word behind: a token stood alone before.
    for (class, token) in &tokens {
        for unseen in [
            "\0",
            "\u{1}",
            "\u{7f}",
            "\u{200b}",
            "\u{feff}",
            "\u{202e}",
            "\u{ad}",
            "\u{fe0f}",
            "\u{e0041}",
            "\u{1b}[31m",
            "\u{9b}1m",
        ] {
            for text in [
                format!("x{unseen}{token}"),
                format!("\u{200b}a{unseen}{token} b{unseen}{token}"),
                format!("\u{1b}[1m7{unseen}\u{200d}{token}"),
            ] {
                let filtered = clean(&text, None);
                assert!(filtered.findings.contains_key(class.as_str()), "{class} does not find {text:?}");
                assert!(!filtered.text.contains(token.as_str()), "{class}: {text:?} shows it");
            }
        }
        let title = format!("  a\u{1b}[31m{token}  b\n\u{200b}");
        assert!(!display(&title, None).text.contains(token.as_str()), "{class}: {title:?}");
    }
    // What only looks like the end of an escape.
    for word in ["random", "[3]m", "100", "n", "\\q", "x1b", "%zz"] {
        let text = format!("{word}sk-0123456789abcdefABCDEF0123456789abcdefABCDEF0123");
        assert!(clean(&text, None).findings.is_empty(), "{text:?}");
    }
}
