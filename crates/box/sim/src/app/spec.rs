//! An app file, as it is written.

use super::captured::Captured;
use super::effect::{Effect, Reference};
use super::template::Template;
use super::value::AppState;
use super::widget::Widget;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// An app of the simulated phone: its screens, what it remembers, and what happens when.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Its package name.
    pub package: String,
    /// The name under its icon.
    pub label: String,
    /// Its version.
    #[serde(default)]
    pub version: Version,
    /// Whether it came with the phone.
    #[serde(default)]
    pub system: bool,
    /// Whether it is in front when the phone has started.
    #[serde(default)]
    pub front: bool,
    /// Its icon.
    #[serde(default)]
    pub icon: AppIcon,
    /// The permissions it asks for.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// Its services: what each is asked for as, and its class.
    #[serde(default)]
    pub services: BTreeMap<String, String>,
    /// Its receivers: the broadcast that each hears, and its class.
    #[serde(default)]
    pub receivers: BTreeMap<String, String>,
    /// Its providers: the authority of each, and its class.
    #[serde(default)]
    pub providers: BTreeMap<String, String>,
    /// What it knows while it runs, and what each name starts with.
    #[serde(default)]
    pub state: AppState,
    /// State that survives a restart; only clearing the app's data resets it.
    #[serde(default)]
    pub saved: AppState,
    /// What can be started from outside; the first one is its main activity.
    #[serde(default)]
    pub activities: Vec<Activity>,
    /// Which links and actions it opens.
    #[serde(default)]
    pub on_intent: Vec<IntentRule>,
    /// What it does when it hears a broadcast.
    #[serde(default)]
    pub on_broadcast: Vec<BroadcastRule>,
    /// What it does when its process starts.
    #[serde(default)]
    pub on_start: Vec<Effect>,
    /// Its screens.
    #[serde(default)]
    pub screens: BTreeMap<String, Screen>,
    /// Its dialogs.
    #[serde(default)]
    pub dialogs: BTreeMap<String, Dialog>,
    /// The keyboard it has, as `.Service`.
    pub keyboard: Option<Keyboard>,
    /// Commands it adds to the phone's shell.
    #[serde(default)]
    pub commands: Vec<Command>,
}

/// A version.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// As people read it.
    #[serde(default = "one")]
    pub name: String,
    /// As the phone compares it.
    #[serde(default = "first")]
    pub code: u32,
}

fn one() -> String {
    "1.0".to_owned()
}

fn first() -> u32 {
    1
}

impl Default for Version {
    fn default() -> Self {
        Self { name: one(), code: first() }
    }
}

/// An app's icon.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AppIcon {
    /// The picture in it, or a letter.
    pub symbol: String,
    /// Its colour.
    pub color: String,
}

impl Default for AppIcon {
    fn default() -> Self {
        Self { symbol: String::new(), color: "#607d8b".to_owned() }
    }
}

/// Something that can be started from outside.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// Its name, as `.MainActivity` or in full.
    pub name: String,
    /// The screen it shows first.
    #[schemars(with = "String")]
    pub screen: Reference,
    /// Whether it has an icon on the home screen.
    #[serde(default)]
    pub launcher: bool,
}

/// A link or action an app opens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntentRule {
    /// The action it must have.
    #[serde(default = "view")]
    pub action: String,
    /// The scheme its link must have.
    pub scheme: Option<String>,
    /// The host its link must have.
    pub host: Option<String>,
    /// The activity that is started, if not the main one.
    pub activity: Option<String>,
    /// The name that gets the link.
    pub into: Option<String>,
    /// What else happens.
    #[serde(default, rename = "do")]
    pub effects: Vec<Effect>,
}

fn view() -> String {
    "android.intent.action.VIEW".to_owned()
}

/// A broadcast an app hears.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BroadcastRule {
    /// Its action.
    pub action: String,
    /// Which of its extras go into which names.
    #[serde(default)]
    pub extras: BTreeMap<String, String>,
    /// What happens.
    #[serde(default, rename = "do")]
    pub effects: Vec<Effect>,
}

/// A screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent words of a file")]
pub struct Screen {
    /// The words in its bar; no bar without them.
    pub title: Option<Template>,
    /// The icons at the end of its bar.
    #[serde(default)]
    pub actions: Vec<Widget>,
    /// What it shows.
    #[serde(default)]
    pub body: Vec<Widget>,
    /// Its elements as they were on another phone, instead of all above.
    #[serde(default)]
    pub captured: Vec<Captured>,
    /// Widgets at the bottom that do not scroll.
    #[serde(default)]
    pub footer: Vec<Widget>,
    /// The round button over its lower corner.
    pub fab: Option<Widget>,
    /// Whether the body scrolls as a whole.
    #[serde(default)]
    pub scroll: bool,
    /// Whether no picture may be taken of it.
    #[serde(default)]
    pub secure: bool,
    /// Whether something on it is always animated.
    #[serde(default)]
    pub busy: bool,
    /// Whether it is written from right to left.
    #[serde(default)]
    pub rtl: bool,
    /// Whether the keyboard lies over it and leaves it as high as it is.
    #[serde(default)]
    pub under_keyboard: bool,
    /// Its colour.
    pub color: Option<Template>,
    /// The activity it is, if not the one that opened it.
    pub activity: Option<String>,
    /// What happens when it opens.
    #[serde(default)]
    pub on_open: Vec<Effect>,
    /// What back does instead of going back.
    pub on_back: Option<Vec<Effect>>,
    /// What happens while it is open.
    #[serde(default)]
    pub timers: Vec<Timer>,
}

/// Something that happens while a screen is open.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timer {
    /// How long after it opened.
    pub after_ms: u32,
    /// Whether again and again.
    #[serde(default)]
    pub repeat: bool,
    /// What.
    #[serde(rename = "do")]
    pub effects: Vec<Effect>,
}

/// A dialog.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dialog {
    /// Its first line.
    pub title: Option<Template>,
    /// What it says.
    pub message: Option<Template>,
    /// What else it shows.
    #[serde(default)]
    pub body: Vec<Widget>,
    /// Its buttons; a click on one takes the dialog away, then does more.
    #[serde(default)]
    pub buttons: Vec<DialogButton>,
    /// Whether back and a click beside it take it away.
    #[serde(default = "yes")]
    pub cancelable: bool,
}

fn yes() -> bool {
    true
}

/// A button of a dialog.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogButton {
    /// The words on it.
    pub text: Template,
    /// Its resource id, if not the usual one.
    pub id: Option<Template>,
    /// What it does.
    #[serde(default, rename = "do")]
    pub effects: Vec<Effect>,
}

/// A keyboard.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyboard {
    /// Its service, as `.LatinIME`.
    pub service: String,
    /// The broadcasts it takes text from, as base64 or as it is.
    #[serde(default)]
    pub broadcasts: Vec<KeyboardBroadcast>,
}

/// A broadcast that types.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyboardBroadcast {
    /// Its action.
    pub action: String,
    /// What it does.
    pub does: KeyboardAct,
    /// The extra with the text or number.
    #[serde(default)]
    pub extra: String,
}

/// What a broadcast makes a keyboard do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyboardAct {
    /// Types the extra as it is.
    Text,
    /// Types the extra, which is base64.
    Base64,
    /// Empties the field.
    Clear,
    /// Presses the key of that number.
    Key,
}

/// A command of the phone's shell.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it prints; `args` are its words and `arg1`, `arg2`, … each.
    #[serde(default)]
    pub prints: Template,
    /// What it prints on standard error.
    #[serde(default)]
    pub complains: Template,
    /// How it ends.
    #[serde(default)]
    pub exit: u8,
    /// What it does.
    #[serde(default, rename = "do")]
    pub effects: Vec<Effect>,
}
