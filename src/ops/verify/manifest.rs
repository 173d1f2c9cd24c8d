//! One `index.json` of a tree: is it the right one, is it an index, what does it list.

use std::io;

use super::cause::{self, Wanted};
use super::file::Listed;
use super::report::{Cause, Code, Finding, kind_name};
use super::tally::Tally;
use super::upstream::rows;
use crate::corpus::GapCode;
use crate::format::digest::Digest;
use crate::format::index::{self, Index, Node as IndexNode, NotAnIndex, Role};
use crate::format::json::{self, Json, Object};
use crate::format::path::is_safe;
use crate::format::tree::{FileKind, MAX_FILE, Tree, TreeEntry};
use crate::format::upstream;
use crate::ops::Error;

/// A manifest to be read.
pub(super) struct Node {
    /// Its directory, `""` for the root.
    pub dir: String,
    /// The digest that its parent or the anchor gives.
    pub digest: Option<Digest>,
    /// The size in bytes that its parent gives.
    pub bytes: Option<u64>,
}

impl Node {
    /// The path of the manifest.
    pub fn path(&self) -> String {
        join(&self.dir, index::NAME)
    }

    /// Reads the manifest. `None` when nothing can be relied on that it lists; the tally says why.
    pub fn load(&self, tree: &dyn Tree, there: &TreeEntry, tally: &mut Tally) -> Result<Option<Vec<Row>>, Error> {
        let Some(bytes) = self.read(tree, there, tally) else { return Ok(None) };
        let Some(bytes) = self.authentic(bytes, tally) else { return Ok(None) };
        if self.dir.is_empty() && upstream::is_index(&bytes) {
            return rows(&bytes, tally);
        }
        match self.parse(&bytes, tally)? {
            Some(index) => Ok(self.rows(index, tally)),
            None => Ok(None),
        }
    }

    fn read(&self, tree: &dyn Tree, there: &TreeEntry, tally: &mut Tally) -> Option<Vec<u8>> {
        let path = self.path();
        if there.kind != FileKind::File {
            tally.find(Finding::new(Code::NotRegularFile, path).expected("file").actual(kind_name(there.kind)));
            return None;
        }
        match tree.read(&path, index::MAX_BYTES) {
            Ok(Some(bytes)) => {
                tally.read(bytes.len());
                return Some(bytes);
            }
            Ok(None) => tally.find(Finding::new(Code::FileMissing, path)),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let code = if self.digest.is_some() { Code::IndexChanged } else { Code::IndexInvalid };
                let finding = Finding::new(code, path).actual(format!("more than {} bytes", index::MAX_BYTES));
                tally.find(Finding { expected: self.digest.map(|d| d.to_string()), ..finding });
            }
            Err(error) => tally.unread(&path, &error),
        }
        None
    }

    /// The bytes that the digest names: those read, or those that can be made from them. A manifest that cannot be
    /// restored is not believed in anything, so that one damage is one finding.
    fn authentic(&self, bytes: Vec<u8>, tally: &mut Tally) -> Option<Vec<u8>> {
        let Some(expected) = self.digest else { return Some(bytes) };
        let actual = Digest::of(&bytes);
        if actual == expected {
            // Right bytes of a size that their parent does not say: the parent contradicts itself.
            if let Some(size) = self.bytes.filter(|size| *size != bytes.len() as u64) {
                let finding = Finding::new(Code::SizeDiffers, self.path()).expected(format!("{size} bytes"));
                tally.find(finding.actual(format!("{} bytes", bytes.len())));
            }
            return Some(bytes);
        }
        let (cause, restored) = cause::find(&bytes, &Wanted { digest: &|d| *d == expected, bytes: None });
        tally.find(Finding::new(Code::IndexChanged, self.path()).expected(expected).actual(actual).cause(cause));
        restored
    }

    fn parse(&self, bytes: &[u8], tally: &mut Tally) -> Result<Option<Index>, Error> {
        let trouble = match Index::from_bytes(bytes) {
            Ok(index) => return Ok(Some(index)),
            Err(trouble) => trouble,
        };
        if let Some(newer) = trouble.newer().filter(|_| self.dir.is_empty()) {
            return Err(Error::newer(index::NAME, &newer));
        }
        if let (NotAnIndex::NotCanonical, Some(index)) = (&trouble, self.respelled(bytes, tally)) {
            return Ok(Some(index));
        }
        tally.find(self.invalid(trouble));
        Ok(None)
    }

    /// An index in another spelling is still an index.
    fn respelled(&self, bytes: &[u8], tally: &mut Tally) -> Option<Index> {
        let canonical = json::to_vec(&json::parse(bytes).ok()?);
        let index = Index::from_bytes(&canonical).ok()?;
        let expected = Digest::of(&canonical);
        let (cause, _) = cause::find(bytes, &Wanted { digest: &|d| *d == expected, bytes: None });
        let finding = Finding::new(Code::NotCanonical, self.path()).expected(expected);
        tally.find(finding.actual(Digest::of(bytes)).cause(cause));
        Some(index)
    }

    fn rows(&self, index: Index, tally: &mut Tally) -> Option<Vec<Row>> {
        if let Some(reason) = disorder(&index) {
            tally.find(self.invalid(reason));
            return None;
        }
        let mut rows = Vec::with_capacity(index.entries.len());
        for entry in index.entries {
            let path = join(&self.dir, &entry.path);
            if !is_safe(&entry.path) {
                tally.find(Finding::new(Code::PathUnsafe, path));
                continue;
            }
            let child = (entry.role == Role::Index).then(|| path[..path.len() - index::NAME.len() - 1].to_owned());
            rows.push(Row { child, listed: Listed { path, bytes: entry.bytes, digest: entry.sha256 } });
        }
        Some(rows)
    }

    fn invalid(&self, reason: impl ToString) -> Finding {
        Finding::new(Code::IndexInvalid, self.path()).actual(reason).cause(Cause::Unknown)
    }
}

/// What a manifest lists.
pub(super) struct Row {
    /// The file.
    pub listed: Listed,
    /// The directory of the child, when the file is its manifest.
    pub child: Option<String>,
}

/// What no index may say, whatever its digest.
fn disorder(index: &Index) -> Option<String> {
    if let IndexNode::Entity { members } = &index.node
        && let Some(strange) = strange(members)
    {
        return Some(strange);
    }
    let about = |path: &str, what: &str| Some(format!("{what}: {path}"));
    for pair in index.entries.windows(2) {
        match pair[0].path.cmp(&pair[1].path) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => return about(&pair[1].path, "a path is listed twice"),
            std::cmp::Ordering::Greater => return about(&pair[1].path, "the paths are not sorted"),
        }
    }
    for entry in &index.entries {
        let is_child = entry.path.ends_with("/index.json");
        if entry.path == index::NAME {
            return about(&entry.path, "the index lists itself");
        }
        if (entry.role == Role::Index) != is_child {
            return about(&entry.path, "the role index and the name index.json belong together");
        }
        if entry.bytes > MAX_FILE {
            return about(&entry.path, "a size is beyond the limit of a file");
        }
    }
    None
}

/// What no entity's index of these rules has: another member, a gap whose code the table of gaps does not list.
fn strange(members: &Object<'_>) -> Option<String> {
    if let Some((name, _)) = members.iter().find(|(name, _)| !index::MEMBERS.contains(name)) {
        return Some(format!("no index has the member {name:?}"));
    }
    let gaps = members.get("gaps").and_then(Json::as_array).unwrap_or_default();
    let code = |gap: &Json<'_>| gap.get("code").and_then(Json::as_str).unwrap_or_default().to_owned();
    let known = |code: &String| GapCode::ALL.iter().any(|known| known.name() == code);
    gaps.iter().map(code).find(|code| !known(code)).map(|code| format!("no gap has the code {code:?}"))
}

/// A path below a directory.
pub(super) fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}
