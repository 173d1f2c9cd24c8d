//! Recognition over the recorded data beside the checkout. The numbers are those of the recordings: a change of one is a
//! change of what the program sees in real payloads.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_docket::forge::answer::{Answer, answer};
use git_docket::forge::dialect::Dialect;
use git_docket::forge::owners::Owners;
use git_docket::forge::pages::{Page, assemble, completeness};
use git_docket::forge::recognise::{Hints, Look, Part, recognise};
use git_docket::forge::recording::{Body, Exchange, exchange, request_log};
use git_docket::forge::url::Request;
use git_docket::forge::{github, graphql};
use git_docket::format::entity::{Forge, Kind, Subject};
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json};

use crate::support::shared;

fn read(path: &Path) -> Json<'static> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    json::parse_lenient(&bytes).unwrap_or_else(|fault| panic!("{}: {fault}", path.display())).0.into_owned()
}

/// Every file of every GitHub thread folder: `facet items`, `?` where the payload names its thread only by its URL.
const THREADS: &[(&str, &str, Kind, &str)] = &[
    (
        "issue-hub4j-311-reactions",
        "hub4j/github-api/thread/311",
        Kind::Issue,
        "issue header, issue.reactions.v0 reactions 5?, issue.reactions.v1 reactions 1?",
    ),
    (
        "issue-kohsuke-test-3",
        "kohsuke/test/thread/3",
        Kind::Issue,
        "issue header, issue.comments.v0 comments 3, issue.comments.v1 comments 3",
    ),
    (
        "issue-packit-ogr-194",
        "packit/ogr/thread/194",
        Kind::Issue,
        "issue.v0 header, issue.v1 header, issue.v2 header, issue.comments.v0 comments 6, issue.comments.v1 comments 6",
    ),
    (
        "issue-packit-ogr-220",
        "packit/ogr/thread/220",
        Kind::Issue,
        "issue.v0 header, issue.v1 header, issue.comments comments 4",
    ),
    ("pull-hub4j-449-team-reviewers", "hub4j-test-org/github-api/thread/449", Kind::Pull, "pull header"),
    (
        "pull-hub4j-482-pending-review",
        "hub4j-test-org/github-api/thread/482",
        Kind::Pull,
        "pull.reviews.v0 reviews 0?, pull.reviews.v1 reviews 1, pull.reviews_N_comments review-comments 3",
    ),
    (
        "pull-hub4j-484-review-comments",
        "hub4j-test-org/github-api/thread/484",
        Kind::Pull,
        "pull.comments.v0 review-comments 3, pull.comments.v1 review-comments 4, pull.comments.v2 review-comments 4, \
         pull.comments.v3 review-comments 3, pull.comments.v4 review-comments 0?, pull.comments.v5 review-comments 3",
    ),
    (
        "pull-packit-hello-world-72",
        "packit/hello-world/thread/72",
        Kind::Pull,
        "issue.comments comments 1, pull.v0 header, pull.v1 header, pull.v2 header, pull.v3 header",
    ),
    (
        "pull-packit-ogr-1",
        "packit/ogr/thread/1",
        Kind::Pull,
        "issue header, issue.labels.v0 labels 0?, issue.labels.v1 labels 2?, pull header, pull.commits commits 3?",
    ),
    (
        "pull-packit-ogr-9",
        "packit/ogr/thread/9",
        Kind::Pull,
        "issue.comments.v0 comments 2, issue.comments.v1 comments 2, pull.v0 header, pull.v1 header, pull.v2 header",
    ),
    ("pull-seate-9-automerge", "seate/for-test/thread/9", Kind::Pull, "pull header"),
];

#[test]
fn every_file_of_every_thread_is_recognised() {
    let Some(root) = shared("data/threads/github") else { return };
    let folders = fs::read_dir(&root).expect("the folder can be read").count();
    assert_eq!(folders, THREADS.len());
    for (folder, subject, kind, files) in THREADS {
        let dir = root.join(folder);
        let subject: Subject = format!("github:github.com/{subject}").parse().expect("an id");
        let log = request_log(&read(&dir.join("_requests.json"))).expect("a request log");
        let log: Vec<_> = log.into_iter().map(|entry| entry.expect("an entry")).collect();
        assert_eq!(fs::read_dir(&dir).expect("the folder can be read").count(), log.len() + 1, "{folder}");
        let told: Vec<_> = log
            .iter()
            .map(|logged| {
                let view = read(&dir.join(&logged.file));
                let request = Request::parse(&logged.exchange.url).expect("a URL");
                let look = one_look(&view, &Hints { url: Some(&request), ..Hints::default() });
                assert_eq!(look.subject.known(), Some(&subject), "{folder}/{}", logged.file);
                // A listing of labels or reactions does not tell an issue from a pull request.
                assert!(look.kind.is_none() || look.kind == Some(*kind), "{folder}/{}", logged.file);
                let alone = recognise(&view, &Hints::default()).looks.len();
                let page = Page { source: 0, asked: Some((&logged.exchange, &request)), look: &look };
                let proof = completeness(&[page]);
                assert_eq!(proof.is_proof(), !logged.file.contains("reviews_N"), "{folder}/{}: {proof:?}", logged.file);
                let file = logged.file.strip_suffix(".json").expect("JSON");
                match look.part {
                    Part::Record { .. } => format!("{file} header"),
                    Part::Set { items } => {
                        let mark = if alone == 0 { "?" } else { "" };
                        format!("{file} {} {}{mark}", look.facet.name(), items.len())
                    }
                }
            })
            .collect();
        assert_eq!(told.join(", "), *files, "{folder}");
    }
}

fn one_look(view: &Json<'_>, hints: &Hints<'_>) -> Look {
    let mut found = recognise(view, hints);
    assert!(found.left.is_empty() && found.looks.len() == 1, "{found:?}");
    found.looks.remove(0)
}

#[test]
fn threads_of_other_forges_are_none_of_githubs() {
    let Some(root) = shared("data/threads") else { return };
    let mut files = 0;
    for path in json_files(&root).into_iter().filter(|path| !path.starts_with(root.join("github"))) {
        let view = read(&path);
        let github = recognise(&view, &Hints::default()).looks.into_iter().find(|look| {
            look.dialect == Dialect::GithubRest || look.subject.known().is_some_and(|s| s.forge() == Forge::GitHub)
        });
        assert_eq!(github, None, "{}", path.display());
        for logged in request_log(&view).unwrap_or_default() {
            let logged = logged.expect("an entry");
            let request = Request::parse(&logged.exchange.url).expect("a URL");
            assert_ne!(request.target.forge, Forge::GitHub, "{}", logged.exchange.url);
        }
        files += 1;
    }
    assert_eq!(files, 104);
}

/// A line of a recording with what was seen in it.
struct Line {
    exchange: Exchange,
    request: Request,
    looks: Vec<Look>,
}

/// Reads a recording as `observe` does, in two passes, and counts what comes of it.
fn recording(name: &str) -> Option<(Vec<Line>, BTreeMap<String, usize>)> {
    let path = shared("data/exchanges")?.join(format!("{name}.jsonl"));
    let bytes = fs::read(path).expect("the recording can be read");
    let views: Vec<_> = json::documents(&bytes)
        .expect("a recording is JSON")
        .into_iter()
        .map(|range| json::parse_lenient(&bytes[range]).expect("a line is JSON").0)
        .collect();
    let exchanges: Vec<_> =
        views.iter().zip(0..).map(|(view, index)| exchange(view, index).expect("an exchange")).collect();
    let mut owners = Owners::default();
    exchanges.iter().for_each(|(exchange, _)| owners.learn_exchange(exchange));
    let mut counts = BTreeMap::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    let mut lines = Vec::new();
    for (exchange, body) in exchanges {
        let mut request = Request::parse(&exchange.url).expect("a URL");
        owners.name_repository(&mut request);
        let hints = Hints { url: Some(&request), ..Hints::default() };
        let view = match &body {
            Body::Json(view) => Some((*view).clone()),
            Body::Text(text) => json::parse_lenient(text.as_bytes()).ok().map(|(view, _)| view),
            Body::Bytes(_) | Body::Absent => None,
        };
        let mut looks = Vec::new();
        match (answer(&exchange, &hints, view.as_ref()), view) {
            (Answer::Payload, Some(view)) => {
                try_all(&view);
                let found = recognise(&view, &hints);
                owners.learn(&found.looks, &view);
                looks = found.looks;
                found.left.iter().for_each(|left| count(format!("left {}", left.reason.code())));
                assert!(!looks.is_empty() || !found.left.is_empty(), "{} is lost", exchange.url);
                check_items(&looks, &view);
            }
            (Answer::Payload, None) => count("not json".to_owned()),
            (Answer::Absent(absence), _) => count(format!("absent {} {}", absence.facet.name(), absence.status)),
            (Answer::Aside(reason), _) => count(format!("aside {}", reason.code())),
        }
        lines.push(Line { exchange, request, looks });
    }
    for look in lines.iter_mut().flat_map(|line| &mut line.looks) {
        let known = if owners.resolve(look) { "" } else { " of nobody" };
        count(format!("look {}{known}", look.facet.name()));
    }
    Some((lines, counts))
}

/// Every look points at what has a normal form.
fn check_items(looks: &[Look], view: &Json<'_>) {
    for look in looks {
        match &look.part {
            Part::Record { pointer, split } => {
                let record = view.pointer(pointer).expect("the record is there");
                if matches!(look.subject.known(), Some(Subject::Thread { .. })) {
                    let header = github::header(record).map(|header| (header.value.kind, header.odd));
                    assert_eq!(header, Ok((look.kind, Vec::new())));
                }
                assert!(split.iter().all(|at| view.pointer(at).is_some_and(|part| part.as_object().is_some())));
            }
            Part::Set { items } => {
                for at in items {
                    let item = view.pointer(at).expect("the item is there");
                    let read = github::item(look.facet, item).expect("a valid item");
                    assert_eq!(read.odd, <[&str; 0]>::default(), "{item:?}");
                }
            }
        }
    }
}

fn table(counts: &BTreeMap<String, usize>) -> Vec<String> {
    counts.iter().map(|(what, n)| format!("{what}: {n}")).collect()
}

#[test]
fn the_recording_of_hub4j_loses_nothing() {
    let Some((lines, counts)) = recording("hub4j-dev") else { return };
    let expected = [
        "absent header 429: 10",
        "aside facet-unsupported: 15",
        "aside no-content: 3",
        "aside redirect: 2",
        "aside write: 189",
        "left entity-ambiguous: 3",
        "left facet-unsupported: 18",
        "left forge-error-body: 1",
        "left shape-unknown: 52",
        "look comments: 13",
        "look commits: 1",
        "look events: 326",
        "look header: 1146",
        "look reactions: 6",
        "look review-comments: 8",
        "look reviews: 4",
    ];
    assert_eq!(table(&counts), expected);
    assert_eq!(lines.len(), 626);
    assert_eq!(lines.iter().filter(|line| line.exchange.date_fault).count(), 27);
    assert_eq!(lines.iter().filter(|line| line.exchange.date.is_none()).count(), 29);
}

#[test]
fn the_recording_of_octokit_loses_nothing() {
    let Some((lines, counts)) = recording("octokit-fixtures") else { return };
    let expected = [
        "aside facet-unsupported: 1",
        "aside redirect: 2",
        "aside write: 100",
        "left shape-unknown: 14",
        "look header: 18",
        "look labels: 2",
        "look members: 2",
        "look statuses of nobody: 2",
    ];
    assert_eq!(table(&counts), expected);
    assert_eq!(lines.len(), 132);
}

#[test]
fn a_recording_proves_what_it_proves() {
    let Some((lines, _)) = recording("hub4j-dev") else { return };
    let mut pages = Vec::new();
    for line in &lines {
        let asked = Some((&line.exchange, &line.request));
        pages.extend(line.looks.iter().map(|look| Page { source: 0, asked, look }));
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for group in assemble(&pages) {
        let facet = pages[group.pages[0]].look.facet.name();
        assert_eq!(group.pages.len(), 1, "no listing of one thread has two pages here");
        *counts.entry(format!("{facet} {}", group.completeness.name())).or_default() += 1;
    }
    let expected = [
        "comments one-page: 6",
        "comments partial: 7",
        "commits one-page: 1",
        "events one-page: 4",
        "events partial: 322",
        "header whole: 1146",
        "reactions one-page: 6",
        "review-comments one-page: 6",
        "review-comments partial: 2",
        "reviews one-page: 4",
    ];
    assert_eq!(table(&counts), expected);
}

#[test]
fn the_documentations_examples_are_recognised() {
    let Some(root) = shared("data/openapi-examples") else { return };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in json_files(&root) {
        let file = read(&path);
        let name = file.get("path").and_then(Json::as_str).expect("a path").to_owned();
        // Their paths have names where real ones have numbers.
        let path =
            name.replace("{owner}", "o").replace("{repo}", "r").replace("_number}", "}").replace("{issue}", "1347");
        let path: Vec<_> = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        let request = Request::parse(&format!("https://api.github.com{}", path.join("/"))).expect("a URL");
        for example in file.get("examples").and_then(Json::as_array).expect("examples") {
            let value = example.get("value").expect("a value");
            let found = recognise(value, &Hints { url: Some(&request), ..Hints::default() });
            check_items(&found.looks, value);
            for look in &found.looks {
                *counts.entry(format!("look {}", look.facet.name())).or_default() += 1;
            }
            for left in &found.left {
                *counts.entry(format!("left {}", left.reason.code())).or_default() += 1;
            }
        }
    }
    let expected = [
        "left facet-unsupported: 21",
        "left shape-unknown: 68",
        "look checks: 12",
        "look comments: 3",
        "look commits: 1",
        "look events: 3",
        "look files: 1",
        "look header: 18",
        "look labels: 3",
        "look reactions: 3",
        "look review-comments: 4",
        "look reviews: 2",
        "look statuses: 2",
        "look timeline: 2",
    ];
    assert_eq!(table(&counts), expected);
}

/// Everything below a folder that is JSON, sorted.
fn json_files(root: &Path) -> Vec<std::path::PathBuf> {
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let files = entries.map(|entry| entry.expect("the folder can be read").into_path());
    files.filter(|path| path.extension().is_some_and(|e| e == "json") && path.is_file()).collect()
}

#[test]
fn normal_forms_of_anything_never_panic() {
    let Some(root) = shared("data") else { return };
    let mut objects = 0;
    for path in json_files(&root) {
        let bytes = fs::read(&path).expect("the file can be read");
        let Ok((view, _)) = json::parse_lenient(&bytes) else { continue };
        let _ = recognise(&view, &Hints::default());
        objects += try_all(&view);
    }
    assert_eq!(objects, 6638);
}

fn try_all(value: &Json<'_>) -> usize {
    match value {
        Json::Array(items) => items.iter().map(try_all).sum(),
        Json::Object(object) => {
            let _ = (github::header(value), github::updated_at(value));
            let _ = (graphql::header(value), graphql::updated_at(value));
            for facet in Facet::ALL {
                let _ = github::item(*facet, value).map(|item| (item.value.key(), item.value.updated_at()));
                let _ = graphql::item(*facet, value).map(|item| (item.value.key(), item.value.updated_at()));
            }
            1 + object.iter().map(|(_, member)| try_all(member)).sum::<usize>()
        }
        _ => 0,
    }
}
