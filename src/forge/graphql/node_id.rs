//! Node ids: GitHub writes the database id into them, in two ways (docs/format.md, "Node ids").

use crate::forge::base64;

/// A node id taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// The type: an abbreviation in new ids, the name in old ones.
    pub kind: String,
    /// How many numbers the id holds; 1 in old ones.
    pub numbers: usize,
    /// The last of them, which is the database id of the node.
    pub id: u64,
}

/// Takes a node id apart; `None` for what is written in neither way to the last byte.
pub(super) fn parts(node: &str) -> Option<Parts> {
    new(node).or_else(|| old(node))
}

/// The database id in the id of a node of one of these types.
pub(super) fn number_of(node: &str, kinds: &[&str]) -> Option<u64> {
    parts(node).filter(|parts| kinds.contains(&parts.kind.as_str())).map(|parts| parts.id)
}

/// `IC_kwDO…`: a type and the base64url of a MessagePack array of unsigned numbers.
fn new(node: &str) -> Option<Parts> {
    let (kind, rest) = node.split_once('_')?;
    if kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_uppercase()) {
        return None;
    }
    let mut digits = rest.replace('-', "+").replace('_', "/");
    while digits.len() % 4 != 0 {
        digits.push('=');
    }
    let numbers = numbers(&base64::decode(&digits)?)?;
    Some(Parts { kind: kind.to_owned(), numbers: numbers.len(), id: *numbers.last()? })
}

/// An array of at most 15 unsigned numbers, each in its shortest form.
fn numbers(bytes: &[u8]) -> Option<Vec<u64>> {
    let (first, mut rest) = bytes.split_first()?;
    let count = usize::from(first.checked_sub(0x90).filter(|count| *count < 16)?);
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let (first, after) = rest.split_first()?;
        let size = match first {
            0..=0x7f => {
                out.push(u64::from(*first));
                rest = after;
                continue;
            }
            0xcc => 1,
            0xcd => 2,
            0xce => 4,
            0xcf => 8,
            _ => return None,
        };
        let number = after.get(..size)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        out.push(number);
        rest = &after[size..];
    }
    rest.is_empty().then_some(out)
}

/// `MDEyOklzc3VlQ29tbWVudDE=`: the base64 of `012:IssueComment1`, where 12 is the length of the type's name.
fn old(node: &str) -> Option<Parts> {
    let bytes = base64::decode(node)?;
    let (length, rest) = std::str::from_utf8(&bytes).ok()?.split_once(':')?;
    let length: usize = length.strip_prefix('0')?.parse().ok()?;
    let (kind, digits) = rest.split_at_checked(length)?;
    let plain = kind.bytes().all(|b| b.is_ascii_alphabetic());
    let id = crate::format::entity::parse_number(digits).filter(|_| plain)?;
    Some(Parts { kind: kind.to_owned(), numbers: 1, id })
}
