//! The frame of each flat command's execution, one row each.

use super::draft::{Draft, Frame, Param};
use crate::cli::args::Args;
use clawperator_contract::{ActionKind, Failure, Mode};

/// The time limit if neither the caller nor the row says another.
pub(super) const DEFAULT_TIMEOUT_MS: f64 = 30_000.0;

pub(super) const SNAPSHOT: Frame = observe("snapshot", "snap", ActionKind::SnapshotUi);
pub(super) const SCREENSHOT: Frame = Frame {
    mode: None,
    ..observe("screenshot", "snap", ActionKind::TakeScreenshot)
};
pub(super) const FIND: Frame = observe("find", "find", ActionKind::Query);

pub(super) const CLICK: Frame = action("click", ActionKind::Click);
pub(super) const TYPE: Frame = action("type", ActionKind::EnterText);
pub(super) const READ: Frame = action("read", ActionKind::ReadText);
pub(super) const READ_VALUE: Frame = action("read-value", ActionKind::ReadKeyValuePair);
pub(super) const WAIT: Frame = action("wait", ActionKind::WaitForNode);
pub(super) const WAIT_FOR_NAV: Frame = action("wait-for-nav", ActionKind::WaitForNavigation);

pub(super) const OPEN_APP: Frame = plain("open-app", "a1", ActionKind::OpenApp).within(15_000.0);
pub(super) const OPEN_URI: Frame = plain("open-uri", "a1", ActionKind::OpenUri).within(15_000.0);
pub(super) const CLOSE: Frame = plain("close", "close", ActionKind::CloseApp);
pub(super) const PRESS: Frame = plain("press-key", "a1", ActionKind::PressKey).within(10_000.0);
pub(super) const SLEEP: Frame = plain("sleep", "sleep", ActionKind::Sleep);
pub(super) const SCROLL: Frame = plain("scroll", "a1", ActionKind::Scroll);
pub(super) const SCROLL_UNTIL: Frame = plain("scroll-until", "a1", ActionKind::ScrollUntil);
pub(super) const SCROLL_AND_CLICK: Frame = plain("scroll-until", "a1", ActionKind::ScrollAndClick);
pub(super) const RECORD_START: Frame =
    plain("start_recording", "a1", ActionKind::StartRecording).within(10_000.0);
pub(super) const RECORD_STOP: Frame =
    plain("stop_recording", "a1", ActionKind::StopRecording).within(15_000.0);

/// A row of a command that only looks.
const fn observe(name: &'static str, action_id: &'static str, kind: ActionKind) -> Frame {
    Frame {
        source: "clawperator-observe",
        mode: Some(Mode::Direct),
        ..plain(name, action_id, kind)
    }
}

/// A row of a command that finds an element first.
const fn action(name: &'static str, kind: ActionKind) -> Frame {
    Frame {
        source: "clawperator-action",
        mode: Some(Mode::Direct),
        ..plain(name, name, kind)
    }
}

/// A row of any other command.
const fn plain(name: &'static str, action_id: &'static str, kind: ActionKind) -> Frame {
    Frame {
        name,
        source: "clawperator-cli",
        action_id,
        kind,
        timeout_ms: DEFAULT_TIMEOUT_MS,
        mode: None,
    }
}

impl Frame {
    const fn within(self, timeout_ms: f64) -> Self {
        Self { timeout_ms, ..self }
    }

    /// The time limit: that of `--timeout`, or the usual one.
    pub(super) fn timeout(self, args: &Args) -> Result<f64, Failure> {
        Ok(args.timeout()?.unwrap_or(self.timeout_ms))
    }

    /// The execution with those parameters that are there, and the time limit of
    /// `--timeout`.
    pub(super) fn filled<const N: usize>(self, args: &Args, params: [Param; N]) -> Result<Draft, Failure> {
        Ok(self.lasting(self.timeout(args)?, params))
    }

    /// The execution with those parameters that are there, and a time limit.
    pub(super) fn lasting<const N: usize>(self, timeout_ms: f64, params: [Param; N]) -> Draft {
        let params = params.into_iter().filter_map(|(key, value)| Some((key, value?)));
        Draft {
            frame: self.within(timeout_ms),
            params: params.collect(),
        }
    }
}
