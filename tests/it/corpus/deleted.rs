//! What the forge says it deleted: final, whatever the order of the looks.

use git_docket::corpus::{Availability, GapCode, LookData};
use git_docket::forge::facets::{Field, Header};
use git_docket::format::facet::Facet;
use git_docket::format::observation::Completeness;

use super::{ALL, PART, comments_look, folded, gone, header, ids, look, time};

const DELETED: Completeness = Completeness::Deleted;

#[test]
fn a_deleted_comment_is_a_tombstone_in_any_order() {
    let lists = [
        comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(5, DELETED, &[(2, 2, "b")]),
        comments_look(9, PART, &[(2, 3, "edited before it went")]),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let state = folded(order.iter().map(|at| lists[*at].clone()).collect());
        assert_eq!(ids(&state), [1]);
        assert_eq!(gone(&state), [(Facet::Comments, "2".to_owned())]);
        assert!(state.is_complete(Facet::Comments), "the rest is known in full");
        let Some(git_docket::forge::facets::Item::Comment(last)) = state.tombstones.first().map(|g| g.item.clone())
        else {
            panic!("a comment")
        };
        assert_eq!(last.body, Field::Known("edited before it went".to_owned()), "its last version");
    }
}

#[test]
fn a_complete_look_after_the_deletion_makes_no_second_tombstone() {
    let state = folded(vec![
        comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(5, DELETED, &[(2, 2, "b")]),
        comments_look(9, ALL, &[(1, 1, "a")]),
    ]);
    assert_eq!((ids(&state), gone(&state).len()), (vec![1], 1));
}

#[test]
fn a_deletion_alone_says_nothing_of_the_rest() {
    let state = folded(vec![comments_look(5, DELETED, &[(2, 2, "b")])]);
    assert_eq!(gone(&state).len(), 1);
    assert!(!state.is_complete(Facet::Comments));
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::Incomplete), 1);
}

#[test]
fn a_count_is_compared_with_what_is_left() {
    let counted = |count| {
        let mut counts = Header { title: Field::Known("t".to_owned()), ..Header::default() };
        counts.counts.comments = Field::Known(count);
        header(counts)
    };
    let state = folded(vec![
        look(1, Facet::Header, counted(1)),
        comments_look(1, Completeness::Unproven, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(5, DELETED, &[(2, 2, "b")]),
    ]);
    assert!(state.is_complete(Facet::Comments));
}

#[test]
fn a_deleted_issue_stays_gone_and_keeps_its_last_version() {
    let known = Header { title: Field::Known("t".to_owned()), updated_at: Field::Known(time(3)), ..Header::default() };
    let last = look(2, Facet::Header, LookData::LastHeader(Box::new(known.clone().into())));
    for at in [1, 9] {
        let state = folded(vec![last.clone(), look(at, Facet::Header, header(known.clone()))]);
        assert_eq!(state.coverage[&Facet::Header].state, Availability::Gone);
        assert_eq!(state.header.title, Field::Known("t".to_owned()));
        assert_eq!(state.gaps.count(Facet::Header, GapCode::Gone), 1);
    }
}
