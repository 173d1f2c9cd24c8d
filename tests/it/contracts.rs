//! What is written and printed keeps its contracts: schemas, codes, documents that are executed.

mod codes;
mod documents;
mod examples;
mod foreign;
mod reports;
mod vectors;

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::support::project;

/// Every schema of the folder, compiled once.
fn schemas() -> &'static BTreeMap<String, Validator> {
    static SCHEMAS: OnceLock<BTreeMap<String, Validator>> = OnceLock::new();
    SCHEMAS.get_or_init(|| {
        let compiled = |(name, schema): (String, Value)| {
            let validator = jsonschema::options().build(&schema);
            (name.clone(), validator.unwrap_or_else(|error| panic!("{name}: {error}")))
        };
        schema_texts().into_iter().map(compiled).collect()
    })
}

/// Every schema of the folder, by name.
fn schema_texts() -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let folders =
        ["schema/v1", "schema/upstream"].map(|folder| fs::read_dir(project(folder)).expect("a folder of schemas"));
    for entry in folders.into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        let name = file.strip_suffix(".schema.json").unwrap_or_else(|| panic!("{file} is no schema"));
        let bytes = fs::read(&path).expect("the schema can be read");
        let schema = serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        found.insert(name.to_owned(), schema);
    }
    found
}

/// What a schema says against a value; empty when it is valid.
fn faults(schema: &str, value: &Value) -> Vec<String> {
    let validator = schemas().get(schema).unwrap_or_else(|| panic!("no schema is named {schema}"));
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Fails with everything that the schema says against a value.
#[track_caller]
pub fn assert_valid(schema: &str, value: &Value, what: &str) {
    let faults = faults(schema, value);
    assert!(faults.is_empty(), "{what} is not what {schema}.schema.json says:\n{}\n{value}", faults.join("\n"));
}

/// A report, against the part of the schema that is about its verb: `anyOf` alone would say little.
#[track_caller]
fn assert_report(verb: &str, value: &Value, what: &str) {
    static VERBS: OnceLock<std::sync::Mutex<BTreeMap<String, Validator>>> = OnceLock::new();
    let mut verbs = VERBS.get_or_init(std::sync::Mutex::default).lock().unwrap_or_else(|poison| poison.into_inner());
    let validator = verbs.entry(verb.to_owned()).or_insert_with(|| {
        let mut schema = schema_texts().remove("report").expect("the schema of reports");
        schema["anyOf"] = serde_json::json!([{ "$ref": format!("#/$defs/{verb}") }]);
        jsonschema::options().build(&schema).unwrap_or_else(|error| panic!("{verb}: {error}"))
    });
    let faults: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(faults.is_empty(), "{what} is no report of {verb}:\n{}\n{value}", faults.join("\n"));
    drop(verbs);
    assert_valid("report", value, what);
}

#[test]
fn every_schema_is_strict_and_says_what_it_is() {
    for (name, schema) in schema_texts() {
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        assert_eq!(schema["$id"], format!("urn:git-docket:schema:v1:{name}"), "{name}");
        assert!(schema["title"].as_str().is_some_and(|title| title.len() > 20), "{name} has no title");
        jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        strict(&schema, &name);
    }
}

/// An object that lists its members refuses others.
fn strict(schema: &Value, at: &str) {
    match schema {
        Value::Object(members) => {
            if members.get("type") == Some(&Value::from("object")) {
                assert!(members.contains_key("additionalProperties"), "{at} lets any member pass");
            }
            members.iter().for_each(|(name, inner)| strict(inner, &format!("{at}/{name}")));
        }
        Value::Array(items) => items.iter().for_each(|inner| strict(inner, at)),
        _ => {}
    }
}

#[test]
fn a_schema_that_stands_in_another_is_the_same_as_the_file() {
    let all = schema_texts();
    let mut embedded = 0;
    for (name, schema) in &all {
        for (inner, text) in schema["$defs"].as_object().into_iter().flatten() {
            if text.get("$id").is_some() {
                embedded += 1;
                assert_eq!(Some(text), all.get(inner), "{inner} in {name}");
            }
        }
    }
    assert!(embedded >= 2, "profile stands in index, entity in report");
}
