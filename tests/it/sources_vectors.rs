//! Every known answer for source references, replayed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use git_docket::format::atif;
use git_docket::format::digest::Digest;
use git_docket::format::evidence::{Candidate, Manifest, Omission, Probabilities};
use git_docket::format::questions::EVIDENCE_RELEVANCE;
use git_docket::git::search::Folding;
use git_docket::ops::sources::{CollectOptions as Options, How, Wanted, collect};
use git_docket::sources::Rules;
use git_docket::sources::candidates::{Files, Found, Request, observe};
use git_docket::sources::disclosure::Audience;
use git_docket::sources::options;
use git_docket::sources::selection::{Answer, Asked, judge};
use git_docket::sources::terms::terms;
use serde_json::{Value, json};

use crate::sources_support::{git_engine, patiently};
use crate::support::shared;

const SET_DIGEST: &str = "f827ab947d875a714e83cc66a04e5fa51951bfdb30605d73503907f369b1beb0";

fn cases(name: &str) -> Vec<Value> {
    let Some(path) = shared(&format!("vectors/repository-source/{name}.json")) else { return Vec::new() };
    let text = std::fs::read_to_string(path).expect("the vectors");
    serde_json::from_str(&text).expect("an array of cases")
}

/// The fixture repositories, built once a run.
fn repos() -> Option<PathBuf> {
    static REPOS: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let build = || {
        let script = shared("vectors/repository-source/make_repos.sh")?;
        let dir = tempfile::tempdir().expect("a temporary directory");
        let built = Command::new("bash").arg(script).arg(dir.path()).output().expect("bash runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        Some(dir)
    };
    Some(REPOS.get_or_init(build).as_ref()?.path().canonicalize().expect("the fixtures"))
}

#[test]
fn digests() {
    for case in cases("digest") {
        let value = match case.get("repeat") {
            Some(repeat) => {
                let times = repeat["times"].as_u64().expect("a count") as usize;
                repeat["unit"].as_str().expect("a text").repeat(times).into()
            }
            None => case["value"].clone(),
        };
        let canonical = atif::canonical(&value);
        match case.get("canonical") {
            Some(expected) => {
                assert_eq!(expected.as_str(), Some(canonical.as_str()), "{}", case["name"]);
                let hex: String = canonical.bytes().map(|b| format!("{b:02x}")).collect();
                assert_eq!(case["canonical_hex"], hex, "{}", case["name"]);
            }
            None => assert_eq!(case["canonical_bytes"], canonical.len(), "{}", case["name"]),
        }
        assert_eq!(case["digest"], atif::digest(&value).hex(), "{}", case["name"]);
        if let Some(text) = value.as_str() {
            assert_eq!(case["digest"], atif::text_digest(text).hex(), "{}", case["name"]);
        }
    }
}

#[test]
fn terms_of_drafts() {
    for case in cases("terms") {
        assert_eq!(case["terms"], json!(terms(case["draft"].as_str().expect("a draft"))), "{}", case["draft"]);
    }
}

#[test]
fn collections_in_process_and_by_git() {
    let Some(root) = repos() else { return };
    for case in cases("collector") {
        let repo = case["repo"].as_str().expect("a name");
        let folding = if case["locale"] == "C" { Folding::Ascii } else { Folding::Unicode };
        for engine in [Default::default(), git_engine()] {
            let wanted = Wanted::Draft { text: case["draft"].as_str().expect("a draft").to_owned(), within: None };
            let how = How { engine, folding, ..patiently() };
            let dir = root.join(repo);
            let options = Options { dir, wanted, rules: Rules::OpenAgents, how, audience: None, door: None };
            let report = collect(&options).expect("a collection");
            let which = format!("{repo} {} {:?}", case["draft"], options.how);
            assert_eq!(case["card"], report.card, "{which}");
            assert_eq!(case["members"], json!(report.members), "{which}");
            assert_eq!(case["rendered"], report.block, "{which}");
            assert_eq!(case["rendered_bytes"], report.block.len(), "{which}");
            let prompt = format!("repo context:\n{}{}", report.card, report.block);
            assert_eq!(case["context_bytes"], prompt.len(), "{which}");
            let context = serde_json::to_value(&report.context).expect("a context");
            assert_eq!(case["repository_context"], context, "{which}");
        }
    }
}

struct Below<'a>(&'a Path);

impl Files for Below<'_> {
    fn read(&self, path: &str) -> Found {
        match std::fs::metadata(self.0.join(path)) {
            Err(_) => Found::Missing,
            Ok(about) if !about.is_file() => Found::NotAFile,
            Ok(_) => Found::Bytes(std::fs::read(self.0.join(path)).expect("a file")),
        }
    }

    fn present(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    fn walk(&self) -> Box<dyn Iterator<Item = String> + '_> {
        let plain =
            |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
        let walk = walkdir::WalkDir::new(self.0).sort_by_file_name().into_iter().filter_entry(plain).flatten();
        let files = walk.filter(|entry| entry.file_type().is_file());
        Box::new(files.map(|entry| entry.path().strip_prefix(self.0).expect("below").to_string_lossy().into_owned()))
    }
}

#[test]
fn candidates() {
    let Some(root) = repos() else { return };
    for case in cases("candidates") {
        let request: Request = serde_json::from_value(case["request"].clone()).expect("a request");
        let manifest = observe(&Below(&root.join(case["repo"].as_str().expect("a name"))), &request);
        let which = &case["name"];
        assert_eq!(case["candidates"], json!(manifest.candidates), "{which}");
        assert_eq!(case["omitted"], json!(manifest.omitted), "{which}");
        let words: Vec<_> = manifest.omitted.iter().map(|omission| omission.reason.words()).collect();
        assert_eq!(case["omitted_words"], json!(words), "{which}");
        assert_eq!(case["evidence_digest"], manifest.digest().hex(), "{which}");
        let names = options::names(&manifest.candidates);
        assert_eq!(case["option_names"], json!(names), "{which}");
        let criteria: Vec<_> = manifest.candidates.iter().map(options::criterion).collect();
        assert_eq!(case["descriptions"], json!(criteria), "{which}");
        let state = options::state("T", (EVIDENCE_RELEVANCE, SET_DIGEST), &manifest, &names);
        assert_eq!(case["state_for_task_T"], state, "{which}");
    }
}

#[test]
fn selections() {
    for case in cases("selection") {
        let candidates: Vec<Candidate> = serde_json::from_value(case["candidates"].clone()).expect("candidates");
        let omitted: Vec<Omission> = serde_json::from_value(case["omitted"].clone()).expect("omissions");
        let manifest = Manifest { candidates, omitted, omitted_beyond: 0 };
        assert_eq!(case["option_names"], json!(options::names(&manifest.candidates)), "{}", case["name"]);
        assert_eq!(case["evidence_digest"], manifest.digest().hex(), "{}", case["name"]);
        let asked = Asked {
            question_set: EVIDENCE_RELEVANCE.to_owned(),
            set_digest: Digest::from_hex(SET_DIGEST).expect("a digest"),
            policy_digest: None,
        };
        for expected in case["answers"].as_array().expect("answers") {
            let answer = Answer::from_bytes(expected["answer"].to_string().as_bytes()).expect("an answer");
            let judged = judge(&asked, &manifest, &manifest, &answer);
            if let Some(fault) = expected.get("fault") {
                assert_eq!(*fault, judged.expect_err("a fault").to_string());
                continue;
            }
            let judged = judged.expect("a judgment");
            assert_eq!(expected["order"], json!(judged.order), "{}", case["name"]);
            assert_eq!(expected["record_undisclosed"], json!(judged.record), "{}", case["name"]);
            let grants: std::collections::BTreeSet<String> =
                serde_json::from_value(case["grants"].clone()).expect("grants");
            for (name, profile, local) in
                [("disclosure_local", "LOCAL-PROFILE-NAME", true), ("disclosure_hosted", "HOSTED-PROFILE-NAME", false)]
            {
                let audience =
                    Audience::resolve(profile, None, Some(local), Some(grants.clone())).expect("an audience");
                assert_eq!(expected[name], json!(audience.disclosure(&manifest)), "{} {name}", case["name"]);
            }
        }
    }
}

/// The order in which a door supplies its numbers survives, which comparing JSON values cannot show.
#[test]
fn probabilities_keep_their_order() {
    let answer = br#"{"choice":"none","model":"m","probabilities":{"z":0.1,"a":0.20,"m":1}}"#;
    let answer = Answer::from_bytes(answer).expect("an answer");
    assert_eq!(serde_json::to_string(&answer.probabilities).expect("an object"), r#"{"z":0.1,"a":0.2,"m":1}"#);
    assert_eq!(answer.probabilities, Probabilities(answer.probabilities.0.clone()));
}
