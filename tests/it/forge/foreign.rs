//! What belongs to another repository, forge or API never becomes the caller's.

use git_docket::forge::recognise::{Hints, recognise};
use git_docket::format::entity::{Entity, Subject};
use git_docket::format::json::{self, Json};

use super::{lines, parse};
use crate::support::{arg, done, files, report, scratch, shared, testdata};

const OURS: &str = "github:github.com/acme/web/thread/42";

/// What a payload shows when acme/web#42 is the caller's entity.
fn ours(view: &Json<'_>) -> Vec<String> {
    let subject: Subject = OURS.parse().expect("a subject");
    lines(&recognise(view, &Hints { entity: Some((&subject, None)), ..Hints::default() }))
}

#[test]
fn a_payload_that_names_another_repository_is_not_the_callers() {
    let repository =
        r#""repository":{"id":9,"full_name":"other/repo","owner":{},"url":"https://api.github.com/repos/other/repo"}"#;
    let status = r#""id":1,"context":"ci","state":"success""#;
    let api = "https://api.github.com/repos/other/repo";
    let foreign = [
        format!(r#"{{{status},{repository}}}"#),
        format!(r#"{{"state":"success","sha":"a","total_count":0,"statuses":[],{repository}}}"#),
        format!(r#"{{"state":"success","sha":"a","total_count":1,"statuses":[{{{status}}}],{repository}}}"#),
        format!(r#"{{"filename":"a","status":"added","contents_url":"{api}/contents/a?ref=b"}}"#),
        format!(r#"{{"sha":"a","parents":[],"commit":{{"url":"{api}/git/commits/a"}}}}"#),
        format!(r#"{{"number":42,"title":"t","state":"open","user":null,"repository_url":"{api}"}}"#),
    ];
    for text in foreign {
        assert_eq!(ours(&parse(&text)), ["left \"\" entity-ambiguous"], "{text}");
        let mine = text.replace("other/repo", "Acme/Web");
        assert!(ours(&parse(&mine))[0].starts_with("acme/web/thread/42"), "{mine}: {:?}", ours(&parse(&mine)));
    }
    let sender = format!(r#"{{{status},{repository},"sender":{{"login":"mona"}}}}"#).replace("other/repo", "acme/web");
    assert_eq!(ours(&parse(&sender)), ["left \"\" event-no-entity"], "a delivery is no REST object");
}

#[test]
fn an_issue_is_shown_by_number_title_state_and_its_address() {
    let text = r#"{"number":42,"title":"t","state":"open","url":"https://api.github.com/repos/acme/web/issues/42"}"#;
    assert_eq!(ours(&parse(text)), ["acme/web/thread/42 ? header: record \"\" []"]);
}

/// Every recorded payload below a folder, by its path.
fn recorded(below: &str) -> Vec<(String, Json<'static>)> {
    let Some(root) = shared(below) else { return Vec::new() };
    let files = walkdir::WalkDir::new(root).into_iter().map(|entry| entry.expect("an entry").into_path());
    let read = |path: std::path::PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        let (view, _) = json::parse_lenient(&bytes).ok()?;
        Some((path.display().to_string(), view.into_owned()))
    };
    files.filter(|path| path.is_file()).filter_map(read).collect()
}

#[test]
fn nothing_recorded_elsewhere_becomes_the_callers() {
    let folders = ["webhooks", "threads/gitlab", "threads/gitea", "threads/forgejo", "openapi-examples"];
    for folder in folders {
        for (name, view) in recorded(&format!("data/{folder}")) {
            let text = String::from_utf8(json::to_vec(&view)).expect("UTF-8");
            let named = text.contains("/repos/") || text.contains("\"full_name\"") || folder != "openapi-examples";
            let found = ours(&view);
            let taken = found.iter().find(|line| line.to_ascii_lowercase().starts_with("acme/web"));
            assert!(!named || taken.is_none(), "{name}: {taken:?}");
        }
    }
}

#[test]
fn nothing_recorded_elsewhere_joins_the_only_thread_of_an_invocation() {
    for folder in ["threads/gitlab", "threads/gitea", "threads/forgejo"] {
        let Some(root) = shared(&format!("data/{folder}")) else { continue };
        let dir = scratch();
        let thread = testdata("threads/acme-web-42");
        let filed = |store: &str, inputs: &[&str]| {
            done(dir.path(), &["init", store]);
            done(
                dir.path(),
                &[&["--store", store, "observe", "--observed-at", "2026-02-01T00:00:00Z"], inputs].concat(),
            );
            files(&dir.path().join(store).join("observations/github/github.com/acme"))
        };
        assert_eq!(filed("one", &[arg(&thread), arg(&root)]), filed("other", &[arg(&thread)]), "{folder}");
    }
}

/// Where a thread of ours lies, and the same number at other forges, hosts and repositories.
const ELSEWHERE: [(&str, [&str; 4]); 3] = [
    (
        "acme-web-42",
        [
            "gitea:gitea.other/zz/yy/pull/42",
            "gitlab:gitlab.other/zz/yy/-/merge_requests/42",
            "github:ghe.corp/acme/web/pull/42",
            "gitea:github.com/acme/web/pull/42",
        ],
    ),
    (
        "gitlab-mr-7",
        [
            "gitea:gitea.other/zz/yy/pull/7",
            "gitlab:gitlab.other/zz/yy/-/merge_requests/7",
            "gitlab:gitlab.other/acme/tools/web/-/merge_requests/7",
            "github:github.com/zz/yy/pull/7",
        ],
    ),
    (
        "forgejo-pull-3",
        [
            "gitea:gitea.other/acme/web/pull/3",
            "forgejo:codeberg.org/acme/web/pull/3",
            "gitlab:gitlab.other/zz/yy/-/merge_requests/3",
            "github:github.com/acme/web/pull/3",
        ],
    ),
];

/// Payloads of one forge are never filed at another or at another host, by whatever address in them names theirs: their own, that of
/// their repository, or that of an account.
#[test]
fn an_address_of_another_host_settles_that_it_is_not_the_callers() {
    for (thread, others) in ELSEWHERE {
        for (path, bytes) in files(&testdata(&format!("threads/{thread}"))) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let has_address = ["url", "html_url", "web_url"].iter().any(|name| text.contains(&format!("\"{name}\"")));
            if path == "_requests.json" || !path.ends_with(".json") || !has_address {
                continue;
            }
            for other in others {
                let entity: Entity = other.parse().expect("an entity");
                let subject = entity.subject();
                let hints = Hints { entity: Some((&subject, Some(entity.kind))), ..Hints::default() };
                let found = recognise(&parse(&text), &hints);
                let taken = found.repositories().find(|repository| Some(*repository) == subject.repository());
                assert!(taken.is_none(), "{thread}/{path} became {other}");
            }
        }
    }
}

#[test]
fn no_stage_of_another_forge_is_made_of_it() {
    let dir = scratch();
    let payload = testdata("threads/acme-web-42/pull.json");
    for entity in ["gitea:gitea.other/zz/yy/pull/42", "gitlab:gitlab.other/zz/yy/-/merge_requests/42"] {
        let args = ["stage", "--from", arg(&payload), "--entity", entity, "--out", "out"];
        let (status, said) = report(dir.path(), &args);
        assert_eq!((status, dir.path().join("out").exists()), (2, false), "{entity}: {said}");
    }
}
