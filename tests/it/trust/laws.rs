//! Laws of a state as of a time: no later text, the newest version that was there, and whatever else was looked at later.

use proptest::prelude::*;

use git_docket::corpus::{Moment, State, fold_at};
use git_docket::forge::facets::{Comment, Item};
use git_docket::format::facet::Facet;
use git_docket::format::observation::Completeness;

use crate::corpus::{comment, items, look, time};

/// A comment: when it was made, each time that it was edited, when it was deleted.
type Story = (i64, Vec<i64>, Option<i64>);

fn story() -> impl Strategy<Value = Story> {
    (0i64..50, prop::collection::vec(1i64..30, 0..4), prop::option::of(1i64..60)).prop_map(|(made, steps, life)| {
        let mut at = made;
        let edits = steps.into_iter().map(|step| {
            at += step;
            at
        });
        (made, edits.collect(), life.map(|life| made + life))
    })
}

/// The version of a comment that is there at a time.
fn version(id: u64, story: &Story, at: i64) -> Option<Comment> {
    let (made, edits, deleted) = story;
    if *made > at || deleted.is_some_and(|deleted| deleted <= at) {
        return None;
    }
    let updated = edits.iter().copied().filter(|edit| *edit <= at).max().unwrap_or(*made);
    let mut comment = comment(id, updated, &format!("{id}@{updated}"));
    comment.created_at = Some(time(*made));
    Some(comment)
}

fn state(stories: &[Story], looks: &[i64], at: i64) -> Option<State> {
    let seen = looks.iter().map(|moment| {
        let there =
            (1..).zip(stories).filter_map(|(id, story)| version(id, story, *moment)).map(Box::new).map(Item::Comment);
        look(*moment, Facet::Comments, items(there.collect(), Completeness::AllPages))
    });
    fold_at(seen.collect(), &Moment { at: Some(time(at)), head: None })
}

fn texts(state: &Option<State>) -> Vec<(u64, String)> {
    let comments = state.iter().flat_map(|state| &state.comments);
    comments.filter_map(|one| Some((one.id.number()?, one.body.known()?.clone()))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_newest_version_of_the_time_is_shown_and_no_later_one(
        stories in prop::collection::vec(story(), 1..5),
        looks in prop::collection::vec(0i64..150, 1..5),
        at in 0i64..150,
    ) {
        let state = state(&stories, &looks, at);
        for (id, text) in texts(&state) {
            let story = &stories[id as usize - 1];
            let seen = looks.iter().filter_map(|moment| version(id, story, *moment)?.updated_at);
            let newest = seen.filter(|updated| *updated <= time(at)).max().expect("it was seen");
            let (_, updated) = text.split_once('@').expect("a text of ours");
            prop_assert_eq!(time(updated.parse().expect("a number")), newest);
        }
        // Every comment that a look shows has its row, or was gone for a look that need not be later.
        for state in state.iter() {
            let rows = state.comments.len() + state.tombstones.len();
            let seen = (1..).zip(&stories).filter(|(id, story)| looks.iter().any(|moment| version(*id, story, *moment).is_some()));
            let there = seen.clone().filter(|(_, story)| time(story.0) <= time(at)).count();
            prop_assert!((there..=seen.count()).contains(&rows), "{rows} rows");
        }
    }

    #[test]
    fn looks_that_were_made_later_hide_nothing_and_change_no_text(
        stories in prop::collection::vec(story(), 1..5),
        looks in prop::collection::vec(0i64..100, 1..4),
        later in prop::collection::vec(101i64..200, 1..4),
    ) {
        // Something is always made behind the time, so that a later look shows that it is one.
        let stories = [stories, vec![(101, Vec::new(), None)]].concat();
        let (early, all) = (state(&stories, &looks, 100), state(&stories, &[looks, later].concat(), 100));
        let all = texts(&all);
        for text in texts(&early) {
            prop_assert!(all.contains(&text) || all.iter().any(|(id, other)| *id == text.0 && newer(other, &text.1)), "{text:?} in {all:?}");
        }
    }
}

/// A list that does not show a comment, and need not be later, says that it was gone: then it is not missing as well.
#[test]
fn what_was_gone_by_then_is_one_row() {
    let stories = [(21, vec![35], Some(73))];
    let state = state(&stories, &[35, 73, 21], 21).expect("a state");
    assert_eq!((state.comments.len(), state.tombstones.len()), (0, 1));
}

/// Whether one text is a later version than another: a later look may show a version of the time that no earlier one did.
fn newer(a: &str, b: &str) -> bool {
    let at = |text: &str| text.split_once('@').and_then(|(_, at)| at.parse::<i64>().ok());
    at(a) > at(b)
}
