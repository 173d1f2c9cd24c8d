//! What is of another repository or host is never filed under the caller's entity, whatever the shape of its address.

use std::fs;

use crate::support::{docket, done, report, scratch};

const REACTION: &str = r#"[{"id":5,"user":{"login":"x","id":1},"content":"+1","created_at":"2024-01-01T00:00:00Z"}]"#;
const EMPTY: &str = "[]";
const NO_CHECKS: &str = r#"{"total_count":0,"check_runs":[]}"#;
const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// The URL of an answer, its body, and the entity that the caller names.
fn cases() -> Vec<(String, &'static str, &'static str)> {
    let github = "github:github.com/other/repo/pull/9";
    let gitea = "gitea:gitea.example/other/repo/pull/9";
    let of = |url: &str, body, entity| (url.to_owned(), body, entity);
    let mut cases = Vec::new();
    for base in [
        "https://api.github.com/repos/acme/web",
        "https://ghe.example/api/v3/repos/other/repo",
        "https://gitea.example/api/v1/repos/acme/web",
    ] {
        for entity in [github, gitea] {
            cases.push(of(&format!("{base}/issues/comments/77/reactions"), REACTION, entity));
            cases.push(of(&format!("{base}/pulls/comments/77/reactions"), REACTION, entity));
            cases.push(of(&format!("{base}/issues/comments"), EMPTY, entity));
            cases.push(of(&format!("{base}/pulls/comments"), EMPTY, entity));
            cases.push(of(&format!("{base}/commits/{SHA}/check-runs"), NO_CHECKS, entity));
            cases.push(of(&format!("{base}/commits/{SHA}/statuses"), EMPTY, entity));
        }
    }
    let gitlab = "gitlab:gitlab.com/other/repo/pull/9";
    cases.push(of("https://gitlab.com/api/v4/projects/acme%2Fweb/pipelines/3/jobs", EMPTY, gitlab));
    cases.push(of("https://gitlab.example/api/v4/projects/7/pipelines/3/jobs", EMPTY, gitlab));
    cases
}

#[test]
fn an_address_elsewhere_is_not_the_callers() {
    let dir = scratch();
    let path = dir.path().join("answer.json");
    for (url, body, entity) in cases() {
        fs::write(&path, body).expect("written");
        let args = ["stage", "--from", "answer.json", "--source", &url, "--entity", entity, "--out", "out"];
        let (status, value) = report(dir.path(), &args);
        assert_eq!(status, 2, "{url} {entity}: {value}");
        let code = value["error"]["code"].as_str().expect("a code");
        assert!(matches!(code, "nothing-recognised" | "entity-not-found"), "{url} {entity}: {value}");
        assert!(!dir.path().join("out").exists(), "{url} {entity}");
    }
}

#[test]
fn a_log_and_a_refusal_elsewhere_are_not_the_callers() {
    let dir = scratch();
    let line = |status: u16, url: &str, body: &str| {
        format!(
            r#"{{"method":"GET","url":"https://api.github.com/repos/acme/web/{url}","status":{status},"headers":{{}},{body}}}"#
        )
    };
    let lines = [
        line(200, "actions/jobs/5/logs", r#""body_text":"hello from a job\n""#),
        line(404, "issues/comments/77/reactions", r#""body":{"message":"Not Found"}"#),
        line(403, &format!("commits/{SHA}/check-runs"), r#""body":{"message":"Forbidden"}"#),
    ];
    fs::write(dir.path().join("ex.jsonl"), lines.join("\n")).expect("written");
    let args = ["stage", "--from", "ex.jsonl", "--entity", "github:github.com/other/repo/pull/9", "--out", "out"];
    let (status, value) = report(dir.path(), &args);
    assert_eq!((status, value["error"]["code"].as_str()), (2, Some("nothing-recognised")), "{value}");
}

#[test]
fn the_same_repository_is_the_callers_in_any_case_and_by_number() {
    let dir = scratch();
    fs::write(dir.path().join("answer.json"), REACTION).expect("written");
    let cases = [
        ("https://api.github.com/repos/Acme/WEB/issues/comments/77/reactions", "github:github.com/acme/web/pull/9"),
        ("https://api.github.com/repositories/5/issues/comments/77/reactions", "github:github.com/acme/web/pull/9"),
        (
            "https://git.example/api/v1/repos/acme/web/issues/comments/77/reactions",
            "forgejo:git.example/acme/web/issue/9",
        ),
    ];
    for (at, (url, entity)) in cases.into_iter().enumerate() {
        let out = format!("out{at}");
        let args = ["stage", "--from", "answer.json", "--source", url, "--entity", entity, "--out", &out];
        done(dir.path(), &args);
        let text = fs::read_to_string(dir.path().join(out).join("reactions.json")).expect("reactions");
        assert!(text.contains("\"+1\""), "{url}: {text}");
    }
}

#[test]
fn what_the_recording_shows_of_a_comment_wins() {
    let dir = scratch();
    let base = "https://api.github.com/repos/acme/web";
    let comment = format!(
        r#"[{{"id":77,"url":"{base}/issues/comments/77","issue_url":"{base}/issues/42","user":{{"login":"x","id":1}},"body":"hi","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}]"#
    );
    let line = |url: &str, body: &str| {
        format!(r#"{{"method":"GET","url":"{base}/{url}","status":200,"headers":{{}},"body":{body}}}"#)
    };
    let lines = [line("issues/42/comments", &comment), line("issues/comments/77/reactions", REACTION)];
    fs::write(dir.path().join("ex.jsonl"), lines.join("\n")).expect("written");
    let args = ["stage", "--from", "ex.jsonl", "--entity", "github:github.com/acme/web/issue/1", "--out", "out"];
    let (status, value) = report(dir.path(), &args);
    assert_eq!((status, value["error"]["code"].as_str()), (2, Some("entity-not-found")), "{value}");
    let args = ["stage", "--from", "ex.jsonl", "--entity", "github:github.com/acme/web/issue/42", "--out", "out"];
    assert!(docket(dir.path()).args(args).status().expect("started").success());
}
