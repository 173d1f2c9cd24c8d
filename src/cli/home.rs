//! `--forge` and `--host`: where an entity is that is named in short.

use clap::Args;

use crate::format::entity::Forge;
use crate::ops::Error;
use crate::ops::wanted::Asked;

/// Where `owner/name#number` is.
#[derive(Debug, Args)]
pub struct Home {
    /// Where owner/name#number is, unless the store, the payloads or the event tell: github, gitlab (owner/name!number too), gitea, forgejo
    #[arg(long, value_name = "FORGE", value_parser = forge)]
    forge: Option<Forge>,
    /// Its host; where nothing else tells, github.com or gitlab.com
    #[arg(long, value_name = "HOST", requires = "forge")]
    host: Option<String>,
}

fn forge(name: &str) -> Result<Forge, String> {
    name.parse().map_err(|_| "there are github, gitlab, gitea and forgejo".to_owned())
}

impl Home {
    /// The entity that a text names.
    pub fn asked(&self, text: &str) -> Result<Asked, Error> {
        Asked::new(text, self.forge, self.host.as_deref())
    }
}
