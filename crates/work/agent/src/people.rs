//! Asks a person: before an action that the policy asks about, and for what a
//! model requests. What a person allows holds for the screen that the person saw:
//! if it has changed, the person is asked again.

mod question;

pub use question::Question;

use crate::action::{AgentAction, Capability, RequestHumanAuth, UiTemplate};
use crate::approval::notify::{Notice, Notifier};
use crate::approval::{
    ApprovalDecision, ApprovalPage, ApprovalScreen, Artifact, ArtifactUse, Author, Desk, DeskError,
    NewRequest, State, apply, limits, random_id, with_template_file,
};
use crate::result::{Dispatched, ToolError, ToolResult};
use crate::surroundings::press;
use crate::workspace::Workspace;
use clawperator_contract::{ErrorCode, Number};
use clawperator_phone::vault::{ValueScope, Vault, VaultEntry};
use clawperator_phone::{Deadline, Phone, PhoneError, PhoneLease};
use futures_core::future::BoxFuture;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a person has to allow an action.
pub const TIME: Duration = Duration::from_secs(300);
const TIME_MS: u64 = 300_000;
/// How often a person is asked about the same, because the screen had changed.
pub const ROUNDS: u32 = 3;
/// The longest that asking about an action takes, with a look before and after.
pub const LONGEST: Duration = Duration::from_secs(3 * (300 + 60));
/// How long a look at the phone, or the use of what was given, may take.
const STEP: Duration = Duration::from_secs(30);

/// Where people are asked.
#[derive(Clone, Debug)]
pub struct People {
    pub desk: Desk,
    pub notifier: Notifier,
    /// The address of the server that has their pages, if one runs.
    pub base: Option<String>,
    pub origin: String,
    /// Who asks again later, because the caller does not wait for the answer; without it, who
    /// asks waits.
    pub later: Option<String>,
    pub waiting: Waiting,
}

/// The requests that are waited for. A clone is the same.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<BTreeSet<String>>>);

impl Waiting {
    fn ids(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a model requests of a person.
#[derive(Clone, Copy, Debug)]
pub struct PersonRequest<'w> {
    pub request: &'w RequestHumanAuth,
    pub workspace: Option<&'w Workspace>,
    /// Where what is given is kept for later calls of the session, if there is one.
    pub vault: Option<&'w Vault>,
}

/// What a person says to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonAnswer {
    Yes,
    /// Yes, to a screen that has changed meanwhile.
    ScreenChanged {
        id: String,
    },
}

impl People {
    /// Asks whether an action may be done. With a phone, the answer is for its screen.
    pub fn allow<'f>(
        &'f self,
        question: Question<'f>,
        lease: Option<&'f mut PhoneLease>,
    ) -> BoxFuture<'f, Result<PersonAnswer, ToolError>> {
        Box::pin(async move {
            let new = NewRequest {
                timeout: TIME,
                page: Some(yes_or_no(question.capability)),
                again_of: question.again_of.map(str::to_owned),
                author: Author::Policy,
                ..NewRequest::new(question.capability, question.words())
            };
            let (decision, screen) = self.ask(new, lease).await?;
            match (decision.request.state, screen) {
                (State::Approved, ScreenNow::AsSeen { .. }) => Ok(PersonAnswer::Yes),
                (State::Approved, ScreenNow::Other(_)) => {
                    Ok(PersonAnswer::ScreenChanged { id: decision.request.id })
                }
                (State::Pending | State::Rejected | State::Timeout, _) => Err(rejection(&decision)),
            }
        })
    }

    /// Asks for what a model requests, and uses what is given on the phone.
    pub fn request<'f>(
        &'f self,
        wish: PersonRequest<'f>,
        mut lease: Option<&'f mut PhoneLease>,
    ) -> BoxFuture<'f, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let new = NewRequest {
                timeout: time(wish.request.timeout_sec),
                session: wish.vault.map(|vault| vault.session().to_owned()),
                template: template(wish)?,
                ..NewRequest::new(wish.request.capability, wish.request.instruction.as_str())
            };
            let (mut decision, app) = self.ask_until_valid(new, lease.as_deref_mut()).await?;
            // A person may repeat what was given before.
            if let (Some(vault), Some(note)) = (wish.vault, &mut decision.request.note) {
                *note = vault.secrets().hide(note);
            }
            let data = json!({"id": decision.request.id, "state": decision.request.state,
            "given": decision.request.given});
            if decision.request.state != State::Approved {
                return Ok(ToolResult::failure(rejection(&decision)).with_data(data));
            }
            let mut used = AnswerUse::default();
            let names = wish.vault.map(|vault| keep_values(vault, &decision, app.as_deref()));
            if let Some(lease) = lease {
                used.all(lease, &decision).await;
            }
            used.names = names.unwrap_or_default();
            Ok(used.into_result(&decision, data))
        })
    }

    /// Asks until the answer is for the screen as it is. The second part is the app in front.
    async fn ask_until_valid(
        &self,
        mut new: NewRequest,
        mut lease: Option<&mut PhoneLease>,
    ) -> Result<(ApprovalDecision, Option<String>), ToolError> {
        for _ in 0..ROUNDS {
            let (decision, screen) = self.ask(new, lease.as_deref_mut()).await?;
            match screen {
                ScreenNow::AsSeen { app } => return Ok((decision, app)),
                ScreenNow::Other(now) => new = decision.request.again(now),
            }
        }
        Err(restless())
    }

    /// Asks once, and waits; or says that a person is asked, if the caller does not wait.
    async fn ask(
        &self,
        mut new: NewRequest,
        mut lease: Option<&mut PhoneLease>,
    ) -> Result<(ApprovalDecision, ScreenNow), ToolError> {
        new.origin.clone_from(&self.origin);
        if let Some(lease) = &lease {
            new.device = Some(lease.phone().serial().to_owned());
        }
        let decision = match &self.later {
            Some(asker) => self.wait_for_answer(asker, new, lease.as_deref_mut()).await?,
            None => {
                // Noted before it is made: it can be taken back at any time.
                let id = random_id()?;
                self.waiting.ids().insert(id.clone());
                let decision = match self.put(&id, new, lease.as_deref_mut()).await {
                    Ok(()) => self.desk.wait(&id).await.map_err(ToolError::from),
                    Err(error) => Err(error),
                };
                self.waiting.ids().remove(&id);
                decision?
            }
        };
        let (State::Approved, Some(lease)) = (decision.request.state, lease) else {
            return Ok((decision, ScreenNow::AsSeen { app: None }));
        };
        let now = current_screen(lease).await?;
        let screen = if decision.request.still_valid(&now.hash) {
            ScreenNow::AsSeen { app: now.app }
        } else {
            ScreenNow::Other(now)
        };
        Ok((decision, screen))
    }

    /// Makes a request of the screen as it is, and tells a person of it.
    async fn put(
        &self,
        id: &str,
        mut new: NewRequest,
        lease: Option<&mut PhoneLease>,
    ) -> Result<(), ToolError> {
        if let Some(lease) = lease {
            new.screen = Some(current_screen(lease).await?);
        }
        let created = self.desk.create_as(id.to_owned(), new).await?;
        let request = self.desk.get(&created.id).await?;
        let link = self.base.as_deref().map(|base| created.link(base));
        self.notifier.send(Notice::new(&request, link.as_deref().unwrap_or_default()));
        Ok(())
    }

    /// The answer to a question that was asked before, also by a process that has
    /// ended; else it is asked now, and there is none yet.
    async fn wait_for_answer(
        &self,
        asker: &str,
        mut new: NewRequest,
        lease: Option<&mut PhoneLease>,
    ) -> Result<ApprovalDecision, ToolError> {
        let hash = |of: Value| Sha256::digest(of.to_string());
        let who = hash(json!([asker, new.device]));
        let what = hash(json!([new.capability, new.instruction]));
        // Half of it says who asks.
        let question: [u8; 32] = std::array::from_fn(|at| if at < 16 { who[at] } else { what[at] });
        if let Some(id) = self.desk.asked_before(question).await? {
            let request = self.desk.get(&id).await?;
            if request.state == State::Pending {
                return Err(pending(&id));
            }
            // A yes holds for as long as a person has to give it, and once.
            let is_young = self.desk.now_ms() <= request.expires_ms.saturating_add(TIME_MS);
            if self.desk.use_up(&id).await? && is_young {
                return Ok(self.desk.wait(&id).await?);
            }
        }
        // A yes to something else was not used: it is void now.
        self.desk.void(question).await?;
        let id = random_id()?;
        new.question = Some(question);
        self.put(&id, new, lease).await?;
        Err(pending(&id))
    }

    /// Takes back what is still waited for: who asked has gone.
    pub fn withdraw(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let open = std::mem::take(&mut *self.waiting.ids());
            for id in open {
                // One that was decided meanwhile stays as it is.
                let _ = self.desk.withdraw(&id, "The agent was stopped before a person decided.").await;
            }
        })
    }
}

/// Keeps what a person gave while an app was in front, for later calls of the
/// session; tells how the values are written in a text.
pub fn keep_values(vault: &Vault, decision: &ApprovalDecision, app: Option<&str>) -> Vec<String> {
    let keep = |artifact: &Artifact| {
        let values = artifact.values().into_iter();
        vault.keep(VaultEntry {
            name: artifact.kind().to_owned(),
            place: app.map_or(ValueScope::Unknown, |app| ValueScope::App(app.to_owned())),
            values: values.map(|(key, value)| (key.to_owned(), value.clone())).collect(),
        })
    };
    decision.artifacts.iter().flat_map(keep).collect()
}

fn pending(id: &str) -> ToolError {
    let message = format!("A person is asked first, and has not decided yet ({id}). It was not done.");
    let hint = format!(
        "The person decides with: clawperator approvals approve {id} (or reject). Then send the same call again."
    );
    ToolError {
        approval: Some(id.to_owned()),
        ..ToolError::new(ErrorCode::ApprovalRequired, message).with_hint(hint)
    }
}

/// The screen when an answer is there.
enum ScreenNow {
    AsSeen {
        app: Option<String>,
    },
    /// The person agreed to another one.
    Other(ApprovalScreen),
}

/// Why an action is not done if the screen never rests.
pub fn restless() -> ToolError {
    let message = "The screen changed each time before it could be done, so it was not done.";
    ToolError::new(ErrorCode::ApprovalRejected, message)
        .with_hint("Wait until the screen rests, then try again.")
}

/// What was used of what a person gave.
#[derive(Default)]
struct AnswerUse {
    words: Vec<String>,
    /// How the values are written in a text that is typed later.
    names: Vec<String>,
    dispatched: Dispatched,
    error: Option<ToolError>,
}

impl AnswerUse {
    async fn all(&mut self, lease: &mut PhoneLease, decision: &ApprovalDecision) {
        for artifact in decision.artifacts.iter() {
            let deadline = Deadline::after(STEP);
            match apply(lease, &decision.request.id, artifact, deadline).await {
                Ok(applied) => {
                    if applied != ArtifactUse::Kept {
                        self.dispatched = Dispatched::Yes;
                    }
                    self.words.push(words(artifact, &applied, lease));
                }
                Err(error) => {
                    if self.dispatched == Dispatched::No {
                        self.dispatched = error.dispatched().into();
                    }
                    let message = format!(
                        "A person approved, but the {} was not used: {}.",
                        artifact.kind(),
                        lease.hide(&error.to_string())
                    );
                    self.error = Some(ToolError::new(ErrorCode::ApprovalNotApplied, message));
                    break;
                }
            }
        }
    }

    fn into_result(mut self, decision: &ApprovalDecision, mut data: Value) -> ToolResult {
        data["used"] = json!(self.words);
        let is_kept =
            |artifact: &Artifact| !matches!(artifact, Artifact::Text(_)) && !artifact.values().is_empty();
        let later = if !self.names.is_empty() {
            data["names"] = json!(self.names);
            let names = self.names.join(", ");
            Some(format!("Type a value with type_text and its name: {names}"))
        } else if decision.artifacts.iter().any(is_kept) {
            Some("It is forgotten now: it could not be kept for this session".to_owned())
        } else {
            None
        };
        let result = match self.error.take() {
            // The person need not be asked again for what is kept.
            Some(error) => ToolResult::failure(match later {
                Some(later) => error.with_hint(format!("Bring the right field into focus. {later}.")),
                None => error,
            }),
            None => {
                let words = std::iter::once(decision.words()).chain(self.words).chain(later);
                ToolResult::success(format!("{}.", words.collect::<Vec<_>>().join(". ")))
            }
        };
        result.with_data(data).with_dispatched(self.dispatched)
    }
}

fn words(artifact: &Artifact, applied: &ArtifactUse, lease: &PhoneLease) -> String {
    let kind = artifact.kind();
    match applied {
        ArtifactUse::Typed => format!("The {kind} was typed into the field that has the focus"),
        ArtifactUse::TypedUnseen => {
            format!("The {kind} was typed, but the field does not show it; look at the screen")
        }
        ArtifactUse::Located => {
            let until = if lease.lends_location { "this task ends" } else { "it restarts" };
            format!("The phone is at that place now, until {until}")
        }
        ArtifactUse::Stored { path } => format!("The {kind} is on the phone, at {path}"),
        ArtifactUse::Kept => format!("Nothing of the {kind} was typed"),
    }
}

/// The time that a person gets.
pub fn time(seconds: Number) -> Duration {
    let asked = Duration::try_from_secs_f64(seconds.get().max(0.0)).unwrap_or(limits::MAX_TIMEOUT);
    asked.clamp(limits::MIN_TIMEOUT, limits::MAX_TIMEOUT)
}

/// A page that asks for a yes or a no, whatever else the capability asks for.
fn yes_or_no(capability: Capability) -> ApprovalPage {
    let template = UiTemplate { title: Some("May the agent do this?".to_owned()), ..UiTemplate::default() };
    let (page, _) = ApprovalPage::new(capability, Some(&template));
    ApprovalPage { needs_artifact: false, attachments: Vec::new(), fields: Vec::new(), ..page }
}

fn template(wish: PersonRequest<'_>) -> Result<Option<UiTemplate>, ToolError> {
    let inline = wish.request.ui_template.as_ref();
    let inline = inline.map(|keys| UiTemplate::read(keys).0);
    let Some(path) = &wish.request.template_path else {
        return Ok(inline);
    };
    let Some(workspace) = wish.workspace else {
        let message = "There is no workspace, so templatePath names no file.";
        return Err(ToolError::new(ErrorCode::ToolUnavailable, message));
    };
    Ok(Some(with_template_file(workspace, path, inline.as_ref())?.0))
}

async fn current_screen(lease: &mut PhoneLease) -> Result<ApprovalScreen, ToolError> {
    let unseen = |error: PhoneError| {
        let message = format!(
            "The policy asks a person about this, and no person can be asked about a screen that cannot be read ({error}). It was not done."
        );
        ToolError::new(error.code(ErrorCode::DeviceShellUnavailable), message)
    };
    ApprovalScreen::of(lease, Deadline::after(STEP)).await.map_err(unseen)
}

/// Refuses an action that the phone would not do because it is locked or off, so
/// that no person is asked about it.
pub async fn is_awake(action: &AgentAction, phone: &Phone) -> Result<(), ToolError> {
    // Other keys may be what wakes it.
    if matches!(action, AgentAction::KeyEvent(_)) && press(action).is_none() {
        return Ok(());
    }
    let front = phone.foreground(Deadline::after(STEP)).await;
    match front.ok().and_then(|front| front.lock()) {
        Some(lock) => Err(ToolError::new(lock.code(), format!("Nothing was done: {lock}."))),
        None => Ok(()),
    }
}

fn rejection(decision: &ApprovalDecision) -> ToolError {
    ToolError::new(ErrorCode::ApprovalRejected, format!("{}.", decision.words()))
}

impl From<DeskError> for ToolError {
    fn from(error: DeskError) -> Self {
        Self::new(error.code(), format!("No person can be asked: {error}."))
    }
}
