//! The documents are executed: examples validate, the session of the README runs.

use std::fs;

use git_docket::format::json;
use serde_json::Value;

use super::assert_valid;
use crate::support::{checked, project, scratch};

/// The blocks of a language in a Markdown page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(project(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    let open = format!("```{language}\n");
    text.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn examples_in_the_format_page_are_canonical_and_valid() {
    let examples = blocks("docs/format.md", "json");
    assert!(examples.len() >= 2, "the page has examples");
    for example in examples {
        let text = example.trim_end();
        let canonical = json::canonical(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}: {text}"));
        assert_eq!(String::from_utf8_lossy(&canonical), text, "the example is not canonical");
        let value: Value = serde_json::from_str(text).expect("just read");
        let schema = value["schema"].as_str().and_then(|schema| schema.strip_prefix("git-docket."));
        assert_valid(schema.unwrap_or_else(|| panic!("the example names no schema: {text}")), &value, text);
    }
}

#[test]
fn the_session_of_the_readme_runs() {
    let scratch = scratch();
    let (program, temp) = (assert_cmd::cargo::cargo_bin!("git-docket"), scratch.path().join("tmp"));
    for name in ["testdata/threads", "testdata/deliveries"] {
        copy(&project(name), &scratch.path().join(name));
    }
    fs::create_dir(&temp).expect("a scratch directory");
    let mut ran = 0;
    for line in blocks("README.md", "console").iter().flat_map(|block| block.lines()) {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        // The suite cannot run itself.
        if command == "cargo test" {
            continue;
        }
        let program = program.to_str().expect("a UTF-8 path");
        let command = command.replace("cargo run --quiet --", program).replace("git docket", program);
        let command = command.replace("/tmp/", &format!("{}/", temp.display()));
        let mut shell = std::process::Command::new("sh");
        shell.args(["-euc", &command]).current_dir(scratch.path());
        shell.env_remove("GIT_DOCKET_STORE").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        checked(shell.output().expect("a shell"), line);
        ran += 1;
    }
    assert!(ran >= 14, "only {ran} commands of the README were run");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    for (path, bytes) in crate::support::files(from) {
        let target = to.join(path);
        fs::create_dir_all(target.parent().expect("below the root")).expect("the directory");
        fs::write(&target, bytes).expect("the file");
    }
}

/// The recipes need a forge and cannot run here; but each names only verbs and options that there are.
#[test]
fn the_cookbook_uses_what_there_is() {
    let text = fs::read_to_string(project("docs/cookbook.md")).expect("the cookbook");
    // A command goes on behind a backslash, and in YAML in lines that are indented further.
    let text = text.replace("\\\n", " ").replace("\n        --", " --");
    let reference = git_docket::cli::reference();
    let section = |verb: &str| reference.split("\n## ").find(|section| section.starts_with(&format!("{verb}\n")));
    let global = reference.split("\n## ").next().expect("the beginning");
    let mut seen = 0;
    for command in text.lines().filter_map(|line| line.split_once("git docket ")).map(|(_, command)| command) {
        let command = command.split([';', '|', '>', '#', '`']).next().unwrap_or_default();
        let words: Vec<_> = command.split_whitespace().collect();
        let Some(of_verb) = words.iter().find_map(|word| section(word)) else { continue };
        seen += 1;
        for option in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
            let known = [of_verb, global].iter().any(|help| help.contains(&format!("{option} ")));
            assert!(known, "{option} is no option: {command}");
        }
    }
    assert!(seen >= 12, "only {seen} commands were found");
}
