//! What is filed already says of owners that the payloads name by number or commit only.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::forge::owners::Owners;
use crate::forge::recognise::SubjectHint;
use crate::forge::url::Request;
use crate::format::facet::Facet;
use crate::format::path::segment;
use crate::ops::Error;
use crate::store::facts::{Facts, Filed};
use crate::store::split::{Content, content};

/// What is asked of the facts: most invocations ask nothing, and nothing is read then.
#[derive(Default)]
pub(super) struct Needs {
    /// The hosts whose repositories are named by number.
    hosts: BTreeSet<String>,
    /// The repositories of which the heads of pull requests are asked, by their directories.
    repositories: BTreeSet<String>,
}

/// Where the answers lie.
struct Records {
    /// All headers of threads whose heads are asked.
    heads: Vec<String>,
    /// Of each repository on a host where numbers are asked, the last header of each subject.
    numbers: Vec<Vec<String>>,
}

impl Needs {
    /// Notes a request whose repository is known by its number.
    pub(super) fn request(&mut self, request: &Request, owners: &Owners) {
        if let (None, Some(id)) = (&request.target.repository, request.target.repository_id) {
            self.subject(&SubjectHint::ByRepositoryId { host: request.target.host.clone(), id, number: None }, owners);
        }
    }

    /// Notes what names no subject by itself, and is not known from the payloads.
    pub(super) fn subject(&mut self, subject: &SubjectHint, owners: &Owners) {
        match subject {
            _ if owners.knows(subject) => {}
            SubjectHint::ByRepositoryId { host, .. } => drop(self.hosts.insert(host.clone())),
            SubjectHint::AtHead { repository, .. } => drop(self.repositories.insert(repository.dir())),
            SubjectHint::Known(_) | SubjectHint::OfItem { .. } => {}
        }
    }

    /// What the facts tell. Every name that a number ever had is learnt, so that one with two names stands for neither; heads
    /// are those of any look that was filed.
    ///
    /// # Errors
    /// When the facts cannot be read. Damage is for `verify` to tell.
    pub(super) fn owners(&self, facts: &Facts<'_>) -> Result<Owners, Error> {
        let mut owners = Owners::default();
        if self.hosts.is_empty() && self.repositories.is_empty() {
            return Ok(owners);
        }
        let Records { heads, numbers } = self.records(facts)?;
        let numbers = numbers.par_iter().map(|paths| first_that_tells(facts, paths));
        learn(facts, &heads)?.into_iter().for_each(|one| owners.merge(one));
        numbers.collect::<Result<Vec<_>, _>>()?.into_iter().for_each(|one| owners.merge(one));
        Ok(owners)
    }

    /// The records of headers that can tell.
    fn records(&self, facts: &Facts<'_>) -> Result<Records, Error> {
        let subjects = facts.subjects()?;
        let mut heads = Vec::new();
        let mut numbers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (dir, records) in subjects {
            let header = |path: &&String| path.rsplit('/').nth(1) == Some(Facet::Header.name());
            if self.repositories.iter().any(|own| is_thread_of(&dir, own)) {
                heads.extend(records.iter().filter(header).cloned());
            } else if let Some(repository) = repository_of(&dir).filter(|_| self.is_on_host(&dir)) {
                numbers.entry(repository.to_owned()).or_default().extend(records.iter().rfind(header).cloned());
            }
        }
        Ok(Records { heads, numbers: numbers.into_values().collect() })
    }

    fn is_on_host(&self, dir: &str) -> bool {
        let host = dir.split('/').nth(1).unwrap_or_default();
        self.hosts.iter().any(|wanted| segment(wanted) == host)
    }
}

fn is_thread_of(dir: &str, repository: &str) -> bool {
    let is_thread = |rest: &str| ["/thread/", "/merge-request/"].iter().any(|word| rest.starts_with(word));
    dir.strip_prefix(repository).is_some_and(is_thread)
}

/// The directory of the repository that a subject's directory lies in; none for an account.
fn repository_of(dir: &str) -> Option<&str> {
    let ends = ["/thread/", "/-/"].iter().find_map(|word| dir.find(word));
    ends.map(|end| &dir[..end]).or_else(|| dir.strip_suffix("/repository"))
}

/// How many records are read at once for the number of one repository.
const LOT: usize = 64;

/// What the first of these records tells that names a number: not every record of an issue does.
fn first_that_tells(facts: &Facts<'_>, paths: &[String]) -> Result<Owners, Error> {
    let (first, others) = paths.split_at(paths.len().min(1));
    for lot in [first].into_iter().chain(others.chunks(LOT)) {
        if let Some(told) = learn(facts, lot)?.into_iter().find(Owners::has_repository) {
            return Ok(told);
        }
    }
    Ok(Owners::default())
}

fn learn(facts: &Facts<'_>, paths: &[String]) -> Result<Vec<Owners>, Error> {
    let filed = facts.load(paths)?;
    Ok(filed.par_iter().filter_map(|filed| of_record(facts, filed)).collect())
}

fn of_record(facts: &Facts<'_>, filed: &Filed) -> Option<Owners> {
    let record = filed.record.as_ref().ok()?;
    let Ok(Content::Record { json, .. }) = content(facts, record) else { return None };
    let mut owners = Owners::default();
    owners.learn_record(&record.subject, &json);
    Some(owners)
}
