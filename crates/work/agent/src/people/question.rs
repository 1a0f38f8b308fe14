//! What a person reads when the policy asks: fields that we write, with the words
//! of the screen and of the agent in quotes.

use crate::action::{AgentAction, Capability};
use crate::surroundings::{Sight, Surroundings};
use clawperator_contract::text;
use serde_json::json;

/// The most letters of an action that a person is shown, and how many of a longer one are its end.
const SHOWN: usize = 1200;
const TAIL: usize = 400;
/// The most letters of a word of the screen that a person is shown.
const LABEL: usize = 120;

/// What the policy asks about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    pub action: &'q AgentAction,
    pub on: &'q Surroundings,
    pub capability: Capability,
    pub reason: &'q str,
    /// The request that this one repeats, because the screen had changed.
    pub again_of: Option<&'q str>,
}

impl Question<'_> {
    pub(super) fn words(&self) -> String {
        let what = match self.action {
            AgentAction::Type(typed) if self.on.is_secret => {
                format!("type {} letters into a password field", typed.text.chars().count())
            }
            action => {
                let mut written = json!(action);
                // What the agent says of it is not what it does.
                written.as_object_mut().map(|keys| keys.remove("reason"));
                text::visible(&written.to_string()).into_owned()
            }
        };
        let on = self.on;
        let label = on.label().map(|label| text::quoted(&label, LABEL));
        let targets = || on.targets.value().into_iter().flatten();
        let amounts = targets().flat_map(|target| target.amounts.iter().chain(&target.beside));
        let amount = amounts.map(|amount| text::quoted(amount, LABEL)).next();
        let ids = targets().filter(|target| !target.is_of_form).flat_map(|target| &target.ids);
        let id = ids.map(|id| text::quoted(id, LABEL)).next();
        let app = match &on.app {
            Sight::Seen(app) => Some(text::quoted(app, LABEL)),
            Sight::Unseen => Some("not known".to_owned()),
            Sight::Nothing => None,
        };
        let fields = [
            ("App", app),
            ("Element, in the screen's words", label),
            ("Its id", id),
            ("Amount, in the screen's words", amount),
            ("The agent wants to do this", Some(both_ends(&what))),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?)));
        let lines: Vec<String> =
            std::iter::once(text::visible(self.reason).into_owned()).chain(fields).collect();
        lines.join("\n")
    }
}

/// An action as a person is shown it. It says that something is left out: a person cannot allow
/// what they do not know of.
fn both_ends(what: &str) -> String {
    let letters = what.chars().count();
    if letters <= SHOWN {
        return what.to_owned();
    }
    let head: String = what.chars().take(SHOWN - TAIL).collect();
    let tail: String = what.chars().skip(letters - TAIL).collect();
    let hidden = letters - SHOWN;
    format!("(too long: {hidden} letters of its middle are NOT shown) {head} … {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::normalize;

    #[test]
    fn a_person_is_told_what_is_not_shown() {
        let words = |command: &str| {
            let action = normalize("shell", &json!({ "command": command })).action;
            let question = Question {
                action: &action,
                on: &Surroundings::default(),
                capability: Capability::Permission,
                reason: "Why.",
                again_of: None,
            };
            question.words()
        };
        let long = words(&format!("echo {}; reboot", "x".repeat(5000)));
        assert!(long.contains("NOT shown") && long.contains("; reboot"), "{long}");
        assert!(long.chars().count() < 1500, "{long}");
        assert!(words("echo hi").ends_with(r#"{"type":"shell","command":"echo hi"}"#));
    }
}
