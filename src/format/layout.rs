//! How a tree is laid out: by name, as `--layout` and the record of a stage have it.

use std::str::FromStr;

use super::upstream::LAYOUT;

/// A layout of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Our own.
    #[default]
    Docket,
    /// [`LAYOUT`]: one entity, closed documents.
    EntityContextSnapshot,
}

impl Layout {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docket => "docket",
            Self::EntityContextSnapshot => LAYOUT,
        }
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = [Self::Docket, Self::EntityContextSnapshot].into_iter().find(|layout| layout.name() == name);
        found.ok_or_else(|| format!("no such layout; there are docket and {LAYOUT}"))
    }
}
