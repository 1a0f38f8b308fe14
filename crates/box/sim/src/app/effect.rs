//! What an app does when something happens to it.

use super::expression::Expression;
use super::template::Template;
use super::value::Value;
use clawperator_document::yaml::Spanned;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The name of a screen or dialog, with its position in the file.
pub type Reference = Spanned<String>;

/// One thing an app does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Gives names of the state new values; `system.x`, `secure.x` and
    /// `global.x` are the phone's settings.
    Set(BTreeMap<String, NewValue>),
    /// Turns a flag over.
    Toggle(String),
    /// Puts values at the end of lists.
    Append(BTreeMap<String, NewValue>),
    /// Takes the value of that number out of a list.
    Remove(BTreeMap<String, Expression>),
    /// Goes to a screen; back leads here again.
    Open(#[schemars(with = "String")] Reference),
    /// Goes to a screen; back does not lead here.
    Replace(#[schemars(with = "String")] Reference),
    /// Goes back one screen.
    Back,
    /// Closes the app.
    Finish,
    /// Goes to the home screen.
    Home,
    /// Shows a dialog.
    Show(#[schemars(with = "String")] Reference),
    /// Takes the dialog away.
    Dismiss,
    /// Shows a message for a moment, over everything.
    Toast(Template),
    /// Shows a message for a moment, at the bottom of the screen.
    Snackbar(Snackbar),
    /// Shows a bubble over every app, until it is taken away.
    Overlay(Overlay),
    /// Takes the bubble away.
    HideOverlay,
    /// Starts another app, or a link.
    Start(Start),
    /// Tells every app something.
    Broadcast(Broadcast),
    /// Puts a notification into the shade.
    Notify(Notify),
    /// Does something later.
    AfterMs(After),
    /// Gives a name a value later: what loading looks like.
    Load(Load),
    /// One thing or another.
    If(Choice),
    /// Goes wrong.
    Fail(Failure),
    /// Writes a line into the phone's log.
    Log(LogLine),
    /// Asks the user for a permission.
    Permission(PermissionRequest),
    /// Puts text into the clipboard.
    Clipboard(Template),
    /// Gives a field the focus.
    Focus(String),
    /// Takes the keyboard away.
    HideKeyboard,
    /// Scrolls a list to a row.
    Scroll(ScrollTo),
}

/// A value to be: text may have expressions in it, and an expression alone keeps its type.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NewValue {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// Text with expressions.
    Text(Template),
    /// Values in a row.
    List(Vec<NewValue>),
    /// Values with names.
    Record(BTreeMap<String, NewValue>),
}

/// A message at the bottom of the screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snackbar {
    /// What it says.
    pub text: Template,
    /// The word on its button.
    pub action: Option<Template>,
    /// What the button does.
    #[serde(default, rename = "do")]
    pub effects: Vec<Effect>,
}

/// A bubble over every app.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// What it says.
    pub text: Template,
    /// What a click on it does.
    #[serde(default, rename = "do")]
    pub effects: Vec<Effect>,
}

/// What to start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The app.
    pub package: Option<Template>,
    /// Which of its activities; its launcher activity if not given.
    pub activity: Option<Template>,
    /// The intent's action.
    pub action: Option<Template>,
    /// The intent's link.
    pub uri: Option<Template>,
}

/// What to tell every app.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Broadcast {
    /// The action.
    pub action: Template,
    /// What comes with it.
    #[serde(default)]
    pub extras: BTreeMap<String, Template>,
}

/// A notification.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// Its first line.
    pub title: Template,
    /// What it says.
    pub text: Template,
}

/// Something later.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// How much later.
    pub ms: u32,
    /// What.
    #[serde(rename = "do")]
    pub effects: Vec<Effect>,
}

/// A value that comes later.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The name that gets it.
    pub into: String,
    /// The value.
    pub value: NewValue,
    /// When.
    pub after_ms: u32,
}

/// One thing or another.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What decides.
    pub when: Expression,
    /// What to do if so.
    #[serde(default)]
    pub then: Vec<Effect>,
    /// What to do if not.
    #[serde(default)]
    pub r#else: Vec<Effect>,
}

/// How an app fails.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// It ends, with a stack trace in the log and a dialog.
    Crash(Template),
    /// It hangs, and the phone asks whether to wait.
    NotResponding,
}

/// A line for the log.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogLine {
    /// Who says it.
    pub tag: String,
    /// How bad it is: V, D, I, W, E or F.
    #[serde(default = "info")]
    pub level: String,
    /// What it says.
    pub text: Template,
}

fn info() -> String {
    "I".to_owned()
}

/// A question for a permission.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionRequest {
    /// The permission, such as `android.permission.CAMERA`.
    pub name: String,
    /// What to do when it is granted, or was before.
    #[serde(default)]
    pub granted: Vec<Effect>,
    /// What to do when it is not.
    #[serde(default)]
    pub denied: Vec<Effect>,
}

/// Where to scroll to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrollTo {
    /// The list's id.
    pub id: String,
    /// The row.
    pub row: Expression,
}

impl NewValue {
    /// What it is now.
    pub fn value(&self, names: &dyn super::expression::Names) -> Value {
        match self {
            Self::Flag(flag) => Value::Flag(*flag),
            Self::Number(number) => Value::Number(*number),
            Self::Text(template) => template.value(names),
            Self::List(list) => Value::List(list.iter().map(|value| value.value(names)).collect()),
            Self::Record(record) => {
                let fields = record.iter().map(|(name, value)| (name.clone(), value.value(names)));
                Value::Record(fields.collect())
            }
        }
    }
}
