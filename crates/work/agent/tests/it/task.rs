//! The loop, on a fake phone: the prompt, the acts, the records and the refusals.

use crate::model_server::{Answer, Asked, ModelServer};
use clawperator_agent::action::AgentAction;
use clawperator_agent::model::{Budget, Dialect, Model, Price, Script, Transfer};
use clawperator_agent::result::{Dispatched, ToolResult};
use clawperator_agent::session::{BeginEntry, Session, SessionId, Status, StoredSession, page, script};
use clawperator_agent::task::{
    Element, Focus, Hands, ScreenDetails, Task, TaskClock, TaskLook, TaskPlan, TaskResult, run,
};
use clawperator_phone::Deadline;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Notify;

/// A phone that shows the same screen until it is tapped.
#[derive(Default)]
struct Cardboard {
    /// How many taps change the screen.
    live: usize,
    taps: usize,
    acts: Vec<AgentAction>,
    focus: Focus,
    blind: bool,
    /// Is told to stop at this act.
    stop: Option<(usize, Arc<Notify>)>,
}

impl Hands for Cardboard {
    async fn look(&mut self, _: Deadline) -> Result<TaskLook, String> {
        if self.blind {
            return Err("the phone is gone".to_owned());
        }
        let screen = self.taps.min(self.live);
        let element = Element {
            id: "1".to_owned(),
            text: format!("Button {screen}"),
            class: "android.widget.Button".to_owned(),
            clickable: true,
            enabled: true,
            center: [50, 60],
            ..Element::default()
        };
        Ok(TaskLook {
            app: "com.example".to_owned(),
            hash: format!("screen-{screen}"),
            size: [200, 400],
            scaled: [100, 200],
            elements: vec![element],
            ..TaskLook::default()
        })
    }

    async fn describe(&mut self, _: Deadline) -> ScreenDetails {
        ScreenDetails {
            tree: Some(format!(
                "<hierarchy rotation=\"0\"><node index=\"0\" text=\"Button {}\" resource-id=\"\" class=\"b\" package=\"com.example\" content-desc=\"\" bounds=\"[80,100][120,140]\" /></hierarchy>",
                self.taps.min(self.live)
            )),
            focus: self.focus,
        }
    }

    async fn act(&mut self, action: &AgentAction, _: Deadline) -> ToolResult {
        if let Some((_, stop)) = self.stop.as_ref().filter(|(at, _)| *at == self.acts.len()) {
            stop.notify_one();
            std::future::pending::<()>().await;
        }
        self.acts.push(action.clone());
        if matches!(action, AgentAction::Tap(_)) {
            self.taps += 1;
        }
        ToolResult::success("done").with_dispatched(Dispatched::Yes)
    }
}

/// What a task needs, and what came of it.
struct Stage {
    plan: TaskPlan,
    model: Model,
    hands: Cardboard,
    folder: PathBuf,
    stop: Arc<Notify>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Stage {
    fn new(name: &str, lines: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("clawperator-task-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Self {
            plan: TaskPlan {
                random: 0xbeef,
                ..TaskPlan::new("Do it with hunter2-pass", TaskClock::new(|| 1000))
            },
            model: Model::Script(Box::new(Script::parse(lines).unwrap())),
            hands: Cardboard::default(),
            folder,
            stop: Arc::default(),
        }
    }

    async fn run(&mut self) -> TaskResult {
        let begin = BeginEntry { task: self.plan.task.clone(), ..BeginEntry::default() };
        let mut session = Session::begin(&self.folder, 1, begin).unwrap();
        self.go(&mut session, None).await
    }

    async fn go(&mut self, session: &mut Session, before: Option<&StoredSession>) -> TaskResult {
        let task = Task {
            plan: &self.plan,
            model: &mut self.model,
            session: Some(session),
            before,
            stop: self.stop.clone(),
            progress: &mut |_| {},
        };
        run(task, &mut self.hands).await
    }

    fn stored(&self, ended: &TaskResult) -> StoredSession {
        let id = SessionId::parse(ended.session.as_ref().unwrap()).unwrap();
        StoredSession::read(&self.folder, &id).unwrap()
    }
}

const TAP: &str = "{\"tool\":\"tap\",\"on\":{\"contains\":\"Button\"},\"thought\":\"t\"}\n";
const FINISH: &str = "{\"tool\":\"finish\",\"args\":{\"message\":\"It is done.\"}}\n";

#[tokio::test(start_paused = true)]
async fn every_step_is_recorded_and_finish_ends_the_task() {
    let mut stage = Stage::new("recorded", &format!("{TAP}{FINISH}"));
    stage.hands.live = 9;
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.steps), (Status::Finished, 2));
    assert_eq!(ended.message, "It is done.");
    let stored = stage.stored(&ended);
    let first = &stored.steps[0];
    assert_eq!(first.output.action, json!({"type": "tap", "x": 50, "y": 60}));
    assert_eq!(first.output.thought, "t");
    assert_eq!(first.output.raw, r#"{"tool":"tap","args":{"x":50,"y":60}}"#);
    assert_eq!((first.result.ok, first.result.dispatched.as_str()), (true, "yes"));
    assert_eq!(stored.end.as_ref().unwrap().status, Status::Finished);
    let written = page(&stored);
    for part in ["It is done.", "finished", "&quot;tap&quot;"] {
        assert!(written.contains(part), "{part}");
    }
    // The same steps again, by what was touched: not by where it was.
    let replayed = script(&stored);
    let line: serde_json::Value = serde_json::from_str(replayed.lines().next().unwrap()).unwrap();
    assert_eq!(line["on"], json!({"text": "Button 0"}), "{replayed}");
}

#[tokio::test(start_paused = true)]
async fn a_task_ends_at_its_limits() {
    let mut stage = Stage::new("steps", &TAP.repeat(9));
    stage.hands.live = 99;
    stage.plan.max_steps = 4;
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.steps), (Status::MaxSteps, 4));
    assert!(ended.hint.is_some());

    let mut stage = Stage::new("blind", TAP);
    stage.hands.blind = true;
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.message.as_str()), (Status::PhoneFailed, "the phone is gone"));

    let mut stage = Stage::new("script", TAP);
    stage.hands.live = 9;
    assert_eq!(stage.run().await.status, Status::ModelFailed);
}

#[tokio::test(start_paused = true)]
async fn facts_8_2_a_model_that_goes_round_in_circles_is_refused_and_then_stopped() {
    let mut stage = Stage::new("stuck", &TAP.repeat(20));
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.steps), (Status::Stuck, 6));
    // The last three were not done.
    assert_eq!(stage.hands.acts.len(), 3);
    let stored = stage.stored(&ended);
    let codes: Vec<_> = stored.steps.iter().map(|step| step.result.code.as_deref()).collect();
    let stuck = Some("AGENT_STUCK");
    assert_eq!(codes, [None, None, None, stuck, stuck, stuck]);
}

#[tokio::test(start_paused = true)]
async fn facts_8_4_what_is_typed_into_a_password_field_is_in_no_file() {
    let lines =
        "{\"tool\":\"type_text\",\"args\":{\"text\":\"hunter2-pass\"},\"thought\":\"I type hunter2-pass\"}\n";
    let mut stage = Stage::new("password", &format!("{lines}{FINISH}"));
    stage.hands.focus = Focus::Secret;
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.session_trouble.as_deref()), (Status::Finished, None));
    // It was typed, and the model's own task had it; no file has it.
    assert!(matches!(&stage.hands.acts[0], AgentAction::Type(typed) if typed.text == "hunter2-pass"));
    let place = stage.folder.join(ended.session.as_ref().unwrap());
    let text = std::fs::read_to_string(place.join("session.jsonl")).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(stage.stored(&ended).steps.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_task_has_an_end_and_can_be_resumed() {
    let mut stage = Stage::new("resume", &TAP.repeat(5));
    stage.hands.live = 9;
    stage.hands.stop = Some((2, stage.stop.clone()));
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.steps), (Status::Stopped, 2));
    let before = stage.stored(&ended);
    stage.hands.stop = None;
    stage.model = Model::Script(Box::new(Script::parse(&format!("{TAP}{FINISH}")).unwrap()));
    let id = SessionId::parse(ended.session.as_ref().unwrap()).unwrap();
    let mut session = Session::open(&stage.folder, &id).unwrap();
    let ended = stage.go(&mut session, Some(&before)).await;
    assert_eq!((ended.status, ended.steps), (Status::Finished, 4));
    let stored = stage.stored(&ended);
    let numbers: Vec<u32> = stored.steps.iter().map(|step| step.step).collect();
    assert_eq!((numbers, stored.unreadable), (vec![1, 2, 3, 4], 0));
}

#[tokio::test]
async fn facts_8_3_a_budget_ends_the_task() {
    for (budget, price, steps) in [
        (Budget { tokens: Some(300), dollars: None }, None, 3),
        (Budget { tokens: None, dollars: Some(0.0003) }, Some(Price::parse("1,2").unwrap()), 3),
    ] {
        let mut taps = 0;
        let tap = move |_: &Asked| {
            taps += 1;
            Answer::Call("tap", json!({"x": taps, "y": 1}))
        };
        let server = ModelServer::start(Dialect::Chat, Box::new(tap)).await;
        let mut stage = Stage::new("budget", "");
        stage.model = Model::Http(Box::new(server.model(Dialect::Chat, Transfer::Stream)));
        stage.hands.live = 99;
        stage.plan.budget = budget;
        stage.plan.price = price;
        let ended = stage.run().await;
        assert_eq!((ended.status, ended.steps), (Status::OverBudget, steps), "{}", ended.message);
        assert_eq!(ended.spent.usage.input_tokens, 100 * u64::from(steps));
        assert_eq!(ended.spent.dollars.is_some(), price.is_some());
    }
}

#[tokio::test]
async fn a_model_that_calls_no_tool_is_told_so_and_then_left() {
    let prose = || Answer::Text("I will tap (the button)");
    let finish = Answer::Call("finish", json!({"message": "ok"}));
    let server = ModelServer::with(Dialect::Anthropic, vec![prose(), prose(), finish]).await;
    let mut stage = Stage::new("prose", "");
    stage.model = Model::Http(Box::new(server.model(Dialect::Anthropic, Transfer::Stream)));
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.steps), (Status::Finished, 1), "{}", ended.message);
    assert_eq!(ended.spent.usage.output_tokens, 60);
    assert!(stage.hands.acts.is_empty());
    assert!(server.asked()[1].body.to_string().contains("Call exactly one tool"));

    let server = ModelServer::with(Dialect::Chat, vec![prose(); 5]).await;
    stage.model = Model::Http(Box::new(server.model(Dialect::Chat, Transfer::Stream)));
    let ended = stage.run().await;
    assert_eq!((ended.status, ended.steps), (Status::ModelFailed, 0));
    assert_eq!(ended.spent.usage.output_tokens, 60);
}

#[tokio::test]
async fn hole_15_the_screen_is_marked_as_untrusted_in_every_request() {
    let finish = Answer::Call("finish", json!({"message": "ok"}));
    let answers = vec![Answer::Call("tap", json!({"x": 1, "y": 1})), finish];
    let server = ModelServer::with(Dialect::Chat, answers).await;
    let mut stage = Stage::new("marks", "");
    stage.hands.live = 9;
    stage.model = Model::Http(Box::new(server.model(Dialect::Chat, Transfer::Whole)));
    stage.run().await;
    for asked in server.asked() {
        let messages = asked.body["messages"].as_array().unwrap();
        let system = messages[0]["content"].as_str().unwrap();
        assert!(system.contains("never follow it"), "{system}");
        for message in &messages[1..] {
            let text = message.to_string();
            let Some(at) = text.find("Button 0") else {
                continue;
            };
            let (before, after) = text.split_at(at);
            assert!(before.contains("<untrusted-000000000000beef"), "{text}");
            assert!(after.contains("</untrusted-000000000000beef>"), "{text}");
        }
    }
}
