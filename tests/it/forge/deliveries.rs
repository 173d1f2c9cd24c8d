//! Deliveries of webhooks: what every recorded one shows, by rule, and what our own show, by name.

use std::path::PathBuf;

use git_docket::forge::delivery::delivery;
use git_docket::forge::recognise::{Hints, SubjectHint, recognise};
use git_docket::format::entity::Subject;
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json};

use super::{lines, parse};
use crate::support::{shared, testdata};

/// Every recorded delivery: its event, which is the name of its folder, and what it says.
pub fn recorded() -> Vec<(PathBuf, String, Json<'static>)> {
    let Some(root) = shared("data/webhooks") else { return Vec::new() };
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let path = entry.expect("an entry").into_path();
        if path.is_file() {
            let folder = path.parent().and_then(|dir| dir.file_name()).expect("a folder");
            let event = folder.to_string_lossy().into_owned();
            let view = json::parse(&std::fs::read(&path).expect("a file")).expect("JSON").into_owned();
            found.push((path, event, view));
        }
    }
    assert_eq!(found.len(), 133, "the recorded deliveries are not the ones that the tests know");
    found
}

/// `acme/web/thread/42` of an address of the API, when it ends in the number that the object has.
fn thread(object: &Json<'_>) -> Option<String> {
    let path = object.get("url")?.as_str()?.strip_prefix("https://api.github.com/repos/")?;
    let (repository, number) = path.rsplit_once('/')?;
    let same = object.get("number")?.as_u64()?.to_string() == number;
    same.then(|| format!("{}/thread/{number}", repository.rsplit_once('/').expect("a kind").0))
}

/// The same in a delivery, whose repository and number decide; a transferred issue is where its address says.
fn delivered(view: &Json<'_>, object: &Json<'_>) -> Option<String> {
    let number = object.get("number").and_then(Json::as_u64)?;
    match view.get("action").and_then(Json::as_str) {
        Some("transferred") => thread(object),
        _ => Some(format!("{}/thread/{number}", repository(view, "/repository"))),
    }
}

/// What a delivery shows: `subject facet pointer` a look, `left pointer reason` for the rest.
fn expected(event: &str, view: &Json<'_>) -> Vec<String> {
    let deleted = view.get("action").and_then(Json::as_str) == Some("deleted");
    let mut out = Vec::new();
    let mut left = Vec::new();
    let mut header = |at: &str| {
        let Some(object) = view.pointer(at) else { return };
        let is_own = matches!(at, "/issue" | "/pull_request");
        match if is_own { delivered(view, object) } else { thread(object) } {
            Some(subject) => out.push(format!("{subject} header {at}")),
            None => left.push(format!("left {at} entity-ambiguous")),
        }
    };
    let mut item = None;
    match event {
        "issues" => {
            ["/issue", "/changes/new_issue", "/changes/old_issue"].iter().for_each(|at| header(at));
        }
        "issue_comment" => {
            header("/issue");
            item = Some(("comments", "/comment".to_owned(), "issue_url"));
        }
        "pull_request" => header("/pull_request"),
        "pull_request_review" => {
            header("/pull_request");
            item = Some(("reviews", "/review".to_owned(), "pull_request_url"));
        }
        "pull_request_review_comment" => {
            header("/pull_request");
            item = Some(("review-comments", "/comment".to_owned(), "pull_request_url"));
        }
        "pull_request_review_thread" => {
            header("/pull_request");
            out.push(format!(
                "{} threads ",
                delivered(view, view.get("pull_request").expect("one")).expect("a thread")
            ));
            item = Some(("review-comments", "/thread/comments/0".to_owned(), "pull_request_url"));
        }
        "check_run" | "check_suite" | "workflow_run" | "workflow_job" => {
            let pulls = view.get(event).and_then(|run| run.get("pull_requests")).and_then(Json::as_array);
            let pulls = pulls.unwrap_or_default();
            (0..pulls.len()).for_each(|at| header(&format!("/{event}/pull_requests/{at}")));
            let whom = match pulls.first().and_then(thread) {
                Some(thread) => thread,
                None => at_head(view.get(event).expect("an object"), "head_sha"),
            };
            out.insert(0, format!("{whom} checks /{event}"));
        }
        "label" if !deleted => out.push(format!("{} labels /label", repository(view, "/repository"))),
        "status" => out.push(format!("{} statuses ", at_head(view, "sha"))),
        _ => left.push("left  facet-unsupported".to_owned()),
    }
    if let Some((facet, at, address)) = item {
        let url = view.pointer(&at).and_then(|item| item.get(address)).and_then(Json::as_str).expect("an address");
        let path = url.strip_prefix("https://api.github.com/repos/").expect("the API");
        let subject = path.replace("/issues/", "/thread/").replace("/pulls/", "/thread/");
        out.push(format!("{subject} {facet} {at}"));
    }
    if event == "issues" {
        let moved = ["/changes/new_repository", "/changes/old_repository"];
        let moved = moved.iter().filter(|at| view.pointer(at).is_some());
        out.extend(moved.map(|at| format!("{} header {at}", repository(view, at))));
    }
    if !out.is_empty() {
        out.push(format!("{} header /repository", repository(view, "/repository")));
    }
    out.extend(left);
    out
}

/// What names no pull request is of the one whose head it names, in the repository of its address.
fn at_head(object: &Json<'_>, sha: &str) -> String {
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    let of_address = |url: &str| {
        let path = url.strip_prefix("https://api.github.com/repos/").expect("the API");
        path.splitn(3, '/').take(2).collect::<Vec<_>>().join("/")
    };
    let named = text("url").map_or_else(|| repository(object, "/repository"), of_address);
    format!("{named}@{}", text(sha).expect("a commit"))
}

fn repository(view: &Json<'_>, at: &str) -> String {
    view.pointer(at).and_then(|r| r.get("full_name")).and_then(Json::as_str).expect("a name").to_owned()
}

/// The same of what was recognised.
fn seen(view: &Json<'_>, hints: &Hints<'_>) -> Vec<String> {
    let found = recognise(view, hints);
    let look = |look: &git_docket::forge::recognise::Look| {
        let subject = match &look.subject {
            SubjectHint::AtHead { repository, sha, .. } => format!("{repository}@{sha}"),
            other => other.known().expect("a subject").to_string(),
        };
        let subject = subject.strip_prefix("github:github.com/").expect("GitHub").to_owned();
        let at = match &look.part {
            git_docket::forge::recognise::Part::Record { pointer, .. } => pointer.clone(),
            git_docket::forge::recognise::Part::Set { items } => items.join(" "),
        };
        format!("{subject} {} {at}", look.facet.name())
    };
    let left = found.left.iter().map(|left| format!("left {} {}", left.pointer, left.reason.code()));
    found.looks.iter().map(look).chain(left).collect()
}

#[test]
fn every_recorded_delivery_shows_what_its_event_says() {
    let mut looks = 0;
    for (path, event, view) in recorded() {
        let mut expected = expected(&event, &view);
        let mut shown = seen(&view, &Hints::default());
        expected.sort();
        shown.sort();
        assert_eq!(shown, expected, "{}", path.display());
        let named = Hints { event: Some(&event), ..Hints::default() };
        let mut again = seen(&view, &named);
        again.sort();
        assert_eq!(again, shown, "{}: the name of its own event changes nothing", path.display());
        let other = if event == "issues" { "pull_request" } else { "issues" };
        let other = Hints { event: Some(other), ..Hints::default() };
        assert_eq!(seen(&view, &other), ["left  facet-mismatch"], "{}", path.display());
        looks += shown.iter().filter(|line| !line.starts_with("left")).count();
    }
    assert!(looks == 0 || looks > 200, "{looks} looks");
}

#[test]
fn a_status_or_check_without_pull_request_is_of_the_callers_entity() {
    let subject: Subject = "github:github.com/Codertocat/Hello-World/thread/2".parse().expect("a subject");
    for (path, event, view) in recorded().into_iter().filter(|(_, event, _)| event == "status") {
        let hints = Hints { entity: Some((&subject, None)), ..Hints::default() };
        let shown = lines(&recognise(&view, &hints));
        assert_eq!(shown[0], "Codertocat/Hello-World/thread/2 ? statuses: Delivered ", "{} {event}", path.display());
    }
}

#[test]
fn the_moment_head_and_item_of_every_recorded_delivery() {
    for (path, event, view) in recorded() {
        let names = expected(&event, &view).iter().any(|line| line.contains("/thread/"));
        let found = delivery(&view, None);
        assert_eq!(found.is_ok(), names, "{}: {found:?}", path.display());
        let Ok(found) = found else { continue };
        assert_eq!(found.event, event, "{}", path.display());
        assert_eq!(found.subjects.len(), 1, "{}", path.display());
        let word = view.get("action").and_then(Json::as_str).map(str::to_owned);
        assert_eq!(found.action, word, "{}", path.display());
        let of_item = !matches!(event.as_str(), "issues" | "pull_request");
        assert_eq!(found.item.is_some(), of_item, "{}", path.display());
        let has_head = !event.starts_with("issue");
        assert_eq!(found.head.is_some(), has_head, "{}", path.display());
        assert!(found.at.is_some() || event == "check_run", "{}", path.display());
        let title = found.header.as_ref().and_then(|header| header.title.known());
        let shown =
            ["/issue/title", "/pull_request/title"].iter().find_map(|at| view.pointer(at)).and_then(Json::as_str);
        assert_eq!(title.map(String::as_str), shown, "{}", path.display());
    }
}

fn ours(name: &str) -> Json<'static> {
    let bytes = std::fs::read(testdata(&format!("deliveries/{name}.json"))).expect("a delivery");
    json::parse(&bytes).expect("JSON").into_owned()
}

#[test]
fn what_a_delivery_says_was_deleted_is_told_apart() {
    let shown = lines(&recognise(&ours("comment-deleted"), &Hints::default()));
    assert_eq!(shown[1], "acme/web/thread/42 pull comments: Deleted /comment");
    let shown = recognise(&ours("issue-deleted"), &Hints::default());
    assert_eq!(format!("{:?}", shown.looks[0].extent), "Deleted");
    assert_eq!(shown.looks[0].facet, Facet::Header);
    let shown = lines(&recognise(&ours("comment-created"), &Hints::default()));
    assert_eq!(shown[1], "acme/web/thread/42 pull comments: Delivered /comment");
}

#[test]
fn the_repository_of_a_delivery_and_the_number_decide_whatever_the_addresses_say() {
    let address = |name: &str| format!("https://api.github.com/repos/other/place/{name}/902");
    let mut view: serde_json::Value =
        serde_json::from_slice(&std::fs::read(testdata("deliveries/comment-created.json")).expect("a delivery"))
            .expect("JSON");
    view["issue"]["url"] = address("issues").into();
    view["comment"]["issue_url"] = address("issues").into();
    let torn = view.to_string();
    let shown = lines(&recognise(&parse(&torn), &Hints::default()));
    assert!(shown[0].starts_with("acme/web/thread/42 pull header: record"), "{shown:?}");
    assert_eq!(shown[1], "acme/web/thread/42 pull comments: Delivered /comment");
    assert!(!shown.iter().any(|line| line.contains("other/place") || line.starts_with("left")), "{shown:?}");
    let found = delivery(&parse(&torn), None).expect("an event");
    assert_eq!(
        found.subjects.iter().map(|(subject, _)| subject.to_string()).collect::<Vec<_>>(),
        ["github:github.com/acme/web/thread/42"]
    );
    assert!(found.header.is_some_and(|header| header.title.known().is_some()));
    // Elsewhere nothing decides between an address and a number that differ.
    let alone = parse(&view["issue"].to_string());
    assert_eq!(lines(&recognise(&alone, &Hints::default())), ["left \"\" entity-ambiguous"]);
}

#[test]
fn a_list_of_deliveries_keeps_what_was_deleted_apart_from_what_was_not() {
    let list = Json::Array(vec![ours("comment-created"), ours("comment-deleted"), ours("push")]);
    let shown = lines(&recognise(&list, &Hints::default()));
    assert!(shown.contains(&"acme/web/thread/42 pull comments: Delivered /0/comment".to_owned()), "{shown:?}");
    assert!(shown.contains(&"acme/web/thread/42 pull comments: Deleted /1/comment".to_owned()), "{shown:?}");
    assert_eq!(shown.last().map(String::as_str), Some("left \"/2\" event-no-entity"));
}

#[test]
fn what_concerns_nobody_or_is_of_another_forge_has_a_reason() {
    assert_eq!(lines(&recognise(&ours("push"), &Hints::default())), ["left \"\" event-no-entity"]);
    assert!(delivery(&ours("push"), None).is_err());
    // A delivery of GitLab that names its project by number alone is not taken for an object of REST either, whichever of its events it is.
    let entity = "gitlab:gitlab.example/acme/web/-/issues/17".parse().expect("an entity");
    for kind in ["note", "issue", "merge_request", "pipeline", "build", "emoji", "work_item"] {
        let text = format!(
            r#"{{"object_kind":"{kind}","project_id":5,"id":9,"iid":17,"title":"t","state":"opened","web_url":"https://gitlab.example/acme/web/-/issues/17",
               "noteable_type":"Issue","body":"b","sha":"a","status":"success","ref":"r","stage":"s","pipeline":{{}},"source":"push","name":"n"}}"#
        );
        for hints in [Hints::default(), Hints { entity: Some((&entity, None)), ..Hints::default() }] {
            assert_eq!(lines(&recognise(&parse(&text), &hints)), ["left \"\" entity-ambiguous"], "{kind}");
        }
    }
}

/// Gitea and Forgejo send their objects of REST. A review in a delivery has no id.
#[test]
fn deliveries_of_gitea_show_their_objects() {
    let seen = |value: &Json<'_>, event| lines(&recognise(value, &Hints { event, ..Hints::default() }));
    let record = |pointer: &str, split: &str| {
        format!("gitea:code.example/acme/web/thread/1 ISSUE header: record \"{pointer}\" [\"{pointer}\"{split}]")
    };
    let issue = record("/issue", ", \"/issue/user\"").replace("ISSUE", "issue");
    let repository = "gitea:code.example/acme/web ? header: record \"/repository\" [\"/repository\"]";
    let opened = ours("gitea-issue");
    for event in [None, Some("issues"), Some("issue_label")] {
        assert_eq!(seen(&opened, event), [issue.as_str(), repository], "{event:?}");
    }
    for event in ["issue_comment", "pull_request", "push"] {
        assert_eq!(seen(&opened, Some(event)), ["left \"\" facet-mismatch"], "{event}");
    }
    let text = std::fs::read_to_string(crate::support::testdata("deliveries/gitea-issue.json")).expect("a delivery");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let user = serde_json::json!({"id": 1, "login": "mira", "username": "mira"});
    let page = "https://code.example/acme/web/issues/1";
    let comment = serde_json::json!({"id": 7, "body": "c", "user": user, "issue_url": page, "pull_request_url": "",
        "html_url": format!("{page}#issuecomment-7"), "created_at": "2026-03-04T18:00:00Z", "updated_at": "2026-03-04T18:00:00Z"});
    (value["comment"], value["action"]) = (comment, "created".into());
    let commented = parse(&value.to_string());
    let comments = "gitea:code.example/acme/web/thread/1 issue comments: Delivered /comment";
    assert_eq!(seen(&commented, None), [issue.as_str(), comments, repository]);
    let found = delivery(&commented, None).expect("an event");
    assert_eq!((found.event, found.item), ("issue_comment", Some((Facet::Comments, 7))));
    assert_eq!(found.at.map(|at| at.to_string()).as_deref(), Some("2026-03-04T18:00:00Z"));
    assert_eq!(found.header.and_then(|header| header.title.into_known()).as_deref(), Some("t"));
    value["action"] = "deleted".into();
    let deleted = seen(&parse(&value.to_string()), Some("issue_comment"));
    assert_eq!(deleted, [issue.as_str(), &comments.replace("Delivered", "Deleted"), repository], "the issue stays");
    let side = serde_json::json!({"ref": "b", "sha": "a".repeat(40), "repo": null});
    let pull = serde_json::json!({"id": 6, "number": 2, "title": "p", "state": "open", "user": user, "head": side, "base": side,
        "url": "https://code.example/acme/web/pulls/2", "html_url": "https://code.example/acme/web/pulls/2", "is_locked": false});
    let object = value.as_object_mut().expect("an object");
    ["issue", "comment"].iter().for_each(|name| drop(object.remove(*name)));
    (value["pull_request"], value["action"]) = (pull, "reviewed".into());
    value["review"] = serde_json::json!({"type": "pull_request_review_approved", "content": "fine"});
    let reviewed = parse(&value.to_string());
    let left = "left \"/review\" facet-unsupported";
    let pull =
        record("/pull_request", ", \"/pull_request/user\"").replace("ISSUE", "pull").replace("thread/1", "thread/2");
    assert_eq!(seen(&reviewed, Some("pull_request_approved")), [pull.as_str(), repository, left]);
    assert_eq!(delivery(&reviewed, None).expect("an event").head.as_deref(), Some("a".repeat(40).as_str()));
    value.as_object_mut().expect("an object").remove("pull_request");
    value["sender"] = user;
    assert_eq!(seen(&parse(&value.to_string()), None), ["left \"\" event-no-entity"], "a push or release");
}

/// A delivery whose objects have lost their addresses; its repository keeps its own unless `all` do.
fn without_addresses(name: &str, all: bool) -> serde_json::Value {
    fn strip(value: &mut serde_json::Value) {
        if let Some(object) = value.as_object_mut() {
            object.retain(|name, _| !name.ends_with("url") && name != "_links");
            object.values_mut().for_each(strip);
        }
    }
    let path = crate::support::testdata(&format!("deliveries/{name}.json"));
    let mut value: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a delivery")).expect("JSON");
    let members = value.as_object_mut().expect("an object");
    members.iter_mut().filter(|(name, _)| all || *name != "repository").for_each(|(_, member)| strip(member));
    value
}

/// The threads that a delivery shows when the caller names an entity, and the one that it would set off a stage of.
fn threads(view: &Json<'_>, entity: Option<&str>) -> (Vec<String>, Option<String>) {
    let subject: Option<Subject> = entity.map(|text| text.parse().expect("a subject"));
    let entity = subject.as_ref().map(|subject| (subject, None));
    let found = recognise(view, &Hints { entity, ..Hints::default() });
    let thread = |subject: &Subject| matches!(subject, Subject::Thread { .. }).then(|| subject.to_string());
    let mut shown: Vec<_> = found.looks.iter().filter_map(|look| look.subject.known()).filter_map(thread).collect();
    shown.dedup();
    (shown, delivery(view, entity).ok().and_then(|found| thread(&found.subjects[0].0)))
}

#[test]
fn the_repository_and_number_of_a_delivery_say_whose_what_has_no_address_is() {
    let user = serde_json::json!({"id": 1, "login": "mira", "username": "mira"});
    let comment = serde_json::json!({"id": 7, "body": "c", "user": user, "created_at": "2026-03-04T18:00:00Z"});
    let commented = |all| {
        let mut value = without_addresses("gitea-issue", all);
        (value["comment"], value["action"], value["sender"]) = (comment.clone(), "created".into(), user.clone());
        value
    };
    let plain = |all| {
        let mut value = without_addresses("gitea-issue", all);
        value["sender"] = user.clone();
        value
    };
    let cases = [
        ("github:github.com/acme/web/thread/42", [false, true].map(|all| without_addresses("comment-created", all))),
        ("github:github.com/acme/web/thread/42", [false, true].map(|all| without_addresses("review-dismissed", all))),
        ("gitea:code.example/acme/web/thread/1", [false, true].map(plain)),
        ("gitea:code.example/acme/web/thread/1", [false, true].map(commented)),
    ];
    for (own, [told, bare]) in cases {
        let (told, bare) = (parse(&told.to_string()), parse(&bare.to_string()));
        let mine = (vec![own.to_owned()], Some(own.to_owned()));
        assert_eq!(threads(&told, None), mine, "by its repository");
        assert_eq!(threads(&told, Some(own)), mine);
        assert_eq!(threads(&bare, Some(own)), mine, "a repository without an address is on the caller's host");
        assert_eq!(threads(&bare, None), (vec![], None), "nothing says on which host");
        let (of_repository, number) = own.rsplit_once('/').expect("a number");
        let other_number = format!("{of_repository}/{}", number.parse::<u64>().expect("one") + 1);
        for other in [other_number, own.replace("acme/web", "evil/other")] {
            assert_eq!(threads(&told, Some(&other)), (vec![own.to_owned()], None), "{other}");
            let (shown, staged) = threads(&bare, Some(&other));
            assert_eq!((shown.contains(&other), staged), (false, None), "{other}");
        }
        let (shown, staged) = threads(&told, Some("gitea:gitea.other/acme/web/thread/42"));
        assert_eq!((shown, staged), (vec![own.to_owned()], None), "another host");
    }
}

/// Where its addresses name several threads, or one of another repository, nothing tells whose a delivery of Gitea is.
#[test]
fn a_delivery_of_gitea_that_contradicts_itself_is_nobodys() {
    let text = std::fs::read_to_string(crate::support::testdata("deliveries/gitea-issue.json")).expect("a delivery");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let user = serde_json::json!({"id": 1, "login": "mira", "username": "mira"});
    let comment = |page: &str| {
        serde_json::json!({"id": 7, "body": "c", "user": user, "issue_url": page, "pull_request_url": "",
        "html_url": format!("{page}#issuecomment-7"), "created_at": "2026-03-04T18:00:00Z", "updated_at": "2026-03-04T18:00:00Z"})
    };
    let mut other = value.clone();
    other["repository"]["full_name"] = "acme/other".into();
    let mut elsewhere = value.clone();
    elsewhere["comment"] = comment("https://code.example/acme/web/issues/2");
    let mut spelled = value;
    spelled["repository"]["full_name"] = "Acme/Web".into();
    spelled["comment"] = comment("https://code.example/acme/web/issues/1");
    for (value, is_known) in [(other, false), (elsewhere, false), (spelled, true)] {
        let value = parse(&value.to_string());
        let shown = lines(&recognise(&value, &Hints::default()));
        assert_eq!(shown == ["left \"\" entity-ambiguous"], !is_known, "{shown:?}");
        assert_eq!(delivery(&value, None).is_ok(), is_known);
    }
}

#[test]
fn an_event_that_the_caller_names_needs_no_sender() {
    let bare = parse(
        r#"{"issue":{"number":42,"url":"https://api.github.com/repos/acme/web/issues/42","title":"t","state":"open"}}"#,
    );
    let named = |event| lines(&recognise(&bare, &Hints { event: Some(event), ..Hints::default() }));
    assert_eq!(named("issues"), ["acme/web/thread/42 ? header: record \"/issue\" [\"/issue\"]"]);
    assert_eq!(named("push"), ["left \"\" facet-mismatch"]);
    assert_eq!(lines(&recognise(&bare, &Hints::default())), ["left \"\" shape-unknown"]);
    let found = delivery(&bare, None).expect("an event");
    assert_eq!((found.event, found.at, found.head), ("issues", None, None));
}
