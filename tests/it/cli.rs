//! The door for people: help, the page that is generated from it, exit statuses, pipes, hostile text.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::support::{arg, docket, done, project, scratch, testdata};

const VERBS: [&str; 12] =
    ["init", "observe", "snapshot", "stage", "verify", "diff", "show", "sources", "sums", "canon", "digest", "schema"];

fn run(dir: &Path, args: &[&str]) -> Output {
    docket(dir).env("COLUMNS", "100").args(args).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn the_page_is_what_the_program_says() {
    let (path, page) = (project("docs/cli.md"), git_docket::cli::reference());
    if std::env::var_os("DOCKET_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &page).expect("docs/cli.md can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/cli.md is not up to date: DOCKET_BLESS=1 cargo test --test it cli:: writes it");
}

#[test]
fn the_page_can_be_read() {
    let page = git_docket::cli::reference();
    let mut inside = false;
    for line in page.lines() {
        inside ^= line.starts_with("```");
        assert!(!inside || line.chars().count() <= 100, "too wide for a terminal: {line}");
        assert!(!line.contains('\u{1b}') && !line.ends_with(' '), "{line:?}");
    }
    for verb in VERBS {
        let section = page.split("\n## ").find(|section| section.starts_with(&format!("{verb}\n")));
        let section = section.unwrap_or_else(|| panic!("{verb} has no section"));
        assert!(!section.contains("--snapshot-ref <REF>"), "{verb} repeats the options of every command");
        assert!(section.contains("\nReport: "), "{verb} does not say what it prints with --json");
    }
    for verb in ["stage", "observe", "verify", "diff"] {
        let help = text(&run(Path::new("."), &["help", verb]).stdout);
        assert!(help.contains("Examples:\n  git docket "), "{verb} has no examples");
    }
}

#[test]
fn no_arguments_name_the_three_jobs() {
    let output = run(Path::new("."), &[]);
    let welcome = text(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty());
    assert!((15..=30).contains(&welcome.lines().count()), "{} lines", welcome.lines().count());
    for verb in ["stage", "observe", "snapshot", "diff", "verify"] {
        assert!(welcome.contains(&format!("git docket {verb} ")), "{verb} is not named");
    }
}

#[test]
fn help_and_version_are_answers() {
    for args in [vec!["-h"], vec!["--help"], vec!["help"], vec!["--version"], vec!["-V"]] {
        let output = run(Path::new("."), &args);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{args:?}");
        assert!(!output.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(
        text(&run(Path::new("."), &["--version"]).stdout),
        format!("git-docket {}\n", env!("CARGO_PKG_VERSION"))
    );
    for verb in VERBS {
        let texts = [["help", verb], [verb, "--help"], [verb, "-h"]].map(|args| {
            let output = run(Path::new("."), &args);
            assert_eq!(output.status.code(), Some(0), "{args:?}");
            text(&output.stdout)
        });
        assert!(texts[0].contains(&format!("Usage: git-docket {verb}")), "{}", texts[0]);
        assert!(texts.iter().all(|help| *help == texts[0]), "{verb}: the three ways to help differ");
    }
}

#[test]
fn an_unknown_verb_is_trouble() {
    let output = run(Path::new("."), &["stag"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("'stage'"), "the nearest verb is named");
}

/// A store with one thread and a snapshot, and a stage of it.
fn furnished(root: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let (store, stage) = (root.join("store"), root.join("stage"));
    done(root, &["init", arg(&store)]);
    done(&store, &["observe", "--commit", arg(&testdata("threads/acme-web-42"))]);
    done(&store, &["snapshot", "--commit"]);
    done(&store, &["stage", "acme/web#42", "--out", arg(&stage)]);
    (store, stage)
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    let scratch = scratch();
    let (store, stage) = furnished(scratch.path());
    let payloads = testdata("threads/acme-web-42");
    let empty = scratch.path().join("minimal");
    done(&store, &["stage", "acme/web#42", "--out", arg(&empty), "--profile", "minimal"]);
    let timeline = payloads.join("timeline.json");
    for args in [
        vec!["help", "stage"],
        vec![],
        vec!["sums", arg(&store)],
        vec!["schema", "report"],
        vec!["canon", arg(&timeline)],
        vec!["show", "acme/web#42"],
        vec!["show", "acme/web#42", "--raw", "timeline"],
        vec!["diff", arg(&empty), arg(&stage)],
        vec!["diff", "--patch", arg(&empty), arg(&stage)],
        vec!["--json", "diff", arg(&empty), arg(&stage)],
        vec!["--ndjson", "diff", arg(&empty), arg(&stage)],
        vec!["--json", "observe", arg(&payloads)],
        vec!["verify", arg(&stage)],
        vec!["--json", "show", "what"],
    ] {
        let mut command = docket(&store);
        command.args(&args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut told).expect("UTF-8");
        let status = child.wait().expect("it ends").code();
        assert!(matches!(status, Some(0..=2)) && !told.contains("panicked"), "{args:?}: {status:?} {told}");
        assert!(!told.contains("output-failed"), "{args:?}: {told}");
    }
}

#[test]
fn colour_is_obeyed_in_both_directions() {
    let colour = |args: &[&str], no_color: bool| {
        let mut command = docket(Path::new("."));
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.args(args).args(["show", "what"]).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr).contains('\u{1b}')
    };
    assert!(!colour(&[], false), "no terminal, no colour");
    assert!(!colour(&[], true));
    assert!(colour(&["--color", "always"], false));
    assert!(!colour(&["--color", "never"], false));
}

#[test]
fn control_characters_are_shown_and_not_obeyed() {
    const HOSTILE: &str = "a\u{1b}[2Jb\u{7}c\u{202e}d";
    let scratch = scratch();
    let (store, _) = furnished(scratch.path());
    let hostile_dir = scratch.path().join(HOSTILE);
    done(scratch.path(), &["init", arg(&hostile_dir)]);
    let file = scratch.path().join(format!("{HOSTILE}.json"));
    fs::write(&file, r#"{"what":1}"#).expect("a file");
    let issue = format!(
        r#"{{"id":1,"number":5,"title":"{}","state":"open","user":{{"login":"x","id":2}},"url":"https://api.github.com/repos/acme/web/issues/5","html_url":"https://github.com/acme/web/issues/5"}}"#,
        "a\\u001b[2Jb\\u0007c\\u202ed"
    );
    let issue_file = scratch.path().join("issue.json");
    fs::write(&issue_file, issue).expect("a payload");
    done(&store, &["observe", arg(&issue_file)]);
    for args in [
        vec!["show", HOSTILE],
        vec![HOSTILE],
        vec!["stage", HOSTILE, "--out", "x"],
        vec!["diff", HOSTILE, HOSTILE],
        vec!["verify", "--at", HOSTILE],
        vec!["schema", HOSTILE],
        vec!["digest", arg(&file), arg(&file)],
        vec!["observe", arg(&file), arg(&issue_file)],
        vec!["init", arg(&hostile_dir)],
        vec!["show", "acme/web#5"],
        vec!["snapshot", "--scope", HOSTILE],
    ] {
        let output = run(&store, &args);
        for stream in [&output.stdout, &output.stderr] {
            let said = text(stream);
            let bad = said.contains(|c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}');
            assert!(!bad, "{args:?}: {said:?}");
        }
    }
}

#[test]
fn quiet_leaves_trouble_and_the_answer() {
    let scratch = scratch();
    let (store, _) = furnished(scratch.path());
    let loud = run(&store, &["snapshot"]);
    let quiet = run(&store, &["-q", "snapshot"]);
    assert!(!loud.stderr.is_empty() && quiet.stderr.is_empty());
    assert_eq!(loud.stdout, quiet.stdout);
    assert!(!run(&store, &["-q", "show", "acme/web#7"]).stderr.is_empty());
}
