//! Folding sets: completeness, tombstones, versions, ties.

use super::*;

#[test]
fn no_look_is_no_state() {
    assert!(fold(Vec::new()).is_none());
    let repository = Repository::new(Forge::GitHub, "github.com", "acme/web").expect("a repository");
    let of_repository = LoadedLook { subject: Subject::Repository(repository), ..comments_look(1, ALL, &[]) };
    assert!(fold(vec![of_repository]).is_none());
}

#[test]
fn a_comment_missing_in_a_later_complete_list_is_a_tombstone_however_old_the_list_looks() {
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a"), (2, 9, "b")]), comments_look(2, ALL, &[(1, 1, "a")])]);
    assert_eq!(ids(&state), [1]);
    assert_eq!(gone(&state), [(Facet::Comments, "2".to_owned())]);
    assert!(state.is_complete(Facet::Comments));
}

#[test]
fn a_complete_list_that_is_empty_is_data() {
    let state = folded(vec![comments_look(1, PART, &[(1, 1, "a")]), comments_look(2, ALL, &[])]);
    assert!(ids(&state).is_empty());
    assert_eq!(gone(&state), [(Facet::Comments, "1".to_owned())]);
    assert_eq!(state.coverage[&Facet::Comments].items, Some(0));
    assert!(state.is_complete(Facet::Comments));
}

#[test]
fn a_filtered_list_deletes_nothing_and_shows_what_it_adds() {
    let state = folded(vec![
        comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(3, PART, &[(2, 5, "b, edited"), (3, 6, "c")]),
    ]);
    assert_eq!(ids(&state), [1, 2, 3]);
    assert_eq!(bodies(&state), ["a", "b, edited", "c"]);
    assert!(gone(&state).is_empty());
    let coverage = state.coverage[&Facet::Comments];
    assert_eq!(coverage.state, Availability::Complete);
    assert_eq!(coverage.partial_since, Some(Some(time(6))));
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::Incomplete), 1);
    assert!(!state.is_complete(Facet::Comments));
}

#[test]
fn an_incomplete_look_that_shows_nothing_else_leaves_a_set_complete() {
    let looks = vec![comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]), comments_look(3, PART, &[(2, 2, "b")])];
    let state = folded(looks);
    assert!(state.is_complete(Facet::Comments));
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::Incomplete), 0);
}

#[test]
fn a_deleted_comment_that_a_newer_part_shows_again_is_no_tombstone() {
    let state = folded(vec![
        comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(2, ALL, &[(1, 1, "a")]),
        comments_look(3, PART, &[(2, 2, "b")]),
    ]);
    assert_eq!(ids(&state), [1, 2]);
    assert!(gone(&state).is_empty());
}

#[test]
fn a_set_that_returns_to_an_earlier_state_is_seen() {
    let at = |at, list: &[u64]| {
        look(at, Facet::Reactions, items(list.iter().copied().map(reaction).collect(), Completeness::OnePage))
    };
    let state = folded(vec![at(1, &[1, 2]), at(2, &[]), at(3, &[1, 2])]);
    assert_eq!(state.reactions.len(), 2);
    assert!(state.tombstones.is_empty());
    assert_eq!(ambiguous(&state), 0);
}

#[test]
fn a_stale_version_of_a_comment_does_not_replace_a_newer_one() {
    let state = folded(vec![
        comments_look(1, PART, &[(1, 9, "newer by the forge's clock")]),
        comments_look(2, ALL, &[(1, 3, "older")]),
    ]);
    assert_eq!(bodies(&state), ["newer by the forge's clock"]);
}

#[test]
fn an_unproven_list_is_complete_when_the_header_counts_as_many() {
    let counting = |count| {
        let mut record = Header::default();
        record.counts.comments = Field::Known(count);
        look(5, Facet::Header, header(record))
    };
    let list = || comments_look(1, UNPROVEN, &[(1, 1, "a"), (2, 2, "b")]);
    assert!(folded(vec![list(), counting(2)]).is_complete(Facet::Comments));
    assert!(!folded(vec![list()]).is_complete(Facet::Comments));
    let short = folded(vec![list(), counting(5)]);
    assert_eq!(short.coverage[&Facet::Comments].state, Availability::Partial);
    assert_eq!(short.gaps.count(Facet::Comments, GapCode::Incomplete), 3);
    // Pages that shifted while they were read show an item twice: two rows are not two items.
    let twice = comments_look(1, UNPROVEN, &[(1, 1, "a"), (1, 1, "a")]);
    assert!(!folded(vec![twice, counting(2)]).is_complete(Facet::Comments));
}

#[test]
fn ties_are_ambiguous_only_where_they_decide_something() {
    let one = || comments_look(1, ALL, &[(1, 1, "a")]);
    let other = || comments_look(1, ALL, &[(1, 1, "b")]);
    assert_eq!(ambiguous(&folded(vec![one(), other()])), 1);
    // A later complete look settles it.
    assert_eq!(ambiguous(&folded(vec![one(), other(), comments_look(2, ALL, &[(1, 1, "b")])])), 0);
    // Equal contents are no conflict, and neither is a position in the recording or a time of the forge that orders them.
    let again = LoadedLook { digest: Digest::of(b"again"), ..one() };
    assert_eq!(ambiguous(&folded(vec![one(), again])), 0);
    assert_eq!(ambiguous(&folded(vec![one(), LoadedLook { position: Some(0), ..other() }])), 0);
    assert_eq!(ambiguous(&folded(vec![one(), comments_look(1, ALL, &[(1, 2, "b")])])), 0);
    // Two against one is no vote, whoever comes last.
    for last in 0u8..9 {
        let votes = [one(), other(), other()].into_iter().enumerate();
        let votes = votes.map(|(n, look)| LoadedLook { digest: Digest::of(&[n as u8, last]), ..look });
        assert_eq!(ambiguous(&folded(votes.collect())), 1);
    }
    // Which items there are is decided by the digest as well.
    assert_eq!(ambiguous(&folded(vec![one(), comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")])])), 1);
    assert_eq!(ambiguous(&folded(vec![one(), comments_look(1, PART, &[(3, 3, "c")])])), 1);
}

#[test]
fn an_item_that_a_list_has_twice_with_other_content_is_ambiguous() {
    let twice = |list: &[(u64, i64, &str)]| ambiguous(&folded(vec![comments_look(1, ALL, list)]));
    assert_eq!(twice(&[(1, 1, "a"), (2, 1, "x"), (1, 1, "b")]), 1);
    assert_eq!(twice(&[(1, 1, "a"), (1, 1, "b"), (1, 1, "a")]), 1);
    // Pages that shifted show the same twice, and of an edit between two pages the forge's time says which is the later.
    assert_eq!(twice(&[(1, 1, "a"), (2, 1, "x"), (1, 1, "a")]), 0);
    assert_eq!(twice(&[(1, 2, "b"), (1, 1, "a")]), 0);
    assert_eq!(twice(&[(1, 1, "a"), (1, 1, "b"), (1, 2, "c")]), 0);
    let state = folded(vec![comments_look(1, ALL, &[(1, 2, "b"), (1, 1, "a")])]);
    assert_eq!(bodies(&state), ["b"]);
    // A later look settles it.
    let settled = vec![comments_look(1, ALL, &[(1, 1, "a"), (1, 1, "b")]), comments_look(2, ALL, &[(1, 1, "b")])];
    assert_eq!(ambiguous(&folded(settled)), 0);
}
