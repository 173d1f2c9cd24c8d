//! A document as it was given, and as it is read.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::format::digest::Digest;
use crate::format::json::{self, Fault, FaultKind, Json};

/// One JSON document or text.
#[derive(Debug)]
pub struct Document<'b> {
    view: Json<'b>,
    pub(super) form: Form<'b>,
    /// Known from the start unless the document is canonical: then it is computed when it is asked for.
    digest: OnceLock<Digest>,
}

/// How much of a document is in the profile.
#[derive(Debug)]
pub(super) enum Form<'b> {
    /// All of it.
    Canonical,
    /// An array with items that are not, by their place.
    Broken(BTreeMap<usize, Opaque<'b>>),
    /// Nothing of it is taken apart.
    Whole(Opaque<'b>),
}

/// A piece that is kept verbatim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opaque<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) code: &'static str,
}

impl<'b> Document<'b> {
    /// Reads one JSON document. What only breaks the profile is read leniently, and kept verbatim.
    ///
    /// # Errors
    /// [`FaultKind::Invalid`] alone: for a text that is not RFC 8259 JSON.
    pub fn json(bytes: &'b [u8]) -> Result<Self, Fault> {
        let (view, breaches) = json::parse_lenient(bytes)?;
        match breaches.first() {
            None => Ok(Self { view, form: Form::Canonical, digest: OnceLock::new() }),
            Some(fault) => Self::outside_profile(bytes, view, fault.kind),
        }
    }

    /// Reads an item of a larger document, in which it stands `depth` brackets deep. Only what is in the profile is taken.
    ///
    /// # Errors
    /// The first fault.
    pub fn within(bytes: &'b [u8], depth: usize) -> Result<Self, Fault> {
        let view = json::parse_within(bytes, depth)?;
        Ok(Self { view, form: Form::Canonical, digest: OnceLock::new() })
    }

    /// Takes a text that is not JSON: a log or a diff. It is one element, byte for byte; there is nothing to recognise in it.
    pub fn text(bytes: &'b [u8]) -> Self {
        let form = Form::Whole(Opaque { bytes, code: FaultKind::Invalid.code() });
        Self { view: Json::Null, form, digest: Digest::of(bytes).into() }
    }

    fn outside_profile(bytes: &'b [u8], view: Json<'b>, first: FaultKind) -> Result<Self, Fault> {
        let Some(ranges) = json::items(bytes)? else {
            let form = Form::Whole(Opaque { bytes, code: first.code() });
            return Ok(Self { view, form, digest: Digest::of(bytes).into() });
        };
        let (mut items, mut opaque) = (Vec::with_capacity(ranges.len()), BTreeMap::new());
        let mut whole = Vec::with_capacity(bytes.len());
        for (at, range) in ranges.into_iter().enumerate() {
            let bytes = &bytes[range];
            whole.push(if at == 0 { b'[' } else { b',' });
            match breach(bytes) {
                None => {
                    let item = json::parse(bytes)?;
                    json::append(&item, &mut whole);
                    items.push(item);
                }
                Some(code) => {
                    whole.extend_from_slice(bytes);
                    items.push(json::parse_lenient(bytes)?.0);
                    opaque.insert(at, Opaque { bytes, code });
                }
            }
        }
        whole.push(b']');
        Ok(Self { view: Json::Array(items), form: Form::Broken(opaque), digest: Digest::of(&whole).into() })
    }

    /// What recognition reads: the document, leniently where it breaks the profile; `null` for a text.
    pub fn view(&self) -> &Json<'b> {
        &self.view
    }

    /// The digest of the input. Of a large document it takes as long as taking it apart, and may be asked for on another core
    /// meanwhile.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of(&json::to_vec(&self.view)))
    }

    /// How many elements are kept verbatim, by the code of their breach of the profile.
    pub fn breaches(&self) -> BTreeMap<&'static str, u64> {
        let codes: Vec<_> = match &self.form {
            Form::Canonical => Vec::new(),
            Form::Broken(opaque) => opaque.values().map(|opaque| opaque.code).collect(),
            // A text is no JSON on purpose.
            Form::Whole(opaque) if opaque.code == FaultKind::Invalid.code() => Vec::new(),
            Form::Whole(opaque) => vec![opaque.code],
        };
        let mut counts = BTreeMap::new();
        codes.into_iter().for_each(|code| *counts.entry(code).or_default() += 1);
        counts
    }

    /// The code of the breach when the whole document or one of its items is outside the profile, and how many are.
    pub fn outside(&self) -> Option<(&'static str, usize)> {
        match &self.form {
            Form::Canonical => None,
            Form::Broken(opaque) => opaque.first_key_value().map(|(_, first)| (first.code, opaque.len())),
            Form::Whole(opaque) => Some((opaque.code, 1)),
        }
    }
}

/// The code of the first breach of an item, read as an item: the array around it counts for the depth.
fn breach(item: &[u8]) -> Option<&'static str> {
    json::parse(&[b"[", item, b"]"].concat()).err().map(|fault| fault.kind.code())
}
