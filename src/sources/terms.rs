//! The search terms of a draft.

use super::MAX_TERMS;

/// Words that say nothing about a repository.
const STOP_WORDS: [&str; 32] = [
    "the", "and", "for", "are", "how", "what", "does", "this", "that", "with", "use", "using", "our", "your", "you",
    "can", "have", "from", "into", "project", "repo", "code", "work", "tell", "show", "describe", "explain", "about",
    "why", "when", "where", "which",
];

/// The first four words worth searching for, in the order and spelling of the draft.
///
/// A word is a run of letters, digits, `_` and `-`, without `_` and `-` at its ends; it has three bytes or more, is no stop
/// word, and differs from the earlier ones in lower case.
pub fn terms(draft: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for word in draft.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')) {
        let word = word.trim_matches(['-', '_']);
        let lower = word.to_lowercase();
        if word.len() < 3 || STOP_WORDS.contains(&lower.as_str()) || seen.contains(&lower) {
            continue;
        }
        found.push(word.to_owned());
        seen.push(lower);
        if found.len() == MAX_TERMS {
            break;
        }
    }
    found
}
