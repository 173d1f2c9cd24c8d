//! The options of `stage` that make its profile.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};

use super::place::read_input;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::profile::{
    Admit, Bots, CheckLogs, Keep, Linked, LinkedFrom, OnFinding, Profile, Trust, commit, facets_of, login, main_facet,
};
use crate::format::time::{NotATime, Time};
use crate::ops::Error;

#[derive(Debug, Args)]
pub(super) struct Choices {
    /// Facets and bounds: minimal, default, full, or a JSON file (`git docket schema profile`)
    #[arg(long, value_name = "PROFILE", default_value = "default")]
    profile: String,
    /// Only these facets, besides the header
    #[arg(long, value_name = "FACET,…", value_delimiter = ',', value_parser = facet)]
    facets: Vec<Facet>,
    /// At most so many comments
    #[arg(long, value_name = "N")]
    max_comments: Option<u64>,
    /// Which end of a long list a bound keeps: oldest, newest, or unresolved-first (newest, but of review threads those first that are
    /// not known to be resolved)
    #[arg(long, value_name = "WHICH", hide_possible_values = true)]
    keep: Option<KeepArg>,
    /// Logs of checks: none, failed (all but those of checks that succeeded or were skipped), or all
    #[arg(long, value_name = "WHICH", hide_possible_values = true)]
    check_logs: Option<CheckLogsArg>,
    /// At most so many bytes in all files together, index.json too: what has no room is left out whole and counted
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
    /// At most so many tokens in all files together, by the estimate of docs/format.md
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// What to do with a text with an injection: withhold (it leaves its row), annotate (show it behind a mark), or fail (stage
    /// nothing, also for a secret)
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    on_finding: Option<OnFindingArg>,
    /// Whose texts are shown: all, members (owners, members and collaborators, by their role where it was observed, else by what the forge
    /// says beside their texts), role:ROLE (an observed role of read, triage, write, maintain, admin or a stronger one), or
    /// association:LIST. The others leave their rows
    #[arg(long, value_name = "WHO", value_parser = Admit::read)]
    admit: Option<Admit>,
    /// Show the texts of this account whatever else is said of it; without --admit, of nobody else
    #[arg(long, value_name = "LOGIN", num_args = 1, value_parser = account)]
    allow_author: Vec<String>,
    /// Never show the texts of this account
    #[arg(long, value_name = "LOGIN", num_args = 1, value_parser = account)]
    deny_author: Vec<String>,
    /// Whether the texts of bots are shown: include or exclude
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    bots: Option<BotsArg>,
    /// Leave out what was made or edited after this time (RFC 3339); the time of the delivery with --event
    #[arg(long, value_name = "TIME", value_parser = moment)]
    as_of: Option<Time>,
    /// Only files, commits, diff and checks of this head commit; that of the delivery with --event
    #[arg(long, value_name = "SHA", value_parser = head)]
    head: Option<String>,
    /// Stage beside an entity the issues and pull requests that it closes, that refer to it, or that its body mentions: those of the
    /// same repository, or with =any whatever the store has, although whoever wrote a text could name there what others may not see
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "repository",
        hide_possible_values = true)]
    with_linked: Option<LinkedArg>,
}

/// The largest profile; one of a few hundred bytes says all that can be said.
const MAX_PROFILE: u64 = 1 << 20;

/// Which items a bound keeps.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeepArg {
    /// The first ones.
    Oldest,
    /// The last ones.
    Newest,
    /// The last ones, and threads that are not resolved before others.
    UnresolvedFirst,
}

/// Which logs are shown.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CheckLogsArg {
    /// None.
    None,
    /// Those of checks that are not known to have gone well.
    Failed,
    /// All.
    All,
}

/// What a finding does.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnFindingArg {
    /// The text is not shown.
    Withhold,
    /// The text is shown behind a mark.
    Annotate,
    /// Nothing is staged.
    Fail,
}

/// What becomes of bots.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BotsArg {
    /// They are authors like others.
    Include,
    /// Their texts are not shown.
    Exclude,
}

fn account(text: &str) -> Result<String, String> {
    login(text).ok_or_else(|| "a login has no space and nothing beyond ASCII".to_owned())
}

fn moment(text: &str) -> Result<Time, String> {
    text.parse().map_err(|error: NotATime| error.to_string())
}

fn head(text: &str) -> Result<String, String> {
    commit(text).ok_or_else(|| "a commit is 40 or 64 hex digits".to_owned())
}

/// Which linked entities are staged too.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LinkedArg {
    /// Those of the same repository.
    Repository,
    /// All that the store has facts of.
    Any,
}

pub(super) fn facet(name: &str) -> Result<Facet, String> {
    name.parse().map_err(|()| format!("no such facet; there are {}", Facet::names()))
}

impl Choices {
    /// The resolved profile: a built-in one or a file, and what the options say instead.
    pub fn profile(&self) -> Result<Profile, Error> {
        let mut profile = match Profile::built_in(&self.profile) {
            Some(profile) => profile,
            None => {
                let bytes = read_input(self.profile.as_ref(), MAX_PROFILE);
                let bytes = bytes.map_err(|error| error.hint("there are minimal, default and full, and JSON files"))?;
                Profile::from_bytes(&bytes)
                    .map_err(|error| Error::new("profile-invalid", format!("{}: {error}", self.profile)))?
            }
        };
        if !self.facets.is_empty() {
            let applies = |kind, facet| facets_of(kind).any(|known| known == main_facet(facet));
            let asked =
                || Facet::ALL.iter().copied().filter(|facet| *facet == Facet::Header || self.facets.contains(facet));
            let only = |kind| asked().filter(|facet| applies(kind, *facet)).collect();
            (profile.issue, profile.pull) = (only(Kind::Issue), only(Kind::Pull));
        }
        if let Some(most) = self.max_comments {
            profile.max_items.insert(Facet::Comments, most);
        }
        if let Some(keep) = self.keep {
            profile.keep = match keep {
                KeepArg::Oldest => Keep::Oldest,
                KeepArg::Newest => Keep::Newest,
                KeepArg::UnresolvedFirst => Keep::UnresolvedFirst,
            };
        }
        if let Some(which) = self.with_linked {
            let from = match which {
                LinkedArg::Repository => LinkedFrom::Repository,
                LinkedArg::Any => LinkedFrom::Any,
            };
            profile.linked = Some(Linked { from, max: profile.linked.map_or(Linked::MOST, |linked| linked.max) });
        }
        if let Some(logs) = self.check_logs {
            profile.check_logs = match logs {
                CheckLogsArg::None => CheckLogs::None,
                CheckLogsArg::Failed => CheckLogs::Failed,
                CheckLogsArg::All => CheckLogs::All,
            };
        }
        profile.max_bytes = self.max_bytes.or(profile.max_bytes);
        profile.max_tokens = self.max_tokens.or(profile.max_tokens);
        if let Some(what) = self.on_finding {
            profile.on_finding = match what {
                OnFindingArg::Withhold => OnFinding::Withhold,
                OnFindingArg::Annotate => OnFinding::Annotate,
                OnFindingArg::Fail => OnFinding::Fail,
            };
        }
        self.trust(&mut profile.trust);
        Ok(profile)
    }

    fn trust(&self, trust: &mut Trust) {
        match &self.admit {
            Some(admit) => trust.admit = admit.clone(),
            // A list that adds to everyone would say nothing.
            None if !self.allow_author.is_empty() && trust.admit == Admit::All => {
                trust.admit = Admit::Association(BTreeSet::new());
            }
            None => {}
        }
        trust.allow.extend(self.allow_author.iter().cloned());
        trust.deny.extend(self.deny_author.iter().cloned());
        if let Some(bots) = self.bots {
            trust.bots = match bots {
                BotsArg::Include => Bots::Include,
                BotsArg::Exclude => Bots::Exclude,
            };
        }
        trust.as_of = self.as_of.or(trust.as_of);
        trust.head = self.head.clone().or(trust.head.take());
    }
}
