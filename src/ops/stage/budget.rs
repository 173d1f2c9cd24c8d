//! As much of a stage as its budget has room for, to the byte.

use super::measure;
use crate::format::entity::Entity;
use crate::format::profile::{Profile, tokens};
use crate::ops::Error;
use crate::render::{Allowance, Plan, Rendered};

/// What is rendered of all entities.
pub(super) type All = Vec<(Entity, Rendered)>;

/// Renders all entities, each within what it may show.
type Render<'r> = dyn Fn(Option<&[Allowance]>) -> Result<All, Error> + 'r;

/// Renders as many items as the budget of the profile has room for, in the order of their plan: the number of them is looked for by halving
/// the numbers from none to all. Whatever a halving tells, a larger budget never ends at a smaller number, so that it shows all that a
/// smaller one does.
///
/// # Errors
/// `budget-too-small` when not even a stage without items fits, and those of `render`.
pub(super) fn within(
    profile: &Profile,
    asked: &[Entity],
    plan: &dyn Fn() -> Plan,
    render: &Render<'_>,
) -> Result<All, Error> {
    if profile.max_bytes.is_none() && profile.max_tokens.is_none() {
        return render(None);
    }
    let plan = plan();
    let trial = |count| {
        let all = render(Some(&plan.first(count)))?;
        Ok::<_, Error>((fits(profile, asked, &all), all))
    };
    let (is_enough, mut shown) = trial(0)?;
    if !is_enough {
        return Err(too_small(profile, asked, &shown));
    }
    let (is_enough, whole) = trial(plan.len())?;
    if is_enough {
        return Ok(whole);
    }
    let (mut fit, mut too_many) = (0, plan.len());
    while too_many - fit > 1 {
        let middle = fit + (too_many - fit) / 2;
        match trial(middle)? {
            (true, all) => (fit, shown) = (middle, all),
            (false, _) => too_many = middle,
        }
    }
    Ok(shown)
}

fn fits(profile: &Profile, asked: &[Entity], all: &All) -> bool {
    profile.max_bytes.is_none_or(|most| measure(all, asked, size) <= most)
        && profile.max_tokens.is_none_or(|most| measure(all, asked, tokens) <= most)
}

fn size(file: &[u8]) -> u64 {
    file.len() as u64
}

fn too_small(profile: &Profile, asked: &[Entity], least: &All) -> Error {
    let bounds = [(profile.max_bytes, "bytes"), (profile.max_tokens, "tokens")];
    let budget: Vec<_> = bounds.iter().filter_map(|(most, what)| Some(format!("{} {what}", (*most)?))).collect();
    let message = format!(
        "a stage without any item has {} bytes and an estimated {} tokens; the budget is {}",
        measure(least, asked, size),
        measure(least, asked, tokens),
        budget.join(" and ")
    );
    Error::new("budget-too-small", message)
        .hint("nothing was written; --facets header leaves out lists that nobody needs")
}
