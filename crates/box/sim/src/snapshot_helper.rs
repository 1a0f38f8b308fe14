//! The helper app that agent-device installs: an instrumentation that prints
//! the tree of the screen and moves fingers.
//!
//! It is what the phone does instead of running that app's code. It answers
//! once, through `am instrument`, or serves a port until it gets a quit request.

mod answer;
mod session;

use crate::handset::Handset;
use crate::instrumentation::Instrumentation;
use answer::{HelperRequest, SnapshotAnswer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_userland::{Call, ExitResult, OutputError, Write};
use std::collections::BTreeMap;

/// The app, and the instrumentation in it.
pub(crate) const PACKAGE: &str = "com.callstack.agentdevice.snapshothelper";
pub(crate) const CLASS: &str = "com.callstack.agentdevice.snapshothelper.SnapshotInstrumentation";
const PROTOCOL: &str = "android-snapshot-helper-v1";
const FORMAT: &str = "uiautomator-xml";
/// How much XML one line of a status carries.
const CHUNK: usize = 8 << 10;
/// How an instrumentation ends, as `am` prints it.
const RESULT_OK: i8 = -1;
const RESULT_CANCELED: i8 = 0;

/// What `am instrument` was given with `-e`.
pub(crate) type Extras = BTreeMap<String, String>;

pub(crate) async fn run(handset: &Handset, call: &mut Call, extras: &Extras) -> ExitResult {
    let Some(running) = Instrumentation::start(handset, PACKAGE, format!("{PACKAGE}/{CLASS}")) else {
        let taken =
            SnapshotAnswer::failure("java.lang.IllegalStateException", "UiAutomation is already registered");
        return finish(call, &taken).await;
    };
    if let Some(port) = extras.get("sessionPort") {
        return session::run(&running, call, port, extras).await;
    }
    let ask = match extras.get("mode").map(String::as_str) {
        None | Some("snapshot") => HelperRequest::Snapshot,
        Some("viewport") => HelperRequest::Viewport,
        Some("gesture") => HelperRequest::Gesture(extras.get("payloadBase64").cloned().unwrap_or_default()),
        Some(mode) => {
            let wrong = SnapshotAnswer::failure(
                "java.lang.IllegalArgumentException",
                &format!("Unsupported mode: {mode}"),
            );
            return finish(call, &wrong).await;
        }
    };
    let report = answer::answer(handset, &ask, extras).await;
    if let Some(xml) = &report.body {
        give_xml(call, xml, extras).await?;
    }
    finish(call, &report).await
}

/// Writes the tree to a file, to standard output in pieces, or both.
async fn give_xml(call: &mut Call, xml: &str, extras: &Extras) -> Result<(), OutputError> {
    if let Some(path) = extras.get("outputPath")
        && let Ok(file) = call.create(path, Write::Truncate)
    {
        file.write(xml.to_owned()).await?;
    }
    if extras.get("emitChunks").is_some_and(|word| word == "false") {
        return Ok(());
    }
    let pieces: Vec<_> = xml.as_bytes().chunks(CHUNK).collect();
    for (index, piece) in pieces.iter().enumerate() {
        let fields = [
            ("agentDeviceProtocol", PROTOCOL.to_owned()),
            ("helperApiVersion", answer::VERSION.to_owned()),
            ("outputFormat", FORMAT.to_owned()),
            ("chunkIndex", index.to_string()),
            ("chunkCount", pieces.len().to_string()),
            ("payloadBase64", STANDARD.encode(piece)),
        ];
        let lines = fields.map(|(name, value)| format!("INSTRUMENTATION_STATUS: {name}={value}\n"));
        call.out(format!("{}INSTRUMENTATION_STATUS_CODE: 1\n", lines.concat())).await?;
    }
    Ok(())
}

async fn finish(call: &mut Call, report: &SnapshotAnswer) -> ExitResult {
    let fields = report.fields.iter();
    let lines: String =
        fields.map(|(name, value)| format!("INSTRUMENTATION_RESULT: {name}={value}\n")).collect();
    let code = if report.ok { RESULT_OK } else { RESULT_CANCELED };
    call.out(format!("{lines}INSTRUMENTATION_CODE: {code}\n")).await?;
    Ok(0)
}
