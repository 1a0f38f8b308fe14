//! `agent export`: a skill whose recipe does what a model did once. The session
//! becomes a recording, and that goes the way of every recording.

use super::sessions::{LastSession, named_session};
use crate::args::Args;
use crate::flags::agent as flags;
use crate::skills::{NewSkill, draft};
use crate::world::{Answer, World};
use clawperator_agent::session::{StoredSession, phone_place, touch, tree_of};
use clawperator_contract::{ErrorCode, Failure, Key, Number};
use clawperator_events::TouchKind;
use clawperator_recording::{
    Display, Gesture, Header, Maker, RecordedEvent, Recording, ScreenReading, Scribe, Steering,
};
use clawperator_ui::Point;
use serde_json::Value;

pub(super) fn export(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let session = named_session(args, LastSession::WithModel, world)?;
    let Some(id) = args.value(&flags::SKILL)? else {
        let message = "name the skill to make with --skill";
        return Err(args.failure(ErrorCode::MissingArgument, &flags::SKILL, message));
    };
    let summary = Some(session.begin.task.as_str());
    draft(&NewSkill { id, summary }, || Ok(recording(&session)), args, world)
}

/// What the model did, as if fingers had done it.
fn recording(session: &StoredSession) -> Recording {
    let size = session.steps.iter().find_map(|step| step.screen.as_ref());
    let size = size.map_or([1080, 2400], |screen| screen.size);
    let side = |pixels: u32| i32::try_from(pixels).unwrap_or(i32::MAX);
    let mut scribe = Scribe::new(Display::upright(side(size[0]), side(size[1])), Steering::Buttons, None);
    let mut events = Vec::new();
    let mut last = Number::from(0);
    for step in session.steps.iter().filter(|step| step.result.ok) {
        let ts = number(step.at_ms);
        last = ts;
        if let Some(screen) = &step.screen
            && let Some(tree) = tree_of(session, screen)
        {
            let seen = ScreenReading { tree, package: screen.app.clone(), ..ScreenReading::default() };
            events.extend(scribe.record_screen(seen, ts));
        }
        events.extend(act(&mut scribe, step, ts));
    }
    events.extend(scribe.end(last));
    Recording {
        header: Header {
            session_id: session.begin.session.clone(),
            started_at: number(session.begin.started_ms),
            operator_package: "clawperator".to_owned(),
            maker: Maker::Host,
            launcher: None,
        },
        events,
        warnings: Vec::new(),
    }
}

fn act(scribe: &mut Scribe, step: &clawperator_agent::session::StepEntry, ts: Number) -> Vec<RecordedEvent> {
    let action = &step.output.action;
    let place = |at: [i32; 2]| {
        let [x, y] = step.screen.as_ref().map_or(at, |screen| phone_place(screen, at));
        Point { x, y }
    };
    match action.get("type").and_then(Value::as_str).unwrap_or_default() {
        "type" => {
            scribe.note_typing();
            Vec::new()
        }
        "keyevent" => {
            let key = match action.get("keycode").and_then(Value::as_str).unwrap_or_default() {
                "KEYCODE_BACK" => Key::Back,
                "KEYCODE_HOME" => Key::Home,
                "KEYCODE_APP_SWITCH" => Key::Recents,
                _ => return Vec::new(),
            };
            scribe.record_gesture(Gesture::Key(key), ts)
        }
        _ => {
            let gesture = touch(action).and_then(|touch| match touch.to {
                _ if touch.kind == TouchKind::Tap => Some(Gesture::Tap(place(touch.at))),
                to => Some(Gesture::Swipe { from: place(touch.at), to: place(to?) }),
            });
            gesture.map_or_else(Vec::new, |gesture| scribe.record_gesture(gesture, ts))
        }
    }
}

fn number(ms: u64) -> Number {
    // Milliseconds since 1970 are far below 2^53.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    Number::new(ms as f64).unwrap_or_else(|| Number::from(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_agent::session::{
        BeginEntry, EntryResult, ScreenEntry, Session, SessionEntry, StepEntry, StepOutput,
    };
    use clawperator_recording::RecordedAct;
    use serde_json::json;

    fn screen(session: &Session, text: &str) -> ScreenEntry {
        let tree = format!(
            "<hierarchy rotation=\"0\"><node index=\"0\" text=\"\" resource-id=\"\" class=\"android.widget.FrameLayout\" package=\"com.a\" content-desc=\"\" bounds=\"[0,0][1080,2400]\"><node index=\"0\" text=\"{text}\" resource-id=\"com.a:id/row\" class=\"android.widget.Button\" package=\"com.a\" content-desc=\"\" clickable=\"true\" enabled=\"true\" bounds=\"[0,200][1080,400]\" /></node></hierarchy>"
        );
        ScreenEntry {
            app: "com.a".to_owned(),
            size: [1080, 2400],
            scaled: [540, 1200],
            tree: Some(session.keep_text(&tree, "xml").unwrap()),
            ..ScreenEntry::default()
        }
    }

    #[test]
    fn what_a_model_did_becomes_what_fingers_do() {
        let place = std::env::temp_dir().join(format!("clawperator-export-{}", std::process::id()));
        let mut session = Session::begin(&place, 1, BeginEntry::default()).unwrap();
        let actions = [
            (json!({"type": "tap", "x": 270, "y": 150}), true),
            // It was not done, so it is no part of the recording.
            (json!({"type": "tap", "x": 1, "y": 1}), false),
            (json!({"type": "keyevent", "keycode": "KEYCODE_BACK"}), true),
        ];
        for (number, (action, ok)) in actions.into_iter().enumerate() {
            let step = StepEntry {
                at_ms: 1000 + number as u64,
                screen: Some(screen(&session, &format!("Row {number}"))),
                output: StepOutput { action, ..StepOutput::default() },
                result: EntryResult { ok, ..EntryResult::default() },
                ..StepEntry::default()
            };
            session.append(&SessionEntry::Step(Box::new(step))).unwrap();
        }
        let stored = StoredSession::read(&place, session.id()).unwrap();
        let recording = recording(&stored);
        let told: Vec<String> = recording.events.iter().map(|event| told(&event.act)).collect();
        assert_eq!(told, ["window com.a", "click Row 0", "key Some(Back)", "window com.a"]);
        std::fs::remove_dir_all(&place).unwrap();
    }

    fn told(act: &RecordedAct) -> String {
        match act {
            RecordedAct::WindowChange(window) => format!("window {}", window.package),
            RecordedAct::Click(click) => format!("click {}", click.text.as_deref().unwrap_or_default()),
            RecordedAct::PressKey(press) => format!("key {:?}", press.key),
            RecordedAct::Scroll(_) => "scroll".to_owned(),
            RecordedAct::TextChange(_) => "text".to_owned(),
        }
    }
}
