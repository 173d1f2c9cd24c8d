//! One file against the size and digest that something lists for it.

use std::io;

use super::cause::{self, Wanted};
use super::report::{Cause, Code, Finding, kind_name};
use super::tally::Tally;
use crate::format::digest::Digest;
use crate::format::tree::{FileKind, MAX_FILE, Tree, TreeEntry};

/// What should stand at a path.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// The path below the root.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The digest.
    pub digest: Digest,
}

impl Listed {
    /// The most that is read: enough to see a changed line end or normal form, never a disk full.
    fn limit(&self) -> u64 {
        const SEARCH: u64 = 16 << 20;
        self.bytes.saturating_add(4096 + self.bytes.saturating_mul(2).min(SEARCH)).min(MAX_FILE)
    }

    /// Reads what stands there and says what is wrong with it.
    pub fn check(&self, tree: &dyn Tree, there: &TreeEntry, tally: &mut Tally) {
        if there.kind != FileKind::File {
            let finding = Finding::new(Code::NotRegularFile, &self.path).expected("file");
            return tally.find(finding.actual(kind_name(there.kind)));
        }
        if let Some(size) = there.bytes.filter(|size| *size > self.limit()) {
            return tally.find(self.other_size(format!("{size} bytes"), Cause::Unknown));
        }
        match tree.read(&self.path, self.limit()) {
            Ok(Some(bytes)) => {
                tally.read(bytes.len());
                tally.findings.extend(self.compare(&bytes));
            }
            Ok(None) => tally.find(self.missing()),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                tally.find(self.other_size(format!("more than {} bytes", self.limit()), Cause::Unknown));
            }
            Err(error) => tally.unread(&self.path, &error),
        }
    }

    /// What is wrong with some bytes, if anything is.
    pub fn compare(&self, bytes: &[u8]) -> Option<Finding> {
        let actual = Digest::of(bytes);
        let size = bytes.len() as u64;
        if actual == self.digest && size == self.bytes {
            return None;
        }
        let (cause, _) = cause::find(bytes, &Wanted { digest: &|d| *d == self.digest, bytes: Some(self.bytes) });
        Some(if size == self.bytes {
            Finding::new(Code::FileChanged, &self.path).expected(self.digest).actual(actual).cause(cause)
        } else {
            self.other_size(format!("{size} bytes"), cause)
        })
    }

    /// The finding that nothing is there.
    pub fn missing(&self) -> Finding {
        Finding::new(Code::FileMissing, &self.path).expected(self.digest)
    }

    fn other_size(&self, actual: String, cause: Cause) -> Finding {
        let expected = format!("{} bytes", self.bytes);
        Finding::new(Code::SizeDiffers, &self.path).expected(expected).actual(actual).cause(cause)
    }
}
