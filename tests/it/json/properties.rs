//! Laws over generated values and texts, with two other implementations of RFC 8785 as witnesses.

use git_docket::format::json::{self, Json, Number, Object};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use super::laws;

/// Characters at the borders that matter: escapes, UTF-8 lengths, surrogates, and all others.
fn text() -> impl Strategy<Value = String> {
    let border = prop::sample::select(vec![
        '\0',
        '\u{8}',
        '\t',
        '\n',
        '\u{b}',
        '\u{c}',
        '\r',
        '\u{1f}',
        ' ',
        '"',
        '/',
        '\\',
        'a',
        'b',
        '~',
        '\u{7f}',
        '\u{80}',
        '\u{7ff}',
        '\u{800}',
        '\u{2028}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{fb01}',
        '\u{fffd}',
        '\u{ffff}',
        '\u{10000}',
        '\u{1f600}',
        '\u{10ffff}',
    ]);
    vec(prop_oneof![3 => border, 1 => any::<char>()], 0..12).prop_map(String::from_iter)
}

/// Doubles of every magnitude and integers up to 2^53.
fn number() -> impl Strategy<Value = f64> {
    let integers = (-(1_i64 << 53)..=1 << 53).prop_map(|integer| integer as f64);
    prop_oneof![integers, (-1000_i32..1000).prop_map(f64::from), any::<f64>().prop_filter("finite", |v| v.is_finite())]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::from),
        (-(1_i64 << 53)..=1 << 53).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec((text(), inner), 0..8).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same value as ours, through the constructors and not through text.
fn ours(value: &Value) -> Json<'_> {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => {
            let double = number.as_f64().expect("a double");
            Json::Number(Number::new(double).expect("finite"))
        }
        Value::String(text) => Json::from(text.as_str()),
        Value::Array(items) => Json::Array(items.iter().map(ours).collect()),
        Value::Object(members) => {
            let mut object = Object::new();
            for (name, value) in members {
                object.set(name.as_str(), ours(value));
            }
            object.into()
        }
    }
}

/// Texts that look like JSON and often are: tokens in a row.
fn token_soup() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\"a\"",
        "\"b\"",
        "\"a\":",
        "\"b\":1,",
        "\"\\u0061\":",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "01",
        "1.5",
        "1e5",
        "1e999",
        "9007199254740993",
        "-",
        "\"\\ud800\"",
        "\"\\ud83d\\ude00\"",
        "\"\\udc00\\n\"",
        "\"\\x\"",
        "\"",
        "\\",
        "\u{feff}",
        "é",
        "[]",
        "{}",
        "{\"a\":1,\"a\":2}",
        "[[[[[[[[",
        "]]]]]]]]",
    ]);
    vec(token, 0..24).prop_map(|tokens| tokens.concat().into_bytes())
}

/// Valid documents in wild spellings, some outside of the profile.
fn wild_document() -> impl Strategy<Value = Vec<u8>> {
    let space = || prop::sample::select(vec!["", "", " ", "\n", "\t\r "]);
    let scalar = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-0.0",
        "1.0",
        "1E+2",
        "1e999",
        "9007199254740993",
        "123456789012345678901234567890",
        "\"\"",
        "\"a\"",
        "\"\\u0061\"",
        "\"\\/\\b\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\\udc00\"",
        "\"\u{1f600}\"",
        "\"\u{fb01}\"",
    ]);
    let name = prop::sample::select(vec![
        "\"a\"",
        "\"\\u0061\"",
        "\"b\"",
        "\"\u{1f600}\"",
        "\"\u{fb01}\"",
        "\"\\ud800\"",
        "\"\"",
    ]);
    let leaf = (space(), scalar, space()).prop_map(|(before, scalar, after)| format!("{before}{scalar}{after}"));
    let document = leaf.prop_recursive(6, 48, 6, move |inner| {
        let member = (space(), name.clone(), space(), inner.clone())
            .prop_map(|(a, name, b, value)| format!("{a}{name}{b}:{value}"));
        prop_oneof![
            vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    });
    document.prop_map(String::into_bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_other_implementations_write_the_same_bytes(value in value()) {
        let written = json::to_vec(&ours(&value));
        prop_assert_eq!(&written, &serde_jcs::to_vec(&value).expect("finite"));
        prop_assert_eq!(&written, &serde_json_canonicalizer::to_vec(&value).expect("finite"));
        // The same through text in another order and with other escapes.
        let pretty = serde_json::to_vec_pretty(&value).expect("JSON");
        prop_assert_eq!(json::canonical(&pretty), Ok(written));
    }

    #[test]
    fn parse_after_write_is_identity(value in value()) {
        let value = ours(&value);
        let written = json::to_vec(&value);
        prop_assert_eq!(json::parse(&written), Ok(value));
    }

    #[test]
    fn doubles_agree(value in number()) {
        let number = Json::Number(Number::new(value).expect("finite"));
        prop_assert_eq!(json::to_vec(&number), serde_json_canonicalizer::to_vec(&value).expect("finite"));
    }

    #[test]
    fn an_integer_token_is_kept_or_refused(digits in "-?[1-9][0-9]{0,24}") {
        match json::canonical(digits.as_bytes()) {
            Ok(written) => prop_assert_eq!(written, digits.into_bytes()),
            Err(fault) => prop_assert_eq!(fault.kind.code(), "json-number-out-of-range"),
        }
    }

    #[test]
    fn the_order_of_members_does_not_matter(members in vec((text(), 0_u32..9), 0..20).prop_shuffle()) {
        let mut object = Object::new();
        for (name, value) in &members {
            object.set(name.as_str(), *value);
        }
        let names: Vec<Vec<u16>> = object.iter().map(|(name, _)| name.encode_utf16().collect()).collect();
        prop_assert!(names.is_sorted_by(|a, b| a < b), "strictly by UTF-16 code units");
    }

    #[test]
    fn token_soups_keep_the_laws(bytes in token_soup()) {
        laws::check(&bytes);
    }

    #[test]
    fn wild_documents_keep_the_laws(bytes in wild_document()) {
        laws::check(&bytes);
        prop_assert!(json::parse_lenient(&bytes).is_ok(), "it is JSON");
    }

    #[test]
    fn arbitrary_bytes_keep_the_laws(bytes in vec(any::<u8>(), 0..200)) {
        laws::check(&bytes);
    }

    #[test]
    fn rows_of_documents_are_found_again(documents in vec(wild_document(), 1..6)) {
        let row = documents.join(&b"\n"[..]);
        let ranges = json::documents(&row).expect("each is JSON");
        prop_assert_eq!(ranges.len(), documents.len());
        for (range, document) in ranges.into_iter().zip(&documents) {
            prop_assert_eq!(json::parse_lenient(&row[range]).map(|read| read.0), json::parse_lenient(document).map(|read| read.0));
        }
    }
}
