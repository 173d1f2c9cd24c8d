//! Listings whose pages do not make a whole.

use super::*;

/// A page of three of the comments, and the Link header that GitHub sends with it.
fn page(at: u64, last: u64, ids: &[u64]) -> Value {
    let url = |page: u64| format!("<{API}/issues/42/comments?per_page=3&page={page}>");
    let mut links = Vec::new();
    if at < last {
        links.push(format!("{}; rel=\"next\"", url(at + 1)));
        links.push(format!("{}; rel=\"last\"", url(last)));
    }
    if at > 1 {
        links.push(format!("{}; rel=\"prev\"", url(at - 1)));
        links.push(format!("{}; rel=\"first\"", url(1)));
    }
    let comments: Vec<_> = ids.iter().map(|id| comment(*id, json!({}))).collect();
    answer(&format!("issues/42/comments?per_page=3&page={at}"), json!({"Link": links.join(", ")}), json!(comments))
}

/// What the tree says of the comments: how complete they are and how many.
fn case(name: &'static str, pages: Vec<Value>, state: &str, items: u64) -> Case {
    let says = vec![
        ("index.json", "/coverage/comments/state", json!(state)),
        ("index.json", "/coverage/comments/items", json!(items)),
    ];
    (name, pages, says)
}

#[test]
fn pages_make_a_whole_only_when_none_is_missing() {
    let all = || vec![page(1, 3, &[1, 2, 3]), page(2, 3, &[4, 5, 6]), page(3, 3, &[7])];
    let without = |at: usize| {
        let mut pages = all();
        pages.remove(at);
        pages
    };
    let mut repeated = all();
    repeated.insert(1, page(1, 3, &[1, 2, 3]));
    check(vec![
        case("all pages", all(), "complete", 7),
        case("the first is missing", without(0), "partial", 4),
        case("one is missing", without(1), "partial", 4),
        case("the last is missing", without(2), "partial", 6),
        case("one is there twice: two readings, the second of them whole", repeated, "complete", 7),
        case(
            "an item that slid to the next page is counted once",
            vec![page(1, 3, &[1, 2, 3]), page(2, 3, &[3, 4, 5]), page(3, 3, &[6])],
            "complete",
            6,
        ),
        case(
            "the listing became longer while it was read",
            vec![page(1, 2, &[1, 2, 3]), page(2, 3, &[4, 5, 6])],
            "partial",
            6,
        ),
        case(
            "the listing became shorter while it was read",
            vec![page(1, 3, &[1, 2, 3]), page(2, 2, &[4, 5, 6])],
            "partial",
            6,
        ),
    ]);
}

#[test]
fn a_page_without_items_is_behind_the_last() {
    let bare = |at: u64, ids: &[u64]| {
        let comments: Vec<_> = ids.iter().map(|id| comment(*id, json!({}))).collect();
        answer(&format!("issues/42/comments?per_page=3&page={at}"), json!({}), json!(comments))
    };
    check(vec![
        case("no headers were kept", vec![bare(1, &[1, 2, 3])], "partial", 3),
        case("and all pages were asked for", vec![bare(1, &[1, 2, 3]), bare(2, &[])], "complete", 3),
        case("one is missing before it", vec![bare(1, &[1, 2, 3]), bare(3, &[])], "partial", 3),
        case("there is nothing", vec![answer("pulls/42", json!({}), pull(json!({}))), bare(1, &[])], "complete", 0),
    ]);
}

#[test]
fn pages_of_a_connection_make_a_whole_when_they_are_as_many_as_it_says() {
    let of = |id: u64| json!({"databaseId": id, "id": format!("IC_x{id}"), "body": "c", "createdAt": "2026-03-03T00:00:00Z"});
    let part = |ids: &[u64], total: Option<u64>, [before, behind]: [bool; 2]| {
        let mut list = json!({"nodes": ids.iter().map(|id| of(*id)).collect::<Vec<_>>(),
            "pageInfo": {"hasPreviousPage": before, "hasNextPage": behind, "endCursor": format!("at {ids:?}")}});
        if let Some(total) = total {
            list["totalCount"] = json!(total);
        }
        json!({"data": {"repository": {"nameWithOwner": "acme/web", "pullRequest": {"number": 42, "comments": list}}}})
    };
    let pages = |total: [Option<u64>; 3]| {
        vec![
            part(&[1, 2], total[0], [false, true]),
            part(&[3, 4], total[1], [true, true]),
            part(&[5], total[2], [true, false]),
        ]
    };
    let all = || pages([Some(5); 3]);
    let without = |at: usize| {
        let mut pages = all();
        pages.remove(at);
        pages
    };
    let mut repeated = all();
    repeated.insert(1, all()[0].clone());
    let cases = || {
        vec![
            ("all pages", all(), "complete", 5),
            ("the first is missing", without(0), "partial", 3),
            ("one is missing", without(1), "partial", 3),
            ("the last is missing", without(2), "partial", 4),
            ("one is there twice", repeated.clone(), "complete", 5),
            ("it grew while it was read", pages([Some(4), Some(5), Some(5)]), "partial", 5),
            ("an item slid and another one is gone", pages([Some(6); 3]), "partial", 5),
            ("nobody asked how many there are", pages([None; 3]), "partial", 5),
        ]
    };
    // One after the other in a file, as `gh api graphql --paginate` prints them.
    check(cases().into_iter().map(|(name, pages, state, items)| case(name, pages, state, items)).collect());
    // In one list, as `--slurp` makes it.
    let listed = |pages: Vec<Value>| vec![Value::from(pages)];
    check(cases().into_iter().map(|(name, pages, state, items)| case(name, listed(pages), state, items)).collect());
    // Recorded.
    let asked = |pages: Vec<Value>| {
        let one = |(at, body)| {
            json!({"method": "POST", "url": "https://api.github.com/graphql", "status": 200, "seq": at, "body": body,
                "headers": {"Date": "Thu, 05 Mar 2026 00:00:00 GMT"}})
        };
        (1..).zip(pages).map(one).collect::<Vec<_>>()
    };
    check(cases().into_iter().map(|(name, pages, state, items)| case(name, asked(pages), state, items)).collect());
}

#[test]
fn comments_on_the_diff_are_whole_with_all_pages_of_threads() {
    let thread = |id: u64, total: u64| {
        json!({"id": format!("PRRT_x{id}"), "isResolved": false, "comments": {"totalCount": total, "nodes":
            [{"databaseId": id, "id": format!("PRRC_x{id}"), "body": "c", "path": "a.rs", "createdAt": "2026-03-03T00:00:00Z"}]}})
    };
    let page = |thread: Value, [before, behind]: [bool; 2]| {
        json!({"data": {"repository": {"nameWithOwner": "acme/web", "pullRequest": {"number": 42, "reviewThreads":
            {"totalCount": 2, "nodes": [thread], "pageInfo": {"hasPreviousPage": before, "hasNextPage": behind}}}}}})
    };
    let says = |state: &str| vec![("index.json", "/coverage/review-comments/state", json!(state))];
    let (first, last) = ([false, true], [true, false]);
    check(vec![
        ("all", vec![page(thread(1, 1), first), page(thread(2, 1), last)], says("complete")),
        ("one has more comments", vec![page(thread(1, 1), first), page(thread(2, 2), last)], says("partial")),
        ("a page of threads is missing", vec![page(thread(2, 1), last)], says("partial")),
    ]);
}

#[test]
fn a_connection_with_a_missing_page_or_node_is_incomplete() {
    let of = |id: u64| json!({"databaseId": id, "id": format!("IC_x{id}"), "body": "c", "createdAt": "2026-03-03T00:00:00Z"});
    let info = |next: bool| json!({"hasNextPage": next, "hasPreviousPage": false});
    let connection = |list: Value| vec![node(json!({ "comments": list }))];
    check(vec![
        case("whole", connection(json!({"nodes": [of(1), of(2)], "pageInfo": info(false)})), "complete", 2),
        case("a page is missing", connection(json!({"nodes": [of(1)], "pageInfo": info(true)})), "partial", 1),
        case("a node may not be seen", connection(json!({"nodes": [of(1), null], "totalCount": 2})), "partial", 1),
        case("it is not as long as it was", connection(json!({"nodes": [of(1)], "totalCount": 2})), "partial", 1),
    ]);
}
