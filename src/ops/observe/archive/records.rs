//! Records that wait: each names the digest, the container and all parts of the whole document, which are known at its end.

use std::io::{self, Read};

use rayon::prelude::*;

use crate::format::digest::Digest;
use crate::format::observation::{Observation, Seen};
use crate::format::time::Time;
use crate::ops::Error;
use crate::store::write::Spool;

use super::super::record::{Candidate, Dating};

/// What is known of the document at its end.
pub(super) struct Whole {
    pub digest: Digest,
    pub container: Digest,
    /// The elements that list all parts.
    pub parts: Vec<Digest>,
}

/// How many records are completed together.
const LOT: usize = 1024;

/// Records in a file without a name.
pub(super) struct Records {
    spool: Spool,
    pub count: u64,
}

/// A record as it waits: its bytes with any digests in the place of those that are not known, and the forge's time in it.
pub(super) type Waiting = (Vec<u8>, Option<Time>);

impl Records {
    pub(super) fn new(spool: Spool) -> Self {
        Self { spool, count: 0 }
    }

    pub(super) fn add(&mut self, (bytes, updated_at): &Waiting) -> Result<(), Error> {
        let time = updated_at.map(|time| time.to_string()).unwrap_or_default();
        for text in [time.as_bytes(), bytes] {
            self.spool.add(&(text.len() as u64).to_le_bytes())?;
            self.spool.add(text)?;
        }
        self.count += 1;
        Ok(())
    }

    /// Gives all records, complete, in lots.
    pub(super) fn each(
        &mut self,
        whole: &Whole,
        dating: Dating,
        mut take: impl FnMut(Vec<Candidate>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut left = self.count;
        let mut reader = self.spool.read()?;
        while left > 0 {
            let lot: io::Result<Vec<_>> = (0..left.min(LOT as u64)).map(|_| read(&mut reader)).collect();
            let lot =
                lot.map_err(|error| Error::new("io", format!("the records that wait cannot be read: {error}")))?;
            left -= lot.len() as u64;
            let complete =
                lot.into_par_iter().map(|waiting| complete(waiting, whole, dating)).collect::<Result<_, _>>()?;
            take(complete)?;
        }
        Ok(())
    }
}

fn read(reader: &mut impl Read) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut one = || -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        reader.read_exact(&mut length)?;
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        reader.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    Ok((one()?, one()?))
}

fn complete((time, bytes): (Vec<u8>, Vec<u8>), whole: &Whole, dating: Dating) -> Result<Candidate, Error> {
    let mut record = Observation::from_bytes(&bytes).map_err(|error| Error::new("io", error.to_string()))?;
    if let Seen::Data { inputs, .. } = &mut record.seen {
        for input in inputs {
            (input.digest, input.container) = (whole.digest, Some(whole.container));
            input.whole.clone_from(&whole.parts);
        }
    }
    let updated_at = std::str::from_utf8(&time).ok().and_then(|time| time.parse().ok());
    // Only what is in the profile is read in pieces.
    Ok(Candidate { record, updated_at, dating, opaque: Vec::new(), payloads: vec![0] })
}
