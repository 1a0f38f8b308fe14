//! Templates: executions with `{{NAME}}` where a value goes. Pure.

mod vars;

pub use vars::{Vars, VarsFault};

use clawperator_contract::{CheckedExecution, Execution, Failure, Warnings};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// What the name of a template's file ends with.
pub const ENDING: &str = ".recipe.json";

/// How many digits of the hash are in an id.
const ID_DIGITS: usize = 12;

/// A template of a skill.
#[derive(Clone, Copy, Debug)]
pub struct Template<'t> {
    pub skill_id: &'t str,
    /// The template's name, without its ending.
    pub name: &'t str,
    pub text: &'t str,
}

/// An execution that was compiled from a template.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TemplateExecution {
    pub execution: Execution,
    #[serde(flatten)]
    pub warnings: Warnings,
}

/// Why a template cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum TemplateFault {
    #[error("the placeholder {{{{{0}}}}} has no value")]
    NoValue(String),
    #[error("with its values in place it is not valid JSON: {0}")]
    Syntax(serde_json::Error),
    #[error("with its values in place it is not a valid execution: {}", .0.message)]
    Refused(Box<Failure>),
}

impl Template<'_> {
    /// Puts values in place of the placeholders, and checks what comes of it.
    /// `COMMAND_ID` and `TASK_ID` have a value of their own where none is given,
    /// the same for the same template and values.
    pub fn compile(&self, vars: &Vars) -> Result<TemplateExecution, TemplateFault> {
        let hash = self.hash(vars);
        let text = fill(self.text, |name| match (vars.get(name), name) {
            (Some(value), _) => Some(value.to_owned()),
            (None, "COMMAND_ID") => Some(format!("cmd-{hash}")),
            (None, "TASK_ID") => Some(format!("task-{hash}")),
            (None, _) => None,
        })?;
        let mut object: Map<String, Value> = serde_json::from_str(&text).map_err(TemplateFault::Syntax)?;
        object.insert("mode".to_owned(), "artifact_compiled".into());
        let checked = clawperator_contract::accept(Value::Object(object).to_string().as_bytes());
        let CheckedExecution { execution, warnings } =
            checked.map_err(|failure| TemplateFault::Refused(Box::new(failure)))?;
        Ok(TemplateExecution { execution, warnings })
    }

    /// The first digits of the hash of all that the execution is made of.
    fn hash(&self, vars: &Vars) -> String {
        let made_of = json!({
            "skillId": self.skill_id,
            "artifactName": self.name,
            "vars": vars.sorted(),
        });
        let mut digits = format!("{:x}", Sha256::digest(made_of.to_string()));
        digits.truncate(ID_DIGITS);
        digits
    }
}

/// The name of a template, without its ending.
pub fn base_name(name: &str) -> &str {
    name.strip_suffix(ENDING).unwrap_or(name)
}

/// A value for every placeholder of a template that is neither `COMMAND_ID` nor
/// `TASK_ID`: one that can be a text, a time and a number.
pub(crate) fn sample_vars(text: &str) -> Vars {
    const SAMPLE: &str = "5000";
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(found) = next_placeholder(rest) {
        if !["COMMAND_ID", "TASK_ID"].contains(&found.name) {
            names.push(found.name);
        }
        rest = found.after;
    }
    names.into_iter().map(|name| (name.to_owned(), SAMPLE.to_owned())).collect()
}

/// A text with the values of its placeholders, written as in a JSON string.
fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, TemplateFault> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(Placeholder { before, name, after }) = next_placeholder(rest) {
        let value = value(name).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| TemplateFault::NoValue(name.to_owned()))?;
        let quoted = Value::from(value).to_string();
        out.push_str(before);
        out.push_str(&quoted[1..quoted.len() - 1]);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// A `{{NAME}}`, and the text around it.
struct Placeholder<'t> {
    before: &'t str,
    name: &'t str,
    after: &'t str,
}

fn next_placeholder(text: &str) -> Option<Placeholder<'_>> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find("{{")?;
        let inside = &text[open + 2..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = inside.find(|c| !is_name(c)).unwrap_or(inside.len());
        match inside[end..].strip_prefix("}}") {
            Some(after) if end > 0 => {
                let (before, name) = (&text[..open], &inside[..end]);
                return Some(Placeholder { before, name, after });
            }
            // In `{{{NAME}}` the second brace begins it.
            Some(_) | None => from = open + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_where_they_are() {
        for (text, expect) in [
            ("a{{X}}b", "a<X>b"),
            ("{{X}}{{Y_1}}", "<X><Y_1>"),
            ("{{{X}}}", "{<X>}"),
            ("{{}} {{a b}} {{X} }", "{{}} {{a b}} {{X} }"),
            ("{{ X }}", "{{ X }}"),
            ("{{X", "{{X"),
            ("{{é}}{{X}}", "{{é}}<X>"),
            ("\u{1f600}{{X}}\u{1f600}", "\u{1f600}<X>\u{1f600}"),
        ] {
            let filled = fill(text, |name| Some(format!("<{name}>"))).unwrap();
            assert_eq!(filled, expect, "{text}");
        }
        // A value is no template.
        assert_eq!(fill("{{X}}", |_| Some("{{Y}}\"\n".to_owned())).unwrap(), "{{Y}}\\\"\\n");
        for empty in [None, Some(String::new())] {
            let fault = fill("{{X}} {{Y}}", |_| empty.clone()).unwrap_err();
            assert_eq!(fault.to_string(), "the placeholder {{X}} has no value");
        }
    }

    fn compiled(text: &str, vars: &str) -> Result<Value, String> {
        let template = Template { skill_id: "com.ex.art", name: "status", text };
        let vars = Vars::parse(vars).unwrap();
        let compiled = template.compile(&vars).map_err(|fault| fault.to_string())?;
        Ok(json!(compiled.execution))
    }

    const TEXT: &str = r#"{"commandId":"{{COMMAND_ID}}","taskId":"{{TASK_ID}}","source":"a","expectedFormat":"android-ui-automator","timeoutMs":{{MS}},"actions":[{"id":"a","type":"tap","params":{"matcher":{"textEquals":"{{TILE}}"}}}]}"#;

    #[test]
    fn ids_come_from_the_hash_unless_they_are_given() {
        let one = compiled(TEXT, r#"{"TILE":"Kitchen","MS":5000}"#).unwrap();
        // sha256 of {"skillId":"com.ex.art","artifactName":"status","vars":{"MS":"5000","TILE":"Kitchen"}}
        assert_eq!(one["commandId"], "cmd-1470974c920c");
        assert_eq!(one["mode"], "artifact_compiled");
        assert_eq!(one["timeoutMs"], 5000);
        let again = compiled(TEXT, r#"{"MS":"5000","TILE":"Kitchen"}"#).unwrap();
        assert_eq!(one, again, "the order of the values does not count");
        let other = compiled(TEXT, r#"{"TILE":"Hall","MS":5000}"#).unwrap();
        assert_ne!(one["taskId"], other["taskId"]);
        let given = compiled(TEXT, r#"{"TILE":"K","MS":5000,"COMMAND_ID":"c9","TASK_ID":"t9"}"#).unwrap();
        assert_eq!((&given["commandId"], &given["taskId"]), (&json!("c9"), &json!("t9")));
    }

    #[test]
    fn what_does_not_compile_says_why() {
        for (vars, reason) in [
            (r#"{"MS":5000}"#, "the placeholder {{TILE}} has no value"),
            (r#"{"TILE":"","MS":5000}"#, "the placeholder {{TILE}} has no value"),
            (r#"{"TILE":"a","MS":5000,"TASK_ID":""}"#, "the placeholder {{TASK_ID}} has no value"),
            (r#"{"TILE":"a","MS":"x"}"#, "it is not valid JSON: expected value at line 1 column"),
            (r#"{"TILE":"a","MS":1}"#, "it is not a valid execution: timeoutMs"),
        ] {
            let fault = compiled(TEXT, vars).unwrap_err();
            assert!(fault.contains(reason), "{vars}: {fault}");
        }
        assert!(compiled("[]", "{}").unwrap_err().contains("expected a map"));
    }
}
