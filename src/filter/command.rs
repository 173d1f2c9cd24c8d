//! A command that fetches a URL: whether it carries a credential to somebody who has no business with it.

use super::scan::Place;

/// First words of a variable's name, and a word in the names of the hosts that the credential is for.
const VENDORS: &[(&str, &str)] = &[
    ("github", "github"),
    ("gh", "github"),
    ("actions", "github"),
    ("gitlab", "gitlab"),
    ("ci", "gitlab"),
    ("aws", "amazonaws"),
    ("openai", "openai"),
    ("anthropic", "anthropic"),
    ("npm", "npm"),
    ("node", "npm"),
    ("pypi", "pypi"),
    ("twine", "pypi"),
    ("slack", "slack"),
    ("hf", "huggingface"),
    ("docker", "docker"),
    ("google", "google"),
    ("azure", "azure"),
    ("cargo", "crates"),
];

/// Files that hold credentials, as an upload names them.
const FILES: &[&[u8]] =
    &[b"/.ssh/id_", b"/.aws/credentials", b"/.git-credentials", b"/.netrc", b"/etc/shadow", b"/.kube/config", b"/.env"];

/// Whether the command sends a credential of a known service to another host, or any secret as data. A request with the service's own
/// credential, or with a token in a header, is what every manual shows.
pub(super) fn sends_credentials(place: &Place<'_>) -> bool {
    let command = place.found();
    if uploads_file(command) {
        return true;
    }
    // Without a host nothing is sent anywhere.
    let Some(host) = host(command) else { return false };
    variables(command).any(|(at, name)| is_sent(command, at, &name, &host))
}

fn uploads_file(command: &[u8]) -> bool {
    FILES.iter().any(|file| {
        memchr::memmem::find(command, file).is_some_and(|at| {
            let before = &command[..at];
            let word =
                before.iter().rposition(|b| b.is_ascii_whitespace() || b"=\"'".contains(b)).map_or(0, |at| at + 1);
            let option = command[..word].trim_ascii_end();
            command[word..at].starts_with(b"@")
                || [&b"-T"[..], b"--upload-file", b"--post-file"].iter().any(|name| option.ends_with(name))
        })
    })
}

/// The variables in a command whose names are those of credentials, in upper case, with their places.
fn variables(command: &[u8]) -> impl Iterator<Item = (usize, String)> {
    memchr::memchr_iter(b'$', command).filter_map(|at| {
        let rest = &command[at + 1..];
        let braces = rest.iter().take_while(|b| matches!(b, b'{' | b' ')).count();
        let name = rest[braces..].iter().take(80).take_while(|b| b.is_ascii_alphanumeric() || b"_.:".contains(b));
        let name: String = name.map(|b| char::from(b.to_ascii_uppercase())).collect();
        let name = name.rsplit(['.', ':']).next().unwrap_or_default().to_owned();
        let secret =
            ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIALS"];
        secret.iter().any(|word| name.contains(word)).then_some((at, name))
    })
}

fn is_sent(command: &[u8], at: usize, name: &str, host: &str) -> bool {
    let first = name.split('_').next().unwrap_or_default().to_ascii_lowercase();
    let vendor = VENDORS.iter().find(|(word, _)| *word == first).map(|(_, host)| *host);
    if let Some(vendor) = vendor {
        return !is_own(host, vendor);
    }
    !in_header(command, at) && !is_named(command, at) && !is_own(host, "localhost")
}

/// The host that a command speaks to, in lower case; `None` when it names none.
fn host(command: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(command, b"://")? + 3;
    let host = command[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || b"$.-_{}<[@:".contains(b));
    let host: String = host.map(|b| char::from(b.to_ascii_lowercase())).collect();
    // A user part is no host.
    Some(host.rsplit('@').next().unwrap_or_default().to_owned())
}

/// Whether a host may be that of the service: it has its name, stands in a variable, or is this machine.
fn is_own(host: &str, vendor: &str) -> bool {
    let placeholder = host.starts_with(['$', '{', '<', '[']) || host.is_empty();
    placeholder || host.contains(vendor) || host.starts_with("localhost") || host.starts_with("127.")
}

/// Whether the last option before a place is one of a header or a login.
fn in_header(command: &[u8], at: usize) -> bool {
    let before = &command[..at];
    let option = memchr::memmem::rfind(before, b" -").map(|at| &before[at + 1..]).unwrap_or_default();
    [&b"-H"[..], b"--header", b"-u", b"--user", b"--oauth2"].iter().any(|name| option.starts_with(name))
}

/// Whether a variable is the value of a parameter that is named for a credential, as APIs have them.
fn is_named(command: &[u8], at: usize) -> bool {
    let before = command[..at].trim_ascii_end();
    let before: Vec<u8> = before[before.len().saturating_sub(40)..].to_ascii_lowercase();
    let end = before.iter().rposition(|b| b.is_ascii_alphanumeric() || *b == b'_').map_or(0, |at| at + 1);
    let sign = before[end..].iter().any(|b| matches!(b, b'=' | b':'));
    sign && [&b"key"[..], b"token", b"secret", b"password", b"auth", b"id"]
        .iter()
        .any(|word| before[..end].ends_with(word))
}
