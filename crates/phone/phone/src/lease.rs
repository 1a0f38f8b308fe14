//! A phone that is ours for a while: the connection, what was seen on its screens, what was
//! borrowed from its user, and whatever keeps others away. Dropping a lease gives all of it back.

mod act;
mod here;
mod loans;
mod typing;

pub use act::{Act, ActError, TypedText};
pub use here::TypedHere;

use crate::memory::PhoneMemory;
use crate::phone::{AppLaunch, Fence, LookResult, LookTo, Phone, PhoneError, Views};
use crate::resident::mark::ResidentSetup;
use clawperator_adb::Deadline;
use clawperator_contract::{ErrorCode, Failure, Lane, LaneWish};
use clawperator_events::EventLog;
use clawperator_ui::{Fingerprints, NodeId, Ref, Screen, Tree, View, ViewRequest, view};
use futures_core::future::BoxFuture;
use loans::Loans;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::time::Instant;

/// What a lease needs besides the phone.
#[derive(Default)]
pub struct LeaseOptions {
    /// The folder in which what was seen of phones is stored. Without one, refs
    /// are valid for this lease only.
    pub memory: Option<PathBuf>,
    /// Keeps others away from the phone. It is dropped when the phone is as its
    /// user left it, so a run that waits for the guard waits for that too.
    pub guard: Option<Box<dyn Send>>,
}

/// A phone that is ours. Several executions can run on it, one after the other.
///
/// Its futures are `Send` and can be dropped at any await point. The lease then still knows what it
/// has borrowed: its next call, [`Self::release`] or its drop gives it back.
pub struct PhoneLease {
    phone: Arc<Phone>,
    pub memory: PhoneMemory,
    borrowed: Loans,
    guard: Option<Box<dyn Send>>,
    /// Where what is done between executions is noted.
    event_log: Option<Arc<EventLog>>,
    /// How the last app came to the front.
    pub launch: Option<AppLaunch>,
    /// Whether a place that is set on the phone is given back when the phone is let
    /// go of. Otherwise it stays until the phone restarts.
    pub lends_location: bool,
}

/// A look at the screen.
#[derive(Clone, Debug)]
pub struct Observation {
    pub tree: Tree,
    /// The view of it that was asked for.
    pub view: View,
    /// Why the refs in the view may not be valid in a later process.
    pub memory_warning: Option<String>,
}

impl PhoneLease {
    /// Leases a phone that is connected.
    pub fn new(phone: impl Into<Arc<Phone>>, options: LeaseOptions) -> Self {
        let phone = phone.into();
        // What an earlier lease has chosen was for that one.
        phone.forget_lane();
        phone.fence_with(None);
        let LeaseOptions { memory, guard } = options;
        if let Some(memory) = &memory {
            phone.remember_in(memory);
            phone.recall_last_act(memory);
        }
        phone.dark.lease();
        Self {
            memory: PhoneMemory::new(memory.as_deref(), phone.serial(), Arc::clone(&phone.dark)),
            borrowed: Loans::new(memory.as_deref(), phone.serial()),
            phone,
            guard,
            event_log: None,
            launch: None,
            lends_location: false,
        }
    }

    /// The phone, to ask it something. What changes it goes through
    /// [`Self::perform`].
    pub fn phone(&self) -> &Phone {
        &self.phone
    }

    /// Acts only within this right from now on. A phone that others can reach has its token then.
    ///
    /// # Errors
    /// `LEASE_LOST` if another host has a newer right, or what broke.
    pub async fn fence_with(&mut self, fence: Arc<Fence>, deadline: Deadline) -> Result<(), Failure> {
        self.phone.fence_with(Some(fence));
        let raised = self.phone.raise_fence(deadline).await;
        raised.map_err(|error| Failure::of(error.code(ErrorCode::DeviceShellUnavailable), error.to_string()))
    }

    /// Keeps a text out of what is seen from now on: screens show dots instead,
    /// and it is not stored.
    pub fn keep_out(&mut self, text: &str) {
        self.memory.keep_out(text);
        if let Some(log) = &self.event_log {
            log.add_secret(text);
        }
    }

    /// A text that the phone printed, without what must not be seen.
    pub fn hide(&self, printed: &str) -> String {
        self.phone.dark.hide(printed)
    }

    /// Notes every command, touch and look from now on there, until the phone is
    /// let go of. An execution with a log of its own has its own.
    pub fn log_to(&mut self, event_log: Arc<EventLog>) {
        self.phone.log_to(Some(Arc::clone(&event_log)));
        self.event_log = Some(event_log);
    }

    /// Where what is done is noted.
    pub fn event_log(&self) -> Option<&Arc<EventLog>> {
        self.event_log.as_ref()
    }

    /// Chooses where the trees of looks come from. Without this a resident server is used that runs.
    ///
    /// # Errors
    /// `LANE_UNAVAILABLE` if the resident server is wanted and cannot be used, or what broke.
    pub fn choose_lane(
        &mut self,
        wish: LaneWish,
        setup: ResidentSetup,
        deadline: Deadline,
    ) -> BoxFuture<'_, Result<Lane, Failure>> {
        Box::pin(async move {
            let chosen = self.phone.use_lane(wish, setup, deadline).await;
            chosen.map_err(|error| no_lane(&error))
        })
    }

    /// Looks at the screen. This never changes the phone.
    ///
    /// # Errors
    /// [`PhoneError::Capture`] if the phone does not describe its screen, or
    /// what broke.
    pub fn observe(
        &mut self,
        view_request: ViewRequest,
        deadline: Deadline,
    ) -> BoxFuture<'_, Result<Observation, PhoneError>> {
        Box::pin(async move {
            let tree = self.screen(deadline).await?;
            Ok(self.remember(tree, view_request))
        })
    }

    /// Looks at the screen for a person: refs and differences stay what they
    /// are. This never changes the phone.
    ///
    /// # Errors
    /// As for [`Self::observe`].
    pub fn screen(&mut self, deadline: Deadline) -> BoxFuture<'_, Result<Tree, PhoneError>> {
        Box::pin(async move {
            let since = Instant::now();
            let seen = self.phone.see(Views::All, LookTo::Read, deadline).await;
            Ok(self.note_look(seen, since)?.tree)
        })
    }

    /// Looks at the screen for a person or a picture, and at what is in front meanwhile: refs and
    /// differences stay what they are. This never changes the phone.
    ///
    /// # Errors
    /// As for [`Self::observe`].
    pub fn look(&mut self, deadline: Deadline) -> BoxFuture<'_, Result<LookResult, PhoneError>> {
        Box::pin(async move {
            let since = Instant::now();
            let seen = self.phone.look(Views::All, deadline).await;
            self.note_look(seen, since)
        })
    }

    /// A look, after it is noted.
    fn note_look(
        &mut self,
        seen: Result<LookResult, PhoneError>,
        since: Instant,
    ) -> Result<LookResult, PhoneError> {
        if let Some(log) = &self.event_log {
            match &seen {
                Ok(seen) => log.look(&seen.tree, since.elapsed()),
                Err(error) => log.blind(error, since.elapsed()),
            }
        }
        seen
    }

    /// Makes a view of a screen and remembers it, so that its refs stay valid
    /// and the next view can be a difference.
    pub fn remember(&mut self, tree: Tree, view_request: ViewRequest) -> Observation {
        let fingerprints = Fingerprints::new(Screen::new(&tree));
        let (view, memory_warning) = self.memory.change(|memory| view(&fingerprints, view_request, memory));
        Observation { view, memory_warning, tree }
    }

    /// The ref of an element on a screen that was just seen, if it can be told from others.
    pub fn name(&mut self, tree: &Tree, id: NodeId) -> Option<Ref> {
        let fingerprints = Fingerprints::new(Screen::new(tree));
        let given = self.memory.change(|memory| memory.book.give(&fingerprints, id));
        given.0
    }

    /// Gives back what was borrowed, then lets go of the phone. Dropping the lease does the same in
    /// the background; a process that is about to end waits for it here.
    pub fn release(mut self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.borrowed.settle_all(&self.phone).await;
        })
    }

    /// Ends what is still under way and gives back what was borrowed.
    pub fn settle(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.borrowed.settle(&self.phone).await;
        })
    }

    /// Gives back what a process borrowed that was killed. Who leases a phone does this first.
    pub fn settle_earlier(&mut self, deadline: Deadline) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.borrowed.notes.settle_earlier(&self.phone, deadline).await;
        })
    }
}

fn no_lane(error: &PhoneError) -> Failure {
    match error {
        PhoneError::Resident { trouble, .. } => {
            Failure::of(ErrorCode::LaneUnavailable, format!("{trouble}; nothing was done"))
        }
        error => Failure::of(ErrorCode::DeviceShellUnavailable, error.to_string()),
    }
}

impl Drop for PhoneLease {
    fn drop(&mut self) {
        if self.event_log.is_some() {
            // The connection may go on to somebody else.
            self.phone.log_to(None);
        }
        if self.borrowed.is_empty() {
            return;
        }
        // Without a runtime nothing can be sent any more. What is borrowed is then
        // given back by who gets the phone next, and finds it written down.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let mut borrowed = std::mem::take(&mut self.borrowed);
        let (phone, guard) = (Arc::clone(&self.phone), self.guard.take());
        runtime.spawn(async move {
            borrowed.settle_all(&phone).await;
            drop(guard);
        });
    }
}

impl fmt::Debug for PhoneLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lease = f.debug_struct("PhoneLease");
        lease.field("serial", &self.phone.serial()).finish_non_exhaustive()
    }
}

impl fmt::Debug for LeaseOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = f.debug_struct("LeaseOptions");
        options.field("memory", &self.memory).finish_non_exhaustive()
    }
}
