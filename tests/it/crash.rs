//! Killed at any write, sync, rename or removal: what is left verifies, and the next run ends where an undisturbed one does.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use git_docket::format::profile::Profile;
use git_docket::format::steps::{Step, Steps, Unhindered};
use git_docket::format::time::Time;
use git_docket::ops::place::Place;
use git_docket::ops::{Error, init, observe, snapshot, stage, verify};

use crate::support::{arg, checked, files, git, onto_branch, scratch, testdata};

/// Lets so many steps happen, and none after them: to the disk that is a killed process.
struct Killed {
    left: AtomicUsize,
}

impl Killed {
    fn after(steps: usize) -> Self {
        Self { left: AtomicUsize::new(steps) }
    }
}

impl Steps for Killed {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        let took = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        took.map(|_| ()).map_err(|_| io::Error::other("killed"))
    }
}

/// Runs a job stopped at its first step, its second, and so on, each time on a copy of `before`, until it runs through.
fn stopped_everywhere(
    before: &dyn Fn(&Path),
    job: &dyn Fn(&Path, &dyn Steps) -> Result<(), Error>,
    check: &dyn Fn(&Path, usize),
) -> usize {
    for steps in 0.. {
        let dir = scratch();
        before(dir.path());
        let killed = Killed::after(steps);
        let done = job(dir.path(), &killed).is_ok();
        check(dir.path(), steps);
        job(dir.path(), &Unhindered).expect("the next run is not disturbed");
        check(dir.path(), steps);
        if done {
            return steps;
        }
    }
    unreachable!("a job ends")
}

fn now() -> Time {
    "2026-03-05T00:00:00Z".parse().expect("a time")
}

fn place(dir: &Path, branch: Option<&str>) -> Place {
    Place::find(Some(&dir.join("store")), branch, dir).expect("a store")
}

fn inputs() -> Vec<String> {
    // Two payloads have every kind of step; more only repeat them.
    ["pull.json", "comments.json"].map(|name| arg(&testdata("threads/acme-web-42").join(name)).to_owned()).to_vec()
}

fn observe_with(dir: &Path, branch: Option<&str>, commit: bool, steps: &dyn Steps) -> Result<(), Error> {
    let inputs = inputs();
    let observed_at = Some(now());
    let options = observe::Options { observed_at, commit, steps, ..observe::Options::of(&inputs, now()) };
    observe::observe(&place(dir, branch), &options, &mut io::empty()).map(|_| ())
}

fn init_with(dir: &Path, branch: Option<&str>, steps: &dyn Steps) -> Result<(), Error> {
    init::init(&init::Options { dir: &dir.join("store"), branch, steps }).map(|_| ())
}

fn assert_verified(dir: &Path, branch: Option<&str>, steps: usize) {
    let facts = place(dir, branch).facts().expect("facts");
    let report = verify::verify(facts.as_ref(), &verify::Anchor { index_digest: None, commit: None }).expect("checked");
    assert!(report.verified, "stopped after {steps} steps: {:?}", report.findings);
}

fn assert_sound(dir: &Path, steps: usize) {
    checked(git(&dir.join("store"), &["fsck", "--strict"]), &format!("git fsck after {steps} steps"));
}

#[test]
fn observe_in_a_work_tree() {
    let steps = stopped_everywhere(
        &|dir| init_with(dir, None, &Unhindered).expect("a store"),
        &|dir, steps| observe_with(dir, None, true, steps),
        &|dir, steps| {
            assert_verified(dir, None, steps);
            assert_sound(dir, steps);
        },
    );
    assert!(steps > 20, "only {steps} steps were announced");
}

#[test]
fn a_rerun_leaves_the_index_and_the_branch_with_all_facts() {
    for steps in 0.. {
        let dir = scratch();
        init_with(dir.path(), None, &Unhindered).expect("a store");
        let done = observe_with(dir.path(), None, true, &Killed::after(steps)).is_ok();
        observe_with(dir.path(), None, true, &Unhindered).expect("the next run is not disturbed");
        let status = git(&dir.path().join("store"), &["status", "--porcelain"]);
        assert_eq!(String::from_utf8_lossy(&status.stdout), "", "stopped after {steps} steps");
        assert!(!dir.path().join("store/.git/index.lock").exists(), "stopped after {steps} steps");
        assert!(place(dir.path(), None).facts_and_commit().expect("HEAD can be read").1.is_some(), "{steps} steps");
        if done {
            break;
        }
    }
}

#[test]
fn observe_on_a_branch() {
    let steps = stopped_everywhere(
        &|dir| init_with(dir, Some("facts"), &Unhindered).expect("a store"),
        &|dir, steps| observe_with(dir, Some("facts"), false, steps),
        &|dir, steps| {
            assert_verified(dir, Some("facts"), steps);
            assert_sound(dir, steps);
        },
    );
    assert!(steps > 5, "only {steps} steps were announced");
}

#[test]
fn init_anywhere() {
    for branch in [None, Some("facts")] {
        stopped_everywhere(&|_| {}, &|dir, steps| init_with(dir, branch, steps), &|dir, steps| {
            // Half-made is not a store yet; what is one is whole.
            if let Ok(place) = Place::find(Some(&dir.join("store")), branch, dir)
                && let Ok(facts) = place.facts()
            {
                let anchor = verify::Anchor { index_digest: None, commit: None };
                let report = verify::verify(facts.as_ref(), &anchor).expect("checked");
                let only = |finding: &verify::Finding| finding.code.as_str() == "attributes-missing";
                assert!(report.findings.iter().all(only), "after {steps} steps: {:?}", report.findings);
            }
        });
    }
}

#[test]
fn snapshot_on_its_branch() {
    let job = |dir: &Path, steps: &dyn Steps| {
        let to = snapshot::To { message: None, now: now() };
        let options = onto_branch(to, steps);
        snapshot::snapshot(&place(dir, None), &options).map(|_| ())
    };
    let steps = stopped_everywhere(
        &|dir| {
            init_with(dir, None, &Unhindered).expect("a store");
            observe_with(dir, None, true, &Unhindered).expect("facts");
        },
        &job,
        &|dir, steps| {
            assert_verified(dir, None, steps);
            assert_sound(dir, steps);
            let place = place(dir, None);
            let repo = place.repo().expect("a repository");
            if let Some(tip) = repo.find_branch("docket-snapshots").expect("refs can be read") {
                let commit = repo.commit(tip.id).expect("a commit");
                let tree = repo.tree(&commit, "").expect("a tree");
                let anchor = verify::Anchor { index_digest: None, commit: Some(tip.id.to_string()) };
                let report = verify::verify(&tree, &anchor).expect("checked");
                assert!(report.verified, "after {steps} steps: {:?}", report.findings);
            }
        },
    );
    assert!(steps > 5, "only {steps} steps were announced");
}

#[test]
fn stage_is_there_whole_or_not_at_all() {
    let profile = Profile::built_in("default").expect("built in");
    let job = |dir: &Path, steps: &dyn Steps| {
        let out = &dir.join("stage");
        let options = stage::Options { out, replace: true, steps, ..stage::Options::unwritten(&[], &profile) };
        stage::stage(place(dir, None).facts()?.as_ref(), &options).map(|_| ())
    };
    let steps = stopped_everywhere(
        &|dir| {
            init_with(dir, None, &Unhindered).expect("a store");
            observe_with(dir, None, false, &Unhindered).expect("facts");
        },
        &job,
        &|dir, steps| {
            if dir.join("stage").exists() {
                let tree = git_docket::ops::place::directory_tree(&dir.join("stage")).expect("a directory");
                let anchor = verify::Anchor { index_digest: None, commit: None };
                let report = verify::verify(tree.as_ref(), &anchor).expect("checked");
                assert!(report.verified, "after {steps} steps: {:?}", report.findings);
            }
        },
    );
    assert!(steps > 10, "only {steps} steps were announced");
}

/// The facts of a recorded stage come before the list that names them, and that before the record.
#[test]
fn a_recorded_stage_is_never_without_its_facts() {
    let profile = Profile::built_in("default").expect("built in");
    let inputs = inputs();
    let options = observe::Options { observed_at: Some(now()), ..observe::Options::of(&inputs, now()) };
    let (facts, _) = observe::observe_in_memory(&options, &mut io::empty()).expect("facts");
    for branch in [None, Some("facts")] {
        let job = |dir: &Path, steps: &dyn Steps| {
            let place = place(dir, branch);
            let out = &dir.join("stage");
            let record = Some(stage::Record { place: &place, now: now(), facts: &[&facts] });
            let options =
                stage::Options { out, replace: true, record, steps, ..stage::Options::unwritten(&[], &profile) };
            stage::stage(&facts, &options).map(|_| ())
        };
        let before = |dir: &Path| init_with(dir, branch, &Unhindered).expect("a store");
        let steps = stopped_everywhere(&before, &job, &|dir, steps| assert_verified(dir, branch, steps));
        assert!(steps > 10, "only {steps} steps were announced");
    }
}

/// A signal after so many writes: nothing more is written, and what is begun may be given its name or be cleared away.
struct Signalled(Killed);

impl Steps for Signalled {
    fn before(&self, step: Step, path: &Path) -> io::Result<()> {
        match step {
            Step::Write => self.0.before(step, path).map_err(|_| io::ErrorKind::Interrupted.into()),
            Step::Sync | Step::Rename | Step::Remove => Ok(()),
        }
    }
}

#[test]
fn a_signal_between_two_writes_leaves_what_was_there() {
    let [minimal, default] = ["minimal", "default"].map(|name| Profile::built_in(name).expect("built in"));
    let inputs = inputs();
    let options = observe::Options { observed_at: Some(now()), ..observe::Options::of(&inputs, now()) };
    let (facts, _) = observe::observe_in_memory(&options, &mut io::empty()).expect("facts");
    let run = |dir: &Path, profile: &Profile, steps: &dyn Steps| {
        let (out, explain) = (&dir.join("stage"), dir.join("why.json"));
        let explain = Some(explain.as_path());
        let options = stage::Options { out, explain, replace: true, steps, ..stage::Options::unwritten(&[], profile) };
        stage::stage(&facts, &options).map(|_| ())
    };
    for has_former in [false, true] {
        let mut interrupted = 0;
        for writes in 0.. {
            let dir = scratch();
            if has_former {
                run(dir.path(), &minimal, &Unhindered).expect("a former stage");
            }
            let before = files(dir.path());
            let Err(error) = run(dir.path(), &default, &Signalled(Killed::after(writes))) else { break };
            assert!(error.to_string().contains("stopped before a step"), "{error}");
            assert_eq!(files(dir.path()), before, "after {writes} writes");
            let left = std::fs::read_dir(dir.path()).expect("listed").count();
            assert_eq!(left, if has_former { 2 } else { 0 }, "after {writes} writes");
            interrupted += 1;
        }
        assert!(interrupted > 10, "only {interrupted} writes were announced");
    }
}
