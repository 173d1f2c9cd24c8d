//! Credentials in URLs are never filed.

use std::fs;

use git_docket::forge::credentials::redacted;
use serde_json::Value;

use crate::support::{done, files, scratch};

#[test]
fn every_credential_of_a_url_is_replaced() {
    let secret = [
        "access_token",
        "client_secret",
        "token",
        "private_token",
        "signature",
        "sig",
        "X-Amz-Credential",
        "X-Amz-Signature",
        "jwt",
        "code",
        "password",
        "ACCESS%5FTOKEN",
        "%74oken",
    ];
    for name in secret {
        let url = format!("https://h.example/a?page=2&{name}=hush&x=1#y&{name}=hush");
        let clean = format!("https://h.example/a?page=2&{name}=REDACTED&x=1#y&{name}=REDACTED");
        assert_eq!(redacted(&url), Some(clean.clone()));
        assert_eq!(redacted(&clean), None, "what is clean stays");
    }
    assert_eq!(redacted("https://me:hush@h.example/a@b"), Some("https://REDACTED@h.example/a@b".to_owned()));
    assert_eq!(redacted("https://a@hush@h.example"), Some("https://REDACTED@h.example".to_owned()));
    for harmless in ["", "u", "https://h.example/a@b?page=2&per_page=9&since=2020&q=token", "https://h.example?token="]
    {
        assert_eq!(redacted(harmless), None, "{harmless}");
    }
}

#[test]
fn no_credential_gets_into_a_store() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let api = "https://api.github.com/repos/acme/web/issues";
    let lines = format!(
        "{}\n{}\n",
        format_args!(r#"{{"method":"GET","url":"{api}/7/comments?access_token=hush","status":200,"body":[]}}"#),
        format_args!(r#"{{"method":"GET","url":"{api}/8?token=hush","status":404,"body":{{"message":"Not Found"}}}}"#),
    );
    fs::write(dir.path().join("r.jsonl"), lines).expect("a recording");
    let seen = done(dir.path(), &["--store", "store", "observe", "--observed-at", "2026-01-01T00:00:00Z", "r.jsonl"]);
    assert_eq!(seen["observed"], 2, "{seen}");
    let found: Vec<&Value> = seen["findings"].as_array().expect("findings").iter().collect();
    let inputs: Vec<_> = found.iter().map(|row| (row["code"].clone(), row["input"].clone())).collect();
    let expected = ["r.jsonl:1", "r.jsonl:2"].map(|input| ("credential-removed".into(), input.into()));
    assert_eq!(inputs, expected);
    let filed = files(&dir.path().join("store"));
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    assert!(filed.values().all(|bytes| !text(bytes).contains("hush")));
    assert_eq!(filed.values().filter(|bytes| text(bytes).contains("=REDACTED")).count(), 2);
}
