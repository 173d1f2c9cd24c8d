//! What the facts lack, in the words of the layout.

use super::accounts::Account;
use super::entity::scope;
use super::making::Making;
use crate::corpus::{self, State};
use crate::format::facet::Facet;
use crate::format::upstream::{AccountKind, GapCode, Scope, SourceKind};

/// Takes over the gaps of the state that concern what the collection includes.
pub(super) fn take(state: &State, making: &mut Making<'_>) {
    for gap in state.gaps.iter() {
        let Some(scope) = scope(gap.scope).filter(|scope| includes(*scope, making)) else { continue };
        if says_nothing_here(gap.scope, gap.code) {
            continue;
        }
        // What a check lacks of its log is counted check by check.
        let counted = gap.scope == Facet::Logs
            && matches!(code(gap.code), Some(GapCode::FetchFailed | GapCode::HistoryUnavailable));
        if let (Some(code), false) = (code(gap.code), counted) {
            making.gap(scope, code, usize::try_from(gap.count).unwrap_or(usize::MAX));
        }
    }
    making.count_nameless();
    // Nobody asked the forge what these may do.
    let unasked = |account: &Account<'_>| account.kind == AccountKind::Human && account.role.is_none();
    let unasked = making.accounts.iter().filter(|(_, account)| unasked(account)).count();
    making.gap(Scope::Actors, GapCode::Unsupported, unasked);
}

/// Whether what a gap tells of has no place in the layout, so that nothing is missing: title and summary of a check, and what a
/// pull request has of its head.
fn says_nothing_here(facet: Facet, code: corpus::GapCode) -> bool {
    use corpus::GapCode::{HeadMoved, NotAdmitted};
    matches!((facet, code), (Facet::Checks | Facet::Statuses, NotAdmitted) | (Facet::Header, HeadMoved))
}

fn includes(scope: Scope, making: &Making<'_>) -> bool {
    let source = match scope {
        Scope::Entity => SourceKind::Entity,
        Scope::Comments => SourceKind::Comments,
        Scope::Reviews => SourceKind::Reviews,
        Scope::Checks => SourceKind::Checks,
        Scope::CheckLogs => SourceKind::CheckLogs,
        Scope::AgentRuns => SourceKind::AgentRuns,
        Scope::Actors => return true,
    };
    making.includes(source)
}

/// The code of the layout; `None` for what says nothing about any of its sources.
fn code(code: corpus::GapCode) -> Option<GapCode> {
    use corpus::GapCode as Ours;
    Some(match code {
        Ours::Forbidden | Ours::NotAdmitted | Ours::AdmissionUnknown => GapCode::AuthorizationFailed,
        Ours::NotObserved | Ours::Gone | Ours::Expired | Ours::Unavailable | Ours::ElementMissing => {
            GapCode::FetchFailed
        }
        Ours::Incomplete
        | Ours::OrderAmbiguous
        | Ours::HistoryUnavailable
        | Ours::EarlierVersionMissing
        | Ours::AsOfUnknown => GapCode::HistoryUnavailable,
        Ours::InvalidMetadata | Ours::OutsideProfile | Ours::KindAssumed | Ours::HeadMoved => GapCode::InvalidMetadata,
        Ours::ProfileBound | Ours::Budget => GapCode::ProfileBound,
        Ours::UnsafeContent => GapCode::UnsafeContent,
        // What was made later was not there.
        Ours::AfterAsOf | Ours::EditsUnknown => return None,
        Ours::NotRequested
        | Ours::AttachmentNotFetched
        | Ours::LinkedNotFiled
        | Ours::LinkedNotStaged
        | Ours::PatchMissing
        | Ours::DiffMismatch
        | Ours::ThreadStateUnknown => return None,
    })
}
