//! What holds for every content.

use proptest::prelude::*;

use super::*;

#[test]
fn nothing_of_a_look_reaches_a_tree() {
    let one = stage(pull_looks());
    let moved = pull_looks().into_iter().enumerate().map(|(at, look)| LoadedLook {
        observed_at: time(look.observed_at.unix() - 1_700_000_000 + 9_000_000),
        position: Some(at as u64),
        digest: Digest::of(&[at as u8]),
        ..look
    });
    assert_eq!(stage(moved.rev().collect()), one);
    for bytes in one.files.values().chain([&one.index]) {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(&time(5).to_string()), "the time of a look is in {text}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,6}".prop_map(|text| text),
        proptest::sample::select(vec![
            "\n",
            "\r",
            "```",
            "> ",
            "# ",
            "| ",
            "\u{2028}",
            "\u{202e}",
            "\u{1b}[1m",
            "\0",
            "é",
            "\u{200b}"
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_content_gives_a_tree_that_holds(texts in proptest::collection::vec(any_text(), 12), bound in 0u64..60) {
        let mut record = pull_header();
        record.title = known(&texts[0]);
        record.body = known(&texts[1]);
        record.author = Field::Known(actor(7, &texts[2]));
        record.head = Field::Known(Side { branch: texts[3].clone(), sha: Some(texts[4].clone()), repository: known(&texts[5]) });
        let mut on_diff = review_comment(1, None, &texts[6]);
        on_diff.place.path = Some(texts[7].clone());
        on_diff.place.diff_hunk = Some(texts[8].clone());
        let looks = vec![
            look(1, Facet::Header, header(record)),
            set(Facet::Comments, vec![Item::Comment(Box::new(comment(1, 1, &texts[9])))]),
            set(Facet::ReviewComments, vec![Item::ReviewComment(Box::new(on_diff))]),
            set(Facet::Files, vec![Item::File(Box::new(file(&texts[10], "added", Some(&texts[11]))))]),
        ];
        let mut profile = standard();
        profile.max_body_bytes = Some(bound);
        profile.max_metadata_bytes = Some(bound);
        profile.max_patch_bytes = Some(bound);
        for mode in [Mode::Snapshot, Mode::Stage(&profile, filter())] {
            let tree = render(looks.clone(), mode);
            check_tree(&tree);
            let thread = text(&tree, "threads/20231114T221321Z-1.md");
            prop_assert!(!thread.contains('\r'));
            if matches!(mode, Mode::Stage(..)) {
                for (path, bytes) in tree.files.iter().chain([(&"index.json".to_owned(), &tree.index)]) {
                    let text = std::str::from_utf8(bytes).expect("UTF-8");
                    prop_assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{1b}', '\0', '\u{2028}']), "{path}: {text:?}");
                }
                prop_assert!(tree.files["body.md"].len() as u64 <= bound);
            }
        }
    }
}
