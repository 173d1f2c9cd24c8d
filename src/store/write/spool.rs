//! A file without a name: for what must be read twice, or waits to be filed. It goes with the process that holds it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::format::steps::{Step, Steps};
use crate::store::{Error, beneath};

/// A file that nobody else can open, in a directory of temporary files.
pub struct Spool {
    file: BufWriter<File>,
    dir: PathBuf,
}

impl Spool {
    /// Makes one. A link in the place of the directory could lead out of the store and is refused.
    ///
    /// # Errors
    /// [`Error::NotADirectory`], [`Error::Stopped`], [`Error::Io`].
    pub fn new(dir: &Path, steps: &dyn Steps) -> Result<Self, Error> {
        steps.before(Step::Write, dir).map_err(|source| Error::Stopped { path: dir.to_owned(), source })?;
        let io = |error| Error::io(dir, error);
        match beneath::open_root(dir) {
            Err(Error::Nothing { .. }) => std::fs::create_dir_all(dir).map_err(io)?,
            opened => drop(opened?),
        }
        let file = tempfile::tempfile_in(dir).map_err(io)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), dir: dir.to_owned() })
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|error| Error::io(&self.dir, error))
    }

    /// Adds everything up to the end of a stream.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add_all(&mut self, reader: &mut dyn Read) -> Result<(), Error> {
        std::io::copy(reader, &mut self.file).map(drop).map_err(|error| Error::io(&self.dir, error))
    }

    /// All of it, from the start, as often as it is asked for.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn read(&mut self) -> Result<BufReader<&File>, Error> {
        let rewound = self.file.flush().and_then(|()| self.file.get_mut().seek(SeekFrom::Start(0)));
        rewound.map_err(|error| Error::io(&self.dir, error))?;
        Ok(BufReader::with_capacity(1 << 20, self.file.get_ref()))
    }

    /// The file itself.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn into_file(self) -> Result<File, Error> {
        let dir = self.dir;
        self.file.into_inner().map_err(|error| Error::io(dir, error.into_error()))
    }
}
