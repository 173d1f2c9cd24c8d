//! An entity as the caller named it, and where one is that is named in short.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use crate::forge::named::entity_from_text;
use crate::format::entity::{Entity, Forge, Kind, Repository, Subject};
use crate::format::path::unsegment;
use crate::format::tree::Tree;
use crate::store::facts::Facts;
use crate::store::layout::OBSERVATIONS;

/// An entity that the caller named; the short form does not say whether it is an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What facts are filed under.
    pub subject: Subject,
    /// The kind that the caller named.
    pub kind: Option<Kind>,
}

/// An entity as the caller named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// What was said tells where it is.
    At(Wanted),
    /// What was said does not.
    Short(Short),
}

/// `owner/name#number`, `owner/name!number` or `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Short {
    text: String,
    forge: Option<Forge>,
}

/// A forge and the host it is at.
type Home = (Forge, String);

/// What a text may name, by the directory of its facts.
type Candidates = BTreeMap<String, Wanted>;

impl Asked {
    /// Reads an id, the URL of a page or of the API, or a short form, at the forge and host that the caller names.
    ///
    /// # Errors
    /// `entity-invalid`, and `entity-ambiguous` for a URL that names its repository by number only.
    pub fn new(text: &str, forge: Option<Forge>, host: Option<&str>) -> Result<Self, Error> {
        let short = Short { text: text.to_owned(), forge };
        let forms = [Forge::GitHub, Forge::GitLab, Forge::Gitea, Forge::Forgejo];
        if host.is_none() && !text.contains(':') && forms.iter().any(|forge| short.at(*forge, "localhost").is_some()) {
            return Ok(Self::Short(short));
        }
        let home = (forge.unwrap_or(Forge::GitHub), host.unwrap_or("github.com"));
        let named = entity_from_text(text, Some(home)).map_err(|error| Error::new(error.code(), error.to_string()))?;
        Ok(Self::At(Wanted { subject: named.subject, kind: named.kind }))
    }

    /// The entity whose facts lie in a tree.
    ///
    /// # Errors
    /// `entity-ambiguous` where the tree has it at several places, and those of the tree.
    pub fn find(&self, tree: &dyn Tree) -> Result<Wanted, Error> {
        let short = match self {
            Self::At(wanted) => return Ok(wanted.clone()),
            Self::Short(short) => short,
        };
        let homes = homes(tree)?;
        let all = short.candidates(&homes);
        let mut filed = Candidates::new();
        for (dir, wanted) in &all {
            if !tree.list(&format!("{OBSERVATIONS}/{dir}")).map_err(Error::from)?.is_empty() {
                filed.insert(dir.clone(), wanted.clone());
            }
        }
        if let Some(wanted) = short.only(filed)? {
            return Ok(wanted);
        }
        // Nothing is found under any name; the one that comes nearest is told.
        let known = with_repository(&all, tree)?;
        let mut near = if known.is_empty() { all } else { known };
        match near.pop_first() {
            Some((_, wanted)) if near.is_empty() => Ok(wanted),
            _ => short.usual(),
        }
    }

    /// The entity that facts are to be filed under: the payloads say at which repository of that name, else the store.
    ///
    /// # Errors
    /// `entity-ambiguous` where several are known and none is the only one, and those of the tree.
    pub(super) fn to_file(&self, told: &BTreeSet<Repository>, tree: &dyn Tree) -> Result<Wanted, Error> {
        let short = match self {
            Self::At(wanted) => return Ok(wanted.clone()),
            Self::Short(short) => short,
        };
        let homes = homes(tree)?;
        // A host need not tell whether it is a Gitea or a Forgejo; what is filed under one of the two stays there.
        let home = |repository: &Repository| {
            let same = |(forge, host): &&Home| host == repository.host() && forge.has_api_of(repository.forge());
            let usual = || (repository.forge(), repository.host().to_owned());
            homes.iter().find(same).cloned().unwrap_or_else(usual)
        };
        let own = |repository: &&Repository| {
            short.at(repository.forge(), repository.host()).is_some_and(|wanted| is_of(&wanted, repository))
        };
        if let Some(wanted) = short.only(short.candidates(&told.iter().filter(own).map(home).collect()))? {
            return Ok(wanted);
        }
        if let Some(wanted) = short.only(with_repository(&short.candidates(&homes), tree)?)? {
            return Ok(wanted);
        }
        let everywhere = told.iter().map(home).chain(homes.iter().cloned()).collect();
        short.only(short.candidates(&everywhere))?.map_or_else(|| short.usual(), Ok)
    }
}

/// What is said to somebody who gives an entity where a file is read; `None` for any other text.
pub fn instead_of_file(text: &str) -> Option<String> {
    entity_from_text(text, Some((Forge::GitHub, "github.com"))).ok()?;
    Some(format!("{text} reads as an entity, which --entity names; here files and directories are read"))
}

impl Short {
    /// What it names at a place; `None` where it can name nothing there.
    fn at(&self, forge: Forge, host: &str) -> Option<Wanted> {
        // No name of a repository has the sign by which GitLab names merge requests.
        let is_other = self.forge.is_some_and(|own| own != forge);
        if is_other || (self.text.contains('!') && !forge.numbers_kinds_apart()) {
            return None;
        }
        let named = entity_from_text(&self.text, Some((forge, host))).ok()?;
        Some(Wanted { subject: named.subject, kind: named.kind })
    }

    fn candidates(&self, homes: &BTreeSet<Home>) -> Candidates {
        let wanted = homes.iter().filter_map(|(forge, host)| self.at(*forge, host));
        wanted.map(|wanted| (wanted.subject.dir(), wanted)).collect()
    }

    /// The only candidate, if there is one.
    fn only(&self, mut candidates: Candidates) -> Result<Option<Wanted>, Error> {
        if candidates.len() < 2 {
            return Ok(candidates.pop_first().map(|(_, wanted)| wanted));
        }
        const SHOWN: usize = 4;
        let ids: Vec<_> = candidates.values().map(Wanted::id).take(SHOWN).collect();
        let more = if candidates.len() > SHOWN { ", …" } else { "" };
        let message = format!("{:?} may be {}{more}", self.text, ids.join(" or "));
        Err(Error::new("entity-ambiguous", message).hint("name it in full, or say --forge and --host"))
    }

    /// What it names where nothing says otherwise: at GitHub, and at GitLab where that was said.
    fn usual(&self) -> Result<Wanted, Error> {
        let found = match self.forge {
            None | Some(Forge::GitHub) => self.at(Forge::GitHub, "github.com"),
            Some(Forge::GitLab) => self.at(Forge::GitLab, "gitlab.com"),
            Some(Forge::Gitea | Forge::Forgejo) => None,
        };
        found.ok_or_else(|| {
            let message = format!("{:?} does not say on which forge and host", self.text);
            Error::new("entity-ambiguous", message).hint("name it in full, or say --forge and --host")
        })
    }
}

impl Wanted {
    /// The id, with the kind where the caller named it.
    fn id(&self) -> String {
        match (&self.subject, self.kind) {
            (Subject::Thread { repository, number }, Some(kind)) => {
                Entity { repository: repository.clone(), kind, number: *number }.to_string()
            }
            (subject, _) => subject.to_string(),
        }
    }

    /// It is not known as an issue or pull request: nothing is filed under it, or it is a repository or account.
    pub(super) fn not_found(&self, is_filed: bool) -> Error {
        if is_filed && self.subject.number().is_none() {
            let message = format!("{}: looks at it are filed, but it is no issue or pull request", self.subject);
            return Error::new("entity-not-found", message).hint("show --raw header gives the newest record");
        }
        Error::new("entity-not-found", format!("{}: no look at it is filed", self.id())).hint(
            "git docket observe files what the forge says of it; --forge and --host say where owner/name#number is",
        )
    }
}

fn is_of(wanted: &Wanted, repository: &Repository) -> bool {
    wanted.subject.repository().is_some_and(|own| own.is_same(repository))
}

/// The candidates of whose repository anything is filed.
fn with_repository(candidates: &Candidates, tree: &dyn Tree) -> Result<Candidates, Error> {
    let mut known = Candidates::new();
    for (dir, wanted) in candidates {
        let Some(repository) = wanted.subject.repository() else { continue };
        if !tree.directories(&format!("{OBSERVATIONS}/{}", repository.dir())).map_err(Error::from)?.is_empty() {
            known.insert(dir.clone(), wanted.clone());
        }
    }
    Ok(known)
}

/// The forges and hosts of which anything is filed.
fn homes(tree: &dyn Tree) -> Result<BTreeSet<Home>, Error> {
    let mut found = BTreeSet::new();
    for name in tree.directories(OBSERVATIONS).map_err(Error::from)? {
        let Ok(forge) = name.parse::<Forge>() else { continue };
        for segment in tree.directories(&format!("{OBSERVATIONS}/{name}")).map_err(Error::from)? {
            let host = match unsegment(&segment) {
                Some(host) => Some(host),
                None => host_of_records(tree, &format!("{name}/{segment}"))?,
            };
            found.extend(host.map(|host| (forge, host)));
        }
    }
    Ok(found)
}

/// The host in the records below a directory whose name was cut.
fn host_of_records(tree: &dyn Tree, dir: &str) -> Result<Option<String>, Error> {
    let records = Facts::new(tree).observations(dir).map_err(Error::from)?;
    let mut subjects = records.iter().filter_map(|filed| Some(&filed.record.as_ref().ok()?.subject));
    Ok(subjects.find_map(|subject| subject.repository()).map(|repository| repository.host().to_owned()))
}
