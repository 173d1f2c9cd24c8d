//! What an answer is before its body is looked at: data, the lack of it, or neither.

use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::json::Json;

use super::recognise::{Hints, Reason, SubjectHint};
use super::recording::Exchange;
use super::url::Target;

/// What an answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A body to be recognised.
    Payload,
    /// The forge did not give a facet.
    Absent(Absence),
    /// Neither data nor the lack of a facet: counted, not filed.
    Aside(Reason),
}

/// A facet that the forge did not give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    /// Whose it is.
    pub subject: SubjectHint,
    /// The kind, when the URL shows it.
    pub kind: Option<Kind>,
    /// Which facet.
    pub facet: Facet,
    /// The item that the set belongs to.
    pub item: Option<String>,
    /// The HTTP status to file: 429 where a 403 was for asking too often, since GitHub uses either for that.
    pub status: u16,
}

/// Classifies an answer by method, status and URL. `body` is the view of its body, when that is JSON.
pub fn answer(exchange: &Exchange, hints: &Hints<'_>, body: Option<&Json<'_>>) -> Answer {
    if !exchange.is_read() {
        return Answer::Aside(Reason::Write);
    }
    match exchange.status {
        200 => Answer::Payload,
        304 => Answer::Aside(Reason::NotModified),
        300..=399 => Answer::Aside(Reason::Redirect),
        100..=299 => Answer::Aside(Reason::NoContent),
        status => {
            let throttled = exchange.throttled || (status == 403 && says_rate_limit(body));
            absent(hints, if throttled { 429 } else { status }).unwrap_or_else(Answer::Aside)
        }
    }
}

/// GitHub tells a secondary limit from a lack of rights only in words, when it sends no `Retry-After`.
fn says_rate_limit(body: Option<&Json<'_>>) -> bool {
    let message = body.and_then(|body| body.get("message")).and_then(Json::as_str).unwrap_or_default();
    message.contains("rate limit") || message.contains("abuse detection")
}

/// Only what lists a whole facet can say that the facet is not there: one comment that is gone says nothing of the others.
fn absent(hints: &Hints<'_>, status: u16) -> Result<Answer, Reason> {
    let url = hints.url.ok_or(Reason::EntityAmbiguous)?;
    // A further page that was not given says nothing about the pages before it.
    if url.query.page > 1 {
        return Err(Reason::FacetUnsupported);
    }
    let target: &Target = &url.target;
    let facet = target.resource.whole().ok_or(Reason::FacetUnsupported)?;
    let item = target.resource.item();
    let subject = match (target.subject(), target.repository_id, hints.caller(None)) {
        (Some(subject), _, _) => SubjectHint::Known(hints.settled(subject)),
        (None, Some(id), _) if item.is_none() && !target.resource.is_of_commit() => {
            let number = target.resource.number();
            SubjectHint::ByRepositoryId { host: target.host.clone(), id, number }
        }
        (None, _, Some((subject, _))) => SubjectHint::Known(subject.clone()),
        _ if item.is_some() && !target.resource.is_of_commit() => {
            SubjectHint::OfItem { host: target.host.clone(), repository: target.repository.clone() }
        }
        _ => return Err(Reason::EntityAmbiguous),
    };
    Ok(Answer::Absent(Absence { subject, kind: target.kind(), facet, item, status }))
}
