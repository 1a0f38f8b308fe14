//! The table of tools. The list that clients get and the names of arguments
//! that are accepted come from these rows.

use clawperator_agent::policy::Level;
use clawperator_contract::schema::params_of;
use clawperator_contract::{CATALOGUE, ParamKey, words};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

words! {
    /// Which tool it is, by its name.
    pub(super) ToolKind {
        Observe = "observe",
        Act = "act",
        Open = "open",
        Wait = "wait",
        Find = "find",
        Execute = "execute",
        Skill = "skill",
        Device = "device",
        Record = "record",
        Approval = "approval",
    }
}

/// One tool.
#[derive(Debug)]
pub(super) struct McpTool {
    pub(super) kind: ToolKind,
    doc: &'static str,
    /// The properties of its arguments, as JSON.
    properties: &'static str,
    required: &'static [&'static str],
    changes: Changes,
}

/// What a tool can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changes {
    Nothing,
    /// The session, or files of ours; a repeat changes nothing more.
    Ours,
    /// The phone, and through it the world.
    Phone,
}

/// The steps of `act` that have a shape of their own.
const SHAPED: [&str; 8] = ["tap", "long_press", "type", "key", "scroll", "drag", "wait", "open"];

/// The properties of one step of `act`, as JSON.
const STEP: &str = r#"{
    "do": {"enum": []},
    "on": {"type": "string", "description": "@ref, exact text, or x,y"},
    "match": {"type": "object", "description": "instead of on: textContains, resourceId, contentDescContains, role, where"},
    "text": {"type": "string", "description": "to type; a slider's value"},
    "submit": {"type": "boolean"},
    "key": {"enum": ["back", "home", "recents"]},
    "direction": {"enum": ["down", "up", "left", "right"], "description": "scroll; with tap: scroll until found"},
    "to": {"type": "string", "description": "scroll until this text; drag there (as on)"},
    "hold": {"type": "boolean", "description": "drag: pick up first"},
    "force": {"type": "boolean", "description": "touch what is covered"},
    "gone": {"type": "boolean", "description": "wait until gone"},
    "toast": {"type": "string", "description": "wait for a toast with this text"},
    "count": {"type": "integer", "description": "repeat"},
    "until": {"type": "string", "description": "repeat until an element says this text (or @ref is there), at most count times"},
    "timeout_ms": {"type": "integer", "description": "look for on this long"}
}"#;

const TARGET: &str =
    r#"{"on": {"type": "string", "description": "@ref or exact text"}, "match": {"type": "object"}"#;

pub(super) const TOOLS: [McpTool; 10] = [
    McpTool {
        kind: ToolKind::Observe,
        doc: "Show the screen: one line per element, with a ref (@e7) to act on.",
        properties: r#"{
            "diff": {"type": "boolean", "description": "only what changed since your last view"},
            "budget": {"type": "integer", "description": "max tokens"},
            "picture": {"type": "boolean", "description": "add a small JPEG"},
            "marks": {"type": "boolean", "description": "refs on the picture"},
            "timeout_ms": {"type": "integer"}
        }"#,
        required: &[],
        changes: Changes::Nothing,
    },
    McpTool {
        kind: ToolKind::Act,
        doc: "Do steps in order, stop at the first that fails, and get what changed on the screen. A selector must fit one element.",
        properties: r#"{"steps": STEPS, "budget": {"type": "integer"}}"#,
        required: &["steps"],
        changes: Changes::Phone,
    },
    McpTool {
        kind: ToolKind::Open,
        doc: "Open an app or a URI and see it.",
        properties: r#"{"app": {"type": "string", "description": "name, package or URI"}, "fresh": {"type": "boolean", "description": "at its first page"}}"#,
        required: &["app"],
        changes: Changes::Phone,
    },
    McpTool {
        kind: ToolKind::Wait,
        doc: "Wait until an element is there (or gone) or a toast was shown, and see what changed.",
        properties: r#"TARGET, "gone": {"type": "boolean"}, "toast": {"type": "string"}, "timeout_ms": {"type": "integer"}}"#,
        required: &[],
        changes: Changes::Nothing,
    },
    McpTool {
        kind: ToolKind::Find,
        doc: "List elements that fit, with refs.",
        properties: r#"TARGET, "off_screen": {"type": "boolean"}, "limit": {"type": "integer"}}"#,
        required: &[],
        changes: Changes::Nothing,
    },
    McpTool {
        kind: ToolKind::Execute,
        doc: "Run a whole execution payload ({actions: [{id, type, params}]}) and get its envelope.",
        properties: r#"{"payload": {"type": "object"}, "validate_only": {"type": "boolean"}}"#,
        required: &["payload"],
        changes: Changes::Phone,
    },
    McpTool {
        kind: ToolKind::Skill,
        doc: "Search the installed skills, or run one.",
        properties: r#"{
            "search": {"type": "string"},
            "run": {"type": "string", "description": "skill id"},
            "inputs": {"type": "object"},
            "allow": {"type": "array", "items": {"type": "string"}, "description": "capabilities the user agreed to"}
        }"#,
        required: &[],
        changes: Changes::Phone,
    },
    McpTool {
        kind: ToolKind::Device,
        doc: "List phones, or apps; choose a phone for this session.",
        properties: r#"{"apps": {"type": "boolean"}, "use": {"type": "string", "description": "serial; HOST/SERIAL or any:CLASS of a pool"}, "start": {"type": "boolean", "description": "start and use a simulated phone"}}"#,
        required: &[],
        changes: Changes::Ours,
    },
    McpTool {
        kind: ToolKind::Record,
        doc: "Record what a person does on the phone.",
        properties: r#"{"do": {"enum": ["start", "stop"]}, "name": {"type": "string"}}"#,
        required: &["do"],
        changes: Changes::Ours,
    },
    McpTool {
        kind: ToolKind::Approval,
        doc: "Ask the user for a decision, or for a code, photo or login that you never see; then apply it to the phone.",
        properties: r#"{
            "ask": {"type": "string", "description": "what and why"},
            "capability": {"type": "string", "description": "permission, 2fa, sms, payment, location, camera, files, oauth, ..."},
            "id": {"type": "string", "description": "of an earlier request: its state"},
            "apply": {"type": "boolean", "description": "with id: use what was given, on the screen the user saw"}
        }"#,
        required: &[],
        changes: Changes::Phone,
    },
];

/// Whether a request belongs to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belongs {
    /// The server remembers the phone and the last view.
    ToSession,
    ToNothing,
}

pub(super) fn by_name(name: &str) -> Option<&'static McpTool> {
    TOOLS.iter().find(|tool| tool.kind.word() == name)
}

/// Every tool, as clients see it, where so much is asked about.
pub(super) fn list(belongs: Belongs, level: Level) -> Vec<Tool> {
    let described = |tool: &McpTool| {
        let mut described = tool.describe(belongs);
        if tool.kind == ToolKind::Act {
            described.description = Some(format!("{} {}", tool.doc, asks(level)).into());
        }
        described
    };
    TOOLS.iter().map(described).collect()
}

/// What a model reads of the policy.
pub(super) fn asks(level: Level) -> &'static str {
    match level {
        Level::None => "Policy none: the user is asked about nothing.",
        Level::Money => {
            "Policy money: the user is asked before what pays, orders, installs or deletes an account."
        }
        Level::Full => {
            "Policy full: the user is asked before what pays, sends, calls, installs, permits or deletes an account."
        }
    }
}

/// What a step may do.
pub(super) fn step_words() -> Vec<&'static str> {
    let plain = CATALOGUE.iter().filter_map(|row| row.verb);
    SHAPED.into_iter().chain(plain).collect()
}

/// The names of the arguments of a step.
pub(super) fn step_arguments() -> Vec<String> {
    step_properties().keys().cloned().collect()
}

/// The properties of a step: those of all that it may do.
fn step_properties() -> JsonObject {
    let mut properties = parse(STEP);
    properties["do"]["enum"] = json!(step_words());
    for row in CATALOGUE.iter().filter(|row| row.verb.is_some()) {
        let schema = params_of(row);
        for used in row.params.iter().filter(|used| used.key != ParamKey::Matcher) {
            let property = &schema["properties"][used.key.name()];
            let name = properties.entry(used.key.words('_'));
            name.or_insert_with(|| json!({"type": property["type"], "description": property["description"]}));
        }
    }
    properties
}

impl McpTool {
    pub(super) fn arguments(&self, belongs: Belongs) -> Vec<String> {
        self.properties(belongs).keys().cloned().collect()
    }

    fn properties(&self, belongs: Belongs) -> JsonObject {
        let step = json!({"type": "object", "properties": step_properties(), "required": ["do"]});
        let steps = json!({"type": "array", "items": step}).to_string();
        let text = self.properties.replace("STEPS", &steps).replace("TARGET", TARGET);
        let mut properties = parse(&text);
        if belongs == Belongs::ToNothing && self.kind != ToolKind::Device {
            properties.insert("device".to_owned(), json!({"type": "string"}));
            let since = json!({"type": "string", "description": "the id below your last view"});
            properties.insert("since".to_owned(), since);
        }
        properties
    }

    fn describe(&self, belongs: Belongs) -> Tool {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(self.properties(belongs)));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), json!(self.required));
        }
        let tool =
            Tool::new(self.kind.word(), self.doc, Arc::new(schema)).with_annotations(self.annotations());
        match self.kind {
            ToolKind::Execute => tool.with_raw_output_schema(Arc::new(envelope_schema())),
            _ => tool,
        }
    }

    fn annotations(&self) -> ToolAnnotations {
        let (changes_phone, reads) = (self.changes == Changes::Phone, self.changes == Changes::Nothing);
        ToolAnnotations::new()
            .read_only(reads)
            .destructive(changes_phone)
            .idempotent(!changes_phone)
            .open_world(changes_phone)
    }
}

/// What `execute` answers.
fn envelope_schema() -> JsonObject {
    parse(
        r#"{"type": "object", "properties": {"envelope": {"type": "object"}, "deviceId": {"type": "string"}}}"#,
    )
}

fn parse(text: &str) -> JsonObject {
    // A test reads every row.
    serde_json::from_str(text).unwrap_or_default()
}
