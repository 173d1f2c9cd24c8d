//! Generated dumps: a whole repository in one `archive.json` of GraphQL nodes, and one file for each thread, as a client library
//! wrote it again. Seeded, so that every run has the same bytes.

#![allow(clippy::unwrap_used, reason = "a bench stops where it cannot go on")]

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::payloads::{API, Random, repo, time, user};

const PAGE: &str = "https://github.com/acme/web";

/// Writes an archive of at least so many bytes: two of three threads are issues. Returns its threads and comments.
pub fn write_archive(path: &Path, bytes: usize, seed: u64) -> (u64, u64) {
    let mut random = Random::new(seed);
    let (mut lists, mut size, mut number, mut comments) = ([Vec::new(), Vec::new()], 0, 0, 0);
    while size < bytes {
        number += 1;
        let is_pull = random.below(3) == 0;
        let (node, count) = node(&mut random, number, is_pull);
        let text = serde_json::to_string(&node).unwrap();
        (size, comments) = (size + text.len() + 1, comments + count);
        lists[usize::from(is_pull)].push(text);
    }
    let labels: Vec<_> =
        (0..20).map(|at| json!({"name": format!("label{at}"), "description": "", "color": "d73a4a"})).collect();
    let [issues, pulls] = lists.map(|list| list.join(","));
    let mut out = fs::File::create(path).unwrap();
    let (magic, made) = ("E!vIA5L86J2I", "2026-03-04T16:30:00.000000+00:00");
    write!(out, r#"{{"magic":"{magic}","timestamp":"{made}","repo":"acme/web","labels":{},"#, Value::from(labels))
        .unwrap();
    write!(out, r#""issues":[{issues}],"pulls":[{pulls}]}}"#).unwrap();
    (number, comments)
}

/// A thread as a node with its connections made flat, and how many comments it has.
fn node(random: &mut Random, number: u64, is_pull: bool) -> (Value, u64) {
    let page = format!("{PAGE}/{}/{number}", if is_pull { "pull" } else { "issues" });
    let (made, count) = (time(random, number), random.below(13));
    let comment = |random: &mut Random, at: u64| {
        let (id, made) = (1_000_000_000 + number * 100 + at, time(random, number + at));
        json!({"id": format!("IC_kwDO{id}"), "author": login(random), "authorAssociation": "MEMBER", "body": random.text(35),
            "createdAt": made, "updatedAt": made, "url": format!("{page}#issuecomment-{id}")})
    };
    let comments: Vec<_> = (0..count).map(|at| comment(random, at)).collect();
    let mut node = json!({"number": number, "id": format!("I_kwDO{number}"), "title": random.text(8), "url": page,
        "state": if number.is_multiple_of(3) { "OPEN" } else { "CLOSED" }, "author": login(random), "authorAssociation": "MEMBER",
        "assignees": [], "milestone": null, "createdAt": made, "closedAt": null, "updatedAt": time(random, number + 40),
        "body": random.text(68), "labels": [format!("label{}", number % 20)], "comments": comments});
    if is_pull {
        let review = |random: &mut Random, at: u64| {
            let (id, made) = (2_000_000_000 + number * 100 + at, time(random, number + at));
            json!({"id": format!("PRR_kwDO{id}"), "commit": {"abbreviatedOid": "0123456"}, "author": login(random), "state": "COMMENTED",
                "authorAssociation": "MEMBER", "body": random.text(20), "createdAt": made, "updatedAt": made, "submittedAt": made,
                "url": format!("{page}#pullrequestreview-{id}"), "comments": []})
        };
        let reviews: Vec<_> = (0..random.below(3)).map(|at| review(random, at)).collect();
        node["reviews"] = reviews.into();
        for (name, value) in [("baseRefName", "main"), ("headRefName", "topic"), ("headRepository", "acme/web")] {
            node[name] = value.into();
        }
        (node["baseRefOid"], node["headRefOid"]) = (random.sha().into(), random.sha().into());
        (node["mergedAt"], node["mergedBy"], node["mergeCommit"]) = (Value::Null, Value::Null, Value::Null);
    }
    (node, count)
}

fn login(random: &mut Random) -> String {
    format!("user{}", random.below(50))
}

/// Writes so many threads, `issues/N.json` or `pulls/N.json` each; returns their bytes.
pub fn write_threads(dir: &Path, threads: u64, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    for folder in ["issues", "pulls"] {
        fs::create_dir_all(dir.join(folder)).unwrap();
    }
    (1..=threads)
        .map(|number| {
            let is_pull = random.below(3) == 0;
            let text = serde_json::to_string(&thread(&mut random, number, is_pull)).unwrap();
            let folder = if is_pull { "pulls" } else { "issues" };
            fs::write(dir.join(format!("{folder}/{number}.json")), &text).unwrap();
            text.len() as u64
        })
        .sum()
}

/// `{type, issue|pull, events, comments}`; the comments of a pull request are those on its diff.
fn thread(random: &mut Random, number: u64, is_pull: bool) -> Value {
    let (issue, pull) = (format!("{API}/issues/{number}"), format!("{API}/pulls/{number}"));
    let word = if is_pull { "pull" } else { "issue" };
    let page = format!("{PAGE}/{}/{number}", if is_pull { "pull" } else { "issues" });
    let id = |at: u64| 1_000_000_000 + number * 1000 + at;
    let mut header = json!({"id": id(0), "node_id": format!("I_{number}"), "number": number, "html_url": page,
        "url": if is_pull { &pull } else { &issue }, "state": "open", "locked": false, "title": random.text(6), "user": user(random.below(50)),
        "body": random.text(160), "labels": [], "assignees": [], "created_at": time(random, number),
        "updated_at": time(random, number + 40), "author_association": "MEMBER"});
    if is_pull {
        header["issue_url"] = json!(issue);
        header["head"] =
            json!({"label": "acme:topic", "ref": "topic", "sha": random.sha(), "user": user(0), "repo": repo()});
        header["base"] =
            json!({"label": "acme:main", "ref": "main", "sha": random.sha(), "user": user(0), "repo": repo()});
    } else {
        (header["repository_url"], header["comments_url"]) = (json!(API), json!(format!("{issue}/comments")));
    }
    let commented = |random: &mut Random, at: u64| {
        let (id, made, who) = (id(1 + at), time(random, number + at), user(random.below(50)));
        json!({"event": "commented", "id": id, "node_id": format!("IC_{id}"), "url": format!("{API}/issues/comments/{id}"), "issue_url": issue,
            "html_url": format!("{page}#issuecomment-{id}"), "user": who, "actor": who, "created_at": made, "updated_at": made,
            "author_association": "MEMBER", "body": random.text(110), "commit_id": null, "commit_url": null})
    };
    let labeled = |random: &mut Random, at: u64| {
        json!({"event": "labeled", "id": id(300 + at), "node_id": format!("EV_{at}"), "url": format!("{API}/issues/events/{}", id(300 + at)),
            "actor": user(random.below(50)), "label": {"name": format!("label{at}"), "color": "d73a4a"}, "commit_id": null,
            "commit_url": null, "created_at": time(random, number + at)})
    };
    let on_diff = |random: &mut Random, at: u64| {
        let (id, made) = (id(600 + at), time(random, number + at));
        json!({"id": id, "node_id": format!("PRRC_{id}"), "url": format!("{API}/pulls/comments/{id}"), "pull_request_review_id": 5,
            "diff_hunk": "@@ -1,3 +1,4 @@\n context\n-old\n+new", "path": format!("src/file{at}.rs"), "user": user(random.below(50)),
            "body": random.text(110), "created_at": made, "updated_at": made, "html_url": format!("{page}#discussion_r{id}"),
            "pull_request_url": pull, "author_association": "MEMBER", "position": 3, "original_position": 3})
    };
    let mut events: Vec<_> = (0..random.below(4)).map(|at| commented(random, at)).collect();
    events.extend((0..random.below(4)).map(|at| labeled(random, at)));
    let mut dump = json!({"type": word, "events": events});
    dump[word] = header;
    if is_pull {
        dump["comments"] = (0..random.below(4)).map(|at| on_diff(random, at)).collect();
    }
    dump
}
