//! `--keep-unrecognised`: what is no look is filed as it was given, with the reason.

use std::collections::BTreeSet;

use crate::format::digest::Digest;
use crate::format::kept::Kept;
use crate::format::tree::Tree;
use crate::ops::Error;
use crate::store::facts::Facts;

use super::Report;
use super::gather::Aside;
use super::payload::Payload;
use super::read::Seen;
use super::record::{Terms, date};
use super::write::Filing;

/// What is kept, and whether its time is the clock's.
pub(super) struct Keep {
    pub name: String,
    record: Kept,
    bytes: Vec<u8>,
    live: bool,
}

/// Takes what was not recognised: files that are no payload, and payloads of which no part is a look. What is left over of others
/// is in their inputs; an answer that says nothing by its body has none here.
pub(super) fn take(left: &mut [Aside], payloads: &mut [Payload], seen: &[Seen], terms: &Terms) -> Vec<Keep> {
    let mut kept = Vec::new();
    for aside in left {
        let Some(bytes) = aside.bytes.take() else { continue };
        let record =
            Kept { element: Digest::of(&bytes), observed_at: terms.undated, reason: aside.reason.into(), url: None };
        kept.push(Keep { name: aside.name.clone(), record, bytes, live: terms.live });
    }
    for (payload, seen) in payloads.iter_mut().zip(seen) {
        let [left, ..] = &seen.left[..] else { continue };
        if !seen.looks.is_empty() || !seen.absent.is_empty() || payload.is_without_body {
            continue;
        }
        let (observed_at, _, dating) = date(payload, terms);
        let url = payload.exchange.as_ref().map(|exchange| exchange.url.clone());
        let [before, behind] = std::mem::take(&mut payload.margin);
        let bytes = [before, std::mem::take(&mut payload.bytes), behind].concat();
        let record = Kept { element: Digest::of(&bytes), observed_at, reason: left.reason.code().into(), url };
        kept.push(Keep { name: payload.name.clone(), record, bytes, live: dating.by_the_clock() });
    }
    kept
}

impl Keep {
    /// The digest by which `show --raw` gives it back.
    pub fn digest(&self) -> Digest {
        self.record.element
    }
}

/// Files what is kept. What was looked at now and is kept already is not filed again.
pub(super) fn file(kept: Vec<Keep>, tree: &dyn Tree, filing: &mut Filing, report: &mut Report) -> Result<(), Error> {
    if kept.is_empty() {
        return Ok(());
    }
    // One that is damaged is for `verify` to tell.
    let records = Facts::new(tree).kept()?.into_iter().filter_map(|(_, record)| record.ok());
    let known: BTreeSet<Digest> = records.map(|record| record.element).collect();
    for Keep { record, bytes, live, .. } in kept {
        let file = record.to_bytes();
        let path = record.path(&Digest::of(&file));
        if (live && known.contains(&record.element)) || filing.observations.contains_key(&path) {
            report.unchanged += 1;
            continue;
        }
        filing.observations.insert(path, file);
        filing.elements.insert(record.element, bytes);
    }
    Ok(())
}
