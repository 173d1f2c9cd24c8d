//! What a collection says about its own coverage: a closed vocabulary, each phrase at most once, no path and no count.

use std::collections::BTreeSet;

/// One phrase. The order of the variants does not matter: phrases are sorted by their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Diagnostic {
    /// The path is absolute or has a component that is no plain name.
    NonRelative,
    /// The root of the repository cannot be opened.
    RootUnavailable,
    /// Nothing can be opened at the path.
    Unavailable,
    /// The path leads out of the repository.
    Outside,
    /// What was opened cannot be described.
    MetadataUnavailable,
    /// Not a regular file.
    NotAFile,
    /// It cannot be read, or is not UTF-8.
    NotText,
    /// Larger than [`super::MAX_SOURCE`].
    Oversize,
    /// More matching paths than [`super::MAX_PATHS`].
    PathLimit,
    /// A search failed, ran out of time or named too many paths.
    SearchUnavailable,
    /// Matching lines beyond a budget.
    ExcerptBudget,
    /// Safe rules: a symbolic link stands on the way.
    Linked,
    /// Safe rules: the path is not UTF-8, or lies in git's own directory.
    UnsafePath,
    /// Safe rules: a source that a search named has no matching line any more.
    NoExcerpt,
    /// The bounds of disclosure left something out.
    Withheld,
}

impl Diagnostic {
    /// All phrases.
    pub const ALL: [Self; 15] = [
        Self::NonRelative,
        Self::RootUnavailable,
        Self::Unavailable,
        Self::Outside,
        Self::MetadataUnavailable,
        Self::NotAFile,
        Self::NotText,
        Self::Oversize,
        Self::PathLimit,
        Self::SearchUnavailable,
        Self::ExcerptBudget,
        Self::Linked,
        Self::UnsafePath,
        Self::NoExcerpt,
        Self::Withheld,
    ];

    /// The phrase.
    pub fn text(self) -> &'static str {
        match self {
            Self::NonRelative => "excluded non-relative source path",
            Self::RootUnavailable => "repository root unavailable",
            Self::Unavailable => "source unavailable",
            Self::Outside => "excluded source outside repository",
            Self::MetadataUnavailable => "source metadata unavailable",
            Self::NotAFile => "excluded non-file source",
            Self::NotText => "source unavailable or not UTF-8",
            Self::Oversize => "oversize atomic source excluded",
            Self::PathLimit => "path limit omitted candidates",
            Self::SearchUnavailable => "search unavailable or exceeded its capture bound",
            Self::ExcerptBudget => "excerpt budget omitted matching evidence",
            Self::Linked => "excluded linked source",
            Self::UnsafePath => "excluded unsafe source path",
            Self::NoExcerpt => "matched source without excerpt",
            Self::Withheld => "disclosure withheld excerpts",
        }
    }
}

/// The phrases of one collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeSet<&'static str>);

impl Coverage {
    /// Says a phrase.
    pub fn note(&mut self, diagnostic: Diagnostic) {
        self.0.insert(diagnostic.text());
    }

    /// The phrases in byte order.
    pub fn phrases(&self) -> Vec<String> {
        self.0.iter().map(|phrase| (*phrase).to_owned()).collect()
    }

    /// The last line of a block; empty when there is nothing to say.
    pub fn line(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let phrases: Vec<_> = self.0.iter().copied().collect();
        format!("evidence coverage: {}\n", phrases.join("; "))
    }
}
