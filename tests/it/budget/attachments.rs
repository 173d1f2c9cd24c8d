//! What bodies link to and nobody fetched.

use serde_json::{Value, json};

use super::{facts, full, json_in, staged};
use crate::support::scratch;

/// The gap, the row of the body and the text of the summary for an issue with this body.
fn of(body: &str) -> (Value, Value, String) {
    let dir = scratch();
    let issue = json!({"number": 7, "title": "t", "state": "open", "body": body, "user": null, "created_at": "2026-01-01T00:00:00Z",
        "url": "https://api.github.com/repos/acme/web/issues/7", "updated_at": "2026-01-01T00:00:00Z"});
    std::fs::write(dir.path().join("issue.json"), issue.to_string()).expect("a payload");
    let (files, _) = staged(&facts(&[&dir.path().join("issue.json")], None), &full()).expect("a stage");
    let index = json_in(&files, "index.json");
    let find = |member: &str, name: &str, is: &str| {
        let rows = index[member].as_array().expect("rows");
        rows.iter().find(|row| row[name] == is).cloned().unwrap_or(Value::Null)
    };
    let summary = String::from_utf8_lossy(&files["summary.md"]).into_owned();
    (find("gaps", "code", "attachment-not-fetched"), find("entries", "path", "body.md")["attachments"].clone(), summary)
}

#[test]
fn links_to_files_and_images_are_named_and_counted() {
    let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
    let hex = "0123456789abcdef0123456789abcdef";
    for (body, expected) in [
        (
            format!("see ![shot](https://github.com/user-attachments/assets/{uuid}) here"),
            vec![format!("https://github.com/user-attachments/assets/{uuid}")],
        ),
        (
            "https://github.com/user-attachments/files/123/trace.log, and more".to_owned(),
            vec!["https://github.com/user-attachments/files/123/trace.log".to_owned()],
        ),
        (
            "<img width=\"4\" SRC='https://user-images.githubusercontent.com/1/2.png'>".to_owned(),
            vec!["https://user-images.githubusercontent.com/1/2.png".to_owned()],
        ),
        (
            "![x](https://private-user-images.githubusercontent.com/1/2-3.png?jwt=aaa.bbb.ccc#frag)".to_owned(),
            vec!["https://private-user-images.githubusercontent.com/1/2-3.png".to_owned()],
        ),
        (
            format!("https://github.com/acme/web/assets/12/{uuid}"),
            vec![format!("https://github.com/acme/web/assets/12/{uuid}")],
        ),
        (
            format!("[log](/uploads/{hex}/a.log) and ![i](/uploads/{hex}/b.png)"),
            vec![format!("/uploads/{hex}/a.log"), format!("/uploads/{hex}/b.png")],
        ),
        (format!("[x](/attachments/{uuid})"), vec![format!("/attachments/{uuid}")]),
        (
            "[![build](https://ci.example/b.svg)](https://ci.example/) ![a](<img.png> \"t\")".to_owned(),
            vec!["https://ci.example/b.svg".to_owned(), "img.png".to_owned()],
        ),
        (
            "![twice](a.png) ![twice](a.png) ![paren](a_(1).png)".to_owned(),
            vec!["a.png".to_owned(), "a_(1).png".to_owned()],
        ),
    ] {
        let (gap, listed, summary) = of(&body);
        assert_eq!(listed, json!(expected), "{body}");
        assert_eq!(
            (&gap["count"], &gap["scope"], &gap["usability"]),
            (&json!(expected.len()), &json!("header"), &json!("partial")),
            "{body}"
        );
        assert!(summary.contains(&format!("{} linked files or images are not here", expected.len())), "{summary}");
    }
}

#[test]
fn what_is_no_link_to_a_file_is_none() {
    for body in [
        "a [page](https://example.org/assets/) and https://example.org/files/1",
        "`![code](a.png)` and ``![code](b.png)``",
        "```\n![fenced](a.png)\n```\n~~~ html\n<img src=\"a.png\">\n~~~",
        "![inline](data:image/png;base64,AAAA)",
        "\\![escaped\\](a.png) [no image](a.png) ![no destination]() ![open](a.png",
        "<imgsrc> <img alt=x>",
        "https://github.com/acme/web/blob/main/assets/logo.svg",
    ] {
        let (gap, listed, _) = of(body);
        assert_eq!((gap, listed), (Value::Null, Value::Null), "{body}");
    }
}

#[test]
fn hostile_texts_cost_what_they_weigh() {
    for piece in ["![", "](", "<img ", "<img src=", "https://", "`", "[![a](", "![a](((((((((("] {
        let (gap, _, summary) = of(&piece.repeat(400_000 / piece.len()));
        assert!(gap.is_null() || gap["count"].as_u64().is_some(), "{piece}");
        assert!(summary.len() <= 16 * 1024);
    }
}

#[test]
fn an_address_that_may_not_be_shown_is_counted_and_not_listed() {
    let secret = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let (gap, listed, _) = of(&format!("![a](https://x.example/{secret}.png) ![b](b.png)"));
    assert_eq!(gap["count"], 2);
    assert!(!listed.to_string().contains(&secret) && listed.to_string().contains("b.png"), "{listed}");
}
