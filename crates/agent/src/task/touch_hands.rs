//! Hands that can do what a finger can do, and nothing else: they touch, type,
//! press keys and open apps. Every other tool is refused. A request to a person
//! gets the answer that was prepared for it.

use super::{Described, Element, Focus, Hands, Look};
use crate::action::AgentAction;
use crate::model::Picture;
use crate::result::{Dispatched, ToolError, ToolResult};
use crate::snapshot::{ImageKind, Observer, Options, ScreenSnapshot};
use crate::tool;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_contract::{ErrorCode, Number};
use clawperator_runtime::{
    Act, Check, Deadline, Dispatched as PhoneActed, Finger, Front, KeyCode, PhoneLease, Point, SwipePath,
    TypedText,
};
use clawperator_ui::{Attributes, Flag, write};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The longest movement.
const LONGEST_MOVE: Duration = Duration::from_secs(10);

/// The keys that can be pressed, by their names in Android.
const KEYS: [(&str, KeyCode); 10] = [
    ("HOME", KeyCode::Home),
    ("BACK", KeyCode::Back),
    ("ENTER", KeyCode::Enter),
    ("DEL", KeyCode::Delete),
    ("TAB", KeyCode::Tab),
    ("ESCAPE", KeyCode::Escape),
    ("APP_SWITCH", KeyCode::Recents),
    ("MENU", KeyCode::Menu),
    ("WAKEUP", KeyCode::Wake),
    ("DPAD_CENTER", KeyCode::Center),
];

/// What a person answers when a model asks.
#[derive(Clone, Debug, Default)]
pub enum Prepared {
    /// Nobody is there.
    #[default]
    Nobody,
    /// It is rejected.
    Reject,
    /// It is approved, and this text is typed into the field that has the focus.
    Approve(String),
}

/// Hands that can only touch.
#[derive(Debug)]
pub struct TouchHands {
    lease: PhoneLease,
    observer: Observer,
    options: Options,
    /// What a person answers.
    prepared: Prepared,
    /// How many pixels of the phone are one of the picture.
    scale: [f64; 2],
    front: Option<Front>,
}

impl TouchHands {
    /// Hands for a phone, for a model of that name.
    #[must_use]
    pub fn new(lease: PhoneLease, observer: Observer, model: &str) -> Self {
        Self {
            lease,
            observer,
            options: Options {
                model: Some(model.to_owned()),
                image: ImageKind::default(),
                ..Options::default()
            },
            prepared: Prepared::default(),
            scale: [1.0, 1.0],
            front: None,
        }
    }

    /// The same, with a person who answers.
    #[must_use]
    pub fn with_answer(mut self, prepared: Prepared) -> Self {
        self.prepared = prepared;
        self
    }

    /// Lets go of the phone.
    pub async fn release(self) {
        self.lease.release().await;
    }

    fn point(&self, x: Number, y: Number) -> Point {
        Point {
            x: whole(x.get() * self.scale[0]),
            y: whole(y.get() * self.scale[1]),
        }
    }

    /// What an action does to the phone, if it is one for fingers.
    fn as_act(&self, action: &AgentAction) -> Result<Act, ToolError> {
        let check = || self.front.clone().map_or(Check::OnScreen, Check::Front);
        let swipe = |from: Point, to: Point, ms: f64| {
            let takes = millis(ms).min(LONGEST_MOVE);
            Act::Touch(Finger::Swipe(SwipePath { from, to, takes }), check())
        };
        Ok(match action {
            AgentAction::Tap(tap) => Act::Touch(Finger::Tap(self.point(tap.x, tap.y)), check()),
            AgentAction::Swipe(way) => swipe(
                self.point(way.x1, way.y1),
                self.point(way.x2, way.y2),
                way.duration_ms.get(),
            ),
            AgentAction::Drag(way) => swipe(
                self.point(way.x1, way.y1),
                self.point(way.x2, way.y2),
                way.duration_ms.get(),
            ),
            AgentAction::LongPressDrag(way) => swipe(
                self.point(way.x1, way.y1),
                self.point(way.x2, way.y2),
                way.hold_ms.get() + way.duration_ms.get(),
            ),
            AgentAction::Type(typed) => typing(&typed.text),
            AgentAction::KeyEvent(key) => {
                let name = key.keycode.strip_prefix("KEYCODE_").unwrap_or(&key.keycode);
                let known = KEYS.iter().find(|(known, _)| *known == name);
                let known = known.ok_or_else(|| refused(action, "this key is not known here"))?;
                Act::Key(known.1)
            }
            AgentAction::LaunchApp(app) => Act::OpenApp {
                package: app.package_name.clone(),
            },
            other => return Err(refused(other, "only touching is allowed")),
        })
    }

    async fn perform(&mut self, act: Act, deadline: Deadline) -> ToolResult {
        match self.lease.perform(act, deadline).await {
            Ok(()) => ToolResult::done("The phone accepted it.").with_dispatched(Dispatched::Yes),
            Err(error) => {
                let acted = match error.dispatched {
                    PhoneActed::No => Dispatched::No,
                    PhoneActed::Unknown => Dispatched::Unknown,
                };
                let failed = ToolError::new(ErrorCode::DeviceShellUnavailable, error.to_string());
                ToolResult::failed(failed.with_hint("Look at the screen before you try again."))
                    .with_dispatched(acted)
            }
        }
    }

    async fn asked(&mut self, deadline: Deadline) -> ToolResult {
        let text = match &self.prepared {
            Prepared::Approve(text) => text.clone(),
            Prepared::Nobody | Prepared::Reject => {
                let why = "The person did not approve.";
                return ToolResult::failed(ToolError::new(ErrorCode::CapabilityDenied, why));
            }
        };
        // The model is told that a text was typed, never which.
        let typed = self.perform(typing(&text), deadline).await;
        match typed.ok {
            true => ToolResult::done("Approved. A text was typed into the field that has the focus.")
                .with_dispatched(Dispatched::Yes),
            false => typed,
        }
    }
}

impl Hands for TouchHands {
    async fn look(&mut self, deadline: Deadline) -> Result<Look, String> {
        let seen = self
            .observer
            .observe(&mut self.lease, &self.options, deadline)
            .await;
        let seen = seen.map_err(|error| error.to_string())?;
        self.scale = [seen.scale_x, seen.scale_y];
        self.front = seen.front.clone();
        Ok(Look::from(seen))
    }

    async fn describe(&mut self, deadline: Deadline) -> Described {
        let Ok(mut tree) = self.lease.screen(deadline).await else {
            return Described::default();
        };
        let focused = tree.nodes().find(|(_, node)| node.flags.has(Flag::Focused));
        let secret = focused.is_some_and(|(id, _)| tree.is_secret(id));
        tree.hide_passwords();
        Described {
            tree: Some(write(&tree, Attributes::Usual)),
            focus: if secret { Focus::Secret } else { Focus::Open },
        }
    }

    async fn act(&mut self, action: &AgentAction, deadline: Deadline) -> ToolResult {
        match action {
            AgentAction::Wait(wait) => {
                sleep(millis(wait.duration_ms.get()).min(LONGEST_WAIT)).await;
                ToolResult::done("Waited.")
            }
            AgentAction::RequestHumanAuth(_) => self.asked(deadline).await,
            other => match self.as_act(other) {
                Ok(act) => self.perform(act, deadline).await,
                Err(error) => ToolResult::failed(error),
            },
        }
    }
}

impl From<ScreenSnapshot> for Look {
    fn from(seen: ScreenSnapshot) -> Self {
        let visual = seen
            .capture_metrics
            .as_ref()
            .map(|metrics| metrics.visual_hash.clone());
        let picture = STANDARD.decode(&seen.screenshot_base64).ok();
        let element = |element: crate::snapshot::UiElementSnapshot| Element {
            id: element.id,
            text: element.text,
            desc: element.content_desc,
            resource_id: element.resource_id,
            class: element.class_name,
            clickable: element.clickable,
            enabled: element.enabled,
            center: [element.scaled_center.x, element.scaled_center.y],
        };
        Self {
            app: seen.current_app,
            hash: seen.tree_hash.or(visual).unwrap_or_default(),
            size: [seen.width, seen.height],
            scaled: [seen.scaled_width, seen.scaled_height],
            picture: picture.map(|bytes| Picture {
                media_type: "image/png",
                bytes: Arc::from(bytes),
            }),
            elements: seen.ui_elements.into_iter().map(element).collect(),
            secure_windows: seen.secure_windows,
        }
    }
}

fn typing(text: &str) -> Act {
    Act::Type(TypedText {
        text: text.to_owned(),
        replaces: 0,
    })
}

fn refused(action: &AgentAction, why: &str) -> ToolError {
    let name = tool::of_kind(action.kind()).map_or(action.kind(), |tool| tool.name);
    let message = format!("{name} was not done: {why}.");
    ToolError::new(ErrorCode::CapabilityDenied, message).with_hint("Do it by touching the screen, or finish.")
}

fn millis(number: f64) -> Duration {
    Duration::try_from_secs_f64(number / 1000.0).unwrap_or_default()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float becomes the nearest integer that there is"
)]
fn whole(number: f64) -> i32 {
    number.round() as i32
}
