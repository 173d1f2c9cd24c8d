//! GitHub's GraphQL dialect: what is recognised, what it reads as, and that it and REST tell of one pull request.

use std::path::Path;

use git_docket::forge::dialect::Dialect;
use git_docket::forge::facets::{Field, Header, Id, Item, State};
use git_docket::forge::recognise::{Extent, Hints, Look, Reason, Recognised, recognise};
use git_docket::format::entity::Kind;
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json};
use serde_json::{Value, json as value};

use crate::support::{arg, docket, done, scratch, testdata};

mod cases;
mod dumped;
mod fold;
mod words;

fn parse(value: &Value) -> Json<'static> {
    json::parse(value.to_string().as_bytes()).expect("in the profile").into_owned()
}

fn seen(value: &Value) -> Recognised {
    recognise(&parse(value), &Hints::default())
}

/// The looks as lines `facet extent subject items`.
fn lines(found: &Recognised) -> Vec<String> {
    let line = |look: &Look| {
        let subject = look.subject.known().map_or("nobody".to_owned(), ToString::to_string);
        assert_eq!(look.dialect, Dialect::GithubGraphql);
        format!("{} {:?} {subject} {}", look.facet.name(), look.extent, look.items().len())
    };
    found.looks.iter().map(line).collect()
}

fn header(value: Value) -> Header {
    Dialect::GithubGraphql.header(&parse(&value)).expect("a header").value
}

fn item(facet: Facet, value: Value) -> Item {
    Dialect::GithubGraphql.items(facet, &parse(&value)).remove(0).expect("an item").value
}
