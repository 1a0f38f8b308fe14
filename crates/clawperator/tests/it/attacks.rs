//! Attacks on secrets, as tables: how an app writes a value, and what is done
//! before somebody looks; times everybody who looks. The counts are printed.

use super::approvals::{post, post_with};
use super::dark::files;
use super::mcp::Agent;
use super::serve::{Server, token_of};
use super::sim::Place;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

const APP: &str = "com.example.hostile";
const CARD: &str = "4539578763621486";
const WORD: &str = "Wombat7Quokka";
const SHORT: &str = "Bo7llama";
const PIN: &str = "4716";

/// The ways in which an app can write a value.
fn written(value: &str) -> Vec<String> {
    let letters: Vec<char> = value.chars().collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    let between = [
        " ", "-", "\u{a0}", "\u{2009}", "\u{2013}", "\u{2014}", "\u{2212}", "\u{2011}", ".", "/", "_", ":",
        "|", "\u{200b}", "\u{ad}", "\u{2060}", "\u{301c}", "\u{5be}", "\u{b7}", " - ", "\u{202f}",
        "\u{feff}", "\u{2043}", "\u{2800}", "\u{2500}", "+", ",",
    ];
    let mut all: Vec<String> = between.iter().map(|between| groups.join(between)).collect();
    let each = |between: &str| letters.iter().map(char::to_string).collect::<Vec<_>>().join(between);
    let wide = |letter: &char| char::from_u32(u32::from(*letter) + 0xfee0).unwrap();
    all.extend([each(" "), each(", "), each("\u{200d}"), letters.iter().map(wide).collect()]);
    all.extend([value.to_uppercase(), value.to_lowercase(), format!("You typed {value}.")]);
    all.push(letters.iter().map(|letter| format!("{letter}\u{301}")).collect());
    let count = letters.len();
    for missing in [1, 2, 3].into_iter().filter(|missing| count - missing >= 5) {
        all.push(letters[..count - missing].iter().collect());
        all.push(letters[missing..].iter().collect());
    }
    if count > 4 {
        all.push(format!("x{value}y"));
        all.push(format!("begins with {}", letters[..4].iter().collect::<String>()));
        all.push(format!("ending {}", letters[count - 4..].iter().collect::<String>()));
        all.push(format!(
            "\u{2022}\u{2022}\u{2022}\u{2022} {}",
            letters[count - 5..].iter().collect::<String>()
        ));
    }
    all
}

/// The letters of an answer, however it escapes them.
fn plain(told: &str) -> String {
    let mut parts = told.split("\\u");
    let first = parts.next().unwrap_or_default().to_owned();
    let told = parts.fold(first, |told, part| told + part.get(4..).unwrap_or(part));
    let mut parts = told.split("&#");
    let first = parts.next().unwrap_or_default().to_owned();
    let told = parts.fold(first, |told, part| told + part.split_once(';').map_or(part, |(_, rest)| rest));
    let letters = told.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// What an answer says of a value: six letters of it in a row, or eight digits.
/// Fewer are in every answer, as numbers of pixels and times.
fn leak(told: &str, value: &str) -> Option<String> {
    let (told, value): (String, Vec<char>) = (plain(told), plain(value).chars().collect());
    let count = if value.iter().all(char::is_ascii_digit) { 8 } else { 6 };
    let mut parts = value.windows(count).map(String::from_iter);
    parts.find(|part| told.contains(part))
}

struct Scene {
    place: Place,
    server: Server,
    token: String,
    agent: Agent,
    tried: usize,
}

impl Scene {
    fn new(apps: &[&str]) -> Self {
        let place = Place::new();
        let folder = place.folder.join("apps");
        std::fs::create_dir_all(&folder).unwrap();
        for (number, app) in apps.iter().enumerate() {
            std::fs::write(folder.join(format!("{number}.yaml")), app).unwrap();
        }
        place.json(&["start", "--apps", folder.to_str().unwrap()]);
        let server = Server::start(&place, &[]);
        let (token, agent) = (token_of(&place), Agent::start(&place, &["--device", "sim"]));
        Self { place, server, token, agent, tried: 0 }
    }

    fn prints(&self, words: &[&str]) -> String {
        let mut program = self.place.program();
        // Not the session that knows the value.
        let program = program.env("CLAWPERATOR_SESSION", "another");
        let output = program.args(words).args(["--device", "sim"]).output().unwrap();
        let (out, err) = (output.stdout, output.stderr);
        format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err))
    }

    fn shell(&self, command: &str) -> String {
        let args = json!({ "command": command }).to_string();
        self.prints(&["agent", "act", "shell", &args, "--approve"])
    }

    fn open(&self, activity: &str) {
        self.shell(&format!("am force-stop {APP}; am start -n {APP}/{activity}"));
    }

    fn execute(&self, actions: &Value) -> Value {
        let body = json!({"deviceId": "sim-1", "execution": {"commandId": "c", "taskId": "t", "source": "test",
            "timeoutMs": 30000, "expectedFormat": "android-ui-automator", "actions": actions}});
        let (_, answer) = post(&self.server, &self.token, "/execute", &body);
        assert_eq!(answer["envelope"]["status"], "success", "{answer}");
        answer
    }

    /// Types a value by its name, in the session `http.default`.
    fn types(&self, value: &str) {
        let mut child = self.place.program();
        let child = child.args(["secrets", "set", "it", "--session", "http.default"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(value.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        self.execute(&json!([{"id": "t", "type": "enter_text",
            "params": {"matcher": {"role": "textfield"}, "text": "{{secret:it}}"}}]));
        let forget = ["secrets", "forget", "it", "--session", "http.default"];
        assert!(self.place.program().args(forget).status().unwrap().success());
    }

    /// What everybody sees who looks now.
    fn looks(&mut self) -> Vec<(&'static str, String)> {
        let (server, token) = (&self.server, self.token.as_str());
        let phone = json!({"deviceId": "sim-1"});
        let other: super::approvals::Headers<'_> = &[("Clawperator-Session", "mallory")];
        let tool = |name: &str| json!({"name": name, "arguments": {}});
        let screen = json!({"uri": "clawperator://screen/sim-1"});
        vec![
            ("cli snapshot", self.prints(&["snapshot"])),
            ("cli observe", self.prints(&["observe", "--json", "--no-daemon"])),
            ("cli agent act", self.shell("uiautomator dump /dev/tty")),
            ("http observe", server.get("/devices/sim-1/observe", Some(token))),
            ("http snapshot", post_with((server, token), "/snapshot", &phone, other).1.to_string()),
            ("mcp observe", self.agent.ask("tools/call", &tool("observe")).to_string()),
            ("mcp resource", self.agent.ask("resources/read", &screen).to_string()),
        ]
    }

    /// No output has one of these texts, or much of the value.
    fn assert_dark(&mut self, attack: &str, value: &str, texts: &[String]) {
        for (surface, told) in self.looks() {
            assert!(told.contains("sim") || told.contains("hierarchy") || told.contains("text"), "{told}");
            assert_eq!(leak(&told, value), None, "{attack} × {surface}: {told}");
            for text in texts {
                assert!(!told.contains(text.as_str()), "{attack} × {surface}: {text}: {told}");
            }
            self.tried += texts.len().max(1);
        }
        // Labels that were seen before are stored.
        if texts.is_empty() {
            let stored = files(&self.place.folder.join("state"));
            assert_eq!(leak(&stored, value), None, "{attack} × files");
        }
    }
}

#[test]
fn a_value_is_found_however_an_app_writes_it() {
    let mut app = format!("package: {APP}\nlabel: Hostile\nstate: {{word: \"\"}}\nactivities:\n");
    let mut screens = String::from("screens:\n");
    for (number, value) in [CARD, WORD, PIN].into_iter().enumerate() {
        app += &format!("  - {{name: .S{number}, screen: s{number}, launcher: {}}}\n", number == 0);
        screens += &format!("  s{number}:\n    title: T\n    body:\n");
        screens += "      - field: {id: word, bind: word, kind: password, hint: H, height: 40}\n";
        for (label, text) in written(value).iter().enumerate() {
            let text = json!(text);
            screens +=
                &format!("      - text: {{id: v{label}, text: {text}, height: 12, lines: 1, size: tiny}}\n");
        }
    }
    let mut scene = Scene::new(&[&(app + &screens)]);
    for (number, value) in [CARD, WORD, PIN].into_iter().enumerate() {
        scene.open(&format!(".S{number}"));
        let texts = written(value);
        let raw = scene.prints(&["snapshot"]);
        assert!(raw.contains(&format!("id/v{}", texts.len() - 1)), "all labels are seen: {raw}");
        scene.types(value);
        scene.assert_dark(value, value, &texts);
    }
    println!("{} attacks by writing: 0 leaks", scene.tried);
    assert!(scene.tried >= 400, "{}", scene.tried);
}

/// What is done between the typing and the look: on which screen, with which value.
const ATTACKS: &[(&str, &str, &str, &[&str])] = &[
    ("a label, one letter less", ".Main", SHORT, &["input keyevent 67"]),
    ("a label, three letters less", ".Main", WORD, &["input keyevent 67 67 67"]),
    ("a label, the first letters gone", ".Main", WORD, &["input keyevent 122 112 112"]),
    ("a card, one digit less", ".Main", CARD, &["input keyevent 67"]),
    ("emptied, and shown beside it", ".Main", WORD, &["next"]),
    (
        "emptied, looked at, and shown elsewhere",
        ".Main",
        WORD,
        &["next", "look", "am start -n com.example.hostile/.Kept"],
    ),
    ("closed, and shown later", ".Main", WORD, &["next", "close", "am start -n com.example.hostile/.Kept"]),
    ("a PIN, emptied and shown", ".Main", PIN, &["next", "look"]),
    ("another id", ".Changing", WORD, &["next"]),
    (
        "another id, letters in the middle",
        ".Changing",
        WORD,
        &["next", "input tap 500 300", "input keyevent 22 67 67 67 67", "look"],
    ),
    (
        "another id twice, four letters less",
        ".Changing",
        WORD,
        &["input keyevent 67 67 67 67", "next", "look", "next"],
    ),
    ("another class", ".Nameless", WORD, &["input keyevent 67 67 67 67", "next"]),
    ("a label in its place", ".Written", WORD, &["input keyevent 67 67 67 67 67 67 67", "next"]),
    (
        "a label in its place, a letter in the middle",
        ".Written",
        WORD,
        &["input keyevent 122 22 22 22 22 22 52", "next"],
    ),
    ("in an id", ".Ids", WORD, &[]),
    ("in an id, one letter less", ".Ids", WORD, &["input keyevent 67"]),
    ("a card in an id", ".Ids", CARD, &[]),
    ("as a hint", ".Hint", WORD, &[]),
    ("as a hint, one letter less", ".Hint", WORD, &["input keyevent 67", "look"]),
    ("as a hint, four letters less", ".Hint", WORD, &["input keyevent 67 67 67 67", "look"]),
];

#[test]
fn nothing_that_is_done_after_typing_shows_a_value() {
    let mut scene = Scene::new(&[include_str!("hostile.yaml")]);
    for (name, activity, value, doings) in ATTACKS {
        scene.open(activity);
        scene.types(value);
        for doing in *doings {
            let next = json!({"matcher": {"resourceId": format!("{APP}:id/next")}});
            let close = json!({"applicationId": APP});
            match *doing {
                "next" => drop(scene.execute(&json!([{"id": "c", "type": "click", "params": next}]))),
                "close" => drop(scene.execute(&json!([{"id": "c", "type": "close_app", "params": close}]))),
                "look" => drop(scene.prints(&["snapshot"])),
                command => drop(scene.shell(command)),
            }
        }
        scene.assert_dark(name, value, &[]);
    }
    println!("{} attacks by doing: 0 leaks", scene.tried);
    assert!(scene.tried >= 100, "{}", scene.tried);
}

#[test]
fn a_task_of_an_agent_leaves_nothing_of_a_value() {
    let scene = Scene::new(&[include_str!("hostile.yaml")]);
    let mut tried = 0;
    for (activity, value) in [(".Main", SHORT), (".Changing", WORD), (".Ids", CARD), (".Hint", WORD)] {
        scene.open(activity);
        let mut child = scene.place.program();
        let child = child.args(["secrets", "set", "it", "--session", "cli.another"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(value.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let mut lines = vec![
            json!({"tool": "tap", "on": {"id": "word"}}),
            json!({"tool": "type_text", "args": {"text": "{{secret:it}}"}}),
        ];
        lines.extend(std::iter::repeat_n(json!({"tool": "keyevent", "args": {"keycode": "KEYCODE_DEL"}}), 4));
        lines.push(json!({"tool": "finish", "args": {"message": "Done."}}));
        let script = scene.place.folder.join("task.jsonl");
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(&script, lines.join("\n")).unwrap();
        let model = format!("script:{}", script.display());
        let told = scene.prints(&["agent", "run", "Type it", "--model", &model, "--yes"]);
        assert!(told.contains("finished"), "{told}");
        for told in [&told, &files(&scene.place.folder.join("state"))] {
            assert_eq!(leak(told, value), None, "{activity}: {told}");
            tried += lines.len();
        }
        let forget = ["secrets", "forget", "it", "--session", "cli.another"];
        assert!(scene.place.program().args(forget).status().unwrap().success());
    }
    println!("{tried} looks of agent run: 0 leaks");
}

/// Who did not ask gets nothing of what a person gave.
#[test]
fn another_session_cannot_apply_what_a_person_gave() {
    let mut scene = Scene::new(&[include_str!("hostile.yaml")]);
    scene.open(".Main");
    let fields = json!([{"id": "username", "label": "U", "type": "text", "required": true},
        {"id": "password", "label": "P", "type": "password", "required": true}]);
    let asks = json!({"capability": "oauth", "instruction": "Sign in.", "deviceId": "sim-1",
        "uiTemplate": {"artifactKind": "credentials", "fields": fields}});
    let to = (&scene.server, scene.token.as_str());
    let alice: super::approvals::Headers<'_> = &[("Clawperator-Session", "alice")];
    let (_, asked) = post_with(to, "/approvals", &asks, alice);
    let id = asked["id"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    let answer = json!({"answer": {"fields": {"username": "bob", "password": WORD}}});
    post_with(to, &format!("/approvals/{id}/approve"), &answer, &[]);
    let apply = format!("/approvals/{id}/apply");
    let others: [super::approvals::Headers<'_>; 3] =
        [&[], &[("Clawperator-Session", "mallory")], &[("Clawperator-Session", "Alice")]];
    for other in others {
        let (status, refused) = post_with(to, &apply, &json!({}), other);
        assert_eq!(
            (status, refused["error"]["code"].as_str()),
            (403, Some("APPROVAL_NOT_YOURS")),
            "{refused}"
        );
    }
    let call = |id: &str| json!({"name": "approval", "arguments": {"id": id, "apply": true}});
    let refused = scene.agent.ask("tools/call", &call(&id)).to_string();
    assert!(refused.contains("APPROVAL_NOT_YOURS"), "{refused}");
    let (status, applied) = post_with(to, &apply, &json!({}), alice);
    assert!(status == 200 && applied.to_string().contains("credentials.password"), "{applied}");
    // Of two clients of MCP only the one that asked gets it.
    let asks = json!({"name": "approval", "arguments": {"ask": "Pay", "capability": "payment"}});
    let asked = scene.agent.ask("tools/call", &asks).to_string();
    let id = asked.split("ap-").nth(1).unwrap().split(':').next().unwrap();
    let id = format!("ap-{id}");
    let card = json!({"answer": {"fields": {"cardNumber": CARD, "expiry": "12/30", "cvc": "907"}}});
    let (status, given) = post_with(to, &format!("/approvals/{id}/approve"), &card, &[]);
    assert_eq!(status, 200, "{given}");
    let mut other = Agent::start(&scene.place, &["--device", "sim"]);
    let refused = other.ask("tools/call", &call(&id)).to_string();
    assert!(refused.contains("APPROVAL_NOT_YOURS"), "{refused}");
    let applied = scene.agent.ask("tools/call", &call(&id)).to_string();
    assert!(applied.contains("payment_card.cardNumber"), "{applied}");
}
