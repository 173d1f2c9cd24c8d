//! Whom a look is about: what the payload says, else its URL, else the caller.

use crate::format::entity::{Forge, Kind, Subject};
use crate::format::facet::Facet;

use crate::forge::recognise::{Hints, Reason, SubjectHint};
use crate::forge::url::Target;

use super::owner::Owner;

/// The owners of a set or of an item of one.
pub(in crate::forge) struct Owned {
    /// The subjects, each with its kind.
    pub subjects: Vec<(SubjectHint, Option<Kind>)>,
    /// The item that the set belongs to.
    pub item: Option<String>,
}

/// What entries of a stream are: the two endpoints give the same objects, but one of them gives more kinds.
pub(in crate::forge) fn stream_facet(hints: &Hints<'_>, has_timeline_entries: bool) -> Facet {
    let of_stream = |facet: &Facet| matches!(facet, Facet::Timeline | Facet::Events);
    let of_url = hints.url.and_then(|url| url.target.resource.facet());
    let shown = if has_timeline_entries { Facet::Timeline } else { Facet::Events };
    hints.facet.filter(of_stream).or(of_url.filter(of_stream)).unwrap_or(shown)
}

/// The owners of items of a facet.
pub(in crate::forge) fn of_set(hints: &Hints<'_>, facet: Facet, owner: Owner) -> Result<Owned, Reason> {
    let of_pull = matches!(facet, Facet::Reviews | Facet::ReviewComments | Facet::Files | Facet::Commits);
    let kind = if of_pull { Some(Kind::Pull) } else { owner.kind };
    let target = hints.url.map(|url| &url.target);
    if !owner.subjects.is_empty() {
        return Ok(Owned { subjects: of_payload(hints, owner, kind), item: None });
    }
    let kind = kind.or_else(|| target.and_then(Target::kind));
    if let Some(target) = target {
        // An address that is about something else settles that it is not about the caller's entity.
        if target.resource.facet() != Some(facet) {
            return Err(Reason::FacetUnsupported);
        }
        if let Some(subject) = of_url(target, &owner) {
            return Ok(Owned { subjects: vec![(subject, kind)], item: None });
        }
    }
    let item = target.and_then(|target| target.resource.item());
    // Another payload may show whose the item is, and knows better than the caller.
    if let (Some(item), Some(target)) = (item, target) {
        let subject = SubjectHint::OfItem { host: target.host.clone(), repository: target.repository.clone() };
        return Ok(Owned { subjects: vec![(subject, kind)], item: Some(item) });
    }
    if let Some((subject, of_hint)) = of_caller(hints, facet, &owner) {
        return Ok(Owned { subjects: vec![(subject, kind.or(of_hint))], item: None });
    }
    let subject = at_head(facet, owner, target).ok_or(Reason::EntityAmbiguous)?;
    Ok(Owned { subjects: vec![(subject, Some(Kind::Pull))], item: None })
}

/// What belongs to a commit belongs to the pull request whose head that is.
fn at_head(facet: Facet, owner: Owner, target: Option<&Target>) -> Option<SubjectHint> {
    if !matches!(facet, Facet::Checks | Facet::Statuses) {
        return None;
    }
    let repository = owner.repository.or_else(|| target?.repository.clone())?;
    let sha = owner.commit.or_else(|| target?.resource.commit().map(str::to_owned))?;
    Some(SubjectHint::AtHead { repository, project: None, sha })
}

/// Several pull requests may have one commit as their head; the caller's choice among them stands.
fn of_payload(hints: &Hints<'_>, owner: Owner, kind: Option<Kind>) -> Vec<(SubjectHint, Option<Kind>)> {
    let chosen = hints.entity.map(|(subject, _)| subject).filter(|chosen| owner.subjects.contains(chosen));
    let subjects = chosen.map_or(owner.subjects, |chosen| vec![chosen.clone()]);
    subjects.into_iter().map(|subject| (SubjectHint::Known(subject), kind)).collect()
}

/// The subject that the URL names. The payload's spelling of the repository is newer than that of the URL.
fn of_url(target: &Target, owner: &Owner) -> Option<SubjectHint> {
    let number = target.resource.number();
    if number.is_none() && !target.resource.is_of_repository() {
        return target.subject().map(SubjectHint::Known);
    }
    let repository = owner.repository.clone().or_else(|| target.repository.clone());
    match (repository, target.repository_id) {
        (Some(repository), _) => Some(SubjectHint::Known(match number {
            Some(number) => Subject::Thread { repository, number },
            None => Subject::Repository(repository),
        })),
        (None, Some(id)) => Some(SubjectHint::ByRepositoryId { host: target.host.clone(), id, number }),
        (None, None) => None,
    }
}

/// The caller's entity, unless the payload or its URL says that it is of another repository.
fn of_caller(hints: &Hints<'_>, facet: Facet, owner: &Owner) -> Option<(SubjectHint, Option<Kind>)> {
    let (subject, kind) = hints.caller(owner.repository.as_ref())?;
    let subject = subject.holder(facet);
    let fits = match &subject {
        Subject::Thread { repository, .. } => repository.forge() == Forge::GitHub,
        Subject::Entity(_) => false,
        Subject::Repository(repository) => {
            matches!(facet, Facet::Labels | Facet::Members) && repository.forge() == Forge::GitHub
        }
        Subject::Actor { .. } => false,
    };
    let kind = kind.filter(|_| subject.number().is_some());
    fits.then_some((SubjectHint::Known(subject), kind))
}

/// The subject of a record, and the kind when only the caller knows it. `number` is that of an issue or pull request.
pub(in crate::forge) fn of_record(
    hints: &Hints<'_>,
    mut owner: Owner,
    number: Option<u64>,
) -> Result<(SubjectHint, Option<Kind>), Reason> {
    if !owner.subjects.is_empty() {
        return Ok((SubjectHint::Known(owner.subjects.swap_remove(0)), None));
    }
    let number = number.ok_or(Reason::EntityAmbiguous)?;
    if let Some(target) = hints.url.map(|url| &url.target).filter(|t| t.resource.number() == Some(number))
        && let Some(subject) = of_url(target, &owner)
    {
        return Ok((subject, target.kind()));
    }
    let of_number = |subject: &Subject| matches!(subject, Subject::Thread { number: n, .. } if *n == number);
    match of_caller(hints, Facet::Header, &owner) {
        Some((SubjectHint::Known(subject), kind)) if of_number(&subject) => Ok((SubjectHint::Known(subject), kind)),
        _ => Err(Reason::EntityAmbiguous),
    }
}
