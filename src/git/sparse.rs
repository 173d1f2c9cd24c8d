//! What a sparse checkout leaves out of a work tree although the index has it.

use gix::index::entry::Flags;

use super::{Repo, Result};

impl Repo {
    /// How many files or folded directories a sparse checkout leaves out of the work tree, of those that have one of some names
    /// right below a directory of it (`""`: its top), or stand below one that has.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn left_out(&self, dir: &str, names: &[&str]) -> Result<usize> {
        let is_sparse = self.local().config_snapshot().boolean("core.sparseCheckout") == Some(true);
        let Some(top) = self.work_dir().filter(|_| is_sparse) else { return Ok(0) };
        let index = self.index(&self.git_dir().join("index"))?;
        let dir = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let is_meant = |path: &str| match path.strip_prefix(&dir) {
            Some(below) => below.split('/').next().is_some_and(|name| below.is_empty() || names.contains(&name)),
            // A directory that is folded with all that is in it.
            None => path.ends_with('/') && dir.starts_with(path),
        };
        let skipped = index.entries().iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE));
        let paths = skipped.map(|entry| entry.path(&index).to_string());
        Ok(paths.filter(|path| is_meant(path) && top.join(path).symlink_metadata().is_err()).count())
    }
}
