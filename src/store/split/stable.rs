//! The digest of content: what two looks must share to be the same, however the forge's counters move meanwhile.

use memchr::memmem;

use crate::format::digest::{Digest, Hasher};
use crate::format::json::{self, Json, Object};

/// Members of an embedded user that say nothing about it.
const OF_USER: [&str; 15] = [
    "avatar_url",
    "gravatar_id",
    "followers_url",
    "following_url",
    "gists_url",
    "starred_url",
    "subscriptions_url",
    "organizations_url",
    "repos_url",
    "events_url",
    "received_events_url",
    "last_login",
    "followers_count",
    "following_count",
    "starred_repos_count",
];

/// Members of an embedded repository that move without anything happening to what embeds it.
const OF_REPOSITORY: [&str; 16] = [
    "pushed_at",
    "updated_at",
    "size",
    "stargazers_count",
    "watchers_count",
    "watchers",
    "forks_count",
    "forks",
    "open_issues_count",
    "open_issues",
    "network_count",
    "subscribers_count",
    "stars_count",
    "open_pr_counter",
    "release_counter",
    "mirror_updated",
];

/// So many bytes are digested at once.
const PIECE: usize = 4 << 10;

/// The digest of the canonical array of a record, or of the items of a set in order, less the volatile members of the
/// users and repositories embedded in them (docs/format.md, "Volatile members").
pub fn content_digest(values: &[&Json<'_>]) -> Digest {
    let mut contents = Contents::default();
    values.iter().for_each(|value| contents.add(value));
    contents.finish()
}

/// The same of items that need not all be at hand at once.
#[derive(Default)]
pub(super) struct Contents {
    hasher: Hasher,
    out: Vec<u8>,
    has_any: bool,
}

impl Contents {
    pub fn add(&mut self, value: &Json<'_>) {
        self.out.push(if self.has_any { b',' } else { b'[' });
        self.has_any = true;
        append(value, false, &mut self.out);
        if self.out.len() > PIECE {
            self.hasher.update(&self.out);
            self.out.clear();
        }
    }

    pub fn finish(mut self) -> Digest {
        self.out.extend_from_slice(if self.has_any { b"]" } else { b"[]" });
        self.hasher.update(&self.out);
        self.hasher.finish()
    }
}

/// The same of one value, whose canonical bytes are known already.
pub fn content_digest_of(value: &Json<'_>, canonical: &[u8]) -> Digest {
    // Each user and repository that is embedded has one of these names, which canonical bytes spell in one way.
    let embeds = |name: &str| memmem::find(canonical, name.as_bytes()).is_some();
    if embeds("\"avatar_url\":") || embeds("\"full_name\":") {
        return content_digest(&[value]);
    }
    let mut hasher = Hasher::default();
    [b"[", canonical, b"]"].into_iter().for_each(|piece| hasher.update(piece));
    hasher.finish()
}

/// Appends the canonical bytes of a value less what is volatile in it; `embedded` is false for the record or item itself.
fn append(value: &Json<'_>, embedded: bool, out: &mut Vec<u8>) {
    match value {
        Json::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                append(item, true, out);
            }
            out.push(b']');
        }
        Json::Object(object) => append_object(object, embedded, out),
        plain => json::append(plain, out),
    }
}

fn append_object(object: &Object<'_>, embedded: bool, out: &mut Vec<u8>) {
    let user = embedded && object.contains("login") && object.contains("avatar_url");
    let repository = embedded && object.contains("full_name") && object.contains("owner");
    let volatile = |name: &str| {
        (user && OF_USER.contains(&name))
            || (repository && (OF_REPOSITORY.contains(&name) || (name.ends_with("_url") && name != "html_url")))
    };
    out.push(b'{');
    let mut first = true;
    for (name, member) in object.iter().filter(|(name, _)| !volatile(name)) {
        if !first {
            out.push(b',');
        }
        first = false;
        json::append_text(name, out);
        out.push(b':');
        append(member, true, out);
    }
    out.push(b'}');
}
