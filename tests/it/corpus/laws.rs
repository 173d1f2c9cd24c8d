//! What holds for any looks.

use proptest::prelude::*;

use super::*;

fn any_comment() -> impl Strategy<Value = Item> {
    (1u64..5, 0i64..3, proptest::option::weighted(0.8, 0i64..3)).prop_map(|(id, body, updated)| {
        let mut item = comment(id, 0, &body.to_string());
        item.updated_at = updated.map(time);
        Item::Comment(Box::new(item))
    })
}

fn any_completeness() -> impl Strategy<Value = Completeness> {
    prop_oneof![Just(ALL), Just(PART), Just(UNPROVEN), Just(Completeness::OnePage)]
}

fn any_header() -> impl Strategy<Value = Header> {
    let field = || prop_oneof![Just(Field::Unknown), Just(Field::Null), (0u64..3).prop_map(Field::Known)];
    let labels = proptest::collection::btree_set(0u8..3, 0..3);
    (field(), field(), field(), proptest::option::of(labels)).prop_map(|(title, updated, comments, labels)| {
        let mut record = Header {
            title: match title {
                Field::Known(n) => Field::Known(n.to_string()),
                Field::Null => Field::Null,
                Field::Unknown => Field::Unknown,
            },
            updated_at: match updated {
                Field::Known(n) => Field::Known(time(n as i64)),
                _ => Field::Unknown,
            },
            ..Header::default()
        };
        record.counts.comments = comments;
        if let Some(labels) = labels {
            record.labels = Field::Known(labels.into_iter().map(|n| label(&n.to_string())).collect());
        }
        record
    })
}

fn any_look(ranks: i64) -> impl Strategy<Value = LoadedLook> {
    let comments = (proptest::collection::vec(any_comment(), 0..4), any_completeness())
        .prop_map(|(list, completeness)| (Facet::Comments, items(list, completeness)));
    let labels =
        (proptest::collection::btree_set(0u8..3, 0..3), any_completeness()).prop_map(|(names, completeness)| {
            let list = names.into_iter().map(|n| Item::Label(Box::new(label(&n.to_string())))).collect();
            (Facet::Labels, items(list, completeness))
        });
    let data = prop_oneof![
        5 => comments,
        2 => labels,
        2 => any_header().prop_map(|record| (Facet::Header, header(record))),
        1 => Just((Facet::Comments, LookData::Unavailable(403))),
    ];
    (0..ranks, proptest::option::weighted(0.2, 0u64..2), data, any::<bool>()).prop_map(
        |(at, position, (facet, data), pull)| LoadedLook {
            position,
            kind: pull.then_some(Kind::Pull),
            ..look(at, facet, data)
        },
    )
}

fn any_looks(most: usize) -> impl Strategy<Value = Vec<LoadedLook>> {
    proptest::collection::vec(any_look(4), 1..most)
}

/// What reaches a tree, less the last versions of what is gone: nobody reads their contents.
fn projection(looks: &[LoadedLook]) -> (State, BTreeSet<(Facet, String)>) {
    let mut state = folded(looks.to_vec());
    let gone = gone(&state).into_iter().collect();
    state.tombstones.clear();
    (state, gone)
}

/// The same looks, their lists beginning elsewhere: each item of a list is its last in one of them.
fn rotated(looks: &[LoadedLook], by: usize) -> Vec<LoadedLook> {
    let mut looks = looks.to_vec();
    for look in &mut looks {
        if let LookData::Items { items, .. } = &mut look.data {
            let by = by.min(items.len());
            items.rotate_left(by);
        }
    }
    looks
}

/// All orders that digests could give to looks which nothing else orders.
fn with_digests_in_every_order(looks: &[LoadedLook]) -> Vec<Vec<LoadedLook>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..looks.len() {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, at);
                    order
                })
            })
            .collect();
    }
    let mut digests: Vec<_> = (0..looks.len()).map(|n| Digest::of(&[n as u8])).collect();
    digests.sort();
    let dress = |order: Vec<usize>| {
        order
            .into_iter()
            .zip(&digests)
            .map(|(at, digest)| LoadedLook { digest: *digest, ..looks[at].clone() })
            .collect()
    };
    orders.into_iter().map(dress).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_arrival_never_matters(looks in any_looks(9), seed in any::<u64>()) {
        let mut shuffled = looks.clone();
        shuffled.sort_by_key(|look| Digest::of(format!("{seed}{}", look.digest).as_bytes()));
        prop_assert_eq!(folded(looks), folded(shuffled));
    }

    #[test]
    fn a_look_given_twice_counts_once(looks in any_looks(7)) {
        let twice: Vec<_> = looks.iter().chain(&looks).cloned().collect();
        prop_assert_eq!(folded(looks), folded(twice));
    }

    #[test]
    fn a_part_never_deletes(looks in any_looks(7), list in proptest::collection::vec(any_comment(), 0..4), at in 0i64..5) {
        let before: BTreeSet<_> = ids(&folded(looks.clone())).into_iter().collect();
        let mut more = looks;
        more.push(look(at, Facet::Comments, items(list, PART)));
        let after: BTreeSet<_> = ids(&folded(more)).into_iter().collect();
        prop_assert!(before.is_subset(&after), "{before:?} {after:?}");
    }

    #[test]
    fn the_newest_complete_look_says_what_there_is(looks in any_looks(7), list in proptest::collection::vec(any_comment(), 0..4)) {
        let shown: BTreeSet<_> = list.iter().map(Item::key).collect();
        let mut more = looks.clone();
        more.push(look(9, Facet::Comments, items(list, ALL)));
        let state = folded(more);
        prop_assert_eq!(ids(&state).iter().map(u64::to_string).collect::<BTreeSet<_>>(), shown.clone());
        prop_assert!(state.is_complete(Facet::Comments));
        let earlier: BTreeSet<_> = looks.iter().filter_map(|look| match &look.data {
            LookData::Items { items, .. } if look.facet == Facet::Comments => Some(items.iter().flatten().map(|item| item.value.key())),
            _ => None,
        }).flatten().collect();
        let expected: Vec<_> = earlier.difference(&shown).map(|key| (Facet::Comments, key.clone())).collect();
        let gone: Vec<_> = gone(&state).into_iter().filter(|(facet, _)| *facet == Facet::Comments).collect();
        prop_assert_eq!(gone, expected);
    }

    #[test]
    fn ambiguous_is_exactly_what_another_order_would_change(looks in proptest::collection::vec(any_look(2), 2..5)) {
        let rotated = (0..4).flat_map(|by| with_digests_in_every_order(&rotated(&looks, by)));
        let all: Vec<_> = rotated.map(|looks| projection(&looks)).collect();
        let decided = all.iter().all(|one| *one == all[0]);
        let said: Vec<_> = all.iter().map(|(state, _)| ambiguous(state) > 0).collect();
        prop_assert!(said.iter().all(|said| *said != decided), "decided {decided}, said {said:?}");
    }
}
