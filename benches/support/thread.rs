//! A generated issue with many comments, in the shape of the GitHub REST API and of what people write: prose, quotes, code and links.
//! Seeded, so that every run has the same bytes.

#![allow(clippy::unwrap_used, reason = "a bench stops where it cannot go on")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::payloads::{API, Random, time, user};

const PROSE: &str = include_str!("../payloads/prose.txt");

const CODE: &str = "```rust\nfn restore(cache: &Path, list: &[Entry]) -> io::Result<u64> {\n    let mut reused = 0;\n    \
    for entry in list.iter().filter(|entry| entry.digest == digest_of(&cache.join(&entry.name))) {\n        \
    fs::hard_link(cache.join(&entry.name), &entry.name)?;\n        reused += 1;\n    }\n    Ok(reused)\n}\n```";

const LOG: &str = "```\n$ make check CACHE=/tmp/cache\nerror: 3 files are newer than their sources\n  src/main.c: restored at 16:30:02, \
    changed at 16:29:58\nmake: *** [Makefile:42: check] Error 2\n```";

/// Writes `issue.json` and `comments.json`; returns their bytes.
pub fn write(dir: &Path, comments: u64, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let issue = format!("{API}/issues/7");
    let header = json!({"id": 500_007, "node_id": "I_500007", "number": 7, "url": issue, "repository_url": API,
        "comments_url": format!("{issue}/comments"), "html_url": "https://github.com/acme/web/issues/7", "state": "open", "locked": false,
        "title": "The restored cache is newer than the sources", "user": user(1), "body": body(&mut random), "labels": [], "assignees": [],
        "milestone": null, "created_at": time(&mut random, 0), "updated_at": time(&mut random, 300), "closed_at": null,
        "author_association": "MEMBER", "comments": comments});
    let list: Vec<_> = (0..comments).map(|at| comment(&mut random, at, &issue)).collect();
    fs::create_dir_all(dir).unwrap();
    let files = [("issue.json", header), ("comments.json", Value::from(list))];
    let written = files.map(|(name, value)| {
        let text = serde_json::to_vec(&value).unwrap();
        fs::write(dir.join(name), &text).unwrap();
        text.len()
    });
    written.iter().sum()
}

fn comment(random: &mut Random, at: u64, issue: &str) -> Value {
    let (id, made) = (1_000_000_000 + at * 10 + random.below(9), time(random, at / 4));
    json!({"id": id, "node_id": format!("IC_{id}"), "url": format!("{API}/issues/comments/{id}"), "issue_url": issue,
        "html_url": format!("https://github.com/acme/web/issues/7#issuecomment-{id}"), "user": user(random.below(200)),
        "created_at": made, "updated_at": made, "author_association": "MEMBER", "body": body(random), "performed_via_github_app": null,
        "reactions": {"url": format!("{API}/issues/comments/{id}/reactions"), "total_count": 0, "+1": 0, "-1": 0, "laugh": 0,
            "hooray": 0, "confused": 0, "heart": 0, "rocket": 0, "eyes": 0}})
}

/// Most texts are a few paragraphs, few are very long.
fn body(random: &mut Random) -> String {
    let count = match random.below(100) {
        0 => 30 + random.below(60),
        1..20 => 8 + random.below(8),
        _ => 1 + random.below(5),
    };
    (0..count).map(|_| paragraph(random)).collect::<Vec<_>>().join("\n\n")
}

fn paragraph(random: &mut Random) -> String {
    let sentences: Vec<_> = PROSE.split_inclusive(['.', '?']).map(str::trim).collect();
    let mut some = |most: u64| {
        let picked = (0..1 + random.below(most)).map(|_| sentences[random.below(sentences.len() as u64) as usize]);
        picked.collect::<Vec<_>>().join(" ")
    };
    let text = some(5);
    let said = some(2);
    match random.below(8) {
        0 => format!("> {}\n\n{text}", said.replace('\n', "\n> ")),
        1 => format!("{text}\n\n{CODE}"),
        2 => format!("{text}\n\n{LOG}"),
        3 => {
            let sha = random.sha();
            format!(
                "{text} See https://github.com/acme/web/blob/{sha}/src/cache.rs#L10-L{} and [the manual](https://docs.example/cache).",
                11 + random.below(90)
            )
        }
        4 => format!("- {said}\n- `cache.key` and #{}\n- @user{}: {text}", random.below(900), random.below(200)),
        _ => text,
    }
}
