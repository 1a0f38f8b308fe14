//! A session as a page: each step's picture, thought and action.

use super::StoredSession;
use super::entry::{Status, StepEntry};
use clawperator_events::{TouchEvent, TouchKind};
use clawperator_journal::report::{ToldPage, ToldPicture, ToldStep, shown_time, told_page};
use serde_json::Value;

const MAX_PICTURE: u64 = 4 * 1024 * 1024;

/// The page of a session.
pub fn page(session: &StoredSession) -> String {
    let begin = &session.begin;
    let mut facts = vec![
        ("Phone", begin.device.clone()),
        ("Model", begin.model.clone()),
        ("Started", shown_time(begin.started_ms)),
        ("Steps", session.steps.len().to_string()),
    ];
    let (status, ending) = match &session.end {
        None => ("cut off", "The session has no end: it runs, or was killed.".to_owned()),
        Some(end) => {
            let usage = end.spent.usage;
            facts.push(("Tokens", format!("{} in, {} out", usage.input_tokens, usage.output_tokens)));
            facts.extend(end.spent.dollars.map(|dollars| ("Dollars", format!("{dollars:.4}"))));
            match end.status {
                // The model's own word proves nothing.
                Status::Finished => (end.status.word(), format!("The model says: {}", end.message)),
                other => (other.word(), end.message.clone()),
            }
        }
    };
    told_page(&ToldPage {
        name: begin.task.clone(),
        status: status.to_owned(),
        facts,
        ending,
        steps: session.steps.iter().map(|step| page_step(session, step)).collect(),
        foot: format!("Made from the session {}.", begin.session),
    })
}

fn page_step(session: &StoredSession, step: &StepEntry) -> ToldStep {
    let output = &step.output;
    let result = &step.result;
    let code = result.code.as_ref().map_or(String::new(), |code| format!("{code}: "));
    let tokens = step.usage.input_tokens + step.usage.output_tokens;
    ToldStep {
        title: step.tool.clone(),
        done: result.ok,
        texts: vec![
            ("Thought", output.thought.clone()),
            ("Action", output.action.to_string()),
            ("Filled in or corrected", step.repairs.join(", ")),
            ("Result", format!("{code}{}", result.text)),
        ],
        note: match tokens {
            0 => format!("{} ms", step.took_ms),
            tokens => format!("{} ms, {tokens} tokens", step.took_ms),
        },
        picture: picture(session, step),
    }
}

fn picture(session: &StoredSession, step: &StepEntry) -> Option<ToldPicture> {
    let screen = step.screen.as_ref()?;
    let name = screen.picture.as_ref()?;
    let path = session.file(name)?;
    if std::fs::metadata(&path).ok()?.len() > MAX_PICTURE {
        return None;
    }
    let media_type = match path.extension()?.to_str()? {
        "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        _ => "image/png",
    };
    Some(ToldPicture {
        media_type,
        bytes: std::fs::read(path).ok()?,
        size: screen.scaled.map(|pixels| i32::try_from(pixels).unwrap_or(i32::MAX)),
        touch: touch(&step.output.action),
        caption: format!("{} before the step", screen.app),
    })
}

/// Where an action touches the picture.
pub fn touch(action: &Value) -> Option<TouchEvent> {
    let place = |x: &str, y: &str| {
        let number = |key: &str| action.get(key)?.as_f64().map(whole);
        Some([number(x)?, number(y)?])
    };
    match action.get("type")?.as_str()? {
        "tap" => Some(TouchEvent { kind: TouchKind::Tap, at: place("x", "y")?, to: None }),
        "swipe" | "drag" | "long_press_drag" => {
            Some(TouchEvent { kind: TouchKind::Swipe, at: place("x1", "y1")?, to: place("x2", "y2") })
        }
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a float becomes the nearest integer that there is")]
fn whole(number: f64) -> i32 {
    number.round() as i32
}
