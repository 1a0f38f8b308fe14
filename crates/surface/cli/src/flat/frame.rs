//! The payload of each flat command: one row says everything but its parameters.

use super::selector;
use crate::args::Args;
use crate::flags;
use crate::output::Format;
use clawperator_contract::limits::{
    LOOK_MS, MAX_BUDGET, MAX_COUNT, MAX_TIMEOUT_MS, USUAL_COUNT, VIEW_BUDGET,
};
use clawperator_contract::{
    ActionKind, Failure, Mode, Number, PATIENCE, ParamKey, Payload, PayloadAction, RetryObject, RetryPreset,
};

/// What every payload of a flat command has: everything but its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// What the generated ids start with.
    name: &'static str,
    source: &'static str,
    action_id: &'static str,
    pub(super) kind: ActionKind,
    /// The time limit if none is given.
    timeout_ms: u32,
    mode: Option<Mode>,
}

/// The payload of a flat command, before it has ids.
#[derive(Debug)]
pub(crate) struct FlatPayload {
    frame: Frame,
    timeout_ms: Number,
    action: PayloadAction,
    /// The look at what changed, if it is wanted.
    look: Option<PayloadAction>,
}

/// How much longer an execution may take for each time that an act is done, in milliseconds.
const ONE_MORE_MS: f64 = 3_000.0;

/// The time limit if neither the caller nor the row says another.
pub(super) const DEFAULT_TIMEOUT_MS: u32 = 30_000;

pub(super) const SNAPSHOT: Frame = observe("snapshot", "snap", ActionKind::SnapshotUi);
pub(super) const SCREENSHOT: Frame =
    Frame { mode: None, ..observe("screenshot", "snap", ActionKind::TakeScreenshot) };
pub(super) const FIND: Frame = observe("find", "find", ActionKind::Query);

pub(super) const CLICK: Frame = action("click", ActionKind::Click);
pub(super) const DRAG: Frame = action("drag", ActionKind::DragTo);
pub(super) const TYPE: Frame = action("type", ActionKind::EnterText);
pub(super) const READ: Frame = action("read", ActionKind::ReadText);
pub(super) const READ_VALUE: Frame = action("read-value", ActionKind::ReadKeyValuePair);
pub(super) const WAIT: Frame = action("wait", ActionKind::WaitForNode);
pub(super) const WAIT_FOR_TOAST: Frame = action("wait", ActionKind::WaitForToast);
pub(super) const WAIT_FOR_NAV: Frame = action("wait-for-nav", ActionKind::WaitForNavigation);

pub(super) const OPEN_APP: Frame = plain("open-app", "a1", ActionKind::OpenApp).within(15_000);
pub(super) const OPEN_URI: Frame = plain("open-uri", "a1", ActionKind::OpenUri).within(15_000);
pub(super) const CLOSE: Frame = plain("close", "close", ActionKind::CloseApp);
pub(super) const PRESS: Frame = plain("press-key", "a1", ActionKind::PressKey).within(10_000);
pub(super) const SLEEP: Frame = plain("sleep", "sleep", ActionKind::Sleep);
pub(super) const SCROLL: Frame = plain("scroll", "a1", ActionKind::Scroll);
pub(super) const SCROLL_UNTIL: Frame = plain("scroll-until", "a1", ActionKind::ScrollUntil);
pub(super) const SCROLL_AND_CLICK: Frame = plain("scroll-until", "a1", ActionKind::ScrollAndClick);
pub(super) const RECORD_START: Frame =
    plain("start_recording", "a1", ActionKind::StartRecording).within(10_000);
pub(super) const RECORD_STOP: Frame = plain("stop_recording", "a1", ActionKind::StopRecording).within(15_000);

/// A row of a command that only looks.
const fn observe(name: &'static str, action_id: &'static str, kind: ActionKind) -> Frame {
    Frame { source: "clawperator-observe", mode: Some(Mode::Direct), ..plain(name, action_id, kind) }
}

/// A row of a command that finds an element first.
const fn action(name: &'static str, kind: ActionKind) -> Frame {
    Frame { source: "clawperator-action", mode: Some(Mode::Direct), ..plain(name, name, kind) }
}

/// The row of a command that is made of the catalogue.
pub(super) fn of_row(kind: ActionKind) -> Frame {
    plain(kind.name(), "a1", kind)
}

/// A row of any other command.
const fn plain(name: &'static str, action_id: &'static str, kind: ActionKind) -> Frame {
    Frame { name, source: "clawperator-cli", action_id, kind, timeout_ms: DEFAULT_TIMEOUT_MS, mode: None }
}

impl Frame {
    const fn within(self, timeout_ms: u32) -> Self {
        Self { timeout_ms, ..self }
    }

    /// The time limit: that of `--timeout`, or the usual one.
    pub(super) fn timeout(self, args: &Args) -> Result<Number, Failure> {
        Ok(args.timeout()?.unwrap_or(self.timeout_ms.into()))
    }

    /// The action, without parameters. Only a snapshot is written without an empty `params`.
    pub(super) fn action(self) -> PayloadAction {
        let action = PayloadAction::new(self.action_id, self.kind);
        if self.kind == ActionKind::SnapshotUi { action } else { action.with_params() }
    }

    /// The payload of this action and the time limit of `--timeout`.
    pub(super) fn filled(self, args: &Args, action: PayloadAction) -> Result<FlatPayload, Failure> {
        Ok(self.lasting(self.timeout(args)?, action))
    }

    /// The payload of this action and a time limit.
    pub(super) fn lasting(self, timeout_ms: Number, action: PayloadAction) -> FlatPayload {
        FlatPayload { frame: self, timeout_ms, action, look: None }
    }
}

impl FlatPayload {
    /// The same payload as often as the caller wants it, with a look at what changed
    /// if it is wanted, and an agent's patience.
    pub(super) fn for_caller(mut self, args: &Args) -> Result<Self, Failure> {
        if args.format == Format::Agent {
            let retries = self.frame.kind.spec().retries.iter();
            let mut presets = retries.filter(|(key, _)| *key == ParamKey::Retry);
            let acts = [RetryPreset::UiReadiness, RetryPreset::AppLaunch];
            let is_wait = self.frame.kind == ActionKind::WaitForNode;
            if !is_wait && presets.any(|(_, preset)| acts.contains(preset)) {
                self.action.set(ParamKey::Retry, RetryObject::patience(PATIENCE));
            }
        }
        let count = args.whole(&flags::COUNT, 1..=MAX_COUNT as u64)?;
        let until = selector::until(args)?;
        let times = count.or(until.as_ref().map(|_| USUAL_COUNT.into())).unwrap_or(0);
        let mut longer = times as f64 * ONE_MORE_MS;
        let count = count.map(|count| count as u32);
        self.action = self.action.with_some(ParamKey::Count, count).with_some(ParamKey::Until, until);
        if args.looks_after() {
            let budget = args.whole(&flags::BUDGET, 1..=MAX_BUDGET as u64)?;
            let budget = budget.map_or(VIEW_BUDGET, |most| most as u32);
            self.look = Some(PayloadAction::changes("view", budget));
            longer += LOOK_MS;
        }
        if longer > 0.0 && args.timeout()?.is_none() {
            let limit = (self.timeout_ms.get() + longer).min(MAX_TIMEOUT_MS);
            self.timeout_ms = Number::new(limit).unwrap_or(self.timeout_ms);
        }
        Ok(self)
    }

    /// A look at what changed, alone.
    pub(crate) fn look() -> Self {
        let look = PayloadAction::changes(SNAPSHOT.action_id, VIEW_BUDGET);
        SNAPSHOT.lasting(SNAPSHOT.timeout_ms.into(), look)
    }

    /// The payload as JSON, with ids made of a time and a random number.
    pub(crate) fn into_json(self, now_ms: u64, random: u64) -> String {
        let frame = self.frame;
        let id = format!("{}-{now_ms}-{}", frame.name, base36(random));
        let actions: Vec<_> = std::iter::once(self.action).chain(self.look).collect();
        let payload =
            Payload { mode: frame.mode, ..Payload::new(&id, frame.source, self.timeout_ms, &actions) };
        payload.to_json()
    }
}

/// Seven letters and digits from a number.
fn base36(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    (0..7)
        .map(|_| {
            let digit = DIGITS[(number % 36) as usize];
            number /= 36;
            char::from(digit)
        })
        .collect()
}
