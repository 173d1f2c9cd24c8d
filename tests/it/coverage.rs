//! `docs/coverage.md`: what the recorded payloads beside the checkout are recognised as, and what is left over and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use git_docket::format::entity::Subject;
use git_docket::format::json;
use git_docket::format::tree::{MAX_FILE, Tree};
use git_docket::ops::observe::{Options, Report, observe_in_memory};
use git_docket::ops::wanted::{Asked, Wanted};
use git_docket::store::mem::MemTree;
use serde_json::{Value, json as value};

use crate::support::{arg, project, scratch, shared};

const HEAD: &str = "# Coverage

What the recorded payloads beside the checkout (`../shared/data`) are recognised as, each row observed by itself. The page is
written by `DOCKET_BLESS=1 cargo test --test it coverage::`, and the same test compares it.

A payload is a document, a recorded answer, a log or a diff. *In part* are those of which something is left over besides. A
look is one observation: a facet of one entity, in a dialect; what the forge did not give is a look with the status. The
reasons are those of docs/format.md; their numbers are of payloads or parts of one.
";

/// A source: its name, what to observe, and the entity that texts need.
struct Source {
    name: String,
    inputs: Vec<String>,
    entity: Option<Subject>,
    /// What must be told of: beginnings of names.
    files: Vec<String>,
    /// The number of payloads, where it is known.
    payloads: Option<usize>,
}

/// What was seen of a source.
#[derive(Default)]
struct Row {
    recognised: BTreeSet<String>,
    left: BTreeSet<String>,
    looks: BTreeMap<String, u64>,
    reasons: BTreeMap<&'static str, u64>,
}

#[test]
fn the_page_says_what_every_recorded_payload_is() {
    let Some(root) = shared("data") else { return };
    let dir = scratch();
    let mut page = String::new();
    let mut group = String::new();
    for source in sources(&root, dir.path()) {
        let (heading, name) = source.name.split_once('/').expect("a group");
        if heading != group {
            group = heading.to_owned();
            write!(page, "\n## {group}\n\n| source | payloads | recognised | in part | not | looks | left over |\n")
                .expect("a text");
            page.push_str("|---|--:|--:|--:|--:|---|---|\n");
        }
        let row = observed(&source, dir.path());
        for file in &source.files {
            let told = row.recognised.iter().chain(&row.left).any(|name| name.starts_with(file.as_str()));
            assert!(told, "{}: {file} was dropped", source.name);
        }
        let all = row.recognised.union(&row.left).count();
        assert!(source.payloads.is_none_or(|payloads| payloads == all), "{}: {all} payloads", source.name);
        let both = row.recognised.intersection(&row.left).count();
        let (seen, not) = (row.recognised.len() - both, row.left.len() - both);
        let counts = |counts: Vec<String>| if counts.is_empty() { "–".to_owned() } else { counts.join(", ") };
        let looks = counts(row.looks.iter().map(|(look, n)| format!("{look} {n}")).collect());
        let reasons = counts(row.reasons.iter().map(|(reason, n)| format!("`{reason}` {n}")).collect());
        writeln!(page, "| {name} | {all} | {seen} | {both} | {not} | {looks} | {reasons} |").expect("a text");
    }
    compare(&format!("{HEAD}{page}"));
}

fn compare(page: &str) {
    let path = project("docs/coverage.md");
    if std::env::var_os("DOCKET_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, page).expect("docs/coverage.md can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/coverage.md is not up to date: DOCKET_BLESS=1 cargo test --test it coverage:: writes it"
    );
}

/// Observes a source into memory, beside a record that is always recognised: a source of nothing but what is left over is no
/// error then.
fn observed(source: &Source, dir: &Path) -> Row {
    let beside = dir.join("beside.json");
    let repository = value!({"id": 1, "full_name": "nobody/nothing", "default_branch": "main", "owner": {"login": "nobody", "id": 1},
        "url": "https://api.github.com/repos/nobody/nothing"});
    fs::write(&beside, repository.to_string()).expect("written");
    let mut inputs = source.inputs.clone();
    inputs.push(arg(&beside).to_owned());
    let now = "2026-01-01T00:00:00Z".parse().expect("a time");
    let entity = source.entity.clone().map(|subject| Asked::At(Wanted { subject, kind: None }));
    let options = Options { entity, observed_at: Some(now), record_look: true, ..Options::of(&inputs, now) };
    let seen = observe_in_memory(&options, &mut std::io::empty());
    let (facts, report) = seen.unwrap_or_else(|error| panic!("{}: {error}", source.name));
    row(&facts, &report, arg(&beside))
}

fn row(facts: &MemTree, report: &Report, beside: &str) -> Row {
    let payload = |name: &str| name.split('#').next().expect("a name").to_owned();
    let mut row = Row::default();
    for input in report.inputs.iter().filter(|input| input.input != beside) {
        row.recognised.insert(payload(&input.input));
    }
    for left in &report.unrecognised {
        row.left.insert(payload(&left.input));
        *row.reasons.entry(left.reason).or_default() += 1;
    }
    for entry in facts.list("observations").expect("listed") {
        let bytes = facts.read(&entry.path, MAX_FILE).expect("read").expect("a file");
        let look: Value = serde_json::from_slice(&bytes).expect("JSON");
        if look["subject"] == "github:github.com/nobody/nothing" {
            continue;
        }
        let how = match &look["unavailable"] {
            Value::Null => look["dialect"].as_str().expect("a dialect").to_owned(),
            absent => format!("status {}", absent["status"]),
        };
        let facet = look["facet"].as_str().expect("a facet");
        *row.looks.entry(format!("{how} {facet}")).or_default() += 1;
    }
    row
}

fn sources(root: &Path, scratch: &Path) -> Vec<Source> {
    let mut all = Vec::new();
    for forge in directories(&root.join("threads")) {
        for thread in directories(&forge) {
            all.push(of_directory(format!("threads/{}/{}", name(&forge), name(&thread)), &thread));
        }
    }
    let webhooks = directories(&root.join("webhooks"));
    all.extend(webhooks.iter().map(|event| of_directory(format!("webhooks/{}", name(event)), event)));
    all.push(of_directory("graphql/gh-talk".to_owned(), &root.join("graphql/gh-talk")));
    let gh = directories(&root.join("graphql/gh-cli/pkg/cmd"));
    all.extend(gh.iter().map(|command| of_directory(format!("graphql/gh {}", name(command)), command)));
    all.extend(logs(root));
    all.push(examples(root, scratch));
    for recording in ["hub4j-dev", "octokit-fixtures"] {
        let path = root.join(format!("exchanges/{recording}.jsonl"));
        all.push(of_recording(format!("exchanges/{recording}"), &path));
    }
    all
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Every file below a directory but logs of requests, which are no payloads.
fn files(root: &Path) -> Vec<String> {
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.file_type().is_file() && entry.file_name() != "_requests.json");
    files.map(|entry| arg(entry.path()).to_owned()).collect()
}

fn of_directory(name: String, path: &Path) -> Source {
    Source { name, inputs: vec![arg(path).to_owned()], entity: None, files: files(path), payloads: None }
}

/// A recording, each line of which is a payload.
fn of_recording(name: String, path: &Path) -> Source {
    let lines = json::documents(&fs::read(path).expect("a recording")).expect("JSON").len();
    Source { name, inputs: vec![arg(path).to_owned()], entity: None, files: Vec::new(), payloads: Some(lines) }
}

/// Logs say nothing of their entity.
fn logs(root: &Path) -> Vec<Source> {
    let entity: Option<Subject> = Some("github:github.com/acme/web/thread/42".parse().expect("a subject"));
    let logs = root.join("logs");
    let texts: Vec<_> = files(&logs).into_iter().filter(|path| path.starts_with(arg(&logs.join("pytorch-")))).collect();
    let unpacked = logs.join("gha-unzipped-layout-common-email");
    let archive = arg(&logs.join("gh-cli-run_log.zip")).to_owned();
    let inputs = texts.iter().map(|path| format!("logs={path}")).collect();
    vec![
        Source { name: "logs/texts".into(), inputs, entity: entity.clone(), files: texts, payloads: None },
        Source { entity: entity.clone(), ..of_directory("logs/a download, unpacked".into(), &unpacked) },
        Source {
            name: "logs/a download, as archive".into(),
            inputs: vec![archive.clone()],
            entity,
            files: vec![archive],
            payloads: None,
        },
    ]
}

/// The examples of GitHub's documentation as answers of the paths that they are examples of.
fn examples(root: &Path, scratch: &Path) -> Source {
    let mut lines = Vec::new();
    for path in files(&root.join("openapi-examples")) {
        let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
        // The paths have names where real ones have names and numbers.
        let path = file["path"].as_str().expect("a path").replace("{owner}", "o").replace("{repo}", "r");
        let path: Vec<_> = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        for example in file["examples"].as_array().expect("examples") {
            let url = format!("https://api.github.com{}", path.join("/"));
            let answer = value!({"method": "GET", "url": url, "status": 200, "body": example["value"]});
            lines.push(answer.to_string());
        }
    }
    let path = scratch.join("examples.jsonl");
    fs::write(&path, lines.join("\n")).expect("written");
    of_recording("openapi-examples/all".into(), &path)
}
