//! The records of other projects: what we write and the recorded vectors validate, what is wrong does not.

use std::fs;

use git_docket::format::questions::{OURS, QuestionSet};
use git_docket::sources::coverage::Diagnostic;
use serde_json::{Value, json};

use super::{assert_report, assert_valid, faults, schema_texts};
use crate::sources_support::{Repo, skipped};
use crate::support::{arg, done, report, shared};

const SOURCE: &str = "openagents.repository-source.v1";
const CONTEXT: &str = "openagents.repository-context.v1";
const SELECTION: &str = "openagents.evidence-selection.v1";
const CALL: &str = "openagents.decision-call.v1";
const QUESTIONS: &str = "openagents.evidence-relevance.v1";

const PICK: &str = r#"{"choice":"a.rs (the whole file)","probabilities":{"a.rs (the whole file)":0.75,"none":0},"model":"m","coverage":0.5}"#;

fn site() -> Repo {
    let repo = Repo::new();
    repo.write("a.rs", "a needle\n").write("b.rs", "x\nb needle\n").write("big.rs", vec![b'n'; (1 << 20) + 1]);
    repo.write("c.rs", format!("needle {}\n", "é".repeat(90))).write("README.md", "needle\n").commit();
    repo
}

/// Collects with `--json`, in time whatever the machine does.
fn collected(repo: &Repo, more: &[&str]) -> Value {
    let path = repo.path();
    let args = ["sources", "collect", "--repo", arg(&path), "--draft", "needle nnnnnnnn", "--search-seconds", "300"];
    done(&path, &[&args[..], more].concat())
}

#[test]
fn what_is_collected_is_valid_with_and_without_a_door() {
    let repo = site();
    let pick = format!("cat >/dev/null; echo '{PICK}'");
    let answers = [
        collected(&repo, &[]),
        collected(&repo, &["--compat", "openagents"]),
        collected(&repo, &["--decide", &pick]),
        collected(&repo, &["--decide", "echo '{\"choice\":\"none\",\"model\":\"m\"}'"]),
        collected(&repo, &["--decide", "echo '{\"refusal\":\"no\"}'"]),
        collected(&repo, &["--decide", "exit 3", "--profile", "hosted_http", "--grant", "a.rs"]),
        collected(&repo, &["--decide", &pick, "--profile", "direct_local"]),
    ];
    for answer in &answers {
        assert_report("sourcesCollect", answer, "sources collect");
        assert_valid(CONTEXT, &answer["context"], "a context");
        for reference in answer["context"]["references"].as_array().expect("references") {
            assert_valid(SOURCE, reference, "a reference");
        }
        for (schema, value) in [(SELECTION, &answer["context"]["selection"]), (CALL, &answer["decision"])] {
            if !value.is_null() {
                assert_valid(schema, value, schema);
            }
        }
    }
    let verdicts: Vec<_> = answers.iter().map(|answer| answer["context"]["selection"]["verdict"].clone()).collect();
    let (chosen, abstained) = (json!("chosen"), json!("abstained"));
    assert_eq!(verdicts, [Value::Null, Value::Null, chosen.clone(), abstained, Value::Null, Value::Null, chosen]);
    assert_eq!(answers.iter().filter(|answer| answer["decision"]["error"].is_string()).count(), 2);
}

#[test]
fn what_is_checked_is_valid() {
    let repo = site();
    let (path, answer) = (repo.path(), collected(&repo, &[]));
    let file = repo.outside("context.json");
    fs::write(&file, answer.to_string()).expect("a file");
    let check = ["sources", "check", arg(&file), "--repo", arg(&path)];
    assert_report("sourcesCheck", &done(&path, &check), "all same");
    repo.write("a.rs", "x\na needle\n").write("b.rs", "x\n").write("c.rs", b"\xff");
    fs::remove_file(path.join("README.md")).expect("removed");
    let (status, drift) = report(&path, &check);
    assert_eq!((status, &drift["counts"]), (1, &json!({"same": 0, "moved": 1, "changed": 1, "gone": 1, "unknown": 1})));
    assert_report("sourcesCheck", &drift, "all five");
    let (_, drift) = report(&path, &[&check[..], &["--at", &"1".repeat(40)]].concat());
    assert_report("sourcesCheck", &drift, "no such commit");
}

#[test]
fn the_recorded_vectors_are_valid() {
    let Some(vectors) = shared("vectors/repository-source") else { return skipped("the recorded vectors are absent") };
    let read = |name: &str| -> Vec<Value> {
        serde_json::from_slice(&fs::read(vectors.join(name)).expect("a file of vectors")).expect("a list")
    };
    let collector = read("collector.json");
    for case in &collector {
        assert_valid(CONTEXT, &case["repository_context"], "a recorded context");
    }
    let mut records = 0;
    for case in read("selection.json") {
        for answer in case["answers"].as_array().expect("answers") {
            let Some(record) = answer.get("record_undisclosed").filter(|record| !record.is_null()) else { continue };
            assert_valid(SELECTION, record, "a recorded selection");
            let mut disclosed = record.clone();
            for disclosure in [&answer["disclosure_local"], &answer["disclosure_hosted"]] {
                disclosed["disclosure"] = disclosure.clone();
                assert_valid(SELECTION, &disclosed, "a recorded disclosure");
            }
            records += 1;
        }
    }
    let mut manifests = 0;
    for case in read("candidates.json") {
        let mut context = collector[0]["repository_context"].clone();
        context["candidates"] = json!({"candidates": case["candidates"], "omitted": case["omitted"]});
        assert_valid(CONTEXT, &context, "a recorded manifest");
        manifests += 1;
    }
    assert!(collector.len() >= 17 && records >= 4 && manifests >= 5, "{} {records} {manifests}", collector.len());
}

/// The reader and the schema refuse the same damage to a reference and to a question set.
#[test]
fn what_is_wrong_is_refused() {
    let reference = collected(&site(), &[])["context"]["references"][0].clone();
    assert_eq!(faults(SOURCE, &reference), Vec::<String>::new());
    let dir = crate::support::scratch();
    let wrong = [
        ("schema", json!("openagents.repository-source.v2")),
        ("path", json!("")),
        ("line", json!(0)),
        ("line", json!("1")),
        ("source_digest", json!("sha256:00")),
        ("excerpt_digest", json!("A".repeat(64))),
        ("truncated", json!(0)),
        ("base", json!(7)),
    ];
    for (member, value) in wrong {
        for value in [Some(value), None] {
            let mut broken = reference.clone();
            match value {
                Some(value) => broken[member] = value,
                None => _ = broken.as_object_mut().expect("an object").remove(member),
            }
            assert!(!faults(SOURCE, &broken).is_empty(), "the schema accepts {broken}");
            fs::write(dir.path().join("x"), broken.to_string()).expect("a file");
            let (status, refused) = report(dir.path(), &["sources", "check", "x"]);
            assert_eq!((status, &refused["error"]["code"]), (2, &json!("sources-invalid")), "{broken}");
        }
    }
    let ours: Value = serde_json::from_str(OURS).expect("our own set");
    assert_valid(QUESTIONS, &ours, "our own set");
    for wrong in [json!([]), json!({}), json!({"questions": {}}), json!({"questions": []}), json!({"questions": 1})]
        .into_iter()
        .chain([json!({"questions": {"a": {}}, "id": ""}), json!({"questions": {"a": {}}, "gate": 3})])
    {
        assert!(!faults(QUESTIONS, &wrong).is_empty(), "the schema accepts {wrong}");
        assert!(QuestionSet::from_bytes(wrong.to_string().as_bytes()).is_err(), "the reader accepts {wrong}");
    }
}

#[test]
fn the_vocabulary_of_the_coverage_is_that_of_the_schema() {
    let schema = schema_texts().remove(CONTEXT).expect("the schema");
    let mut phrases: Vec<&str> = Diagnostic::ALL.iter().map(|diagnostic| diagnostic.text()).collect();
    phrases.sort_unstable();
    assert_eq!(schema["properties"]["diagnostics"]["items"]["enum"], json!(phrases));
}
