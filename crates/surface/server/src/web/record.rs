//! Recordings of what a person does on the picture: the execution grows with
//! each touch, and becomes a skill with a world to test it in.

use super::input::InputAct;
use super::{OfPhone, Page};
use crate::App;
use crate::http::answer::{HttpResult, ok};
use crate::phone::{blocking, lease};
use axum::Json;
use axum::extract::{Query, State};
use clawperator_contract::{ErrorCode, Failure, Key, Number};
use clawperator_phone::{Deadline, PhoneError};
use clawperator_private::{self as private, Concurrency};
use clawperator_recording::limits::{MAX_EVENTS, MAX_WRITTEN_BYTES};
use clawperator_recording::{
    AppStart, Gesture, RecordedEvent, Recording, RecordingId, Scribe, Unsure, compile, event_line,
    header_line,
};
use clawperator_run::{RecordingRequest, begin_recording, look_to_record};
use clawperator_skills::draft::{DraftOrder, Facts};
use clawperator_skills::repo::{SkillId, denylist_of, skill_of_recording, summary_of};
use clawperator_ui::Point;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep};

/// How many phones can be recorded at a time.
const MAX_RECORDINGS: usize = 8;
/// How long after a touch to look at what came of it.
const AFTER: Duration = Duration::from_millis(250);
/// How long a phone may take to say what it is.
const ASK: Duration = Duration::from_secs(10);

/// The recordings of all phones, under way or just ended.
#[derive(Debug, Default)]
pub(super) struct PageRecordings(Mutex<BTreeMap<String, Arc<Mutex<PageRecording>>>>);

/// One recording.
#[derive(Debug)]
pub(super) struct PageRecording {
    scribe: Scribe,
    recording: Recording,
    began: Instant,
    bytes: u64,
    is_over: bool,
}

impl PageRecordings {
    async fn get(&self, device: &str) -> Result<OwnedMutexGuard<PageRecording>, Failure> {
        let found = self.0.lock().await.get(device).cloned();
        let Some(found) = found else {
            let message = "nothing is recorded on this phone";
            return Err(Failure::of(ErrorCode::RecordingSessionNotFound, message));
        };
        Ok(found.lock_owned().await)
    }

    /// The recording that is under way on a phone. One request has it at a time: what
    /// is done on the phone is recorded in its order.
    pub(super) async fn under_way(&self, device: &str) -> Option<OwnedMutexGuard<PageRecording>> {
        self.get(device).await.ok().filter(|recording| !recording.is_over)
    }
}

impl PageRecording {
    fn ts(&self) -> Number {
        let passed = self.began.elapsed().as_millis() as f64;
        Number::new(self.recording.header.started_at.get() + passed).unwrap_or(Number::from(0))
    }

    fn add(&mut self, events: Vec<RecordedEvent>) {
        self.bytes += events.iter().map(|event| event_line(event).len() as u64).sum::<u64>();
        self.recording.events.extend(events);
        self.is_over |= self.bytes >= MAX_WRITTEN_BYTES || self.recording.events.len() as u64 >= MAX_EVENTS;
    }

    /// Records what was done, and what came of it.
    pub(super) async fn record_act(
        &mut self,
        app: &App,
        device: &str,
        act: &InputAct,
    ) -> Result<Value, Failure> {
        let ts = self.ts();
        match gesture(act) {
            Some(gesture) => {
                let events = self.scribe.record_gesture(gesture, ts);
                self.add(events);
            }
            None => self.scribe.note_typing(),
        }
        sleep(AFTER).await;
        self.look(app, device).await?;
        Ok(self.state().await)
    }

    async fn look(&mut self, app: &App, device: &str) -> Result<(), Failure> {
        let lease = lease(&app.engine, Some(device)).await?;
        let seen = look_to_record(lease.phone()).await;
        lease.release().await;
        match seen {
            Ok(seen) => {
                let ts = self.ts();
                let events = self.scribe.record_screen(seen, ts);
                self.add(events);
                Ok(())
            }
            // A screen that moves is looked at after the next touch.
            Err(PhoneError::Capture(_)) => Ok(()),
            Err(error) => Err(unreachable(&error)),
        }
    }

    /// What the page shows of it.
    async fn state(&self) -> Value {
        let recording = self.recording.clone();
        let compiled = blocking(move || compile(&recording, AppStart::AsItIs)).await;
        let (execution, unsure, problem) = match compiled {
            Ok(compiled) => {
                let is_told =
                    |what: &Unsure| self.is_over || !matches!(what, Unsure::EndUnseen | Unsure::NothingDone);
                let unsure = compiled.unsure.iter().map(|doubt| &doubt.what);
                let unsure: Vec<_> = unsure.filter(|what| is_told(what)).map(Unsure::to_string).collect();
                (Some(compiled.checked.execution), unsure, None)
            }
            Err(failure) => (None, Vec::new(), Some(failure.message)),
        };
        json!({
            "isOver": self.is_over,
            "session": self.recording.header.session_id,
            "events": self.recording.events.len(),
            "execution": execution,
            "unsure": unsure,
            "problem": problem,
        })
    }

    /// Keeps the recording beside those of the command line.
    fn save(&self, app: &App) -> Result<(), Failure> {
        let mut text = header_line(&self.recording.header);
        text.extend(self.recording.events.iter().map(event_line));
        let folder = app.state.join("recordings");
        let file = folder.join(format!("{}.ndjson", self.recording.header.session_id));
        private::folder(&folder)
            .and_then(|()| private::save(&file, text.as_bytes()))
            .and_then(|()| {
                let name = self.recording.header.session_id.as_bytes();
                private::replace(&folder.join("latest"), name, Concurrency::Processes)
            })
            .map_err(|error| Failure::of(ErrorCode::FileWriteFailed, format!("{}: {error}", file.display())))
    }
}

/// What a finger did; none for text.
fn gesture(act: &InputAct) -> Option<Gesture> {
    Some(match act {
        InputAct::Tap { x, y } => Gesture::Tap(Point::new(*x, *y)),
        InputAct::LongPress { x, y } => Gesture::LongPress(Point::new(*x, *y)),
        InputAct::Drag { from, to, .. } | InputAct::Scroll { from, to } => {
            Gesture::Swipe { from: Point::new(from[0], from[1]), to: Point::new(to[0], to[1]) }
        }
        InputAct::Key { key } => Gesture::Key(Key::from_word(key)?),
        InputAct::Text { .. } | InputAct::Element { .. } | InputAct::Action { .. } => return None,
    })
}

fn unreachable(error: &PhoneError) -> Failure {
    Failure::of(ErrorCode::DeviceShellUnavailable, error.to_string())
}

/// `GET /page/recording?device=`
pub(super) async fn state(State(page): State<Arc<Page>>, Query(wanted): Query<OfPhone>) -> HttpResult {
    let recording = page.recordings.get(&wanted.device).await?;
    Ok(ok(recording.state().await))
}

/// `POST /page/recording`: begins one; an older one of the phone is left.
pub(super) async fn start(State(page): State<Arc<Page>>, Json(wanted): Json<OfPhone>) -> HttpResult {
    if page.recordings.under_way(&wanted.device).await.is_some() {
        let message = "what is done on this phone is recorded already";
        return Err(Failure::of(ErrorCode::ExecutionConflict, message).into());
    }
    let lease = lease(&page.app.engine, Some(&wanted.device)).await?;
    let options = page.app.engine.run_options(lease.phone());
    let request = RecordingRequest {
        session: RecordingId::generate(options.now_ms, options.seed),
        now_ms: options.now_ms,
        longest: Duration::MAX,
    };
    let begun = begin_recording(lease.phone(), &request).await;
    lease.release().await;
    let (header, scribe) = begun.map_err(|error| unreachable(&error))?;
    let mut recording = PageRecording {
        scribe,
        recording: Recording { header, events: Vec::new(), warnings: Vec::new() },
        began: Instant::now(),
        bytes: 0,
        is_over: false,
    };
    recording.look(&page.app, &wanted.device).await?;
    let state = recording.state().await;
    let mut all = page.recordings.0.lock().await;
    if all.len() >= MAX_RECORDINGS && !all.contains_key(&wanted.device) {
        // One that has ended was kept only to be saved.
        all.retain(|_, each| each.try_lock().is_ok_and(|each| !each.is_over));
    }
    if all.len() >= MAX_RECORDINGS {
        let message = format!("{MAX_RECORDINGS} phones are recorded already");
        return Err(Failure::of(ErrorCode::ServerBusy, message).into());
    }
    all.insert(wanted.device, Arc::new(Mutex::new(recording)));
    Ok(ok(state))
}

/// `POST /page/recording/stop`
pub(super) async fn stop(State(page): State<Arc<Page>>, Json(wanted): Json<OfPhone>) -> HttpResult {
    let mut recording = page.recordings.get(&wanted.device).await?;
    if !recording.is_over {
        recording.look(&page.app, &wanted.device).await?;
        let ts = recording.ts();
        let last = recording.scribe.end(ts).into_iter().collect();
        recording.add(last);
        recording.is_over = true;
        recording.save(&page.app)?;
    }
    Ok(ok(recording.state().await))
}

/// The skill that a recording is to become.
#[derive(Debug, Deserialize)]
pub(super) struct SkillForm {
    device: String,
    id: String,
    #[serde(default)]
    summary: String,
}

/// `POST /page/recording/skill`
pub(super) async fn save_skill(State(page): State<Arc<Page>>, Json(new): Json<SkillForm>) -> HttpResult {
    let recording = page.recordings.get(&new.device).await?.recording.clone();
    let package = SkillId::parse_or_refuse(&new.id)?.application_id.to_owned();
    let lease = lease(&page.app.engine, Some(&new.device)).await?;
    let vitals = lease.phone().vitals(&package, Deadline::after(ASK)).await;
    lease.release().await;
    let vitals = vitals.map_err(|error| unreachable(&error))?;
    let facts = Facts {
        version_name: vitals.operator.version,
        version_code: vitals.operator.version_code,
        android_api: vitals.sdk.map(u64::from),
        device_model: vitals.model,
        locale: vitals.locale,
    };
    let app = page.app.clone();
    let made = blocking(move || {
        let registry = app.skills.registry_to_extend()?;
        let denylist = denylist_of(&registry, None)?;
        let summary = summary_of(&new.id, Some(&new.summary));
        let order = DraftOrder {
            skill: SkillId::parse_or_refuse(&new.id)?,
            summary: &summary,
            denylist: &denylist,
            facts: &facts,
        };
        skill_of_recording(&registry, &recording, &order)
    });
    Ok(ok(made.await?))
}
