//! One fault, one code: each rule that a verifier can check is broken once in a tree that is sound otherwise.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use git_docket::ops::verify::{Anchor, Code, verify};
use git_docket::store::mem::MemTree;
use serde_json::{Value, json};

use super::Tree;

/// A pull request with reviews, threads, checks, and everything that a rule needs to be broken.
static PULL: LazyLock<Tree> =
    LazyLock::new(|| Tree::staged(&["threads/acme-web-42", "graphql/acme-web-42.json"], &["--profile", "full"]));

/// A merge request of GitLab, and a pull request of Forgejo with a dismissed review.
static MERGE: LazyLock<Tree> = LazyLock::new(|| Tree::staged(&["threads/gitlab-mr-7"], &[]));
static FORGEJO: LazyLock<Tree> = LazyLock::new(|| Tree::staged(&["threads/forgejo-pull-3"], &[]));

type Spoil = fn(&mut Tree);

/// Spoils sound trees one after the other, each once.
#[track_caller]
fn each(code: &str, sound: &Tree, vectors: &[(&str, Spoil)]) {
    for (name, spoil) in vectors {
        let mut tree = sound.clone();
        spoil(&mut tree);
        tree.seal();
        let (codes, findings) = tree.found();
        assert_eq!(codes, [code], "{name}:\n{findings}");
    }
}

fn rows<'v>(value: &'v mut Value, name: &str) -> &'v mut Vec<Value> {
    value[name].as_array_mut().unwrap_or_else(|| panic!("{name} is no list"))
}

/// The rows of the manifest of some kind.
fn records<'v>(index: &'v mut Value, kind: &str) -> Vec<&'v mut Value> {
    let all = index["records"].as_array_mut().expect("records");
    all.iter_mut().filter(|record| record["kind"] == kind).collect()
}

fn index(tree: &mut Tree, change: impl FnOnce(&mut Value)) {
    tree.edit("index.json", change);
}

/// Changes what was asked for, and what the manifest names as that.
fn collection(tree: &mut Tree, change: impl FnOnce(&mut Value)) {
    tree.edit("collection.json", change);
    let digest = git_docket::format::digest::Digest::of(&tree.0["collection.json"]).hex();
    index(tree, |index| index["collection_profile"] = digest.into());
}

/// Takes a member out of an object.
fn without(value: &mut Value, name: &str) {
    value.as_object_mut().expect("an object").remove(name).unwrap_or_else(|| panic!("there is no {name}"));
}

fn comment(tree: &Tree) -> String {
    let path = |row: &Value| row["role"] == "comment_record";
    let index = tree.json("index.json");
    let row = index["files"].as_array().expect("rows").iter().find(|row| path(row)).expect("a comment");
    row["path"].as_str().expect("a path").to_owned()
}

fn rewrite(tree: &mut Tree, path: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let bytes = tree.0.remove(path).unwrap_or_else(|| panic!("there is no {path}"));
    tree.0.insert(path.to_owned(), change(bytes));
}

fn append(tree: &mut Tree, end: &[u8]) {
    let path = comment(tree);
    rewrite(tree, &path, |bytes| [&bytes, end].concat());
}

#[test]
fn sound_trees_have_no_finding() {
    for tree in [&*PULL, &*MERGE, &*FORGEJO] {
        assert_eq!(tree.found(), (Vec::new(), String::new()));
    }
}

#[test]
fn an_index_that_is_none_is_invalid() {
    each(
        "index-invalid",
        &PULL,
        &[
            ("an unknown member", |t| index(t, |i| i["generated_at"] = "2026-01-01T00:00:00Z".into())),
            ("no filter version", |t| index(t, |i| i["filter_version"] = "".into())),
            ("no source", |t| index(t, |i| without(i, "source"))),
            ("a host in upper case", |t| index(t, |i| i["source"]["host"] = "GitHub.com".into())),
            ("the usual port", |t| index(t, |i| i["source"]["host"] = "github.com:443".into())),
            ("a repository in upper case", |t| index(t, |i| i["source"]["repository"] = "Acme/web".into())),
            ("a number for a node id", |t| index(t, |i| i["source"]["repository_id"] = "a.b".into())),
            ("an unknown kind", |t| index(t, |i| i["entity"]["kind"] = "conversation".into())),
            ("another usability", |t| index(t, |i| i["gaps"][0]["usability"] = "partial".into())),
            ("a gap of nothing", |t| index(t, |i| i["gaps"][0]["count"] = 0.into())),
            ("an unknown code", |t| index(t, |i| i["gaps"][0]["code"] = "lost".into())),
            ("a file without its filter", |t| {
                index(t, |i| {
                    let row = rows(i, "files").iter_mut().find(|row| row["role"] == "actor_state").expect("actors");
                    without(row, "filter");
                })
            }),
            ("a rejected file", |t| {
                index(t, |i| {
                    let row = rows(i, "files").iter_mut().find(|row| row["role"] == "actor_state").expect("actors");
                    row["filter"]["status"] = "rejected".into();
                })
            }),
            ("findings out of order", |t| {
                index(t, |i| {
                    i["filter"]["findings"] = json!([{"code": "b", "count": 1}, {"code": "a", "count": 1}]);
                })
            }),
            ("a code that is no code", |t| index(t, |i| i["filter"]["findings"] = json!([{"code": "B", "count": 1}]))),
            ("a rejected record with its path", |t| {
                index(t, |i| {
                    records(i, "comment")[0]["filter"]["status"] = "rejected".into();
                })
            }),
            ("a record without its path", |t| index(t, |i| without(records(i, "comment")[0], "content_path"))),
            ("the path of another", |t| {
                index(t, |i| {
                    let other = records(i, "comment")[1]["content_path"].clone();
                    records(i, "comment")[0]["content_path"] = other;
                })
            }),
            ("a check with an author", |t| index(t, |i| records(i, "check")[0]["author"] = "mira".into())),
            ("a comment without one", |t| index(t, |i| without(records(i, "comment")[0], "author_id"))),
            ("a time with three digits", |t| {
                index(t, |i| {
                    records(i, "comment")[0]["created_at"] = "2026-03-02T09:10:00.000Z".into();
                })
            }),
            ("it lists itself", |t| {
                index(t, |i| {
                    let mut row = rows(i, "files")[0].clone();
                    row["path"] = "index.json".into();
                    rows(i, "files").push(row);
                })
            }),
        ],
    );
}

#[test]
fn a_document_that_its_schema_refuses_is_found() {
    each(
        "layout-document",
        &PULL,
        &[
            ("an unknown member", |t| t.edit("entity/metadata.json", |e| e["draft"] = true.into())),
            ("a missing member", |t| t.edit("entity/metadata.json", |e| without(e, "labels"))),
            ("no title", |t| t.edit("entity/metadata.json", |e| e["title"] = "".into())),
            ("null instead of nothing", |t| {
                t.edit("relations/reviews.json", |r| r["threads"][0]["line"] = Value::Null)
            }),
            ("line 0", |t| t.edit("relations/reviews.json", |r| r["threads"][0]["line"] = 0.into())),
            ("a path beyond ASCII", |t| t.edit("relations/reviews.json", |r| r["threads"][0]["path"] = "ä.rs".into())),
            ("the order of another", |t| {
                t.edit("relations/reviews.json", |r| {
                    r["threads"][0]["order_path"] = r["threads"][1]["order_path"].clone();
                })
            }),
            ("a commit in upper case", |t| {
                t.edit("relations/reviews.json", |r| {
                    r["reviews"][0]["reviewed_sha"] = "A".repeat(40).into();
                })
            }),
            ("dismissed by nobody said", |t| {
                t.edit("relations/reviews.json", |r| r["reviews"][0]["state"] = "dismissed".into())
            }),
            ("not dismissed, but by somebody", |t| {
                t.edit("relations/reviews.json", |r| {
                    r["reviews"][0]["dismissed_at"] = Value::Null;
                })
            }),
            ("resolved by nobody said", |t| {
                t.edit("state/threads.json", |s| {
                    let open =
                        rows(s, "threads").iter_mut().find(|row| row["resolved"] == false).expect("an open thread");
                    open["resolved"] = true.into();
                })
            }),
            ("a verified bot", |t| {
                t.edit("state/actors.json", |s| {
                    let bot = rows(s, "actors").iter_mut().find(|row| row["kind"] == "bot").expect("a bot");
                    bot["role_verified"] = true.into();
                })
            }),
            ("a human bot", |t| {
                t.edit("state/actors.json", |s| {
                    let human = rows(s, "actors").iter_mut().find(|row| row["kind"] == "human").expect("a human");
                    human["role"] = "bot".into();
                })
            }),
            ("a role that nobody verified", |t| {
                t.edit("state/actors.json", |s| {
                    let human = rows(s, "actors").iter_mut().find(|row| row["kind"] == "human").expect("a human");
                    human["role"] = "write".into();
                })
            }),
            ("a queued check that started", |t| {
                let path = t.path("checks/", "metadata.json");
                t.edit(&path, |c| c["status"] = "queued".into());
            }),
            ("a check that never started and succeeded", |t| {
                let path = succeeded(t);
                t.edit(&path, |c| {
                    c["never_started"] = true.into();
                    without(c, "started_at");
                });
            }),
            ("a check without its end", |t| {
                let path = succeeded(t);
                t.edit(&path, |c| without(c, "completed_at"));
            }),
            ("an unknown run", |t| t.edit("history/agent-runs.json", |h| h["runs"] = json!([{"id": "x"}]))),
            ("logs that nobody selects", |t| collection(t, |c| c["check_log_selection"] = "none".into())),
            ("sources out of order", |t| collection(t, |c| rows(c, "included_sources").reverse())),
            ("no entity", |t| collection(t, |c| rows(c, "included_sources").retain(|source| source != "entity"))),
            ("a bound of 0", |t| collection(t, |c| c["bounds"]["max_record_bytes"] = 0.into())),
            ("no JSON", |t| drop(t.0.insert("state/threads.json".to_owned(), b"{".to_vec()))),
        ],
    );
}

/// A check that succeeded.
fn succeeded(tree: &Tree) -> String {
    let mut all = tree.0.keys().filter(|path| path.starts_with("checks/") && path.ends_with(".json"));
    all.find(|path| tree.json(path)["conclusion"] == "success").expect("a check that succeeded").clone()
}

#[test]
fn other_bytes_of_the_same_document_are_not_canonical() {
    each(
        "not-canonical",
        &PULL,
        &[
            ("a line end", |t| rewrite(t, "entity/metadata.json", |bytes| [&bytes[..], b"\n"].concat())),
            ("a space", |t| rewrite(t, "state/threads.json", |bytes| [b" ", &bytes[..]].concat())),
        ],
    );
    let mut tree = PULL.clone();
    rewrite(&mut tree, "index.json", |bytes| [&bytes[..], b"\n"].concat());
    assert_eq!(tree.found().0, ["not-canonical"]);
}

#[test]
fn every_list_has_its_order() {
    each(
        "layout-order",
        &PULL,
        &[
            ("files", |t| index(t, |i| rows(i, "files").swap(0, 1))),
            ("records", |t| index(t, |i| rows(i, "records").swap(1, 2))),
            ("gaps", |t| index(t, |i| rows(i, "gaps").reverse())),
            ("labels", |t| t.edit("entity/metadata.json", |e| e["labels"] = json!(["b", "a"]))),
            ("a label twice", |t| t.edit("entity/metadata.json", |e| e["labels"] = json!(["a", "a"]))),
            ("reviews", |t| t.edit("relations/reviews.json", |r| rows(r, "reviews").swap(0, 1))),
            ("threads", |t| t.edit("state/threads.json", |s| rows(s, "threads").reverse())),
            ("actors", |t| t.edit("state/actors.json", |s| rows(s, "actors").reverse())),
        ],
    );
    let run = |id: &str, at: &str, results: Value| {
        json!({"id": id, "agent": "review", "status": "success", "input_revision": "0".repeat(64),
            "result_record_keys": results, "completed_at": at})
    };
    let with_runs = |runs: Value| {
        let mut tree = PULL.clone();
        collection(&mut tree, |c| rows(c, "included_sources").insert(0, "agent_runs".into()));
        tree.edit("history/agent-runs.json", |h| h["runs"] = runs);
        tree.seal();
        tree.found().0
    };
    let (early, late) = ("2026-01-01T00:00:00.000000000Z", "2026-01-02T00:00:00.000000000Z");
    let (a, b) = ("a".repeat(64), "b".repeat(64));
    assert_eq!(with_runs(json!([run("a", early, json!([a, b])), run("b", late, json!([]))])), [""; 0]);
    assert_eq!(with_runs(json!([run("a", late, json!([])), run("b", early, json!([]))])), ["layout-order"]);
    assert_eq!(with_runs(json!([run("a", early, json!([b, a]))])), ["layout-order"]);
}

#[test]
fn ids_and_keys_belong_together() {
    each(
        "layout-key",
        &PULL,
        &[
            ("another repository", |t| index(t, |i| i["source"]["repository_id"] = "R_kgDOOther".into())),
            ("another host", |t| index(t, |i| i["source"]["host"] = "ghe.example.org".into())),
            ("another thread", |t| {
                t.edit("relations/reviews.json", |r| r["threads"][0]["id"] = "PRRT_0".into());
                let key = t.json("relations/reviews.json")["threads"][0]["thread_key"].clone();
                t.edit("state/threads.json", |s| {
                    let row = rows(s, "threads").iter_mut().find(|row| row["thread_key"] == key).expect("its state");
                    row["id"] = "PRRT_0".into();
                });
            }),
        ],
    );
    let mut tree = PULL.clone();
    tree.edit("relations/reviews.json", |r| {
        for thread in rows(r, "threads") {
            thread["review_id"] = "1:2".into();
            without(thread, "review_record_key");
        }
    });
    let path = tree.path("views/reviews/", ".order");
    let view: Vec<_> = tree.0.keys().filter(|key| key.starts_with("views/reviews/")).cloned().collect();
    for path in view {
        rewrite(&mut tree, &path, |bytes| {
            let first = bytes.iter().position(|b| *b == b'\n').expect("a line") + 1;
            bytes[..first].to_vec()
        });
    }
    assert!(tree.0.contains_key(&path));
    tree.seal();
    assert_eq!(tree.found().0, ["layout-key"], "an id that GitHub cannot give");
}

#[test]
fn every_file_has_its_place_and_role() {
    each(
        "layout-role",
        &PULL,
        &[
            ("another role", |t| {
                index(t, |i| {
                    let row =
                        rows(i, "files").iter_mut().find(|row| row["role"] == "comment_record").expect("a comment");
                    row["role"] = "review_record".into();
                })
            }),
            ("another media type", |t| {
                index(t, |i| {
                    let row =
                        rows(i, "files").iter_mut().find(|row| row["role"] == "comment_record").expect("a comment");
                    row["media_type"] = "text/plain".into();
                })
            }),
            ("a file that nothing calls for", |t| {
                let path = format!("threads/{}.order", "0".repeat(64));
                t.0.insert(path.clone(), Vec::new());
                index(t, |i| {
                    let row = json!({"path": path, "role": "thread_order", "media_type": "text/plain", "bytes": 0,
                    "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"});
                    rows(i, "files").push(row);
                    rows(i, "files").sort_by_key(|row| row["path"].as_str().expect("a path").to_owned());
                });
            }),
            ("a view that is not there", |t| {
                t.0.remove("views/unresolved-review.order");
                index(t, |i| rows(i, "files").retain(|row| row["path"] != "views/unresolved-review.order"));
            }),
            ("a document that is not there", |t| {
                t.0.remove("state/threads.json");
                index(t, |i| rows(i, "files").retain(|row| row["path"] != "state/threads.json"));
            }),
        ],
    );
}

#[test]
fn the_header_of_a_record_is_that_of_its_row() {
    let header = |tree: &mut Tree, from: &str, to: &str| {
        let path = comment(tree);
        rewrite(tree, &path, |bytes| {
            let text = String::from_utf8(bytes).expect("UTF-8");
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1).into_bytes()
        });
    };
    for (from, to) in [
        ("Fullsend-Record: \"comment\"", "Fullsend-Record: \"review\""),
        ("Fullsend-Record: ", "fullsend-record: "),
        ("Source-ID: \"IC_", "Source-ID: \"ID_"),
        ("Author-ID: \"U_", "Author-ID: \"V_"),
        ("Author-ID: ", "Author-Login: \"x\"\nAuthor-ID: "),
        ("Created-At: \"2026", "Created-At: \"2025"),
        ("\n\n", "\n"),
    ] {
        let mut tree = PULL.clone();
        header(&mut tree, from, to);
        tree.seal();
        assert_eq!(tree.found().0, ["layout-record"], "{to:?}");
    }
}

#[test]
fn texts_have_only_bytes_that_are_shown() {
    each(
        "layout-text",
        &PULL,
        &[
            ("no line end", |t| append(t, b"x")),
            ("two line ends", |t| append(t, b"\n")),
            ("a carriage return", |t| append(t, b"a\r\n")),
            ("a joiner", |t| append(t, "a\u{200d}b\n".as_bytes())),
            ("a tag", |t| append(t, "\u{e0041}\n".as_bytes())),
            ("no UTF-8", |t| append(t, b"\xff\n")),
            ("a mark of byte order", |t| append(t, "\u{feff}\n".as_bytes())),
            ("a title with an override", |t| t.edit("entity/metadata.json", |e| e["title"] = "a\u{202e}b".into())),
            ("a login with a line end", |t| t.edit("state/actors.json", |s| s["actors"][0]["login"] = "a\nb".into())),
        ],
    );
}

#[test]
fn views_are_what_the_documents_give() {
    each(
        "layout-view",
        &PULL,
        &[
            ("a line less", |t| {
                rewrite(t, "views/timeline.order", |bytes| {
                    let first = bytes.iter().position(|b| *b == b'\n').expect("a line") + 1;
                    bytes[first..].to_vec()
                })
            }),
            ("a line twice", |t| rewrite(t, "views/timeline.order", |bytes| [&bytes[..], &bytes[..102]].concat())),
            ("a line of another", |t| rewrite(t, "views/unresolved-review.order", |_| b"../../etc/passwd\n".to_vec())),
            ("no last line end", |t| {
                rewrite(t, "views/timeline.order", |mut bytes| {
                    bytes.pop();
                    bytes
                })
            }),
            ("a thread turned round", |t| {
                let two = |path: &&String| {
                    path.starts_with("threads/") && t.0[*path].iter().filter(|b| **b == b'\n').count() == 2
                };
                let path = t.0.keys().find(two).expect("a thread with a reply").clone();
                rewrite(t, &path, |bytes| {
                    let middle = bytes.iter().position(|b| *b == b'\n').expect("a line") + 1;
                    [&bytes[middle..], &bytes[..middle]].concat()
                });
            }),
        ],
    );
}

#[test]
fn documents_agree() {
    each(
        "layout-relation",
        &PULL,
        &[
            ("another collection", |t| index(t, |i| i["collection_profile"] = "0".repeat(64).into())),
            ("another entity", |t| index(t, |i| i["entity"]["id"] = "PR_other".into())),
            ("another time", |t| index(t, |i| i["entity"]["updated_at"] = "2027-01-01T00:00:00.000000000Z".into())),
            ("another number of authors", |t| t.edit("entity/metadata.json", |e| e["author_id"] = Value::Null)),
            ("another beginning", |t| {
                t.edit("entity/metadata.json", |e| e["created_at"] = "2020-01-01T00:00:00.000000000Z".into())
            }),
            ("a thread without state", |t| t.edit("state/threads.json", |s| drop(rows(s, "threads").pop()))),
            ("a review of another time", |t| {
                t.edit("relations/reviews.json", |r| {
                    r["reviews"][0]["submitted_at"] = "2020-01-01T00:00:00.000000000Z".into();
                })
            }),
            ("a reply to nobody", |t| {
                t.edit("relations/reviews.json", |r| {
                    let replies = json!([{"record_key": "0".repeat(64), "parent_record_key": "1".repeat(64)}]);
                    r["threads"][0]["replies"] = replies;
                })
            }),
            ("the review of another thread", |t| {
                t.edit("relations/reviews.json", |r| {
                    r["threads"][0]["review_id"] = "PRR_other".into();
                })
            }),
            ("a check of another head", |t| {
                let path = t.path("checks/", "metadata.json");
                t.edit(&path, |c| c["head_sha"] = "0".repeat(40).into());
            }),
            ("a check of another time", |t| {
                let path = succeeded(t);
                t.edit(&path, |c| c["created_at"] = "2020-01-01T00:00:00.000000000Z".into());
            }),
            ("comments that nobody asked for", |t| {
                collection(t, |c| {
                    rows(c, "included_sources").retain(|source| source != "comments");
                })
            }),
            ("reviews that nobody asked for", |t| {
                collection(t, |c| {
                    rows(c, "included_sources").retain(|source| source != "reviews");
                })
            }),
        ],
    );
    each(
        "layout-relation",
        &MERGE,
        &[("out of date where no forge tells", |t| {
            t.edit("state/threads.json", |s| s["threads"][0]["outdated"] = true.into())
        })],
    );
}

#[test]
fn a_log_is_shown_where_it_is_selected() {
    let with_log = |selection: &str| {
        let mut tree = PULL.clone();
        collection(&mut tree, |c| c["check_log_selection"] = selection.into());
        let path = succeeded(&tree).replace("metadata.json", "log.txt");
        tree.0.insert(path.clone(), b"ok\n".to_vec());
        index(&mut tree, |i| {
            let record = records(i, "check")
                .into_iter()
                .find(|record| path.contains(record["record_key"].as_str().expect("a key")));
            record.expect("its record")["log_path"] = path.clone().into();
            let filter = json!({"status": "unchanged", "findings": []});
            let row = json!({"path": path, "role": "check_log", "media_type": "text/plain", "bytes": 0, "sha256": "0".repeat(64),
                "filter": filter});
            rows(i, "files").push(row);
            rows(i, "files").sort_by_key(|row| row["path"].as_str().expect("a path").to_owned());
        });
        tree.seal();
        tree
    };
    assert_eq!(with_log("all").found(), (Vec::new(), String::new()));
    assert_eq!(with_log("failed").found().0, ["layout-relation"], "a check that succeeded did not fail");
    let mut tree = with_log("all");
    let path = tree.path("checks/", "log.txt");
    tree.0.insert(path, b"no end".to_vec());
    tree.seal();
    assert_eq!(tree.found().0, ["layout-text"]);
}

#[test]
fn accounts_have_one_row_each() {
    each(
        "layout-actor",
        &PULL,
        &[
            ("none", |t| t.edit("state/actors.json", |s| drop(rows(s, "actors").pop()))),
            ("two", |t| {
                t.edit("state/actors.json", |s| {
                    let last = rows(s, "actors").last().expect("a row").clone();
                    rows(s, "actors").push(last);
                })
            }),
            ("one too many", |t| {
                t.edit("state/actors.json", |s| {
                    rows(s, "actors")
                        .push(json!({"id": "Z", "kind": "human", "login": "z", "role": null, "role_verified": false}));
                })
            }),
        ],
    );
}

#[test]
fn gaps_are_where_something_is_missing() {
    let issue = Tree::staged(&["threads/forgejo-pull-3"], &[]);
    assert_eq!(issue.found().0, [""; 0]);
    let mut rejected = PULL.clone();
    let path = comment(&rejected);
    rejected.0.remove(&path);
    let lines = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.lines().filter(|line| *line != path).flat_map(|line| [line, "\n"]).collect::<String>().into_bytes()
    };
    rewrite(&mut rejected, "views/timeline.order", lines);
    index(&mut rejected, |i| {
        rows(i, "files").retain(|row| row["path"] != path.as_str());
        let record = records(i, "comment").into_iter().find(|record| record["content_path"] == path.as_str());
        let record = record.expect("its record");
        record["filter"] = json!({"status": "rejected", "findings": [{"code": "ignore-instructions", "count": 1}]});
        without(record, "content_path");
    });
    rejected.seal();
    assert_eq!(rejected.found().0, ["layout-gap"], "a record is rejected, and no gap says so");
    let mut counted = rejected.clone();
    index(&mut counted, |i| {
        let most = json!({"scope": "comments", "code": "unsafe_content", "usability": "unusable", "count": 9007199254740991_u64});
        rows(i, "gaps").extend(std::iter::repeat_n(most, 2100));
    });
    counted.seal();
    assert!(!counted.found().0.contains(&"layout-gap"), "all that is rejected is counted, and more than any sum");
    index(&mut rejected, |i| {
        rows(i, "gaps")
            .push(json!({"scope": "comments", "code": "unsafe_content", "usability": "unusable", "count": 1}));
        rows(i, "gaps").sort_by_key(|gap| (gap["scope"].to_string(), gap["code"].to_string()));
    });
    rejected.seal();
    assert_eq!(rejected.found(), (Vec::new(), String::new()));
}

#[test]
fn nothing_is_beyond_its_bound() {
    each(
        "layout-bound",
        &PULL,
        &[
            ("records", |t| collection(t, |c| c["bounds"]["max_records_per_source"] = 1.into())),
            ("a body", |t| collection(t, |c| c["bounds"]["max_record_bytes"] = 10.into())),
            ("a line", |t| collection(t, |c| c["bounds"]["max_metadata_string_bytes"] = 5.into())),
            ("labels", |t| collection(t, |c| c["bounds"]["max_labels"] = 0.into())),
        ],
    );
}

#[test]
fn damage_is_told_before_rules() {
    let mut tree = PULL.clone();
    let path = comment(&tree);
    rewrite(&mut tree, &path, |bytes| [&bytes[..bytes.len() - 1], b"!"].concat());
    assert_eq!(tree.found().0, ["file-changed"]);
    let mut tree = PULL.clone();
    tree.0.insert("notes.txt".to_owned(), b"x".to_vec());
    assert_eq!(tree.found().0, ["file-extra"]);
    tree.0.remove("notes.txt");
    tree.0.remove("views/timeline.order");
    assert_eq!(tree.found().0, ["file-missing"]);
    let mut tree = PULL.clone();
    index(&mut tree, |i| rows(i, "files")[0]["path"] = "../outside".into());
    assert!(tree.found().0.contains(&"path-unsafe"), "{}", tree.found().1);
    let digest = git_docket::format::digest::Digest::of(&PULL.0["index.json"]);
    let mut tree = PULL.clone();
    index(&mut tree, |i| i["filter_version"] = "other".into());
    let tree: MemTree = tree.0.into_iter().collect();
    let report = verify(&tree, &Anchor { index_digest: Some(digest), commit: None }).expect("checked");
    assert!(report.findings.iter().any(|finding| finding.code.as_str() == "index-changed"), "{:?}", report.findings);
}

#[test]
fn a_newer_version_is_refused_by_name() {
    let mut tree = PULL.clone();
    index(&mut tree, |i| i["schema_version"] = 2.into());
    let tree: MemTree = tree.0.into_iter().collect();
    let error = verify(&tree, &Anchor::default()).expect_err("a newer version");
    assert_eq!(error.code(), "format-newer");
}

/// Every code of the layout has a vector above.
#[test]
fn every_code_has_its_vector() {
    let text = include_str!("faults.rs");
    let all: BTreeSet<_> =
        Code::ALL.iter().map(|code| code.as_str()).filter(|code| code.starts_with("layout-")).collect();
    let missing: Vec<_> = all.iter().filter(|code| !text.contains(&format!("\"{code}\""))).collect();
    assert_eq!((all.len(), missing), (11, Vec::new()));
}
