//! A model that does what a file says: one line per step, with the tool and its
//! arguments. An element is named by what it says, and found on the screen when
//! its step comes, so a script is not tied to pixels.

use super::conversation::ToolCall;
use super::error::ModelError;
use super::limits::{MAX_FILE, MAX_SCRIPT_STEPS};
use super::reply::ModelStep;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::Path;

/// How long a wait for an element is.
const WAIT_MS: u64 = 500;

/// The screen, as far as a script needs it. Places are those of the picture that a model sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptScreen {
    pub width: f64,
    pub height: f64,
    /// What is on the screen, in reading order.
    pub elements: Vec<ScriptElement>,
}

/// An element on the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptElement {
    pub text: String,
    pub desc: String,
    pub id: String,
    pub center: [f64; 2],
}

/// A script that is being played.
#[derive(Debug)]
pub struct Script {
    /// The lines with a step, and their numbers in the file.
    lines: Vec<(usize, ScriptLine)>,
    next: usize,
    done: u32,
    waited: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptLine {
    tool: String,
    #[serde(default)]
    args: Map<String, Value>,
    #[serde(default)]
    thought: String,
    on: Option<ScriptTarget>,
    from: Option<ScriptTarget>,
    to: Option<ScriptTarget>,
    /// The step is left out unless this is on the screen.
    #[serde(rename = "if")]
    condition: Option<ScriptSelector>,
    /// The step is repeated until this is on the screen.
    until: Option<ScriptSelector>,
    #[serde(default = "usual_most")]
    most: u32,
    #[serde(default = "usual_patience")]
    patience: u32,
}

/// How often a step with `until` is done at most, unless it says otherwise.
fn usual_most() -> u32 {
    20
}

/// How often a step waits for its element, unless it says otherwise.
fn usual_patience() -> u32 {
    4
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum ScriptTarget {
    /// Parts of the width and of the height, from 0 to 1.
    Share([f64; 2]),
    Element(ScriptSelector),
}

/// What an element says. Everything that is given must fit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ScriptSelector {
    /// The text or the content description.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contains: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Which of those that fit, from zero.
    #[serde(default, skip_serializing_if = "is_first")]
    nth: usize,
}

fn is_first(nth: &usize) -> bool {
    *nth == 0
}

impl Script {
    /// What sessions and tables call it.
    pub const NAME: &'static str = "script";

    /// Reads a script file.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let shown = path.display();
        let bad = |error: std::io::Error| ModelError::NoScript(format!("{shown} cannot be read: {error}"));
        let size = std::fs::metadata(path).map_err(bad)?;
        if size.len() > MAX_FILE {
            let why = format!("{shown} has more than {MAX_FILE} bytes");
            return Err(ModelError::NoScript(why));
        }
        Self::parse(&std::fs::read_to_string(path).map_err(bad)?)
    }

    /// Reads a script: one JSON object per line; blank lines and lines that
    /// begin with `#` are for people.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let mut lines = Vec::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let line = serde_json::from_str(line)
                .map_err(|error| ModelError::Script { line: at + 1, why: error.to_string() })?;
            if lines.len() == MAX_SCRIPT_STEPS {
                let why = format!("a script has at most {MAX_SCRIPT_STEPS} steps");
                return Err(ModelError::Script { line: at + 1, why });
            }
            lines.push((at + 1, line));
        }
        Ok(Self { lines, next: 0, done: 0, waited: 0 })
    }

    /// The next step on this screen.
    ///
    /// # Errors
    /// The script has ended, or its element did not come.
    pub fn step(&mut self, sight: &ScriptScreen) -> Result<ModelStep, ModelError> {
        while let Some((_, line)) = self.lines.get(self.next) {
            let left_out = line.condition.as_ref().is_some_and(|wanted| wanted.find(sight).is_none());
            let reached = line.until.as_ref().is_some_and(|wanted| wanted.find(sight).is_some());
            if left_out || reached {
                self.advance();
                continue;
            }
            if line.until.is_some() && self.done >= line.most {
                return Err(
                    self.script_error(&format!("it was done {} times and `until` did not come", self.done))
                );
            }
            let called = line.call(sight, self.next);
            return match called {
                Ok(call) => {
                    let thought = line.thought.clone();
                    if line.until.is_some() {
                        (self.done, self.waited) = (self.done + 1, 0);
                    } else {
                        self.advance();
                    }
                    Ok(ModelStep { thought, ..ModelStep::of(call, String::new()) })
                }
                Err(missing) if self.waited >= line.patience => Err(self.script_error(&missing)),
                Err(missing) => {
                    self.waited += 1;
                    Ok(wait(self.next, &missing))
                }
            };
        }
        Err(ModelError::Script {
            line: self.lines.last().map_or(0, |(number, _)| *number),
            why: "the script has ended without finish".to_owned(),
        })
    }

    fn advance(&mut self) {
        (self.next, self.done, self.waited) = (self.next + 1, 0, 0);
    }

    fn script_error(&self, why: &str) -> ModelError {
        ModelError::Script {
            line: self.lines.get(self.next).map_or(0, |(number, _)| *number),
            why: why.to_owned(),
        }
    }
}

fn wait(at: usize, missing: &str) -> ModelStep {
    let call = ToolCall {
        id: format!("script-{at}-wait"),
        name: "wait".to_owned(),
        args: json!({"durationMs": WAIT_MS}),
    };
    ModelStep::of(call, format!("Waiting: {missing}"))
}

impl ScriptLine {
    /// The call, or which element is missing.
    fn call(&self, sight: &ScriptScreen, at: usize) -> Result<ToolCall, String> {
        let mut args = self.args.clone();
        for (target, x, y) in [(&self.on, "x", "y"), (&self.from, "x1", "y1"), (&self.to, "x2", "y2")] {
            let Some(target) = target else {
                continue;
            };
            let [across, down] = target.place(sight)?;
            args.insert(x.to_owned(), whole(across));
            args.insert(y.to_owned(), whole(down));
        }
        Ok(ToolCall { id: format!("script-{at}"), name: self.tool.clone(), args: Value::Object(args) })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "places on a picture are small numbers")]
fn whole(number: f64) -> Value {
    json!(number.round() as i64)
}

impl ScriptTarget {
    fn place(&self, sight: &ScriptScreen) -> Result<[f64; 2], String> {
        match self {
            Self::Share([across, down]) => Ok([across * sight.width, down * sight.height]),
            Self::Element(selector) => match selector.find(sight) {
                Some(seen) => Ok(seen.center),
                None => Err(format!("nothing on the screen fits {}", json!(selector))),
            },
        }
    }
}

impl ScriptSelector {
    fn find<'s>(&self, sight: &'s ScriptScreen) -> Option<&'s ScriptElement> {
        sight.elements.iter().filter(|seen| self.fits(seen)).nth(self.nth)
    }

    fn fits(&self, seen: &ScriptElement) -> bool {
        let says = |wanted: &String| seen.text == *wanted || seen.desc == *wanted;
        let has = |part: &String| seen.text.contains(part.as_str()) || seen.desc.contains(part.as_str());
        let named =
            |id: &String| seen.id == *id || seen.id.rsplit_once('/').is_some_and(|(_, name)| name == id);
        self.text.as_ref().is_none_or(says)
            && self.contains.as_ref().is_none_or(has)
            && self.id.as_ref().is_none_or(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(texts: &[&str]) -> ScriptScreen {
        let element = |(at, text): (usize, &&str)| ScriptElement {
            text: (*text).to_owned(),
            id: format!("app:id/e{at}"),
            center: [100.0, 10.0 * f64::from(u32::try_from(at).unwrap())],
            ..ScriptElement::default()
        };
        ScriptScreen {
            width: 400.0,
            height: 800.0,
            elements: texts.iter().enumerate().map(element).collect(),
        }
    }

    #[test]
    fn an_element_is_found_when_its_step_comes() {
        let mut script = Script::parse(concat!(
            "# a comment\n",
            "{\"tool\":\"tap\",\"on\":{\"text\":\"B\"},\"thought\":\"b\"}\n",
            "{\"tool\":\"tap\",\"on\":{\"text\":\"Allow\"},\"if\":{\"text\":\"Allow\"}}\n",
            "{\"tool\":\"swipe\",\"from\":[0.5,0.75],\"to\":[0.5,0.25],\"until\":{\"id\":\"e2\"}}\n",
            "{\"tool\":\"finish\",\"args\":{\"message\":\"ok\"}}\n",
        ))
        .unwrap();
        let mut calls = Vec::new();
        for seen in [&["A"][..], &["A", "B"], &["A"], &["A"], &["A", "B", "C"]] {
            let step = script.step(&sight(seen)).unwrap();
            calls.push(format!("{} {} {}", step.thought, step.call.name, step.call.args));
        }
        let swipe = r#" swipe {"x1":200,"y1":600,"x2":200,"y2":200}"#;
        assert!(calls[0].starts_with("Waiting: nothing on the screen fits {\"text\":\"B\"}"), "{}", calls[0]);
        assert_eq!(calls[1..], [r#"b tap {"x":100,"y":10}"#, swipe, swipe, r#" finish {"message":"ok"}"#]);
        let ended = script.step(&sight(&[])).unwrap_err();
        assert_eq!(ended.to_string(), "line 5 of the script: the script has ended without finish");
    }

    #[test]
    fn an_element_that_never_comes_ends_the_script() {
        let mut script = Script::parse(r#"{"tool":"tap","on":{"text":"B"},"patience":1}"#).unwrap();
        assert_eq!(script.step(&sight(&[])).unwrap().call.name, "wait");
        assert!(script.step(&sight(&[])).unwrap_err().to_string().contains("nothing on the screen"));
        let missing = Script::open(Path::new("/nowhere/wifi.jsonl")).unwrap_err();
        let missing = missing.to_string();
        assert!(missing.starts_with("the script /nowhere/wifi.jsonl cannot be read:"), "{missing}");
        for bad in ["{", r#"{"tol":"tap"}"#, r#"{"tool":"tap","on":{"txt":"B"}}"#] {
            Script::parse(bad).unwrap_err();
        }
    }
}
