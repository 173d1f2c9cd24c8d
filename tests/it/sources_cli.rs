//! The command as people and scripts meet it: text, JSON, exit status, trouble.

use std::process::{Command, Output};

use serde_json::Value;

use crate::sources_support::{Repo, skipped};

fn docket(repo: &Repo, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_git-docket"));
    command.arg("sources").args(args).args(["--repo", &repo.path().display().to_string()]);
    if args.first() == Some(&"collect") {
        command.args(["--search-seconds", "300"]);
    }
    command.env_remove("LC_ALL").output().expect("git-docket runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("one JSON object: {output:?}"))
}

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a.rs", "fn needle() {}\n").write("b.rs", "// grüsse needle\n").write("README.md", "Title\n").commit();
    repo
}

#[test]
fn collect_prints_the_block_and_with_json_all_three() {
    let repo = repo();
    let plain = docket(&repo, &["collect", "--draft", "find the needle"]);
    assert_eq!(plain.status.code(), Some(0));
    let all = json(&docket(&repo, &["collect", "--draft", "find the needle", "--json"]));
    assert_eq!(all["block"], text(&plain));
    assert_eq!(json(&docket(&repo, &["collect", "--draft", "find the needle", "--ndjson"])), all);
    let names: Vec<&String> = all.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["block", "card", "context"]);
    let prompt = text(&docket(&repo, &["collect", "--draft", "find the needle", "--card"]));
    let expected =
        format!("repo context:\n{}{}", all["card"].as_str().expect("a card"), all["block"].as_str().expect("a block"));
    assert_eq!(prompt, expected);
    let theirs = json(&docket(&repo, &["collect", "--draft", "find the needle", "--json", "--compat", "openagents"]));
    let mut names: Vec<&String> = theirs["context"].as_object().expect("a context").keys().collect();
    names.sort();
    assert_eq!(names, ["card_digest", "diagnostics", "references", "rendered_digest", "schema", "terms"]);
    let by_git = docket(&repo, &["collect", "--draft", "find the needle", "--search", "git"]);
    assert_eq!(text(&by_git), text(&plain));
    let file = repo.outside("draft");
    std::fs::write(&file, "find the needle").expect("a file");
    assert_eq!(text(&docket(&repo, &["collect", "--draft-file", &file.display().to_string()])), text(&plain));
}

#[test]
fn the_locale_of_the_environment_counts_for_comparison_only() {
    let repo = repo();
    repo.write("c.rs", "GRÜSSE\n").commit();
    let found = |args: &[&str], locale: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-docket"));
        command.args(["sources", "collect", "--draft", "grüsse", "--json", "--repo"]).arg(repo.path()).args(args);
        let output = command.env("LC_ALL", locale).output().expect("git-docket runs");
        json(&output)["context"]["references"].as_array().map(Vec::len)
    };
    assert_eq!(found(&[], "C"), Some(2));
    assert_eq!(found(&["--locale", "C"], "C.UTF-8"), Some(1));
    assert_eq!(found(&["--compat", "openagents"], "C"), Some(1));
    assert_eq!(found(&["--compat", "openagents"], "C.UTF-8"), Some(2));
}

#[test]
fn check_answers_with_its_status() {
    let repo = repo();
    let context = docket(&repo, &["collect", "--draft", "find the needle", "--json"]).stdout;
    let file = repo.outside("context.json");
    std::fs::write(&file, context).expect("a file");
    let file = file.display().to_string();
    let same = docket(&repo, &["check", &file]);
    assert_eq!(
        (same.status.code(), text(&same)),
        (Some(0), "same    a.rs:1\nsame    b.rs:1\nreferences: 2 same\n".to_owned())
    );
    repo.write("a.rs", "// new\nfn needle() {}\n").write("b.rs", "// other\n");
    let drifted = docket(&repo, &["check", &file]);
    let expected = "moved   a.rs:1 -> a.rs:2\nchanged b.rs:1\nreferences: 1 moved, 1 changed\n";
    assert_eq!((drifted.status.code(), text(&drifted)), (Some(1), expected.to_owned()));
    assert_eq!(docket(&repo, &["check", &file, "--at", "HEAD"]).status.code(), Some(0));
    let answer = json(&docket(&repo, &["check", &file, "--json"]));
    assert_eq!((&answer["same"], &answer["references"][0]["status"]), (&false.into(), &"moved".into()));
}

#[test]
fn a_door_is_asked_and_its_judgment_stands_again() {
    let repo = repo();
    let answer =
        r#"{"choice":"b.rs (the whole file)","probabilities":{"none":0.1,"b.rs (the whole file)":0.90},"model":"m"}"#;
    let door = format!("cat >> '{}'; printf '%s' '{answer}'", repo.outside("asked").display());
    let first = docket(&repo, &["collect", "--draft", "find the needle", "--json", "--decide", &door]);
    let order = r#""probabilities":{"none":0.1,"b.rs (the whole file)":0.9}"#;
    assert!(text(&first).contains(order), "the order of the numbers is lost: {}", text(&first));
    assert_eq!(json(&first)["context"]["references"][0]["path"], "b.rs");
    let file = repo.outside("first.json");
    std::fs::write(&file, &first.stdout).expect("a file");
    let asked = || std::fs::read_to_string(repo.outside("asked")).map_or(0, |text| text.lines().count());
    assert_eq!(asked(), 1);
    let reuse = ["--decide", &door, "--reuse", &file.display().to_string()];
    let again = docket(&repo, &[&["collect", "--draft", "find the needle", "--json"][..], &reuse].concat());
    assert_eq!((asked(), &json(&again)["decision"]["reused"]), (1, &true.into()));
    assert_eq!(json(&again)["context"], json(&first)["context"]);
    docket(&repo, &[&["collect", "--draft", "find another needle", "--json"][..], &reuse].concat());
    assert_eq!(asked(), 2, "a new task asks again");
}

#[test]
fn another_users_repository_is_read_when_safe_directory_names_it() {
    let repo = repo();
    let chown = Command::new("chown").args(["-R", "12345"]).arg(repo.path()).output().expect("chown runs");
    if !chown.status.success() {
        return skipped("only root can give a file away");
    }
    let home = repo.outside("home");
    std::fs::create_dir(&home).expect("a directory");
    for (config, searchers, code) in
        [("", &["in-process"][..], 2), ("[safe]\n\tdirectory = *\n", &["in-process", "git"][..], 0)]
    {
        std::fs::write(home.join(".gitconfig"), config).expect("a file");
        for searcher in searchers {
            let mut command = Command::new(env!("CARGO_BIN_EXE_git-docket"));
            command
                .args(["sources", "collect", "--draft", "needle", "--json", "--search", searcher, "--repo"])
                .arg(repo.path());
            let output = command.env("HOME", &home).env_remove("XDG_CONFIG_HOME").output().expect("git-docket runs");
            assert_eq!(output.status.code(), Some(code), "{output:?}");
            let references = json(&output)["context"]["references"].as_array().map_or(0, Vec::len);
            assert_eq!(references, if code == 0 { 2 } else { 0 }, "{searcher}: {output:?}");
        }
    }
}

#[test]
fn trouble_has_a_code() {
    let repo = repo();
    let missing = repo.outside("missing").display().to_string();
    let cases: [(&[&str], &str); 10] = [
        (&["collect"], "usage"),
        (&["collect", "--draft", "x", "--place", "a:1"], "usage"),
        (&["collect", "--place", "a.rs"], "usage"),
        (&["collect", "--draft", "x", "--git", "git"], "usage"),
        (&["collect", "--draft", "x", "--decide-seconds", "5"], "usage"),
        (&["collect", "--draft", "x", "--profile", "mine"], "profile-unknown"),
        (&["collect", "--draft", "x", "--decide", "true", "--questions", "Cargo.toml"], "questions-invalid"),
        (&["collect", "--draft", "x", "--decide", "true", "--reuse", "Cargo.toml"], "reuse-invalid"),
        (&["check", "Cargo.toml"], "sources-invalid"),
        (&["check", &missing], "input-unreadable"),
    ];
    for (args, code) in cases {
        let output = docket(&repo, &[args, &["--json"][..]].concat());
        assert_eq!((output.status.code(), &json(&output)["error"]["code"]), (Some(2), &code.into()), "{args:?}");
    }
}
