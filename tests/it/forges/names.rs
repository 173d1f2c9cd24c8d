//! Ids, directories and addresses of the forges.

use git_docket::forge::named::entity_from_text;
use git_docket::format::entity::{Entity, Forge, Repository, Subject};

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
        (vec!["acme/web#7", "--forge", "sourcehut"], "entity-invalid"),
        (vec!["acme/web#7", "--forge", "gitlab"], "entity-not-found"),
    ] {
        let (status, value) = shown(&more);
        assert_eq!((status, value["error"]["code"].as_str()), (2, Some(code)), "{more:?}");
    }
}
