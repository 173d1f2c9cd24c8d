//! Quotes as a fact: the element that a recorded stage names, since a work tree is another one tomorrow.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::digest::Digest;
use super::json::{self, Json, Object};
use super::source::{Context, Quoted, Quotes, Reference};

impl Quotes {
    /// The canonical bytes of what a stage shows of a work tree. The filters saw all of it before.
    pub fn to_bytes(&self) -> Vec<u8> {
        let context = serde_json::to_string(&self.context).expect("strings, numbers and booleans always serialise");
        let context = json::parse(context.as_bytes()).expect("what was serialised here is JSON of our profile");
        let mut out = Object::new();
        out.set("block", self.block.clone()).set("context", context);
        out.set("excerpts", self.excerpts.iter().map(excerpt_json).collect::<Vec<_>>());
        json::to_vec(&Json::Object(out))
    }

    /// Reads quotes, given the names of all classes of findings. `None` for anything that [`Quotes::to_bytes`] does not write.
    pub fn from_bytes(bytes: &[u8], classes: &[&'static str]) -> Option<Self> {
        let value = json::parse(bytes).ok()?;
        let excerpts = value.get("excerpts")?.as_array()?.iter().map(|row| excerpt(row, classes));
        let quotes = Self {
            block: value.get("block")?.as_str()?.to_owned(),
            context: context(value.get("context")?)?,
            excerpts: excerpts.collect::<Option<_>>()?,
        };
        (quotes.to_bytes() == bytes).then_some(quotes)
    }
}

fn excerpt_json(quoted: &Quoted) -> Json<'static> {
    let mut findings = Object::new();
    for (class, count) in &quoted.findings {
        findings.set(*class, *count);
    }
    let mut out = Object::new();
    out.set("text", quoted.text.clone()).set("findings", findings).set_some("withheld", quoted.withheld);
    Json::Object(out)
}

fn excerpt(row: &Json<'_>, classes: &[&'static str]) -> Option<Quoted> {
    let count =
        |(name, count): (&str, &Json<'_>)| Some((*classes.iter().find(|class| **class == name)?, count.as_u64()?));
    let findings: BTreeMap<_, _> = row.get("findings")?.as_object()?.iter().map(count).collect::<Option<_>>()?;
    let withheld = row.get("withheld").map(|size| size.as_u64().and_then(|size| usize::try_from(size).ok()));
    Some(Quoted {
        text: row.get("text")?.as_str()?.to_owned(),
        findings,
        withheld: if let Some(size) = withheld { Some(size?) } else { None },
    })
}

fn context(value: &Json<'_>) -> Option<Context> {
    let texts = |name| {
        let rows = value.get(name)?.as_array()?.iter().map(|row| row.as_str().map(str::to_owned));
        rows.collect::<Option<Vec<_>>>()
    };
    let digest = |name| Digest::from_hex(value.get(name)?.as_str()?);
    let references = value.get("references")?.as_array()?.iter().map(|row| Reference::from_json(row).ok());
    Some(Context {
        terms: texts("terms")?,
        references: references.collect::<Option<_>>()?,
        diagnostics: texts("diagnostics")?,
        rendered_digest: digest("rendered_digest")?,
        card_digest: digest("card_digest")?,
        candidates: part(value.get("candidates"))?,
        selection: part(value.get("selection"))?,
    })
}

/// A member that need not be there; `None` for one that is not what it must be.
fn part<T: DeserializeOwned>(value: Option<&Json<'_>>) -> Option<Option<T>> {
    let Some(value) = value else { return Some(None) };
    serde_json::from_slice(&json::to_vec(value)).ok().map(Some)
}
