//! The phone's shell.

use super::{ACT_TIME, act_failed, refusal};
use crate::result::{Dispatched, ToolError, ToolResult};
use clawperator_contract::{ErrorCode, text};
use clawperator_phone::{Deadline, PhoneLease};
use serde_json::json;

/// The most letters of each output that a model gets.
const MAX_LETTERS: usize = 3_000;
/// How much of a long output is its beginning; the rest is its end.
const HEAD: usize = 2_100;

pub(super) async fn run(lease: &mut PhoneLease, command: &str) -> ToolResult {
    let command = text::trim(command);
    if command.is_empty() {
        return refusal("There is no command to run.", "Send it in the argument command.");
    }
    let ran = match lease.shell(command, Deadline::after(ACT_TIME)).await {
        Ok(ran) => ran,
        Err(error) => return act_failed(lease, ErrorCode::DeviceShellUnavailable, &error),
    };
    let (out, err) = (shortened(&ran.out), shortened(&ran.err));
    let data = json!({"exitCode": ran.exit_code, "stdout": out.0, "stderr": err.0, "cut": out.1 || err.1});
    let said = [out.0.as_str(), err.0.as_str()].join("\n");
    let result = match ran.exit_code {
        Some(0) => ToolResult::success(format!("The command ended.\n{}", said.trim()).trim_end()),
        None => {
            let text = format!("The command ended; this phone tells no exit code.\n{}", said.trim());
            ToolResult::success(text.trim_end())
        }
        Some(code) => {
            let message = format!("The command ended with exit code {code}. {}", said.trim());
            ToolResult::failure(ToolError::new(ErrorCode::CommandFailed, message.trim_end()))
        }
    };
    result.with_data(data).with_dispatched(Dispatched::Yes)
}

/// A text that a model can read, and whether something was left out of it.
fn shortened(printed: &str) -> (String, bool) {
    let printed = printed.replace("\r\n", "\n");
    let printed = printed.trim_end();
    let letters = printed.chars().count();
    if letters <= MAX_LETTERS {
        return (printed.to_owned(), false);
    }
    let head: String = printed.chars().take(HEAD).collect();
    let tail: String = printed.chars().skip(letters - (MAX_LETTERS - HEAD)).collect();
    let left_out = letters - MAX_LETTERS;
    (format!("{head}\n[{left_out} letters are left out]\n{tail}"), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_its_ends() {
        let long = format!("start{}end", "é".repeat(5_000));
        let (shown, is_cut) = shortened(&long);
        assert!(is_cut && shown.starts_with("start") && shown.ends_with("end"));
        assert!(shown.contains("[2008 letters are left out]"), "{shown}");
        assert_eq!(shortened("a\r\nb\n"), ("a\nb".to_owned(), false));
    }
}
