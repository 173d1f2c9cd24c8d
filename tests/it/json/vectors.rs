//! Our own vectors in testdata/json: valid texts with their canonical bytes, invalid ones with their code in the name.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use git_docket::format::json::{self, FaultKind};

use super::laws;

fn files(below: &str, extension: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/json").join(below);
    let all = fs::read_dir(folder).expect("the vectors are part of the project");
    let mut files: Vec<_> = all.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

#[test]
fn valid_vectors_have_their_canonical_bytes() {
    let inputs = files("valid", "json");
    assert_eq!(inputs.len(), files("valid", "canonical").len(), "each input has its result");
    for input in inputs {
        let text = fs::read(&input).expect("input");
        let expected = fs::read(input.with_extension("canonical")).expect("result");
        let written = json::canonical(&text).expect("in the profile");
        assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected), "{}", input.display());
        assert_eq!(json::canonical(&expected).as_ref(), Ok(&expected), "{}", input.display());
        laws::check(&text);
    }
}

#[test]
fn invalid_vectors_are_refused_with_the_code_in_their_name() {
    let kinds = [
        FaultKind::Invalid,
        FaultKind::DuplicateKey,
        FaultKind::LoneSurrogate,
        FaultKind::NumberOutOfRange,
        FaultKind::TooDeep,
    ];
    let mut missing: BTreeSet<_> = kinds.map(FaultKind::code).into();
    for path in files("invalid", "json") {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let (code, _) = name.split_once("--").expect("code--what.json");
        let text = fs::read(&path).expect("readable");
        assert_eq!(json::parse(&text).map_err(|fault| fault.kind.code()), Err(code), "{name}");
        if let Ok((_, breaches)) = json::parse_lenient(&text) {
            assert_eq!(breaches.len(), 1, "{name} has one fault");
        }
        laws::check(&text);
        missing.remove(code);
    }
    assert!(missing.is_empty(), "codes without a vector: {missing:?}");
}
