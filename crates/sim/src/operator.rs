//! What the Operator app does with a broadcast: it reads a command, runs its
//! actions one after the other, and answers through the log.
//!
//! It is written as the app is, quirks included: a host that copes with this
//! one copes with the real one.

mod act;
mod answer;
mod command;
mod navigation;
mod parse;
mod read;
mod recording;
mod screen;
mod scroll;
mod snapshot;
mod touch;
mod voice;

use crate::fault::Point;
use crate::handset::Handset;
use crate::phone::{Intent, Namespace, Phone, SystemWindow};
use answer::{Envelope, Thrown};
use command::Command;
use recording::Recording;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The app's package.
const PACKAGE: &str = "com.clawperator.operator";
/// The package of the variant for its own developers.
const DEV_PACKAGE: &str = "com.clawperator.operator.dev";
/// The app's services, and what they are asked for as.
const SERVICES: [(&str, &str); 2] = [
    (
        "android.accessibilityservice.AccessibilityService",
        "clawperator.operator.accessibilityservice.OperatorAccessibilityService",
    ),
    (
        "android.service.notification.NotificationListenerService",
        "action.notification.NotificationListenerService",
    ),
];
/// What a command is sent as.
const ACTION: &str = "app.clawperator.operator.ACTION_AGENT_COMMAND";
/// The most commands that wait or run at a time; more are dropped.
const MAX_COMMANDS: usize = 16;
/// From this Android version on the notifications are closed first.
const CLOSES_SHADE: u32 = 31;

const RECEIVER: &str = "AgentCommandReceiver";

/// Which of the two apps it is: both can be on a phone, and know nothing of
/// each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Release,
    Dev,
}

/// The services of a package that was installed from an APK, whose own list is
/// not read: what each is asked for as, and its class.
pub(crate) fn services(package: &str) -> &'static [(&'static str, &'static str)] {
    if Variant::ALL.iter().any(|variant| variant.package() == package) {
        &SERVICES
    } else {
        &[]
    }
}

impl Variant {
    const ALL: [Self; 2] = [Self::Release, Self::Dev];

    fn package(self) -> &'static str {
        match self {
            Self::Release => PACKAGE,
            Self::Dev => DEV_PACKAGE,
        }
    }
}

/// What both apps keep between two commands.
#[derive(Debug, Default)]
pub(crate) struct Desks([Desk; 2]);

impl Desks {
    fn of(&self, variant: Variant) -> &Desk {
        &self.0[variant as usize]
    }

    /// Somebody records, so what is on the screen matters to every event.
    fn is_recording(&self) -> bool {
        self.0.iter().any(|desk| desk.recording().is_some())
    }

    /// The apps' processes have ended.
    pub(crate) fn forget(&self) {
        self.0.iter().for_each(|desk| *desk.recording() = None);
    }
}

/// What one app keeps between two commands.
#[derive(Debug)]
struct Desk {
    /// Who has it works; the others wait in the order they came.
    turn: tokio::sync::Mutex<()>,
    room: Arc<Semaphore>,
    recording: Mutex<Option<Recording>>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            turn: tokio::sync::Mutex::default(),
            room: Arc::new(Semaphore::new(MAX_COMMANDS)),
            recording: Mutex::default(),
        }
    }
}

impl Desk {
    fn recording(&self) -> MutexGuard<'_, Option<Recording>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the apps of a broadcast; whether it is for one of them.
pub(crate) fn receive(handset: &Arc<Handset>, intent: &Intent) -> bool {
    // Since Android 8 an app hears only what is meant for it by name.
    let named = intent.component.as_ref().map(|(package, _)| package);
    let named = named.or(intent.package.as_ref());
    let variant = Variant::ALL
        .into_iter()
        .find(|variant| named.is_some_and(|package| package == variant.package()));
    let Some(variant) = variant.filter(|_| intent.action.as_deref() == Some(ACTION)) else {
        return false;
    };
    let there = |phone: &mut Phone| {
        let package = phone.packages.get(variant.package());
        package.is_some_and(|package| package.enabled)
    };
    if !handset.with(there) {
        return false;
    }
    let say = |level, text: &str| voice::say(handset, variant, (level, RECEIVER, text));
    handset.with(|phone| phone.start_process(variant.package()));
    let Some(payload) = intent.extras.get("payload") else {
        say('E', "Received agent command without a payload");
        return true;
    };
    let command = match parse::parse(payload) {
        Ok(command) => command,
        Err(why) => {
            // The host is told nothing, and waits in vain.
            say('E', &format!("Cannot read agent command: {why}"));
            return true;
        }
    };
    voice::answer_another(handset, variant, &command);
    if !handset.with(|phone| is_accessible(phone, variant)) {
        voice::answer(handset, variant, &Envelope::no_service(&command));
        return true;
    }
    let desk = handset.operator().of(variant);
    let Ok(place) = Arc::clone(&desk.room).try_acquire_owned() else {
        say('W', "Too many agent commands are waiting; this one is dropped");
        return true;
    };
    let job = {
        let handset = Arc::clone(handset);
        async move {
            serve(&handset, variant, &command).await;
            drop(place);
        }
    };
    if handset.kernel_ref().jobs.start(job).is_err() {
        say('W', "Too much runs on this phone; the agent command is dropped");
    }
    true
}

fn is_accessible(phone: &Phone, variant: Variant) -> bool {
    let setting = |name: &str| phone.settings.get(Namespace::Secure, name);
    let named = |services: &str| {
        let mut packages = services.split(':').filter_map(|it| it.split('/').next());
        packages.any(|package| package == variant.package())
    };
    // Where none is listed, whatever is installed is meant.
    let listed = setting("enabled_accessibility_services").is_none_or(named);
    setting("accessibility_enabled") == Some("1") && listed
}

/// Waits for its turn, runs a command and answers it, all within its time.
async fn serve(handset: &Arc<Handset>, variant: Variant, command: &Command) {
    let work = async {
        let turn = handset.operator().of(variant).turn.lock().await;
        let result = run(handset, variant, command).await;
        drop(turn);
        result
    };
    let envelope = tokio::select! {
        biased;
        result = work => match result {
            Ok(steps) => Envelope::done(command, steps),
            Err(Thrown(why)) => Envelope::failed(command, &format!("Task execution failed: {why}")),
        },
        () = handset.time().sleep(command.timeout) => {
            let why = format!("Agent command timed out after {}ms", command.timeout.as_millis());
            Envelope::failed(command, &why)
        }
    };
    if let Some(ms) = handset.strike(Point::OperatorLate) {
        handset.time().sleep(Duration::from_millis(ms)).await;
    }
    voice::answer(handset, variant, &envelope);
}

async fn run(
    handset: &Arc<Handset>,
    variant: Variant,
    command: &Command,
) -> Result<Vec<answer::StepResult>, Thrown> {
    handset.with(|phone| {
        let shade = |window: &SystemWindow| matches!(window, SystemWindow::Shade);
        if phone.sdk() >= CLOSES_SHADE && phone.windows.iter().any(shade) {
            phone.close_shade();
        }
    });
    let mut steps = Vec::with_capacity(command.actions.len());
    for action in &command.actions {
        let step = act::act(handset, variant, &action.kind).await;
        // Before the next action changes the screen again.
        recording::note(handset, variant);
        let step = step?;
        steps.push(answer::StepResult::new(action, step));
    }
    Ok(steps)
}
