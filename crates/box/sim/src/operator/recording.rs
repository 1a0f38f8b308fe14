//! The app's recordings: one file each, one event a line.

use super::Variant;
use super::answer::{LogLine, OperatorStep, log};
use super::snapshot::{hierarchy, is_own};
use crate::handset::Handset;
use crate::phone::{EventKind, Phone, PhoneEvent};
use clawperator_userland::{Actor, Errno, FileSystem, Identity};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The most events of one recording; later ones are not written.
const MAX_EVENTS: u64 = 5_000;

/// A recording that runs.
#[derive(Debug)]
pub(super) struct OperatorRecording {
    id: String,
    path: String,
    /// The number of the last event that was looked at.
    seen: u64,
    /// How many events are in the file.
    events: u64,
    /// Tells it from another of the same name.
    number: u64,
}

fn warn(handset: &Handset, variant: Variant, text: &str) {
    let (level, tag) = ('W', "RecordingManager");
    log(handset, variant, LogLine { level, tag, text });
}

fn folder(variant: Variant) -> String {
    format!("/sdcard/Android/data/{}/files/recordings", variant.package())
}

pub(super) fn start(handset: &Arc<Handset>, variant: Variant, wanted: Option<&str>) -> OperatorStep {
    let desk = handset.operator.of(variant);
    if let Some(running) = desk.recording().as_ref() {
        let step = OperatorStep::failure("RECORDING_ALREADY_IN_PROGRESS").with("sessionId", &running.id);
        return step.with("filePath", &running.path);
    }
    let (now, number, seen) = handset.with(|phone| {
        let seen = phone.events.back().map_or(0, |event| event.number);
        (phone.clock.now().as_millis(), phone.number(), seen)
    });
    // The number is the phone's own, so that the same phone gives the same.
    let id = wanted.map_or_else(|| format!("record-{now}-{:08x}", number as u32), str::to_owned);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if id.is_empty() || !id.chars().all(fits) {
        return OperatorStep::failure("RECORDING_START_FAILED").with("sessionId", id);
    }
    let path = format!("{}/{id}.ndjson", folder(variant));
    let header = json!({
        "type": "recording_header",
        "schemaVersion": 1,
        "sessionId": id,
        "startedAt": now as u64,
        "operatorPackage": variant.package(),
    });
    if write(handset, variant, &path, &format!("{header}\n")).is_err() {
        return OperatorStep::failure("RECORDING_START_FAILED").with("sessionId", id);
    }
    let step = OperatorStep::success().with("sessionId", &id).with("filePath", &path);
    *desk.recording() = Some(OperatorRecording { id, path, seen, events: 0, number });
    handset.with(|phone| phone.keeps_screens = true);
    let follower = follow(Arc::clone(handset), variant, number);
    if handset.kernel.jobs.start(follower).is_err() {
        // Its events are then written when it is stopped.
        warn(handset, variant, "The phone's events cannot be followed");
    }
    step
}

pub(super) fn stop(handset: &Handset, variant: Variant, wanted: Option<&str>) -> OperatorStep {
    note(handset, variant);
    let Some(recording) = handset.operator.of(variant).recording().take() else {
        return OperatorStep::failure("RECORDING_NOT_IN_PROGRESS");
    };
    if wanted.is_some_and(|wanted| wanted != recording.id) {
        let text = format!("Asked to stop another recording than {}", recording.id);
        warn(handset, variant, &text);
    }
    let latest = format!("{}/latest", folder(variant));
    if write(handset, variant, &latest, &recording.id).is_err() {
        warn(handset, variant, "Cannot write the latest pointer");
    }
    // The follower ends at the next change.
    handset.with(|phone| phone.keeps_screens = handset.operator.is_recording());
    OperatorStep::success()
        .with("sessionId", recording.id)
        .with("filePath", recording.path)
        .with("eventCount", recording.events)
}

/// Writes events until the recording is stopped.
async fn follow(handset: Arc<Handset>, variant: Variant, number: u64) {
    loop {
        let goes_on = handset.follow(|phone| {
            let kept = handset.operator.of(variant).recording();
            let running = kept.as_ref().filter(|kept| kept.number == number);
            let Some(running) = running else {
                return Some(false);
            };
            let last = phone.events.back().map_or(0, |event| event.number);
            (last > running.seen).then_some(true)
        });
        if !goes_on.await {
            return;
        }
        note(&handset, variant);
    }
}

/// Writes the events since the last time. The phone stays locked meanwhile, so
/// that two writers cannot mix up the order.
pub(super) fn note(handset: &Handset, variant: Variant) {
    let added = handset.with(|phone| {
        let mut kept = handset.operator.of(variant).recording();
        let Some(recording) = kept.as_mut() else {
            return Ok(());
        };
        let lines = recording.lines(phone);
        if lines.is_empty() {
            return Ok(());
        }
        let now = phone.clock.now();
        as_app(handset, now, |files, actor| files.append(actor, &recording.path, lines.as_bytes()))
    });
    if added.is_err() {
        warn(handset, variant, "Cannot write the recording");
    }
}

impl OperatorRecording {
    /// The events since the last time, as they stand in the file.
    fn lines(&mut self, phone: &Phone) -> String {
        let seen = self.seen;
        self.seen = phone.events.back().map_or(seen, |event| event.number);
        let mut lines = String::new();
        let fresh = phone.events.iter().filter(|event| event.number > seen);
        for event in fresh.filter(|event| !is_own(&event.package)) {
            if self.events >= MAX_EVENTS {
                break;
            }
            if let Some(line) = line(phone, event, self.events) {
                self.events += 1;
                lines.push_str(&line.to_string());
                lines.push('\n');
            }
        }
        lines
    }
}

/// An event as it is written to the file; `None` for those the app does not record.
fn line(phone: &Phone, event: &PhoneEvent, seq: u64) -> Option<Value> {
    let since_boot = u64::try_from(phone.clock.booted.as_millis()).unwrap_or(u64::MAX);
    let ts = since_boot.saturating_add(event.uptime_ms);
    let package = &event.package;
    // The screen before the event, not after it.
    let before = || event.screen.as_deref().map(clawperator_ui::write_lines).or_else(|| hierarchy(phone));
    Some(match event.kind {
        EventKind::WindowStateChanged => {
            let class = phone.front_activity().map(|(_, class)| class);
            json!({ "ts": ts, "seq": seq, "type": "window_change", "packageName": package,
                "className": class, "title": event.text, "snapshot": hierarchy(phone) })
        }
        EventKind::ViewClicked => {
            let source = event.source.as_ref();
            let said = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
            let bounds = source.map(|it| {
                let b = it.bounds;
                json!({ "left": b.left, "top": b.top, "right": b.right, "bottom": b.bottom })
            });
            json!({ "ts": ts, "seq": seq, "type": "click", "packageName": package,
                "resourceId": said(source.map(|it| it.resource_id.as_str())),
                "text": said(source.map(|it| it.text.as_str())),
                "contentDesc": said(source.map(|it| it.content_desc.as_str())),
                "bounds": bounds, "snapshot": before() })
        }
        EventKind::ViewScrolled => json!({ "ts": ts, "seq": seq, "type": "scroll", "packageName": package,
            "resourceId": null, "scrollX": 0, "scrollY": 0, "maxScrollX": 0, "maxScrollY": 0,
            "snapshot": null }),
        EventKind::ViewTextChanged => json!({ "ts": ts, "seq": seq, "type": "text_change",
            "packageName": package, "resourceId": null, "text": event.text, "snapshot": null }),
        EventKind::BackPressed => json!({ "ts": ts, "seq": seq, "type": "press_key", "key": "back",
            "snapshot": before() }),
        EventKind::ViewLongClicked
        | EventKind::ViewFocused
        | EventKind::NotificationStateChanged
        | EventKind::WindowContentChanged => return None,
    })
}

fn write(handset: &Handset, variant: Variant, path: &str, text: &str) -> Result<(), Errno> {
    let now = handset.with(|phone| phone.clock.now());
    as_app(handset, now, |files, actor| {
        files.create_dir_all(actor, &folder(variant), 0o2770)?;
        files.write(actor, path, text.to_owned())
    })
}

/// Works on the phone's files as the app; `shell` can read them.
fn as_app<R>(handset: &Handset, now: Duration, work: impl FnOnce(&mut FileSystem, &Actor<'_>) -> R) -> R {
    // The group that may use shared storage.
    let who = Identity::new(0, 1015, &[]);
    let actor = Actor { who: &who, umask: 0, now };
    handset.kernel.files.with(|files| work(files, &actor))
}
