//! What a person does on the picture, as executions: they are checked, wait
//! for their turn and leave a journal like any other.

use super::Page;
use crate::http::answer::HttpResult;
use crate::phone::lease;
use axum::Json;
use axum::extract::State;
use clawperator_contract::schema::params_of;
use clawperator_contract::{
    ActionKind, CATALOGUE, CheckedExecution, ClickType, Coordinate, Direction, ErrorCode, Failure, Matcher,
    Number, ParamKey, Payload, PayloadAction, PayloadValue, text,
};
use clawperator_engine::{Outcome, Request};
use clawperator_phone::Deadline;
use clawperator_recording::{best_name, scrolled_element};
use clawperator_ui::{Ability, Fingerprints, Point, RefBook, Screen, Tree};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long one of them may take.
const TIME_MS: u32 = 20_000;
/// How long a look before a scroll may take.
const LOOK: Duration = Duration::from_secs(10);
/// How long a finger moves at least, and moves or rests at most.
const LEAST_MOVE_MS: u32 = 100;
const MOST_MS: u32 = 5_000;
/// The id of the one action.
const ID: &str = "a1";

/// What is done, and where.
#[derive(Debug, Deserialize)]
pub(super) struct PhoneInput {
    device: String,
    #[serde(flatten)]
    act: InputAct,
}

/// What is done.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub(super) enum InputAct {
    Tap {
        x: i32,
        y: i32,
    },
    LongPress {
        x: i32,
        y: i32,
    },
    /// A touch of an element that was chosen on a screen.
    Element {
        /// Its number, and the look it is of.
        node: usize,
        snapshot: String,
        #[serde(default)]
        press: TouchLength,
    },
    /// A finger goes from one point to another.
    Drag {
        from: [i32; 2],
        to: [i32; 2],
        #[serde(default = "usual_move")]
        move_ms: u32,
        /// How long it rests before.
        #[serde(default)]
        hold_ms: u32,
    },
    /// What is under a point scrolls, as far as from there to another point.
    Scroll {
        from: [i32; 2],
        to: [i32; 2],
    },
    /// Text for the field that has the focus.
    Text {
        text: String,
        #[serde(default)]
        submit: bool,
        #[serde(default)]
        clear: bool,
    },
    Key {
        key: String,
    },
    /// What has no shape of its own, with the parameters of its row.
    Action {
        action: String,
        #[serde(default)]
        params: Map<String, Value>,
    },
}

/// How long an element is touched.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TouchLength {
    #[default]
    Short,
    Long,
}

/// How long a finger moves unless the page says.
fn usual_move() -> u32 {
    300
}

/// What came of it.
#[derive(Debug, Serialize)]
pub(super) struct InputResult {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// What is recorded by now, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<Value>,
}

/// `POST /page/input`
pub(super) async fn input(
    State(page): State<Arc<Page>>,
    Json(input): Json<PhoneInput>,
) -> HttpResult<Json<InputResult>> {
    let mut recording = page.recordings.under_way(&input.device).await;
    let mut act = input.act.clone();
    let action = match &input.act {
        InputAct::Scroll { from, to } => scroll_at(&page, &input.device, *from, *to).await?,
        InputAct::Element { node, snapshot, press } => {
            match element(&page, &input.device, snapshot, *node).await? {
                Ok((at, matcher)) => {
                    act = touch(at, *press);
                    let long = matches!(press, TouchLength::Long).then(|| ClickType::LongClick.word());
                    PayloadAction::new(ID, ActionKind::Click)
                        .with(ParamKey::Matcher, matcher)
                        .with_some(ParamKey::ClickType, long)
                }
                Err(why) => {
                    return Ok(Json(InputResult { ok: false, message: Some(why), recording: None }));
                }
            }
        }
        act => action(act)?,
    };
    let request = Request {
        device: Some(input.device.clone()),
        wait: Some(Duration::from_millis(u64::from(TIME_MS))),
        journal: page.app.journal,
        route: page.app.route.clone(),
        lane: page.app.lane,
        ..Request::new(execution(&page, action)?)
    };
    let mut running = page.app.engine.execute(request);
    drop(running.events);
    let finished = (&mut running.outcome).await;
    page.feeds.note_touch(&input.device);
    let mut done = input_result(&finished.outcome);
    if let Some(recording) = recording.as_mut().filter(|_| done.ok) {
        let now = recording.record_act(&page.app, &input.device, &act).await?;
        done.recording = Some(now);
    }
    Ok(Json(done))
}

fn touch(Point { x, y }: Point, press: TouchLength) -> InputAct {
    match press {
        TouchLength::Short => InputAct::Tap { x, y },
        TouchLength::Long => InputAct::LongPress { x, y },
    }
}

/// Finds an element of an earlier look on the screen as it is now: where, and its
/// ref, which the touch finds it by. Or says why that is not certain.
async fn element(
    page: &Page,
    device: &str,
    snapshot: &str,
    node: usize,
) -> Result<Result<(Point, Matcher), String>, Failure> {
    let changed = |why: &str| Ok(Err(change_message(why)));
    let Ok(before) = page.looks.get(device, snapshot) else {
        return changed("the screen was looked at again since then");
    };
    let Some((chosen, _)) = before.nodes().nth(node) else {
        return Err(Failure::new(ErrorCode::InvalidRequest, format!("the screen has no element {node}")));
    };
    let mut lease = lease(&page.app.engine, Some(device)).await?;
    let tree = lease.screen(Deadline::after(LOOK)).await.ok();
    let mut book = RefBook::default();
    let given = book.give(&Fingerprints::new(Screen::new(&before)), chosen);
    let now = tree.as_ref().zip(given).and_then(|(tree, given)| {
        let screen = Screen::new(tree);
        let found = book.resolve(given, &Fingerprints::new(screen)).ok()?;
        let touch = screen.touch(found, tree.nearest(found, Ability::Click), None)?;
        Some((tree, found, touch.at))
    });
    // If it is not found here, the step looks for it, and says why not.
    let then = (&*before, chosen, before.node(chosen).bounds.center());
    let (tree, found, at) = now.unwrap_or(then);
    let name = lease.name(tree, found);
    lease.release().await;
    let Some(name) = name else {
        return changed("the element cannot be told from others");
    };
    let matcher = Matcher { reference: Some(name.to_string()), ..Matcher::default() };
    Ok(Ok((at, matcher)))
}

fn change_message(why: &str) -> String {
    let code = ErrorCode::ScreenChanged.row().name;
    format!("{code}: {why}; choose the element again")
}

fn input_result(outcome: &Outcome) -> InputResult {
    let message = match outcome {
        Outcome::Ran(result) => {
            let envelope = &result.envelope;
            let is_stale = envelope.error_code.as_deref() == Some(ErrorCode::RefStale.row().name);
            let told = |why: &String| {
                if is_stale { change_message(why) } else { why.clone() }
            };
            envelope.error.as_ref().map(told)
        }
        Outcome::Error(failure) => Some(failure.message.clone()),
        // Nothing of the page has a key.
        Outcome::Stored(_) => None,
    };
    InputResult { ok: message.is_none(), message, recording: None }
}

fn execution(page: &Page, action: PayloadAction) -> Result<CheckedExecution, Failure> {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let now_ms = page.app.engine.now_ms();
    let id = format!("page-{now_ms}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    Payload::new(&id, "page", Number::from(TIME_MS), &[action]).check()
}

fn action(act: &InputAct) -> Result<PayloadAction, Failure> {
    let of = |kind| PayloadAction::new(ID, kind);
    let at = |[x, y]: [i32; 2]| {
        let side = |side: i32| Number::from(side.max(0));
        Coordinate { x: side(x), y: side(y) }
    };
    let click = |x: i32, y: i32| of(ActionKind::Click).with(ParamKey::Coordinate, at([x, y]));
    Ok(match act {
        InputAct::Tap { x, y } => click(*x, *y),
        InputAct::LongPress { x, y } => click(*x, *y).with(ParamKey::ClickType, ClickType::LongClick.word()),
        InputAct::Text { text, submit, clear } => of(ActionKind::EnterText)
            .with(ParamKey::Matcher, json!({"role": "textfield", "where": {"focused": true}}))
            .with(ParamKey::Text, text.as_str())
            .with(ParamKey::Submit, *submit)
            .with(ParamKey::Clear, *clear),
        InputAct::Key { key } => of(ActionKind::PressKey).with(ParamKey::Key, key.as_str()),
        InputAct::Drag { from, to, move_ms, hold_ms } => of(ActionKind::DragTo)
            .with(ParamKey::Coordinate, at(*from))
            .with(ParamKey::ToCoordinate, at(*to))
            .with(ParamKey::DurationMs, (*move_ms).clamp(LEAST_MOVE_MS, MOST_MS))
            .with(ParamKey::HoldMs, (*hold_ms).min(MOST_MS)),
        InputAct::Scroll { from, to } => scroll(None, *from, *to),
        // It is found first, and then is one of these.
        InputAct::Element { .. } => of(ActionKind::Click),
        InputAct::Action { action, params } => {
            let kind = ActionKind::from_type(action).filter(|kind| kind.spec().verb.is_some());
            let kind = kind.ok_or_else(|| {
                let message = format!("the page has no form for \"{}\"", text::excerpt(action));
                Failure::new(ErrorCode::InvalidRequest, message)
            })?;
            PayloadAction::build(ID, kind, |used| {
                Ok::<_, Failure>(params.get(used.key.name()).cloned().map(PayloadValue::from))
            })?
        }
    })
}

/// `GET /page/actions`: the actions that the page has a form for, as their rows say.
pub(super) async fn actions() -> Json<Value> {
    let rows = CATALOGUE.iter().filter(|row| row.verb.is_some());
    let rows = rows.map(|row| json!({"action": row.name, "about": row.doc, "params": params_of(row)}));
    Json(rows.collect())
}

/// The scroll of what is under a finger that goes from one point to another.
async fn scroll_at(
    page: &Page,
    device: &str,
    from: [i32; 2],
    to: [i32; 2],
) -> Result<PayloadAction, Failure> {
    let mut lease = lease(&page.app.engine, Some(device)).await?;
    // Without a tree the first that scrolls is scrolled.
    let tree = lease.screen(Deadline::after(LOOK)).await.ok();
    lease.release().await;
    Ok(scroll(tree.as_ref(), from, to))
}

/// The same distance and direction, in the container that is under the finger.
fn scroll(tree: Option<&Tree>, from: [i32; 2], to: [i32; 2]) -> PayloadAction {
    let way = |axis: usize| i64::from(to[axis]) - i64::from(from[axis]);
    let (across, down) = (way(0), way(1));
    let is_upright = down.abs() >= across.abs();
    // What is below comes into view when the finger goes up.
    let direction = match (is_upright, down < 0, across < 0) {
        (true, true, _) => Direction::Down,
        (true, false, _) => Direction::Up,
        (false, _, true) => Direction::Right,
        (false, _, false) => Direction::Left,
    };
    let action = PayloadAction::new(ID, ActionKind::Scroll).with(ParamKey::Direction, direction.word());
    let screen = tree.map(Screen::new);
    let Some((screen, id)) = screen.and_then(|screen| {
        let id = scrolled_element(&screen, Point::new(from[0], from[1]))?;
        Some((screen, id))
    }) else {
        return action;
    };
    let area = screen.visible_bounds(id);
    let (went, length) = if is_upright {
        (down, i64::from(area.bottom) - i64::from(area.top))
    } else {
        (across, i64::from(area.right) - i64::from(area.left))
    };
    let ratio = (went.abs() as f64 / length.max(1) as f64).clamp(0.1, 1.0);
    action
        .with_some(ParamKey::DistanceRatio, Number::new((ratio * 100.0).round() / 100.0))
        .with_some(ParamKey::Container, best_name(&screen, id, Ability::Scroll))
}
