//! Trailers of the commits of snapshots: what a snapshot is, of which facts it was made, and of which scopes.

/// The trailer of a snapshot commit that names the snapshot.
pub(super) const SNAPSHOT_TRAILER: &str = "Docket-Snapshot";

/// The trailer of a snapshot commit that names the commit of its facts.
pub(super) const FACTS_TRAILER: &str = "Docket-Facts";

/// What that trailer says when not all facts were committed.
pub(super) const UNCOMMITTED: &str = "uncommitted";

/// The trailer of the commit of a snapshot of a part that names a scope of it, once for each.
pub(super) const SCOPE_TRAILER: &str = "Docket-Scope";

/// The value of a trailer in the last paragraph of a message.
pub(super) fn trailer<'m>(message: &'m str, name: &'m str) -> Option<&'m str> {
    trailers(message, name).next()
}

/// The values of a trailer that may stand there several times.
pub(super) fn trailers<'m>(message: &'m str, name: &'m str) -> impl Iterator<Item = &'m str> {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(": "))
}
