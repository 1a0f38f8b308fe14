//! Tries what the other files take for granted of a phone's shell, before an execution needs it.
//! Nothing is touched, and nothing stays on the phone.

use super::foreground::KEYGUARD;
use super::guard::{Precondition, not_done};
use super::script::{LISTENS, Script, TRY_GUARD, TRY_TOOLS};
use super::{CommandAnswer, CommandKind, CommandLine, DispatchState, Phone, PhoneError};
use clawperator_adb::{Deadline, FileTarget, Transfer};
use std::time::Duration;
use tokio::time::Instant;

/// What came of trying something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// It works as we take it to, and how well.
    Holds(String),
    /// What is missing.
    Fails(String),
    /// Why it could not be tried.
    Unknown(String),
}

/// The file that goes to the phone and back.
const FILE: &str = "/data/local/tmp/clawperator-trial";
/// What has letters of one to four bytes.
const LETTERS: &str = "a é 漢 😀";
/// What our own lines print before what they found, and at their end.
const GUARD: &str = "clawperator: guard: ";
const TRIED: &str = "clawperator: tried";
/// Longer round trips than this make every step slow.
const SLOW: Duration = Duration::from_secs(1);

impl Phone {
    /// Runs all of a touch but the touch: does the phone say what our check compares?
    pub async fn try_guard(&self, deadline: Deadline) -> Trial {
        let answer = match self.try_script(Precondition::OnScreen.script(TRY_GUARD), deadline).await {
            Ok(answer) => answer,
            Err(error) => return unknown(&error),
        };
        if let Some(PhoneError::Locked { lock, .. }) = not_done(&answer, DispatchState::No) {
            return Trial::Holds(format!("it keeps touches away, since {lock}"));
        }
        let Some(state) = answer.lines().find_map(|line| line.strip_prefix(GUARD)) else {
            return Trial::Fails(format!(
                "the check does not come to its end: {:?}",
                answer.refusal().to_string()
            ));
        };
        let mut told = state.split(',');
        let mut missing = Vec::new();
        for what in ["how large the screen is", "how it is turned", "which window is in front"] {
            if told.next().is_none_or(str::is_empty) {
                missing.push(what);
            }
        }
        if !KEYGUARD.iter().any(|key| answer.says(key)) {
            missing.push("whether it is locked");
        }
        if !answer.says("mWakefulness=") {
            missing.push("whether its screen is on");
        }
        if missing.is_empty() {
            return Trial::Holds("it says what is in front before every touch".to_owned());
        }
        Trial::Fails(format!("it does not say {}; touches are not checked for that", missing.join(", ")))
    }

    /// Looks for the commands and options that our lines need.
    pub async fn try_tools(&self, deadline: Deadline) -> Trial {
        let script = Ok(Script::of(&[LISTENS, TRY_TOOLS]));
        let answer = match self.try_script(script, deadline).await {
            Ok(answer) => answer,
            Err(error) => return unknown(&error),
        };
        let Some((missing, _)) = answer.out.split_once(TRIED) else {
            return Trial::Fails("its shell does not run our lines to their end".to_owned());
        };
        let missing: Vec<_> = missing.lines().collect();
        if missing.is_empty() {
            return Trial::Holds("it has the commands that are needed".to_owned());
        }
        Trial::Fails(format!("it has no {}", missing.join(", no ")))
    }

    async fn try_script(
        &self,
        script: Result<Script, PhoneError>,
        deadline: Deadline,
    ) -> Result<CommandAnswer, PhoneError> {
        self.shell(&script?.line(CommandKind::Vitals).without_secrets(), deadline).await
    }

    /// Sends a file there, and reads it back.
    pub async fn try_file(&self, deadline: Deadline) -> Trial {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let target = FileTarget { path: FILE, permissions: 0o600, modified: 0 };
        let transfer = Transfer { deadline, progress: |_| () };
        let came = match self.device.push(bytes.as_slice(), target, transfer).await {
            Ok(_) => self.file(FILE, bytes.len(), deadline).await,
            Err(error) => Err(error.into()),
        };
        let removed = self.act(CommandKind::Vitals, format!("rm -f {FILE}"), deadline).await;
        match (came, removed) {
            (Ok(Some(back)), Ok(())) if back == bytes => {
                Trial::Holds("a file came back as it was".to_owned())
            }
            (Ok(_), Ok(())) => Trial::Fails("a file did not come back as it was".to_owned()),
            (Err(error), _) | (_, Err(error)) => Trial::Fails(error.to_string()),
        }
    }

    /// Sends letters of every length there and back, both ways in which lines are run.
    pub async fn try_letters(&self, deadline: Deadline) -> Trial {
        let line = format!("printf '%s' '{LETTERS}'");
        let as_text = self.ask(CommandKind::Vitals, line.as_str(), deadline).await;
        let as_bytes = self.exec(CommandLine::new(CommandKind::Vitals, line.as_str()), deadline).await;
        match (as_text, as_bytes) {
            (Ok(text), Ok(bytes)) if text.out == LETTERS && bytes == LETTERS => {
                Trial::Holds("letters of every language come back as they were".to_owned())
            }
            (Ok(_), Ok(_)) => Trial::Fails("letters do not come back as they were (UTF-8)".to_owned()),
            (Err(error), _) | (_, Err(error)) => unknown(&error),
        }
    }

    /// How long the phone takes for a line that does nothing: the shortest of a few.
    pub async fn try_round_trip(&self, deadline: Deadline) -> Trial {
        let mut shortest = Duration::MAX;
        for _ in 0..3 {
            let since = Instant::now();
            if let Err(error) = self.answer(deadline).await {
                return unknown(&error);
            }
            shortest = shortest.min(since.elapsed());
        }
        let took = format!("a round trip takes {} ms", shortest.as_millis());
        if shortest < SLOW { Trial::Holds(took) } else { Trial::Fails(took) }
    }
}

fn unknown(error: &PhoneError) -> Trial {
    Trial::Unknown(error.to_string())
}
