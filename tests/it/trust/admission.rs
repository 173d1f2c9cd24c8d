//! Admission: no text of whoever is refused, a row for each of them, and unknown is neither yes nor no.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{API, HEAD, MARK, comment, entry, gap, having, json_of, mallory, pull, stage, user, write};
use crate::support::{done, report, scratch};

const AT: [&str; 2] = ["2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z"];

/// A pull request of a stranger, in which a member, a stranger and a bot speak wherever one can.
fn payloads(dir: &Path) {
    let (alice, mallory, bot) = (user(1, "alice"), mallory(), user(3, "ci[bot]"));
    let dir = dir.join("in");
    write(&dir, "pull.json", &pull((&mallory, "NONE"), &format!("{MARK} title"), &format!("{MARK} body"), AT[1]));
    let comments = json!([
        comment(101, &alice, Some("MEMBER"), "kept comment", AT),
        comment(102, &mallory, Some("NONE"), &format!("{MARK} comment"), AT),
        comment(103, &bot, Some("CONTRIBUTOR"), "bot comment", AT),
    ]);
    write(&dir, "comments.json", &comments);
    let review = json!([{"id": 201, "node_id": "PRR_201", "user": mallory, "author_association": "NONE",
        "body": format!("{MARK} review"), "state": "APPROVED", "submitted_at": AT[0], "commit_id": HEAD,
        "html_url": "https://github.com/acme/web/pull/42#pullrequestreview-201", "pull_request_url": format!("{API}/pulls/42")}]);
    write(&dir, "reviews.json", &review);
    let place = |id: u64, reply: Option<u64>, author: &Value, association: &str, body: &str| {
        let mut value = comment(id, author, Some(association), body, AT);
        let more = json!({"url": format!("{API}/pulls/comments/{id}"), "pull_request_url": format!("{API}/pulls/42"),
            "path": "a.rs", "diff_hunk": "@@ -1 +1 @@\n-a\n+b", "side": "RIGHT", "line": 1, "original_line": 1, "position": 1,
            "commit_id": HEAD, "original_commit_id": HEAD, "pull_request_review_id": 201});
        value.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        value.as_object_mut().expect("an object").remove("issue_url");
        reply.into_iter().for_each(|reply| value["in_reply_to_id"] = reply.into());
        value
    };
    let threads = json!([
        place(301, None, &alice, "MEMBER", "kept root"),
        place(302, Some(301), &mallory, "NONE", &format!("{MARK} reply")),
        place(303, None, &mallory, "NONE", &format!("{MARK} root")),
    ]);
    write(&dir, "review-comments.json", &threads);
    let commit = json!([{"sha": HEAD, "node_id": "C_1", "parents": [], "author": alice, "committer": alice,
        "html_url": format!("https://github.com/acme/web/commit/{HEAD}"), "url": format!("{API}/commits/{HEAD}"),
        "commit": {"message": format!("{MARK} message"), "author": {"name": format!("{MARK} name"), "email": "a@example.org",
            "date": AT[0]}, "committer": {"name": "x", "email": "a@example.org", "date": AT[0]}}}]);
    write(&dir, "commits.json", &commit);
    let event = |id: u64, actor: &Value, from: &str, to: &str, at: &str| {
        json!({"id": id, "node_id": format!("E_{id}"), "url": format!("{API}/issues/events/{id}"), "actor": actor,
            "event": "renamed", "created_at": at, "rename": {"from": from, "to": to}})
    };
    let events = json!([
        event(401, &alice, &format!("{MARK} first"), "kept title", AT[0]),
        event(402, &mallory, "kept title", &format!("{MARK} title"), "2026-03-02T00:00:01Z"),
    ]);
    write(&dir, "events.json", &events);
    let reaction = json!([{"id": 501, "node_id": "REA_1", "user": mallory, "content": "rocket", "created_at": AT[0]}]);
    write(&dir, "reactions.json", &reaction);
}

fn staged(dir: &Path, out: &str, more: &[&str]) -> Value {
    let named = ["commits=in/commits.json", "events=in/events.json", "reactions=in/reactions.json"];
    let plain = ["in/pull.json", "in/comments.json", "in/reviews.json", "in/review-comments.json"];
    let args = [&["stage", "--entity", "acme/web#42", "--out", out, "--from"], &plain[..], &named, more].concat();
    done(dir, &args);
    json_of(&dir.join(out).join("index.json"))
}

#[test]
fn no_text_of_a_refused_author_is_anywhere_and_every_one_leaves_its_row() {
    let dir = scratch();
    payloads(dir.path());
    let open = staged(dir.path(), "open", &[]);
    assert!(having(&dir.path().join("open"), MARK).len() > 8, "the marks are in the payloads");
    let choices: [&[&str]; 4] = [
        &["--admit", "members"],
        &["--admit", "association:owner,MEMBER"],
        &["--deny-author", "MALLORY"],
        &["--allow-author", "Alice", "--deny-author", "@mallory"],
    ];
    for (at, choice) in choices.into_iter().enumerate() {
        let out = format!("shut-{at}");
        let index = staged(dir.path(), &out, choice);
        let root = dir.path().join(&out);
        assert_eq!(having(&root, MARK), [""; 0], "{choice:?}");
        assert!(!having(&root, "kept comment").is_empty() && !having(&root, "kept root").is_empty(), "{choice:?}");
        let row = entry(&index, 102);
        assert_eq!(row["withheld"], json!({"bytes": MARK.len() + 8, "reason": "not-admitted"}), "{choice:?}");
        assert_eq!((&row["bytes"], &row["author"]["login"]), (&json!(0), &json!("Mallory")));
        assert_eq!((&row["filter"]["status"], &row["createdAt"]), (&json!("withheld"), &json!(AT[0])));
        assert_eq!(entry(&index, 201)["state"], "approved", "what a review decides is no text");
        assert_eq!(json_of(&root.join("entity.json"))["title"], "[withheld:not-admitted]");
        assert_eq!(json_of(&root.join("entity.json"))["author"]["login"], "Mallory");
        let threads = json_of(&root.join("threads.json"));
        assert_eq!(threads["threads"][0]["comments"][1]["withheld"]["reason"], "not-admitted");
        assert!(threads["threads"][0]["comments"][0].get("withheld").is_none());
        let commits = json_of(&root.join("changes/commits.json"));
        assert_eq!(commits["commits"][0]["withheld"]["reason"], "not-admitted", "whoever the commit says wrote it");
        let events = json_of(&root.join("timeline.json"));
        assert_eq!(events["events"][1]["withheld"]["reason"], "not-admitted");
        assert_eq!((&events["events"][1]["event"], &events["events"][1]["details"]), (&json!("renamed"), &json!({})));
        assert_eq!(gap(&index, "review-comments", "not-admitted"), 2);
        assert_eq!((gap(&index, "reviews", "not-admitted"), gap(&index, "header", "not-admitted")), (1, 2));
        assert_eq!(done(dir.path(), &["verify", &out])["verified"], true);
        assert_eq!(open["coverage"], index["coverage"], "admission is no matter of coverage");
        let summary = fs::read_to_string(root.join("summary.md")).expect("a summary");
        assert!(summary.contains("texts shown of") && summary.contains("not-admitted"), "{summary}");
    }
}

#[test]
fn lists_of_logins_come_first_and_refusing_wins() {
    let dir = scratch();
    payloads(dir.path());
    let shown = |out: &str, more: &[&str]| -> Vec<bool> {
        let index = staged(dir.path(), out, more);
        [101, 102, 103].map(|id| entry(&index, id).get("withheld").is_none()).to_vec()
    };
    assert_eq!(shown("a", &["--admit", "members"]), [true, false, false]);
    assert_eq!(shown("b", &["--admit", "members", "--allow-author", "mallory"]), [true, true, false]);
    assert_eq!(
        shown("c", &["--admit", "members", "--allow-author", "mallory", "--deny-author", "MALLORY"]),
        [true, false, false]
    );
    assert_eq!(shown("d", &["--bots", "exclude"]), [true, true, false]);
    assert_eq!(shown("e", &["--bots", "exclude", "--allow-author", "CI[bot]", "--admit", "all"]), [true, true, true]);
    assert_eq!(shown("f", &["--allow-author", "mallory"]), [false, true, false], "a list alone names everyone");
    assert_eq!(shown("g", &["--admit", "association:contributor"]), [false, false, true]);
}

#[test]
fn an_association_that_nothing_tells_is_no_member_and_it_says_so() {
    let dir = scratch();
    let carol = user(5, "carol");
    let comments = json!([
        comment(101, &carol, None, "by someone", AT),
        comment(102, &json!(null), Some("MEMBER"), "by an account that is gone", AT),
        comment(103, &user(6, "dave"), Some("MEMBER"), "first", AT),
        comment(104, &user(6, "dave"), None, "second", AT),
    ]);
    write(&dir.path().join("in"), "comments.json", &comments);
    let index = stage(dir.path(), "out", &["--admit", "members"]);
    for id in [101, 102] {
        assert_eq!(entry(&index, id)["withheld"]["reason"], "admission-unknown", "{id}");
    }
    assert_eq!((gap(&index, "comments", "admission-unknown"), gap(&index, "comments", "not-admitted")), (2, 0));
    for id in [103, 104] {
        assert!(entry(&index, id).get("withheld").is_none(), "{id}: the account is a member, as another comment says");
    }
    let index = stage(dir.path(), "all", &["--admit", "all"]);
    assert!(index["entries"].as_array().expect("entries").iter().all(|entry| entry.get("withheld").is_none()));
}

#[test]
fn a_profile_may_say_all_of_it_and_options_override() {
    let dir = scratch();
    payloads(dir.path());
    let index = staged(
        dir.path(),
        "first",
        &["--admit", "members", "--deny-author", "Eve", "--bots", "exclude", "--head", HEAD],
    );
    let profile = &index["profile"];
    let said = json!([profile["admit"], profile["denyAuthors"], profile["bots"], profile["head"], profile["asOf"]]);
    assert_eq!(said, json!(["members", ["eve"], "exclude", HEAD, null]));
    fs::write(dir.path().join("profile.json"), profile.to_string()).expect("a profile");
    assert_eq!(staged(dir.path(), "second", &["--profile", "profile.json"]), index);
    let over = ["--profile", "profile.json", "--admit", "association:OWNER", "--as-of", "2026-03-05T01:00:00+01:00"];
    let index = staged(dir.path(), "third", &over);
    assert_eq!(index["profile"]["admit"], json!(["OWNER"]));
    assert_eq!(index["profile"]["asOf"], "2026-03-05T00:00:00Z");
    for (option, value) in [
        ("--admit", "member"),
        ("--admit", "association:MEMEBER"),
        ("--admit", "association:"),
        ("--bots", "maybe"),
        ("--as-of", "yesterday"),
        ("--head", "abc123"),
        ("--deny-author", "two words"),
    ] {
        let (status, said) = report(dir.path(), &["stage", "--from", "in", option, value, "--out", "none"]);
        assert_eq!((status, &said["error"]["code"]), (2, &json!("usage")), "{option} {value}: {said}");
    }
    for (member, value) in [
        ("admit", json!("owners")),
        ("admit", json!(["member"])),
        ("denyAuthors", json!("eve")),
        ("bots", json!(true)),
        ("asOf", json!("2026-03-05")),
        ("head", json!(HEAD.to_uppercase())),
    ] {
        let mut wrong = profile.clone();
        wrong[member] = value;
        fs::write(dir.path().join("wrong.json"), wrong.to_string()).expect("a profile");
        let (status, said) = report(dir.path(), &["stage", "--from", "in", "--profile", "wrong.json", "--out", "none"]);
        assert_eq!((status, &said["error"]["code"]), (2, &json!("profile-invalid")), "{member}: {said}");
        assert!(said["error"]["message"].as_str().expect("a message").contains(member), "{said}");
    }
    assert!(!dir.path().join("none").exists());
}

#[test]
fn a_diff_says_that_the_profile_changed_and_not_that_anyone_edited_anything() {
    let dir = scratch();
    payloads(dir.path());
    staged(dir.path(), "open", &[]);
    staged(dir.path(), "shut", &["--admit", "members"]);
    for (a, b) in [("open", "shut"), ("shut", "open")] {
        let said = done(dir.path(), &["diff", a, b]);
        let changes: Vec<_> = said["changes"].as_array().expect("changes").iter().map(|row| &row["change"]).collect();
        assert!(changes.contains(&&json!("profile-changed")), "{said}");
        for edited in [
            "comment-edited",
            "review-edited",
            "body-edited",
            "title-edited",
            "review-comment-edited",
            "comment-deleted",
        ] {
            assert!(!changes.contains(&&json!(edited)), "{edited}: {said}");
        }
    }
    assert_eq!(done(dir.path(), &["diff", "shut", "shut"])["equal"], true);
}

#[test]
fn messages_in_a_series_of_patches_are_nobodys() {
    let dir = scratch();
    payloads(dir.path());
    let mail = format!(
        "From {HEAD} Mon Sep 17 00:00:00 2001\nFrom: M <m@example.org>\nDate: Mon, 2 Mar 2026 00:00:00 +0000\nSubject: [PATCH] {MARK}\n\n\
         {MARK}\n---\n a.rs | 2 +-\n 1 file changed\n\ndiff --git a/a.rs b/a.rs\nindex 1111111..2222222 100644\n--- a/a.rs\n+++ b/a.rs\n\
         @@ -1 +1 @@\n-a\n+b\n-- \n2.39\n\n"
    );
    fs::write(dir.path().join("series.patch"), mail).expect("a series");
    staged(dir.path(), "open", &["diff=series.patch", "--deny-author", "nobody-here", "--head", HEAD]);
    let patch = fs::read_to_string(dir.path().join("open/changes/diff.patch")).expect("a diff");
    assert!(patch.starts_with("diff --git a/a.rs b/a.rs\n") && !patch.contains(MARK), "{patch}");
    let all = staged(dir.path(), "all", &["diff=series.patch", "--head", HEAD]);
    assert!(fs::read_to_string(dir.path().join("all/changes/diff.patch")).expect("a diff").contains(MARK));
    assert_eq!(gap(&all, "diff", "admission-unknown"), 0);
    let other = staged(dir.path(), "other", &["diff=series.patch", "--head", super::OLD_HEAD]);
    assert_eq!(gap(&other, "diff", "head-moved"), 1);
}

#[test]
fn whoever_is_not_admitted_crowds_out_nobody() {
    let dir = scratch();
    let mut comments = vec![comment(100, &user(1, "alice"), Some("MEMBER"), "the one that matters", AT)];
    comments.extend((101..120).map(|id| comment(id, &mallory(), Some("NONE"), MARK, AT)));
    write(&dir.path().join("in"), "comments.json", &json!(comments));
    let index = stage(dir.path(), "out", &["--admit", "members", "--max-comments", "5"]);
    assert!(entry(&index, 100).get("withheld").is_none());
    let shown = index["entries"].as_array().expect("entries").iter().filter(|entry| entry["role"] == "comment");
    let ids: Vec<_> = shown.map(|entry| entry["source"]["id"].as_u64().expect("an id")).collect();
    assert_eq!(ids, [100, 116, 117, 118, 119], "the newest rows have the room that is left");
    assert_eq!((gap(&index, "comments", "profile-bound"), gap(&index, "comments", "not-admitted")), (15, 19));
    let index = stage(dir.path(), "oldest", &["--admit", "members", "--max-comments", "1", "--keep", "oldest"]);
    assert_eq!(
        index["entries"].as_array().expect("entries").iter().filter(|entry| entry["role"] == "comment").count(),
        1
    );
    assert!(entry(&index, 100).get("withheld").is_none());
}

/// Stages payloads of which some are named; the index.
fn staged_of(dir: &Path, out: &str, inputs: &[&str], more: &[&str]) -> Value {
    done(dir, &[&["stage", "--entity", "acme/web#42", "--out", out, "--from"], inputs, more].concat());
    json_of(&dir.join(out).join("index.json"))
}

#[test]
fn the_title_of_a_run_is_the_authors_and_a_status_is_its_reporters() {
    let dir = scratch();
    let input = dir.path().join("in");
    write(&input, "pull.json", &pull((&mallory(), "NONE"), "t", "b", AT[1]));
    let run = json!({"id": 910, "node_id": "WR", "name": "CI", "display_title": format!("{MARK} title"), "head_branch": "topic",
        "head_sha": HEAD, "path": ".github/workflows/ci.yml", "run_number": 1, "run_attempt": 1, "event": "pull_request",
        "status": "completed", "conclusion": "failure", "workflow_id": 3, "check_suite_id": 5,
        "url": format!("{API}/actions/runs/910"), "html_url": "https://github.com/acme/web/actions/runs/910",
        "created_at": AT[0], "updated_at": AT[0], "run_started_at": AT[0], "pull_requests": []});
    write(&input, "runs.json", &json!({"total_count": 1, "workflow_runs": [run]}));
    let status = json!([{"id": 920, "node_id": "S", "url": format!("{API}/statuses/{HEAD}"), "state": "failure", "context": "ctx",
        "description": format!("{MARK} status"), "target_url": "https://x.example/", "creator": mallory(), "created_at": AT[0],
        "updated_at": AT[0]}]);
    write(&input, "statuses.json", &status);
    let inputs = ["in/pull.json", "in/runs.json", "statuses=in/statuses.json"];
    staged_of(dir.path(), "open", &inputs, &[]);
    assert!(having(&dir.path().join("open"), MARK).len() > 1, "the marks are in the payloads");
    for (at, choice) in [&["--admit", "members"][..], &["--allow-author", "alice"], &["--deny-author", "mallory"]]
        .into_iter()
        .enumerate()
    {
        let out = format!("shut-{at}");
        let index = staged_of(dir.path(), &out, &inputs, choice);
        assert_eq!(having(&dir.path().join(&out), MARK), [""; 0], "{choice:?}");
        assert_eq!(gap(&index, "checks", "not-admitted"), 1, "{choice:?}");
        assert_eq!(
            gap(&index, "statuses", "not-admitted") + gap(&index, "statuses", "admission-unknown"),
            1,
            "{choice:?}"
        );
    }
}

#[test]
fn a_title_that_nothing_shows_the_giver_of_is_not_shown() {
    let dir = scratch();
    let (alice, input) = (user(1, "alice"), dir.path().join("in"));
    write(&input, "pull.json", &pull((&alice, "MEMBER"), "third", "b", AT[1]));
    let event = |id: u64, actor: &Value, from: &str, to: &str| {
        json!({"id": id, "node_id": format!("E_{id}"), "url": format!("{API}/issues/events/{id}"), "actor": actor,
            "event": "renamed", "created_at": format!("2026-03-02T00:00:{:02}Z", id % 60), "rename": {"from": from, "to": to}})
    };
    let rows = |index: &Value, out: &str| -> Vec<Value> {
        assert_eq!(having(&dir.path().join(out), MARK), [""; 0], "{index}");
        let events = json_of(&dir.path().join(out).join("timeline.json"));
        events["events"].as_array().expect("events").iter().map(|event| event["withheld"]["reason"].clone()).collect()
    };
    let inputs = ["in/pull.json", "events=in/events.json"];
    write(
        &input,
        "events.json",
        &json!([event(420, &alice, &format!("{MARK} first"), "second"), event(421, &alice, "second", "third")]),
    );
    let index = staged_of(dir.path(), "part", &inputs, &["--deny-author", "mallory"]);
    assert_eq!(rows(&index, "part"), [json!("admission-unknown"), json!(null)]);
    write(
        &input,
        "events.json",
        &json!([event(420, &alice, "first", "second"), event(421, &alice, &format!("{MARK} other"), "third")]),
    );
    let index =
        staged_of(dir.path(), "other", &["in/pull.json", "timeline=in/events.json"], &["--deny-author", "mallory"]);
    assert_eq!(rows(&index, "other")[1], json!("admission-unknown"));
}

#[test]
fn an_account_is_one_under_all_its_names() {
    let dir = scratch();
    let input = dir.path().join("in");
    let bare = json!({"login": "mallory-old"});
    let bot = json!({"login": "renovate"});
    let comments = json!([
        comment(101, &mallory(), Some("NONE"), &format!("{MARK} new name"), AT),
        comment(102, &user(9, "mallory-old"), Some("NONE"), &format!("{MARK} old name"), AT),
        comment(103, &bare, Some("NONE"), &format!("{MARK} no id"), AT),
        comment(104, &bot, Some("NONE"), "no type", AT),
        comment(105, &user(1, "alice"), Some("MEMBER"), "kept", AT),
    ]);
    write(&input, "comments.json", &comments);
    let index = stage(dir.path(), "deny", &["--deny-author", "mallory"]);
    assert_eq!(having(&dir.path().join("deny"), MARK), [""; 0]);
    assert_eq!(gap(&index, "comments", "not-admitted"), 3);
    for (at, name) in ["app/renovate", "renovate", "renovate[bot]"].into_iter().enumerate() {
        let index = stage(dir.path(), &format!("bot-{at}"), &["--deny-author", name]);
        assert_eq!(entry(&index, 104)["withheld"]["reason"], "not-admitted", "{name}");
    }
    let index = stage(dir.path(), "people", &["--bots", "exclude"]);
    assert_eq!(entry(&index, 104)["withheld"]["reason"], "admission-unknown", "nothing tells what it is");
    assert!(entry(&index, 103).get("withheld").is_none() && entry(&index, 105).get("withheld").is_none());
}
