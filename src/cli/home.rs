//! `--forge` and `--host`: where an entity is that is named in short.

use clap::Args;

use crate::ops::Error;
use crate::ops::wanted::Wanted;

/// Where `owner/name#number` is.
#[derive(Debug, Args)]
pub struct Home {
    /// Where owner/name#number is: github, gitlab (owner/name!number too), gitea, forgejo
    #[arg(long, value_name = "FORGE")]
    forge: Option<String>,
    /// Its host; without it github.com or gitlab.com
    #[arg(long, value_name = "HOST", requires = "forge")]
    host: Option<String>,
}

impl Home {
    /// The entity that a text names.
    pub fn wanted(&self, text: &str) -> Result<Wanted, Error> {
        Wanted::at(text, self.forge.as_deref(), self.host.as_deref())
    }
}
