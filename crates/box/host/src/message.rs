//! What is asked of a phone's process, and what it answers: one line of JSON each way.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What can be asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HostRequest {
    Hello,
    Status {
        phone: String,
    },
    Stop {
        phones: Vec<String>,
    },
    /// What a phone shows, all of one moment.
    Screen {
        phone: String,
        /// What else than its size is wanted.
        want: Vec<Want>,
        /// How wide the text for a terminal is to be.
        columns: u16,
    },
    /// What goes wrong on a phone; with a plan, that from now on.
    Faults {
        phone: String,
        plan: Option<Vec<String>>,
    },
    /// To move a phone's virtual time on.
    Advance {
        phone: String,
        ms: u64,
    },
    /// To install the apps of an app file, and to show a screen of one of them.
    Show {
        phone: String,
        world: PathBuf,
        package: String,
        activity: String,
        /// How large the screen is to be, as it is turned.
        size: (i32, i32),
        /// How it is turned, in quarter turns.
        rotation: u8,
    },
    /// To touch a phone with a finger.
    Finger {
        phone: String,
        words: Vec<String>,
    },
}

/// A form that a screen comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Want {
    /// A PNG file, in base64.
    Png,
    Tree,
    Terminal,
}

/// What a phone shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhoneScreen {
    pub width: u32,
    pub height: u32,
    pub window: Option<String>,
    pub png: Option<String>,
    pub tree: Option<String>,
    pub terminal: Option<String>,
}
