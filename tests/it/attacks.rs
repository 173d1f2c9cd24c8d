//! What strangers try on a stage: a link in the way while it reads, texts that speak to the runner or the terminal, and far too much of everything.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{arg, docket, done, files, scratch, testdata};

fn read(name: &str) -> Value {
    let path = testdata("threads/acme-web-42").join(name);
    serde_json::from_slice(&fs::read(path).expect("a payload")).expect("JSON")
}

/// A pull request with a body of more bytes than a pipe holds.
fn large() -> Vec<u8> {
    let mut pull = read("pull.json");
    pull["body"] = "a line of text\n".repeat(1 << 16).into();
    pull.to_string().into_bytes()
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).expect("listed").next().is_none()
}

/// Runs a stage of standard input, and once the program reads that, puts something else in the place of a directory; gives what it said.
fn swapped(dir: &Path, args: &[&str], place: &str, swap: &dyn Fn(&Path)) -> (Option<i32>, Value) {
    let mut command = docket(dir);
    command.args(["--json", "stage", "--from", "-"]).args(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let mut stdin = child.stdin.take().expect("a pipe");
    let document = large();
    // When more than the pipe holds is gone, the program has chosen its target and reads.
    let (first, rest) = document.split_at(document.len() / 2);
    stdin.write_all(first).expect("it reads");
    fs::rename(dir.join(place), dir.join("moved")).expect("moved");
    swap(&dir.join(place));
    stdin.write_all(rest).expect("it reads on");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let value = serde_json::from_slice(&output.stdout).expect("one object");
    (output.status.code(), value)
}

#[test]
fn a_link_that_is_put_in_the_way_leads_nowhere() {
    let cases: [(&[&str], &str); 4] = [
        (&["--out", "place/out"], "place"),
        (&["--out", "place/below/out", "--seal"], "place"),
        (&["--out", "place/out", "--", "true"], "place"),
        (&["--out", "out", "--explain", "place/why.json"], "place"),
    ];
    for (args, place) in cases {
        for to_link in [true, false] {
            let dir = scratch();
            for name in ["place/below", "elsewhere/below"] {
                fs::create_dir_all(dir.path().join(name)).expect("made");
            }
            let swap = |at: &Path| match to_link {
                true => symlink("elsewhere", at).expect("a link"),
                false => fs::create_dir_all(at.join("below")).expect("made"),
            };
            let (status, said) = swapped(dir.path(), args, place, &swap);
            assert_eq!((status, said["error"]["code"].as_str()), (Some(2), Some("target-moved")), "{args:?}: {said}");
            for name in ["elsewhere", "moved", "place"] {
                let left: Vec<_> = files(&dir.path().join(name)).into_keys().collect();
                assert_eq!(left, [""; 0], "{args:?}: {name}");
                assert!(is_empty(&dir.path().join(name).join("below")), "{args:?}: {name}");
            }
            assert!(!dir.path().join("out").exists(), "{args:?}");
        }
    }
}

#[test]
fn a_target_that_becomes_a_link_is_neither_followed_nor_replaced() {
    let dir = scratch();
    fs::create_dir_all(dir.path().join("elsewhere")).expect("made");
    done(dir.path(), &["stage", "--from", arg(&testdata("threads/acme-web-42")), "--out", "out"]);
    let swap = |at: &Path| symlink("elsewhere", at).expect("a link");
    let (status, said) = swapped(dir.path(), &["--out", "out", "--replace"], "out", &swap);
    assert_eq!(status, Some(2), "{said}");
    assert!(is_empty(&dir.path().join("elsewhere")) && dir.path().join("out").is_symlink(), "{said}");
    assert!(dir.path().join("moved/index.json").exists(), "what was there is somebody's");
}

/// Everything that a text can do to a reader, in every text that a stranger writes.
#[test]
fn texts_speak_to_nobody_but_the_reader() {
    let dir = scratch();
    let evil = "::set-output name=pwned::yes\n::error::no\r\nGITHUB_ENV<<EOF\n```\n## Heading\n<!-- end -->\n\u{1b}[31mred\u{1b}]0;t\u{7}\u{202e}|`x`|";
    let mut pull = read("pull.json");
    for name in ["title", "body"] {
        pull[name] = evil.into();
    }
    pull["labels"] = json!([{"id": 1, "name": evil}]);
    pull["user"]["login"] = "x\u{1b}[2J::warning::y".into();
    (pull["head"]["ref"], pull["milestone"]["title"]) = (evil.into(), evil.into());
    let mut comments = read("comments.json");
    comments[0]["body"] = evil.into();
    let mut changed = read("files.json");
    changed[0]["filename"] = "../../::set-output name=pwned::yes\n".into();
    for (name, value) in [("pull", pull), ("comments", comments), ("files", changed)] {
        fs::write(dir.path().join(format!("{name}.json")), value.to_string()).expect("written");
    }
    let mut command = docket(dir.path());
    command.args([
        "stage",
        "--out",
        "out",
        "--entity",
        "acme/web#42",
        "--annotations",
        "--github-output",
        "--step-summary",
    ]);
    command.args(["--dotenv", "docket.env", "--from", "pull.json", "comments.json", "files=files.json"]);
    command.env("GITHUB_OUTPUT", dir.path().join("outputs")).env("GITHUB_STEP_SUMMARY", dir.path().join("steps.md"));
    let output = command.output().expect("started");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8(told).expect("UTF-8");
    let ours = ["::error title=git-docket::", "::warning title=git-docket::", "::notice title=git-docket::"];
    for line in told.lines().filter(|line| line.trim_start().starts_with("::")) {
        assert!(ours.iter().any(|start| line.starts_with(start)), "{line}");
    }
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).expect("written");
    for (name, text) in [
        ("what was told", told),
        ("outputs", read("outputs")),
        ("steps.md", read("steps.md")),
        ("docket.env", read("docket.env")),
    ] {
        assert!(!text.contains("pwned") && !text.contains(['\u{1b}', '\u{202e}', '\r']), "{name}: {text}");
    }
    let names = ["context-dir", "index-digest", "complete", "gaps", "findings"];
    let outputs = read("outputs");
    assert_eq!(outputs.lines().map(|line| line.split('=').next().expect("a name")).collect::<Vec<_>>(), names);
    let tree = files(&dir.path().join("out"));
    for (path, bytes) in &tree {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{path}: {text}");
        assert!(!path.split('/').any(|part| part == "..") && !path.contains(['\n', ':', '\\']), "{path}");
    }
    let summary = String::from_utf8_lossy(&tree["summary.md"]).into_owned();
    assert!(
        !summary.lines().any(|line| line.starts_with("::") || line.starts_with("```") || line == "## Heading"),
        "{summary}"
    );
    assert!(!summary.contains("<!--"), "{summary}");
    assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 7, "nothing is written elsewhere");
}

/// A tenth of what the program takes, so that the test stays short: labels beyond any bound, and a body beyond any page.
#[test]
fn far_too_much_is_counted_and_left_out() {
    let dir = scratch();
    let mut pull = read("pull.json");
    pull["labels"] = (0..20_000).map(|at| json!({"id": at, "name": format!("label-{at}")})).collect();
    pull["body"] = "::set-output name=a::b\n".repeat(1 << 16).into();
    fs::write(dir.path().join("pull.json"), pull.to_string()).expect("written");
    let staged = done(dir.path(), &["stage", "--from", "pull.json", "--out", "out"]);
    let count = |scope: &str| {
        let rows = staged["gaps"].as_array().expect("gaps").iter();
        rows.filter(|row| row["scope"] == scope && row["code"] == "profile-bound")
            .map(|row| row["count"].as_u64())
            .next()
    };
    let entity: Value = serde_json::from_slice(&files(&dir.path().join("out"))["entity.json"]).expect("JSON");
    let shown = entity["labels"].as_array().expect("labels").len() as u64;
    assert_eq!((count("labels"), count("header")), (Some(Some(20_000 - shown)), Some(Some(1))), "{staged}");
    assert!(staged["bytes"].as_u64().expect("a size") < 100_000, "{staged}");
}
