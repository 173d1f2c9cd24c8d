//! What a repository has already. Each object that is added is asked for, most are new, and a name that no pack has would be looked for
//! among the loose files, a system call each.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use gix::ObjectId;
use gix_pack::index;

use super::odb::Odb;

/// With more packs than this, `git gc` is overdue, and the object database knows better ways to search them.
const MANY: usize = 64;

/// The objects of a repository and its alternates at one moment.
pub(super) struct Present {
    odb: Arc<Odb>,
    /// None when the object database is to be asked for everything.
    packs: Option<Vec<index::File>>,
    /// For each first byte of a name, whether there is a directory of loose objects.
    loose: [bool; 256],
}

impl Present {
    pub(super) fn new(odb: Arc<Odb>) -> Self {
        let mut present = Self { odb, packs: None, loose: [false; 256] };
        present.packs = present.look();
        present
    }

    /// Whether an object is known; what somebody else added in the meantime need not be seen.
    pub(super) fn has(&self, id: &ObjectId) -> bool {
        match &self.packs {
            Some(_) if self.loose[usize::from(id.first_byte())] => self.odb.has(id),
            Some(packs) => packs.iter().any(|pack| pack.lookup(id).is_some()),
            None => self.odb.has(id),
        }
    }

    /// Opens the indexes of all packs; none when that is not everything.
    fn look(&mut self) -> Option<Vec<index::File>> {
        let mut packs = Vec::new();
        for dir in self.odb.directories()? {
            self.look_for_loose(&dir)?;
            let names = match fs::read_dir(dir.join("pack")) {
                Ok(names) => names,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(_) => return None,
            };
            for name in names {
                let path = name.ok()?.path();
                if path.extension().is_some_and(|ending| ending == "idx") {
                    packs.push(index::File::at(&path, self.odb.hash_kind()).ok()?);
                }
                if packs.len() > MANY {
                    return None;
                }
            }
        }
        Some(packs)
    }

    /// Notes the folders of loose objects, each of which has the first two digits of its names.
    fn look_for_loose(&mut self, dir: &Path) -> Option<()> {
        for name in fs::read_dir(dir).ok()? {
            let name = name.ok()?.file_name();
            let digits = name.to_str().filter(|name| name.len() == 2);
            if let Some(first) = digits.and_then(|digits| usize::from_str_radix(digits, 16).ok()) {
                self.loose[first] = true;
            }
        }
        Some(())
    }
}
