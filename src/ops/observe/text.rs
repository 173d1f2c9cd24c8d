//! Which of the files found are texts: logs and diffs, by what the caller says, by their own form, or by the layout of a download.

use std::collections::{BTreeMap, BTreeSet};

use crate::forge::log::{Leaf, Place, is_set_up, is_timestamped, numbered, of_file, places};
use crate::forge::recognise::Reason;
use crate::forge::text::is_diff;
use crate::forge::zip::{self, ZipFile};
use crate::format::facet::Facet;
use crate::ops::Error;

use super::gather::{Aside, Found, Gathered};
use super::log::file_name;

/// A text and what is known of it from outside.
pub(super) struct Text {
    pub found: Found,
    pub facet: Facet,
    /// Whose log it is.
    pub item: Option<String>,
    /// Texts of one group and item follow each other: they are the steps of one job.
    pub group: usize,
}

/// Takes the texts out of what was found. What is no log in a folder or archive of logs is left aside with a reason.
pub(super) fn take(gathered: &mut Gathered) -> Result<Vec<Text>, Error> {
    let mut texts = Vec::new();
    let mut folders: BTreeMap<(usize, bool), Vec<Found>> = BTreeMap::new();
    let downloads = downloads(&gathered.files);
    for (at, file) in std::mem::take(&mut gathered.files).into_iter().enumerate() {
        let place = file.argument.zip(file.below.clone()).filter(|_| numbered(file_name(&file)).is_some());
        let in_download = place.is_some_and(|place| downloads.contains(&place));
        match (file.facet, file.argument.filter(|_| file.below.is_some())) {
            (None | Some(Facet::Logs), _) if zip::is_zip(&file.bytes) => {
                archive(file, at, &mut texts, gathered)?;
            }
            (Some(Facet::Logs), Some(argument)) if file.item.is_none() => {
                folders.entry((argument, true)).or_default().push(file);
            }
            (None, Some(argument)) if in_download => folders.entry((argument, false)).or_default().push(file),
            (Some(Facet::Logs), _) => {
                let name = if file.name == "-" { "log" } else { file_name(&file) };
                let place = file.item.clone().unwrap_or_else(|| of_file(name));
                texts.push(Text { found: file, facet: Facet::Logs, item: Some(place.item()), group: at });
            }
            (Some(Facet::Diff), _) => texts.push(Text { found: file, facet: Facet::Diff, item: None, group: at }),
            (None, _) if is_diff(&file.bytes) => {
                texts.push(Text { found: file, facet: Facet::Diff, item: None, group: at });
            }
            _ => gathered.files.push(file),
        }
    }
    let mut group = usize::MAX;
    for ((_, named), files) in folders {
        let top = files.iter().find_map(|file| file.top.clone()).unwrap_or_default();
        let below = |file: &Found| file.below.clone().unwrap_or_default();
        let leaves: Vec<_> = files.into_iter().map(|file| (below(&file), file_name(&file).to_owned(), file)).collect();
        group -= leaves.len();
        file_leaves(leaves, &top, named, group, &mut texts, gathered);
    }
    Ok(texts)
}

/// The folders of directories that look like the download of logs although nobody says so: by their names, and by the times that
/// the lines of their files begin with.
fn downloads(files: &[Found]) -> BTreeSet<(usize, String)> {
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|file| file.facet.is_none()) {
        let (Some(argument), Some(folder)) = (file.argument, &file.below) else { continue };
        let name = file_name(file);
        let known = numbered(name).is_some_and(|_| is_timestamped(&file.bytes)) || is_set_up(name);
        if known && is_timestamped(&file.bytes) {
            found.insert((argument, folder.clone()));
        }
    }
    found
}

/// The files of an archive. One that nobody calls logs and that does not look like a download of them is left aside whole.
fn archive(file: Found, group: usize, texts: &mut Vec<Text>, gathered: &mut Gathered) -> Result<(), Error> {
    let named = file.facet == Some(Facet::Logs) || file.must_be_json;
    let entries = match zip::read(&file.bytes) {
        Ok(entries) => entries,
        // A stranger in a directory is left aside, and what the caller names must be whole.
        Err(_) if !named => {
            gathered.left.push(aside(file, "archive-refused"));
            return Ok(());
        }
        Err(fault) => return Err(Error::new(fault.code(), format!("{}: {fault}", file.name))),
    };
    let is_download = entries.iter().any(|entry| numbered(leaf(&entry.path).file).is_some());
    if entries.is_empty() {
        gathered.left.push(aside(file, "archive-empty"));
        return Ok(());
    }
    if file.facet.is_none() && !is_download {
        gathered.left.push(aside(file, Reason::NotALog.code()));
        return Ok(());
    }
    let top = of_file(file_name(&file).strip_suffix(".zip").unwrap_or(file_name(&file)));
    let top = if let Place::Job(name) = top { name } else { file_name(&file).to_owned() };
    let one = |ZipFile { path, bytes }: ZipFile| {
        let of = leaf(&path);
        let found = Found {
            name: format!("{}/{path}", file.name),
            bytes,
            facet: file.facet,
            item: None,
            folder: file.folder.clone(),
            argument: None,
            below: file.below.clone(),
            top: None,
            must_be_json: false,
        };
        (of.folder.to_owned(), of.file.to_owned(), found)
    };
    let leaves: Vec<_> = entries.into_iter().map(one).collect();
    file_leaves(leaves, &top, true, group, texts, gathered);
    Ok(())
}

fn aside(file: Found, reason: &'static str) -> Aside {
    Aside { name: file.name, reason, bytes: Some(file.bytes) }
}

fn leaf(path: &str) -> Leaf<'_> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    Leaf { folder, file }
}

/// Gives each file of a download its place, the steps of a job in their order.
fn file_leaves(
    mut leaves: Vec<(String, String, Found)>,
    top: &str,
    named: bool,
    group: usize,
    texts: &mut Vec<Text>,
    gathered: &mut Gathered,
) {
    let order = |leaf: &(String, String, Found)| {
        let number = numbered(&leaf.1).map_or(i64::MAX, |found| found.number);
        (leaf.0.clone(), number, leaf.1.clone())
    };
    leaves.sort_by_cached_key(order);
    let names: Vec<_> = leaves.iter().map(|(folder, file, _)| Leaf { folder, file }).collect();
    let found = places(&names, top, named);
    for ((_, _, file), place) in leaves.into_iter().zip(found) {
        match place {
            Some(place) => texts.push(Text { found: file, facet: Facet::Logs, item: Some(place.item()), group }),
            None => gathered.left.push(aside(file, Reason::NotALog.code())),
        }
    }
}
