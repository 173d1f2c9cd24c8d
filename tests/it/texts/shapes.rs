//! The shapes in which git writes one change, against what it says of that with `--numstat` and `--raw`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_docket::format::patch::{Change, FilePatch, NotAPatch, read};
use serde_json::{Value, json};

use super::{Bench, gaps};
use crate::support::{arg, git, scratch};

/// Two commits between which files become links and links files, a submodule moves on and another one comes.
fn two_commits(root: &Path) {
    let sub = root.join("sub");
    for (dir, names) in [(&sub, &["kept", "gone"][..]), (&root.join("later"), &["in it"])] {
        git(root, &["init", "-q", "-b", "main", arg(dir)]);
        names.iter().for_each(|name| fs::write(dir.join(name), "one\n").expect("a file"));
        git(dir, &["add", "."]);
        git(dir, &["commit", "-q", "-m", "in it"]);
    }
    git(root, &["init", "-q", "-b", "main"]);
    let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("a file");
    for (name, text) in
        [("to link", "one\ntwo\n"), ("moved", "m\n"), ("plain", "a\n"), ("caf\u{e9}", "x\n"), ("mode", "")]
    {
        write(name, text);
    }
    std::os::unix::fs::symlink("plain", root.join("to file")).expect("a link");
    git(
        root,
        &[
            "-c",
            "advice.addEmbeddedRepo=false",
            "add",
            "sub",
            "to link",
            "moved",
            "plain",
            "caf\u{e9}",
            "mode",
            "to file",
        ],
    );
    // A name that no file system need have.
    raw_name(root, "one");
    git(root, &["commit", "-q", "-m", "one"]);
    fs::write(sub.join("kept"), "two\n").expect("a file");
    fs::remove_file(sub.join("gone")).expect("a removal");
    git(&sub, &["add", "-A"]);
    git(&sub, &["commit", "-q", "-m", "Submodule x 1111111..2222222:"]);
    fs::remove_file(root.join("to link")).expect("a removal");
    fs::remove_file(root.join("to file")).expect("a removal");
    std::os::unix::fs::symlink("moved", root.join("to link")).expect("a link");
    fs::rename(root.join("moved"), root.join("new")).expect("a move");
    for (name, text) in [("to file", "real\n"), ("plain", "b\nc\n"), ("caf\u{e9}", "y\n")] {
        write(name, text);
    }
    let all = ["sub", "later", "to link", "moved", "new", "plain", "caf\u{e9}", "to file"];
    git(root, &[&["-c", "advice.addEmbeddedRepo=false", "add", "-A"], &all[..]].concat());
    git(root, &["update-index", "--chmod=+x", "mode"]);
    raw_name(root, "two");
    git(root, &["commit", "-q", "-m", "two\n\nSubmodule sub 1111111..2222222:"]);
}

/// Puts two files into the index whose names are not UTF-8, and differ only there.
fn raw_name(root: &Path, text: &str) {
    use std::os::unix::ffi::OsStrExt;
    fs::write(root.join("blob"), format!("{text}\n")).expect("a file");
    let id = git(root, &["hash-object", "-w", "blob"]).stdout;
    let id = String::from_utf8_lossy(&id).trim().to_owned();
    for byte in [0xfe, 0xff] {
        let info = [format!("100644,{id},raw").as_bytes(), &[byte]].concat();
        let mut command = std::process::Command::new("git");
        command.env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE");
        command
            .current_dir(root)
            .args(["update-index", "--add", "--cacheinfo"])
            .arg(std::ffi::OsStr::from_bytes(&info));
        assert!(command.status().expect("git can be started").success());
    }
}

/// `change path +added -removed` as git tells it, by path.
fn told_by_git(root: &Path, options: &[&str]) -> BTreeMap<String, String> {
    let run = |form: &str| git(root, &[&["diff", form, "-z"], options, &["HEAD~1", "HEAD"]].concat()).stdout;
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let quoted = |path: &[u8]| match std::str::from_utf8(path) {
        Ok(path) => path.to_owned(),
        Err(_) => git_docket::format::patch::quoted("", path),
    };
    let raw = run("--raw");
    let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut words = BTreeMap::new();
    while let Some(head) = fields.next() {
        let letter = text(head).rsplit(' ').next().map_or('?', |word| word.chars().next().unwrap_or('?'));
        let mut path = fields.next().expect("a path");
        if matches!(letter, 'R' | 'C') {
            path = fields.next().expect("the new path");
        }
        let word = match letter {
            'A' => "added",
            'D' => "removed",
            'R' => "renamed",
            'C' => "copied",
            _ => "modified",
        };
        words.insert(quoted(path), word);
    }
    let numbers = run("--numstat");
    let mut fields = numbers.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut told = BTreeMap::new();
    while let Some(row) = fields.next() {
        let columns: Vec<&[u8]> = row.splitn(3, |byte| *byte == b'\t').collect();
        let path = if columns[2].is_empty() { fields.nth(1).expect("the new path") } else { columns[2] };
        let path = quoted(path);
        told.insert(path.clone(), format!("{} +{} -{}", words[&path], text(columns[0]), text(columns[1])));
    }
    assert_eq!(told.len(), words.len());
    told
}

/// The same as the reader tells it.
fn told(text: &[u8]) -> BTreeMap<String, String> {
    let line = |file: &FilePatch<'_>| {
        let (added, removed) = file.lines.unwrap_or_else(|| panic!("{file:?}"));
        (file.name().to_owned(), format!("{} +{added} -{removed}", file.change.name()))
    };
    let patch = read(text).expect("a diff");
    assert!(patch.is_whole(), "{}", String::from_utf8_lossy(text));
    let told: BTreeMap<_, _> = patch.files.iter().map(line).collect();
    assert_eq!(told.len(), patch.files.len(), "each file once: {:?}", patch.files);
    told
}

#[test]
fn one_change_in_every_shape_is_one_change() {
    let dir = scratch();
    let root = dir.path();
    two_commits(root);
    for (options, moves) in [
        (&[][..], true),
        (&["--no-renames"], false),
        (&["--no-prefix"], true),
        (&["--src-prefix=before/", "--dst-prefix=after/"], true),
        (&["-U0"], true),
        (&["-W"], true),
        (&["--full-index", "--binary"], true),
        (&["--submodule=log"], true),
        (&["--submodule=diff"], true),
        (&["--submodule=diff", "--no-prefix", "--no-renames"], false),
        (&["--raw", "-p"], true),
        (&["--stat", "-p", "--summary"], true),
        (&["--diff-algorithm=patience", "--ignore-space-at-eol"], true),
    ] {
        let expected = told_by_git(root, if moves { &["-M"] } else { &["--no-renames"] });
        for quote in ["core.quotePath=true", "core.quotePath=false"] {
            let text = git(root, &[&["-c", quote, "diff", "-M"], options, &["HEAD~1", "HEAD"]].concat()).stdout;
            assert_eq!(told(&text), expected, "{options:?} {quote}: {}", String::from_utf8_lossy(&text));
        }
    }
    for options in [&[][..], &["--no-signature"], &["--submodule=log"], &["--submodule=diff", "--attach"]] {
        let range = ["format-patch", "-M", "--stdout"];
        let text = git(root, &[&range, options, &["HEAD~1"]].concat()).stdout;
        assert_eq!(told(&text), told_by_git(root, &["-M"]), "{options:?}: {}", String::from_utf8_lossy(&text));
    }
    // The way back: what became a link becomes a file, and the submodule goes.
    let back = git(root, &["diff", "-M", "--submodule=diff", "HEAD", "HEAD~1"]).stdout;
    let later =
        read(&back).expect("a diff").files.into_iter().find(|file| file.path() == "later").expect("the submodule");
    assert_eq!((later.change, later.lines, later.modes), (Change::Removed, Some((0, 1)), (Some("160000"), None)));
    let link = git(root, &["diff", "HEAD~1", "HEAD", "--", "to link"]).stdout;
    let link = &read(&link).expect("a diff").files[0];
    assert_eq!((link.change, link.modes), (Change::Modified, (Some("100644"), Some("120000"))));
    assert_eq!((link.old.as_deref(), link.new.as_deref(), link.hunks), (Some("to link"), Some("to link"), 2));
}

#[test]
fn what_is_made_to_be_looked_at_is_refused() {
    let dir = scratch();
    let root = dir.path();
    two_commits(root);
    for options in [&["--word-diff"][..], &["--word-diff=porcelain"], &["--color=always"], &["--color-words"]] {
        let text = git(root, &[&["diff"], options, &["HEAD~1", "HEAD"]].concat()).stdout;
        assert_eq!(read(&text), Err(NotAPatch::Dressed), "{options:?}: {}", String::from_utf8_lossy(&text));
    }
    // Content that looks like it is content.
    let text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n [-a-]{+b+}\n-\x1b[1mdiff --git a/y b/y\n+~\n";
    assert_eq!(told(text)["x"], "modified +1 -1");
    let bench = Bench::new();
    let header = bench.file("h.json", super::header(1, 1, 1).to_string());
    let words = bench.file("d.diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\nsome [-a-]{+b+} words\n");
    let seen = bench.observe(&[&format!("diff={}", arg(&words)), arg(&header)]);
    assert_eq!(seen["unrecognised"][0]["reason"], "diff-dressed", "{seen}");
}

#[test]
fn a_commit_without_changes_may_end_a_series() {
    let dir = scratch();
    let root = dir.path();
    git(root, &["init", "-q", "-b", "main"]);
    let commit = |message: &str| {
        git(root, &["commit", "-q", "--allow-empty", "-m", message]);
    };
    commit("zero");
    fs::write(root.join("x"), "x\n").expect("a file");
    git(root, &["add", "."]);
    commit("one");
    for message in ["two", "two\n\nWith a word\n\non it."] {
        commit(message);
        let series =
            |more: &[&str]| git(root, &[&["format-patch", "--always", "--stdout"], more, &["HEAD~2"]].concat()).stdout;
        let is_whole = |text: &[u8]| read(text).expect("a diff").is_whole();
        for options in [&[][..], &["--no-signature"], &["--signature=me"], &["-N"]] {
            assert!(is_whole(&series(options)), "{options:?}");
        }
        // Of a mail that no signature ends, the head must be there.
        let text = series(&["--no-signature"]);
        let body = text.windows(2).rposition(|pair| pair == b"\n\n").expect("a message");
        let subject = memchr::memmem::rfind(&text, b"Subject:").expect("a subject");
        for cut in subject..text.len() {
            let must = text[..cut].ends_with(b"\n") && memchr::memmem::find(&text[subject..cut], b"\n\n").is_some();
            assert_eq!(
                is_whole(&text[..cut]),
                must,
                "{message:?}: {:?} {body}",
                String::from_utf8_lossy(&text[subject..cut])
            );
        }
        git(root, &["reset", "-q", "--hard", "HEAD~1"]);
    }
    // The first mail of two says that another follows.
    commit("two");
    let text = git(root, &["format-patch", "--always", "--stdout", "HEAD~2"]).stdout;
    let second = memchr::memmem::rfind(&text, b"\nFrom ").expect("a second mail") + 1;
    assert!(read(&text).expect("a diff").is_whole());
    assert!(!read(&text[..second]).expect("a diff").is_whole(), "it is the first of two");
}

#[test]
fn a_tree_shows_each_file_once_under_a_name_of_its_own() {
    let dir = scratch();
    two_commits(dir.path());
    let text = git(dir.path(), &["diff", "-M", "--submodule=diff", "HEAD~1", "HEAD"]).stdout;
    let bench = Bench::new();
    bench.observe(&[&format!("diff={}", arg(&bench.file("d.diff", &text)))]);
    let (out, index) = bench.stage(&["--profile", "full"]);
    assert_eq!(gaps(&index, "diff"), []);
    let entries = index["entries"].as_array().expect("entries").iter().filter(|entry| entry["role"] == "patch");
    let rows: BTreeMap<&str, &Value> = entries.map(|entry| (entry["on"].as_str().expect("a path"), entry)).collect();
    let row = |on: &str| json!([rows[on]["change"], rows[on]["additions"], rows[on]["deletions"]]);
    for (on, expected) in [
        ("to link", json!(["modified", 1, 2])),
        ("to file", json!(["modified", 1, 1])),
        ("sub", json!(["modified", 1, 1])),
        ("later", json!(["added", 1, 0])),
        ("\"raw\\376\"", json!(["modified", 1, 1])),
        ("\"raw\\377\"", json!(["modified", 1, 1])),
        ("caf\u{e9}", json!(["modified", 1, 1])),
    ] {
        assert_eq!(row(on), expected, "{on}");
    }
    assert!(!rows.contains_key("sub/kept"), "no file of the repository: {rows:?}");
    let of_sub = fs::read_to_string(out.join(rows["sub"]["path"].as_str().expect("a path"))).expect("the patch");
    assert!(of_sub.starts_with("Submodule sub ") && of_sub.contains("diff --git a/sub/kept b/sub/kept\n"), "{of_sub}");
    assert!(of_sub.contains("\n-one\n+two\n"), "no line of it has a number of the pull request: {of_sub}");
}

/// Where a folder becomes a submodule, what was in it is the repository's.
#[test]
fn what_was_in_the_place_of_a_submodule_is_no_file_of_it() {
    let submodule = "Submodule lib 0000000...1234567 (new submodule)\n";
    let file = |name: &str, word: &str, hunk: &str| {
        let (old, new) = if word == "new" {
            ("/dev/null".to_owned(), format!("b/{name}"))
        } else {
            (format!("a/{name}"), "/dev/null".to_owned())
        };
        format!(
            "diff --git a/{name} b/{name}\n{word} file mode 100644\nindex 1111111..2222222\n--- {old}\n+++ {new}\n{hunk}"
        )
    };
    let gone = file("lib/a", "deleted", "@@ -1 +0,0 @@\n-a\n");
    let came = file("lib/b", "new", "@@ -0,0 +1 @@\n+b\n");
    let names = |text: String| told(text.as_bytes()).into_keys().collect::<Vec<_>>();
    assert_eq!(names(format!("{submodule}{gone}")), ["lib", "lib/a"]);
    assert_eq!(names(format!("{submodule}{came}")), ["lib"]);
    assert_eq!(names(format!("{submodule}{}", file("library", "new", "@@ -0,0 +1 @@\n+b\n"))), ["lib", "library"]);
    for other in [
        "Submodule lib contains modified content\n",
        "Submodule lib 1234567..89\n",
        "Submodule lib 0000000..0000000 (new submodule)\n",
        "Submodule lib 1234567..89abcde (whatever)\n",
        "Submodule  1234567..89abcde:\n",
    ] {
        assert_eq!(names(format!("{other}{came}")), ["lib/b"], "{other}");
    }
    for one in ["Submodule a b 1234567..89abcde (rewind):\n", "Submodule a b 1234567...89abcde (commits not present)\n"]
    {
        assert_eq!(told(one.as_bytes())["a b"], "modified +1 -1", "{one}");
    }
}
