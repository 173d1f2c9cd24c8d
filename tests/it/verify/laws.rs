//! Laws: a clean tree verifies, any changed byte is found, arbitrary bytes never panic.

use git_docket::ops::verify::{Anchor, verify};
use proptest::prelude::*;

use super::{lines, report, sample};
use crate::trees::Mem;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_changed_byte_is_found(file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), flip in 1u8..) {
        let clean = sample();
        let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
        let files: Vec<_> = clean.files.iter().filter(|(_, bytes)| !bytes.is_empty()).map(|(p, b)| (p.clone(), b.clone())).collect();
        let (path, mut bytes) = file.get(&files).clone();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let mut tree = clean;
        tree.put(&path, bytes);
        let report = verify(&tree, &anchor).expect("readable");
        prop_assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
        prop_assert_eq!(&report.findings[0].path, &path);
    }

    #[test]
    fn arbitrary_bytes_as_an_index_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut tree = Mem::default();
        tree.put("index.json", bytes).put("file", "");
        if let Ok(report) = verify(&tree, &Anchor::default()) {
            prop_assert!(!report.verified);
        }
    }

    #[test]
    fn a_mangled_index_never_panics(at in any::<prop::sample::Index>(), cut in 0usize..40, with in "[\\PC{}\\[\\],:\"0-9./]{0,12}") {
        let mut tree = sample();
        for path in ["index.json", "top/github/pull/1/index.json"] {
            let mut bytes = tree.take(path);
            let start = at.index(bytes.len());
            let end = (start + cut).min(bytes.len());
            bytes.splice(start..end, with.bytes());
            tree.put(path, bytes);
        }
        let _ = verify(&tree, &Anchor::default());
    }

    #[test]
    fn a_lost_or_added_file_is_found(file in any::<prop::sample::Index>(), name in "[a-z]{1,8}(/[a-z]{1,3})?") {
        let clean = sample();
        let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
        let files: Vec<_> = clean.files.keys().cloned().collect();
        let mut tree = clean.clone();
        tree.take(file.get(&files).as_str());
        prop_assert!(!verify(&tree, &anchor).expect("readable").verified);
        let mut tree = clean;
        tree.put(&name, "");
        let expected = format!("file-extra {name} unknown");
        prop_assert_eq!(lines(&verify(&tree, &anchor).expect("readable").findings), [expected]);
    }
}

#[test]
fn the_order_of_work_changes_nothing() {
    let mut tree = sample();
    for path in ["top/github/pull/1/body.md", "top/github/pull/2/body.md", "top/github/pull/2/entity.json"] {
        tree.put(path, "damage");
    }
    let first = report(&tree);
    assert_eq!(first.findings.len(), 3);
    for _ in 0..20 {
        assert_eq!(report(&tree), first);
    }
}

#[test]
fn a_report_serialises_as_the_contract_says() {
    let mut tree = sample();
    tree.put("top/github/pull/2/body.md", "Another bodY\n");
    let mut json = serde_json::to_value(report(&tree)).expect("a report serialises");
    let finding = json["findings"][0].take();
    let digest = |bytes: &[u8]| git_docket::format::digest::Digest::of(bytes).to_string();
    assert_eq!(
        finding,
        serde_json::json!({
            "code": "file-changed", "path": "top/github/pull/2/body.md", "cause": "unknown",
            "expected": digest(b"Another body\n"), "actual": digest(b"Another bodY\n"),
        })
    );
    assert_eq!(json["anchor"], "digest");
    assert_eq!(json["verified"], false);
    assert_eq!(json["files"], tree.files.len());
    let members: Vec<_> = json.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(members, ["anchor", "bytes", "files", "findings", "notes", "verified"]);
}
