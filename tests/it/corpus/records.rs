//! Folding the record: fields, kind, labels, spelling.

use super::*;

#[test]
fn a_header_that_counts_none_stands_for_a_look() {
    let mut record = Header::default();
    record.counts.comments = Field::Known(0);
    record.counts.reactions = Field::Known(2);
    let state = folded(vec![look(1, Facet::Header, header(record))]);
    assert!(state.is_complete(Facet::Comments));
    assert_eq!(state.coverage[&Facet::Reactions].state, Availability::Absent);
    assert_eq!(state.gaps.count(Facet::Reactions, GapCode::NotObserved), 2);
    assert_eq!(state.gaps.count(Facet::Timeline, GapCode::NotObserved), 1);
}

#[test]
fn a_header_of_a_list_does_not_erase_the_detail() {
    let detail = Header {
        updated_at: Field::Known(time(1)),
        title: Field::Known("old title".to_owned()),
        merged: Field::Known(false),
        merged_by: Field::Null,
        ..Header::default()
    };
    let list =
        Header { updated_at: Field::Known(time(2)), title: Field::Known("new title".to_owned()), ..Header::default() };
    let state = folded(vec![look(1, Facet::Header, header(detail)), look(2, Facet::Header, header(list))]);
    assert_eq!(state.header.title, Field::Known("new title".to_owned()));
    assert_eq!(state.header.merged, Field::Known(false));
    assert_eq!(state.header.merged_by, Field::Null);
}

#[test]
fn a_header_is_ordered_by_the_forges_time_before_the_time_of_the_look() {
    let titled = |updated: i64, title: &str| {
        header(Header {
            updated_at: Field::Known(time(updated)),
            title: Field::Known(title.to_owned()),
            ..Header::default()
        })
    };
    let state = folded(vec![look(1, Facet::Header, titled(9, "new")), look(2, Facet::Header, titled(3, "stale"))]);
    assert_eq!(state.header.title, Field::Known("new".to_owned()));
    let undated = header(Header { title: Field::Known("undated".to_owned()), ..Header::default() });
    let state = folded(vec![look(1, Facet::Header, titled(3, "dated")), look(2, Facet::Header, undated)]);
    assert_eq!(state.header.title, Field::Known("dated".to_owned()));
}

#[test]
fn labels_are_those_of_the_later_of_record_and_facet() {
    let record = |at, names: &[&str]| {
        let labels = names.iter().map(|name| label(name)).collect();
        look(at, Facet::Header, header(Header { labels: Field::Known(labels), ..Header::default() }))
    };
    let facet = |at, names: &[&str]| {
        look(at, Facet::Labels, items(names.iter().map(|name| Item::Label(Box::new(label(name)))).collect(), ALL))
    };
    let names = |state: &State| -> Vec<String> {
        state.header.labels.known().expect("labels").iter().map(|label| label.name.clone()).collect()
    };
    assert_eq!(names(&folded(vec![record(1, &["a"]), facet(2, &["z", "b"])])), ["b", "z"]);
    assert_eq!(names(&folded(vec![record(3, &["a"]), facet(2, &["b"])])), ["a"]);
    assert!(folded(vec![record(1, &[])]).is_complete(Facet::Labels));
    assert!(folded(vec![facet(1, &["a"])]).header.title == Field::Unknown);
    assert_eq!(ambiguous(&folded(vec![record(1, &["a"]), facet(1, &["b"])])), 2);
    assert_eq!(ambiguous(&folded(vec![record(1, &["a"]), facet(1, &["a"])])), 0);
}

#[test]
fn a_tie_of_headers_counts_the_fields_that_differ() {
    let record = |title: &str, locked| {
        header(Header {
            title: Field::Known(title.to_owned()),
            locked: Field::Known(locked),
            draft: Field::Null,
            ..Header::default()
        })
    };
    let state = folded(vec![
        look(1, Facet::Header, record("a", true)),
        look(1, Facet::Header, record("b", false)),
        look(0, Facet::Header, record("c", false)),
    ]);
    assert_eq!(state.gaps.count(Facet::Header, GapCode::OrderAmbiguous), 2);
    let settled = folded(vec![
        look(1, Facet::Header, record("a", true)),
        look(1, Facet::Header, record("b", false)),
        look(2, Facet::Header, record("c", false)),
    ]);
    assert_eq!(ambiguous(&settled), 0);
}

#[test]
fn the_kind_is_what_any_look_shows_and_a_pull_request_stays_one() {
    let with = |at, kind| LoadedLook { kind, ..comments_look(at, ALL, &[]) };
    let assumed = folded(vec![with(1, None)]);
    assert_eq!((assumed.kind, assumed.gaps.count(Facet::Header, GapCode::KindAssumed)), (Kind::Issue, 1));
    assert!(!assumed.coverage.contains_key(&Facet::Files));
    let state = folded(vec![with(1, Some(Kind::Pull)), with(2, Some(Kind::Issue))]);
    assert_eq!((state.kind, state.gaps.count(Facet::Header, GapCode::KindAssumed)), (Kind::Pull, 0));
    assert_eq!(state.coverage[&Facet::Files].state, Availability::Absent);
    let by_record = look(1, Facet::Header, header(Header { kind: Some(Kind::Pull), ..Header::default() }));
    assert_eq!(folded(vec![by_record]).kind, Kind::Pull);
}

#[test]
fn a_pull_request_seen_only_as_an_issue_is_known_in_part() {
    let as_issue = Header {
        kind: Some(Kind::Pull),
        title: Field::Known("t".to_owned()),
        body: Field::Null,
        state: Field::Known(git_docket::forge::facets::State::Open),
        created_at: Field::Known(time(1)),
        ..Header::default()
    };
    let state = folded(vec![look(1, Facet::Header, header(as_issue.clone()))]);
    assert_eq!(state.coverage[&Facet::Header].state, Availability::Partial);
    assert_eq!(state.gaps.count(Facet::Header, GapCode::Incomplete), 2);
    let side = Side { branch: "b".to_owned(), sha: Some("c".repeat(40)), repository: Field::Null };
    let as_pull = Header { head: Field::Known(side.clone()), base: Field::Known(side), ..as_issue };
    assert!(folded(vec![look(1, Facet::Header, header(as_pull))]).is_complete(Facet::Header));
}

#[test]
fn the_repository_is_spelled_as_the_forge_does() {
    let spelled = |at, path: &str| {
        let repository = Repository::new(Forge::GitHub, "github.com", path).expect("a repository");
        LoadedLook { subject: Subject::Thread { repository, number: 42 }, ..comments_look(at, ALL, &[]) }
    };
    let state = folded(vec![spelled(2, "ACME/web"), spelled(1, "Acme/Web")]);
    assert_eq!(state.repository.path(), "ACME/web");
    let record = |path: &str| {
        look(0, Facet::Header, header(Header { repository: Field::Known(path.to_owned()), ..Header::default() }))
    };
    let state = folded(vec![spelled(2, "ACME/web"), record("Acme/Web")]);
    assert_eq!(state.repository.path(), "Acme/Web");
    // A repository that moved has another name, and this is still the thread that was asked for.
    let state = folded(vec![spelled(2, "ACME/web"), record("other/web")]);
    assert_eq!(state.repository.path(), "ACME/web");
}

#[test]
fn a_record_without_a_normal_form_is_invalid_until_a_later_one_has_it() {
    let unreadable = || LookData::Unreadable(InvalidMetadata { member: "state" });
    let only = folded(vec![look(1, Facet::Header, unreadable())]);
    assert_eq!(only.gaps.count(Facet::Header, GapCode::InvalidMetadata), 1);
    assert_eq!(only.coverage[&Facet::Header].state, Availability::Partial, "it was looked at");
    let header = Header { title: Field::Known("t".to_owned()), ..Header::default() };
    let known = look(1, Facet::Header, LookData::Header(Box::new(header.into())));
    let later = folded(vec![known.clone(), look(2, Facet::Header, unreadable())]);
    assert_eq!(later.gaps.count(Facet::Header, GapCode::InvalidMetadata), 1);
    assert_eq!(later.header.title, Field::Known("t".to_owned()), "what was known stays");
    let mended = folded(vec![look(0, Facet::Header, unreadable()), known]);
    assert_eq!(mended.gaps.count(Facet::Header, GapCode::InvalidMetadata), 0);
}
