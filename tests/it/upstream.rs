//! The layout `entity-context-snapshot/v1`: what is written, what is refused, and each rule with the fault that breaks it.

mod answers;
mod around;
mod faults;
mod floor;
mod kept;
mod laws;
mod recorded;
mod staging;
mod told;

use std::collections::BTreeMap;

use git_docket::format::digest::Digest;
use git_docket::ops::verify::{Anchor, verify};
use git_docket::store::mem::MemTree;
use serde_json::Value;

use crate::support::{arg, done, files, scratch, testdata};

const LAYOUT: &str = "entity-context-snapshot/v1";

/// A tree in memory that can be spoiled.
#[derive(Clone)]
pub struct Tree(pub BTreeMap<String, Vec<u8>>);

impl Tree {
    /// A tree that the program stages from payloads of the project.
    pub fn staged(payloads: &[&str], more: &[&str]) -> Self {
        let dir = scratch();
        let payloads: Vec<_> = payloads.iter().map(|path| testdata(path)).collect();
        let mut args = vec!["stage", "--layout", LAYOUT, "--out", "tree", "--from"];
        args.extend(payloads.iter().map(|path| arg(path)));
        args.extend(more);
        done(dir.path(), &args);
        Self(files(&dir.path().join("tree")))
    }

    /// A document.
    pub fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.0[path]).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Changes a document, which stays canonical.
    pub fn edit(&mut self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut value = self.json(path);
        change(&mut value);
        self.0.insert(path.to_owned(), serde_jcs::to_vec(&value).expect("canonical"));
    }

    /// Makes the manifest name what is there, whatever it is.
    pub fn seal(&mut self) {
        let files = self.0.clone();
        self.edit("index.json", |index| {
            for row in index["files"].as_array_mut().expect("rows") {
                let Some(bytes) = files.get(row["path"].as_str().expect("a path")) else { continue };
                row["bytes"] = bytes.len().into();
                row["sha256"] = Digest::of(bytes).hex().into();
            }
        });
    }

    /// The path of the only file that begins and ends so.
    pub fn path(&self, start: &str, end: &str) -> String {
        let found: Vec<_> = self.0.keys().filter(|path| path.starts_with(start) && path.ends_with(end)).collect();
        found.first().unwrap_or_else(|| panic!("no {start}…{end}")).to_string()
    }

    /// The codes that are found, each once, and the findings for a message.
    pub fn found(&self) -> (Vec<&'static str>, String) {
        let tree: MemTree = self.0.clone().into_iter().collect();
        let report = verify(&tree, &Anchor::default()).expect("checked");
        let mut codes: Vec<_> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        (codes, report.findings.iter().map(|finding| format!("{finding}\n")).collect())
    }
}
