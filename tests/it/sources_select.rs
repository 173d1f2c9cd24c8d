//! The decision door and the bounds of disclosure, with doors that are small scripts.

use std::path::PathBuf;
use std::time::Duration;

use git_docket::format::atif;
use git_docket::format::digest::Digest;
use git_docket::format::evidence::Verdict;
use git_docket::format::questions::{EVIDENCE_RELEVANCE, OURS, QuestionSet};
use git_docket::ops::process::Job;
use git_docket::ops::sources::{CollectOptions as Options, CollectReport as Report, Door, collect};
use git_docket::sources::disclosure::Audience;
use git_docket::sources::selection::Held;
use serde_json::{Value, json};

use crate::sources_support::{Repo, patient};

/// A repository with two files that match, a door that keeps what it was asked, and the answers that it gives.
struct Site {
    repo: Repo,
}

const DRAFT: &str = "find the needle";

impl Site {
    fn new() -> Self {
        let repo = Repo::new();
        repo.write("a.rs", "needle in a\n").write("b.rs", "other\nneedle in b\n").commit();
        Self { repo }
    }

    fn asked(&self) -> PathBuf {
        self.repo.outside("asked")
    }

    /// What the door was asked, one request a line.
    fn requests(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.asked()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a request")).collect()
    }

    fn door(&self, script: &str) -> Door {
        let script = format!("cat >> '{}'\n{script}", self.asked().display());
        let job = Job {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
            deadline: Duration::from_secs(30),
            ..Job::default()
        };
        let questions = QuestionSet::from_bytes(OURS.as_bytes()).expect("our own set");
        Door { name: "door".to_owned(), job, questions, model: None, held: None }
    }

    fn answering(&self, answer: Value) -> Door {
        self.door(&format!("cat <<'END'\n{answer}\nEND"))
    }

    fn collect(&self, door: Door, audience: Option<Audience>) -> Report {
        self.collect_draft(DRAFT, door, audience)
    }

    fn collect_draft(&self, draft: &str, door: Door, audience: Option<Audience>) -> Report {
        collect(&Options { door: Some(door), audience, ..patient(self.repo.path(), draft) }).expect("a collection")
    }
}

fn paths(report: &Report) -> Vec<&str> {
    report.context.references.iter().map(|reference| reference.path.as_str()).collect()
}

const B: &str = "b.rs (the whole file)";

fn chooses_b() -> Value {
    json!({"choice": B, "probabilities": {B: 0.8, "a.rs (the whole file)": 0.1, "none": 0.1}, "model": "m-1", "any_relevant": 0.9})
}

#[test]
fn a_choice_orders_the_block_and_is_recorded() {
    let site = Site::new();
    let report = site.collect(site.answering(chooses_b()), None);
    assert_eq!(paths(&report), ["b.rs", "a.rs"], "every observation still renders");
    let selection = report.context.selection.expect("a selection");
    assert_eq!(selection.verdict, Verdict::Chosen);
    assert_eq!(selection.selected.map(|pick| (pick.path, pick.option)), Some(("b.rs".to_owned(), B.to_owned())));
    assert_eq!(selection.unranked, ["a.rs (lines 1-1)", "b.rs (lines 2-2)"]);
    assert_eq!(selection.disclosure, None);
    assert_eq!(selection.evidence_digest, report.context.candidates.expect("a manifest").digest());
    let call = report.decision.expect("a decision call");
    assert_eq!(
        (&call["name"], &call["route"], &call["model"]),
        (&json!("repository/select"), &json!("chosen"), &json!("m-1"))
    );
    assert_eq!(call["answers"], chooses_b());
}

#[test]
fn the_request_offers_exactly_the_candidates_and_never_content() {
    let site = Site::new();
    site.collect(site.answering(chooses_b()), None);
    let request = &site.requests()[0];
    let names: Vec<&str> =
        request["options"].as_array().expect("options").iter().filter_map(|o| o["name"].as_str()).collect();
    assert_eq!(names, ["none", "a.rs (the whole file)", "a.rs (lines 1-1)", B, "b.rs (lines 2-2)"]);
    assert_eq!(request["state"]["task"], DRAFT);
    assert_eq!(request["state"]["candidates"].as_array().map(Vec::len), Some(4));
    assert_eq!(request["state"]["candidates"][0]["digest"], Digest::of(b"needle in a\n").hex());
    let set: Value = serde_json::from_str(OURS).expect("our own set");
    assert_eq!(request["questions"], set["questions"]);
    assert_eq!(request["questionSet"]["digest"], atif::digest(&json!({"questions": set["questions"]})).hex());
    assert!(!request.to_string().contains("needle in"), "content was sent");
}

/// Whatever else the door says or does, the order stands and the trace says why.
#[test]
fn everything_but_a_choice_leaves_the_order() {
    let site = Site::new();
    let plain = site.repo.collect(DRAFT).block;
    let refused: [(Door, &str); 9] = [
        (site.answering(json!({"refusal": "not today"})), "the door refused: not today"),
        (
            site.answering(json!({"choice": "c.rs", "model": "m"})),
            "the gate named \"c.rs\", which the request never offered",
        ),
        (site.answering(json!({"probabilities": {}, "model": "m"})), "the gate question went unanswered"),
        (site.answering(json!({"choice": 1, "model": "m"})), "the gate question went unanswered"),
        (site.answering(json!({"choice": B})), "the door named no model"),
        (site.door("echo oops"), "the door answered no JSON"),
        (site.door("exit 7"), "the door ended with status 7"),
        (site.door("head -c 2000000 /dev/zero"), "the door answered more than may be read"),
        (
            site.door("echo '{\"choice\":\"none\",\"choice\":\"none\",\"model\":\"m\"}'"),
            "the door answered no JSON: json-duplicate-key",
        ),
    ];
    for (door, error) in refused {
        let report = site.collect(door, None);
        assert_eq!(report.block, plain);
        assert_eq!(report.context.selection, None, "{error}");
        let said = report.decision.expect("a call")["error"].as_str().expect("an error").to_owned();
        assert!(said.starts_with(error), "{said}");
    }
    let report =
        site.collect(site.answering(json!({"choice": "none", "probabilities": {"none": 1}, "model": "m"})), None);
    assert_eq!(report.block, plain);
    assert_eq!(report.context.selection.map(|record| record.verdict), Some(Verdict::Abstained));
    assert_eq!(report.decision.expect("a call")["route"], "abstained");
}

#[test]
fn a_door_that_does_not_answer_is_left_alone_in_time() {
    let site = Site::new();
    let pipe = site.repo.outside("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let mut door = site.door(&format!("cat '{}'", pipe.display()));
    door.job.deadline = Duration::from_millis(200);
    let report = site.collect(door, None);
    assert_eq!(report.decision.expect("a call")["error"], "the door did not answer in time");
    assert_eq!(report.context.selection, None);
}

#[test]
fn one_path_asks_nothing() {
    let site = Site::new();
    std::fs::remove_file(site.repo.path().join("b.rs")).expect("removed");
    let report = site.collect(site.answering(chooses_b()), None);
    assert_eq!((report.decision, report.context.selection, site.requests().len()), (None, None, 0));
}

#[test]
fn a_judgment_answers_again_only_while_every_identity_matches() {
    let site = Site::new();
    let first = site.collect(site.answering(chooses_b()), None);
    let held = Held {
        task_digest: atif::text_digest(DRAFT),
        door: "door".to_owned(),
        record: first.context.selection.clone().expect("a selection"),
    };
    let with = |change: &dyn Fn(&mut Door)| {
        let mut door = Door { held: Some(held.clone()), ..site.door("exit 1") };
        change(&mut door);
        door
    };
    let asked = |report: &Report| !report.decision.as_ref().expect("a call")["reused"].as_bool().expect("a flag");
    let again = site.collect(with(&|_| ()), None);
    assert!(!asked(&again));
    assert_eq!((again.block, again.context), (first.block, first.context));
    assert!(!asked(&site.collect(with(&|door| door.model = Some("m-1".to_owned())), None)));
    assert_eq!(site.requests().len(), 1);

    assert!(asked(&site.collect(with(&|door| door.model = Some("m-2".to_owned())), None)), "another model");
    assert!(asked(&site.collect(with(&|door| door.name = "other".to_owned()), None)), "another door");
    assert!(asked(&site.collect(with(&|door| door.questions.policy = Some(json!({"v": 1}))), None)), "another policy");
    assert!(
        asked(&site.collect(with(&|door| door.questions.questions = json!({"most_relevant": {}})), None)),
        "another wording"
    );
    assert!(asked(&site.collect_draft("find the needle now", with(&|_| ()), None)), "another task");
    site.repo.write("a.rs", "needle in A\n");
    assert!(asked(&site.collect(with(&|_| ()), None)), "another byte under the same path");
}

fn audience(profile: &str, grants: Option<&[&str]>) -> Option<Audience> {
    let grants = grants.map(|grants| grants.iter().map(|grant| (*grant).to_owned()).collect());
    Some(Audience::resolve(profile, None, None, grants).expect("a profile"))
}

#[test]
fn what_is_not_granted_is_neither_shown_nor_sent() {
    let site = Site::new();
    site.repo.write("README.md", "about the needle\n").commit();
    for profile in ["direct_local", "hosted_http"] {
        let _ = std::fs::remove_file(site.asked());
        let report =
            site.collect(site.answering(json!({"choice": "none", "model": "m"})), audience(profile, Some(&["a.rs"])));
        assert_eq!(paths(&report), ["a.rs"]);
        assert!(
            report
                .block
                .contains("withheld {\"allowance\":\"path-only\",\"basis\":\"outside-grants\",\"path\":\"b.rs\"}\n")
        );
        assert!(!report.block.contains("needle in b") && !report.block.contains("about the needle"));
        assert!(report.card.contains("README.md:\n[not quoted"), "the card keeps the bounds too");
        assert!(report.context.diagnostics.contains(&"disclosure withheld excerpts".to_owned()));
        let selection = report.context.selection.expect("a selection");
        assert_eq!(selection.disclosure, report.disclosure);
        let sent = &site.requests()[0]["state"]["candidates"];
        for candidate in sent.as_array().expect("candidates").iter().filter(|candidate| candidate["path"] != "a.rs") {
            for name in ["digest", "span", "base"] {
                assert!(candidate.get(name).is_none(), "{name} of {} was sent", candidate["path"]);
            }
            assert_eq!((&candidate["bytes"], &candidate["readness"]), (&json!(0), &json!("refused")));
        }
        let text = site.requests()[0].to_string();
        assert!(!text.contains("lines 2-2"), "a span was sent in the name of an option");
        assert!(!text.contains(&Digest::of(b"other\nneedle in b\n").hex()));
    }
}

#[test]
fn without_a_list_the_read_set_is_granted_and_without_a_profile_nothing_is_claimed() {
    let site = Site::new();
    let hosted = site.collect(site.answering(chooses_b()), audience("hosted_http", None));
    assert_eq!(paths(&hosted), ["b.rs", "a.rs"], "a full read of a granted path is content under every profile");
    let none = site.collect(site.answering(chooses_b()), None);
    assert_eq!((none.disclosure, none.context.selection.and_then(|record| record.disclosure)), (None, None));
    let nothing = site.collect(site.answering(chooses_b()), audience("direct_local", Some(&[])));
    assert_eq!(paths(&nothing), Vec::<&str>::new());
    assert_eq!(nothing.block.matches("withheld {").count(), 2);
}

#[test]
fn locality_follows_the_profile_and_its_address() {
    let local = |profile: &str, address: Option<&str>| Audience::resolve(profile, address, None, None).map(|a| a.local);
    assert_eq!(local("direct_local", None), Ok(true));
    for address in [
        "127.0.0.1",
        "http://localhost:8080/v1",
        "10.1.2.3:443",
        "192.168.0.9",
        "[::1]:9",
        "::1",
        "fd00::1",
        "169.254.1.1",
    ] {
        assert_eq!(local("own_provider", Some(address)), Ok(true), "{address}");
    }
    let public = [
        "8.8.8.8",
        "example.com",
        "localhost.example.com",
        "2001:db8::1",
        "http://127.0.0.1@example.com/",
        "::ffff:8.8.8.8",
        "",
    ];
    for address in public {
        assert_eq!(local("own_provider", Some(address)), Ok(false), "{address}");
    }
    assert_eq!(local("own_provider", None), Ok(false));
    assert_eq!((local("hosted_http", Some("127.0.0.1")), local("relay", None)), (Ok(false), Ok(false)));
    assert!(local("something", None).is_err());
}

#[test]
fn a_question_set_is_what_its_file_says() {
    let set =
        br#"{"v":1,"gate":"g","questions":[{"id":"g","criteria":{"none":"nothing fits"}},{"id":"h"}],"policy":{}}"#;
    let set = QuestionSet::from_bytes(set).expect("a set");
    assert_eq!(
        (set.id.as_str(), set.gate.as_str(), set.none_criterion()),
        (EVIDENCE_RELEVANCE, "g", Some("nothing fits"))
    );
    assert_eq!((set.question_ids(), set.policy_digest()), (vec!["g".to_owned(), "h".to_owned()], None));
    let same = br#"{"questions":[{"criteria":{"none":"nothing fits"},"id":"g"},{"id":"h"}],"id":"x"}"#;
    assert_eq!(set.digest(), QuestionSet::from_bytes(same).expect("a set").digest(), "only the questions count");
    for wrong in [
        "[]",
        "{}",
        r#"{"questions":{}}"#,
        r#"{"questions":{"a":1},"questions":{"a":1}}"#,
        r#"{"questions":{"a":1},"id":3}"#,
        "x",
    ] {
        assert!(QuestionSet::from_bytes(wrong.as_bytes()).is_err(), "{wrong}");
    }
}
