//! The closed lists of words. Another word is another version of the layout.

use std::str::FromStr;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the words say it")]
        pub enum $name { $($variant,)* }

        impl $name {
            /// Every word of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(word: &str) -> Result<Self, ()> {
                Self::ALL.iter().copied().find(|known| known.name() == word).ok_or(())
            }
        }
    )* };
}

words! {
    /// The kind of software behind a host.
    Forge { GitHub = "github", GitLab = "gitlab", Forgejo = "forgejo", }
    /// What the entity is.
    Kind { WorkItem = "work_item", ChangeProposal = "change_proposal", }
    /// The state of the entity.
    State { Open = "open", Closed = "closed", Merged = "merged", }
    /// What a record is.
    RecordKind { Entity = "entity", Comment = "comment", Review = "review", Check = "check", }
    /// What filtering did to something.
    Status { Unchanged = "unchanged", Modified = "modified", Truncated = "truncated", Rejected = "rejected", }
    /// What a file is.
    FileRole {
        Collection = "collection",
        EntityMetadata = "entity_metadata",
        EntityRecord = "entity_record",
        CommentRecord = "comment_record",
        ReviewRecord = "review_record",
        ThreadOrder = "thread_order",
        TimelineView = "timeline_view",
        UnresolvedReviewView = "unresolved_review_view",
        ReviewView = "review_view",
        Reviews = "reviews",
        AgentRuns = "agent_runs",
        CheckMetadata = "check_metadata",
        CheckLog = "check_log",
        ActorState = "actor_state",
        ThreadState = "thread_state",
    }
    /// Where something is missing.
    Scope {
        Actors = "actors",
        AgentRuns = "agent_runs",
        CheckLogs = "check_logs",
        Checks = "checks",
        Comments = "comments",
        Entity = "entity",
        Reviews = "reviews",
    }
    /// Why something is missing.
    GapCode {
        AuthorizationFailed = "authorization_failed",
        FetchFailed = "fetch_failed",
        HistoryUnavailable = "history_unavailable",
        InvalidMetadata = "invalid_metadata",
        ProfileBound = "profile_bound",
        SourceTooLarge = "source_too_large",
        UnsafeContent = "unsafe_content",
        Unsupported = "unsupported",
    }
    /// What a reader may still conclude from a scope.
    Usability { Partial = "partial", Unusable = "unusable", }
    /// What a collection includes.
    SourceKind {
        AgentRuns = "agent_runs",
        CheckLogs = "check_logs",
        Checks = "checks",
        Comments = "comments",
        Entity = "entity",
        Reviews = "reviews",
    }
    /// Which end of a long list stays.
    Selection { Oldest = "oldest", Newest = "newest", }
    /// Which logs are shown.
    LogSelection { None = "none", Failed = "failed", All = "all", }
    /// What a review says.
    Disposition {
        Approved = "approved",
        ChangesRequested = "changes_requested",
        Commented = "commented",
        Dismissed = "dismissed",
    }
    /// The side of a diff.
    Side { Left = "left", Right = "right", }
    /// What an account is.
    AccountKind { Human = "human", Bot = "bot", }
    /// What an account may do in the repository.
    Permission {
        Admin = "admin",
        Maintain = "maintain",
        Write = "write",
        Triage = "triage",
        Read = "read",
        None = "none",
        External = "external",
        Bot = "bot",
    }
    /// The progress of a check.
    CheckStatus { Queued = "queued", InProgress = "in_progress", Completed = "completed", }
    /// How a check ended.
    Conclusion {
        Success = "success",
        Failure = "failure",
        Neutral = "neutral",
        Cancelled = "cancelled",
        Skipped = "skipped",
        TimedOut = "timed_out",
        ActionRequired = "action_required",
        Stale = "stale",
    }
    /// How a run of an agent ended.
    RunStatus {
        Success = "success",
        Failure = "failure",
        Cancelled = "cancelled",
        Skipped = "skipped",
        TimedOut = "timed_out",
    }
}

impl GapCode {
    /// What a reader may still conclude, which the code alone decides.
    pub fn usability(self) -> Usability {
        match self {
            Self::ProfileBound | Self::HistoryUnavailable => Usability::Partial,
            _ => Usability::Unusable,
        }
    }
}

impl Kind {
    /// Whether something of this kind has such a source.
    pub fn has(self, source: SourceKind) -> bool {
        let of_any = matches!(source, SourceKind::Entity | SourceKind::Comments | SourceKind::AgentRuns);
        of_any || self == Self::ChangeProposal
    }
}

impl LogSelection {
    /// Whether the log of a check with this end is shown. What was cancelled, skipped or neutral did not fail.
    pub fn selects(self, conclusion: Option<Conclusion>) -> bool {
        use Conclusion::{ActionRequired, Failure, Stale, TimedOut};
        match self {
            Self::None => false,
            Self::All => true,
            Self::Failed => matches!(conclusion, Some(Failure | TimedOut | ActionRequired | Stale)),
        }
    }
}

impl FileRole {
    /// The media type, which the role alone decides.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::EntityRecord | Self::CommentRecord | Self::ReviewRecord => "text/markdown",
            Self::ThreadOrder | Self::TimelineView | Self::UnresolvedReviewView | Self::ReviewView | Self::CheckLog => {
                "text/plain"
            }
            _ => "application/json",
        }
    }

    /// Whether the row of such a file says what filtering did to it.
    pub fn is_filtered(self) -> bool {
        matches!(
            self,
            Self::EntityMetadata
                | Self::Reviews
                | Self::AgentRuns
                | Self::CheckMetadata
                | Self::CheckLog
                | Self::ActorState
        )
    }
}
