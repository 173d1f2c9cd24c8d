//! Gaps: named omissions, each with a scope, a code, a usability and a count.

use std::collections::BTreeMap;

use crate::format::facet::Facet;

macro_rules! gap_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $usability:ident;)*) => {
        /// Why something is not there. `docs/format.md` has the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum GapCode { $($(#[$doc])* $variant,)* }

        impl GapCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [GapCode] = &[$(GapCode::$variant,)*];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self { $(GapCode::$variant => $name,)* }
            }

            /// What a reader may still conclude from the scope.
            pub fn usability(self) -> Usability {
                match self { $(GapCode::$variant => Usability::$usability,)* }
            }
        }
    };
}

gap_codes! {
    /// No look at the facet was ever filed.
    NotObserved = "not-observed", Unusable;
    /// Only incomplete looks, or a newer incomplete one that shows something else.
    Incomplete = "incomplete", Partial;
    /// The forge refused.
    Forbidden = "forbidden", Unusable;
    /// The forge has it no more.
    Gone = "gone", Unusable;
    /// An artifact that the forge kept for a time only.
    Expired = "expired", Unusable;
    /// The forge did not answer with data, for another reason.
    Unavailable = "unavailable", Unusable;
    /// Two looks differ and nothing but their digest orders them.
    OrderAmbiguous = "order-ambiguous", Partial;
    /// An item lacks what the forge documents, or has a value that the mapping table does not list.
    InvalidMetadata = "invalid-metadata", Partial;
    /// An element is kept verbatim because it breaks the JSON profile.
    OutsideProfile = "outside-profile", Partial;
    /// An element that an observation names is not there.
    ElementMissing = "element-missing", Unusable;
    /// Nothing shows whether the number is an issue or a pull request.
    KindAssumed = "kind-assumed", Partial;
    /// Files whose patch the forge did not give.
    PatchMissing = "patch-missing", Partial;
    /// Files of which the diff says something else than the list of files or the header.
    DiffMismatch = "diff-mismatch", Partial;
    /// Review threads whose resolution no look shows.
    ThreadStateUnknown = "thread-state-unknown", Partial;
    /// The forge keeps the present state only, and no history of items.
    HistoryUnavailable = "history-unavailable", Partial;
    /// Left out by a bound of the profile.
    ProfileBound = "profile-bound", Partial;
    /// Left out because the budget of the stage has no room for it.
    Budget = "budget", Partial;
    /// A text that is not shown because of what the filters found in it.
    UnsafeContent = "unsafe-content", Partial;
    /// Made after the time that the stage is of.
    AfterAsOf = "after-as-of", Partial;
    /// Edited or changed after the time that the stage is of, and no look shows what it was then.
    EarlierVersionMissing = "earlier-version-missing", Partial;
    /// Nothing shows whether it was there at the time that the stage is of.
    AsOfUnknown = "as-of-unknown", Partial;
    /// Shown as it is, and nothing shows whether it was edited after the time that the stage is of.
    EditsUnknown = "edits-unknown", Partial;
    /// Of another head than the stage is pinned to, or not shown to be of that one.
    HeadMoved = "head-moved", Partial;
    /// Texts of authors whom the profile refuses.
    NotAdmitted = "not-admitted", Partial;
    /// Texts of which nothing shows whether the profile admits their author.
    AdmissionUnknown = "admission-unknown", Partial;
    /// Linked issues and pull requests of which no look is filed.
    LinkedNotFiled = "linked-not-filed", Partial;
    /// Linked issues and pull requests beyond the bound, or of another repository than the profile lets follow.
    LinkedNotStaged = "linked-not-staged", Partial;
    /// Files and images that a shown text links to, which nobody fetched.
    AttachmentNotFetched = "attachment-not-fetched", Partial;
    /// A facet that the profile leaves out.
    NotRequested = "not-requested", Unusable;
}

/// What a reader may still conclude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Usability {
    /// What is there can be used, but not as if it were all.
    Partial,
    /// Nothing can be concluded from this scope.
    Unusable,
}

impl Usability {
    /// The name in trees.
    pub fn name(self) -> &'static str {
        match self {
            Self::Partial => "partial",
            Self::Unusable => "unusable",
        }
    }
}

/// One omission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Where.
    pub scope: Facet,
    /// Why.
    pub code: GapCode,
    /// How much: items, where they can be counted; else 1.
    pub count: u64,
}

/// The omissions of an entity, one row for each scope and code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gaps(BTreeMap<(&'static str, &'static str), Gap>);

impl Gaps {
    /// Adds to a row. Nothing is no gap.
    pub fn add(&mut self, scope: Facet, code: GapCode, count: u64) {
        if count > 0 {
            self.0.entry((scope.name(), code.name())).or_insert(Gap { scope, code, count: 0 }).count += count;
        }
    }

    /// The rows, sorted by scope and code.
    pub fn iter(&self) -> impl Iterator<Item = &Gap> {
        self.0.values()
    }

    /// The count of a row, 0 when there is none.
    pub fn count(&self, scope: Facet, code: GapCode) -> u64 {
        self.0.get(&(scope.name(), code.name())).map_or(0, |gap| gap.count)
    }

    /// True when nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
