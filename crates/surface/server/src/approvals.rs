//! The desk of a server: requests for a person's word, their links, and how the
//! person hears of them.

use crate::App;
use crate::phone::{self, LOOK};
use clawperator_agent::approval::notify::{Notice, Notifier};
use clawperator_agent::approval::{
    ApprovalDecision, ApprovalScreen, Artifact, ArtifactUse, CreatedRequest, Desk, DeskError, NewRequest,
    State, apply, screen_hash,
};
use clawperator_agent::people::keep_values;
use clawperator_agent::surroundings::front_app;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Acts;
use clawperator_events::Clock;
use clawperator_phone::vault::Vault;
use clawperator_phone::{Deadline, PhoneLease};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long applying what was given may take.
const APPLY: Duration = Duration::from_secs(60);

/// What a server has for approvals.
#[derive(Debug, Default)]
pub struct Approvals {
    /// The address of the server, as a link has it.
    pub base: String,
    /// How the person hears of a request.
    pub notifier: Notifier,
    desk: OnceLock<Desk>,
    pub(crate) pace: Pace,
}

impl Approvals {
    /// For a server at this address.
    pub fn new(base: impl Into<String>, notifier: Notifier) -> Self {
        Self { base: base.into(), notifier, ..Self::default() }
    }
}

/// The desk, which is opened when it is needed first.
pub(crate) fn desk(app: &App) -> Result<Desk, Failure> {
    if let Some(desk) = app.approvals.desk.get() {
        return Ok(desk.clone());
    }
    let engine = app.engine.clone();
    let clock = Clock::new(move || engine.now_ms());
    let desk = Desk::open(&app.state, Arc::new(clock))?;
    Ok(app.approvals.desk.get_or_init(|| desk).clone())
}

/// A request that was made, and its link.
pub(crate) struct ApprovalNotice {
    pub(crate) created: CreatedRequest,
    pub(crate) link: String,
}

/// Makes a request, and tells the person of it.
pub(crate) async fn ask(app: &App, new: NewRequest) -> Result<ApprovalNotice, Failure> {
    let desk = desk(app)?;
    let created = desk.create(new).await?;
    let link = created.link(&app.approvals.base);
    let request = desk.get(&created.id).await?;
    app.approvals.notifier.send(Notice::new(&request, &link));
    Ok(ApprovalNotice { created, link })
}

/// Shows the requests of other processes to who sits at the terminal, if somebody does.
pub(crate) async fn show_others(app: &App) -> Result<(), Failure> {
    let Some(show) = app.approvals.notifier.show else {
        return Ok(());
    };
    let (desk, mut told) = (desk(app)?, 0);
    loop {
        let (number, request) = desk.next_change(told).await?;
        told = number;
        if request.state == State::Pending && !desk.is_ours(&request.id).await? {
            show(&Notice::new(&request, ""));
        }
    }
}

/// The screen of a phone as a person sees it.
pub(crate) async fn screen(lease: &mut PhoneLease) -> Result<ApprovalScreen, Failure> {
    let seen = ApprovalScreen::of(lease, Deadline::after(LOOK)).await;
    seen.map_err(|error| Failure::of(error.code(ErrorCode::DeviceShellUnavailable), error.to_string()))
}

/// Uses on the phone what a person gave for a request, or asks again if the screen is another than
/// the person saw. What has several values is kept for the caller's session.
pub(crate) async fn apply_given(
    app: &Arc<App>,
    id: &str,
    device: Option<&str>,
    vault: &Vault,
) -> Result<Value, Failure> {
    let desk = desk(app)?;
    let request = desk.get(id).await?;
    if (request.asked.session.as_deref()).is_some_and(|session| session != vault.session()) {
        return Err(DeskError::NotYours(id.to_owned()).into());
    }
    if request.state == State::Pending {
        let message = "the request is pending, so nothing is applied";
        let hint = "Apply it once a person has approved it.";
        return Err(Failure::new(ErrorCode::ApprovalNotApplied, message).hint(hint));
    }
    if request.state != State::Approved {
        let message = format!("the request is {}, so nothing is applied", request.state.word());
        return Err(Failure::of(ErrorCode::ApprovalClosed, message));
    }
    let decision = desk.wait(id).await?;
    if let Some(why) = &decision.request.dropped {
        return Ok(json!({"applied": [], "dropped": why, "given": request.given}));
    }
    let asked = request.asked.device.as_deref();
    if let (Some(asked), Some(device)) = (asked, device)
        && asked != device
    {
        let message = format!("the person was asked about {asked}, so nothing is applied to {device}");
        return Err(Failure::of(ErrorCode::InvalidDeviceId, message));
    }
    let device = phone::phone_name(app, asked.or(device).map(str::to_owned)).await?;
    let Acts { mut lease, mut log, .. } = phone::acts(app, device.as_deref()).await?;
    let seen = lease.screen(Deadline::after(APPLY)).await;
    let seen =
        seen.map_err(|error| Failure::of(error.code(ErrorCode::DeviceShellUnavailable), error.to_string()))?;
    if !request.still_valid(&screen_hash(&seen)) {
        // The person agreed to another screen.
        let now = screen(&mut lease).await;
        lease.release().await;
        let code = ErrorCode::ApprovalNotApplied.name();
        log.end(Err((code, "the screen has changed, so the person is asked again"))).await;
        let asked = ask(app, request.again(now?)).await?;
        let again =
            json!({"id": asked.created.id, "link": asked.link, "expiresMs": asked.created.expires_ms});
        return Ok(json!({"applied": [], "askedAgain": again}));
    }
    log.begin(&mut lease, Some(id));
    let applied = apply_all(&mut lease, &decision).await;
    lease.release().await;
    let end = match &applied {
        Ok(_) => Ok(()),
        Err(failure) => Err((failure.code.name(), failure.message.as_str())),
    };
    log.end(end).await;
    let mut done = json!({"applied": applied?});
    let names = keep_values(vault, &decision, front_app(&seen).as_deref());
    if !names.is_empty() {
        done["names"] = json!(names);
    }
    Ok(done)
}

async fn apply_all(lease: &mut PhoneLease, decision: &ApprovalDecision) -> Result<Vec<Value>, Failure> {
    let mut all = Vec::new();
    for artifact in decision.artifacts.iter() {
        let done = apply(lease, &decision.request.id, artifact, Deadline::after(APPLY)).await;
        let done = done.map_err(|error| {
            let failure = Failure::of(ErrorCode::ApprovalNotApplied, error.to_string());
            failure
                .with(|details| details.dispatched = Some(format!("{:?}", error.dispatched()).to_lowercase()))
        })?;
        all.push(applied_json(artifact, &done));
    }
    Ok(all)
}

fn applied_json(artifact: &Artifact, done: &ArtifactUse) -> Value {
    let mut value = json!(artifact.describe());
    value["result"] = match done {
        ArtifactUse::Typed => "typed",
        ArtifactUse::TypedUnseen => "typed, not seen",
        ArtifactUse::Located => "location set",
        ArtifactUse::Stored { .. } => "stored",
        ArtifactUse::Kept => "kept",
    }
    .into();
    match done {
        ArtifactUse::Stored { path } => value["path"] = path.as_str().into(),
        // There is no session that it could be given back with.
        ArtifactUse::Located => value["until"] = "the phone restarts".into(),
        ArtifactUse::Typed | ArtifactUse::TypedUnseen | ArtifactUse::Kept => {}
    }
    value
}

/// How often the pages of requests may ask for something. Who has a request's token has a bucket of
/// its own; all others share one, so that they keep none of those out.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<BTreeMap<Option<String>, Bucket>>);

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Pace {
    const BURST: f64 = 40.0;
    const PER_SECOND: f64 = 2.0;
    const MOST: usize = 1000;
    /// What a wrong token costs.
    const WRONG: f64 = 8.0;

    /// Takes a turn for the request whose token was shown, or for a wrong one;
    /// tells whether there was one.
    pub(crate) fn take(&self, opened: Option<&str>) -> bool {
        let cost = if opened.is_some() { 1.0 } else { Self::WRONG };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let full = |bucket: &Bucket| {
            bucket.left + now.duration_since(bucket.at).as_secs_f64() * Self::PER_SECOND >= Self::BURST
        };
        if buckets.len() >= Self::MOST {
            buckets.retain(|_, bucket| !full(bucket));
        }
        let bucket =
            buckets.entry(opened.map(str::to_owned)).or_insert(Bucket { left: Self::BURST, at: now });
        let gained = now.duration_since(bucket.at).as_secs_f64() * Self::PER_SECOND;
        bucket.left = (bucket.left + gained).min(Self::BURST);
        bucket.at = now;
        let is_there = bucket.left >= cost;
        bucket.left -= cost.min(bucket.left);
        is_there
    }
}
