//! Passwords in addresses, and in the strings by which programs connect to databases.

use std::ops::Range;

use super::value::stands_for_another;

/// Schemes of addresses whose password is that of a database or queue.
const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "oracle",
    "couchdb",
    "cassandra",
    "neo4j",
    "bolt",
    "ldap",
    "ldaps",
    "nats",
    "kafka",
];

/// The password in an address with a user part.
pub(super) fn password(text: &[u8], sign: Range<usize>, fresh: usize) -> Option<(&'static str, Range<usize>)> {
    let of_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let floor = fresh.max(sign.start.saturating_sub(24)).min(sign.start);
    let len = text[floor..sign.start].iter().rev().take_while(|b| of_scheme(b)).count();
    let scheme = text[sign.start - len..sign.start].to_ascii_lowercase();
    let rest = &text[sign.end..text.len().min(sign.end + 512)];
    let end =
        rest.iter().position(|b| b.is_ascii_whitespace() || b"/\"'`<>?#,;(){}[]|\\".contains(b)).unwrap_or(rest.len());
    // A password may hold an @ itself: the last one ends the user part.
    let at = rest[..end].iter().rposition(|b| *b == b'@')?;
    let colon = rest[..at].iter().position(|b| *b == b':')?;
    let password = sign.end + colon + 1..sign.end + at;
    let first = *text[password.clone()].first()?;
    if b"$*".contains(&first) || matches!(&text[password.clone()], b"REDACTED" | b"%s" | b"%v") {
        return None;
    }
    let base = scheme.split(|b| *b == b'+').next().unwrap_or_default();
    let database = DATABASES.iter().any(|name| name.as_bytes() == base);
    Some((if database { "db-connection-password" } else { "url-password" }, password))
}

/// The most bytes before and behind a name in which the other parts of the same string are looked for.
const NEAR: usize = 96;

/// The least bytes of a password in such a string.
const LEAST: usize = 4;

/// Other parts of a string by which a program connects, in lower case.
const PARTS: &[&[u8]] = &[
    b"server=",
    b"host=",
    b"data source=",
    b"datasource=",
    b"uid=",
    b"user id=",
    b"username=",
    b"dbname=",
    b"database=",
    b"initial catalog=",
];

/// The password of a string such as `Server=…;Uid=…;Pwd=…;`, behind the sign that ends at `at`.
pub(super) fn connection(text: &[u8], name: &Range<usize>, plain: &str, at: usize) -> Option<Range<usize>> {
    if !matches!(plain, "pwd" | "password" | "passwd") {
        return None;
    }
    let ends = |b: &u8| b.is_ascii_whitespace() || b"\"'`;,&<>\\".contains(b);
    let len = text[at..].iter().take(NEAR).position(ends).unwrap_or(text.len().min(at + NEAR) - at);
    let value = &text[at..at + len];
    let before = &text[name.start.saturating_sub(NEAR)..name.start];
    let line = &before[memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..];
    let after = &text[at + len..text.len().min(at + len + NEAR)];
    let after = &after[..memchr::memchr(b'\n', after).unwrap_or(after.len())];
    let has_parts = |part: &[u8]| {
        let part = part.to_ascii_lowercase();
        PARTS.iter().any(|name| memchr::memmem::find(&part, name).is_some())
    };
    let joined =
        line.trim_ascii_end().ends_with(b";") && has_parts(line) || after.starts_with(b";") && has_parts(after);
    let word = matches!(&value.to_ascii_lowercase()[..], b"password" | b"mypassword" | b"passwd" | b"secret");
    (joined && len >= LEAST && !word && !stands_for_another(value)).then_some(at..at + len)
}
