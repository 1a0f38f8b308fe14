//! `templatePath`: a template in a JSON file of the workspace.

use super::limits;
use crate::action::{TemplateStyle, UiTemplate};
use crate::result::ToolError;
use crate::workspace::Workspace;
use clawperator_contract::ErrorCode;
use serde_json::{Map, Value};
use std::path::Path;

/// The template of a file, with what the agent said itself in front of it: keys replace keys, and
/// styles are merged. The second part names what was left out of the file.
pub fn with_template_file(
    workspace: &Workspace,
    path: &str,
    inline: Option<&UiTemplate>,
) -> Result<(UiTemplate, Vec<String>), ToolError> {
    let (file, left_out) = UiTemplate::read(&read(workspace, path)?);
    let Some(inline) = inline else {
        return Ok((file, left_out));
    };
    let style = merged_style(file.style.as_ref(), inline.style.as_ref());
    let mut keys = object(&file);
    keys.extend(object(inline));
    let (mut template, _) = UiTemplate::read(&keys);
    template.style = style;
    Ok((template, left_out))
}

fn merged_style(file: Option<&TemplateStyle>, inline: Option<&TemplateStyle>) -> Option<TemplateStyle> {
    let mut keys = file.map(object).unwrap_or_default();
    keys.extend(inline.map(object).unwrap_or_default());
    let style = serde_json::from_value(Value::Object(keys)).ok();
    style.filter(|style| *style != TemplateStyle::default())
}

fn object(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(keys)) => keys.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        // A template is an object.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// The object in a file of the workspace.
fn read(workspace: &Workspace, path: &str) -> Result<Map<String, Value>, ToolError> {
    let wrong = || {
        let most = limits::TEMPLATE_FILE;
        let message =
            format!("{path:?}: templatePath must be a .json file with an object, of at most {most} bytes.");
        ToolError::new(ErrorCode::ApprovalInvalid, message)
    };
    if Path::new(path).extension().is_none_or(|ending| ending != "json") {
        return Err(wrong());
    }
    let bytes = workspace.bytes(path)?;
    let fits = bytes.len() <= limits::TEMPLATE_FILE;
    let object = serde_json::from_slice(&bytes).ok();
    object.filter(|_| fits).ok_or_else(wrong)
}
