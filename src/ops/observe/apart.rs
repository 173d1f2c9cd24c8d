//! Taking a payload apart: its elements, and where the content of each look lies.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::forge::recognise::{Look, Part};
use crate::format::digest::Digest;
use crate::format::observation::Input;
use crate::format::time::Time;
use crate::ops::Error;
use crate::store::split::{Document, LookAt, content_digest, split};

use super::payload::Payload;

/// Fewer looks are not worth a second core.
const FEW: usize = 64;

/// A payload taken apart.
pub(super) struct Apart {
    /// The digest of the input.
    pub digest: Digest,
    pub elements: Vec<(Digest, Vec<u8>)>,
    /// How many elements are outside the profile, by code.
    pub breaches: BTreeMap<&'static str, u64>,
    /// One for each look, in their order.
    pub looks: Vec<OneLook>,
}

/// What a record notes of one look.
pub(super) struct OneLook {
    pub input: Input,
    pub content: Digest,
    /// The forge's time in the record; none for a set.
    pub updated_at: Option<Time>,
}

/// Takes the document of a payload apart for the looks at it.
pub(super) fn take_apart(payload: &Payload, document: &Document<'_>, looks: &[Look]) -> Result<Apart, Error> {
    let looks_at: Vec<_> = looks.iter().map(|look| look_at(&look.part)).collect();
    let pieces = split(document, &looks_at)
        .map_err(|fault| Error::new("input-not-understood", format!("{}: {fault}", payload.name)))?;
    let one = |((look, look_at), mut input): ((&Look, &LookAt), Input)| {
        input.url = payload.exchange.as_ref().map(|exchange| exchange.url.clone());
        let values = look_at.values(document);
        let record = values.first().filter(|_| !look.is_set());
        let updated_at = record.and_then(|value| look.dialect.updated_at(value));
        let content = if payload.is_text { document.digest() } else { content_digest(&values) };
        OneLook { input, content, updated_at }
    };
    let mut looks: Vec<_> = looks.par_iter().zip(&looks_at).zip(pieces.inputs).with_min_len(FEW).map(one).collect();
    // Room for four where there is one adds up in a file of many documents.
    looks.shrink_to_fit();
    Ok(Apart { digest: document.digest(), elements: pieces.elements, breaches: document.breaches(), looks })
}

fn look_at(part: &Part) -> LookAt {
    match part {
        Part::Record { pointer, split } => LookAt { pointer: pointer.clone(), items: None, parts: split.clone() },
        Part::Set { items } => LookAt { pointer: String::new(), items: Some(items.clone()), parts: Vec::new() },
    }
}
