//! Items, accounts and the three states of a member.

use super::*;

#[test]
fn one_edited_comment_changes_its_file_the_index_and_the_summary() {
    let before = snapshot(pull_looks());
    let mut looks = pull_looks();
    for look in &mut looks {
        if let LookData::Items { items, .. } = &mut look.data
            && let Some(Ok(git_docket::forge::facets::Noted { value: Item::Comment(comment), .. })) = items.last_mut()
            && comment.id == 102
        {
            comment.body = known("Changed my mind.");
            comment.updated_at = Some(time(950));
        }
    }
    let after = snapshot(looks);
    let changed: BTreeSet<_> = after
        .files
        .iter()
        .filter(|(path, bytes)| before.files.get(*path) != Some(bytes))
        .map(|(p, _)| p.as_str())
        .collect();
    assert_eq!(changed, BTreeSet::from(["comments/20231114T221502Z-102.md", "summary.md"]));
    assert_eq!(before.files.len(), after.files.len());
    assert_ne!(before.index, after.index);
}

#[test]
fn the_newest_time_is_the_forges_and_no_claim_of_a_commit_or_a_check() {
    assert_eq!(snapshot(pull_looks()).as_of, Some(time(900)));
    let (index, _) = index_of(&snapshot(pull_looks()));
    assert_eq!(index.get("asOf").and_then(Json::as_str), Some(time(900).to_string().as_str()));
}

#[test]
fn a_body_is_null_or_empty_or_unknown() {
    let with = |body: Field<String>| {
        let comment = Comment { body: body.clone(), ..comment(1, 1, "") };
        snapshot(vec![
            look(1, Facet::Header, header(Header { kind: Some(Kind::Issue), body, ..Header::default() })),
            set(Facet::Comments, vec![Item::Comment(Box::new(comment))]),
        ])
    };
    let about = |tree: &Rendered, role| {
        let (_, index) = index_of(tree);
        index.entries.into_iter().find(|entry| entry.role == role).map(|entry| entry.about)
    };
    for (body, null, unknown) in [
        (Field::Null, true, false),
        (known(""), false, false),
        (known("x"), false, false),
        (Field::Unknown, false, true),
    ] {
        let bytes: &[u8] = if body == known("x") { b"x" } else { b"" };
        let tree = with(body.clone());
        let row = about(&tree, Role::Comment).expect("a comment");
        assert_eq!((row.contains("bodyNull"), row.contains("bodyUnknown")), (null, unknown), "{body:?}");
        assert_eq!(tree.files["comments/20231114T221321Z-1.md"], bytes);
        // A body of the entity that nobody showed has no file.
        assert_eq!(tree.files.get("body.md").map(Vec::as_slice), if unknown { None } else { Some(bytes) });
        assert_eq!(about(&tree, Role::Body).is_some_and(|row| row.contains("bodyNull")), null);
    }
}

#[test]
fn unknown_null_and_known_are_three_states() {
    let record = Header { closed_at: Field::Null, locked: Field::Known(false), ..Header::default() };
    let value = json_of(&snapshot(vec![look(1, Facet::Header, header(record))]), "entity.json");
    assert_eq!(value.get("closedAt"), Some(&Json::Null));
    assert_eq!(value.get("locked"), Some(&Json::from(false)));
    assert_eq!(value.get("title"), None);
    assert_eq!(value.get("state"), None);
}

#[test]
fn a_merge_is_told_by_either_source() {
    let state = |record: Header| {
        let record = Header { kind: Some(Kind::Pull), state: Field::Known(OpenState::Closed), ..record };
        let value = json_of(&snapshot(vec![look(1, Facet::Header, header(record))]), "entity.json");
        (value.get("state").and_then(Json::as_str).map(str::to_owned), value.get("merged").and_then(Json::as_bool))
    };
    let by_flag = Header { merged: Field::Known(true), ..Header::default() };
    let by_time = Header { merged_at: Field::Known(time(1)), ..Header::default() };
    assert_eq!(state(by_flag), (Some("merged".to_owned()), Some(true)));
    assert_eq!(state(by_time), (Some("merged".to_owned()), Some(true)));
    assert_eq!(state(Header::default()), (Some("closed".to_owned()), None));
}

#[test]
fn items_of_one_second_and_without_time_have_names_of_their_own() {
    let at = |id| Item::Comment(Box::new(Comment { created_at: Some(time(3)), ..comment(id, 3, "x") }));
    let tree = snapshot(vec![
        set(Facet::Comments, vec![at(10), at(9), at(100)]),
        set(
            Facet::Reviews,
            vec![
                review(5, ReviewState::Pending, None, Field::Null),
                review(4, ReviewState::Approved, Some(1), Field::Null),
            ],
        ),
    ]);
    check_tree(&tree);
    let below =
        |dir: &str| tree.files.keys().filter_map(|path| path.strip_prefix(dir)).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(below("comments/"), ["20231114T221323Z-10.md", "20231114T221323Z-100.md", "20231114T221323Z-9.md"]);
    assert_eq!(below("reviews/"), ["20231114T221321Z-4.md", "undated-5.md"]);
}

#[test]
fn an_account_that_is_gone_is_null() {
    let ghost = Item::Comment(Box::new(Comment { author: Field::Null, ..comment(1, 1, "x") }));
    let tree = snapshot(vec![set(Facet::Comments, vec![ghost])]);
    let (_, index) = index_of(&tree);
    let row = index.entries.into_iter().find(|entry| entry.role == Role::Comment).expect("a comment");
    assert_eq!(row.about.get("author"), Some(&Json::Null));
    assert!(!tree.files.contains_key("actors.json"));
}

#[test]
fn an_account_is_listed_once_under_its_newest_login() {
    let by = |id, at, login: &str| {
        Item::Comment(Box::new(Comment { author: Field::Known(actor(7, login)), ..comment(id, at, "x") }))
    };
    let tree =
        snapshot(vec![set(Facet::Comments, vec![by(1, 1, "old-name"), by(2, 9, "new-name"), by(3, 5, "old-name")])]);
    let value = json_of(&tree, "actors.json");
    assert_eq!(value.pointer("/actors/0/login").and_then(Json::as_str), Some("new-name"));
    assert_eq!(value.get("actors").and_then(Json::as_array).map(<[_]>::len), Some(1));
    assert_eq!(value.pointer("/actors/0/associations"), Some(&Json::from(vec!["MEMBER"])));
}

#[test]
fn what_is_missing_is_never_an_empty_file() {
    let tree = snapshot(issue_looks());
    assert!(!tree.files.contains_key("timeline.json"));
    assert_eq!(tree.gaps.count(Facet::Timeline, GapCode::Forbidden), 1);
    assert_eq!(tree.gaps.count(Facet::Comments, GapCode::Incomplete), 2);
    // What a count proves to be empty is data.
    assert_eq!(text(&tree, "reactions.json"), r#"{"reactions":[]}"#);
}

#[test]
fn a_structural_text_that_is_not_one_is_left_out_and_counted_once() {
    let odd = Comment { url: Some("https://github.com/\u{202e}x".to_owned()), ..comment(1, 1, "x") };
    let looks = vec![set(Facet::Comments, vec![Item::Comment(Box::new(odd))])];
    let tree = stage(looks.clone());
    assert_eq!(tree.gaps.count(Facet::Comments, GapCode::InvalidMetadata), 1);
    assert!(!String::from_utf8_lossy(&tree.index).contains("https://github.com/"));
    assert!(String::from_utf8_lossy(&snapshot(looks).index).contains("https://github.com/\u{202e}x"));
}

fn react(id: u64) -> Item {
    Item::Reaction(Box::new(Reaction {
        id: Some(id),
        node_id: None,
        content: "+1".to_owned(),
        actor: Field::Null,
        created_at: None,
    }))
}

#[test]
fn reactions_to_items_name_them() {
    let below = LoadedLook { item: Some("comments/5".to_owned()), ..set(Facet::Reactions, vec![react(2)]) };
    let tree = snapshot(vec![below, set(Facet::Reactions, vec![react(1)])]);
    let expected = r#"{"reactions":[{"actor":null,"content":"+1","id":1},{"actor":null,"content":"+1","id":2,"item":"comments/5"}]}"#;
    assert_eq!(text(&tree, "reactions.json"), expected);
}

#[test]
fn reactions_to_items_are_told_from_those_to_the_entity_and_go_with_their_item() {
    let below = |item: &str, id| LoadedLook { item: Some(item.to_owned()), ..set(Facet::Reactions, vec![react(id)]) };
    let said = "Reactions to its items: 1, in reactions.json";
    let own = "about those to the entity itself";
    let older = look(
        1,
        Facet::Comments,
        items(vec![Item::Comment(Box::new(comment(5, 1, "a"))), Item::Comment(Box::new(comment(6, 1, "b")))], ALL),
    );
    let newer = set(Facet::Comments, vec![Item::Comment(Box::new(comment(6, 1, "b")))]);
    let both = || vec![older.clone(), newer.clone(), below("comments/5", 2), below("comments/6", 3)];
    for tree in [snapshot(both()), stage(both())] {
        let listed = text(&tree, "reactions.json");
        assert!(listed.contains("comments/6") && !listed.contains("comments/5"), "{listed}");
        let summary = text(&tree, "summary.md");
        assert!(summary.contains(said) && summary.contains(own), "{summary}");
        assert!(summary.contains("| reactions | absent |  |  |  | reactions.json |"), "{summary}");
    }
    let tree = snapshot(vec![older, newer, below("comments/5", 2)]);
    assert!(!tree.files.contains_key("reactions.json"));
    assert!(!text(&tree, "summary.md").contains(own));
}
