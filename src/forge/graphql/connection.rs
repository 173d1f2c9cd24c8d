//! Connections, and the flat lists that `gh` and dumps make of them.

use crate::forge::pages::Paged;
use crate::forge::recognise::Extent;
use crate::format::json::Json;

/// The items of a connection, with their pointers, and how much of it they are.
pub(super) struct Connection<'v> {
    pub items: Vec<(String, &'v Json<'v>)>,
    pub extent: Extent,
    /// What it says of its pages; nothing where it says nothing.
    pub paged: Option<Paged>,
}

/// How many items `gh` asks for at most where it does not read on.
pub(super) const GH_PAGE: usize = 100;

impl<'v> Connection<'v> {
    /// Reads a connection at a pointer; `None` for null, for a count alone and for anything else: then nothing is known of the
    /// items. `of_gh` says that a flat list is what `gh` made.
    pub fn read(pointer: &str, value: &'v Json<'v>, of_gh: bool) -> Option<Self> {
        if let Some(items) = value.as_array() {
            let extent = if of_gh && items.len() < GH_PAGE { Extent::Proved } else { Extent::Whole };
            let items = items.iter().enumerate().map(|(at, item)| (format!("{pointer}/{at}"), item));
            return Some(Self { items: items.collect(), extent, paged: None });
        }
        let nodes = value.get("nodes").and_then(Json::as_array);
        let edges = value.get("edges").and_then(Json::as_array);
        let all: Vec<(String, &Json<'_>)> = match (nodes, edges) {
            (Some(nodes), _) => {
                nodes.iter().enumerate().map(|(at, node)| (format!("{pointer}/nodes/{at}"), node)).collect()
            }
            (None, Some(edges)) => {
                let node = |(at, edge): (usize, &'v Json<'v>)| {
                    (format!("{pointer}/edges/{at}/node"), edge.get("node").unwrap_or(&Json::Null))
                };
                edges.iter().enumerate().map(node).collect()
            }
            (None, None) => return None,
        };
        let told = all.len();
        // A node that the asker may not see is null, and it is there all the same.
        let items: Vec<_> = all.into_iter().filter(|(_, node)| !node.is_null()).collect();
        let extent = if items.len() < told { Extent::Lacking } else { extent(value, told as u64) };
        Some(Self { items, extent, paged: paged(value, told as u64) })
    }

    /// True when there are no other items for certain.
    pub fn is_whole(&self) -> bool {
        self.extent == Extent::Proved
    }
}

fn paged(connection: &Json<'_>, shown: u64) -> Option<Paged> {
    let info = |name| connection.get("pageInfo").and_then(|info| info.get(name));
    let more = |name| info(name).and_then(Json::as_bool);
    let (next, previous) = (more("hasNextPage"), more("hasPreviousPage"));
    let total = connection.get("totalCount").and_then(Json::as_u64);
    let end = info("endCursor").and_then(Json::as_str).map(str::to_owned);
    let tells = next.is_some() || previous.is_some() || total.is_some();
    tells.then_some(Paged { next, previous, total, shown, end })
}

fn extent(connection: &Json<'_>, shown: u64) -> Extent {
    let Some(Paged { next, previous, total, .. }) = paged(connection, shown) else { return Extent::Whole };
    if next == Some(true) || previous == Some(true) || total.is_some_and(|total| total != shown) {
        return Extent::Part;
    }
    let ends = next == Some(false) && previous == Some(false);
    if total.is_some() || ends { Extent::Proved } else { Extent::Whole }
}
