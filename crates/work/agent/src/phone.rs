//! Carries out what a tool does on a phone.
//!
//! Touches and launches are executions of one action, so that they are checked,
//! quoted and told of like any other. Keys, typing at the cursor and the phone's
//! shell go through the lease's own doors.

mod execution;
mod shell;

use crate::action::{AgentAction, KeyEvent, LaunchApp, Type, Wait};
use crate::result::{Dispatched, ToolError, ToolResult};
use crate::space::Space;
use clawperator_contract::{
    ActionKind, Coordinate, ErrorCode, Number, ParamKey, PayloadAction, PayloadValue, WarningCode, key_names,
    text,
};
use clawperator_phone::{ActError, Deadline, KeyCode, PhoneLease};
use clawperator_run::RunOptions;
use clawperator_ui::Point;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;

/// The longest that `wait` waits.
pub const MAX_WAIT: Duration = Duration::from_secs(60);
/// How long one act may take, beside the time that it asks for.
const ACT_TIME: Duration = Duration::from_secs(30);
/// The longest that a finger rests, and the longest that it moves.
const MAX_GESTURE_MS: f64 = clawperator_contract::limits::MAX_GESTURE_MS;

/// A phone that tools work on.
pub struct PhoneTools<'p> {
    pub lease: &'p mut PhoneLease,
    pub options: &'p RunOptions,
    pub space: Space,
}

const ID: &str = "a1";

impl PhoneTools<'_> {
    /// Carries an action out; `None` if it is not one of a phone.
    pub async fn run(&mut self, action: &AgentAction) -> Option<ToolResult> {
        let still = Number::from(0_u32);
        Some(match action {
            AgentAction::Tap(tap) => {
                let at = self.coordinate(tap.x, tap.y);
                let action = PayloadAction::new(ID, ActionKind::Click).with(ParamKey::Coordinate, at);
                let done = format!("Tapped ({},{}).", at.x, at.y);
                self.execute(action, &done).await
            }
            AgentAction::Swipe(way) => {
                self.drag([way.x1, way.y1, way.x2, way.y2], [way.duration_ms, still], "Swiped").await
            }
            AgentAction::Drag(way) => {
                self.drag([way.x1, way.y1, way.x2, way.y2], [way.duration_ms, still], "Dragged").await
            }
            AgentAction::LongPressDrag(way) => {
                let times = [way.duration_ms, way.hold_ms];
                self.drag([way.x1, way.y1, way.x2, way.y2], times, "Held and dragged").await
            }
            AgentAction::Plain(plain) => {
                let Ok(action) = PayloadAction::build(ID, plain.row()?.kind, |used| {
                    let value = plain.params.get(used.key.name()).cloned();
                    Ok::<_, Infallible>(value.map(PayloadValue::from))
                });
                self.execute(action, &format!("Done: {}.", plain.kind)).await
            }
            AgentAction::Type(typed) => self.type_text(typed).await,
            AgentAction::KeyEvent(key) => self.key(key).await,
            AgentAction::LaunchApp(app) => self.launch(app).await,
            AgentAction::Shell(command) => shell::run(self.lease, &command.command).await,
            AgentAction::Wait(wait) => self::wait(wait).await,
            _ => return None,
        })
    }

    fn coordinate(&self, x: Number, y: Number) -> Coordinate {
        let Point { x, y } = self.space.pixel(x, y);
        Coordinate { x: x.into(), y: y.into() }
    }

    /// Moves a finger from the one end to the other; the times are those of the move
    /// and of the rest before it.
    async fn drag(&mut self, ends: [Number; 4], times: [Number; 2], verb: &str) -> ToolResult {
        let [x1, y1, x2, y2] = ends;
        let (from, to) = (self.coordinate(x1, y1), self.coordinate(x2, y2));
        let [move_ms, hold_ms] = times.map(|time| time.trunc().clamp(0.0, MAX_GESTURE_MS));
        let action = PayloadAction::new(ID, ActionKind::DragTo)
            .with(ParamKey::Coordinate, from)
            .with(ParamKey::ToCoordinate, to)
            .with(ParamKey::DurationMs, move_ms)
            .with(ParamKey::HoldMs, hold_ms);
        let done = format!("{verb} from ({},{}) to ({},{}).", from.x, from.y, to.x, to.y);
        self.execute(action, &done).await
    }

    async fn launch(&mut self, app: &LaunchApp) -> ToolResult {
        let app = app.package_name.trim();
        let action = PayloadAction::new(ID, ActionKind::OpenApp).with(ParamKey::ApplicationId, app);
        self.execute(action, &format!("Opened {app}.")).await
    }

    async fn type_text(&mut self, typed: &Type) -> ToolResult {
        if typed.text.is_empty() {
            return refusal("There is no text to type.", "Send the text in the argument text.");
        }
        let deadline = Deadline::after(ACT_TIME);
        match self.lease.type_here(&typed.text, deadline).await {
            Ok(here) if here.is_seen => {
                let letters = typed.text.chars().count();
                let warnings = self.lease.phone().lane_report().warnings.into_iter();
                let left = warnings.filter(|warning| warning.code == WarningCode::NotGivenBack);
                let left: String = left.map(|warning| format!(" But {}.", warning.message)).collect();
                let done = format!("Typed {letters} letters; the field shows them.{left}");
                ToolResult::success(done).with_dispatched(Dispatched::Yes)
            }
            Ok(_) => {
                let message = "The text was typed, but the field does not show it.";
                let error = ToolError::new(ErrorCode::TextNotEntered, message);
                let hint = "Look at the screen before you type again.";
                ToolResult::failure(error.with_hint(hint)).with_dispatched(Dispatched::Yes)
            }
            Err(error) => act_failed(self.lease, ErrorCode::TextNotEntered, &error),
        }
    }

    async fn key(&mut self, key: &KeyEvent) -> ToolResult {
        let Some(code) = KeyCode::from_name(text::trim(&key.keycode)) else {
            let message = format!("There is no key \"{}\".", text::excerpt(&key.keycode));
            let wanted = key.keycode.to_uppercase();
            let meant = text::closest(wanted.trim_start_matches("KEYCODE_"), key_names());
            let meant = meant.unwrap_or("ENTER");
            return refusal(&message, &format!("Use a name of Android, such as KEYCODE_{meant}."));
        };
        match self.lease.press(code, Deadline::after(ACT_TIME)).await {
            Ok(()) => {
                let done = ToolResult::success(format!("Pressed {}.", text::trim(&key.keycode)));
                done.with_dispatched(Dispatched::Yes)
            }
            Err(error) => act_failed(self.lease, ErrorCode::GestureFailed, &error),
        }
    }
}

/// Waits for a time that a model chose, within bounds.
pub async fn wait(wait: &Wait) -> ToolResult {
    let asked = wait.duration_ms.as_millis();
    let time = asked.min(MAX_WAIT);
    tokio::time::sleep(time).await;
    let text = format!("Waited {} ms.", time.as_millis());
    let cut = json!({"durationMs": time.as_millis() as u64, "cut": asked > MAX_WAIT});
    ToolResult::success(text).with_data(cut)
}

fn refusal(message: &str, hint: &str) -> ToolResult {
    ToolError::new(ErrorCode::ExecutionValidationFailed, message).with_hint(hint).into()
}

fn act_failed(lease: &PhoneLease, code: ErrorCode, error: &ActError) -> ToolResult {
    let code = error.error.code(code);
    let message = lease.hide(&error.error.to_string());
    ToolResult::failure(ToolError::new(code, sentence(&message))).with_dispatched(error.dispatched.into())
}

/// A message of a lower layer as a sentence.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let end = if message.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), letters.as_str())
}
