//! Every recorded delivery that is about somebody, recorded in a store of its own and made again.

use std::fs;
use std::path::{Path, PathBuf};

use git_docket::format::header;
use git_docket::format::profile::Profile;
use git_docket::format::time::Time;
use git_docket::ops::event::read_event;
use git_docket::ops::observe::{self, observe_in_memory};
use git_docket::ops::place::Place;
use git_docket::ops::stage::{Event, Options, Record, replay, stage};
use git_docket::ops::wanted::Wanted;

use crate::support::{files, scratch, shared};

fn payloads(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            payloads(&path, found);
        } else if path.extension().is_some_and(|end| end == "json") {
            found.push(path);
        }
    }
}

/// Whether the delivery names an entity; then its stage was made twice, and is the same.
fn is_made_again(bytes: &[u8], name: &str) -> bool {
    let Ok(delivery) = read_event(bytes, name, None) else { return false };
    let now: Time = "2026-03-05T00:00:00Z".parse().expect("a time");
    let inputs = ["-".to_owned()];
    let (event, observed_at) = (Some(delivery.event), delivery.at);
    let observed = observe::Options { event, observed_at, ..observe::Options::of(&inputs, now) };
    let (facts, seen) = observe_in_memory(&observed, &mut &bytes[..]).expect("the delivery is understood");
    let input = seen.inputs[0].digest.as_deref().expect("a digest").parse().expect("a digest");
    let dir = scratch();
    let store = dir.path().join("store");
    fs::create_dir(&store).expect("made");
    for (path, bytes) in header::files() {
        fs::write(store.join(path), bytes).expect("written");
    }
    let place = Place::find(Some(&store), None, dir.path()).expect("a store");
    let wanted: Vec<_> =
        delivery.subjects.iter().map(|(subject, kind)| Wanted { subject: subject.clone(), kind: *kind }).collect();
    let mut profile = Profile::built_in("full").expect("built in");
    (profile.trust.as_of, profile.trust.head) = (delivery.at, delivery.head.clone());
    let (out, again) = (dir.path().join("out"), dir.path().join("again"));
    let options = Options {
        event: Some(Event { delivery: &delivery, facts: &facts, input, chosen: false }),
        out: &out,
        record: Some(Record { place: &place, now, facts: &[&facts] }),
        ..Options::unwritten(&wanted, &profile)
    };
    let made = stage(place.facts().expect("facts").as_ref(), &options).expect("a stage");
    let index = made.index_digest.parse().expect("a digest");
    let options = Options { wanted: &[], event: None, out: &again, record: None, ..options };
    let said = replay(place.facts().expect("facts").as_ref(), &index, &options).expect("a replay");
    assert!(said.replay.is_some_and(|replay| replay.same), "{name}");
    assert!(files(&out) == files(&again), "{name}");
    true
}

#[test]
fn every_recorded_delivery_is_made_again_byte_for_byte() {
    let Some(webhooks) = shared("data/webhooks") else { return };
    let mut found = Vec::new();
    payloads(&webhooks, &mut found);
    // Who files waits for the disk.
    let made = |some: &[PathBuf]| {
        let is_made =
            |path: &&PathBuf| is_made_again(&fs::read(path).expect("a delivery"), &path.display().to_string());
        some.iter().filter(is_made).count()
    };
    let count: usize = std::thread::scope(|scope| {
        let each: Vec<_> =
            found.chunks(found.len().div_ceil(16).max(1)).map(|some| scope.spawn(move || made(some))).collect();
        each.into_iter().map(|one| one.join().expect("all are the same")).sum()
    });
    assert!(count > 60, "{count} of {} deliveries name an entity", found.len());
}
