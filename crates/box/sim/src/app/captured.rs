//! Elements of a screen as a dump told them: at fixed places, with fixed words.

use super::effect::Effect;
use clawperator_ui::Flag;
use schemars::JsonSchema;
use serde::Deserialize;

/// One element. They stand in reading order, each so many levels down.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Captured {
    /// How many levels down; the first is at 0.
    #[serde(default)]
    pub depth: u16,
    /// Its place in pixels: left, top, right, bottom.
    pub at: [i32; 4],
    /// Its class.
    #[serde(default)]
    pub class: String,
    /// Its resource id, whole.
    #[serde(default)]
    pub id: String,
    /// What it says; braces mean nothing here.
    #[serde(default)]
    pub text: String,
    /// What a screen reader says.
    #[serde(default)]
    pub desc: String,
    /// The package it belongs to, if not the app's.
    pub package: Option<String>,
    /// Its place among its siblings, if not the one in this list.
    pub index: Option<i32>,
    /// What it can do and what state it is in.
    #[serde(default)]
    pub flags: Vec<CapturedFlag>,
    /// What a click does.
    pub on_click: Option<Vec<Effect>>,
    /// What a long click does.
    pub on_long_click: Option<Vec<Effect>>,
    /// What happens when a finger pulls it.
    pub on_scroll: Option<Vec<Effect>>,
    /// Whether it is pulled sideways.
    #[serde(default)]
    pub sideways: bool,
}

macro_rules! flags {
    ($($name:ident)+) => {
        /// What an element can do or what state it is in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum CapturedFlag { $($name,)+ }

        impl From<CapturedFlag> for Flag {
            fn from(flag: CapturedFlag) -> Self {
                match flag { $(CapturedFlag::$name => Self::$name,)+ }
            }
        }
    };
}

flags! { Checkable Checked Clickable Enabled Focusable Focused Scrollable LongClickable Password Selected }
