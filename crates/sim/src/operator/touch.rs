//! Clicks, writes, and presses keys.

use super::act::retry;
use super::answer::{Outcome, Step, Thrown};
use super::command::{ClickType, Key, Matcher, Retry, Target};
use super::screen::{Screen, is_editable, missing};
use crate::fault::Point;
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{Phone, Press, key_code};
use clawperator_ui::{Bounds, Flag, NodeId};
use std::time::Duration;

/// How long the app's finger stays.
const TAP: Duration = Duration::from_millis(120);
const LONG_PRESS: Duration = Duration::from_millis(650);

type Place = (i32, i32);

/// How an element is clicked.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The app tells the element that it was clicked; that takes no time.
    Told((i32, i32)),
    /// A finger does it.
    Finger((i32, i32)),
    /// It gets the focus, which only fields show.
    Focus(Option<(i32, i32)>),
}

pub(super) async fn click(handset: &Handset, target: &Target, (click, rule): (ClickType, Retry)) -> Outcome {
    match target {
        Target::Node(matcher) => {
            click_node(handset, matcher, (click, rule)).await?;
            Ok(Step::done(&[("click_types", &click.name())]))
        }
        Target::Point(x, y) => {
            finger(handset, (*x, *y), click).await;
            let coordinate = format!("({x},{y})");
            Ok(Step::done(&[
                ("click_types", &click.name()),
                ("coordinate", &coordinate),
            ]))
        }
    }
}

/// Clicks the first element that fits.
pub(super) async fn click_node(
    handset: &Handset,
    matcher: &Matcher,
    (click, rule): (ClickType, Retry),
) -> Result<(), Thrown> {
    let way = retry(handset, rule, |phone| {
        let screen = Screen::of(phone).ok_or_else(|| missing(matcher))?;
        let id = screen.find(matcher).ok_or_else(|| missing(matcher))?;
        way(&screen, id, click).ok_or_else(|| Thrown(format!("Not focusable: {matcher}")))
    })
    .await?;
    match way {
        Way::Finger(place) => finger(handset, place, click).await,
        Way::Told((x, y)) => handset.with(|phone| match click {
            // The phone's clock need not move for a click that nobody makes.
            ClickType::Long => phone.swipe((x, y), (x, y), LONG_PRESS.as_millis() as u64),
            ClickType::Click | ClickType::Focus => phone.tap(x, y),
        }),
        Way::Focus(Some((x, y))) => handset.with(|phone| phone.tap(x, y)),
        Way::Focus(None) => {}
    }
    Ok(())
}

async fn finger(handset: &Handset, (x, y): (i32, i32), click: ClickType) {
    let time = if click == ClickType::Long { LONG_PRESS } else { TAP };
    gesture(handset, ((x, y), (x, y)), time).await;
}

/// A finger goes from one place to another, unless something goes wrong.
pub(super) async fn gesture(handset: &Handset, (from, to): (Place, Place), time: Duration) {
    handset.spend(Cost::Input).await;
    handset.time().sleep(time).await;
    let times = if handset.strike(Point::InputDropped).is_some() {
        0
    } else {
        1 + u8::from(handset.strike(Point::InputDoubled).is_some())
    };
    for _ in 0..times {
        handset.with(|phone| phone.swipe(from, to, time.as_millis() as u64));
    }
}

fn way(screen: &Screen, id: NodeId, click: ClickType) -> Option<Way> {
    let flag = match click {
        ClickType::Click => Flag::Clickable,
        ClickType::Long => Flag::LongClickable,
        ClickType::Focus => {
            let node = screen.tree.node(screen.nearest(id, Flag::Focusable)?);
            return Some(Way::Focus(is_editable(node).then(|| node.bounds.center())));
        }
    };
    let told = screen
        .nearest(id, flag)
        .filter(|id| screen.tree.node(*id).flags.has(Flag::Enabled));
    Some(match told {
        Some(outer) => Way::Told(place_of_its_own(screen, outer, flag)),
        None => Way::Finger(screen.tree.node(id).bounds.center()),
    })
}

/// A place where a finger hits an element and nothing inside it that takes the
/// click away: the middle, or the nearest that is found.
fn place_of_its_own(screen: &Screen, id: NodeId, flag: Flag) -> (i32, i32) {
    let bounds = screen.tree.node(id).bounds;
    let takers: Vec<Bounds> = screen
        .tree
        .descendants(id)
        .map(|id| screen.tree.node(id))
        .filter(|node| node.flags.has(flag))
        .map(|node| node.bounds)
        .collect();
    let is_taken = |&(x, y): &(i32, i32)| {
        takers
            .iter()
            .any(|it| it.left <= x && x < it.right && it.top <= y && y < it.bottom)
    };
    let center = bounds.center();
    let part = |from: i32, to: i32, eighths: i32| {
        from + ((i64::from(to) - i64::from(from)) * i64::from(eighths) / 8) as i32
    };
    let grid = [4, 1, 7].into_iter().flat_map(|down| {
        [4, 1, 7].into_iter().map(move |across| {
            (
                part(bounds.left, bounds.right, across),
                part(bounds.top, bounds.bottom, down),
            )
        })
    });
    std::iter::once(center)
        .chain(grid)
        .find(|place| !is_taken(place))
        .unwrap_or(center)
}

pub(super) async fn enter_text(
    handset: &Handset,
    (matcher, rule): (&Matcher, Retry),
    (text, submit): (&str, bool),
) -> Outcome {
    retry(handset, rule, |phone| {
        let screen = Screen::of(phone).ok_or_else(|| missing(matcher))?;
        let id = screen.find(matcher).ok_or_else(|| missing(matcher))?;
        let mut around = screen.outward(id);
        let field = around.find(|id| is_editable(screen.tree.node(*id))).unwrap_or(id);
        let node = screen.tree.node(field);
        if !is_editable(node) || !node.flags.has(Flag::Enabled) {
            return Err(Thrown(format!("Text cannot be set: {matcher}")));
        }
        let (x, y) = node.bounds.center();
        if !node.flags.has(Flag::Focused) {
            phone.tap(x, y);
        }
        if !replace(phone, text) {
            return Err(Thrown(format!("Text cannot be set: {matcher}")));
        }
        if submit {
            submit_field(phone, matcher);
        }
        Ok(())
    })
    .await?;
    Ok(Step::done(&[("text", &text), ("submit", &submit)]))
}

/// Puts a text in place of the field's; whether there is a field.
fn replace(phone: &mut Phone, text: &str) -> bool {
    let keys: Vec<u32> = ["CTRL_LEFT", "A"].into_iter().filter_map(key_code).collect();
    phone.press_together(&keys);
    phone.insert(text);
    phone.can_write()
}

/// What the app takes for submitting: one more click on the field, which may
/// have moved by now.
fn submit_field(phone: &mut Phone, matcher: &Matcher) {
    let place = Screen::of(phone).and_then(|screen| {
        let fields = |flag| screen.tree.nodes().find(move |(_, node)| node.flags.has(flag));
        let focused = fields(Flag::Focused).map(|(id, _)| id);
        let id = focused.or_else(|| screen.find(matcher))?;
        Some(screen.tree.node(id).bounds.center())
    });
    if let Some((x, y)) = place {
        phone.tap(x, y);
    }
}

pub(super) fn press_key(handset: &Handset, key: Key) -> Step {
    let name = match key {
        Key::Back => "BACK",
        Key::Home => "HOME",
        Key::Recents => "APP_SWITCH",
    };
    match key_code(name) {
        Some(code) => {
            handset.with(|phone| phone.press(code, Press::Short));
            Step::done(&[("key", &key.name())])
        }
        None => Step::failed("GLOBAL_ACTION_FAILED", &[("key", &key.name())]),
    }
}
