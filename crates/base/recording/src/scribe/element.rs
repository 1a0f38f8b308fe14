//! What was clicked, as it is written to the file.

use crate::event::{Click, ClickLength};
use clawperator_contract::text;
use clawperator_ui::{Bounds, Flag, NodeId, Point, Tree};

pub(super) fn element(tree: &Tree, id: NodeId, at: Point, press: ClickLength) -> Click {
    let node = tree.node(id);
    let solid = |text: &str| Some(text.to_owned()).filter(|text| !text::is_blank(text));
    let secret = node.flags.has(Flag::Password);
    // What an element says is often said by what is inside it.
    let inside = || {
        let mut inside = tree.descendants(id).map(|id| tree.node(id));
        inside.find_map(|node| solid(&node.text).filter(|_| !node.flags.has(Flag::Password)))
    };
    let text = solid(&node.text).filter(|_| !secret);
    let content_desc = solid(&node.content_desc);
    let text = text.or_else(|| if content_desc.is_none() && !secret { inside() } else { None });
    Click {
        package: node.package.clone(),
        resource_id: node.resource_id.clone().filter(|id| !id.is_empty()),
        text,
        content_desc,
        bounds: node.bounds.into(),
        press,
        at: Some(at),
    }
}

/// A click on nothing that the screen tells of.
pub(super) fn nothing(package: String, at: Point, press: ClickLength) -> Click {
    Click {
        package,
        resource_id: None,
        text: None,
        content_desc: None,
        bounds: Bounds::new(at.x, at.y, at.x.saturating_add(1), at.y.saturating_add(1)).into(),
        press,
        at: Some(at),
    }
}
