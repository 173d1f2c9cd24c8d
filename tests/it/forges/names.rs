//! Ids, directories and addresses of the forges.

use git_docket::forge::named::entity_from_text;
use git_docket::format::entity::{Entity, Forge, Repository, Subject};

use std::fs;

use serde_json::{Value, json};

use super::exchange;
use crate::support::{arg, done, report, scratch, testdata};

#[test]
fn an_id_of_gitlab_has_one_spelling_and_is_entity_and_subject() {
    for (id, dir) in [
        ("gitlab:gitlab.com/a/web/-/issues/5", "gitlab/gitlab.com/a/web/-/issue/0000/5"),
        (
            "gitlab:git.example.org:8443/G/Sub/web/-/merge_requests/7001",
            "gitlab/git.example.org%3a8443/g/sub/web/-/merge-request/0007/7001",
        ),
    ] {
        let entity: Entity = id.parse().expect("an id");
        assert_eq!(entity.to_string(), id);
        assert_eq!(entity.subject().to_string(), id);
        assert_eq!(id.parse::<Subject>().expect("a subject"), entity.subject());
        assert_eq!(entity.dir(), dir);
        assert_eq!(entity.subject().dir(), dir);
    }
    for wrong in [
        "gitlab:gitlab.com/a/web/issues/5",
        "gitlab:gitlab.com/a/web/-/issue/5",
        "gitlab:gitlab.com/a/web/-/pull/5",
        "gitlab:gitlab.com/a/web/-/merge_requests/05",
        "gitlab:gitlab.com/a/web/-/issues/5/",
        "gitlab:gitlab.com/web/-/issues/5",
        "gitlab:gitlab.com/a/-/web/-/issues/5",
        "gitlab:GitLab.com/a/web/-/issues/5",
        "gitlab:gitlab.com/a//web/-/issues/5",
        "gitlab:gitlab.com/a/../web/-/issues/5",
        "gitlab:gitlab.com/a/web/thread/5",
    ] {
        assert!(wrong.parse::<Entity>().is_err(), "{wrong}");
        assert!(wrong.parse::<Subject>().is_err() || wrong.ends_with("/5") && !wrong.contains("/-/"), "{wrong}");
    }
}

#[test]
fn groups_within_groups_stay_apart_and_short() {
    let dir = |path: &str| Repository::new(Forge::GitLab, "gitlab.com", path).expect("a project").dir();
    assert_eq!(dir("a/b"), "gitlab/gitlab.com/a/b/-");
    assert_eq!(dir("a/issue/issue"), "gitlab/gitlab.com/a/issue/issue/-");
    let deep = ["a-group-with-a-name"; 8].join("/");
    let (one, other) = (dir(&format!("{deep}/one")), dir(&format!("{deep}/other")));
    assert_ne!(one, other);
    assert!(one.len() <= "gitlab/gitlab.com/".len() + 81 + 2, "{one}");
    assert!(Repository::new(Forge::GitLab, "gitlab.com", &["a"; 22].join("/")).is_err());
    assert!(Repository::new(Forge::GitHub, "github.com", "a/b/c").is_err());
    assert!(Repository::new(Forge::Forgejo, "codeberg.org", "a/b/c").is_err());
}

#[test]
fn addresses_name_entities() {
    let named = |text: &str| entity_from_text(text, None).map(|named| named.subject.to_string()).unwrap_or_default();
    for (text, id) in [
        ("https://gitlab.com/g/sub/web/-/issues/5#note_7", "gitlab:gitlab.com/g/sub/web/-/issues/5"),
        ("https://gitlab.com/g/web/-/work_items/5", "gitlab:gitlab.com/g/web/-/issues/5"),
        (
            "https://git.example.org:8443/g/sub/web/-/merge_requests/7/diffs?x=1",
            "gitlab:git.example.org:8443/g/sub/web/-/merge_requests/7",
        ),
        ("https://git.example.org/g/web/merge_requests/7", "gitlab:git.example.org/g/web/-/merge_requests/7"),
        ("https://gitlab.com/api/v4/projects/g%2Fsub%2Fweb/issues/5/notes", "gitlab:gitlab.com/g/sub/web/-/issues/5"),
        ("https://gitlab.com/g/sub/web", "gitlab:gitlab.com/g/sub/web"),
        ("https://codeberg.org/a/b/issues/1", "forgejo:codeberg.org/a/b/thread/1"),
        ("https://git.example.org/a/b/pulls/1/files", "gitea:git.example.org/a/b/thread/1"),
        ("http://127.0.0.1:3000/api/v1/repos/a/b/issues/1", "gitea:127.0.0.1:3000/a/b/thread/1"),
        ("https://git.example.org/a/b/issues/1", "github:git.example.org/a/b/thread/1"),
        ("gitlab:gitlab.com/g/web/-/issues/5", "gitlab:gitlab.com/g/web/-/issues/5"),
        ("forgejo:codeberg.org/a/b/pull/1", "forgejo:codeberg.org/a/b/thread/1"),
    ] {
        assert_eq!(named(text), id, "{text}");
    }
    let short = |text: &str| {
        entity_from_text(text, Some((Forge::GitLab, "gitlab.com"))).map(|named| named.subject.to_string()).ok()
    };
    assert_eq!(short("g/sub/web#5").as_deref(), Some("gitlab:gitlab.com/g/sub/web/-/issues/5"));
    assert_eq!(short("g/web!7").as_deref(), Some("gitlab:gitlab.com/g/web/-/merge_requests/7"));
    let by_number = entity_from_text("https://gitlab.com/api/v4/projects/7/issues/5", None).expect_err("no name");
    assert_eq!(by_number.code(), "entity-ambiguous");
}

#[test]
fn a_short_form_is_where_the_caller_says() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", arg(&testdata("threads/gitlab-mr-7"))]);
    let shown = |more: &[&str]| report(dir.path(), &[&["--store", "store", "show"], more].concat());
    let (status, value) = shown(&["acme/tools/web!7", "--forge", "gitlab", "--host", "gitlab.example.org:8443"]);
    assert_eq!((status, &value["id"]), (0, &"gitlab:gitlab.example.org:8443/acme/tools/web/-/merge_requests/7".into()));
    // The store says where it is.
    for more in [&["acme/tools/web!7"][..], &["acme/tools/web!7", "--forge", "gitlab"]] {
        let (status, found) = shown(more);
        assert_eq!((status, &found["id"]), (0, &value["id"]), "{more:?}");
    }
    for (more, code) in [
        (vec!["acme/tools/web!8"], "entity-not-found"),
        (vec!["acme/tools/web"], "entity-not-found"),
        (vec!["web!7"], "entity-invalid"),
        (vec!["acme/web#7", "--forge", "forgejo"], "entity-ambiguous"),
        (vec!["acme/web#7", "--forge", "sourcehut"], "usage"),
        (vec!["acme/web#7", "--forge", "gitlab"], "entity-not-found"),
    ] {
        let (status, value) = shown(&more);
        assert_eq!((status, value["error"]["code"].as_str()), (2, Some(code)), "{more:?}");
    }
}

const SHA: &str = "cafe000000000000000000000000000000000001";

/// What belongs to a commit belongs to the pull request whose head that is, on each forge.
#[test]
fn what_belongs_to_a_commit_is_of_the_pull_request_with_that_head() {
    let gitea = "https://git.example.org:3000/api/v1/repos/a/b";
    let gitlab = "https://gitlab.com/api/v4/projects/a%2Fb";
    let side = json!({"ref": "b", "sha": SHA, "repo": null});
    let user = json!({"id": 1, "login": "a", "username": "a"});
    let status = json!({"id": 8, "status": "success", "context": "ci", "url": format!("{gitea}/statuses/{SHA}"), "creator": user,
        "created_at": "2026-01-02T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"});
    let combined = json!({"state": "success", "sha": SHA, "total_count": 1, "statuses": [status], "url": format!("{gitea}/commits/{SHA}/status")});
    let pull = json!({"id": 1, "number": 2, "title": "t", "state": "open", "is_locked": false, "user": user, "head": side, "base": side,
        "url": "https://git.example.org:3000/a/b/pulls/2", "html_url": "https://git.example.org:3000/a/b/pulls/2"});
    let pipeline = json!({"id": 5, "sha": SHA, "ref": "b", "status": "success", "source": "push", "web_url": "https://gitlab.com/a/b/-/pipelines/5"});
    let external = json!({"id": 6, "sha": SHA, "ref": "b", "status": "success", "name": "ci", "author": {"id": 1, "username": "a"}});
    let request = json!({"id": 9, "iid": 2, "project_id": 4, "title": "t", "state": "opened", "source_branch": "b", "sha": SHA,
        "web_url": "https://gitlab.com/a/b/-/merge_requests/2"});
    let listed = |url: &str, body: &Value| exchange(url, &json!({}), body);
    let cases = [
        (&pull, "gitea:git.example.org:3000/a/b/pull/2", "statuses", json!([status]).to_string()),
        (&pull, "gitea:git.example.org:3000/a/b/pull/2", "statuses", combined.to_string()),
        (
            &pull,
            "gitea:git.example.org:3000/a/b/pull/2",
            "statuses",
            listed(&format!("{gitea}/commits/{SHA}/statuses"), &json!([])),
        ),
        (&request, "gitlab:gitlab.com/a/b/-/merge_requests/2", "checks", json!([pipeline]).to_string()),
        (
            &request,
            "gitlab:gitlab.com/a/b/-/merge_requests/2",
            "statuses",
            listed(&format!("{gitlab}/repository/commits/{SHA}/statuses"), &json!([external])),
        ),
    ];
    for (record, entity, facet, input) in cases {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        fs::write(dir.path().join("head.json"), record.to_string()).expect("written");
        fs::write(dir.path().join("checks.json"), &input).expect("written");
        let alone = report(dir.path(), &["--store", "store", "observe", "checks.json"]);
        assert_eq!(alone.0, 2, "nobody's without a head: {input}");
        let observe = |name: &str| {
            done(dir.path(), &["--store", "store", "observe", "--observed-at", "2026-01-03T00:00:00Z", name])
        };
        observe("head.json");
        let seen = observe("checks.json");
        assert_eq!((&seen["unrecognised"], &seen["entities"]), (&json!([]), &json!([entity])), "{input}");
        let shown = done(dir.path(), &["--store", "store", "show", entity]);
        assert_ne!(shown["coverage"][facet]["state"], "absent", "{input}");
        // Two pull requests with one head are both or neither: then it is nobody's.
        let other = record.to_string().replace("pulls/2", "pulls/3").replace("merge_requests/2", "merge_requests/3");
        let other = other.replace("\"number\":2", "\"number\":3").replace("\"iid\":2", "\"iid\":3");
        fs::write(dir.path().join("other.json"), other).expect("written");
        observe("other.json");
        assert_eq!(report(dir.path(), &["--store", "store", "observe", "checks.json"]).0, 2, "{input}");
    }
}
