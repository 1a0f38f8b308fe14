//! What a tool says: the view, or what went wrong in a few lines.

use super::argument::ArgumentMistake;
use super::tool::Belongs;
use clawperator_contract::{DataKey, DeviceResult, ErrorCode, Failure, StepResult};
use rmcp::model::{CallToolResult, ContentBlock};

/// Who reads of a failure.
#[derive(Clone, Copy, Debug)]
pub enum FailureReader<'c> {
    CommandLine,
    /// With its own word for the step that failed; empty if it sent one only.
    Agent(&'c str),
}

/// How many problems with arguments are listed.
const MAX_PROBLEMS: usize = 5;

/// Why a tool has no answer.
#[derive(Debug)]
pub(super) enum ToolTrouble {
    /// The arguments are wrong; nothing was sent.
    Mistake(ArgumentMistake),
    Failure(Box<Failure>),
    Said(String),
}

/// What a tool answers, or why it does not.
pub(super) type ToolResult<T = CallToolResult> = Result<T, ToolTrouble>;

impl From<ArgumentMistake> for ToolTrouble {
    fn from(mistake: ArgumentMistake) -> Self {
        Self::Mistake(mistake)
    }
}

impl<F: Into<Failure>> From<F> for ToolTrouble {
    fn from(failure: F) -> Self {
        Self::Failure(Box::new(failure.into()))
    }
}

impl ToolTrouble {
    /// The same for a caller that may have no session to choose a phone for.
    pub(super) fn for_caller(mut self, belongs: Belongs) -> Self {
        if let (Self::Failure(failure), Belongs::ToNothing) = (&mut self, belongs)
            && failure.code == ErrorCode::MultipleDevices
        {
            let text = failure_text(failure, Some("Name one as device in each call."));
            return Self::Said(text);
        }
        self
    }

    pub(super) fn into_result(self) -> CallToolResult {
        error(self.into_text())
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Self::Mistake(mistake) => format!("EXECUTION_VALIDATION_FAILED: {mistake}"),
            Self::Failure(failure) => {
                let names = failure.details.iter().flat_map(|details| &details.connected);
                let names: Vec<_> = names.map(|name| format!(r#"device {{"use":"{name}"}}"#)).collect();
                let running = format!("A simulated phone runs: {}.", names.join(" or "));
                let is_running = is_without(failure.code) && !names.is_empty();
                let hint = if is_running { Some(running.as_str()) } else { hint(failure.code) };
                failure_text(&failure, hint)
            }
            Self::Said(text) => text,
        }
    }
}

pub(super) fn text(text: impl Into<String>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // It is the default, and costs every answer four tokens.
    result.is_error = None;
    result
}

pub(super) fn error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// What went wrong in an execution of one step.
pub(super) fn failed_step(result: &DeviceResult) -> CallToolResult {
    error(failed_run_text(result, 0, 1, FailureReader::Agent("")))
}

/// A failure without an envelope: code, message, problems, hint, and what may
/// have been sent. A hint of the caller's own goes before the usual one.
pub(super) fn failure_text(failure: &Failure, hint: Option<&str>) -> String {
    let mut lines = vec![format!("{}: {}", failure.code, failure.message)];
    let Some(details) = failure.details.as_deref() else {
        return lines.remove(0);
    };
    for problem in details.problems.iter().take(MAX_PROBLEMS) {
        lines.push(format!("{} {}", problem.path, problem.message));
        lines.extend(problem.hint.iter().map(|hint| format!("hint: {hint}")));
    }
    if details.problems.is_empty() {
        let usual = details.hint.as_deref().map(for_person);
        let hint = hint.map(str::to_owned).or(usual);
        lines.extend(hint.map(|hint| format!("hint: {hint}")));
    }
    let phones = details.devices.iter().chain(&details.connected);
    let phones: Vec<&str> = phones.map(String::as_str).collect();
    if !phones.is_empty() {
        lines.push(format!("phones: {}", phones.join(", ")));
    }
    if !details.step_results.is_empty() {
        lines.push(format!("steps done: {}", details.step_results.len()));
    }
    lines.extend(details.dispatched.iter().map(|word| format!("dispatched: {word}")));
    lines.join("\n")
}

/// Whether a failure says that adb has no phone.
fn is_without(code: ErrorCode) -> bool {
    use ErrorCode::{AdbNotFound, AdbServerFailed, NoDevices};
    matches!(code, AdbNotFound | AdbServerFailed | NoDevices)
}

/// What an agent can do where the usual hint is for a command line.
fn hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        code if is_without(code) => Some("device with start: true gives you a simulated phone."),
        ErrorCode::MultipleDevices => Some("Choose a phone: device with use."),
        ErrorCode::DeviceNotFound | ErrorCode::DeviceOffline => {
            Some("device lists the phones; choose one that is device, or idle in a pool.")
        }
        ErrorCode::ExecutionConflict => Some("Wait until it ends, then send the same again."),
        ErrorCode::SnapshotExtractionFailed => {
            Some("observe with picture shows the screen; key back leaves the page.")
        }
        ErrorCode::ApprovalRequired => {
            Some("The user is asked; approval with this id says what they decided. Then send the same again.")
        }
        ErrorCode::SkillNotFound => Some("skill with search lists the skills."),
        ErrorCode::AppNotStarted | ErrorCode::AppNotClosed => {
            Some("device with apps: true lists the apps that can be opened.")
        }
        ErrorCode::NodeCovered => {
            Some("Act on what covers it, or close that first; force: true touches all the same.")
        }
        ErrorCode::RefStale => Some("Use a ref of the newest view, or find the element again."),
        ErrorCode::NodeNotFound => {
            Some("Compare on or match with the view; scroll, or find with off_screen, looks further.")
        }
        ErrorCode::EffectNotConfirmed | ErrorCode::ScreenChanged => {
            Some("Read what the screen shows now before you act again.")
        }
        _ => None,
    }
}

/// A hint that names a command says whom it is for: an agent has no command line.
fn for_person(hint: &str) -> String {
    let is_command = hint.contains("clawperator ") || hint.contains("--");
    let whom = if is_command { "for a person at the computer: " } else { "" };
    format!("{whom}{hint}")
}

/// The same failure, with the places in the arguments of `act` instead of those in
/// the payload that was made of them.
pub(super) fn in_arguments(mut failure: Failure) -> Failure {
    let problems = failure.details.iter_mut().flat_map(|details| &mut details.problems);
    for problem in problems {
        let path = problem.path.replacen("actions.", "steps.", 1);
        problem.path = path.replace(".params.matcher", ".match").replace(".params.", ".");
    }
    failure
}

/// What went wrong in an execution that ran: code, message, candidates, nearest elements, hint, and
/// whether something was sent. So many steps of all were done before.
pub fn failed_run_text(
    result: &DeviceResult,
    done: usize,
    steps: usize,
    caller: FailureReader<'_>,
) -> String {
    let envelope = &result.envelope;
    let failed = envelope.step_results.iter().find(|step| !step.success);
    let code = envelope.error_code.as_deref().unwrap_or("FAILED");
    // The whole of it says how many steps there are, and which were done.
    let whole = envelope.error.as_deref().filter(|_| matches!(caller, FailureReader::CommandLine));
    let message = whole.or_else(|| why(result)).unwrap_or("a step failed");
    let place = failed.filter(|_| steps > 1).and_then(|step| match caller {
        FailureReader::Agent(word) if !word.is_empty() => Some(word),
        FailureReader::Agent(_) => Some(step.action_type.as_str()),
        FailureReader::CommandLine => None,
    });
    let place = place.map(|word| format!(" (step {} of {steps}, {word})", done + 1));
    let mut lines = vec![format!("{code}: {message}{}", place.unwrap_or_default())];
    if let Some(step) = failed {
        lines.extend(about(step));
    }
    let usual = envelope.hint.as_deref();
    let candidates = failed.and_then(|step| step.get(DataKey::Candidates));
    let candidates = candidates.map(|_| "Name one of the candidates by its ref.".to_owned());
    let hint = candidates.or_else(|| match caller {
        FailureReader::Agent(_) => {
            ErrorCode::from_name(code).and_then(hint).map(str::to_owned).or_else(|| usual.map(for_person))
        }
        FailureReader::CommandLine => usual.map(str::to_owned),
    });
    lines.extend(hint.map(|hint| format!("hint: {hint}")));
    lines.join("\n")
}

/// A failure with the screen below it: who has it needs no hint to look.
pub fn with_screen(failure: &str, screen: &str) -> String {
    let is_look = |line: &&str| line.starts_with("hint: ") && line.contains("snapshot");
    let lines = failure.lines().filter(|line| !is_look(line));
    let lines: Vec<_> = lines.chain(["the screen now:", screen]).collect();
    lines.join("\n")
}

/// What the step that failed says, or else the whole.
pub(super) fn why(result: &DeviceResult) -> Option<&str> {
    let failed = result.envelope.step_results.iter().find(|step| !step.success);
    failed.and_then(|step| step.get(DataKey::Message)).or(result.envelope.error.as_deref())
}

/// What a failed step tells of the elements it saw, and of its effect.
fn about(step: &StepResult) -> impl Iterator<Item = String> {
    [
        (DataKey::Candidates, "candidates"),
        (DataKey::Nearest, "nearest"),
        (DataKey::StandsThere, "there now"),
        (DataKey::ActualText, "the field shows"),
        (DataKey::ForegroundPackage, "app in front"),
        (DataKey::InTheWay, "in the way"),
        (DataKey::Dispatched, "dispatched"),
    ]
    .into_iter()
    .filter_map(|(key, word)| Some(format!("{word}: {}", step.get(key)?)))
    .chain(toasts(step))
}

/// The toasts that a step saw: its own, and those of what was done before.
fn toasts(step: &StepResult) -> impl Iterator<Item = String> {
    let age = step.get(DataKey::ToastsAgeMs);
    let age = age.map_or(String::new(), |ms| format!(" (at most {ms} ms ago)"));
    [(DataKey::Toasts, "toasts"), (DataKey::EarlierToasts, "earlier toasts")]
        .into_iter()
        .filter_map(move |(key, word)| Some(format!("{word}: {}{age}", step.get(key)?)))
}

/// How often a step was done, where that was asked for, and how far it got.
fn times(step: &StepResult) -> impl Iterator<Item = String> {
    let at_end = step.get(DataKey::ScrollOutcome) == Some("edge_reached");
    let times = step.get(DataKey::Times).map(|times| match times {
        "0" if at_end => "nothing moved".to_owned(),
        "0" => "not done: what until names is there already".to_owned(),
        "1" => "done once".to_owned(),
        _ => format!("done {times} times"),
    });
    let end = match step.get(DataKey::ScrollOutcome) {
        Some("edge_reached") => Some("the end is reached".to_owned()),
        Some("unknown") => Some("the tree does not show whether it moved: take a picture".to_owned()),
        _ => None,
    };
    let is_hidden = step.success && step.get(DataKey::Submit).is_some() && step.get(DataKey::Text).is_none();
    let typed = is_hidden.then(|| "typed; what it says is hidden".to_owned());
    let clicked = step.get(DataKey::ClickAfter) == Some("true");
    let clicked = clicked.then(|| "clicked".to_owned());
    times.into_iter().chain(end).chain(typed).chain(clicked)
}

/// What is odd about the steps of a run, a line each.
pub fn notes(steps: &[StepResult]) -> Vec<String> {
    const ODD: [DataKey; 5] = [
        DataKey::SelectionWarning,
        DataKey::TouchWarning,
        DataKey::NotClickable,
        DataKey::LeftOut,
        DataKey::MemoryWarning,
    ];
    let odd = steps.iter().flat_map(|step| ODD.map(|key| step.get(key)));
    let odd = odd.flatten().map(|text| format!("({text})"));
    let times = steps.iter().flat_map(times);
    let last = steps.iter().rposition(|step| step.get(DataKey::View).is_none());
    let changes = steps.iter().enumerate().flat_map(|(number, step)| {
        let keys = [DataKey::Keyboard, DataKey::Resumed, DataKey::Confirmed];
        // A keyboard that an earlier step closed is of no use any more.
        let counts = |key: &DataKey| *key != DataKey::Keyboard || last == Some(number);
        let said = keys.map(|key| Some((key, step.get(key)?)).filter(|_| counts(&key)));
        said.into_iter().flatten().map(|(key, text)| format!("{}: {text}", key.name()))
    });
    odd.chain(times).chain(changes).chain(steps.iter().flat_map(toasts)).collect()
}

/// A value of the last step.
pub(super) fn last(result: &DeviceResult, key: DataKey) -> Option<&str> {
    result.envelope.step_results.last()?.get(key)
}

/// Whether an execution ended with a screen that could not be read.
pub(super) fn is_unread(result: &DeviceResult) -> bool {
    last(result, DataKey::Error) == Some(ErrorCode::SnapshotExtractionFailed.name())
}
