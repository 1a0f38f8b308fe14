//! What the server tells of the phone and of what is on its screen.

use crate::phone::{Phone, Views};
use clawperator_ui::{Attributes, Bounds, Flag, NodeId, Tree};
use serde_json::{Value, json};

/// The screen; a phone whose screen is off has an empty one.
pub(super) fn tree(phone: &Phone, views: Views) -> Tree {
    phone
        .tree(views)
        .unwrap_or_else(|| Tree::new(phone.display.rotation))
}

/// The screen as XML, down to a depth.
pub(super) fn hierarchy(phone: &Phone, views: Views, depth: usize) -> String {
    let whole = tree(phone, views);
    let mut cut = Tree::new(whole.rotation);
    for (id, node) in whole.nodes() {
        if whole.depth(id) < depth {
            cut.push(whole.depth(id), node.clone());
        }
    }
    clawperator_ui::write(&cut, Attributes::Usual)
}

/// The phone.
pub(super) fn device(phone: &Phone) -> Value {
    let (width, height) = phone.display.size();
    let density = phone.display.density().max(1);
    let dp = |pixels: i32| pixels * 160 / density;
    json!({
        "currentPackageName": phone.focus().map(|focus| focus.package),
        "displayHeight": height,
        "displayWidth": width,
        "displayRotation": phone.display.rotation,
        "displaySizeDpX": dp(width),
        "displaySizeDpY": dp(height),
        "productName": phone.properties.get("ro.product.name"),
        "screenOn": phone.power.awake,
        "sdkInt": phone.sdk(),
        "naturalOrientation": phone.display.rotation.is_multiple_of(2),
    })
}

/// An element.
pub(super) fn object(tree: &Tree, id: NodeId) -> Value {
    let node = tree.node(id);
    let has = |flag| node.flags.has(flag);
    json!({
        "bounds": rectangle(node.bounds),
        "visibleBounds": rectangle(node.bounds),
        "childCount": tree.children(id).count(),
        "className": node.class,
        "contentDescription": node.content_desc,
        "packageName": node.package,
        "resourceName": node.resource_id,
        "text": node.text,
        "checkable": has(Flag::Checkable),
        "checked": has(Flag::Checked),
        "clickable": has(Flag::Clickable),
        "enabled": has(Flag::Enabled),
        "focusable": has(Flag::Focusable),
        "focused": has(Flag::Focused),
        "longClickable": has(Flag::LongClickable),
        "scrollable": has(Flag::Scrollable),
        "selected": has(Flag::Selected),
    })
}

fn rectangle(bounds: Bounds) -> Value {
    json!({"bottom": bounds.bottom, "left": bounds.left, "right": bounds.right, "top": bounds.top})
}
