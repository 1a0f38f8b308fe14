//! The Operator app: it gets a payload by broadcast, runs its actions one after
//! the other, and answers through the log.
//!
//! Payloads pass the contract's own door and elements are found by the `ui` crate. What is the
//! app's own is here: its answers, its log, its order, and the faults that a host must survive.

mod answer;
mod recording;
mod scroll;
mod snapshot;
mod steps;

use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::phone::{Intent, Namespace, Phone, SystemWindow};
use answer::{AnswerIds, LogLine, OperatorFailure, OperatorStep};
use clawperator_contract::{Execution, accept};
use recording::OperatorRecording;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

const PACKAGE: &str = "com.clawperator.operator";
/// The package of the variant for its own developers.
const DEV_PACKAGE: &str = "com.clawperator.operator.dev";
/// The app's services: the interface of each, and its class.
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
/// The action of a broadcast that carries a command.
const ACTION: &str = "app.clawperator.operator.ACTION_AGENT_COMMAND";
/// The most commands that wait or run at a time; more are dropped.
const MAX_COMMANDS: usize = 16;
/// From this Android version on the notifications are closed first.
const CLOSES_SHADE: u32 = 31;

const RECEIVER: &str = "AgentCommandReceiver";

/// Which of the two apps it is: both can be on a phone, independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Release,
    Dev,
}

/// The services of a package that was installed from an APK: its own list is not read.
pub(crate) fn services(package: &str) -> &'static [(&'static str, &'static str)] {
    if Variant::ALL.iter().any(|variant| variant.package() == package) { &SERVICES } else { &[] }
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

/// The state of both apps between two commands.
#[derive(Debug, Default)]
pub(crate) struct Desks([OperatorDesk; 2]);

impl Desks {
    fn of(&self, variant: Variant) -> &OperatorDesk {
        &self.0[variant as usize]
    }

    /// While an app records, events keep the screen they happened on.
    fn is_recording(&self) -> bool {
        self.0.iter().any(|desk| desk.recording().is_some())
    }

    /// The apps' processes have ended.
    pub(crate) fn forget(&self) {
        self.0.iter().for_each(|desk| *desk.recording() = None);
    }
}

/// The state of one app between two commands.
#[derive(Debug)]
struct OperatorDesk {
    /// The holder works; the others wait in the order they came.
    turn: tokio::sync::Mutex<()>,
    room: Arc<Semaphore>,
    recording: Mutex<Option<OperatorRecording>>,
}

impl Default for OperatorDesk {
    fn default() -> Self {
        Self {
            turn: tokio::sync::Mutex::default(),
            room: Arc::new(Semaphore::new(MAX_COMMANDS)),
            recording: Mutex::default(),
        }
    }
}

impl OperatorDesk {
    fn recording(&self) -> MutexGuard<'_, Option<OperatorRecording>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A payload that the app could read.
enum OperatorCommand {
    Run(Box<Execution>),
    /// The original's `doctor` asks whether the app answers at all.
    Ping(String),
}

/// Reads a payload; the error is only logged, the host never hears of it.
fn read(payload: &str) -> Result<(AnswerIds, OperatorCommand), String> {
    let value: Value = serde_json::from_str(payload).map_err(|error| error.to_string())?;
    let first = &value["actions"][0];
    if first["type"] == "doctor_ping" {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let ids = AnswerIds { command: text(&value["commandId"]), task: text(&value["taskId"]) };
        let id = text(&first["id"]);
        return Ok((ids, OperatorCommand::Ping(id)));
    }
    let execution = accept(payload.as_bytes()).map_err(|failure| failure.message.clone())?.execution;
    Ok((AnswerIds::of(&execution), OperatorCommand::Run(Box::new(execution))))
}

/// Delivers a broadcast to the app it is for, if there is one.
pub(crate) fn receive(handset: &Arc<Handset>, intent: &Intent) {
    // Since Android 8 an app receives only what names it.
    let named = intent.component.as_ref().map(|(package, _)| package);
    let named = named.or(intent.package.as_ref());
    let variant =
        Variant::ALL.into_iter().find(|variant| named.is_some_and(|package| package == variant.package()));
    let Some(variant) = variant.filter(|_| intent.action.as_deref() == Some(ACTION)) else {
        return;
    };
    let is_enabled = |phone: &mut Phone| Some(phone.packages.get(variant.package())?.enabled);
    if handset.with(is_enabled) != Some(true) {
        return;
    }
    let log = |level, text: &str| {
        let tag = RECEIVER;
        answer::log(handset, variant, LogLine { level, tag, text });
    };
    handset.with(|phone| phone.start_process(variant.package()));
    let Some(payload) = intent.extras.get("payload") else {
        return log('E', "Received agent command without a payload");
    };
    let (ids, command) = match read(payload) {
        Ok(read) => read,
        Err(why) => return log('E', &format!("Cannot read agent command: {why}")),
    };
    answer::answer_another(handset, variant, &ids);
    if !handset.with(|phone| is_accessible(phone, variant)) {
        let mut envelope = ids.failure("Accessibility service is not available");
        envelope["errorCode"] = Value::from("SERVICE_UNAVAILABLE");
        return answer::answer(handset, variant, &envelope);
    }
    let execution = match command {
        OperatorCommand::Run(execution) => execution,
        OperatorCommand::Ping(id) => {
            let step = ping(handset).result(&id, "doctor_ping");
            return answer::answer(handset, variant, &ids.success(&[step]));
        }
    };
    let desk = handset.operator.of(variant);
    let Ok(place) = Arc::clone(&desk.room).try_acquire_owned() else {
        return log('W', "Too many agent commands are waiting; this one is dropped");
    };
    let job = {
        let handset = Arc::clone(handset);
        async move {
            serve(&handset, variant, &execution).await;
            drop(place);
        }
    };
    if handset.kernel.jobs.start(job).is_err() {
        log('W', "Too much runs on this phone; the agent command is dropped");
    }
}

fn ping(handset: &Handset) -> OperatorStep {
    let is_on = |name: &str| handset.with(|phone| phone.is_on(name));
    OperatorStep::success()
        .with("developer_options_enabled", is_on("development_settings_enabled"))
        .with("usb_debugging_enabled", is_on("adb_enabled"))
}

fn is_accessible(phone: &Phone, variant: Variant) -> bool {
    let setting = |name: &str| phone.settings.get(Namespace::Secure, name);
    let named = |services: &str| {
        let mut packages = services.split(':').filter_map(|it| it.split('/').next());
        packages.any(|package| package == variant.package())
    };
    // An empty list means every installed service.
    let listed = setting("enabled_accessibility_services").is_none_or(named);
    setting("accessibility_enabled") == Some("1") && listed
}

/// Waits for its turn, runs an execution and answers it, all within its time.
async fn serve(handset: &Arc<Handset>, variant: Variant, execution: &Execution) {
    let ids = AnswerIds::of(execution);
    let work = async {
        let turn = handset.operator.of(variant).turn.lock().await;
        let result = run(handset, variant, execution).await;
        drop(turn);
        result
    };
    let timeout = execution.timeout();
    let envelope = tokio::select! {
        biased;
        result = work => match result {
            Ok(steps) => ids.success(&steps),
            Err(OperatorFailure(why)) => ids.failure(&format!("Task execution failed: {why}")),
        },
        () = handset.time().sleep(timeout) => {
            ids.failure(&format!("Agent command timed out after {}ms", timeout.as_millis()))
        }
    };
    if let Some(ms) = handset.strike(FaultPoint::OperatorLate) {
        handset.time().sleep(Duration::from_millis(ms)).await;
    }
    answer::answer(handset, variant, &envelope);
}

async fn run(
    handset: &Arc<Handset>,
    variant: Variant,
    execution: &Execution,
) -> Result<Vec<Value>, OperatorFailure> {
    handset.with(|phone| {
        let shade = |window: &SystemWindow| matches!(window, SystemWindow::Shade);
        if phone.sdk() >= CLOSES_SHADE && phone.windows.iter().any(shade) {
            phone.close_shade();
        }
    });
    let mut results = Vec::with_capacity(execution.actions().len());
    for action in execution.actions() {
        let step = steps::run(handset, variant, action.step()).await;
        // Before the next action changes the screen again.
        recording::note(handset, variant);
        results.push(step?.result(action.id().as_str(), action.kind().name()));
    }
    Ok(results)
}
