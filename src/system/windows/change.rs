//! Changing what a directory holds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::windows::fs::FileTypeExt as _;

use super::dir::{Dir, is_unused};
use super::file::{file_number, hold, number};
use crate::system::{Hold, Identity, Kind, born, kind_at};

impl Dir {
    /// Creates a file that must not be there, with its content. It inherits the rights of its directory.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] for one that is there.
    pub fn create_file(&self, name: &[u8], bytes: &[u8], _mode: u32) -> io::Result<File> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(self.join(name)?)?;
        file.write_all(bytes)?;
        Ok(file)
    }

    /// Creates a directory. It inherits the rights of the one that it is in.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] for what is there.
    pub fn create_dir(&self, name: &[u8], _mode: u32) -> io::Result<()> {
        fs::create_dir(self.join(name)?)
    }

    /// Gives what has one name another, in the place of what has that.
    ///
    /// # Errors
    /// Those of the system.
    pub fn rename(&self, old: &[u8], to: &Self, new: &[u8]) -> io::Result<()> {
        fs::rename(self.join(old)?, to.join(new)?)
    }

    /// The same unless something has the new name.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`].
    pub fn rename_new(&self, old: &[u8], to: &Self, new: &[u8]) -> io::Result<()> {
        let (from, onto) = (self.join(old)?, to.join(new)?);
        if kind_at(&from)? == Kind::File {
            match fs::hard_link(&from, &onto) {
                Ok(()) => return fs::remove_file(from),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                // A file system without second names.
                Err(_) => {}
            }
        }
        // Looking first leaves a moment for others, who are kept out by the lock.
        match kind_at(&onto) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::rename(from, onto),
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) => Err(error),
        }
    }

    /// Windows exchanges no names.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`].
    pub fn exchange(&self, _one: &[u8], _other: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Removes what is no directory, also when it is read-only; a link itself, not what it leads to.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        let path = self.join(name)?;
        let found = fs::symlink_metadata(&path)?;
        if found.file_type().is_symlink_dir() {
            return fs::remove_dir(path);
        }
        let mut permissions = found.permissions();
        if found.is_file() && permissions.readonly() {
            permissions.set_readonly(false);
            fs::set_permissions(&path, permissions)?;
        }
        fs::remove_file(path)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        fs::remove_dir(self.join(name)?)
    }

    /// A directory has no mode here: its rights are inherited.
    ///
    /// # Errors
    /// None.
    pub fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    /// Makes a file that was just created read-only where the mode says so.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_file_mode(&self, name: &[u8], file: &File, mode: u32) -> io::Result<()> {
        let mut permissions = file.metadata()?.permissions();
        permissions.set_readonly(mode & 0o200 == 0);
        fs::set_permissions(self.join(name)?, permissions)
    }

    /// Rights that were taken away are not given back here.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`].
    pub fn reclaim(&self, _name: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Names are in the journal of the file system; there is no way to wait for them.
    ///
    /// # Errors
    /// None.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Windows lets only an administrator flush a file system.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`].
    pub fn sync_all(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Flushes the data of a file in it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync_file(&self, name: &[u8]) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.join(name)?)?.sync_data()
    }

    /// Which directory this is.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn identity(&self) -> io::Result<Identity> {
        let (device, inode) = number(self.handle())?;
        Ok(Identity { device, inode, born: born(self.handle()) })
    }

    /// Which directory has a name in this one.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn identity_of(&self, name: &[u8]) -> io::Result<Identity> {
        self.open_movable(name)?.identity()
    }

    /// Opens the directory that has a name in this one. As long as it is open nobody takes it for a leftover.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn occupy(&self, name: &[u8]) -> io::Result<Option<Self>> {
        match self.open_movable(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// The same for one that is open nowhere; `None` for every other. Whose it is cannot be asked.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn occupy_dead(&self, name: &[u8]) -> io::Result<Option<Self>> {
        // A link or a file is not ours; what has vanished is swept.
        if is_unused(&self.join(name)?).unwrap_or(false) { self.occupy(name) } else { Ok(None) }
    }

    /// Being open is enough to keep others from taking this directory for a leftover.
    pub fn keep(&self) {}

    /// Takes a file for this process alone; `make` creates it. Whose it is cannot be asked.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn hold(&self, name: &[u8], make: bool) -> io::Result<Hold> {
        hold(&self.join(name)?, make)
    }

    /// Removes a file that is held; whatever has taken its name meanwhile is another's, and stays.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_held(&self, name: &[u8], held: &File) -> io::Result<()> {
        let path = self.join(name)?;
        match file_number(&path) {
            Ok(found) if found == number(held)? => fs::remove_file(path),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}
