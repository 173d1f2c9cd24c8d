//! The kinds of data of an entity.

use std::str::FromStr;

macro_rules! facets {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $shape:ident;)*) => {
        /// One kind of data of an entity. The name is the same in paths, records, reports and options.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Facet { $($(#[$doc])* $variant,)* }

        impl Facet {
            /// Every facet, in the order of reports.
            pub const ALL: &'static [Facet] = &[$(Facet::$variant,)*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Facet::$variant => $name,)* }
            }

            /// All names, for a person.
            pub fn names() -> String {
                Self::ALL.iter().map(|facet| facet.name()).collect::<Vec<_>>().join(", ")
            }

            /// Whether a look at it is one record or a set of items.
            pub fn shape(self) -> Shape {
                match self { $(Facet::$variant => Shape::$shape,)* }
            }
        }
    };
}

/// How a facet is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One record; its fields fold separately.
    Record,
    /// A set of items, replaced only by a newer complete one.
    Set,
    /// A text, kept byte for byte: the newest one holds.
    Text,
}

facets! {
    /// Title, body, state and the other members of the issue, pull request, repository or actor itself.
    Header = "header", Record;
    /// The conversation below an issue or pull request.
    Comments = "comments", Set;
    /// Submitted and pending reviews.
    Reviews = "reviews", Set;
    /// Comments on lines of the diff.
    ReviewComments = "review-comments", Set;
    /// The state of threads on the diff, which their comments do not tell.
    Threads = "threads", Set;
    /// Check runs, whichever head they belong to.
    Checks = "checks", Set;
    /// Commit statuses, the older kind of check.
    Statuses = "statuses", Set;
    /// Changed files.
    Files = "files", Set;
    /// Commits of a pull request.
    Commits = "commits", Set;
    /// The timeline, comments and commits included.
    Timeline = "timeline", Set;
    /// Issue events: the part of the timeline that an older endpoint lists.
    Events = "events", Set;
    /// Labels.
    Labels = "labels", Set;
    /// Reactions to the issue or pull request itself.
    Reactions = "reactions", Set;
    /// Accounts with what each may do in the repository.
    Members = "members", Set;
    /// Logs: a text for each check or job.
    Logs = "logs", Text;
    /// The unified diff of a pull request.
    Diff = "diff", Text;
}

impl FromStr for Facet {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|facet| facet.name() == name).ok_or(())
    }
}
