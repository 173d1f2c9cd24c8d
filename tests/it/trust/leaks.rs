//! Withheld content leaves its row and nothing else: each text of each payload of each dialect has a mark of its own, and of those that a
//! stage is not to show none stands anywhere in it. What is shown nevertheless is in the tables, place by place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{done, files, scratch, testdata};

/// Members that are no text: addresses, ids, times, words of the forge, and logins, which are a part of the row.
const PLAIN: &[&str] = &[
    "__typename",
    "action",
    "activeLockReason",
    "after",
    "associations",
    "author_association",
    "authorAssociation",
    "awardable_type",
    "changeType",
    "conclusion",
    "content",
    "diffSide",
    "end_sha",
    "event",
    "file",
    "id",
    "individual_note",
    "isResolved",
    "line_code",
    "line_type",
    "link",
    "login",
    "login_name",
    "merge_status",
    "method",
    "mergeable",
    "mergeStateStatus",
    "node_id",
    "noteable_type",
    "oid",
    "permalink",
    "permission",
    "position_type",
    "previous_filename",
    "resource_type",
    "sha",
    "short_id",
    "side",
    "start_side",
    "state",
    "stateReason",
    "status",
    "subject_type",
    "subjectType",
    "type",
    "username",
    "visibility",
];

/// Texts that a payload may lack.
const NULLABLE: &[&str] = &[
    "body",
    "description",
    "failure_reason",
    "lock_reason",
    "message",
    "minimizedReason",
    "source",
    "summary",
    "title",
];

fn is_text(name: &str, value: &str) -> bool {
    let ends = [
        "url",
        "Url",
        "_at",
        "At",
        "Oid",
        "_sha",
        "_id",
        "Id",
        "date",
        "Date",
        "href",
        "_ids",
        "path_with_namespace",
        "full_name",
        "nameWithOwner",
    ];
    !value.is_empty() && !PLAIN.contains(&name) && !ends.iter().any(|end| name.ends_with(end))
}

/// Puts a mark before each text below a value; `marks` has the places, without the numbers of items.
fn plant(value: &mut Value, name: &str, place: &str, marks: &mut Vec<String>) {
    match value {
        Value::Null if NULLABLE.contains(&name) => {
            *value = format!("zq{}qz", marks.len()).into();
            marks.push(place.to_owned());
        }
        Value::String(text) if is_text(name, text) || (text.is_empty() && NULLABLE.contains(&name)) => {
            let mark = format!("zq{}qz", marks.len());
            // A patch is one only as long as its lines are what they are; elsewhere the mark stands first.
            *text = match text
                .rfind("\n+")
                .filter(|_| name == "patch" || name == "diff" || name == "diff_hunk" || name == "diffHunk")
            {
                Some(at) => format!("{}{mark}{}", &text[..at + 2], &text[at + 2..]),
                None if text.starts_with("@@") => return,
                None => format!("{mark}{text}"),
            };
            marks.push(place.to_owned());
        }
        Value::Object(members) => {
            let place =
                if members.get("system") == Some(&Value::Bool(true)) { &format!("{place}(system)") } else { place };
            members.iter_mut().for_each(|(name, value)| plant(value, name, &format!("{place}/{name}"), marks));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| plant(item, name, place, marks)),
        _ => {}
    }
}

/// A copy of the payloads in which each text has a mark; the places by number.
fn planted(payloads: &Path, into: &Path, edited: bool) -> Vec<String> {
    let mut marks = Vec::new();
    fs::create_dir_all(into).expect("a directory");
    let all = if payloads.is_dir() {
        files(payloads)
    } else {
        BTreeMap::from([("pull.json".to_owned(), fs::read(payloads).expect("a payload"))])
    };
    for (name, bytes) in all {
        let mut value: Value = serde_json::from_slice(&bytes).expect("JSON");
        if name != "_requests.json" {
            plant(&mut value, "", name.trim_end_matches(".json"), &mut marks);
            if edited {
                edit(&mut value);
            }
        }
        fs::write(into.join(name), value.to_string()).expect("a payload");
    }
    marks
}

/// Makes everything that has a time of its last change change later.
fn edit(value: &mut Value) {
    match value {
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| {
            if matches!(name.as_str(), "updated_at" | "updatedAt") && value.is_string() {
                *value = "2030-01-01T00:00:00Z".into();
            }
            edit(value);
        }),
        Value::Array(items) => items.iter_mut().for_each(edit),
        _ => {}
    }
}

/// The places whose marks stand in a tree, in a path or in a file.
fn shown(root: &Path, marks: &[String]) -> BTreeSet<String> {
    let all: String =
        files(root).into_iter().map(|(path, bytes)| format!("{path}\n{}\n", String::from_utf8_lossy(&bytes))).collect();
    let stands = |at: usize| all.contains(&format!("zq{at}qz"));
    marks.iter().enumerate().filter(|(at, _)| stands(*at)).map(|(_, place)| place.clone()).collect()
}

/// What a stage shows whoever wrote it: the change itself, how its checks went, what labels and branches are called.
const OF_THE_CHANGE: &[&str] = &[
    "threads/acme-web-42 check-runs/check_runs/app/slug",
    "threads/acme-web-42 check-runs/check_runs/name",
    "threads/acme-web-42 check-runs/check_runs/output/summary",
    "threads/acme-web-42 check-runs/check_runs/output/title",
    "threads/acme-web-42 files/filename",
    "threads/acme-web-42 files/patch",
    "threads/acme-web-42 pull/base/ref",
    "threads/acme-web-42 pull/head/ref",
    "threads/acme-web-42 pull/labels/color",
    "threads/acme-web-42 pull/labels/description",
    "threads/acme-web-42 pull/labels/name",
    "threads/acme-web-42 pull/mergeable_state",
    "threads/acme-web-42 pull/milestone/title",
    "threads/acme-web-42 pull/requested_teams/slug",
    "threads/acme-web-42 review-comments/diff_hunk",
    "threads/acme-web-42 review-comments/path",
    "threads/acme-web-42 statuses/context",
    "threads/gitlab-mr-7 changes/changes/diff",
    "threads/gitlab-mr-7 changes/changes/new_path",
    "threads/gitlab-mr-7 changes/changes/old_path",
    "threads/gitlab-mr-7 changes/detailed_merge_status",
    "threads/gitlab-mr-7 changes/labels/color",
    "threads/gitlab-mr-7 changes/labels/description",
    "threads/gitlab-mr-7 changes/labels/name",
    "threads/gitlab-mr-7 changes/milestone/title",
    "threads/gitlab-mr-7 changes/source_branch",
    "threads/gitlab-mr-7 changes/target_branch",
    "threads/gitlab-mr-7 discussions/notes/position/new_path",
    "threads/gitlab-mr-7 discussions/notes/position/old_path",
    "threads/gitlab-mr-7 jobs/failure_reason",
    "threads/gitlab-mr-7 jobs/name",
    "threads/gitlab-mr-7 pipelines/source",
    "threads/forgejo-pull-3 files/filename",
    "threads/forgejo-pull-3 pull/base/ref",
    "threads/forgejo-pull-3 pull/head/ref",
    "threads/forgejo-pull-3 review_comments/diff_hunk",
    "threads/forgejo-pull-3 review_comments/path",
    "threads/forgejo-pull-3 statuses/context",
    "graphql/acme-web-42.json baseRefName",
    "graphql/acme-web-42.json comments/minimizedReason",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/checkSuite/app/slug",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/context",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/name",
    "graphql/acme-web-42.json files/path",
    "graphql/acme-web-42.json headRefName",
    "graphql/acme-web-42.json labels/color",
    "graphql/acme-web-42.json labels/description",
    "graphql/acme-web-42.json labels/name",
    "graphql/acme-web-42.json milestone/title",
    "graphql/acme-web-42.json reviewRequests/requestedReviewer/slug",
    "graphql/acme-web-42.json reviewThreads/comments/diffHunk",
    "graphql/acme-web-42.json reviewThreads/comments/path",
];

/// Who reported a check that was made later: a part of its row.
const OF_ROWS: &[&str] = &[
    "threads/acme-web-42 check-runs/check_runs/app/slug",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/checkSuite/app/slug",
];

/// What was there before all that has a time of its last change was changed: what has no such time, and events and checks, which keep
/// their own. The bodies of reviews are counted in `edits-unknown`.
const OF_THE_TIME: &[&str] = &[
    "threads/acme-web-42 check-runs/check_runs/app/slug",
    "threads/acme-web-42 check-runs/check_runs/name",
    "threads/acme-web-42 check-runs/check_runs/output/summary",
    "threads/acme-web-42 check-runs/check_runs/output/title",
    "threads/acme-web-42 review-comments/diff_hunk",
    "threads/acme-web-42 review-comments/path",
    "threads/acme-web-42 reviews/body",
    "threads/acme-web-42 statuses/context",
    "threads/acme-web-42 statuses/description",
    "threads/acme-web-42 timeline/label/name",
    "threads/acme-web-42 timeline/rename/from",
    "threads/acme-web-42 timeline/rename/to",
    "threads/gitlab-mr-7 discussions/notes(system)/body",
    "threads/gitlab-mr-7 discussions/notes/position/new_path",
    "threads/gitlab-mr-7 discussions/notes/position/old_path",
    "threads/gitlab-mr-7 jobs/failure_reason",
    "threads/gitlab-mr-7 jobs/name",
    "threads/gitlab-mr-7 label_events/label/name",
    "threads/gitlab-mr-7 note_emoji/name",
    "threads/forgejo-pull-3 review_comments/diff_hunk",
    "threads/forgejo-pull-3 review_comments/path",
    "threads/forgejo-pull-3 reviews/body",
    "threads/forgejo-pull-3 statuses/context",
    "threads/forgejo-pull-3 timeline/label/name",
    "threads/forgejo-pull-3 timeline/new_title",
    "threads/forgejo-pull-3 timeline/old_title",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/checkSuite/app/slug",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/context",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/description",
    "graphql/acme-web-42.json commits/commit/statusCheckRollup/contexts/name",
    "graphql/acme-web-42.json reviewThreads/comments/diffHunk",
    "graphql/acme-web-42.json reviewThreads/comments/path",
    "graphql/acme-web-42.json reviews/body",
];

#[test]
fn no_text_that_is_withheld_stands_anywhere() {
    let modes: [(&str, &[&str], bool, &[&str]); 3] = [
        ("nobody", &["--allow-author", "nobody-here"], false, OF_THE_CHANGE),
        ("before", &["--as-of", "2001-01-01T00:00:00Z"], false, OF_ROWS),
        ("edited", &["--as-of", "2027-01-01T00:00:00Z"], true, OF_THE_TIME),
    ];
    for payloads in ["threads/acme-web-42", "threads/gitlab-mr-7", "threads/forgejo-pull-3", "graphql/acme-web-42.json"]
    {
        let dir = scratch();
        let plain = |place: String| place.replace("/nodes", "").replace("pull/data/repository/pullRequest/", "");
        let staged = |mode: &str, choice: &[&str], edited| -> BTreeSet<String> {
            let input = format!("in-{mode}");
            let marks = planted(&testdata(payloads), &dir.path().join(&input), edited);
            done(dir.path(), &[&["stage", "--profile", "full", "--from", &input, "--out", mode], choice].concat());
            shown(&dir.path().join(mode), &marks).into_iter().map(plain).collect()
        };
        let open = staged("open", &[], false);
        let told = |what: &str| open.iter().any(|place| place.ends_with(what));
        assert!(
            ["title", "body", "description"].iter().all(|what| told(what)) && open.len() > 12,
            "{payloads}: {open:?}"
        );
        for (mode, choice, edited, all) in modes {
            let own: BTreeSet<_> =
                all.iter().filter_map(|place| place.strip_prefix(payloads)?.strip_prefix(' ')).collect();
            let found = staged(mode, choice, edited);
            assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), own, "{payloads}: {mode}");
        }
    }
}

#[test]
fn logs_and_mails_are_withheld_like_the_rest() {
    let dir = scratch();
    planted(&testdata("threads/acme-web-42"), &dir.path().join("in"), false);
    let mail = "From 2f36b5091671a29e8f73e18a3723e66714617f9e Mon Sep 17 00:00:00 2001\nFrom: zqnameqz <a@example.org>\nDate: Mon, 2 Mar 2026 00:00:00 +0000\n\
        Subject: [PATCH] zqsubjectqz\n\nzqmessageqz\n---\n a.rs | 1 +\n 1 file changed, 1 insertion(+)\n\n\
        diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1,2 @@\n a\n+zqpatchqz\n-- \n2.40.0\n";
    fs::write(dir.path().join("mail.patch"), mail).expect("a mail");
    let log = format!("{}##[error]zqfailureqz\n", "zqlineqz\n".repeat(20));
    fs::write(dir.path().join("log.txt"), log).expect("a log");
    let marks = ["name", "subject", "message", "patch", "line", "failure"];
    let having = |out: &str, choice: &[&str]| -> Vec<&str> {
        let args = ["stage", "--profile", "full", "--out", out];
        let inputs = ["--from", "in", "diff=mail.patch", "logs:31000000002=log.txt"];
        done(dir.path(), &[&args[..], choice, &inputs].concat());
        let all: String =
            files(&dir.path().join(out)).values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        marks.into_iter().filter(|mark| all.contains(&format!("zq{mark}qz"))).collect()
    };
    assert_eq!(having("open", &[]), marks);
    assert_eq!(
        having("nobody", &["--allow-author", "nobody-here"]),
        ["patch", "line", "failure"],
        "the change and how its checks went"
    );
    assert_eq!(having("before", &["--as-of", "2001-01-01T00:00:00Z"]), [""; 0]);
}

#[test]
fn what_is_linked_is_withheld_like_what_was_asked_for() {
    let dir = scratch();
    let (alice, mallory) = (super::user(1, "alice"), super::mallory());
    let input = dir.path().join("in");
    super::write(&input, "pull.json", &super::pull((&alice, "MEMBER"), "title", "see #7", "2026-03-01T00:00:00Z"));
    let at = "2026-03-02T00:00:00Z";
    let issue = serde_json::json!({"number": 7, "id": 7, "node_id": "I_7", "title": "zq1qz", "body": "zq2qz", "state": "open", "user": mallory,
        "author_association": "NONE", "labels": [], "milestone": null, "comments": 1, "created_at": at, "updated_at": at,
        "url": format!("{}/issues/7", super::API), "html_url": "https://github.com/acme/web/issues/7"});
    super::write(&input, "issue.json", &issue);
    let mut comment = super::comment(700, &mallory, Some("NONE"), "zq3qz", [at, at]);
    comment["issue_url"] = format!("{}/issues/7", super::API).into();
    comment["html_url"] = "https://github.com/acme/web/issues/7#issuecomment-700".into();
    super::write(&input, "comment.json", &comment);
    let having = |out: &str, choice: &[&str]| {
        let args = ["stage", "--entity", "acme/web#42", "--with-linked", "--from", "in", "--out", out];
        let said = done(dir.path(), &[&args, choice].concat());
        assert_eq!(said["linked"][0], "github:github.com/acme/web/issue/7");
        let marks: Vec<_> = ["", "title", "body", "comment"].map(str::to_owned).into();
        let row = super::json_of(&dir.path().join(out).join("github.com/acme/web/issue/7/index.json"));
        (
            shown(&dir.path().join(out), &marks).len(),
            super::entry(&row, 700).get("withheld").map(|row| row["reason"].clone()),
        )
    };
    assert_eq!(having("open", &[]), (3, None));
    assert_eq!(having("shut", &["--deny-author", "mallory"]), (0, Some("not-admitted".into())));
    assert_eq!(having("then", &["--as-of", "2026-03-01T12:00:00Z"]), (0, Some("after-as-of".into())));
}
