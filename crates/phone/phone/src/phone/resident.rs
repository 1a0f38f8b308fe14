//! What the resident server is asked for: trees, what is in front, touches. docs/u2-server.md has the facts.

mod finger;
mod text;

pub use text::OnlyFocused;

use super::capture::{LookResult, LookTo, Views, parse};
use super::front::{Front, ResidentScreen};
use super::guard::{Precondition, locked_error, screen_changed};
use super::server::{is_trusted, listener};
use super::touch::Finger;
use super::{
    CaptureError, CommandKind, CommandLine, DispatchState, Phone, PhoneError, PrintSummary, ResidentTrouble,
};
use crate::dark::Private;
use crate::resident::client::{self, CallError, CallPurpose, ResidentCall};
use clawperator_adb::{AdbError, Deadline, ServiceStream};
use clawperator_contract::{Lane, WarningCode};
use clawperator_events::CommandPurpose as Kind;
use clawperator_ui::{Point, Tree};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How old a look may be that a touch trusts without another one.
const FRESH: Duration = Duration::from_millis(250);
/// More levels than a tree may have: one that is too deep is refused, not cut.
const DEPTH: u32 = 10_000;
/// How long a screen is waited for that does not come to rest, and how long the
/// pauses between two looks are.
const RESTLESS: Duration = Duration::from_secs(2);
const PAUSES: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(200)];
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(10);
/// The app that draws the lock screen.
pub(crate) const SYSTEM_UI: &str = "com.android.systemui";
/// The app that drew it in Android 4.4.
pub(super) const OLD_KEYGUARD: &str = "com.android.keyguard";
/// The apps whose windows may be in front while a phone is locked.
const OVER_LOCK: [&str; 3] = [SYSTEM_UI, OLD_KEYGUARD, "android"];

/// What the server says of the phone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Info {
    size: (u32, u32),
    rotation: u64,
    package: String,
    is_on: bool,
}

impl Info {
    fn read(value: &Value) -> Option<Self> {
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let pixels = |key: &str| number(key).and_then(|pixels| u32::try_from(pixels).ok());
        let package = value.get("currentPackageName").and_then(Value::as_str);
        Some(Self {
            size: (pixels("displayWidth")?, pixels("displayHeight")?),
            rotation: number("displayRotation")?,
            package: package.unwrap_or_default().to_owned(),
            is_on: value.get("screenOn").and_then(Value::as_bool).unwrap_or(true),
        })
    }

    /// Whether the phone may be locked or off.
    fn may_be_locked(&self) -> bool {
        !self.is_on || self.package.is_empty() || OVER_LOCK.contains(&&*self.package)
    }

    /// The same text means the same app on a screen of the same size and rotation.
    fn state(&self) -> String {
        let Self { size: (width, height), rotation, package, .. } = self;
        format!("{width}x{height},{rotation},{package}")
    }

    fn front(&self) -> Front {
        Front {
            lane: Lane::Resident,
            state: self.state(),
            package: Some(self.package.clone()).filter(|package| !package.is_empty()),
            window: None,
            is_steady: true,
            sight: None,
        }
    }
}

/// A call of a method of the server's, as a command.
pub(super) struct ServerCall<'c> {
    kind: CommandKind,
    method: &'c str,
    params: Value,
}

impl<'c> ServerCall<'c> {
    pub(super) fn new(kind: CommandKind, method: &'c str, params: Value) -> Self {
        Self { kind, method, params }
    }
}

impl Phone {
    /// Reads the screen through the server. If something was done since the last
    /// look, it is read until two trees in a row are the same. If they are also
    /// the same as before, the app gets some time to react.
    pub(super) async fn look_resident(
        &self,
        views: Views,
        to: LookTo,
        deadline: Deadline,
    ) -> Result<LookResult, PhoneError> {
        let until_rest = Instant::now() + RESTLESS;
        let mut before = None;
        let [mut pause, longest] = PAUSES;
        loop {
            let asked = Instant::now();
            let tree = self.tree(views, deadline).await?;
            let rests =
                !self.has_changed() || before.as_ref() == Some(&tree) && !self.may_still_react(views, &tree);
            let is_late = before.is_some() && Instant::now() >= until_rest;
            if is_late && !rests {
                let ms = RESTLESS.as_millis();
                let message =
                    format!("the screen never came to rest within {ms} ms; it was read as it was then");
                self.warn(WarningCode::NeverAtRest, message);
            }
            if rests || is_late {
                let front = match to {
                    LookTo::Read => None,
                    // Asked last: it is the check of a touch that follows at once.
                    LookTo::Show | LookTo::Touch => Some(front(&self.info(deadline).await?, &tree, asked)),
                };
                self.has_rested(views, &tree);
                return Ok(LookResult { tree, front, private: Private::default() });
            }
            before = Some(tree);
            let rested = Instant::now() + pause;
            // In the pause it takes no time. The look goes on whatever it says.
            let _ = self.toast(deadline).await;
            sleep_until(rested).await;
            pause = (pause * 2).min(longest);
        }
    }

    /// Tells whether the server does its work: it says what is in front, and reads
    /// the screen. One that only answers a ping may have lost its UiAutomation.
    ///
    /// # Errors
    /// What it says instead, or what broke.
    pub async fn server_works(&self, deadline: Deadline) -> Result<(), PhoneError> {
        self.info(deadline).await?;
        match self.tree(Views::All, deadline).await {
            // That there is no window is no fault of the server.
            Ok(_) | Err(PhoneError::Capture(CaptureError::NullRoot)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Succeeds if the server has its UiAutomation: without it, it hears of no
    /// toast and answers as if there were none.
    pub async fn hears_toasts(&self, deadline: Deadline) -> Result<(), PhoneError> {
        match self.info(deadline).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.name_holder(error, deadline).await),
        }
    }

    /// What is in front, as the server says.
    pub(super) async fn front_resident(&self, deadline: Deadline) -> Result<Front, PhoneError> {
        Ok(self.info(deadline).await?.front())
    }

    /// Touches through the server, if the check passes.
    pub(super) async fn touch_resident(
        &self,
        finger: Finger,
        check: &Precondition,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        match check {
            Precondition::OnScreen => {
                let Point { x, y } = finger.points()[0];
                let size = self.unlocked(deadline).await?.size;
                let is_in = |at: i32, most: u32| u32::try_from(at).is_ok_and(|at| at < most);
                if !is_in(x, size.0) || !is_in(y, size.1) {
                    return Err(PhoneError::OffScreen { size });
                }
            }
            Precondition::Front(front) => {
                if front.package().is_none_or(|package| OVER_LOCK.contains(&package)) {
                    self.unlocked(deadline).await?;
                }
                if !front.is_steady || !self.still_shows(front, finger, deadline).await? {
                    return Err(self.screen_changed(deadline).await);
                }
            }
        }
        let (method, params) = finger.call();
        let call = ServerCall::new(finger.kind(), method, params);
        self.act_resident(&call, deadline).await
    }

    /// What the server says of a phone that is on and unlocked.
    async fn unlocked(&self, deadline: Deadline) -> Result<Info, PhoneError> {
        let info = self.info(deadline).await?;
        if info.may_be_locked()
            && let Some(lock) = self.foreground(deadline).await?.lock()
        {
            return Err(locked_error(lock, DispatchState::No));
        }
        Ok(info)
    }

    /// Tells whether the same is still where a finger is about to go. A look that
    /// is not older than [`FRESH`] is believed: it ended with what is in front.
    async fn still_shows(
        &self,
        seen: &Front,
        finger: Finger,
        deadline: Deadline,
    ) -> Result<bool, PhoneError> {
        let Some(sight) = &seen.sight else {
            return Ok(false);
        };
        if sight.at.elapsed() <= FRESH {
            return Ok(true);
        }
        let asked = Instant::now();
        let tree = self.tree(Views::All, deadline).await?;
        let now = front(&self.info(deadline).await?, &tree, asked);
        let same = |point: &Point| under(&tree, *point) == under(&sight.tree, *point);
        Ok(now.is_steady && now.state == seen.state && finger.points().iter().all(same))
    }

    /// The error of a touch that was not done because something else is in front.
    pub(super) async fn screen_changed(&self, deadline: Deadline) -> PhoneError {
        let front = self.front_by_shell(deadline).await.ok().flatten();
        let window = front.and_then(|front| front.window);
        screen_changed(window, DispatchState::No)
    }

    async fn info(&self, deadline: Deadline) -> Result<Info, PhoneError> {
        let kind = CommandKind::Foreground;
        let call = ServerCall::new(kind, "deviceInfo", json!([]));
        let value = self.call_server(&call, deadline).await?;
        Info::read(&value).ok_or_else(|| PhoneError::Unreadable {
            command: kind,
            excerpt: client::excerpt(&value.to_string()),
        })
    }

    async fn tree(&self, views: Views, deadline: Deadline) -> Result<Tree, PhoneError> {
        let params = json!([views == Views::Important, DEPTH, true]);
        let call = ServerCall::new(CommandKind::Capture, "dumpWindowHierarchy", params);
        let asked = Instant::now();
        let value = self.call_server(&call, deadline).await?;
        let tree = parse(value.as_str().unwrap_or_default().as_bytes())?;
        // A screen without a window, which the phone's own command refuses.
        if tree.is_empty() {
            return Err(CaptureError::NullRoot.into());
        }
        self.note_read(asked);
        Ok(tree)
    }

    async fn act_resident(&self, call: &ServerCall<'_>, deadline: Deadline) -> Result<(), PhoneError> {
        match self.call_server(call, deadline).await? {
            Value::Bool(true) => Ok(()),
            other => Err(PhoneError::Refused {
                command: call.kind,
                exit_code: None,
                excerpt: client::excerpt(&format!("the resident server answered {other}")),
            }),
        }
    }

    pub(super) async fn call_server(
        &self,
        call: &ServerCall<'_>,
        deadline: Deadline,
    ) -> Result<Value, PhoneError> {
        let ServerCall { kind, method, ref params } = *call;
        let line = CommandLine::new(kind, format!("{method}{params}"));
        let line = match kind {
            CommandKind::Text | CommandKind::Clipboard => line,
            _ => line.without_secrets(),
        };
        if self.fenced(&line)?.is_some() {
            // It cannot compare a token: the phone's shell does it.
            return Err(error(kind, CallError::NotRunning));
        }
        self.begin(line.text(), deadline).await?;
        let (purpose, deadline) = match kind.purpose() {
            Kind::Act => (CallPurpose::Act, deadline),
            _ => (CallPurpose::Look, Deadline::after(deadline.left().min(LOOK))),
        };
        let call = ResidentCall { method, params, purpose };
        // It is large, and part of every look and touch: it stays off the stack.
        let calling = Box::pin(self.lane.client.call(call, self.open_server(deadline), deadline));
        let length = |value: &Value| value.as_str().map_or(0, str::len);
        let summary = |value: &Value| PrintSummary { out_bytes: length(value), ..PrintSummary::default() };
        match self.send(&line, calling, summary).await {
            Ok(value) => Ok(value),
            Err(error) => Err(Box::pin(self.name_holder(self::error(kind, error), deadline)).await),
        }
    }

    /// Opens a stream to the server, if it is one: what listens at its port must
    /// belong to the shell or to root.
    pub(super) async fn open_server(&self, deadline: Deadline) -> Result<ServiceStream, CallError> {
        let stream = client::open(&self.device, deadline).await?;
        let line = CommandLine::new(CommandKind::ServerState, "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null");
        let printed = self.shell(&line.without_secrets(), deadline).await;
        let printed = printed.map_err(|error| match error {
            PhoneError::Lost { cause, .. } => CallError::NotSent(cause),
            PhoneError::TimedOut { after, .. } => {
                CallError::NotSent(AdbError::TimedOut { what: "asking whose the resident server is", after })
            }
            _ => CallError::Foreign,
        })?;
        let mut owners = printed.out.lines().filter_map(listener).peekable();
        if owners.peek().is_some() && owners.all(is_trusted) { Ok(stream) } else { Err(CallError::Foreign) }
    }
}

/// What was in front after this tree was read, which was asked for then. A tree of
/// another app than that one, or of another rotation, is of a screen that is gone.
fn front(info: &Info, tree: &Tree, asked: Instant) -> Front {
    let root = tree.nodes().next().map(|(_, node)| node.package.as_str());
    let is_of_it = root == Some(info.package.as_str()) || info.package.is_empty();
    Front {
        is_steady: is_of_it && info.rotation == u64::from(tree.rotation),
        sight: Some(ResidentScreen { tree: Arc::new(tree.clone()), at: asked }),
        ..info.front()
    }
}

/// The nodes at a point, as far as they tell what is there.
fn under(tree: &Tree, point: Point) -> Vec<[String; 6]> {
    let inside = tree.nodes().filter(|(_, node)| node.bounds.contains(point));
    let words = inside.map(|(_, node)| {
        [
            node.class.clone(),
            node.resource_id.clone().unwrap_or_default(),
            node.text.clone(),
            node.content_desc.clone(),
            node.package.clone(),
            node.bounds.to_string(),
        ]
    });
    words.collect()
}

/// What it means for the phone that a call came to nothing.
pub(super) fn error(kind: CommandKind, error: CallError) -> PhoneError {
    let acts = kind.purpose() == Kind::Act;
    let resident = |trouble, dispatched| PhoneError::Resident { trouble, dispatched };
    let unknown = if acts { DispatchState::Unknown } else { DispatchState::No };
    match error {
        CallError::NotRunning => resident(ResidentTrouble::NotRunning, DispatchState::No),
        CallError::Foreign => resident(ResidentTrouble::Foreign, DispatchState::No),
        // A gesture may have begun before that.
        CallError::SlotLost => resident(ResidentTrouble::SlotLost(None), unknown),
        CallError::NotSent(cause) => PhoneError::broken(cause, DispatchState::No),
        CallError::Lost(cause) => PhoneError::broken(cause, unknown),
        CallError::HungUp => resident(ResidentTrouble::NoAnswer, unknown),
        CallError::Exception { class, words } if !acts && kind != CommandKind::Toast => {
            CaptureError::NoHierarchy(thrown(&class, &words)).into()
        }
        CallError::Exception { class, words } => {
            PhoneError::Refused { command: kind, exit_code: None, excerpt: thrown(&class, &words) }
        }
        CallError::Unreadable(excerpt) if !acts && kind != CommandKind::Toast => {
            CaptureError::Malformed(excerpt).into()
        }
        CallError::Unreadable(excerpt) => PhoneError::Unreadable { command: kind, excerpt },
    }
}

/// What the server has thrown, without where. Its words may begin with the class.
fn thrown(class: &str, words: &str) -> String {
    let words = words.split("\n\tat ").next().unwrap_or_default();
    if words.starts_with(class) {
        client::excerpt(words)
    } else {
        client::excerpt(&format!("{class}: {words}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_ui::{Bounds, Node};

    #[test]
    fn whose_the_server_is_stands_in_the_kernel_s_list() {
        let line = |port: &str, state: &str, user: u32| {
            format!(
                "   1: 00000000000000000000000000000000:{port} 0000:0000 {state} 0:0 00:0 0     {user}        0 3 1 0"
            )
        };
        for (line, owner) in [
            (line("2330", "0A", 2000), Some(2000)),
            (line("2330", "0A", 10_181), Some(10_181)),
            (line("2330", "01", 2000), None),
            (line("12330", "0A", 2000), None),
            ("  sl  local_address rem_address   st".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(listener(&line), owner, "{line}");
        }
    }

    #[test]
    fn only_what_is_under_the_finger_counts() {
        let tree = |clock: &str, button: &str| {
            let mut tree = Tree::new(0);
            let node = |text: &str, (top, bottom)| Node {
                text: text.to_owned(),
                bounds: Bounds::new(0, top, 100, bottom),
                ..Node::default()
            };
            tree.push(0, node("", (0, 100)));
            tree.push(1, node(clock, (0, 10)));
            tree.push(1, node(button, (50, 60)));
            tree
        };
        let finger = Point { x: 50, y: 55 };
        let seen = under(&tree("12:00", "Send"), finger);
        assert_eq!(under(&tree("12:01", "Send"), finger), seen);
        assert_ne!(under(&tree("12:00", "Delete"), finger), seen);
    }

    #[test]
    fn a_tree_of_another_app_than_the_one_in_front_is_not_touched() {
        let mut tree = Tree::new(0);
        tree.push(0, Node { package: "com.x".to_owned(), ..Node::default() });
        let info = |package: &str, rotation| Info {
            size: (9, 9),
            rotation,
            package: package.to_owned(),
            is_on: true,
        };
        for (package, rotation, steady) in [("com.x", 0, true), ("com.y", 0, false), ("com.x", 1, false)] {
            assert_eq!(
                front(&info(package, rotation), &tree, Instant::now()).is_steady,
                steady,
                "{package} {rotation}"
            );
        }
    }
}
