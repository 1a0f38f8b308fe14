//! `app_process`: runs a class of a file that a client has pushed.
//!
//! The phone runs no such code. One server it knows by name and does instead;
//! of any other it says what a phone says when the file has no such class, so
//! that clients fall back to what needs no server.

use super::answer::CommandResult;
use crate::handset::Handset;
use crate::uiautomator2;
use clawperator_userland::{Call, ExitResult};

const CLASS_PATH: &str = "-Djava.class.path=";

/// Where a zip has its list of contents, in the last bytes of a file.
const ZIP_END: &[u8] = b"PK\x05\x06";
const ZIP_TAIL: usize = 64 << 10;

/// Tells whether a file is the server: by its name, and a zip must be whole.
fn is_server(call: &Call, file: &str) -> bool {
    let path = call.path(file);
    let content = call.files(|files, actor| files.read(actor, &path));
    let Ok(content) = content else { return false };
    let tail = &content[content.len().saturating_sub(ZIP_TAIL)..];
    let whole = !content.starts_with(b"PK") || tail.windows(ZIP_END.len()).any(|four| four == ZIP_END);
    file.ends_with(uiautomator2::JAR) && !content.is_empty() && whole
}

pub(super) async fn app_process(handset: &Handset, call: &mut Call) -> ExitResult {
    let mut path = call.env.get("CLASSPATH").cloned();
    let mut words = Vec::new();
    for word in call.args.iter().skip(1) {
        match word.strip_prefix(CLASS_PATH) {
            Some(given) if words.is_empty() => path = Some(given.to_owned()),
            // The virtual machine's own options stand before the folder.
            _ if words.is_empty() && word.starts_with('-') => {}
            _ => words.push(word.clone()),
        }
    }
    // The folder comes first, then more options, then the class.
    let class = words.iter().skip(1).position(|word| !word.starts_with("--")).map(|at| at + 1);
    let Some(at) = class else {
        let usage = "Usage: app_process [java-options] cmd-dir start-class-name [options]\n";
        return CommandResult::wrong(1, usage).give(call).await;
    };
    let files = path.as_deref().unwrap_or_default().split(':');
    if words[at] == uiautomator2::CLASS && files.into_iter().any(|file| is_server(call, file)) {
        return uiautomator2::run(handset, call, &words[at + 1..]).await;
    }
    let class = &words[at];
    let text = format!(
        "Error: Could not find or load main class {class}\njava.lang.ClassNotFoundException: Didn't find class \"{class}\" on path: DexPathList[[{}]]\nAborted\n",
        path.unwrap_or_default()
    );
    CommandResult::wrong(1, text).give(call).await
}
