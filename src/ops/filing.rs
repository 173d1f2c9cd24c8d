//! Filing what another verb than `observe` adds to a store: each layer is durable before the next, which names it.

use std::collections::BTreeMap;

use super::Error;
use super::commit::Branching;
use super::place::Place;
use crate::format::steps::Steps;
use crate::format::time::Time;
use crate::store::write::Writer;

/// Files by path.
pub(super) type Layer = BTreeMap<String, Vec<u8>>;

/// Files layers in a work tree, or straight in a branch, where all of them are one commit. What is there already stays.
///
/// # Errors
/// `store-locked`, `store-conflict`, those of git and of the file system.
pub(super) fn file(
    place: &Place,
    layers: Vec<Layer>,
    now: Time,
    message: &str,
    steps: &dyn Steps,
) -> Result<(), Error> {
    let root = match place {
        Place::Directory { root, .. } => root,
        Place::Branch { repo, name } => {
            let mut branching = Branching::begin(repo, name, steps)?;
            branching.add(layers.into_iter().flatten().collect())?;
            return branching.finish(message, now).map(drop);
        }
    };
    let _lock = place.locked(steps)?;
    let mut writer = Writer::new(root, &place.temp_dir(), steps)?;
    for layer in layers {
        for (path, bytes) in layer {
            writer.put(&path, bytes)?;
        }
        writer.flush()?;
    }
    Ok(())
}
