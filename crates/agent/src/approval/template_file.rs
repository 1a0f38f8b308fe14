//! `templatePath`: a template in a JSON file of the workspace.

use super::limits;
use crate::action::{TemplateStyle, UiTemplate};
use clawperator_journal::private;
use serde_json::{Map, Value};
use std::io::Read as _;
use std::path::{Component, Path};

/// Why a template file is not used.
#[derive(Debug, thiserror::Error)]
pub enum TemplateFileError {
    /// It is no `.json` file inside the workspace.
    #[error("templatePath must be a .json file inside the workspace")]
    Outside,
    /// It cannot be read.
    #[error("the template file cannot be read: {0}")]
    Unreadable(String),
    /// It is no template.
    #[error(
        "the template file must be a JSON object of at most {} bytes",
        limits::TEMPLATE_FILE
    )]
    NoTemplate,
}

/// The template of a file, with what the agent said itself in front of it: keys
/// replace keys, and styles are merged. The second part names what was left out
/// of the file.
///
/// # Errors
/// Why the file is not used.
pub fn with_template_file(
    workspace: &Path,
    path: &str,
    inline: Option<&UiTemplate>,
) -> Result<(UiTemplate, Vec<String>), TemplateFileError> {
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
        Ok(Value::Object(keys)) => keys,
        // A template is an object.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// Reads the object in a file of the workspace. Neither `..` nor a link leads
/// out of it.
fn read(workspace: &Path, path: &str) -> Result<Map<String, Value>, TemplateFileError> {
    let unreadable = |error: std::io::Error| TemplateFileError::Unreadable(error.kind().to_string());
    let relative = Path::new(path);
    let is_plain = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_plain || relative.extension().is_none_or(|ending| ending != "json") {
        return Err(TemplateFileError::Outside);
    }
    let root = workspace.canonicalize().map_err(unreadable)?;
    let whole = root.join(relative).canonicalize().map_err(unreadable)?;
    if !whole.starts_with(&root) {
        return Err(TemplateFileError::Outside);
    }
    let file = private::open(&whole).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let most = limits::TEMPLATE_FILE + 1;
    file.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 >= most {
        return Err(TemplateFileError::NoTemplate);
    }
    serde_json::from_slice(&bytes).map_err(|_| TemplateFileError::NoTemplate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_of_the_workspace_is_merged_and_nothing_else_is_read() {
        let root = std::env::temp_dir().join(format!("clawperator-template-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("work/templates")).unwrap();
        let file = json!({"title": "File", "summary": "File", "style": {"brandColor": "#123456"}, "odd": 1});
        std::fs::write(root.join("work/templates/a.json"), file.to_string()).unwrap();
        std::fs::write(root.join("secret.json"), "{}").unwrap();
        let workspace = root.join("work");
        let inline: UiTemplate =
            serde_json::from_value(json!({"title": "Inline", "style": {"fontFamily": "serif"}})).unwrap();
        let (template, left_out) = with_template_file(&workspace, "templates/a.json", Some(&inline)).unwrap();
        assert_eq!(left_out, ["odd"]);
        let expected = json!({"title": "Inline", "summary": "File",
            "style": {"brandColor": "#123456", "fontFamily": "serif"}});
        assert_eq!(json!(template), expected);
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("secret.json"), workspace.join("link.json")).unwrap();
        for path in [
            "../secret.json",
            "/etc/passwd",
            "link.json",
            "templates/a.txt",
            "none.json",
            "",
        ] {
            assert!(with_template_file(&workspace, path, None).is_err(), "{path}");
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
