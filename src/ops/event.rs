//! The delivery that sets off a stage: read once, as a fact and as what the stage is about.

use super::Error;
use super::wanted::{Asked, Wanted};
use crate::forge::delivery::{delivery, repositories};
use crate::forge::recognise::Reason;
use crate::format::entity::{Kind, Subject};
use crate::format::json;
use crate::store::mem::MemTree;

pub use crate::forge::delivery::Delivery;

/// The entity that the caller of a delivery names: where one is that is named in short, the delivery tells.
///
/// # Errors
/// `json-invalid`, `entity-ambiguous`.
pub fn chosen(bytes: &[u8], name: &str, asked: &Asked) -> Result<Wanted, Error> {
    let (view, _) = json::parse_lenient(bytes).map_err(|fault| Error::from(fault).about(name))?;
    asked.to_file(&repositories(&view), &MemTree::default())
}

/// Reads a delivery; `entity` chooses where it is about several.
///
/// # Errors
/// `json-invalid`, and `event-no-entity` for one that is about no issue or pull request, or not about the chosen one.
pub fn read_event(bytes: &[u8], name: &str, entity: Option<(&Subject, Option<Kind>)>) -> Result<Delivery, Error> {
    let (view, _) = json::parse_lenient(bytes).map_err(|fault| Error::from(fault).about(name))?;
    delivery(&view, entity).map_err(|reason| {
        let about = entity.and_then(|(asked, _)| Some((asked, delivery(&view, None).ok()?.subjects)));
        if let Some((asked, subjects)) = about {
            let named: Vec<_> = subjects.iter().map(|(subject, _)| subject.to_string()).collect();
            return Error::new(
                "event-no-entity",
                format!("{name}: the event is about {}, not {asked}", named.join(", ")),
            )
            .hint("leave --entity out, or stage the entity without --event");
        }
        let why = match reason {
            Reason::EventNoEntity | Reason::EntityAmbiguous => "the event names no issue or pull request",
            Reason::DialectUnsupported => "the event is of another forge than GitHub, GitLab, Gitea and Forgejo",
            Reason::FacetUnsupported => "the event is about something else than an issue or pull request",
            _ => "this is no event that is known",
        };
        Error::new("event-no-entity", format!("{name}: {why} ({})", reason.code()))
            .hint("name the entity instead: git docket stage ENTITY")
    })
}
