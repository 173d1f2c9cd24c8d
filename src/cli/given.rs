//! What `stage` is given to read instead of a store, or over one: payloads, or the delivery of a webhook.

use std::path::{Path, PathBuf};

use super::args::Global;
use super::observe::{Inputs, story};
use super::output::ProgressLine;
use super::place::{MAX_DOCUMENT, read_input};
use super::world;
use crate::format::digest::Digest;
use crate::format::tree::Tree;
use crate::ops::Error;
use crate::ops::event::{Delivery, chosen, read_event};
use crate::ops::observe::{Report as Observed, observe_in_memory};
use crate::ops::stage::{Event, Left, Report};
use crate::ops::wanted::{Asked, Wanted, instead_of_file};

/// Facts that lie in memory, and what is to be said of their inputs.
pub(super) struct Given {
    /// The facts.
    pub facts: Box<dyn Tree>,
    observed: Observed,
}

impl Given {
    /// Reads payloads. What names no entity belongs to the only one that is wanted, else to the one that the caller names.
    pub fn payloads(paths: &[String], inputs: &Inputs, asked: &[Asked], global: &Global) -> Result<Self, Error> {
        let mut options = inputs.options(paths)?;
        if let [only] = asked {
            options.entity = Some(only.clone());
        }
        let progress = ProgressLine::new(global);
        options.progress = &progress;
        let (facts, observed) = observe_in_memory(&options, &mut std::io::stdin().lock())?;
        Ok(Self { facts: Box::new(facts), observed })
    }

    /// Refuses payloads that are another's: what names nothing would make a stage of the entity that was named by mistake.
    pub fn check(&self, asked: &[Asked]) -> Result<(), Error> {
        if !self.observed.shows_others_only {
            return Ok(());
        }
        let wanted = asked.iter().map(|asked| asked.find(self.facts.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let named: Vec<_> = wanted.iter().map(|wanted| wanted.subject.to_string()).collect();
        let is_wanted = |id: &str| match Asked::new(id, None, None) {
            Ok(Asked::At(one)) => wanted.iter().any(|wanted| wanted.subject == one.subject),
            _ => false,
        };
        let shown: Vec<_> =
            self.observed.entities.iter().filter(|id| !is_wanted(id)).take(3).map(String::as_str).collect();
        let message = format!("{}: the payloads show {}, and no look at it", named.join(", "), shown.join(", "));
        Err(Error::new("entity-not-found", message)
            .hint("--entity names what the payloads are of; FACET=PATH says that a list is of it"))
    }

    /// Says in a report what was not recognised; gives what is to be told besides.
    pub fn tell(&self, report: &mut Report) -> Vec<String> {
        let left = self.observed.unrecognised.iter();
        let left = left.map(|row| Left { input: row.input.clone(), reason: row.reason });
        report.unrecognised.get_or_insert_default().extend(left);
        story(&self.observed)
    }

    /// Says beside an error that the facts lack something what of the inputs was not recognised: it may be just that.
    pub fn explain(&self, error: Error) -> Error {
        let left = &self.observed.unrecognised;
        if left.is_empty() || !["layout-unmet", "entity-not-found"].contains(&error.code()) {
            return error;
        }
        let first: Vec<_> = left.iter().take(3).map(|row| format!("{}: {}", row.input, row.reason)).collect();
        let more =
            if left.len() > first.len() { format!(" and {} more", left.len() - first.len()) } else { String::new() };
        error.beside(&format!("not recognised: {}{more}", first.join(", ")))
    }
}

/// A delivery that sets off a stage.
pub(super) struct GivenEvent {
    /// What it is about.
    pub delivery: Delivery,
    /// The facts that it gives.
    pub given: Given,
    input: Digest,
    is_chosen: bool,
}

impl GivenEvent {
    /// Reads the delivery.
    pub fn read(file: Option<&Path>, inputs: &Inputs) -> Result<Self, Error> {
        let path = file.map(Path::to_path_buf).or_else(|| world::variable("GITHUB_EVENT_PATH").map(PathBuf::from));
        let path = path.ok_or_else(|| {
            Error::new("event-missing", "--event needs a file where GITHUB_EVENT_PATH is not set")
                .hint("git docket stage --event delivery.json --out DIR")
        })?;
        let name = path.display().to_string();
        let bytes = read_input(&path, MAX_DOCUMENT).map_err(|error| match instead_of_file(&name) {
            Some(hint) if !path.exists() => error.hint(hint),
            _ => error,
        })?;
        let stdin = ["-".to_owned()];
        let mut options = inputs.options(&stdin)?;
        let own = options.entity.as_ref().map(|asked| chosen(&bytes, &name, asked)).transpose()?;
        let delivery = read_event(&bytes, &name, own.as_ref().map(|own| (&own.subject, own.kind)))?;
        let is_chosen = own.is_some();
        options.entity = own.map(Asked::At);
        options.event = Some(delivery.event);
        // What is said of payloads is not said of the delivery beside them.
        (options.source, options.completeness) = (None, None);
        // The moment of the delivery, not that of its reading, orders it among other looks.
        options.observed_at = delivery.at.or(options.observed_at);
        let (facts, mut observed) = observe_in_memory(&options, &mut &bytes[..])?;
        let input = observed.inputs.iter().find_map(|row| row.digest.as_deref()?.parse().ok());
        let input = input.ok_or_else(|| Error::new("input-not-understood", format!("{name}: it has no digest")))?;
        // It was read as standard input, and is told of by its own name.
        let own = |input: &mut String| *input = format!("{name}{}", input.trim_start_matches('-'));
        observed.unrecognised.iter_mut().for_each(|row| own(&mut row.input));
        observed.findings.iter_mut().for_each(|row| own(&mut row.input));
        Ok(Self { delivery, given: Given { facts: Box::new(facts), observed }, input, is_chosen })
    }

    /// The entities that it is about.
    pub fn wanted(&self) -> Vec<Wanted> {
        let wanted = |(subject, kind): &(_, _)| Wanted { subject: Clone::clone(subject), kind: *kind };
        self.delivery.subjects.iter().map(wanted).collect()
    }

    /// The same for the verb.
    pub fn event(&self) -> Event<'_> {
        let Self { delivery, given, input, is_chosen } = self;
        Event { delivery, facts: given.facts.as_ref(), input: *input, chosen: *is_chosen }
    }
}
