//! A look that tells less takes nothing from another, and what two dialects tell differently of one thing is one thing.

use super::*;

/// The members that one of the endpoints leaves out, item by item: what is there before is there afterwards.
fn without(item: &Value, names: &[&str]) -> Value {
    let mut item = item.clone();
    let object = item.as_object_mut().expect("an object");
    names.iter().for_each(|name| drop(object.remove(*name)));
    item
}

fn status(id: u64, members: Value) -> Value {
    let own = json!({"id": id, "node_id": format!("S{id}"), "url": format!("{API}/statuses/{}", "a".repeat(40)), "state": "success",
        "context": "ci", "description": "fine", "target_url": "https://ci.example/1", "creator": user("tove", 4103),
        "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z"});
    with(own, members)
}

fn check_run(id: u64, members: Value) -> Value {
    let own = json!({"id": id, "node_id": format!("C{id}"), "head_sha": "a".repeat(40), "name": "build", "status": "completed",
        "conclusion": "success", "url": format!("{API}/check-runs/{id}"), "html_url": "https://github.com/acme/web/runs/1",
        "details_url": "https://ci.example/1", "started_at": "2026-03-03T00:00:00Z", "completed_at": "2026-03-03T00:01:00Z",
        "output": {"title": "t", "summary": "s"}, "app": {"id": 1, "slug": "github-actions"}, "check_suite": {"id": 1}});
    with(own, members)
}

fn changed_file(members: Value) -> Value {
    let own = json!({"sha": "b".repeat(40), "filename": "a.rs", "status": "modified", "additions": 1, "deletions": 1, "changes": 2,
        "patch": "@@ -1 +1 @@\n-a\n+b", "contents_url": format!("{API}/contents/a.rs?ref={}", "a".repeat(40)),
        "blob_url": "https://github.com/acme/web/blob/x/a.rs"});
    with(own, members)
}

fn review(id: u64, members: Value) -> Value {
    let own = json!({"id": id, "node_id": format!("R{id}"), "user": user("tove", 4103), "body": "r", "state": "APPROVED",
        "html_url": format!("https://github.com/acme/web/pull/42#pullrequestreview-{id}"), "pull_request_url": format!("{API}/pulls/42"),
        "author_association": "MEMBER", "submitted_at": "2026-03-03T00:00:00Z", "commit_id": "a".repeat(40)});
    with(own, members)
}

/// Each member that is left out of the second look alone, and all those of a known shorter form.
fn each_less(item: &Value, names: &[&'static str]) -> Vec<(String, [Vec<Value>; 2])> {
    let looks = |less: &[&str]| [item.clone(), without(item, less)].map(|item| vec![pull(json!({})), json!([item])]);
    names.iter().map(|name| ((*name).to_owned(), looks(&[name]))).chain([("all".to_owned(), looks(names))]).collect()
}

#[test]
fn what_a_sparser_look_does_not_tell_stays() {
    let on_diff = with(
        review_comment(
            11,
            json!({"subject_type": "line", "commit_id": "a".repeat(40), "original_commit_id": "c".repeat(40), "node_id": "N"}),
        ),
        json!({"author_association": "MEMBER", "in_reply_to_id": 10, "start_line": 1, "original_start_line": 1}),
    );
    let event = event(31, "labeled", json!({"label": {"name": "bug"}, "commit_id": "a".repeat(40)}));
    let cases = [
        each_less(
            &on_diff,
            &[
                "line",
                "side",
                "original_line",
                "subject_type",
                "commit_id",
                "original_commit_id",
                "author_association",
                "in_reply_to_id",
                "start_line",
                "original_start_line",
                "node_id",
            ],
        ),
        // Without both, it would be no comment on the diff.
        each_less(&on_diff, &["diff_hunk"]),
        each_less(&on_diff, &["pull_request_review_id"]),
        each_less(&status(21, json!({})), &["creator", "description", "target_url", "node_id"]),
        each_less(
            &check_run(22, json!({})),
            &["app", "output", "details_url", "started_at", "completed_at", "html_url"],
        ),
        each_less(&changed_file(json!({})), &["patch"]),
        each_less(&changed_file(json!({})), &["sha"]),
        each_less(&changed_file(json!({})), &["additions", "deletions"]),
        each_less(&review(23, json!({})), &["commit_id", "author_association", "html_url", "node_id", "submitted_at"]),
        each_less(&event, &["label"]),
        each_less(&event, &["commit_id"]),
    ];
    let mut wrong = Vec::new();
    for (name, looks) in cases.into_iter().flatten() {
        let said = changed(&looks);
        if !said.is_empty() {
            wrong.push(format!("without {name}: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_another_state_had_is_not_taken_for_this_one() {
    let of = |item: Value| vec![pull(json!({})), json!([item])];
    let began_again = check_run(
        22,
        json!({"status": "in_progress", "conclusion": null, "completed_at": null, "output": {"title": null, "summary": null}}),
    );
    let tree = |looks: [Value; 2]| {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        for (payload, at) in looks.into_iter().zip([FIRST, SECOND]) {
            write(&dir.path().join("in.json"), &of(payload));
            let entity = ["--entity", "github:github.com/acme/web/pull/42", "--observed-at", at];
            done(dir.path(), &[&["--store", "store", "observe", "in.json"], &entity[..]].concat());
        }
        done(dir.path(), &["--store", "store", "snapshot", "--out", "out"]);
        files(&dir.path().join("out"))
    };
    let read = |tree: &BTreeMap<String, Vec<u8>>, end: &str| -> Value {
        let (_, bytes) = tree.iter().find(|(path, _)| path.ends_with(end)).expect("the file");
        serde_json::from_slice(bytes).expect("JSON")
    };
    let check = read(&tree([check_run(22, json!({})), began_again]), "check.json");
    assert_eq!(["conclusion", "completedAt", "title", "summary"].map(|name| check.get(name)), [None; 4], "{check}");
    // Another blob, or other numbers of lines, are another change: the patch of the former is not its patch.
    for other in [json!({"sha": "d".repeat(40)}), json!({"additions": 2, "deletions": 2})] {
        let later = without(&changed_file(other.clone()), &["patch"]);
        let files = read(&tree([changed_file(json!({})), later]), "files.json");
        assert_eq!(files["files"][0]["patch"], false, "{other}: {files}");
    }
}

#[test]
fn the_account_of_deleted_accounts_is_nobody_in_either_dialect() {
    let ghost = json!({"login": "ghost", "id": 10_137, "type": "User"});
    let rest = || vec![pull(json!({"user": ghost})), json!([comment(1, json!({"user": ghost}))])];
    let said = json!({"databaseId": 1, "body": "c", "createdAt": "2026-03-03T00:00:00Z", "updatedAt": "2026-03-03T00:00:00Z", "author": null});
    let graphql = || {
        vec![node(
            json!({"author": null, "updatedAt": "2026-03-02T00:00:00Z", "comments": {"nodes": [said], "totalCount": 1}}),
        )]
    };
    // What GraphQL does not tell becomes known with REST: the author is not among it.
    let told = changed(&[rest(), graphql()]);
    assert!(!told.iter().any(|row| row.contains(" author") || row.starts_with("item-changed")), "{told:?}");
    let told = changed(&[graphql(), rest()]);
    assert!(!told.iter().any(|row| row.contains("header author")), "{told:?}");
    let gone = || vec![("entity.json", "/author", Value::Null), ("index.json", "/item/author", Value::Null)];
    check(vec![("of REST", rest(), gone()), ("of GraphQL", graphql(), gone())]);
}
