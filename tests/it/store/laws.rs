//! Laws of splitting: any document comes back from any looks, and no record that lies does harm.

use git_docket::format::digest::Digest;
use git_docket::format::json;
use git_docket::format::observation::{Input, Part, Parts};
use git_docket::store::facts::Facts;
use git_docket::store::split::{Document, LookAt, content, rebuild, split};
use proptest::prelude::*;

use super::split::{BIG, check, filed, list, observation, record, set};

/// Documents as text, with `"@"` where an integer beyond the profile is to stand.
fn document() -> impl Strategy<Value = serde_json::Value> {
    let name = prop::sample::select(vec!["a", "b", "0", "1", "", "a/b", "m~n", "é", "𝄞", "\u{e000}"]);
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        "[a-z\"\\\\\u{1}é]{0,4}".prop_map(serde_json::Value::from),
        Just(serde_json::Value::from("@")),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The text of a document with spaces that canonical bytes do not have, and whether it is in the profile.
fn text_of(value: &serde_json::Value) -> (String, bool) {
    let plain = serde_json::to_string_pretty(value).expect("written");
    (plain.replace("\"@\"", BIG), !plain.contains("\"@\""))
}

/// What the whole input must be: an array item by item, anything else as it is.
fn whole_of(value: &serde_json::Value) -> Vec<u8> {
    let (text, inside) = text_of(value);
    let piece = |value: &serde_json::Value, text: &str, inside| match inside {
        true => serde_json_canonicalizer::to_vec(value).expect("canonical"),
        false => text.as_bytes().to_vec(),
    };
    match value.as_array().filter(|_| !inside) {
        Some(items) => {
            let ranges = json::items(text.as_bytes()).expect("JSON").expect("an array");
            let pieces = items.iter().zip(ranges).map(|(item, range)| piece(item, &text[range], text_of(item).1));
            [b"[", &pieces.collect::<Vec<_>>().join(&b","[..])[..], b"]"].concat()
        }
        None => piece(value, &text, inside),
    }
}

/// The pointers of all values in a document.
fn all_pointers(value: &serde_json::Value, at: String, out: &mut Vec<String>) {
    let token = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        serde_json::Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| all_pointers(item, format!("{at}/{n}"), out));
        }
        serde_json::Value::Object(map) => {
            map.iter().for_each(|(name, member)| all_pointers(member, format!("{at}/{}", token(name)), out));
        }
        _ => {}
    }
    out.push(at);
}

fn is_above(above: &str, pointer: &str) -> bool {
    pointer.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_comes_back_from_any_looks(
        value in document(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0..5usize), 0..12),
    ) {
        let mut pointers = Vec::new();
        all_pointers(&value, String::new(), &mut pointers);
        // Two sets and two records of arbitrary places; a place that would nest items is left out.
        let mut items = [Vec::<String>::new(), Vec::new()];
        let mut records: Vec<(String, Vec<String>)> = Vec::new();
        for (pick, role) in picks {
            let pointer = pick.get(&pointers).clone();
            // An array that is one item cannot have pieces outside the profile.
            let apart = pointer.is_empty() && value.is_array() && !text_of(&value).1;
            let nested = apart || items.iter().flatten().any(|item| is_above(item, &pointer) || is_above(&pointer, item));
            match (role, records.last_mut()) {
                (0 | 1, _) if !nested => items[role].push(pointer),
                (2, Some((above, parts))) if is_above(above, &pointer) => parts.push(pointer),
                (3 | 4, _) => records.push((pointer, Vec::new())),
                _ => {}
            }
        }
        let sets = items.iter().map(|items| set("", items));
        let records = records.into_iter().map(|(pointer, parts)| LookAt { pointer, items: None, parts });
        let looks: Vec<_> = sets.chain(records).collect();
        let (text, _) = text_of(&value);
        let document = Document::json(text.as_bytes()).expect("JSON");
        check(&document, &looks, &whole_of(&value));
    }

    #[test]
    fn records_that_lie_are_refused_and_never_panic(
        value in document(),
        rows in prop::collection::vec((any::<prop::sample::Index>(), "(/(a|0|1|~|m~0n)){0,5}|0", any::<Option<bool>>()), 0..8),
        pointer in "(/(a|0|1)){0,3}|a",
        shape in (any::<bool>(), any::<bool>(), any::<bool>()),
    ) {
        let (text, _) = text_of(&value);
        let document = Document::json(text.as_bytes()).expect("JSON");
        let split = split(&document, &[record("", &[]), set("", &[""; 0])]).expect("fits");
        let digests: Vec<_> = split.elements.iter().map(|(digest, _)| *digest).chain([Digest::of(b"none")]).collect();
        let (set_facet, contained, chunked) = shape;
        let parts: Vec<_> = rows.into_iter().map(|(pick, at, opaque)| Part {
            at,
            element: *pick.get(&digests),
            opaque: opaque.map(|invalid| if invalid { "json-invalid" } else { "json-too-deep" }.to_owned()),
        }).collect();
        let input = Input {
            digest: document.digest(),
            container: contained.then(|| digests[0]),
            pointer,
            whole: if chunked { digests.clone() } else { Vec::new() },
            parts: if chunked { Parts::Chunked(digests.clone()) } else { Parts::Inline(parts) },
            url: None,
        };
        let tree = filed(&split);
        let facts = Facts { tree: &tree };
        if let Ok(bytes) = rebuild(&facts, &input) {
            prop_assert_eq!(Digest::of(&bytes), input.digest);
        }
        let look = if set_facet { list(0) } else { record("", &[]) };
        let _ = content(&facts, &observation(&look, vec![input], &[]));
    }
}
