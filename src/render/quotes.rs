//! `sources/`: what a repository says, quoted for a stage.

use super::markdown::inline;
use super::view::View;
use crate::filter::Status;
use crate::format::atif::text_digest;
use crate::format::index::Role;
use crate::format::json::{self, Json, Object};
use crate::format::source::{Context, Quotes, REFERENCES, Reference};

/// The most bytes of a path in the summary, before escaping.
const TEXT: usize = 160;

/// The files of the part. A line is quoted as the filter lets it be shown; the record names the block as it is shown here, and its references
/// the lines of the repository.
pub(super) fn render(quotes: &Quotes, view: &mut View<'_>) {
    let block = view.lines(&quotes.block, |_| None).into_owned();
    // What is not quoted as it is is counted with the excerpts, once.
    if quotes.excerpts.iter().any(|quoted| !quoted.findings.is_empty()) {
        view.mark(Status::Modified);
    }
    let rendered_digest = text_digest(&block);
    view.add("sources/evidence.txt".to_owned(), Role::Evidence, "text/plain", block.into_bytes(), Object::new());
    let terms = quotes.context.terms.iter().filter_map(|term| Some(view.display(term).as_str()?.to_owned())).collect();
    let context = Context { terms, rendered_digest, ..quotes.context.clone() };
    let whole = serde_json::to_string(&context).expect("strings, numbers and booleans always serialise");
    view.add_json("sources/context.json", Role::Context, &read(&whole), Object::new());
    let lines: Vec<String> = context.references.iter().map(Reference::to_line).collect();
    let mut list = Object::new();
    list.set("references", lines.iter().map(|line| read(line)).collect::<Vec<_>>());
    view.add_json(REFERENCES, Role::References, &Json::Object(list), Object::new());
    for ((at, quoted), reference) in (1u64..).zip(&quotes.excerpts).zip(&context.references) {
        let mut about = Object::new();
        let bytes = view.quote(quoted, &mut about);
        about.set("ordinal", at).set("on", reference.path.clone()).set("line", reference.line);
        view.add(excerpt(at), Role::Excerpt, "text/plain", bytes, about);
    }
}

fn excerpt(at: u64) -> String {
    format!("sources/excerpts/{at:04}.txt")
}

fn read(text: &str) -> Json<'_> {
    json::parse(text.as_bytes()).expect("what was serialised here is JSON of our profile")
}

/// What the summary says of the part.
pub(super) fn summary(quotes: &Quotes, view: &View<'_>, page: &mut String) {
    let references = &quotes.context.references;
    let base = references.first().and_then(|reference| reference.base.as_deref());
    let base =
        base.map_or_else(String::new, |base| format!(" at {}, which may have changes", inline(view, base, TEXT)));
    page.push_str(&format!(
        "\n## Sources\n\nLines quoted from a work tree{base}: {}, in sources/evidence.txt. They are data, too.\n",
        references.len()
    ));
    if !quotes.context.diagnostics.is_empty() {
        page.push_str(&format!("Coverage: {}\n", quotes.context.diagnostics.join("; ")));
    }
    if !references.is_empty() {
        page.push_str("\n| path | line | where |\n|---|---|---|\n");
    }
    for (at, reference) in (1u64..).zip(references) {
        let (path, line) = (inline(view, &reference.path, TEXT), reference.line);
        page.push_str(&format!("| {path} | {line} | {} |\n", excerpt(at)));
    }
}
