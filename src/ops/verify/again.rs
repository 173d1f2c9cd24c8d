//! What observations claim of their elements, derived again: the digests of inputs and of content.

use std::collections::HashSet;

use rayon::prelude::*;

use super::report::{Code, Finding, Report};
use crate::format::observation::{Observation, Seen};
use crate::format::tree::Tree;
use crate::ops::Error;
use crate::store::facts::{ElementFault, Facts, Filed};
use crate::store::split::{digest_of_content, rebuild};

/// Puts together every input and content of a store that was checked, and lists the observations whose digests are not
/// theirs, the first fault of each. An observation that has a finding, or one of whose elements has, is passed over.
///
/// # Errors
/// `read-failed` when a part of the store could not be read.
pub fn derive_again(tree: &dyn Tree, checked: &Report) -> Result<Vec<Finding>, Error> {
    let facts = Facts::new(tree);
    let unread = |error: &dyn std::fmt::Display| Error::new("read-failed", error.to_string());
    let damaged: HashSet<&str> = checked.findings.iter().map(|finding| finding.path.as_str()).collect();
    let filed = facts.observations("").map_err(|error| unread(&error))?;
    let one = |filed: &Filed| match &filed.record {
        Ok(record) if !damaged.contains(filed.path.as_str()) => match claims(&facts, record) {
            Ok(claim) => Ok(claim.map(|finding| Finding { path: filed.path.clone(), ..finding })),
            Err(ElementFault::Missing(_) | ElementFault::Corrupt { .. }) => Ok(None),
            Err(fault @ ElementFault::Unfit(_)) => {
                Ok(Some(Finding::new(Code::ObservationInvalid, &filed.path).actual(fault)))
            }
            Err(fault @ ElementFault::Io { .. }) => Err(unread(&fault)),
        },
        _ => Ok(None),
    };
    let found = filed.par_iter().map(one).collect::<Result<Vec<_>, Error>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// What is wrong with the digests of a record. An input that its pieces do not make is a fault.
fn claims(facts: &Facts<'_>, record: &Observation) -> Result<Option<Finding>, ElementFault> {
    let Seen::Data { content: claimed, inputs, .. } = &record.seen else { return Ok(None) };
    for input in inputs {
        rebuild(facts, input)?;
    }
    let Some(actual) = digest_of_content(facts, record)? else { return Ok(None) };
    let differs = actual != *claimed;
    Ok(differs.then(|| {
        let expected = format!("content {claimed}");
        Finding::new(Code::ObservationInvalid, "").expected(expected).actual(format!("content {actual}"))
    }))
}
