//! Review threads.

use super::*;

#[test]
fn threads_follow_replies_and_survive_what_no_forge_should_send() {
    let tree = |list: Vec<(u64, Option<u64>)>| {
        let list =
            list.into_iter().map(|(id, to)| Item::ReviewComment(Box::new(review_comment(id, to, "x")))).collect();
        let tree = snapshot(vec![LoadedLook { kind: Some(Kind::Pull), ..set(Facet::ReviewComments, list) }]);
        check_tree(&tree);
        let value = json_of(&tree, "threads.json");
        let threads = value.get("threads").and_then(Json::as_array).expect("threads").to_vec();
        let ids = |thread: &Json<'_>| -> Vec<u64> {
            let comments = thread.get("comments").and_then(Json::as_array).expect("comments");
            comments.iter().filter_map(|comment| comment.get("id")?.as_u64()).collect()
        };
        threads.iter().map(|t| (t.get("id").and_then(Json::as_u64).expect("an id"), ids(t))).collect::<Vec<_>>()
    };
    assert_eq!(tree(vec![(1, None), (2, Some(1)), (3, None), (4, Some(2))]), [(1, vec![1, 2, 4]), (3, vec![3])]);
    // The root was deleted, or is on a page that was not seen.
    assert_eq!(tree(vec![(5, Some(1)), (6, Some(1))]), [(1, vec![5, 6])]);
    assert_eq!(tree(vec![(1, Some(1))]), [(1, vec![1])]);
    assert_eq!(tree(vec![(1, Some(2)), (2, Some(3)), (3, Some(1))]).len(), 1);
    let long: Vec<_> = (1..=3000).map(|id| (id, (id > 1).then(|| id - 1))).collect();
    assert_eq!(tree(long)[0].1.len(), 3000);
}

#[test]
fn what_changes_in_a_thread_leaves_its_text_alone() {
    let with = |place: fn(&mut Place), login: &str| {
        let mut comment = review_comment(1, None, "x");
        place(&mut comment.place);
        comment.comment.author = Field::Known(actor(7, login));
        let tree = snapshot(vec![LoadedLook {
            kind: Some(Kind::Pull),
            ..set(Facet::ReviewComments, vec![Item::ReviewComment(Box::new(comment))])
        }]);
        (text(&tree, "threads/20231114T221321Z-1.md").to_owned(), text(&tree, "threads.json").to_owned())
    };
    let now = with(|place| place.line = Field::Known(3), "octocat");
    let later = with(|place| place.commit = Some("e".repeat(40)), "octocat-renamed");
    assert_eq!(now.0, later.0);
    assert_ne!(now.1, later.1);
    assert!(now.1.contains(r#""outdated":false"#) && later.1.contains(r#""outdated":true"#));
    let of_file = with(|place| place.subject = Some("file".to_owned()), "octocat");
    assert!(!of_file.1.contains("outdated"));
}

#[test]
fn no_body_and_no_hunk_can_forge_the_structure_of_a_thread() {
    let body = "a\n## Comment 9 by account 1\r# Review thread 8\r\n```\n> b";
    let mut comment = review_comment(1, None, body);
    comment.place.diff_hunk = Some("@@ -1 +1 @@\n+`````\n+x\n## Comment 7 by account 1".to_owned());
    comment.place.path = Some("a\"\n## Comment 6 by account 1".to_owned());
    for mode in [Mode::Snapshot, Mode::Stage(&standard(), filter())] {
        let looks = vec![LoadedLook {
            kind: Some(Kind::Pull),
            ..set(Facet::ReviewComments, vec![Item::ReviewComment(Box::new(comment.clone()))])
        }];
        let tree = render(looks, mode);
        let text = text(&tree, "threads/20231114T221321Z-1.md");
        assert!(!text.contains('\r'), "{text}");
        let mut fence: Option<&str> = None;
        let mut headings = Vec::new();
        for line in text.lines() {
            match fence {
                Some(end) if line == end => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => fence = Some(line.trim_end_matches("diff")),
                None if line.starts_with('#') => headings.push(line),
                None => {}
            }
        }
        assert_eq!(headings, ["# Review thread 1", "## Comment 1 by account 7 at 2023-11-14T22:13:21Z"], "{text}");
        assert!(text.contains("> ## Comment 9 by account 1\n> # Review thread 8\n> ```\n> > b\n"), "{text}");
    }
}
