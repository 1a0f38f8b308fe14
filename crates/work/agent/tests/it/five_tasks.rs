//! Five tasks on the simulated phone: by a script, and by the same script behind
//! servers of the test's own that speak as OpenAI's and Anthropic's do, stream,
//! fail and drop connections.

use crate::model_server::{Answer, Asked, ModelServer};
use crate::person::Person;
use clawperator_agent::action::Capability;
use clawperator_agent::model::script::ScriptElement;
use clawperator_agent::model::{Dialect, Model, Script, ScriptScreen, Transfer};
use clawperator_agent::session::Status;
use clawperator_agent::snapshot::Observer;
use clawperator_agent::task::{PhoneHands, Task, TaskClock, TaskPlan, TaskResult, run};
use clawperator_agent::toolbox::Toolbox;
use clawperator_phone::{LeaseOptions, Phone, PhoneLease};
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, ask, link};
use serde_json::{Value, json};
use std::sync::Arc;

/// A task: how the phone is prepared, what is done, what it must show afterwards.
struct Five {
    name: &'static str,
    setup: &'static str,
    /// What a person is asked, in this order.
    asks: &'static [Capability],
    script: &'static str,
    asked: &'static str,
    shows: &'static str,
}

const DUMP: &str = "uiautomator dump /dev/tty";

const TASKS: [Five; 5] = [
    Five {
        name: "toggle a setting",
        setup: "am start -n 'com.android.settings/.Settings$WifiSettingsActivity'",
        asks: &[],
        script: r#"{"tool":"tap","on":{"text":"Wi-Fi"},"until":{"text":"Wi-Fi is off"}}"#,
        asked: "settings get global wifi_on",
        shows: "0",
    },
    Five {
        name: "fill a form with emoji",
        setup: "am start -n com.clawperator.form/.OrderActivity",
        asks: &[],
        script: concat!(
            r#"{"tool":"tap","on":{"id":"input_name"}}"#,
            "\n",
            r#"{"tool":"type_text","args":{"text":"Zoë 🎂 東京"}}"#
        ),
        asked: DUMP,
        // As a phone's dump writes it.
        shows: "Zoë &#127874; 東京",
    },
    Five {
        name: "find a row below three screens",
        setup: "am start -n com.clawperator.conformance/.MainActivity",
        asks: &[],
        script: concat!(
            r#"{"tool":"tap","on":{"text":"Open list"}}"#,
            "\n",
            r#"{"tool":"swipe","from":[0.5,0.75],"to":[0.5,0.3],"until":{"text":"Row 60"},"most":30}"#,
            "\n",
            r#"{"tool":"tap","on":{"text":"Row 60"}}"#
        ),
        asked: DUMP,
        shows: "Selected row: 60",
    },
    Five {
        name: "ask for approval and use its text",
        setup: "am start -n com.clawperator.messenger/.ConversationListActivity",
        asks: &[Capability::TwoFactor, Capability::Sms],
        script: concat!(
            r#"{"tool":"tap","on":{"text":"Alan Turing"}}"#,
            "\n",
            r#"{"tool":"tap","on":{"id":"compose_message_text"}}"#,
            "\n",
            r#"{"tool":"request_human_auth","args":{"capability":"2fa","instruction":"What shall I write?"}}"#,
            "\n",
            r#"{"tool":"tap","on":{"text":"Send"}}"#
        ),
        asked: DUMP,
        shows: "Code 491823",
    },
    Five {
        name: "recover from a permission dialog",
        setup: "am start -n com.clawperator.trouble/.PermissionActivity",
        asks: &[Capability::Permission],
        script: concat!(
            r#"{"tool":"tap","on":{"text":"Use the camera"}}"#,
            "\n",
            r#"{"tool":"tap","on":{"text":"While using the app"},"if":{"contains":"Allow Trouble"}}"#
        ),
        asked: DUMP,
        shows: "Camera: granted",
    },
];

impl Five {
    fn script(&self) -> Script {
        let finish = "{\"tool\":\"wait\",\"args\":{\"durationMs\":500}}\n{\"tool\":\"finish\",\"args\":{\"message\":\"ok\"}}";
        Script::parse(&format!("{}\n{finish}", self.script)).unwrap()
    }

    /// Does the task with a model; how it ended, and what the phone shows then.
    async fn done_by(&self, mut model: Model) -> (TaskResult, String) {
        let handset = Handset::new(Setup::default());
        let welcome = Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() });
        ask(&handset, &welcome, self.setup).await.unwrap();
        let phone = Phone::new(link(&handset, &welcome).await.unwrap(), "sim-1");
        let lease = PhoneLease::new(phone, LeaseOptions::default());
        let observer = Observer::new(clawperator_events::Clock::new(|| 1_767_260_460_000));
        let person = Person::new(Some("Code 491823"));
        let toolbox = Toolbox { people: Some(person.people()), ..Toolbox::default() };
        let mut hands = PhoneHands::new(lease, observer, "test", toolbox);
        let plan = TaskPlan::new(self.name, TaskClock::new(|| 0));
        let task = Task {
            plan: &plan,
            model: &mut model,
            session: None,
            before: None,
            stop: Arc::default(),
            progress: &mut |_| {},
        };
        let ended = tokio::select! {
            ended = run(task, &mut hands) => ended,
            () = person.answer(async || {}) => unreachable!(),
        };
        hands.release(&ended).await;
        assert_eq!(person.capabilities().await, self.asks, "{}", self.name);
        (ended, ask(&handset, &welcome, self.asked).await.unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_does_five_tasks() {
    for task in &TASKS {
        let (ended, shown) = task.done_by(Model::Script(Box::new(task.script()))).await;
        assert_eq!(ended.status, Status::Finished, "{}: {}", task.name, ended.message);
        assert!(shown.contains(task.shows), "{}: {shown}", task.name);
    }
}

#[tokio::test]
async fn an_openai_compatible_server_does_five_tasks() {
    behind_a_server(Dialect::Chat).await;
}

#[tokio::test]
async fn a_responses_server_does_five_tasks() {
    behind_a_server(Dialect::Responses).await;
}

#[tokio::test]
async fn an_anthropic_compatible_server_does_five_tasks() {
    behind_a_server(Dialect::Anthropic).await;
}

/// Every third answer breaks in another way; none of it is used.
async fn behind_a_server(dialect: Dialect) {
    for task in &TASKS {
        let mut script = task.script();
        let mut count = 0;
        let brain = move |asked: &Asked| {
            count += 1;
            match count % 12 {
                3 => Answer::Half("tap", json!({"x": 1, "y": 1, "thought": "never used"})),
                6 => Answer::Status(429, Some("0"), "slow down"),
                9 => Answer::Closed,
                0 => Answer::Status(503, None, "overloaded"),
                _ => match script.step(&sight(&asked.body)) {
                    Ok(step) => Answer::Call(step.call.name.leak(), step.call.args),
                    Err(_) => Answer::Text("I cannot go on."),
                },
            }
        };
        let server = ModelServer::start(dialect, Box::new(brain)).await;
        let model = server.model(dialect, Transfer::Stream);
        let (ended, shown) = task.done_by(Model::Http(Box::new(model))).await;
        assert_eq!(ended.status, Status::Finished, "{dialect:?}: {}: {}", task.name, ended.message);
        assert!(shown.contains(task.shows), "{dialect:?}: {}: {shown}", task.name);
        assert!(ended.spent.usage.output_tokens > 0);
        let asked = server.asked();
        let last = asked.last().unwrap().body.to_string();
        assert!(last.contains("image/png"), "{}: a picture is sent", task.name);
    }
}

/// What a model could read of the screen in a request.
fn sight(body: &Value) -> ScriptScreen {
    let mut texts = Vec::new();
    collect(body, &mut texts);
    let last = texts.iter().rev().find(|text| text.contains("The picture has"));
    let last = last.expect("a request has a screen");
    let size = last.split("The picture has ").nth(1).unwrap();
    let mut size = size.split(' ').filter_map(|word| word.parse::<f64>().ok());
    ScriptScreen {
        width: size.next().unwrap(),
        height: size.next().unwrap(),
        elements: last.lines().filter_map(element).collect(),
    }
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| collect(value, texts)),
        Value::Object(object) => object.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads a line such as `12 (384,512) Button text="OK" id="ok" clickable`.
fn element(line: &str) -> Option<ScriptElement> {
    let (_, rest) = line.split_once(" (")?;
    let (place, rest) = rest.split_once(") ")?;
    let (x, y) = place.split_once(',')?;
    let named = |name: &str| -> String {
        let Some((_, quoted)) = rest.split_once(&format!(" {name}=")) else {
            return String::new();
        };
        let mut values = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        values.next().and_then(Result::ok).unwrap_or_default()
    };
    Some(ScriptElement {
        text: named("text"),
        desc: named("desc"),
        id: named("id"),
        center: [x.parse().ok()?, y.parse().ok()?],
    })
}
