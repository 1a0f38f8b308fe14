//! The table of the tools: one row each, with its fields, defaults, executor and
//! risk. The action types, the schemas and the defaults are made of it.

use super::{ArgumentNeed, ArgumentShape, Executor, Risk, Tool, ToolField};
use crate::action::{Capability, ProcessAction};
use clawperator_contract as contract;
use clawperator_contract::{ActionSpec, CATALOGUE, Fallback, Number, ParamUse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Tells whether a field is left out when it is written.
trait Absent {
    fn is_absent(&self) -> bool {
        false
    }
}

impl Absent for Number {}
impl Absent for String {}
impl Absent for bool {}
impl Absent for Capability {}
impl Absent for ProcessAction {}
impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

macro_rules! tools {
    ($($variant:ident $kind:literal $name:literal $executor:ident $risk:ident $about:literal {
        $($field:ident $key:literal $type:ty = $shape:expr, $need:ident $doc:literal;)*
    })*) => {
        /// One tool call, as it will be carried out.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub enum AgentAction {
            $(#[doc = $about] #[serde(rename = $kind)] $variant($variant),)*
            /// What has no shape of its own here.
            #[serde(untagged)]
            Plain(Plain),
        }

        $(
            #[doc = $about]
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            pub struct $variant {
                $(
                    #[doc = $doc]
                    #[serde(rename = $key, skip_serializing_if = "Absent::is_absent")]
                    pub $field: $type,
                )*
            }
        )*

        /// The tools that have a shape of their own.
        const SHAPED: &[Tool] = &[$(Tool {
            name: $name,
            kind: $kind,
            about: $about,
            executor: Executor::$executor,
            risk: Risk::$risk,
            fields: &[$(ToolField { key: $key, shape: $shape, need: ArgumentNeed::$need, about: $doc }),*],
        }),*];

        impl AgentAction {
            /// The type, as the action is written.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $kind,)*
                    Self::Plain(plain) => plain.row().and_then(|row| row.verb).unwrap_or_default(),
                }
            }
        }
    };
}

/// Every tool, in the order of the documentation: last those that are made of the
/// catalogue of actions.
pub static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let plain = CATALOGUE.iter().filter_map(|row| {
        let name = row.verb?;
        let fields: Vec<ToolField> = row.params.iter().filter_map(ToolField::of).collect();
        Some(Tool {
            name,
            kind: name,
            about: row.doc,
            executor: Executor::Phone,
            risk: Risk::Acts,
            fields: fields.leak(),
        })
    });
    SHAPED.iter().copied().chain(plain).collect()
});

/// An action of the contract, as its row says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Plain {
    /// What the row calls it.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(flatten)]
    pub params: Map<String, Value>,
}

impl TryFrom<Map<String, Value>> for Plain {
    type Error = &'static str;

    fn try_from(mut params: Map<String, Value>) -> Result<Self, Self::Error> {
        let kind = params.shift_remove("type");
        let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let plain = Self { kind, params };
        plain.row().is_some().then_some(plain).ok_or("there is no such tool")
    }
}

impl Plain {
    pub(crate) fn row(&self) -> Option<&'static ActionSpec> {
        CATALOGUE.iter().find(|row| row.verb == Some(&self.kind))
    }
}

impl ToolField {
    /// A parameter as an argument; none if a model cannot leave it out or give it.
    fn of(used: &ParamUse) -> Option<Self> {
        let needed = used.need == contract::Need::Required;
        let shape = match (used.key.spec().shape, used.default) {
            (contract::Shape::Text | contract::Shape::ShortText(_), Fallback::None) if needed => EMPTY,
            (contract::Shape::Text | contract::Shape::ShortText(_), _) => ArgumentShape::Given,
            (contract::Shape::Flag, Fallback::None | Fallback::Flag(false)) => ArgumentShape::Flag,
            (contract::Shape::Number, Fallback::Number(number)) => ArgumentShape::Number(number),
            (contract::Shape::Number, _) if needed => ArgumentShape::Number(0.0),
            (contract::Shape::Matcher, _) => ArgumentShape::Object,
            _ => return None,
        };
        Some(Self {
            key: used.key.name(),
            shape,
            need: if needed { ArgumentNeed::Required } else { ArgumentNeed::Optional },
            about: used.key.spec().doc,
        })
    }
}

const COORDINATE: ArgumentShape = ArgumentShape::Number(0.0);
const EMPTY: ArgumentShape = ArgumentShape::Text("");

tools! {
    Tap "tap" "tap" Phone Acts "Tap one point of the screen." {
        x "x" Number = COORDINATE, Required "Pixels from the left edge of the picture.";
        y "y" Number = COORDINATE, Required "Pixels from the top edge of the picture.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Swipe "swipe" "swipe" Phone Acts "Swipe from one point to another, to scroll or to turn a page." {
        x1 "x1" Number = COORDINATE, Required "Where the finger goes down: pixels from the left.";
        y1 "y1" Number = COORDINATE, Required "Where the finger goes down: pixels from the top.";
        x2 "x2" Number = COORDINATE, Required "Where the finger goes up: pixels from the left.";
        y2 "y2" Number = COORDINATE, Required "Where the finger goes up: pixels from the top.";
        duration_ms "durationMs" Number = ArgumentShape::Number(300.0), Optional "How long the move takes, in milliseconds.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Drag "drag" "drag" Phone Acts "Drag from one point to another, such as a slider." {
        x1 "x1" Number = COORDINATE, Required "Where the finger goes down: pixels from the left.";
        y1 "y1" Number = COORDINATE, Required "Where the finger goes down: pixels from the top.";
        x2 "x2" Number = COORDINATE, Required "Where the finger goes up: pixels from the left.";
        y2 "y2" Number = COORDINATE, Required "Where the finger goes up: pixels from the top.";
        duration_ms "durationMs" Number = ArgumentShape::Number(360.0), Optional "How long the move takes, in milliseconds.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    LongPressDrag "long_press_drag" "long_press_drag" Phone Acts "Hold a point until it can be moved, then drag it to another point, such as an icon." {
        x1 "x1" Number = COORDINATE, Required "Where the finger goes down: pixels from the left.";
        y1 "y1" Number = COORDINATE, Required "Where the finger goes down: pixels from the top.";
        x2 "x2" Number = COORDINATE, Required "Where the finger goes up: pixels from the left.";
        y2 "y2" Number = COORDINATE, Required "Where the finger goes up: pixels from the top.";
        hold_ms "holdMs" Number = ArgumentShape::Number(450.0), Optional "How long the finger rests before it moves, in milliseconds.";
        duration_ms "durationMs" Number = ArgumentShape::Number(300.0), Optional "How long the move takes, in milliseconds.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Type "type" "type_text" Phone Acts "Type a text into the focused field. A line break presses enter." {
        text "text" String = EMPTY, Required "The text. Any language and emoji. {{secret:NAME.FIELD}} stands for a value that a person gave.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    KeyEvent "keyevent" "keyevent" Phone Acts "Press a key of the phone, such as KEYCODE_BACK, KEYCODE_HOME or KEYCODE_ENTER." {
        keycode "keycode" String = ArgumentShape::Text("KEYCODE_ENTER"), Required "The key's name in Android.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    LaunchApp "launch_app" "launch_app" Phone Acts "Open an app." {
        package_name "packageName" String = EMPTY, Required "The app's package, such as com.android.settings.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Shell "shell" "shell" Phone Runs "Run a command in the phone's shell. Gives its output and exit code." {
        command "command" String = EMPTY, Required "The command.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    RunScript "run_script" "run_script" Workspace Runs "Run a shell script on the computer, in a sandbox without network." {
        script "script" String = EMPTY, Required "The script.";
        timeout_sec "timeoutSec" Number = ArgumentShape::Number(60.0), Optional "After how many seconds it is ended.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Read "read" "read" Workspace Reads "Read lines of a file of the workspace." {
        path "path" String = EMPTY, Required "The file, seen from the workspace's folder.";
        from "from" Number = ArgumentShape::Number(1.0), Optional "The first line, counted from 1.";
        lines "lines" Number = ArgumentShape::Number(200.0), Optional "How many lines at most.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Write "write" "write" Workspace Writes "Write a file of the workspace." {
        path "path" String = EMPTY, Required "The file, seen from the workspace's folder.";
        content "content" String = EMPTY, Required "What to write.";
        append "append" bool = ArgumentShape::Flag, Optional "Whether to add it to the end of the file.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Edit "edit" "edit" Workspace Writes "Replace a text in a file of the workspace." {
        path "path" String = EMPTY, Required "The file, seen from the workspace's folder.";
        find "find" String = EMPTY, Required "The text to replace, exactly as it is.";
        replace "replace" String = EMPTY, Required "The text to put there.";
        replace_all "replaceAll" bool = ArgumentShape::Flag, Optional "Whether to replace it wherever it is.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    ApplyPatch "apply_patch" "apply_patch" Workspace Writes "Change several files of the workspace at once, with a patch from *** Begin Patch to *** End Patch." {
        input "input" String = EMPTY, Required "The patch.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Exec "exec" "exec" Workspace Runs "Run a command on the computer, in a sandbox without network." {
        command "command" String = EMPTY, Required "The command.";
        workdir "workdir" Option<String> = ArgumentShape::Given, Optional "The folder to run it in, seen from the workspace's folder.";
        yield_ms "yieldMs" Number = ArgumentShape::Number(0.0), Optional "After how many milliseconds to leave it running in the background; 0 waits for its end.";
        background "background" bool = ArgumentShape::Flag, Optional "Whether to leave it running in the background at once.";
        timeout_sec "timeoutSec" Number = ArgumentShape::Number(1800.0), Optional "After how many seconds it is ended.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Process "process" "process" Workspace Runs "See, feed or end the commands that run in the background." {
        action "action" ProcessAction = ArgumentShape::Word(ProcessAction::WORDS, "list"), Required "What to do.";
        session_id "sessionId" Option<String> = ArgumentShape::Given, Optional "Which command; exec gave its id.";
        input "input" Option<String> = ArgumentShape::Given, Optional "What to write to it.";
        offset "offset" Number = ArgumentShape::Number(0.0), Optional "The first line of its output to show, counted from 0.";
        limit "limit" Number = ArgumentShape::Number(200.0), Optional "How many lines at most.";
        timeout_ms "timeoutMs" Number = ArgumentShape::Number(0.0), Optional "How long to wait for news of it, in milliseconds.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    MemorySearch "memory_search" "memory_search" Memory Reads "Search the notes in MEMORY.md and memory/*.md." {
        query "query" String = EMPTY, Required "Words to look for.";
        max_results "maxResults" Number = ArgumentShape::Number(6.0), Optional "How many results at most.";
        min_score "minScore" Number = ArgumentShape::Number(0.2), Optional "How well a result must fit, from 0 to 1.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    MemoryGet "memory_get" "memory_get" Memory Reads "Read lines of MEMORY.md or of a file in memory/." {
        path "path" String = EMPTY, Required "The file, as memory_search names it.";
        from "from" Number = ArgumentShape::Number(1.0), Optional "The first line, counted from 1.";
        lines "lines" Number = ArgumentShape::Number(120.0), Optional "How many lines at most.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    RequestHumanAuth "request_human_auth" "request_human_auth" Human Asks "Ask a person to allow something, or for something that only a person has. Waits for the answer." {
        capability "capability" Capability = ArgumentShape::Word(Capability::WORDS, "unknown"), Required "What is asked for.";
        instruction "instruction" String = ArgumentShape::Text("Human authorization is required to continue."), Required "What the person is to do.";
        timeout_sec "timeoutSec" Number = ArgumentShape::Number(300.0), Optional "After how many seconds to stop waiting.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
        ui_template "uiTemplate" Option<Map<String, Value>> = ArgumentShape::Object, Optional "What the page looks like: title, summary, fields, labels.";
        template_path "templatePath" Option<String> = ArgumentShape::Trimmed, Optional "A file of the workspace with such a description.";
    }
    Wait "wait" "wait" Loop Safe "Wait until the screen has settled." {
        duration_ms "durationMs" Number = ArgumentShape::Number(1000.0), Optional "How long, in milliseconds.";
        reason "reason" Option<String> = ArgumentShape::Given, Optional "Why, in a few words.";
    }
    Finish "finish" "finish" Loop Safe "Say that the task is done, and end it." {
        message "message" String = ArgumentShape::Text("Task finished."), Required "What was done, for the person who gave the task.";
    }
}
