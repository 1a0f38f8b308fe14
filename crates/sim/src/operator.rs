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

use crate::handset::Handset;
use crate::phone::{Intent, Namespace, Phone, SystemWindow};
use answer::{Envelope, Thrown};
use command::Command;
use recording::Recording;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// The app's package.
const PACKAGE: &str = "com.clawperator.operator";
/// What a command is sent as.
const ACTION: &str = "app.clawperator.operator.ACTION_AGENT_COMMAND";
/// The most commands that wait or run at a time; more are dropped.
const MAX_COMMANDS: usize = 16;
/// From this Android version on the notifications are closed first.
const CLOSES_SHADE: u32 = 31;
/// From this length on, in Java's characters, the app's log library writes
/// every line on its own, and cuts lines of this length.
const MAX_LOGGED: usize = 4_000;

const RECEIVER: &str = "AgentCommandReceiver";
const EXECUTOR: &str = "AgentCommandExecutor";

/// What the app keeps between two commands.
#[derive(Debug)]
pub(crate) struct Desk {
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

    /// The app's process has ended.
    pub(crate) fn forget(&self) {
        *self.recording() = None;
    }
}

/// Tells the app of a broadcast; whether it is for the app.
pub(crate) fn receive(handset: &Arc<Handset>, intent: &Intent) -> bool {
    // Since Android 8 an app hears only what is meant for it by name.
    let named = intent.component.as_ref().map(|(package, _)| package);
    let named = named.or(intent.package.as_ref());
    let fits = intent.action.as_deref() == Some(ACTION) && named.is_some_and(|package| package == PACKAGE);
    let there = |phone: &mut Phone| {
        let package = phone.packages.get(PACKAGE);
        package.is_some_and(|package| package.enabled)
    };
    if !fits || !handset.with(there) {
        return false;
    }
    let say = |level, text: &str| say(handset, level, (RECEIVER, text));
    handset.with(|phone| phone.start_process(PACKAGE));
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
    if !handset.with(|phone| is_accessible(phone)) {
        answer(handset, &Envelope::no_service(&command));
        return true;
    }
    let Ok(place) = Arc::clone(&handset.operator().room).try_acquire_owned() else {
        say('W', "Too many agent commands are waiting; this one is dropped");
        return true;
    };
    let job = {
        let handset = Arc::clone(handset);
        async move {
            serve(&handset, &command).await;
            drop(place);
        }
    };
    if handset.kernel_ref().jobs.start(job).is_err() {
        say('W', "Too much runs on this phone; the agent command is dropped");
    }
    true
}

fn is_accessible(phone: &Phone) -> bool {
    let setting = |name: &str| phone.settings.get(Namespace::Secure, name);
    let services = setting("enabled_accessibility_services").unwrap_or(PACKAGE);
    setting("accessibility_enabled") == Some("1") && services.contains(PACKAGE)
}

/// Waits for its turn, runs a command and answers it, all within its time.
async fn serve(handset: &Arc<Handset>, command: &Command) {
    let work = async {
        let turn = handset.operator().turn.lock().await;
        let result = run(handset, command).await;
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
    answer(handset, &envelope);
}

async fn run(handset: &Arc<Handset>, command: &Command) -> Result<Vec<answer::StepResult>, Thrown> {
    handset.with(|phone| {
        let shade = |window: &SystemWindow| matches!(window, SystemWindow::Shade);
        if phone.sdk() >= CLOSES_SHADE && phone.windows.iter().any(shade) {
            phone.close_shade();
        }
    });
    let mut steps = Vec::with_capacity(command.actions.len());
    for action in &command.actions {
        let step = act::act(handset, &action.kind).await;
        // Before the next action changes the screen again.
        recording::note(handset);
        let step = step?;
        steps.push(answer::StepResult::new(action, step));
    }
    Ok(steps)
}

fn answer(handset: &Handset, envelope: &Envelope) {
    say(handset, 'I', (EXECUTOR, &envelope.line()));
}

/// Writes into the log as the app's log library does.
fn say(handset: &Handset, level: char, (tag, text): (&str, &str)) {
    handset.with(|phone| {
        if text.encode_utf16().count() < MAX_LOGGED {
            phone.say_as(PACKAGE, level, (tag, text));
            return;
        }
        for line in text.split('\n') {
            for piece in pieces(line) {
                phone.say_as(PACKAGE, level, (tag, piece));
            }
        }
    });
}

/// A line in pieces of the greatest length; an empty line is one.
fn pieces(line: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), line);
    loop {
        let mut units = 0;
        let end = rest.char_indices().find_map(|(at, letter)| {
            units += letter.len_utf16();
            (units > MAX_LOGGED).then_some(at)
        });
        let (piece, more) = rest.split_at(end.unwrap_or(rest.len()));
        found.push(piece);
        if more.is_empty() {
            return found;
        }
        rest = more;
    }
}
