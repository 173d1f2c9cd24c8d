//! Records of inputs that were not recognised and are kept: each is named by its own bytes, lies where it says, and names an element.

use super::elements::Elements;
use super::looks::{Looks, name_digits};
use super::report::{Code, Finding};
use super::store::{list_folder, not_regular, read_record, stray};
use super::tally::Tally;
use crate::format::digest::Digest;
use crate::format::kept::Kept;
use crate::format::tree::{FileKind, Tree};
use crate::ops::Error;
use crate::store::layout::{MAX_KEPT, UNRECOGNISED};

/// Reads every record.
pub(super) fn check(tree: &dyn Tree, elements: &Elements, tally: &mut Tally) -> Result<Looks, Error> {
    let mut looks = Looks::default();
    for entry in list_folder(tree, UNRECOGNISED)? {
        let Some(digits) = name_digits(&entry.path) else {
            stray(&entry, tally);
            continue;
        };
        if entry.kind != FileKind::File {
            not_regular(&entry, tally);
            continue;
        }
        let Some(bytes) = read_record(tree, &entry.path, MAX_KEPT, Code::ObservationInvalid, tally) else { continue };
        let digest = Digest::of(&bytes);
        let record = Kept::from_bytes(&bytes).filter(|record| record.path(&digest) == entry.path);
        match record {
            Some(record) => looks.name(elements, &record.element, &entry.path),
            None => {
                let finding = Finding::new(Code::ObservationInvalid, &entry.path);
                tally.find(finding.expected(format!("sha256:{digits}…")).actual(digest));
            }
        }
    }
    Ok(looks)
}
