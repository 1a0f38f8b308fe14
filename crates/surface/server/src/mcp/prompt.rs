//! The prompt that teaches the loop.

use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

const NAME: &str = "drive-phone";

/// What it says before the task.
const LOOP: &str = "You drive an Android phone with the tools of clawperator.\n\
    1. Call observe once. Each line is one element: ref, role, label, value, state. Indented lines are inside the \
    one above.\n\
    2. Call act with every step that you are sure of, in order. Use refs (@e7); use exact texts for elements of \
    screens that you have not seen. To reach something further down a list, tap it with direction: down.\n\
    3. Read the answer: + is new, ~ changed, - gone. It is the current screen, so do not observe again. Check that \
    it shows what you wanted.\n\
    4. On an error, read code, hint, candidates and dispatched. dispatched: no means that nothing was sent; \
    otherwise look at the screen before you repeat anything. REF_STALE: use the refs of the view below the error.\n\
    5. Ask the user before you pay, send, delete or agree to anything that the task does not name.\n\
    6. Stop when the screen proves that the task is done, and say what it shows.";

pub(super) fn list() -> Vec<Prompt> {
    let task = PromptArgument::new("task").with_description("What to do on the phone.");
    let about = "How to drive the phone: look once, act, read what changed.";
    vec![Prompt::new(NAME, Some(about), Some(vec![task]))]
}

pub(super) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    if request.name != NAME {
        return Err(ErrorData::invalid_params(format!("the only prompt is {NAME}"), None));
    }
    let arguments = request.arguments.as_ref();
    let task = arguments.and_then(|arguments| arguments.get("task")).and_then(Value::as_str);
    let text = task.map_or_else(|| LOOP.to_owned(), |task| format!("{LOOP}\n\nThe task: {task}"));
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
