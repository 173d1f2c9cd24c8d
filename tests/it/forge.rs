//! Tests of `forge`.

mod credentials;
mod deliveries;
mod dumps;
mod exchanges;
mod foreign;
mod laws;
mod logs;
mod normal;
mod odd;
mod paging;
mod recorded;
mod shapes;
mod urls;

use git_docket::forge::recognise::{Look, Recognised, SubjectHint};
use git_docket::format::json::{self, Json};

/// A vector of our own: acme/web, pull request 42 and issue 7.
fn vector(name: &str) -> Json<'static> {
    let path = format!("{}/testdata/forge/github/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    json::parse(&bytes).expect("a vector is JSON of our profile").into_owned()
}

fn parse(text: &str) -> Json<'static> {
    json::parse(text.as_bytes()).expect("the test's JSON is valid").into_owned()
}

/// One line a look: subject, kind, facet, item, extent and what it takes in.
fn told(look: &Look) -> String {
    let subject = match &look.subject {
        SubjectHint::Known(subject) => {
            let text = subject.to_string();
            text.strip_prefix("github:github.com/").map_or(text.clone(), str::to_owned)
        }
        SubjectHint::ByRepositoryId { host, id, number } => format!("{host} #{id} {number:?}"),
        SubjectHint::AtHead { repository, sha, .. } => format!("{}@{}", repository.path(), &sha[..7]),
        SubjectHint::OfItem { repository, .. } => format!("of-item {:?}", repository.as_ref().map(|r| r.path())),
    };
    let kind = look.kind.map_or("?", |kind| kind.name());
    let item = look.item.as_deref().map_or(String::new(), |item| format!(" of {item}"));
    let part = match &look.part {
        git_docket::forge::recognise::Part::Record { pointer, split } => format!("record {pointer:?} {split:?}"),
        git_docket::forge::recognise::Part::Set { items } => format!("{:?} {}", look.extent, items.join(" ")),
    };
    format!("{subject} {kind} {}{item}: {part}", look.facet.name())
}

/// The looks and what was left, each as a line.
fn lines(found: &Recognised) -> Vec<String> {
    let left = found.left.iter().map(|left| format!("left {:?} {}", left.pointer, left.reason.code()));
    found.looks.iter().map(told).chain(left).collect()
}
