//! The step log: what `record parse` makes of a recording.

use crate::event::{RecordedAct, Recording, SCHEMA_VERSION, Sides};
use clawperator_contract::Number;
use serde::Serialize;

/// A recording as steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepLog {
    pub session_id: String,
    pub schema_version: Option<Number>,
    pub steps: Vec<LoggedStep>,
    /// What is odd about the recording.
    #[serde(rename = "_warnings", skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One step of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LoggedStep {
    /// The first window is the app that was opened.
    #[serde(rename_all = "camelCase")]
    OpenApp {
        /// Its place in the recording.
        seq: Number,
        package_name: String,
        ui_state_before: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    Click {
        /// Its place in the recording.
        seq: Number,
        package_name: String,
        resource_id: Option<String>,
        text: Option<String>,
        /// What a screen reader said of it.
        content_desc: Option<String>,
        bounds: Sides,
        ui_state_before: Option<String>,
    },
}

impl From<&Recording> for StepLog {
    fn from(recording: &Recording) -> Self {
        let mut warnings = recording.warnings.clone();
        let mut steps = Vec::new();
        let mut opened = false;
        for event in &recording.events {
            let (seq, ui_state_before) = (event.seq, event.snapshot.clone());
            match &event.act {
                RecordedAct::WindowChange(act) if !opened => {
                    opened = true;
                    steps.push(LoggedStep::OpenApp {
                        seq,
                        package_name: act.package.clone(),
                        ui_state_before,
                    });
                }
                RecordedAct::Click(act) => {
                    steps.push(LoggedStep::Click {
                        seq,
                        package_name: act.package.clone(),
                        resource_id: act.resource_id.clone(),
                        text: act.text.clone(),
                        content_desc: act.content_desc.clone(),
                        bounds: act.bounds,
                        ui_state_before,
                    });
                }
                RecordedAct::Scroll(_) => {
                    warnings.push(format!("seq {seq}: the step log has no scroll; left out"));
                }
                RecordedAct::WindowChange(_) | RecordedAct::TextChange(_) | RecordedAct::PressKey(_) => {}
            }
        }
        Self {
            session_id: recording.header.session_id.clone(),
            schema_version: Number::new(SCHEMA_VERSION),
            steps,
            warnings,
        }
    }
}

impl LoggedStep {
    /// The step in a line, for people.
    pub fn summary(&self) -> String {
        let (seq, kind, rest) = match self {
            Self::OpenApp { seq, package_name, .. } => (seq, "open_app", one_line(package_name)),
            Self::Click { seq, resource_id, text, content_desc, .. } => {
                let said = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
                let parts = [
                    said(text).map(|text| format!("text={text:?}")),
                    said(resource_id).map(|id| format!("resourceId={}", one_line(&id))),
                    said(content_desc).map(|text| format!("contentDesc={text:?}")),
                ];
                let parts: Vec<_> = parts.into_iter().flatten().collect();
                let rest = if parts.is_empty() { "(no selector)".to_owned() } else { parts.join(" ") };
                (seq, "click", rest)
            }
        };
        format!("[{seq}] {kind:<10} {rest}")
    }
}

fn one_line(text: &str) -> String {
    text.escape_debug().to_string()
}
