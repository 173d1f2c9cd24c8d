//! Guards against a feature of `serde_json` that some dependency could switch on for all of us.

use std::fs;

use serde_json::Value;

/// Features add up over all dependencies of a build, and a test build has them all, so behaviour is the surest witness.
#[test]
fn serde_json_has_no_arbitrary_precision() {
    assert!(
        serde_json::from_str::<Value>("1e400").is_err(),
        "a double cannot hold it; arbitrary_precision keeps the text"
    );
    let value: Value = serde_json::from_str("0.10").expect("a number");
    assert_eq!(value.to_string(), "0.1", "arbitrary_precision keeps the spelling");
}

#[test]
fn serde_json_rounds_doubles_correctly() {
    // Without `float_roundtrip` this one is read one unit in the last place too low.
    let text = "31.245270191439438";
    let read: f64 = serde_json::from_str(text).expect("a number");
    assert_eq!(read, text.parse::<f64>().expect("a number"));
}

#[test]
fn the_manifest_does_not_ask_for_it() {
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("the manifest");
    assert!(manifest.contains("serde_json"), "else this test looks at the wrong file");
    for feature in ["arbitrary_precision", "unbounded_depth"] {
        assert!(!manifest.contains(feature), "{feature}");
    }
}
