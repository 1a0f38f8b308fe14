//! What the helper answers, whichever way it is asked.

use super::{Extras, FORMAT, PROTOCOL};
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{Phone, Waypoint};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_ui::{Attributes, Bounds, Flag, Point, Tree};
use serde::Deserialize;
use std::time::Duration;

/// The version of the helper's own interface.
pub(super) const VERSION: &str = "1";
/// How deep a tree is and how many nodes it has, unless the caller says so.
const MAX_DEPTH: usize = 128;
const MAX_NODES: usize = 5_000;
/// The longest gesture, and the most of its points.
const MAX_MS: u64 = 60_000;
const MAX_POINTS: usize = 10_000;
const PLAN: &str = "android-touch-plan-v1";

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HelperRequest {
    Snapshot,
    Viewport,
    /// Fingers move, as a plan in base64 says.
    Gesture(String),
}

/// An answer: its fields, and the XML of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SnapshotAnswer {
    pub(super) ok: bool,
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) body: Option<String>,
}

impl SnapshotAnswer {
    pub(super) fn new(more: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let mut fields = vec![
            ("agentDeviceProtocol", PROTOCOL.to_owned()),
            ("helperApiVersion", VERSION.to_owned()),
            ("ok", "true".to_owned()),
        ];
        fields.extend(more);
        Self { ok: true, fields, body: None }
    }

    pub(super) fn failure(kind: &str, message: &str) -> Self {
        // A field is one line.
        let message = message.replace(['\n', '\r'], " ");
        let mut report = Self::new([("errorType", kind.to_owned()), ("message", message)]);
        report.ok = false;
        report.fields[2].1 = "false".to_owned();
        report
    }
}

pub(super) async fn answer(handset: &Handset, ask: &HelperRequest, extras: &Extras) -> SnapshotAnswer {
    match ask {
        HelperRequest::Snapshot => {
            handset.spend(Cost::Command).await;
            handset.with(|phone| snapshot(phone, extras))
        }
        HelperRequest::Viewport => {
            handset.spend(Cost::Command).await;
            handset.with(|phone| viewport(phone))
        }
        HelperRequest::Gesture(payload) => match plan(payload) {
            Ok(plan) => gesture(handset, &plan).await,
            Err(message) => SnapshotAnswer::failure("java.lang.IllegalArgumentException", message),
        },
    }
}

fn snapshot(phone: &Phone, extras: &Extras) -> SnapshotAnswer {
    let number = |name: &str, usual: usize| {
        let given = extras.get(name).and_then(|word| word.parse().ok());
        given.unwrap_or(usual)
    };
    let (depth, nodes) = (number("maxDepth", MAX_DEPTH), number("maxNodes", MAX_NODES));
    let Some((whole, ends)) = phone.tree_with_ends() else {
        return SnapshotAnswer::failure("java.lang.IllegalStateException", "No active window root");
    };
    let mut tree = Tree::new(whole.rotation);
    let (mut kept, mut cut) = (0, false);
    let (mut ends, mut kept_ends) = (ends.into_iter(), Vec::new());
    for (id, node) in whole.nodes() {
        let end = node.flags.has(Flag::Scrollable).then(|| ends.next()).flatten();
        if kept < nodes && whole.depth(id) < depth {
            tree.push(whole.depth(id), node.clone());
            kept += 1;
            kept_ends.extend(end);
        } else {
            cut = true;
        }
    }
    let xml = with_ends(&clawperator_ui::write(&tree, Attributes::Usual), &kept_ends);
    let mut report = SnapshotAnswer::new([
        ("outputFormat", FORMAT.to_owned()),
        ("maxDepth", depth.to_string()),
        ("maxNodes", nodes.to_string()),
        ("rootPresent", "true".to_owned()),
        ("captureMode", "active-window".to_owned()),
        ("windowCount", "1".to_owned()),
        ("nodeCount", kept.to_string()),
        ("truncated", cut.to_string()),
        ("elapsedMs", "0".to_owned()),
        ("byteLength", xml.len().to_string()),
    ]);
    report.body = Some(xml);
    report
}

/// Adds where each node that can be scrolled can go.
fn with_ends(xml: &str, ends: &[(bool, bool)]) -> String {
    // A quote in a text is escaped, so this is the attribute.
    const SCROLLABLE: &str = " scrollable=\"true\"";
    let mut parts = xml.split(SCROLLABLE);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for (part, (forward, backward)) in parts.zip(ends) {
        whole.push_str(SCROLLABLE);
        whole.push_str(&format!(" can-scroll-forward=\"{forward}\" can-scroll-backward=\"{backward}\""));
        whole.push_str(part);
    }
    whole
}

/// Where fingers can go: the screen without its bars, and the keyboard.
fn viewport(phone: &Phone) -> SnapshotAnswer {
    let screen = phone.content_bounds();
    let names = ["x", "y", "width", "height"];
    let mut fields: Vec<_> = names.into_iter().zip(rectangle(screen)).collect();
    if phone.keyboard_shown {
        let names = ["keyboardX", "keyboardY", "keyboardWidth", "keyboardHeight"];
        fields.extend(names.into_iter().zip(rectangle(phone.keyboard_bounds())));
    }
    SnapshotAnswer::new(fields)
}

fn rectangle(bounds: Bounds) -> [String; 4] {
    let Bounds { left, top, right, bottom } = bounds;
    [left, top, right - left, bottom - top].map(|number| number.to_string())
}

/// What fingers are to do.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GesturePlan {
    protocol: String,
    kind: String,
    #[serde(default)]
    duration_ms: f64,
    pointers: Vec<Pointer>,
}

#[derive(Debug, Deserialize)]
struct Pointer {
    samples: Vec<Sample>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    offset_ms: f64,
    x: f64,
    y: f64,
}

fn plan(payload: &str) -> Result<GesturePlan, &'static str> {
    let bytes = STANDARD.decode(payload.trim()).map_err(|_| "The payload is not base64")?;
    let plan: GesturePlan = serde_json::from_slice(&bytes).map_err(|_| "The payload is not a touch plan")?;
    if plan.protocol != PLAN {
        return Err("Unsupported touch plan protocol");
    }
    let fingers = match plan.kind.as_str() {
        "swipe" => 1,
        "transform" => 2,
        _ => return Err("Unsupported kind of gesture"),
    };
    let points = plan.pointers.iter().map(|pointer| pointer.samples.len());
    if plan.pointers.len() != fingers || points.clone().any(|count| count < 2) {
        return Err("A pointer of the touch plan is missing");
    }
    if points.sum::<usize>() > MAX_POINTS {
        return Err("The touch plan is too long");
    }
    Ok(plan)
}

async fn gesture(handset: &Handset, plan: &GesturePlan) -> SnapshotAnswer {
    let ms = plan.duration_ms.clamp(0.0, MAX_MS as f64) as u64;
    handset.spend(Cost::Input).await;
    handset.linger(Duration::from_millis(ms)).await;
    if let [first, more @ ..] = plan.pointers.as_slice() {
        let way: Vec<_> = first.samples.iter().map(waypoint).collect();
        for _ in 0..handset.input_times() {
            handset.with(|phone| {
                if more.is_empty() {
                    phone.trace(&way);
                } else {
                    phone.trace_two(&way);
                }
            });
        }
    }
    let events: usize = plan.pointers.iter().map(|pointer| pointer.samples.len()).sum();
    SnapshotAnswer::new([
        ("kind", plan.kind.clone()),
        ("injectedEvents", events.to_string()),
        ("elapsedMs", ms.to_string()),
    ])
}

fn waypoint(sample: &Sample) -> Waypoint {
    let pixel = |at: f64| at.clamp(-1e9, 1e9) as i32;
    Waypoint {
        ms: sample.offset_ms.clamp(0.0, MAX_MS as f64) as u64,
        place: Point::new(pixel(sample.x), pixel(sample.y)),
    }
}
