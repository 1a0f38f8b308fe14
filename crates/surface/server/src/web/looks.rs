//! The elements of a phone's screen, for the page. A look waits until no run
//! has the phone: two looks at a time disturb each other.
use super::{OfPhone, Page};
use crate::http::answer::HttpResult;
use crate::phone::{LOOK, lease};
use axum::Json;
use axum::extract::{Query, State};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::Deadline;
use clawperator_ui::{Ability, Bounds, Fingerprints, Flag, NodeId, Screen, Tree};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Of how many phones the last look is kept.
const MAX_LOOKS: usize = 64;
/// The most elements that are shown.
const MAX_NODES: usize = 5_000;

/// The last look at each phone, which selectors are made for.
#[derive(Debug, Default)]
pub(super) struct PageLooks(Mutex<BTreeMap<String, PageLook>>);

#[derive(Clone, Debug)]
struct PageLook {
    snapshot: String,
    tree: Arc<Tree>,
}

impl PageLooks {
    fn keep(&self, device: &str, look: PageLook) {
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if looks.len() >= MAX_LOOKS && !looks.contains_key(device) {
            looks.clear();
        }
        looks.insert(device.to_owned(), look);
    }

    /// The tree of the last look at a phone, if it has that name.
    pub(super) fn get(&self, device: &str, snapshot: &str) -> Result<Arc<Tree>, Failure> {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let look = looks.get(device).filter(|look| look.snapshot == snapshot);
        look.map(|look| look.tree.clone()).ok_or_else(|| {
            let message = "the screen was looked at again since then";
            Failure::new(ErrorCode::InvalidRequest, message).hint("Look at the screen, then ask again.")
        })
    }
}

/// The elements of a screen.
#[derive(Debug, Serialize)]
pub(super) struct Elements {
    snapshot: String,
    /// Width and height of the screen, in pixels.
    size: [i32; 2],
    package: String,
    nodes: Vec<PageElement>,
}

/// One element. What is empty or false is left out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PageElement {
    /// Its number in the tree.
    node: usize,
    depth: usize,
    role: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    class: String,
    /// Left, top, right and bottom of what is seen of it.
    bounds: [i32; 4],
    /// What can be done with it, and how it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    is: Vec<&'static str>,
}

/// `GET /page/tree?device=`
pub(super) async fn tree(
    State(page): State<Arc<Page>>,
    Query(wanted): Query<OfPhone>,
) -> HttpResult<Json<Elements>> {
    let mut lease = lease(&page.app.engine, Some(&wanted.device)).await?;
    let seen = lease.screen(Deadline::after(LOOK)).await;
    lease.release().await;
    let tree = seen.map_err(|error| Failure::of(ErrorCode::DeviceShellUnavailable, error.to_string()))?;
    let elements = elements(&tree);
    let snapshot = elements.snapshot.clone();
    let tree = Arc::new(tree);
    page.looks.keep(&wanted.device, PageLook { snapshot, tree });
    Ok(Json(elements))
}

fn elements(tree: &Tree) -> Elements {
    let screen = Screen::new(tree);
    let area = screen.area();
    let package = tree.nodes().next().map(|(_, node)| node.package.clone());
    let nodes = tree.nodes().enumerate();
    Elements {
        snapshot: Fingerprints::new(screen).name(),
        size: [area.right, area.bottom],
        package: package.unwrap_or_default(),
        nodes: nodes
            .filter(|(_, (id, _))| screen.sees(*id))
            .take(MAX_NODES)
            .map(|(number, (id, _))| element(&screen, number, id))
            .collect(),
    }
}

fn element(screen: &Screen<'_>, number: usize, id: NodeId) -> PageElement {
    let tree = screen.tree();
    let node = tree.node(id);
    let Bounds { left, top, right, bottom } = screen.visible_bounds(id);
    PageElement {
        node: number,
        depth: tree.depth(id),
        role: tree.role(id).word(),
        label: node.label().to_owned(),
        id: node.resource_id.clone().filter(|id| !id.is_empty()),
        class: node.class.clone(),
        bounds: [left, top, right, bottom],
        is: words(tree, id),
    }
}

fn words(tree: &Tree, id: NodeId) -> Vec<&'static str> {
    let flags = tree.node(id).flags;
    let can = [
        (Ability::Click, "clickable"),
        (Ability::LongClick, "long-clickable"),
        (Ability::Edit, "editable"),
        (Ability::Scroll, "scrollable"),
    ];
    let has = [
        (Flag::Checked, "checked"),
        (Flag::Focused, "focused"),
        (Flag::Selected, "selected"),
        (Flag::Password, "password"),
    ];
    let mut words: Vec<_> =
        can.into_iter().filter(|(ability, _)| tree.can(id, *ability)).map(|(_, word)| word).collect();
    words.extend(has.into_iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, word)| word));
    if !flags.has(Flag::Enabled) {
        words.push("disabled");
    }
    words
}
