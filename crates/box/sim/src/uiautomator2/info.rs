//! What the server tells of the phone and of what is on its screen.

use super::params::{MethodError, Params};
use super::{AutomatorServer, configurator};
use crate::command::nested;
use crate::fault::FaultPoint;
use crate::latency::Cost;
use crate::phone::{DumpViews, Phone};
use clawperator_ui::{Bounds, Flag, NodeId, Tree};
use serde_json::{Value, json};

/// How many levels a dump has below its root, unless the call says so.
const DEPTH: i64 = 50;

/// Which windows a dump has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Windows {
    Active,
    All,
}

/// What a dump is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DumpOptions {
    views: DumpViews,
    depth: usize,
    windows: Windows,
}

/// What the last dump gave, and whether it was late already.
#[derive(Clone, Debug)]
pub(super) struct LastDump {
    dump: DumpOptions,
    xml: String,
    late: bool,
}

/// The screen; a phone whose screen is off has an empty one.
pub(super) fn tree(phone: &Phone, views: DumpViews) -> Tree {
    phone.detailed_tree(views).unwrap_or_else(|| Tree::new(phone.display.rotation))
}

pub(super) async fn dump(server: &AutomatorServer, params: &Params) -> Result<Value, MethodError> {
    let asked = DumpOptions {
        views: if params.flag(0) == Some(true) { DumpViews::Important } else { DumpViews::All },
        depth: params.number(1).unwrap_or(DEPTH).max(0) as usize,
        windows: if params.flag(2) == Some(true) { Windows::Active } else { Windows::All },
    };
    let handset = &server.handset;
    let longest = server.state().configurator.wait_for_idle();
    configurator::wait_for_idle(handset, longest).await;
    handset.spend(Cost::ServerTree).await;
    if handset.strike(FaultPoint::DumpNullRoot).is_some() {
        let nothing = Tree::new(handset.with(|phone| phone.display.rotation));
        return Ok(clawperator_ui::write_indented(&nothing).into());
    }
    let mut xml = handset.with(|phone| hierarchy(phone, asked));
    if handset.strike(FaultPoint::DumpDeep).is_some() {
        xml = nested(&xml);
    }
    Ok(perhaps_late(server, asked, xml).into())
}

/// The tree, or the one before it if there is such a fault: once for each change.
fn perhaps_late(server: &AutomatorServer, dump: DumpOptions, xml: String) -> String {
    let mut state = server.state();
    let before = state.shown.take().filter(|shown| shown.dump == dump);
    if let Some(shown) = before
        && shown.xml != xml
        && !shown.late
        && server.handset.strike(FaultPoint::ServerStale).is_some()
    {
        let old = shown.xml.clone();
        state.shown = Some(LastDump { late: true, ..shown });
        return old;
    }
    state.shown = Some(LastDump { dump, xml: xml.clone(), late: false });
    xml
}

fn hierarchy(phone: &Phone, dump: DumpOptions) -> String {
    let mut whole = tree(phone, dump.views);
    if dump.windows == Windows::All {
        phone.add_other_windows(&mut whole);
    }
    let mut cut = Tree::new(whole.rotation);
    for (id, node) in whole.nodes() {
        if whole.depth(id) <= dump.depth {
            cut.push(whole.depth(id), node.clone());
        }
    }
    clawperator_ui::write_indented(&cut)
}

pub(super) fn device(phone: &Phone) -> Value {
    let (width, height) = phone.display.size();
    let density = phone.display.density().max(1);
    let dp = |pixels: i32| pixels * 160 / density;
    json!({
        "currentPackageName": phone.focus().map(|focus| focus.package),
        "displayHeight": height,
        "displayRotation": phone.display.rotation,
        "displaySizeDpX": dp(width),
        "displaySizeDpY": dp(height),
        "displayWidth": width,
        "naturalOrientation": phone.display.rotation.is_multiple_of(2),
        "productName": phone.properties.get("ro.product.name"),
        "screenOn": phone.power.awake,
        "sdkInt": phone.sdk(),
    })
}

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
