//! What a text shows that is no JSON: the log of a job, or the diff of a pull request.

use crate::format::entity::{Kind, Subject};
use crate::format::facet::Facet;
use crate::format::patch::{self, NotAPatch};

use super::dialect::Dialect;
use super::recognise::{Extent, Hints, Look, Part, Reason, Recognised, SubjectHint, recognise};

/// True for what begins as a diff of git does, alone or in a mail of `git format-patch`.
pub fn is_diff(text: &[u8]) -> bool {
    let mail = || {
        let hash = text.strip_prefix(b"From ").and_then(|rest| rest.split(|byte| *byte == b' ').next());
        hash.is_some_and(|hash| matches!(hash.len(), 40 | 64) && hash.iter().all(u8::is_ascii_hexdigit))
    };
    text.starts_with(b"diff --git ") || text.starts_with(b"diff --cc ") || patch::is_submodule(text) || mail()
}

/// The look at a text; its facet is that of the hints. A log says by `item` whose it is.
pub fn text_look(text: &[u8], item: Option<String>, hints: &Hints<'_>) -> Recognised {
    match subject(text, hints) {
        Ok((subject, kind, facet)) => Recognised {
            looks: vec![Look {
                dialect: Dialect::Text,
                subject: SubjectHint::Known(subject),
                kind,
                facet,
                item,
                part: Part::Record { pointer: String::new(), split: Vec::new() },
                total: None,
                extent: Extent::Whole,
                paged: None,
            }],
            ..Recognised::default()
        },
        Err(reason) => Recognised::nothing(reason),
    }
}

fn subject(text: &[u8], hints: &Hints<'_>) -> Result<(Subject, Option<Kind>, Facet), Reason> {
    let facet = hints.facet.ok_or(Reason::ShapeUnknown)?;
    if is_error_body(text, hints) {
        return Err(Reason::ForgeErrorBody);
    }
    if facet == Facet::Diff {
        patch::read(text).map_err(|fault| match fault {
            // An empty text is what a failed command leaves: no proof that nothing changed.
            NotAPatch::Nothing if text.is_empty() => Reason::DiffEmpty,
            NotAPatch::Nothing => Reason::FacetMismatch,
            NotAPatch::Combined => Reason::DiffCombined,
            NotAPatch::Dressed => Reason::DiffDressed,
        })?;
    }
    let of_url = hints.url.and_then(|url| Some((url.target.subject()?, url.target.kind())));
    let of_caller = hints.caller(None).map(|(subject, kind)| (subject.clone(), kind));
    let (subject, kind) = of_url.or(of_caller).ok_or(Reason::EntityAmbiguous)?;
    if !matches!(subject, Subject::Thread { .. }) {
        return Err(Reason::EntityAmbiguous);
    }
    match (facet, kind) {
        // Only a pull request has a diff.
        (Facet::Diff, Some(Kind::Issue)) => Err(Reason::FacetMismatch),
        (Facet::Diff, _) => Ok((subject, Some(Kind::Pull), facet)),
        _ => Ok((subject, kind, facet)),
    }
}

/// The forge's account of an error in the place of a text: `gh api … > log.txt` leaves it.
fn is_error_body(text: &[u8], hints: &Hints<'_>) -> bool {
    const LONGEST: usize = 1 << 16;
    if text.len() > LONGEST || text.first() != Some(&b'{') {
        return false;
    }
    let Ok((view, _)) = crate::format::json::parse_lenient(text) else { return false };
    let found = recognise(&view, &Hints { facet: None, ..*hints });
    matches!(&found.left[..], [left] if left.reason == Reason::ForgeErrorBody && found.looks.is_empty())
}
