//! `stage --sources`: the part in the manifest, filtered, verified, deterministic, and read back by `sources check`.

use std::fs;
use std::path::Path;

use git_docket::format::atif::text_digest;
use serde_json::{Value, json};

use crate::sources_support::Repo;
use crate::support::{arg, checked, docket, done, files, report, scratch, testdata};

const TOTAL: &str = "src/basket/total.ts";

/// The work tree after the change of the pull request of the fixture.
fn site() -> Repo {
    let repo = Repo::new();
    let mut total = (1..=13).map(|n| format!("// line {n}\n")).collect::<String>();
    total.push_str("    sum += line.price * line.count;\n  }\n  return roundHalfEven(sum);\n }\n// one rounding\n");
    repo.write(TOTAL, total).write("src/money/round.ts", "/** Half to even. */\nexport function roundHalfEven\n");
    repo.write("docs/receipt.png", b"\x89PNG\xff").write("other.ts", "needle\n").commit();
    repo
}

fn stage<'a>(dir: &Path, payloads: &'a Path, more: &[&'a str]) -> Value {
    done(dir, &[&["stage", "--from", arg(payloads)], more].concat())
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file")).expect("JSON")
}

#[test]
fn the_lines_that_a_pull_request_changes_are_quoted_and_checked_later() {
    let (dir, repo, payloads) = (scratch(), site(), testdata("threads/acme-web-42"));
    let root = repo.path();
    let staged = stage(dir.path(), &payloads, &["--out", "stage", "--sources", arg(&root)]);
    let said = ["source unavailable or not UTF-8"];
    assert_eq!(staged["sources"], json!([{"entity": staged["entities"][0], "references": 2, "diagnostics": said}]));
    let out = dir.path().join("stage");
    let references = json_of(&out.join("sources/references.json"));
    let places = references["references"].as_array().expect("a list").iter();
    let places: Vec<_> = places.map(|row| (row["path"].as_str().expect("a path"), row["line"].clone())).collect();
    assert_eq!(places, [(TOTAL, json!(14)), ("src/money/round.ts", json!(1))]);
    // The record, the block and the excerpts say the same.
    let context = json_of(&out.join("sources/context.json"));
    let block = fs::read_to_string(out.join("sources/evidence.txt")).expect("the block");
    assert_eq!(context["references"], references["references"]);
    assert_eq!(context["rendered_digest"], text_digest(&block).hex());
    assert_eq!(context["card_digest"], text_digest("").hex());
    let first = fs::read_to_string(out.join("sources/excerpts/0001.txt")).expect("an excerpt");
    assert_eq!(first, "    sum += line.price * line.count;\n");
    assert_eq!(references["references"][0]["excerpt_digest"], text_digest(first.trim_end()).hex());
    // All of it is in the manifest, by role.
    let index = json_of(&out.join("index.json"));
    let part = index["entries"].as_array().expect("entries").iter();
    let part: Vec<_> = part.filter(|entry| entry["path"].as_str().is_some_and(|p| p.starts_with("sources/"))).collect();
    let roles: Vec<_> = part.iter().map(|entry| entry["role"].as_str().expect("a role")).collect();
    assert_eq!(roles, ["context", "evidence", "excerpt", "excerpt", "references"]);
    assert_eq!((&part[2]["on"], &part[2]["line"], &part[2]["ordinal"]), (&json!(TOTAL), &json!(14), &json!(1)));
    let summary = fs::read_to_string(out.join("summary.md")).expect("the summary");
    assert!(summary.contains("| src/basket/total.ts | 14 | sources/excerpts/0001.txt |"), "{summary}");
    done(dir.path(), &["verify", "stage", "--index-digest", staged["indexDigest"].as_str().expect("a digest")]);
    // Later: the same, then not any more, and a new stage is of the new state.
    let check = ["sources", "check", "stage", "--repo", arg(&root)];
    assert_eq!(done(dir.path(), &check)["counts"]["same"], 2);
    let was = fs::read_to_string(root.join(TOTAL)).expect("a file");
    repo.put(TOTAL, format!("// new\n{was}"));
    let (status, drift) = report(dir.path(), &check);
    assert_eq!((status, &drift["counts"]["moved"], &drift["counts"]["same"]), (1, &json!(1), &json!(1)));
    repo.put("src/money/round.ts", "other\n");
    let (_, drift) = report(dir.path(), &check);
    assert_eq!((&drift["counts"]["moved"], &drift["counts"]["changed"]), (&json!(1), &json!(1)));
    stage(dir.path(), &payloads, &["--out", "stage", "--sources", arg(&root), "--replace"]);
    assert_eq!(done(dir.path(), &check)["counts"]["same"], 2);
    stage(dir.path(), &payloads, &["--out", "stage", "--replace"]);
    let (status, refused) = report(dir.path(), &check);
    assert_eq!((status, &refused["error"]["code"]), (2, &json!("sources-invalid")));
}

#[test]
fn one_flipped_byte_of_a_quote_is_found() {
    let (dir, repo) = (scratch(), site());
    stage(dir.path(), &testdata("threads/acme-web-42"), &["--out", "stage", "--sources", arg(&repo.path())]);
    let out = dir.path().join("stage");
    for (path, bytes) in files(&out).into_iter().filter(|(path, _)| path.starts_with("sources/")) {
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 1;
        fs::write(out.join(&path), damaged).expect("damaged");
        let (status, found) = report(dir.path(), &["verify", "stage"]);
        assert_eq!((status, &found["findings"][0]["path"]), (1, &json!(path)));
        fs::write(out.join(&path), bytes).expect("mended");
    }
}

#[test]
fn a_draft_quotes_the_whole_repository_with_the_same_bytes_wherever_it_lies() {
    let (dir, repo, payloads) = (scratch(), site(), testdata("threads/acme-web-42"));
    let root = repo.path();
    // A time that a busy machine keeps, too.
    let draft = ["--sources-draft", "find the needle", "--sources-seconds", "300"];
    let args = |out, root| [&["--out", out, "--sources", root], &draft[..]].concat();
    let staged = stage(dir.path(), &payloads, &args("one", arg(&root)));
    assert_eq!(staged["sources"][0]["references"], 1);
    let elsewhere = repo.outside("else where");
    fs::rename(&root, &elsewhere).expect("moved");
    fs::write(elsewhere.join("untracked"), "needle").expect("a file");
    let below = elsewhere.join("src");
    stage(dir.path(), &payloads, &args("two", arg(&below)));
    assert_eq!(files(&dir.path().join("one")), files(&dir.path().join("two")));
    let file = dir.path().join("task");
    fs::write(&file, "find the needle").expect("a draft");
    let with_file = ["--out", "three", "--sources", arg(&elsewhere), "--sources-draft-file", arg(&file)];
    stage(dir.path(), &payloads, &[&with_file[..], &["--sources-seconds", "300"]].concat());
    assert_eq!(files(&dir.path().join("one")), files(&dir.path().join("three")));
}

/// What a pull request names is a stranger's word, and so is what the files say.
#[test]
fn strangers_get_neither_private_files_nor_invisible_text() {
    let (dir, repo) = (scratch(), site());
    let root = repo.path();
    repo.write("tag.ts", "a\u{200b}b \u{e0041} needle \x1b[31m \u{202e}\u{3164}\u{fe0f}\n");
    repo.write("bidi\u{202e}.ts", "needle\n").write("line\nbreak.ts", "needle\n").commit();
    fs::write(root.join(".env"), "TOKEN=stranger\n").expect("a file");
    fs::write(repo.outside("secret"), "stranger\n").expect("a file");
    std::os::unix::fs::symlink("../secret", root.join("link")).expect("a link");
    repo.git(&["add", "link"]);
    let paths =
        [".env", "../secret", "link", ".git/config", "/etc/passwd", "bidi\u{202e}.ts", "line\nbreak.ts", "tag.ts"];
    let rows: Vec<_> = paths
        .iter()
        .map(|path| {
            let url = "https://github.com/acme/web/blob/2f36b5091671a29e8f73e18a3723e66714617f9e/x";
            json!({"sha": "c09bb890b096f7306f688cc6d1dad34e7e52a223", "filename": path, "status": "modified",
                "additions": 1, "deletions": 1, "changes": 2, "patch": "@@ -1 +1 @@\n-a\n+b", "blob_url": url,
                "raw_url": url, "contents_url": "https://api.github.com/repos/acme/web/contents/x?ref=1"})
        })
        .collect();
    let payloads = dir.path().join("payloads");
    fs::create_dir(&payloads).expect("a directory");
    let pull = testdata("threads/acme-web-42/pull.json");
    fs::copy(pull, payloads.join("pull.json")).expect("copied");
    fs::write(payloads.join("files.json"), json!(rows).to_string()).expect("a payload");
    let staged = stage(
        dir.path(),
        &payloads,
        &["--out", "stage", "--sources", arg(&root), "--entity", "https://github.com/acme/web/pull/42"],
    );
    let said = [
        "excluded non-relative source path",
        "excluded source outside repository",
        "excluded unsafe source path",
        "source unavailable",
    ];
    let diagnostics = staged["sources"][0]["diagnostics"].as_array().expect("a list");
    for phrase in said {
        assert!(diagnostics.contains(&json!(phrase)), "{phrase}: {diagnostics:?}");
    }
    assert_eq!(staged["sources"][0]["references"], 1, "{staged}");
    let out = dir.path().join("stage");
    for (path, bytes) in files(&out) {
        let text = String::from_utf8(bytes).expect("text");
        assert!(!text.contains("stranger") && !text.contains("root:"), "{path}");
        assert!(!text.contains(['\u{200b}', '\u{e0041}', '\x1b', '\u{202e}', '\u{3164}']), "{path}");
    }
    let excerpt = fs::read_to_string(out.join("sources/excerpts/0001.txt")).expect("an excerpt");
    assert_eq!(excerpt, "ab  needle  \n");
    let index = json_of(&out.join("index.json"));
    let entries = index["entries"].as_array().expect("entries");
    let entry = entries.iter().find(|entry| entry["path"] == "sources/excerpts/0001.txt").expect("listed");
    assert_eq!(entry["filter"]["status"], "modified");
    let block = fs::read_to_string(out.join("sources/evidence.txt")).expect("the block");
    assert!(block.contains("  tag.ts:1:a\\u{200b}b \\u{e0041} needle \\u{1b}[31m "), "{block}");
    assert_eq!(json_of(&out.join("sources/context.json"))["rendered_digest"], text_digest(&block).hex());
    assert_eq!(done(dir.path(), &["sources", "check", "stage", "--repo", arg(&root)])["counts"]["same"], 1);
}

#[test]
fn every_file_has_its_first_line_before_any_has_its_second() {
    let (dir, repo) = (scratch(), Repo::new());
    let text = (1..=100).map(|n| format!("line {n}\n")).collect::<String>();
    let patch = (1..=20).map(|n| format!("@@ -{0},2 +{0},2 @@\n same\n-a\n+b\n", n * 4)).collect::<String>();
    let mut rows = Vec::new();
    for at in 0..9 {
        let path = format!("f{at}");
        repo.put(&path, &text);
        rows.push(json!({"sha": "c09bb890b096f7306f688cc6d1dad34e7e52a223", "filename": path, "status": "modified",
            "additions": 20, "deletions": 20, "changes": 40, "patch": patch, "blob_url": "https://github.com/acme/web/blob/1/x",
            "raw_url": "https://github.com/acme/web/raw/1/x", "contents_url": "https://api.github.com/repos/acme/web/contents/x?ref=1"}));
    }
    repo.commit();
    let payloads = dir.path().join("payloads");
    fs::create_dir(&payloads).expect("a directory");
    fs::copy(testdata("threads/acme-web-42/pull.json"), payloads.join("pull.json")).expect("copied");
    fs::write(payloads.join("files.json"), json!(rows).to_string()).expect("a payload");
    let staged = stage(
        dir.path(),
        &payloads,
        &["--out", "stage", "--sources", arg(&repo.path()), "--entity", "https://github.com/acme/web/pull/42"],
    );
    let references = json_of(&dir.path().join("stage/sources/references.json"));
    let places = references["references"].as_array().expect("a list").iter();
    let places: Vec<_> =
        places.map(|row| format!("{}:{}", row["path"].as_str().expect("a path"), row["line"])).collect();
    assert_eq!(places, ["f0:5", "f0:9", "f1:5", "f1:9", "f2:5", "f3:5", "f4:5", "f5:5", "f6:5", "f7:5"]);
    let said = staged["sources"][0]["diagnostics"].as_array().expect("a list");
    assert!(said.contains(&json!("excerpt budget omitted matching evidence")), "{said:?}");
    assert!(said.contains(&json!("path limit omitted candidates")), "{said:?}");
}

#[test]
fn what_cannot_be_quoted_is_trouble_and_leaves_nothing() {
    let (dir, repo) = (scratch(), site());
    let issue = dir.path().join("issue.json");
    let text = json!({"url": "https://api.github.com/repos/acme/web/issues/7", "number": 7, "id": 7, "title": "needle",
        "html_url": "https://github.com/acme/web/issues/7", "state": "open", "body": null, "user": null, "labels": [],
        "comments": 0, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "node_id": "I_7",
        "repository_url": "https://api.github.com/repos/acme/web", "comments_url": "https://api.github.com/repos/acme/web/issues/7/comments",
        "events_url": "https://api.github.com/repos/acme/web/issues/7/events"});
    fs::write(&issue, text.to_string()).expect("a payload");
    let pull = testdata("threads/acme-web-42");
    let (root, plain) = (repo.path(), repo.outside("."));
    let cases = [
        (&issue, vec!["--sources", arg(&root)], "sources-draft-missing"),
        (&pull, vec!["--sources", arg(&plain)], "repo-not-found"),
        (&pull, vec!["--sources", "/nonexistent"], "input-unreadable"),
        (&pull, vec!["--sources-draft", "x"], "usage"),
        (&pull, vec!["--sources", arg(&root), "--sources-draft-file", "/dev/null", "--sources-draft", "x"], "usage"),
    ];
    for (payload, more, code) in cases {
        let (status, refused) =
            report(dir.path(), &[&["stage", "--out", "out", "--from", arg(payload)], &more[..]].concat());
        assert_eq!((status, &refused["error"]["code"]), (2, &json!(code)), "{more:?}");
        assert!(!dir.path().join("out").exists(), "{more:?}");
    }
    let draft = ["--sources", arg(&root), "--sources-draft", "needle", "--sources-seconds", "300"];
    let staged = done(dir.path(), &[&["stage", "--out", "out", "--from", arg(&issue)], &draft[..]].concat());
    assert_eq!(staged["sources"][0]["references"], 1);
}

/// What may have references behind it is not passed over: of two parts one would be checked, and the answer be that all is the same.
#[test]
fn references_that_cannot_be_read_are_trouble() {
    let (dir, repo, payloads) = (scratch(), site(), testdata("threads/acme-web-42"));
    let root = repo.path();
    stage(dir.path(), &payloads, &["--out", "one", "--sources", arg(&root)]);
    let stages = dir.path().join("both");
    fs::create_dir_all(stages.join("a")).expect("made");
    let copy = |to: &str| {
        for (path, bytes) in files(&dir.path().join("one")) {
            let at = stages.join(to).join(path);
            fs::create_dir_all(at.parent().expect("above")).expect("made");
            fs::write(at, bytes).expect("written");
        }
    };
    copy("a");
    let check = || report(dir.path(), &["sources", "check", "both", "--repo", arg(&root)]);
    assert_eq!(check().0, 0);
    type Fault = fn(&Path);
    let faults: [(&str, Fault); 4] = [
        ("sources/references.json", |at| std::os::unix::fs::symlink("elsewhere", at).expect("linked")),
        ("sources/references.json", |at| fs::create_dir(at).expect("made")),
        ("sources", |at| std::os::unix::fs::symlink("elsewhere", at).expect("linked")),
        ("sources", |at| fs::write(at, "").expect("written")),
    ];
    for (path, fault) in faults {
        copy("b");
        let at = stages.join("b").join(path);
        fs::rename(&at, dir.path().join("aside")).expect("moved");
        fault(&at);
        let (status, said) = check();
        assert_eq!((status, &said["error"]["code"]), (2, &json!("sources-invalid")), "{path}: {said}");
        fs::remove_dir_all(stages.join("b")).expect("removed");
        // What is moved next must find its place free.
        fs::remove_dir_all(dir.path().join("aside"))
            .or_else(|_| fs::remove_file(dir.path().join("aside")))
            .expect("removed");
    }
    std::os::unix::fs::symlink("../one", stages.join("b")).expect("linked");
    assert_eq!(check().0, 2, "the part of an entity behind a link");
}

/// With several entities each has the part, in its own directory; a rebuild from facts refuses it.
#[test]
fn a_stage_of_several_has_the_part_below_each_entity() {
    let (dir, repo) = (scratch(), site());
    let root = repo.path();
    let mut pull = json_of(&testdata("threads/acme-web-42/pull.json"));
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", arg(&testdata("threads/acme-web-42"))]);
    let text = pull.to_string().replace("/42", "/43");
    pull = serde_json::from_str(&text).expect("JSON");
    pull["number"] = json!(43);
    fs::write(dir.path().join("43.json"), pull.to_string()).expect("a payload");
    done(dir.path(), &["--store", "store", "observe", "43.json"]);
    let sources = ["--sources", arg(&root), "--out", "both"];
    let both = done(dir.path(), &[&["--store", "store", "stage", "acme/web#42", "acme/web#43"], &sources[..]].concat());
    let said: Vec<_> = both["sources"].as_array().expect("rows").iter().map(|row| row["references"].clone()).collect();
    assert_eq!(said, [json!(2), json!(0)]);
    // Nothing is known of the files of the second, and its part says so.
    assert_eq!(both["sources"][1]["diagnostics"], json!(["search unavailable or exceeded its capture bound"]));
    assert_eq!(done(dir.path(), &["sources", "check", "both", "--repo", arg(&root)])["counts"]["same"], 2);
    done(dir.path(), &["verify", "both"]);
    let one = ["--store", "store", "stage", "acme/web#42", "--sources", arg(&root), "--out", "one"];
    checked(docket(dir.path()).args(one).output().expect("a run"), "stage");
    let (status, refused) = report(dir.path(), &["--store", "store", "verify", "one", "--rebuild"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &json!("rebuild-unsupported")), "{refused}");
}

#[test]
fn a_diff_alone_names_the_lines_too() {
    let (dir, repo) = (scratch(), site());
    let diff = format!(
        "diff --git a/{TOTAL} b/{TOTAL}\n--- a/{TOTAL}\n+++ b/{TOTAL}\n@@ -13,2 +13,3 @@\n // line 13\n+    sum += line.price * line.count;\n   }}\n\
         diff --git a/other.ts b/other.ts\ndeleted file mode 100644\n--- a/other.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-needle\n"
    );
    fs::copy(testdata("threads/acme-web-42/pull.json"), dir.path().join("pull.json")).expect("copied");
    fs::write(dir.path().join("42.diff"), diff).expect("written");
    let args = ["stage", "--from", "pull.json", "diff=42.diff", "--out", "stage", "--sources", arg(&repo.path())]
        .map(str::to_owned);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let staged = done(dir.path(), &args);
    assert_eq!(staged["sources"][0]["diagnostics"], json!([]), "{staged}");
    let references = json_of(&dir.path().join("stage/sources/references.json"));
    let places: Vec<_> =
        references["references"].as_array().expect("a list").iter().map(|row| (&row["path"], &row["line"])).collect();
    assert_eq!(places, [(&json!(TOTAL), &json!(14))]);
}
