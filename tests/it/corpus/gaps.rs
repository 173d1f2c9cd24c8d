//! What is missing, refused or cannot be read.

use super::*;

#[test]
fn the_newest_look_says_whether_a_facet_is_available_and_data_stays() {
    let refused = |at, status| look(at, Facet::Comments, LookData::Unavailable(status));
    let list = comments_look(2, ALL, &[(1, 1, "a")]);
    for (status, state, code) in [
        (401, Availability::Forbidden, GapCode::Forbidden),
        (403, Availability::Forbidden, GapCode::Forbidden),
        (404, Availability::Gone, GapCode::Gone),
        (410, Availability::Gone, GapCode::Gone),
        (451, Availability::Gone, GapCode::Gone),
        (429, Availability::Unavailable, GapCode::Unavailable),
        (502, Availability::Unavailable, GapCode::Unavailable),
    ] {
        let after = folded(vec![list.clone(), refused(3, status)]);
        assert_eq!(after.coverage[&Facet::Comments].state, state, "{status}");
        assert_eq!(after.coverage[&Facet::Comments].items, Some(1), "{status}");
        assert_eq!((ids(&after), after.gaps.count(Facet::Comments, code)), (vec![1], 1), "{status}");
        assert!(!after.is_complete(Facet::Comments));
        let before = folded(vec![refused(1, status), list.clone()]);
        assert!(before.is_complete(Facet::Comments), "{status}");
    }
    let never = folded(vec![refused(1, 403)]);
    assert_eq!(never.gaps.count(Facet::Header, GapCode::NotObserved), 1);
    assert_eq!(never.coverage[&Facet::Comments].items, None);
}

#[test]
fn what_cannot_be_read_is_counted_once_however_often_it_is_seen() {
    let broken = |at| LoadedLook {
        outside_profile: 2,
        data: LookData::Items {
            items: vec![Ok(Item::Comment(Box::new(comment(1, 1, "a"))).into()), Err(InvalidMetadata { member: "id" })],
            completeness: UNPROVEN,
        },
        ..comments_look(at, UNPROVEN, &[])
    };
    let state = folded(vec![broken(1), broken(2)]);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::InvalidMetadata), 1);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::OutsideProfile), 2);
    let state = folded(vec![broken(1), broken(2), comments_look(3, ALL, &[(1, 1, "a")])]);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::InvalidMetadata), 0);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::OutsideProfile), 0);
}

#[test]
fn a_look_whose_elements_are_missing_proves_nothing() {
    let missing = |at, list: &[(u64, i64, &str)]| LoadedLook { missing: true, ..comments_look(at, ALL, list) };
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a")]), missing(2, &[])]);
    assert_eq!(ids(&state), [1]);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::ElementMissing), 1);
    assert!(!state.is_complete(Facet::Comments));
    let replaced = folded(vec![missing(1, &[]), comments_look(2, ALL, &[(1, 1, "a")])]);
    assert_eq!(replaced.gaps.count(Facet::Comments, GapCode::ElementMissing), 0);
    let record = |at, missing| LoadedLook { missing, ..look(at, Facet::Header, header(Header::default())) };
    assert_eq!(folded(vec![record(1, true)]).gaps.count(Facet::Header, GapCode::ElementMissing), 1);
    assert_eq!(folded(vec![record(1, true), record(2, false)]).gaps.count(Facet::Header, GapCode::ElementMissing), 0);
}

#[test]
fn items_with_members_that_cannot_be_read_are_gaps_until_a_version_can() {
    let noted = |item, odd: &[&'static str]| Ok(Noted { value: Item::Comment(Box::new(item)), odd: odd.to_vec() });
    let list = |at, items| look(at, Facet::Comments, LookData::Items { items, completeness: ALL });
    let count = |looks| folded(looks).gaps.count(Facet::Comments, GapCode::InvalidMetadata);
    let odd = || {
        let items = vec![noted(comment(1, 1, "a"), &["user", "body"]), noted(comment(2, 1, "b"), &[])];
        list(1, items)
    };
    assert_eq!(count(vec![odd()]), 1);
    assert_eq!(count(vec![odd(), list(2, vec![noted(comment(1, 1, "a"), &[]), noted(comment(2, 1, "b"), &[])])]), 0);
    // What was deleted is nobody's gap.
    assert_eq!(count(vec![odd(), list(2, vec![noted(comment(2, 1, "b"), &[])])]), 0);
}

#[test]
fn a_header_counts_the_members_that_cannot_be_read() {
    let header = |at, title: Field<String>, odd: &[&'static str]| {
        let header = Header { title, updated_at: Field::Known(time(at)), ..Header::default() };
        look(at, Facet::Header, LookData::Header(Box::new(Noted { value: header, odd: odd.to_vec() })))
    };
    let count = |looks| folded(looks).gaps.count(Facet::Header, GapCode::InvalidMetadata);
    let known = |at| header(at, Field::Known("a".to_owned()), &[]);
    let odd = |at| header(at, Field::Unknown, &["title", "user"]);
    assert_eq!(count(vec![odd(1)]), 2);
    assert_eq!(count(vec![known(1), odd(2)]), 2);
    assert_eq!(count(vec![odd(1), known(2)]), 0);
}

#[test]
fn a_part_that_cannot_be_had_says_nothing_of_the_set() {
    let of_review =
        LoadedLook { item: Some("reviews/5".to_owned()), ..look(9, Facet::Comments, LookData::Unavailable(404)) };
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a")]), of_review]);
    assert!(state.is_complete(Facet::Comments));
}

#[test]
fn what_cannot_be_read_is_not_nothing() {
    let unreadable = |facet| LoadedLook { missing: true, ..look(1, facet, items(Vec::new(), ALL)) };
    let state = folded(vec![unreadable(Facet::Comments), unreadable(Facet::Labels)]);
    assert_eq!(state.coverage[&Facet::Comments].items, None);
    assert_eq!(state.header.labels, Field::Unknown);
    let empty_part = look(1, Facet::Labels, items(Vec::new(), PART));
    assert_eq!(folded(vec![empty_part]).header.labels, Field::Unknown);
}

#[test]
fn the_format_page_lists_every_gap_with_its_usability() {
    let page = include_str!("../../../docs/format.md");
    let table: Vec<_> = page.lines().filter(|line| line.starts_with("| `")).collect();
    for code in GapCode::ALL {
        let (name, usability) = (format!("`{}`", code.name()), format!("| {} |", code.usability().name()));
        let rows = table
            .iter()
            .filter(|row| row.contains(&usability) && row.split('|').nth(1).is_some_and(|cell| cell.contains(&name)));
        assert_eq!(rows.count(), 1, "{name}");
    }
}
