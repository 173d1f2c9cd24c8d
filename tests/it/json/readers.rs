//! The reader and the walkers, case by case.

use git_docket::format::json::{self, FaultKind, MAX_DEPTH};

fn fault(text: &str) -> (FaultKind, usize) {
    let fault = json::parse(text.as_bytes()).expect_err(text);
    (fault.kind, fault.offset)
}

fn lenient(text: &str) -> (String, Vec<(FaultKind, usize)>) {
    let (value, breaches) = json::parse_lenient(text.as_bytes()).expect(text);
    let written = String::from_utf8(json::to_vec(&value)).expect("canonical bytes are UTF-8");
    (written, breaches.iter().map(|breach| (breach.kind, breach.offset)).collect())
}

#[test]
fn members_are_ordered_by_utf_16_code_units() {
    // UTF-8 would put U+E000 and U+FFFD before the first character beyond the BMP; UTF-16 puts its surrogates first.
    let text =
        "{\"\u{fffd}\":1,\"\u{e000}\":2,\"\u{10000}\":3,\"\u{10ffff}\":4,\"\u{d7ff}\":5,\"z\":6,\"\u{80}\":7,\"\":8}";
    let expected =
        "{\"\":8,\"z\":6,\"\u{80}\":7,\"\u{d7ff}\":5,\"\u{10000}\":3,\"\u{10ffff}\":4,\"\u{e000}\":2,\"\u{fffd}\":1}";
    assert_eq!(json::canonical(text.as_bytes()), Ok(expected.as_bytes().to_vec()));
    let longer = "{\"a\u{1f600}b\":1,\"a\u{fb01}\":2,\"a\":3,\"a\u{1f600}\":4,\"aa\":5}";
    let expected = "{\"a\":3,\"aa\":5,\"a\u{1f600}\":4,\"a\u{1f600}b\":1,\"a\u{fb01}\":2}";
    assert_eq!(json::canonical(longer.as_bytes()), Ok(expected.as_bytes().to_vec()));
}

#[test]
fn an_object_finds_its_members_in_that_order_too() {
    let value = json::parse("{\"\u{ff5e}\":1,\"\u{1f600}\":2,\"a\":3}".as_bytes()).expect("in the profile");
    for (name, number) in [("\u{ff5e}", 1), ("\u{1f600}", 2), ("a", 3)] {
        assert_eq!(value.get(name).and_then(|member| member.as_u64()), Some(number), "{name}");
    }
    assert_eq!(value.get("\u{1f601}"), None);
}

#[test]
fn strings_are_escaped_as_little_as_rfc_8785_allows() {
    let text = r#""\u0000\u001f\u0008\u0009\u000a\u000c\u000d\u0022\u005c\/\u007f\u0080\u2028\ud83d\ude00\u00E9""#;
    let expected = "\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\/\u{7f}\u{80}\u{2028}\u{1f600}é\"";
    assert_eq!(json::canonical(text.as_bytes()), Ok(expected.as_bytes().to_vec()));
}

#[test]
fn a_special_byte_is_found_at_every_place_of_a_word() {
    for length in 0..40 {
        for at in 0..length {
            for special in ["\\\"", "\\\\", "\\n", "\u{1}"] {
                let mut text = vec![b'"'];
                text.extend(std::iter::repeat_n(b'~', at));
                text.extend(special.bytes());
                text.extend("é".repeat(length - at).bytes());
                text.push(b'"');
                let read = json::canonical(&text);
                if special == "\u{1}" {
                    assert_eq!(read.map_err(|fault| (fault.kind, fault.offset)), Err((FaultKind::Invalid, at + 1)));
                } else {
                    assert_eq!(read, Ok(text), "canonical already");
                }
            }
        }
    }
}

#[test]
fn a_repeated_name_is_refused_where_it_stands_again() {
    assert_eq!(fault(r#"{"a":1,"b":2,"a":3}"#), (FaultKind::DuplicateKey, 13));
    assert_eq!(fault(r#"{"b":0,"a":{"x":1,"y":[],"x":2}}"#), (FaultKind::DuplicateKey, 25));
    assert_eq!(fault(r#"{"\u0061":1,"a":1}"#), (FaultKind::DuplicateKey, 12), "names are compared unescaped");
    assert_eq!(fault(r#"{"a":{"b":1,"b":1},"a":1e999}"#), (FaultKind::DuplicateKey, 12), "the first in the text");
    assert_eq!(fault(r#"{"a":1,"a":{"b":1,"b":1}}"#), (FaultKind::DuplicateKey, 7), "the outer one comes first");
    assert_eq!(
        fault(r#"[{"a":1},{"b":{"a":1},"a":1,"a":2}]"#),
        (FaultKind::DuplicateKey, 28),
        "other objects do not count"
    );
    // NFC and NFD are different names.
    assert!(json::parse("{\"\u{e9}\":1,\"e\u{301}\":2}".as_bytes()).is_ok());
}

#[test]
fn what_is_not_json_is_invalid_whatever_else_is_wrong() {
    assert_eq!(fault(r#"[{"a":1,"a":2},1e999,"\ud800",]"#), (FaultKind::Invalid, 30));
    assert_eq!(fault(&"[".repeat(100_000)), (FaultKind::Invalid, 100_000));
    assert_eq!(fault("1e999 x"), (FaultKind::Invalid, 6));
}

#[test]
fn the_lenient_reader_keeps_the_last_value_and_lists_each_breach() {
    let breach = |offset| (FaultKind::DuplicateKey, offset);
    assert_eq!(lenient(r#"{"a":1,"b":2,"a":3,"a":4}"#), (r#"{"a":4,"b":2}"#.into(), vec![breach(13), breach(19)]));
    assert_eq!(
        lenient(r#"{"a":1,"a":{"b":1,"b":2}}"#),
        (r#"{"a":{"b":2}}"#.into(), vec![breach(7), breach(18)]),
        "in the order of the text"
    );
}

#[test]
fn half_a_surrogate_pair() {
    for text in [
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83d\u0041""#,
        r#""\ud83d\ud83d\ude00""#,
        r#""\ud83dx""#,
        r#""\ude00\ud83d""#,
    ] {
        assert_eq!(fault(text), (FaultKind::LoneSurrogate, 1), "{text}");
    }
    assert_eq!(fault(r#"{"\udc00":1}"#), (FaultKind::LoneSurrogate, 2));
    assert_eq!(fault(r#""\ud83d\u00""#), (FaultKind::Invalid, 11), "not even an escape");
    let lone = |offset| (FaultKind::LoneSurrogate, offset);
    assert_eq!(lenient(r#""\ud83d\ud83d\ude00""#), ("\"\u{fffd}\u{1f600}\"".into(), vec![lone(1)]));
    assert_eq!(lenient(r#""\ud83d\n\ude00""#), ("\"\u{fffd}\\n\u{fffd}\"".into(), vec![lone(1), lone(9)]));
}

#[test]
fn depth_has_an_exact_limit() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(json::parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(fault(&nested(MAX_DEPTH + 1)), (FaultKind::TooDeep, MAX_DEPTH));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(MAX_DEPTH + 1), "}".repeat(MAX_DEPTH + 1));
    assert_eq!(fault(&objects), (FaultKind::TooDeep, 5 * MAX_DEPTH));
    // Siblings do not add up.
    assert!(json::parse(format!("[{0},{0}]", nested(MAX_DEPTH - 1)).as_bytes()).is_ok());
    let (written, breaches) = lenient(&format!("[{},7]", nested(200_000)));
    assert_eq!(written, format!("[{}null{},7]", "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1)));
    assert_eq!(breaches, [(FaultKind::TooDeep, MAX_DEPTH)]);
}

#[test]
fn documents_that_follow_each_other() {
    let texts = |text: &str| -> Option<Vec<String>> {
        Some(json::documents(text.as_bytes()).ok()?.into_iter().map(|range| text[range].to_owned()).collect())
    };
    let some = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
    assert_eq!(texts(" [1] "), some(&["[1]"]));
    assert_eq!(texts("{\"a\":1}\n{\"a\":2}\r\n"), some(&["{\"a\":1}", "{\"a\":2}"]));
    assert_eq!(texts("[1][2]{}\"x\"\"y\"1 2"), some(&["[1]", "[2]", "{}", "\"x\"", "\"y\"", "1", "2"]));
    assert_eq!(texts("null[1]"), some(&["null", "[1]"]));
    for text in ["", " \n", "01", "truefalse", "1-1", "1true", "[1],[2]", "[1] x", "{} {", "\u{feff}{}", "[1}"] {
        assert_eq!(texts(text), None, "{text:?}");
    }
    let deep = "[".repeat(300_000) + &"]".repeat(300_000);
    assert_eq!(json::documents(deep.as_bytes()).map(|found| found.len()), Ok(1), "to any depth");
}

#[test]
fn items_of_an_array() {
    let texts = |text: &str| {
        json::items(text.as_bytes())
            .map(|found| found.map(|items| items.into_iter().map(|r| text[r].to_owned()).collect::<Vec<_>>()))
    };
    assert_eq!(texts("[]"), Ok(Some(vec![])));
    assert_eq!(texts(" [ 1 , {\"a\":[2]} ,\"]\" ] "), Ok(Some(vec!["1".into(), "{\"a\":[2]}".into(), "\"]\"".into()])));
    assert_eq!(texts("{\"a\":[1]}"), Ok(None));
    assert_eq!(texts("7"), Ok(None));
    for text in ["", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1] x", "nope", "{\"a\"}"] {
        assert_eq!(texts(text).map_err(|fault| fault.kind), Err(FaultKind::Invalid), "{text:?}");
    }
}

#[test]
fn pointers_and_edits() {
    let mut value = json::parse(br#"{"a/b":{"~":[10,{"":true}]},"":null}"#).expect("in the profile");
    assert_eq!(value.pointer("/a~1b/~0/0").and_then(|found| found.as_u64()), Some(10));
    assert_eq!(value.pointer("/a~1b/~0/1/").and_then(|found| found.as_bool()), Some(true));
    assert!(value.pointer("/").is_some_and(|found| found.is_null()));
    assert_eq!(value.pointer(""), Some(&value));
    for pointer in ["a", "/a~1b/~0/00", "/a~1b/~0/+1", "/a~1b/~0/2", "/a~1b/~0/-", "/missing/x"] {
        assert_eq!(value.pointer(pointer), None, "{pointer}");
    }
    *value.pointer_mut("/a~1b/~0").expect("there") = json::Json::Null;
    assert_eq!(json::to_vec(&value), br#"{"":null,"a/b":{"~":null}}"#);
}
