//! Any bytes at all, read as references, a former answer, a question set, a door's answer, and quoted as a source. The fuzz target
//! checks the same.

use crate::filter::clean;
use git_docket::format::atif::text_digest;
use git_docket::format::questions::QuestionSet;
use git_docket::ops::sources::{Held, references_from};
use git_docket::sources::coverage::Coverage;
use git_docket::sources::drift::{Status, locate};
use git_docket::sources::excerpt::{LowerCase, Source};
use git_docket::sources::render::Block;
use git_docket::sources::selection::Answer;
use git_docket::sources::terms::terms;
use git_docket::sources::{MAX_BLOCK, MAX_LINES, MAX_PREFIX, MAX_QUOTED, Rules, view};

/// How many references the bytes are, and how many lines of them are quoted.
pub fn check(bytes: &[u8]) -> (usize, usize) {
    let references = references_from(bytes).unwrap_or_default();
    for reference in &references {
        let again = references_from(reference.to_line().as_bytes()).expect("what is written is read");
        assert_eq!(again, std::slice::from_ref(reference));
    }
    _ = Held::from_bytes(bytes);
    _ = Answer::from_bytes(bytes);
    if let Ok(set) = QuestionSet::from_bytes(bytes) {
        assert_eq!(set.digest().hex().len(), 64);
    }
    // The first line is the draft, the rest the source.
    let Ok(text) = std::str::from_utf8(bytes) else { return (references.len(), 0) };
    let (draft, rest) = text.split_once('\n').unwrap_or((text, text));
    let quoted = [Rules::Safe, Rules::OpenAgents].map(|rules| quote(draft, rest, rules));
    (references.len(), quoted[0].max(quoted[1]))
}

fn quote(draft: &str, text: &str, rules: Rules) -> usize {
    let words = terms(draft);
    assert!(words.len() <= 4 && words.iter().all(|word| word.len() >= 3 && draft.contains(word.as_str())));
    let source = Source { path: "a/b".to_owned(), text: text.to_owned(), ..Source::default() };
    let (mut block, mut coverage) = (Block::new(rules), Coverage::default());
    block.add(&source, &LowerCase::new(&words), None, &mut coverage);
    let rendered = block.finish(&coverage);
    assert!(rendered.len() <= MAX_BLOCK && block.excerpts.len() <= MAX_LINES);
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = 0;
    for excerpt in &block.excerpts {
        let (line, reference) = (lines[excerpt.reference.line as usize - 1], &excerpt.reference);
        assert!(line.starts_with(&excerpt.quoted.text) && excerpt.quoted.text.len() <= MAX_PREFIX);
        assert_eq!(reference.truncated, excerpt.quoted.text.len() < line.len());
        assert!(
            !reference.truncated || excerpt.quoted.text.len() > MAX_PREFIX - 4,
            "cut at a character and not before"
        );
        assert_eq!(reference.source_digest, text_digest(text));
        assert_eq!(reference.excerpt_digest, text_digest(&excerpt.quoted.text));
        shown += view::line(&excerpt.quoted.text).len();
        let safe = view::line(&excerpt.quoted.text);
        assert!(!safe.chars().any(|c| c.is_control() && c != '\t'));
        assert_eq!(clean(&safe, None).text.matches('\n').count(), usize::from(!safe.is_empty()), "one line stays one");
    }
    assert!(rules == Rules::OpenAgents || shown <= MAX_QUOTED);
    if rules == Rules::Safe {
        assert_eq!(rendered.lines().filter(|line| line.starts_with("source ")).count(), block.excerpts.len());
        assert_eq!(rendered.lines().filter(|line| line.starts_with("  ")).count(), block.excerpts.len());
    }
    let references: Vec<_> = block.excerpts.iter().map(|excerpt| &excerpt.reference).collect();
    assert!(locate("a/b", text, &references).iter().all(|drift| drift.status == Status::Same));
    let below = format!("above\n{text}");
    for drift in locate("a/b", &below, &references) {
        assert!(matches!(drift.status, Status::Moved | Status::Same), "{drift:?}");
    }
    block.excerpts.len()
}
