//! What an account may do in a repository.

use crate::forge::facets::{Field, InvalidMetadata, Member};
use crate::forge::member::{Reader, actor};
use crate::format::access::Access;

/// Reads the answer about one account, which it has in `user`, or an account of a list. A role of an organisation's own has the strongest
/// right that it includes, else what the older word says.
pub(super) fn member(part: Reader<'_>) -> Result<Member, InvalidMetadata> {
    let account = part.below("user").unwrap_or(part);
    let actor = actor(account).ok_or(InvalidMetadata { member: "login" })?;
    let id = actor.id.ok_or(InvalidMetadata { member: "id" })?;
    let role = part.str("role_name").and_then(|word| word.parse().ok());
    let access = role.or_else(|| strongest(account.below("permissions")?)).or_else(|| legacy(part.str("permission")?));
    if access.is_none() {
        part.note("role_name");
    }
    Ok(Member { id, actor, access })
}

const RIGHTS: [(&str, Access); 5] = [
    ("admin", Access::Admin),
    ("maintain", Access::Maintain),
    ("push", Access::Write),
    ("triage", Access::Triage),
    ("pull", Access::Read),
];

fn strongest(rights: Reader<'_>) -> Option<Access> {
    let found = RIGHTS.into_iter().find(|(right, _)| rights.is(right)).map(|(_, access)| access);
    found.or_else(|| (rights.bool_field("pull") == Field::Known(false)).then_some(Access::None))
}

/// The word from before there were five roles: it has no other than these.
fn legacy(word: &str) -> Option<Access> {
    word.parse().ok().filter(|access| matches!(access, Access::Admin | Access::Write | Access::Read | Access::None))
}
