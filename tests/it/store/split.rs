//! Documents in pieces, and together again.

use git_docket::format::digest::Digest;
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json};
use git_docket::format::observation::{CHUNK, Completeness, Input, Observation, Parts, Seen};
use git_docket::store::facts::{ElementFault, Facts};
use git_docket::store::layout::element_path;
use git_docket::store::mem::MemTree;
use git_docket::store::split::{BadLook, Content, Document, LookAt, Split, content, content_digest, rebuild, split};

use crate::support::shared;

/// An integer that a double does not hold: it puts whatever it stands in outside the profile.
pub(super) const BIG: &str = "12345678901234567891";

pub(super) fn record(pointer: &str, parts: &[&str]) -> LookAt {
    LookAt { pointer: pointer.to_owned(), items: None, parts: parts.iter().map(|p| p.to_string()).collect() }
}

pub(super) fn set<S: AsRef<str>>(pointer: &str, items: &[S]) -> LookAt {
    let items = items.iter().map(|item| item.as_ref().to_owned()).collect();
    LookAt { pointer: pointer.to_owned(), items: Some(items), parts: Vec::new() }
}

/// A set of the items of an array.
pub(super) fn list(count: usize) -> LookAt {
    set("", &(0..count).map(|at| format!("/{at}")).collect::<Vec<_>>())
}

pub(super) fn filed(split: &Split) -> MemTree {
    split.elements.iter().map(|(digest, bytes)| (element_path(digest), bytes.clone())).collect()
}

pub(super) fn observation(look: &LookAt, inputs: Vec<Input>, values: &[&Json<'_>]) -> Observation {
    let facet = if look.items.is_some() { Facet::Comments } else { Facet::Header };
    let completeness = if look.items.is_some() { Completeness::Unproven } else { Completeness::Whole };
    Observation {
        subject: "github:github.com/acme/web/thread/1".parse().expect("a subject"),
        kind: None,
        facet,
        item: None,
        observed_at: "2026-01-02T03:04:05Z".parse().expect("a time"),
        position: None,
        dialect: "github-rest".to_owned(),
        failed: Vec::new(),
        seen: Seen::Data { completeness, content: content_digest(values), inputs },
    }
}

/// Takes a document apart and checks everything that must hold of the pieces, through the bytes of a record.
pub(super) fn check(document: &Document<'_>, looks: &[LookAt], whole: &[u8]) -> Split {
    let split = split(document, looks).expect("looks that fit");
    assert!(split.elements.iter().all(|(digest, bytes)| Digest::of(bytes) == *digest));
    assert_eq!(split.inputs.len(), looks.len());
    let tree = filed(&split);
    let facts = Facts { tree: &tree };
    for (look, input) in looks.iter().zip(&split.inputs) {
        let values = look.values(document);
        let written = observation(look, vec![input.clone()], &values).to_bytes();
        let read = Observation::from_bytes(&written).expect("a record");
        assert_eq!(read.inputs(), std::slice::from_ref(input));
        assert_eq!(input.digest, document.digest());
        let rebuilt = rebuild(&facts, input).expect("all pieces are there");
        assert_eq!(String::from_utf8_lossy(&rebuilt), String::from_utf8_lossy(whole));
        let values: Vec<_> = values.into_iter().cloned().map(Json::into_owned).collect();
        match content(&facts, &read).expect("all pieces are there") {
            Content::Record { json, .. } => assert_eq!(vec![json], values),
            Content::Items(items) => assert_eq!(items.into_iter().map(|(item, _)| item).collect::<Vec<_>>(), values),
            other => panic!("not {other:?}"),
        }
    }
    split
}

fn check_text(text: &str, looks: &[LookAt]) -> Split {
    let document = Document::json(text.as_bytes()).expect("JSON");
    let canonical = json::to_vec(&json::parse(text.as_bytes()).expect("in the profile"));
    check(&document, looks, &canonical)
}

fn pointers(parts: &Parts) -> Vec<&str> {
    match parts {
        Parts::Inline(parts) => parts.iter().map(|part| part.at.as_str()).collect(),
        Parts::Chunked(_) => panic!("a short list stands in the record"),
    }
}

fn elements(split: &Split) -> Vec<&str> {
    split.elements.iter().map(|(_, bytes)| std::str::from_utf8(bytes).expect("text")).collect()
}

#[test]
fn a_list_is_its_items_and_what_holds_them() {
    let split = check_text(r#" [ {"b":1, "a":2}, {"a":2,"b":1}, 3 ] "#, &[list(3)]);
    assert_eq!(elements(&split), [r#"{"a":2,"b":1}"#, "3", "[null,null,null]"]);
    assert_eq!(pointers(&split.inputs[0].parts), ["/0", "/1", "/2"]);
    assert!(split.inputs[0].whole.is_empty());
    let empty = check_text("[]", &[list(0)]);
    assert_eq!(elements(&empty), ["[]"]);
    let single = check_text(r#"{"id":1}"#, &[set("", &[""])]);
    assert_eq!((elements(&single), single.inputs[0].container), (vec![r#"{"id":1}"#], None));
    let wrapped = check_text(r#"{"total_count":1,"check_runs":[{"id":1}]}"#, &[set("/check_runs", &["/check_runs/0"])]);
    assert_eq!(elements(&wrapped), [r#"{"id":1}"#, r#"{"check_runs":[null],"total_count":1}"#]);
}

#[test]
fn a_record_is_taken_apart_where_objects_stand() {
    let text =
        r#"{"user":{"login":"o"},"assignee":null,"head":{"repo":{"id":2},"user":{"login":"o"}},"a~b/c":{"x":1}}"#;
    let parts = ["/user", "/assignee", "/closed_by", "/head/user", "/head/repo", "/a~0b~1c"];
    let split = check_text(text, &[record("", &parts)]);
    assert_eq!(pointers(&split.inputs[0].parts), ["/a~0b~1c", "/head/repo", "/head/user", "/user"]);
    assert_eq!(
        elements(&split),
        [
            r#"{"x":1}"#,
            r#"{"id":2}"#,
            r#"{"login":"o"}"#,
            r#"{"assignee":null,"a~b/c":null,"head":{"repo":null,"user":null},"user":null}"#
        ]
    );
}

#[test]
fn each_record_of_a_document_is_an_element_with_its_own_parts() {
    let text = r#"{"items":[{"n":1,"user":{"u":1}},{"n":2,"user":{"u":1}}],"total_count":2}"#;
    let looks = [record("/items/0", &["/items/0/user"]), record("/items/1", &["/items/1/user"])];
    let split = check_text(text, &looks);
    assert_eq!(pointers(&split.inputs[1].parts), ["/items/1", "/items/1/user"]);
    assert_eq!(split.inputs[0].whole, split.inputs[1].whole);
    assert_eq!(split.inputs[0].whole.len(), 1);
    // Two records, one user, the container, the list of all parts.
    assert_eq!(split.elements.len(), 5);
}

#[test]
fn what_lies_in_an_item_is_not_taken_apart() {
    let text = r#"[{"event":"x","issue":{"number":1,"user":{"u":1}}},{"event":"y","issue":{"number":2}}]"#;
    let looks = [set("", &["/0"]), record("/0/issue", &["/0/issue/user"]), set("", &["/1"]), record("/1/issue", &[])];
    let split = check_text(text, &looks);
    assert_eq!(pointers(&split.inputs[1].parts), ["/0"]);
    assert!(elements(&split).contains(&r#"{"event":"x","issue":{"number":1,"user":{"u":1}}}"#));
    // Two items, the container, the list of both.
    assert_eq!(split.elements.len(), 4);
    // The other way round, the items of a record are its parts.
    let text = r#"{"issue":{"number":1,"comments":[{"id":1},{"id":2}]},"x":1}"#;
    let looks = [record("/issue", &[]), set("/issue/comments", &["/issue/comments/0", "/issue/comments/1"])];
    let split = check_text(text, &looks);
    assert_eq!(pointers(&split.inputs[0].parts), ["/issue", "/issue/comments/0", "/issue/comments/1"]);
    assert!(split.inputs[0].whole.is_empty());
    assert_eq!(split.inputs[1].whole.len(), 1);
}

#[test]
fn long_lists_lie_in_elements() {
    for count in [255, 256, 257, 512, 513] {
        let items: Vec<_> = (0..count).map(|at| format!(r#"{{"id":{at}}}"#)).collect();
        let split = check_text(&format!("[{}]", items.join(",")), &[list(count)]);
        let chunks = if count > CHUNK { count.div_ceil(CHUNK) } else { 0 };
        match &split.inputs[0].parts {
            Parts::Inline(parts) => assert_eq!((parts.len(), chunks), (count, 0)),
            Parts::Chunked(digests) => assert_eq!(digests.len(), chunks),
        }
        assert_eq!(split.elements.len(), count + 1 + chunks);
    }
}

#[test]
fn items_outside_the_profile_are_kept_verbatim() {
    let text = format!(r#"[ {{"b":1,"a":1}} , {{"id": {BIG} , "issue":{{"n":1}}}}, {{"a":1, "a":2}} ]"#);
    let document = Document::json(text.as_bytes()).expect("JSON");
    let whole = format!(r#"[{{"a":1,"b":1}},{{"id": {BIG} , "issue":{{"n":1}}}},{{"a":1, "a":2}}]"#);
    assert_eq!(document.digest(), Digest::of(whole.as_bytes()));
    assert_eq!(document.outside(), Some(("json-number-out-of-range", 2)));
    let looks = [list(3), record("/1/issue", &[]), set("", &["/0"])];
    let split = check(&document, &looks, whole.as_bytes());
    let Parts::Inline(parts) = &split.inputs[0].parts else { panic!("three parts") };
    let codes: Vec<_> = parts.iter().map(|part| part.opaque.as_deref()).collect();
    assert_eq!(codes, [None, Some("json-number-out-of-range"), Some("json-duplicate-key")]);
    // A page of pages: the items keep their pointers into the page that is kept verbatim.
    let text = format!("[[1,{{\"n\":2}}],[{{\"n\":3}},{BIG},{{\"n\":4}}]]");
    let document = Document::json(text.as_bytes()).expect("JSON");
    let looks = [set("", &["/0/0", "/0/1", "/1/0", "/1/2"])];
    let split = check(&document, &looks, text.as_bytes());
    assert_eq!(pointers(&split.inputs[0].parts), ["/0/0", "/0/1", "/1/0", "/1/2"]);
    assert_eq!(split.elements.len(), 4);
}

#[test]
fn an_item_may_be_too_deep_for_its_list_alone() {
    let item = format!("{}1{}", "[".repeat(128), "]".repeat(128));
    let text = format!("[0,{item}]");
    let document = Document::json(text.as_bytes()).expect("JSON");
    assert_eq!(document.outside(), Some(("json-too-deep", 1)));
    check(&document, &[list(2)], text.as_bytes());
    check(&document, &[list(0)], text.as_bytes());
    let shallow = format!("[0,{}]", &item[1..item.len() - 1]);
    assert_eq!(Document::json(shallow.as_bytes()).expect("JSON").outside(), None);
}

#[test]
fn a_document_outside_the_profile_is_one_piece() {
    let text = format!(r#"{{ "total_count":{BIG}, "check_runs":[{{"id":1}},{{"id":2}}], "runs":[] }}"#);
    let document = Document::json(text.as_bytes()).expect("JSON");
    assert_eq!(document.digest(), Digest::of(text.as_bytes()));
    let looks = [
        set("/check_runs", &["/check_runs/0", "/check_runs/1"]),
        set("/runs", &[""; 0]),
        record("", &["/check_runs/0"]),
        record("/check_runs/1", &[]),
    ];
    let split = check(&document, &looks, text.as_bytes());
    assert!(split.inputs.iter().all(|input| input.container.is_none()));
    // The document, and the list of all parts for the look that has none.
    assert_eq!(split.elements.len(), 2);
    assert!(Document::json(b"{").is_err());
    assert!(Document::json(format!("[{BIG}").as_bytes()).is_err(), "a breach does not hide what follows");
    assert!(Document::json(format!("[{BIG}] x").as_bytes()).is_err());
}

#[test]
fn a_text_is_kept_byte_for_byte() {
    let bytes = b"line\r\n\xff\x00 no JSON {";
    let document = Document::text(bytes);
    assert!(document.view().is_null());
    let split = split(&document, &[record("", &[])]).expect("fits");
    let tree = filed(&split);
    let facts = Facts { tree: &tree };
    assert_eq!(rebuild(&facts, &split.inputs[0]).expect("there"), bytes);
    let look = observation(&record("", &[]), split.inputs, &[]);
    let look = Observation { facet: Facet::Logs, ..look };
    assert_eq!(content(&facts, &look).expect("there"), Content::Text(bytes.to_vec()));
}

#[test]
fn looks_at_nothing_and_nested_sets_are_refused() {
    let document = Document::json(br#"[{"a":[1]}]"#).expect("JSON");
    let refused = |looks: &[LookAt]| split(&document, looks).expect_err("refused");
    assert_eq!(refused(&[list(2)]), BadLook::Nothing("/1".to_owned()));
    assert_eq!(refused(&[record("/0/b", &[])]), BadLook::Nothing("/0/b".to_owned()));
    assert_eq!(refused(&[record("0", &[])]), BadLook::Nothing("0".to_owned()));
    let text = format!("[{BIG}]");
    let document = Document::json(text.as_bytes()).expect("JSON");
    assert_eq!(split(&document, &[set("", &[""])]).expect_err("refused"), BadLook::Nested(String::new()));
}

#[test]
fn an_item_in_an_item_of_another_set_is_put_back() {
    let bytes = br#"[{"a":[1,{"b":2}]},{"a":[]}]"#;
    let document = Document::json(bytes).expect("JSON");
    let looks = [set("", &["/0/a/0", "/0/a/1"]), list(2)];
    let split = split(&document, &looks).expect("fits");
    let tree = filed(&split);
    let facts = Facts { tree: &tree };
    for (look, input, expected) in [
        (&looks[0], &split.inputs[0], vec!["1", r#"{"b":2}"#]),
        (&looks[1], &split.inputs[1], vec![r#"{"a":[1,{"b":2}]}"#, r#"{"a":[]}"#]),
    ] {
        assert_eq!(rebuild(&facts, input).expect("there"), bytes);
        let Content::Items(items) = content(&facts, &observation(look, vec![input.clone()], &[])).expect("there")
        else {
            panic!("a set");
        };
        let items: Vec<_> =
            items.iter().map(|(item, _)| String::from_utf8(json::to_vec(item)).expect("UTF-8")).collect();
        assert_eq!(items, expected);
    }
}

#[test]
fn many_lists_of_parts_are_named_by_one() {
    let text = format!("[{}]", (0..2000).map(|at| format!("{{\"n\":{at}}}")).collect::<Vec<_>>().join(","));
    let document = Document::json(text.as_bytes()).expect("JSON");
    let split = split(&document, &[list(1), list(2000)]).expect("fits");
    assert_eq!(split.inputs[0].whole.len(), 1);
    let tree = filed(&split);
    assert_eq!(rebuild(&Facts { tree: &tree }, &split.inputs[0]).expect("there"), text.as_bytes());
}

#[test]
fn missing_and_damaged_pieces_are_told_apart() {
    let document = Document::json(br#"[{"id":1},{"id":2}]"#).expect("JSON");
    let split = split(&document, &[list(2)]).expect("fits");
    let input = &split.inputs[0];
    let (victim, _) = &split.elements[0];
    let look = observation(&list(2), split.inputs.clone(), &[]);
    let missing: MemTree = filed(&Split { elements: split.elements[1..].to_vec(), inputs: Vec::new() });
    let mut damaged = filed(&split);
    damaged.insert(element_path(victim), b"{}".to_vec());
    for (tree, code) in [(&missing, "element-missing"), (&damaged, "element-corrupt")] {
        let facts = Facts { tree };
        assert_eq!(content(&facts, &look).expect_err("damaged").code(), code);
        assert_eq!(rebuild(&facts, input).expect_err("damaged").code(), code);
    }
    // Whole pieces that are not those of the input.
    let tree = filed(&split);
    let lie = Input { digest: Digest::of(b"another"), ..input.clone() };
    let fault = rebuild(&Facts { tree: &tree }, &lie).expect_err("a lie");
    assert!(matches!(fault, ElementFault::Unfit(digest) if digest == lie.digest));
}

#[test]
fn one_new_item_in_a_thousand_adds_little() {
    let item = |at: usize| format!(r#"{{"body":"{}","id":{at}}}"#, "x".repeat(2000));
    let text = |count| format!("[{}]", (0..count).map(item).collect::<Vec<_>>().join(","));
    let (before, after) = (text(1000), text(1001));
    let pieces = |text: &str, count| {
        let document = Document::json(text.as_bytes()).expect("JSON");
        split(&document, &[list(count)]).expect("fits")
    };
    let (before, after) = (pieces(&before, 1000), pieces(&after, 1001));
    let new = after.elements.iter().filter(|element| !before.elements.contains(element)).map(|(_, bytes)| bytes.len());
    let bytes = new.sum::<usize>() + observation(&list(0), after.inputs, &[]).to_bytes().len();
    // The item, the container with a thousand nulls, and the last list of at most 256 parts.
    assert!(bytes < 2100 + 5100 + 24_000, "{bytes} bytes");
}

#[test]
fn volatile_members_of_what_is_embedded_do_not_count() {
    let digest = |text: &str| {
        let value = json::parse(text.as_bytes()).expect("JSON");
        content_digest(&[&value])
    };
    let text = r#"{"id":1,"size":5,"user":{"login":"o","avatar_url":"A","html_url":"H","events_url":"E"},
        "list":[{"repo":{"full_name":"a/b","owner":{"login":"o","avatar_url":"A"},"size":3,"pushed_at":"P","keys_url":"K","html_url":"R"}}]}"#;
    let same = [
        (r#""A""#, r#""B""#),
        (r#""E""#, r#""F""#),
        (r#""size":3"#, r#""size":4"#),
        (r#""P""#, r#""Q""#),
        (r#""K""#, "null"),
    ];
    for (old, new) in same {
        assert!(text.contains(old));
        assert_eq!(digest(&text.replace(old, new)), digest(text), "{old}");
    }
    let other = [
        (r#""H""#, r#""I""#),
        (r#""o""#, r#""p""#),
        (r#""size":5"#, r#""size":6"#),
        (r#""R""#, r#""S""#),
        ("a/b", "a/c"),
    ];
    for (old, new) in other {
        assert!(text.contains(old));
        assert_ne!(digest(&text.replace(old, new)), digest(text), "{old}");
    }
    // The record itself is not embedded in anything.
    let user = r#"{"login":"o","avatar_url":"A"}"#;
    assert_ne!(digest(user), digest(&user.replace('A', "B")));
    let value = json::parse(br#"{"a":1}"#).expect("JSON");
    assert_ne!(content_digest(&[]), content_digest(&[&value]));
    assert_ne!(content_digest(&[&value]), content_digest(&[&value, &value]));
}

#[test]
fn recorded_threads_come_back_byte_for_byte() {
    let Some(dir) = shared("data/threads/github") else { return };
    let mut documents = 0;
    for entry in walkdir::WalkDir::new(dir).sort_by_file_name() {
        let entry = entry.expect("listed");
        if entry.path().extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let bytes = std::fs::read(entry.path()).expect("read");
        let document = Document::json(&bytes).expect("JSON");
        let look = match document.view() {
            Json::Array(items) => list(items.len()),
            _ => record("", &["/user", "/assignee", "/head/user", "/head/repo", "/base/user", "/base/repo"]),
        };
        let value: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        check(&document, &[look], &serde_json_canonicalizer::to_vec(&value).expect("canonical"));
        documents += 1;
    }
    assert!(documents > 20, "{documents} documents");
}

#[test]
fn a_document_that_is_an_item_holds_items_of_other_sets() {
    let bytes = br#"{"action":"resolved","pull":{"n":1},"thread":{"comments":[{"id":1},{"id":2}]}}"#;
    let document = Document::json(bytes).expect("JSON");
    let comments = ["/thread/comments/0", "/thread/comments/1"];
    let split = check(&document, &[set("", &[""]), set("", &comments), record("/pull", &["/pull"])], bytes);
    assert_eq!(
        (split.elements.len(), split.inputs[0].container),
        (4, None),
        "two comments, what is around them, all parts"
    );
}
