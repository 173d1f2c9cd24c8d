//! Which head a changed file is of: only the address of its content tells.

use crate::format::json::Json;

/// The commit that a list of changed files is of, when its files show one and no other. That of a file that was removed is another: there
/// its content was last.
pub fn of_files<'j>(files: impl IntoIterator<Item = &'j Json<'j>>) -> Option<String> {
    let mut found: Option<&str> = None;
    for file in files {
        if matches!(text(file, "status"), Some("removed" | "deleted")) {
            continue;
        }
        let commit = of_file(file)?;
        if found.is_some_and(|known| known != commit) {
            return None;
        }
        found = Some(commit);
    }
    found.map(str::to_owned)
}

/// The commit in `contents_url`, where GitHub, Gitea and Forgejo have it, or in GitHub's `blob_url`.
fn of_file<'j>(file: &'j Json<'_>) -> Option<&'j str> {
    let content = text(file, "contents_url").and_then(|url| url.rsplit_once("?ref=")).map(|(_, commit)| commit);
    let page = || text(file, "blob_url")?.split_once("/blob/")?.1.split('/').next();
    let commit = content.or_else(page)?;
    let hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    (matches!(commit.len(), 40 | 64) && commit.bytes().all(hex)).then_some(commit)
}

fn text<'j>(file: &'j Json<'_>, name: &str) -> Option<&'j str> {
    file.get(name).and_then(Json::as_str)
}
