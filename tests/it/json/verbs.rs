//! The verbs `canon` and `digest`.

use std::fs;

use git_docket::ops::{canon, digest, json_string_digest};
use serde_json::Value;

use crate::support::shared;

#[test]
fn canon_writes_canonical_bytes_without_a_newline() {
    assert_eq!(canon(b" {\"b\" : 1.0,\n\"a\":[ ] }\n"), Ok(b"{\"a\":[],\"b\":1}".to_vec()));
}

#[test]
fn a_refusal_has_the_code_and_the_place() {
    let told = |bytes: &[u8]| {
        let error = canon(bytes).expect_err("refused");
        (error.code(), error.to_string())
    };
    let text = "{\"é\":1,\r\n  \"é\": 2}".as_bytes();
    let message = "document at 2:3 (byte 12): an object names a member twice";
    assert_eq!(told(text), ("json-duplicate-key", message.to_owned()));
    assert_eq!(told(b"").1, "document at 1:1 (byte 0): the text ends where a value is expected");
    assert_eq!(told("[\"日本\",\n\n1e999]".as_bytes()).1, "document at 3:1 (byte 12): no double holds this number");
    assert_eq!(told("[\"日本\" x".as_bytes()).1, "document at 1:7 (byte 10): expected a comma or the end of the array");
    assert_eq!(told(b"[1]\n\xff").1, "document at 2:1 (byte 4): not UTF-8");
}

#[test]
fn digest_is_that_of_sha256sum() {
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(digest(&b""[..]).expect("read").to_string(), empty);
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest(&b"abc"[..]).expect("read").to_string(), abc);
}

#[test]
fn digest_of_a_text_as_json_string() {
    let of = |text: &str| json_string_digest(text.as_bytes()).expect("UTF-8");
    assert_eq!(of(""), "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126");
    assert_eq!(of("hello"), "5aa762ae383fbb727af3c7a36d4940a5b8c40a989452d2304fc958ff3f354e7a");
    assert_ne!(of("a\r\n"), of("a\n"), "line ends are not normalised");
    assert_eq!(json_string_digest(b"a\xffb").map_err(|error| error.code()), Err("text-invalid"));
}

#[test]
fn the_known_answers_of_repository_sources() {
    let Some(path) = shared("vectors/repository-source/digest.json") else { return };
    let cases: Value = serde_json::from_slice(&fs::read(path).expect("readable")).expect("JSON");
    let mut strings = 0;
    for case in cases.as_array().expect("a list") {
        let text = match (&case["value"], &case["repeat"]) {
            (Value::String(text), _) => text.clone(),
            (_, Value::Object(repeat)) => {
                let times = repeat["times"].as_u64().expect("a count");
                repeat["unit"].as_str().expect("a text").repeat(usize::try_from(times).expect("small"))
            }
            // The other kinds of values are outside of this digest: it is one of texts.
            _ => continue,
        };
        let expected = case["digest"].as_str().expect("a digest");
        assert_eq!(json_string_digest(text.as_bytes()).as_deref(), Ok(expected), "{}", case["name"]);
        strings += 1;
    }
    assert!(strings >= 10, "only {strings} strings");
}
