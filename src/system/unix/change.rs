//! Changing what a directory holds.

use std::fs::File;
use std::io::{self, Write as _};

use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags, RawMode, RenameFlags};
use rustix::io::Errno;

use super::dir::{DIRECTORY, Dir, STEP};
use super::file::{hold_open, identity, is_own, is_same, kind_of_answer};
use crate::system::{Hold, Identity, Kind};

impl Dir {
    /// Creates a file that must not be there, with its content and a mode from which the umask takes.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] for one that is there.
    pub fn create_file(&self, name: &[u8], bytes: &[u8], mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(fs::openat(&self.0, name, flags, self::mode(mode))?);
        file.write_all(bytes)?;
        Ok(file)
    }

    /// Creates a directory, with a mode from which the umask takes.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] for what is there.
    pub fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, self::mode(mode))?)
    }

    /// Gives what has one name another, in the place of what has that.
    ///
    /// # Errors
    /// Those of the system.
    pub fn rename(&self, old: &[u8], to: &Self, new: &[u8]) -> io::Result<()> {
        Ok(fs::renameat(&self.0, old, &to.0, new)?)
    }

    /// The same unless something has the new name.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`].
    pub fn rename_new(&self, old: &[u8], to: &Self, new: &[u8]) -> io::Result<()> {
        match fs::renameat_with(&self.0, old, &to.0, new, RenameFlags::NOREPLACE) {
            // Some file systems do not have the flag. Looking first leaves a moment for others, who are kept out by the lock.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match to.kind(new) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename(old, to, new),
                Ok(_) => Err(Errno::EXIST.into()),
                Err(error) => Err(error),
            },
            done => Ok(done?),
        }
    }

    /// Exchanges two names.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where the system or the file system cannot.
    pub fn exchange(&self, one: &[u8], other: &[u8]) -> io::Result<()> {
        fs::renameat_with(&self.0, one, &self.0, other, RenameFlags::EXCHANGE).map_err(|errno| match errno {
            Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => io::ErrorKind::Unsupported.into(),
            errno => errno.into(),
        })
    }

    /// Removes what is no directory; a link itself, not what it leads to.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Sets the mode of this directory, whatever the umask.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fs::fchmod(&self.0, self::mode(mode))?)
    }

    /// Sets the mode of a file in it that was just created.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_file_mode(&self, _name: &[u8], file: &File, mode: u32) -> io::Result<()> {
        Ok(fs::fchmod(file, self::mode(mode))?)
    }

    /// Lets this user read, change and enter the directory that has a name in this one. What a link leads to is left alone.
    ///
    /// # Errors
    /// When it is no directory, or another's.
    pub fn reclaim(&self, name: &[u8]) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use std::fs::Permissions;
            use std::os::fd::AsRawFd as _;
            use std::os::unix::fs::PermissionsExt as _;
            // The kernel changes no mode through such a descriptor, but through the name that it has in proc.
            let found = fs::openat(&self.0, name, STEP, Mode::empty())?;
            let itself = format!("/proc/self/fd/{}", found.as_raw_fd());
            std::fs::set_permissions(itself, Permissions::from_mode(0o700))
        }
        #[cfg(not(target_os = "linux"))]
        {
            if self.kind(name)? != Kind::Directory {
                return Err(Errno::NOTDIR.into());
            }
            Ok(fs::chmodat(&self.0, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)?)
        }
    }

    /// Flushes the names in it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.0)?)
    }

    /// Flushes everything of the file system that it lies in.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync_all(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        fs::syncfs(&self.0)?;
        #[cfg(not(target_os = "linux"))]
        {
            fs::sync();
            fs::fsync(&self.0)?;
        }
        Ok(())
    }

    /// Flushes the data of a file in it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync_file(&self, name: &[u8]) -> io::Result<()> {
        self.enter_file(name)?.sync_data()
    }

    /// Which directory this is.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn identity(&self) -> io::Result<Identity> {
        identity(&File::from(self.0.try_clone()?))
    }

    /// Which directory has a name in this one; it need not be one that may be read.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn identity_of(&self, name: &[u8]) -> io::Result<Identity> {
        identity(&File::from(fs::openat(&self.0, name, STEP, Mode::empty())?))
    }

    /// Opens the directory that has a name in this one, and locks it as long as it is open, so that nobody takes it for a
    /// leftover. `None` when the name leads elsewhere by now.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn occupy(&self, name: &[u8]) -> io::Result<Option<Self>> {
        let dir = match fs::openat(&self.0, name, DIRECTORY, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            opened => opened?,
        };
        // A file system without locks for directories has nothing swept either.
        let _ = fs::flock(&dir, FlockOperation::LockExclusive);
        Ok(is_same(&self.0, name, &dir)?.then_some(Self(dir)))
    }

    /// The same for one that nobody occupies, and that is this user's; `None` for every other.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn occupy_dead(&self, name: &[u8]) -> io::Result<Option<Self>> {
        // A link or a file is not ours; what has vanished is swept.
        let Ok(dir) = fs::openat(&self.0, name, DIRECTORY, Mode::empty()) else { return Ok(None) };
        let is_own = is_own(&fs::fstat(&dir)?);
        let is_dead = is_own && fs::flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok();
        Ok((is_dead && is_same(&self.0, name, &dir)?).then_some(Self(dir)))
    }

    /// Keeps others from taking this directory for a leftover as long as it is open, unless one of them holds it already.
    pub fn keep(&self) {
        let _ = fs::flock(&self.0, FlockOperation::NonBlockingLockExclusive);
    }

    /// Takes a file of this user for this process alone; `make` creates it, mode 0600.
    ///
    /// # Errors
    /// When it cannot be opened or locked, also because a link has its name.
    pub fn hold(&self, name: &[u8], make: bool) -> io::Result<Hold> {
        let create = if make { OFlags::CREATE } else { OFlags::empty() };
        let flags = OFlags::RDWR | create | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = fs::openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?;
        let stat = fs::fstat(&file)?;
        if kind_of_answer(&stat) != Kind::File || !is_own(&stat) {
            return Ok(Hold::Foreign);
        }
        hold_open(File::from(file), |file| Ok(is_same(&self.0, name, file)?))
    }

    /// Removes a file that is held; whatever has taken its name meanwhile is another's, and stays.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_held(&self, name: &[u8], held: &File) -> io::Result<()> {
        if is_same(&self.0, name, held)? { self.remove_file(name) } else { Ok(()) }
    }
}

fn mode(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as RawMode)
}
