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
