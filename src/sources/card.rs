//! The repository card: name, branch, members, top level and the heads of two documents.

use super::{Rules, view};

/// How many bytes of a document are looked at.
pub const HEAD_READ: usize = 1201;
/// How many bytes of a document are quoted, line ends included.
const HEAD_SHOWN: usize = 1200;
const MEMBERS: usize = 24;
const TOP_LEVEL: usize = 40;
/// The documents whose heads stand in the card, in this order.
pub const DOCUMENTS: [&str; 2] = ["AGENTS.md", "README.md"];

/// What was found around the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The name of the root directory.
    pub name: String,
    /// The branch, when there is one.
    pub branch: Option<String>,
    /// The directories below `crates`.
    pub members: Vec<String>,
    /// Names at the top, directories with a `/` at the end.
    pub top_level: Vec<String>,
    /// The documents of [`DOCUMENTS`] that exist.
    pub documents: Vec<(&'static str, Head)>,
}

/// The start of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// Its first [`HEAD_READ`] bytes, or fewer when it is shorter.
    Bytes(Vec<u8>),
    /// Something that is not quoted: a link, or no regular file.
    NotAFile,
    /// A document that the host did not grant.
    Withheld,
}

/// The card, and the members that it names.
pub fn card(around: &Surroundings, rules: Rules) -> (String, Vec<String>) {
    let show = |text: &str| if rules == Rules::Safe { view::path(text).into_owned() } else { text.to_owned() };
    let mut out = format!("repo: {}", show(&around.name));
    if let Some(branch) = &around.branch {
        out.push_str(&format!(" (branch {})", show(branch)));
    }
    out.push('\n');
    let members = first(&around.members, MEMBERS);
    if !members.is_empty() {
        out.push_str(&format!("members: {}\n", show(&members.join(", "))));
    }
    let top = first(&around.top_level, TOP_LEVEL);
    if !top.is_empty() {
        out.push_str(&format!("top level: {}\n", show(&top.join(" "))));
    }
    for (name, head) in &around.documents {
        let text = match head {
            Head::Bytes(bytes) => quoted(bytes, rules),
            Head::NotAFile => Some("[not quoted: not a regular file of the repository]".to_owned()),
            Head::Withheld => Some("[not quoted: outside the granted read set]".to_owned()),
        };
        if let Some(text) = text {
            out.push_str(&format!("{name}:\n{text}\n\n"));
        }
    }
    (out, members)
}

fn first(names: &[String], most: usize) -> Vec<String> {
    let mut sorted = names.to_vec();
    sorted.sort();
    sorted.truncate(most);
    sorted
}

/// The quoted head of a document; `None` when it is not UTF-8 or nothing is left.
fn quoted(bytes: &[u8], rules: Rules) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    // OpenAgents takes the last line of a cut document for whole where CRLF or a cut character hides the cut.
    let cut = rules == Rules::Safe && bytes.len() >= HEAD_READ;
    let text = if cut { &text[..text.rfind('\n').map_or(0, |at| at + 1)] } else { text };
    let mut total = 0;
    let mut lines = Vec::new();
    for line in text.lines() {
        if total + line.len() + 1 > HEAD_SHOWN {
            break;
        }
        total += line.len() + 1;
        lines.push(line);
    }
    let head = lines.join("\n");
    let head = if rules == Rules::Safe { view::lines(&head).into_owned() } else { head };
    (!head.is_empty()).then_some(head)
}
