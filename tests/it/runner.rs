//! What CI runners are told: the files that they name, and the lines that they read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::{arg, docket, scratch, testdata};

fn stage(dir: &Path, out: &str, more: &[&str]) -> Output {
    let payloads = testdata("threads/acme-web-42");
    let mut command = docket(dir);
    command.args(["--json", "stage", "--from", arg(&payloads), "--out", out]).args(more);
    command.env("GITHUB_OUTPUT", dir.join("output")).env("GITHUB_STEP_SUMMARY", dir.join("summary"));
    command.output().expect("the program can be started")
}

/// Reads an output file as the runner does: `name=value`, or `name<<mark` and lines up to the mark.
fn outputs(path: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).expect("the file");
    let mut found = BTreeMap::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let line = line.strip_suffix('\n').expect("a whole line");
        if let Some((name, mark)) = line.split_once("<<").filter(|(name, _)| !name.contains('=')) {
            let value: String = lines.by_ref().take_while(|line| line.trim_end() != mark).collect();
            found.insert(name.to_owned(), value.trim_end_matches('\n').to_owned());
        } else {
            let (name, value) = line.split_once('=').expect("name=value");
            found.insert(name.to_owned(), value.to_owned());
        }
    }
    found
}

#[test]
fn github_is_given_the_outputs_of_the_report() {
    let dir = scratch();
    fs::write(dir.path().join("output"), "before=1\n").expect("written");
    let report: Value = serde_json::from_slice(&stage(dir.path(), "out", &["--github-output"]).stdout).expect("JSON");
    let found = outputs(&dir.path().join("output"));
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        ["before", "complete", "context-dir", "findings", "gaps", "index-digest"]
    );
    let real = dir.path().canonicalize().expect("a path").join(report["contextDir"].as_str().expect("a path"));
    assert_eq!(found["context-dir"], real.display().to_string(), "later steps may begin in another directory");
    assert_eq!(found["index-digest"], report["indexDigest"].as_str().expect("a digest"));
    assert_eq!(found["complete"], report["complete"].to_string());
    for list in ["gaps", "findings"] {
        let value: Value = serde_json::from_str(&found[list]).expect("JSON");
        assert_eq!(value, report[list]);
    }
}

#[test]
fn a_last_line_without_end_stays_a_line_of_its_own() {
    let dir = scratch();
    for name in ["output", "summary", "dotenv"] {
        fs::write(dir.path().join(name), "before=1").expect("written");
    }
    let output = stage(dir.path(), "out", &["--github-output", "--step-summary", "--dotenv", "dotenv"]);
    assert!(output.status.success());
    for name in ["output", "summary", "dotenv"] {
        let text = fs::read_to_string(dir.path().join(name)).expect("read");
        assert_eq!(text.lines().next(), Some("before=1"), "{name}");
    }
    assert_eq!(outputs(&dir.path().join("output"))["before"], "1");
}

#[test]
fn a_name_with_a_line_break_forges_no_output() {
    let dir = scratch();
    let name = "out\ncomplete=forged\nEOF";
    assert!(stage(dir.path(), name, &["--github-output"]).status.success());
    let found = outputs(&dir.path().join("output"));
    assert!(found["context-dir"].ends_with(name) && found["complete"] == "true", "{found:?}");
    let refused: Value =
        serde_json::from_slice(&stage(dir.path(), name, &["--dotenv", "env", "--replace"]).stdout).expect("JSON");
    assert_eq!(refused["error"]["code"], "dotenv-invalid");
    assert!(!dir.path().join("env").exists());
}

#[test]
fn the_summary_is_appended_whole_or_not_at_all() {
    let dir = scratch();
    let summary = dir.path().join("summary");
    fs::write(&summary, "# before\n").expect("written");
    assert!(stage(dir.path(), "a`b|c", &["--step-summary"]).status.success());
    let text = fs::read_to_string(&summary).expect("the summary");
    assert!(
        text.starts_with("# before\n### git-docket\n") && text.contains("github:github.com/acme/web/pull/42"),
        "{text}"
    );
    assert!(text.contains("| directory | `a\u{fffd}b\\|c` |"), "{text}");
    assert!(text.contains("| gap | code | usability | count |"), "{text}");
    fs::write(&summary, vec![b'x'; (1 << 20) - 100]).expect("written");
    let output = stage(dir.path(), "second", &["--step-summary"]);
    assert!(output.status.success());
    assert_eq!(fs::metadata(&summary).expect("the summary").len(), (1 << 20) - 100);
    assert!(String::from_utf8_lossy(&output.stderr).contains("step summary"));
}

#[test]
fn annotations_are_single_lines() {
    let dir = scratch();
    let output = stage(dir.path(), "out", &["--annotations", "--partial", "--require", "comments"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let commands: Vec<_> = told.lines().filter(|line| line.starts_with("::")).collect();
    assert!(commands.iter().any(|line| line.starts_with("::error title=git-docket::required: ")), "{told}");
    assert!(
        commands.iter().all(|line| ["::error ", "::warning ", "::notice "].iter().any(|word| line.starts_with(word)))
    );
}

#[test]
fn gitlab_is_given_a_dotenv_report() {
    let dir = scratch();
    let report: Value =
        serde_json::from_slice(&stage(dir.path(), "out", &["--dotenv", "docket.env"]).stdout).expect("JSON");
    let text = fs::read_to_string(dir.path().join("docket.env")).expect("the report");
    let digest = report["indexDigest"].as_str().expect("a digest");
    assert!(
        text.contains(&format!("\nDOCKET_INDEX_DIGEST={digest}\n"))
            && text.starts_with("DOCKET_CONTEXT_DIR=/")
            && text.contains("/out\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 5);
    let gaps = report["gaps"].as_array().map(Vec::len).expect("gaps");
    assert!(gaps > 0 && text.contains(&format!("\nDOCKET_GAPS={gaps}\n")), "{text}");
}

#[test]
fn a_runner_that_is_not_there_is_said() {
    let dir = scratch();
    let payloads = testdata("threads/acme-web-42");
    let mut command = docket(dir.path());
    command.env_remove("GITHUB_OUTPUT").args([
        "--json",
        "stage",
        "--from",
        arg(&payloads),
        "--out",
        "out",
        "--github-output",
    ]);
    let output = command.output().expect("started");
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &value["error"]["code"]), (Some(2), &"runner-missing".into()));
}

/// A file in the stage is one that no index lists; also when it gets there by a link, or when what stands there is replaced.
#[test]
fn files_in_the_stage_are_refused_before_anything_is_written() {
    let dir = scratch();
    let payloads = testdata("threads/acme-web-42");
    std::os::unix::fs::symlink("out/told", dir.path().join("link")).expect("a link");
    let run = |variable: &str, file: &str, more: &[&str]| {
        let mut command = docket(dir.path());
        command.args(["--json", "stage", "--from", arg(&payloads), "--out", "out"]).args(more);
        let output = command.env(variable, file).output().expect("started");
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), value["error"]["code"].clone())
    };
    let refused = (Some(2), Value::from("runner-inside-stage"));
    for file in ["out/told", "out", "./out/../out/told", "link"] {
        assert_eq!(run("GITHUB_OUTPUT", file, &["--github-output"]), refused, "{file}");
        assert_eq!(run("GITHUB_STEP_SUMMARY", file, &["--step-summary"]), refused, "{file}");
        assert_eq!(run("NOTHING", "", &["--dotenv", file]), refused, "{file}");
        assert!(!dir.path().join("out").exists(), "{file}");
    }
    assert_eq!(run("NOTHING", "", &[]).0, Some(0));
    let before = crate::support::files(&dir.path().join("out"));
    assert_eq!(run("GITHUB_OUTPUT", "out/told", &["--github-output", "--replace", "--profile", "minimal"]), refused);
    assert_eq!(crate::support::files(&dir.path().join("out")), before);
    assert_eq!(run("GITHUB_OUTPUT", "outside", &["--github-output", "--replace"]).0, Some(0));
}

/// A pipe would hold the run until somebody reads it, and no signal would end that.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_before_anything_is_written() {
    let dir = scratch();
    let payloads = testdata("threads/acme-web-42");
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    std::os::unix::fs::symlink("pipe", dir.path().join("link")).expect("linked");
    fs::create_dir(dir.path().join("dir")).expect("made");
    for file in ["pipe", "link", "dir", "/dev/null"] {
        for more in [&["--github-output"][..], &["--step-summary"], &["--dotenv", file]] {
            let mut command = docket(dir.path());
            command.args(["--json", "stage", "--from", arg(&payloads), "--out", "out"]).args(more);
            let output = command.env("GITHUB_OUTPUT", file).env("GITHUB_STEP_SUMMARY", file).output().expect("started");
            let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let found = (output.status.code(), value["error"]["code"].as_str());
            assert_eq!(found, (Some(2), Some("runner-not-a-file")), "{file} {more:?}");
            assert!(!dir.path().join("out").exists(), "{file} {more:?}");
        }
    }
}

/// The runner would take the beginning of a value for the value.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_part_of_a_line() {
    let dir = scratch();
    // The limit of a file stands for the end of the disk: `head` fills the file to it, and then there is room for a part.
    let script = r#"trap '' 25; ulimit -f 32; tr '\0' x < /dev/zero 2> told | head -c 1000000 > output 2> told
        truncate -s -200 output; cp output before
        exec "$0" --json stage --from "$1" --out out --github-output"#;
    let payloads = testdata("threads/acme-web-42");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_git-docket"), arg(&payloads)]).current_dir(dir.path());
    let output = command.env("GITHUB_OUTPUT", "output").output().expect("started");
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), value["error"]["code"].as_str()), (Some(2), Some("io")), "{value}");
    assert!(value["error"]["message"].as_str().is_some_and(|message| message.contains("output")), "{value}");
    let read = |name: &str| fs::read(dir.path().join(name)).expect("a file");
    assert!(read("before").len() > 10_000);
    assert!(read("output") == read("before"), "{}", String::from_utf8_lossy(&read("output")[read("before").len()..]));
}
