//! Disclosure: relevance is a judgment, showing is a grant. The bounds are made before anything is shown or asked, and they are kept.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::format::evidence::{Allowance, Basis, Bound, Candidate, Disclosure, Manifest, Readness};

/// Who will see what is rendered, and what the host lets it see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// The name of the resolved profile.
    pub profile: String,
    /// True when nothing leaves this machine or its private network.
    pub local: bool,
    /// The paths that may be read; `None` grants what the collection itself read.
    pub grants: Option<BTreeSet<String>>,
}

/// A profile that is not known by name and whose locality was not said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("profile {0:?} is not one of direct_local, own_provider, hosted_http, relay, and its locality was not given")]
pub struct UnknownProfile(pub String);

impl Audience {
    /// Resolves a profile: `direct_local` is local, `own_provider` when its address is loopback or private, hosted ones never.
    /// A name is never looked up: only `localhost` and literal addresses can be local.
    ///
    /// # Errors
    /// [`UnknownProfile`] for any other name, unless `local` says what it is.
    pub fn resolve(
        profile: &str,
        address: Option<&str>,
        local: Option<bool>,
        grants: Option<BTreeSet<String>>,
    ) -> Result<Self, UnknownProfile> {
        let local = match (profile, local) {
            ("direct_local", _) => true,
            ("own_provider", _) => address.is_some_and(is_private),
            ("hosted_http" | "relay", _) => false,
            (_, Some(local)) => local,
            (_, None) => return Err(UnknownProfile(profile.to_owned())),
        };
        Ok(Self { profile: profile.to_owned(), local, grants })
    }

    /// Whether the host grants a path; without a list, whether the collection read it.
    pub fn grants(&self, path: &str, read: &BTreeSet<String>) -> bool {
        self.grants.as_ref().unwrap_or(read).contains(path)
    }

    /// One bound a candidate, in their order. Neither the pick nor any text of the repository has a say.
    pub fn disclosure(&self, manifest: &Manifest) -> Disclosure {
        let read =
            manifest.candidates.iter().filter(|c| c.readness != Readness::Refused).map(|c| c.path.clone()).collect();
        let bound = |candidate: &Candidate| {
            let (allowance, basis) = self.bound(candidate, self.grants(&candidate.path, &read));
            Bound { path: candidate.path.clone(), span: candidate.span, allowance, basis }
        };
        Disclosure {
            profile: self.profile.clone(),
            local: self.local,
            bounds: manifest.candidates.iter().map(bound).collect(),
        }
    }

    fn bound(&self, candidate: &Candidate, granted: bool) -> (Allowance, Basis) {
        let place = if candidate.span.is_some() { Allowance::PathSpan } else { Allowance::PathOnly };
        match candidate.readness {
            _ if !granted => (Allowance::PathOnly, Basis::OutsideGrants),
            Readness::Refused => (place, Basis::Refused),
            Readness::Truncated if !self.local => (place, Basis::Truncated),
            _ => (Allowance::Content, Basis::Admitted),
        }
    }
}

/// The manifest as the audience may see it: what a bound does not allow is taken away, not only marked.
pub fn redact(manifest: &Manifest, disclosure: &Disclosure) -> Manifest {
    let redacted = |(candidate, bound): (&Candidate, &Bound)| {
        let mut seen = candidate.clone();
        if bound.allowance < Allowance::Content {
            (seen.digest, seen.bytes, seen.base, seen.readness) = (None, 0, None, Readness::Refused);
            seen.withheld = Some(format!("disclosure allows {} ({})", bound.allowance.name(), bound.basis.name()));
        }
        if bound.allowance < Allowance::PathSpan {
            seen.span = None;
        }
        seen
    };
    Manifest {
        candidates: manifest.candidates.iter().zip(&disclosure.bounds).map(redacted).collect(),
        ..manifest.clone()
    }
}

/// Loopback, link-local, private IPv4, unique local IPv6; a port, brackets, a scheme and a path are passed over.
fn is_private(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or(host);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let bare = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or(host),
        None => host,
    };
    match bare.parse() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => {
            let mapped =
                ip.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback() || v4.is_private() || v4.is_link_local());
            mapped || ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        Err(_) => bare.eq_ignore_ascii_case("localhost"),
    }
}
