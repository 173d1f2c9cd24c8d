//! Golden trees: the bytes that are promised.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Compares a tree with the one that is filed; with `DOCKET_UPDATE_GOLDEN` in the environment, files it.
fn check_golden(name: &str, tree: &Rendered) {
    check_tree(tree);
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/render").join(name);
    let mut files = tree.files.clone();
    files.insert("index.json".to_owned(), tree.index.clone());
    if std::env::var_os("DOCKET_UPDATE_GOLDEN").is_some() {
        let _ = fs::remove_dir_all(&root);
        for (path, bytes) in &files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("make the directory");
            fs::write(path, bytes).expect("write the golden file");
        }
    }
    let mut filed = BTreeMap::new();
    read_all(&root, &root, &mut filed);
    assert_eq!(filed.keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
    for (path, bytes) in &files {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(bytes), text(&filed[path]), "{name}/{path}");
        assert_eq!(bytes, &filed[path], "{name}/{path}");
    }
}

fn read_all(root: &Path, dir: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).expect("the golden directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(root, &path, out);
        } else {
            let name = path.strip_prefix(root).expect("below").to_str().expect("UTF-8").replace('\\', "/");
            out.insert(name, fs::read(&path).expect("a golden file"));
        }
    }
}

#[test]
fn the_snapshot_of_a_pull_request() {
    check_golden("pull-snapshot", &snapshot(pull_looks()));
}

#[test]
fn the_stage_of_a_pull_request() {
    let tree = stage(pull_looks());
    check_golden("pull-stage", &tree);
    assert!(tree.complete);
    assert_eq!(tree.findings.get("zero-width"), Some(&1));
}

#[test]
fn the_snapshot_of_an_issue() {
    let tree = snapshot(issue_looks());
    check_golden("issue-snapshot", &tree);
    assert!(!tree.complete);
}
