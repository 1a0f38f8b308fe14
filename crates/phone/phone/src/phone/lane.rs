//! Where the trees of a phone come from: its own command, or the resident
//! server. What was found out stays with the connection.

use super::reaction::Reaction;
use super::toast::ToastMemory;
use super::{CommandKind, DispatchState, Holder, Phone, PhoneError, ResidentTrouble, StartError, Whose};
use crate::resident::client::ResidentClient;
use crate::resident::mark::ResidentSetup;
use clawperator_adb::Deadline;
use clawperator_contract::{Lane, LaneWish, Warning, WarningCode};
use clawperator_events::CommandPurpose;
use futures_core::future::BoxFuture;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long it is believed that no server runs.
const ABSENT: Duration = Duration::from_secs(5);
/// How long finding the server may take, and starting it.
const FINDING: Duration = Duration::from_secs(5);
const STARTING: Duration = Duration::from_secs(15);

/// What is known of the lane of a phone.
#[derive(Debug, Default)]
pub(super) struct LaneState {
    pub(super) client: ResidentClient,
    pub(super) reaction: Mutex<Reaction>,
    chosen: Mutex<LaneChoice>,
    pub(super) toasts: Mutex<ToastMemory>,
    /// When the last tree was asked for that the server has given.
    pub(super) read_at: Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct LaneChoice {
    /// None until somebody has asked.
    lane: Option<Lane>,
    wish: LaneWish,
    setup: ResidentSetup,
    /// Whether our server was started anew since then.
    restarted: bool,
    absent_since: Option<Instant>,
    warnings: Vec<Warning>,
}

/// Which lane a run was on, and what was odd about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneReport {
    pub lane: Lane,
    pub warnings: Vec<Warning>,
}

impl Phone {
    /// Chooses the lane of the looks and touches from now on. No round trip if the wish is clear or
    /// the server's stream is open; otherwise a stream is opened, and if that works, one round trip
    /// tells whose it is. A server that was set up and does not run is started.
    ///
    /// # Errors
    /// [`PhoneError::Resident`] if the resident server is wanted and cannot be
    /// used.
    pub fn use_lane(
        &self,
        wish: LaneWish,
        setup: ResidentSetup,
        deadline: Deadline,
    ) -> BoxFuture<'_, Result<Lane, PhoneError>> {
        Box::pin(async move {
            {
                let mut chosen = self.lane_choice();
                chosen.warnings.clear();
                (chosen.wish, chosen.setup, chosen.restarted) = (wish, setup, false);
            }
            let found = match wish {
                LaneWish::Dump => Ok(Lane::Dump),
                LaneWish::Auto | LaneWish::Resident => {
                    // Large, and part of every look: they stay off the stack.
                    let found = Box::pin(self.find_server(wish, deadline)).await;
                    let found = match (found, setup) {
                        (Err(error), ResidentSetup::Done) if is_not_running(&error) => {
                            Box::pin(self.start_and_find(deadline)).await
                        }
                        (found, _) => found,
                    };
                    found.map(|()| Lane::Resident)
                }
            };
            let lane = match (found, wish, setup) {
                (Ok(lane), ..) => lane,
                (Err(error), LaneWish::Resident, _) => return Err(error),
                (Err(_), _, ResidentSetup::None) => Lane::Dump,
                (Err(error), _, ResidentSetup::Done) => {
                    self.warn(WarningCode::LaneNotUsed, error.to_string());
                    Lane::Dump
                }
            };
            self.lane_choice().lane = Some(lane);
            Ok(lane)
        })
    }

    /// Chooses the lane if it is not chosen yet.
    pub(super) async fn lane_for_a_look(&self, deadline: Deadline) -> Lane {
        let chosen = self.lane_choice().lane;
        match chosen {
            Some(lane) => lane,
            None => self.use_lane(LaneWish::Auto, ResidentSetup::None, deadline).await.unwrap_or_default(),
        }
    }

    /// The lane as it was chosen.
    pub fn lane(&self) -> Lane {
        self.lane_choice().lane.unwrap_or_default()
    }

    /// The lane, and what was odd since it was chosen.
    pub fn lane_report(&self) -> LaneReport {
        let chosen = self.lane_choice();
        LaneReport { lane: chosen.lane.unwrap_or_default(), warnings: chosen.warnings.clone() }
    }

    /// Lets the next look choose.
    pub(crate) fn forget_lane(&self) {
        self.lane_choice().lane = None;
        self.forget_told_toasts();
    }

    /// Whether there is no server to ask, and nothing was done: then the phone's own commands do
    /// the rest of the run, with a warning, unless the server was asked for by name.
    pub(super) fn goes_on_without_server(&self, error: &PhoneError) -> bool {
        use ResidentTrouble::{Foreign, NotRunning, SlotLost};
        let PhoneError::Resident {
            trouble: trouble @ (NotRunning | Foreign | SlotLost(None)),
            dispatched: DispatchState::No,
        } = error
        else {
            return false;
        };
        if self.lane_choice().wish == LaneWish::Resident {
            return false;
        }
        self.lane_choice().lane = Some(Lane::Dump);
        let message = format!("{trouble}; the phone's own commands are used from now on");
        self.warn(WarningCode::LaneNotUsed, message);
        true
    }

    /// Whether our server, which has lost its UiAutomation to a program that is gone, was started
    /// anew, so that what was not done can be asked again. Once in a run.
    pub(super) async fn has_restarted(&self, error: &PhoneError, deadline: Deadline) -> bool {
        let is_free = matches!(
            error,
            PhoneError::Resident { trouble: ResidentTrouble::SlotLost(None), dispatched: DispatchState::No }
        );
        let is_new = {
            let mut chosen = self.lane_choice();
            let may = is_free && chosen.setup == ResidentSetup::Done;
            may && !std::mem::replace(&mut chosen.restarted, true)
        };
        if !is_new {
            return false;
        }
        let limit = Deadline::after(deadline.left().min(STARTING));
        // A server of another program is not ended.
        if !matches!(self.stop_server(Whose::Ours, limit).await, Ok(true)) {
            return false;
        }
        self.lane.client.close();
        self.miss_toasts();
        Box::pin(self.start_and_find(deadline)).await.is_ok()
    }

    /// Warns once of each kind.
    pub fn warn(&self, code: WarningCode, message: String) {
        let mut chosen = self.lane_choice();
        if chosen.warnings.iter().all(|warning| warning.code != code) {
            chosen.warnings.push(Warning { code, path: String::new(), message });
        }
    }

    /// Notes that something is about to be done, or was done just now.
    pub(super) fn acts(&self, kind: CommandKind) {
        if kind.purpose() == CommandPurpose::Act {
            self.dark.stir();
            self.has_acted();
        }
    }

    /// Starts the server that the user has set up.
    async fn start_and_find(&self, deadline: Deadline) -> Result<(), PhoneError> {
        let limit = Deadline::after(deadline.left().min(STARTING));
        let started = self.start_server(limit).await;
        started.map_err(|error| match error {
            StartError::Phone(error) => error,
            other => PhoneError::Resident {
                trouble: ResidentTrouble::NotStarted(other.to_string()),
                dispatched: DispatchState::No,
            },
        })?;
        self.find_server(LaneWish::Resident, deadline).await
    }

    /// Says who reads the screen instead of the server, where that is known.
    pub(super) async fn name_holder(&self, error: PhoneError, deadline: Deadline) -> PhoneError {
        let PhoneError::Resident { trouble: ResidentTrouble::SlotLost(None), dispatched } = error else {
            return error;
        };
        let state = self.server_state(deadline).await.unwrap_or_default();
        // The server that lost it is a uiautomator2, started by us or not.
        let holder = state.holders.iter().find(|holder| holder.program != "uiautomator2");
        let who = holder.map(|holder| format!("{} ({})", holder.program, holder.end));
        PhoneError::Resident { trouble: ResidentTrouble::SlotLost(who), dispatched }
    }

    /// Who reads the screen instead of the phone's own command, and what to do,
    /// where that is known.
    pub(super) async fn who_reads(&self, deadline: Deadline) -> Option<String> {
        let state = self.server_state(deadline).await.ok()?;
        let could_be_used = state.is_trusted() && self.lane_choice().wish == LaneWish::Dump;
        let ours = state.ours.map(|ours| ours.server);
        let told = |holder: &Holder| {
            let Holder { program, end, .. } = holder;
            if !(holder.is_server && could_be_used) {
                format!("{program} does: {end}")
            } else if Some(holder.pid) == ours {
                "the resident server does: leave out --lane dump, or run clawperator lane stop".to_owned()
            } else {
                format!("{program} does: leave out --lane dump, or {end}")
            }
        };
        let all: Vec<_> = state.holders.iter().map(told).collect();
        Some(all.join("; or ")).filter(|all| !all.is_empty())
    }

    async fn find_server(&self, wish: LaneWish, deadline: Deadline) -> Result<(), PhoneError> {
        let deadline = Deadline::after(deadline.left().min(FINDING));
        if self.lane.client.is_open() {
            return Ok(());
        }
        let absent = self.lane_choice().absent_since;
        if wish == LaneWish::Auto && absent.is_some_and(|since| since.elapsed() < ABSENT) {
            return Err(not_running());
        }
        match self.open_server(deadline).await {
            Ok(stream) => {
                self.lane.client.keep(stream);
                self.lane_choice().absent_since = None;
                Ok(())
            }
            Err(error) => {
                let error = super::resident::error(CommandKind::Capture, error);
                if matches!(error, PhoneError::Resident { .. }) {
                    self.lane_choice().absent_since = Some(Instant::now());
                }
                Err(error)
            }
        }
    }

    fn lane_choice(&self) -> MutexGuard<'_, LaneChoice> {
        self.lane.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_not_running(error: &PhoneError) -> bool {
    let trouble = ResidentTrouble::NotRunning;
    matches!(error, PhoneError::Resident { trouble: why, .. } if *why == trouble)
}

pub(super) fn not_running() -> PhoneError {
    PhoneError::Resident { trouble: ResidentTrouble::NotRunning, dispatched: DispatchState::No }
}
