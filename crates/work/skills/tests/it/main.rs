//! The tests of skills: one binary. Repositories on disk are made for each test
//! and removed after it; recipes are cases as data.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod ci;
mod draft;
#[path = "../../../../base/recording/tests/it/drawing.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod drawing;
mod hook;
mod index;
mod parts;
mod recipe;
mod repo;
mod schemas;
#[cfg(target_os = "linux")]
mod script;
mod sync;

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("skills-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a package of the public layout and returns its entry.
    fn package(&self, id: &str) -> Value {
        let (app, intent) = id.rsplit_once('.').unwrap();
        let path = format!("skills/{id}");
        let entry = json!({
            "id": id, "applicationId": app, "intent": intent, "summary": format!("Does {intent}."),
            "path": path, "skillFile": format!("{path}/SKILL.md"),
            "scripts": [format!("{path}/scripts/run.js")],
            "artifacts": [format!("{path}/artifacts/{intent}.recipe.json")],
        });
        self.write(&format!("{path}/skill.json"), &entry.to_string());
        self.write(&format!("{path}/SKILL.md"), "---\nname: x\n---\n");
        self.write(&format!("{path}/scripts/run.js"), "console.log(1)\n");
        self.write(&format!("{path}/artifacts/{intent}.recipe.json"), ARTIFACT);
        entry
    }

    /// Writes a registry of these entries and returns its path.
    fn registry(&self, entries: &[Value]) -> PathBuf {
        let text = json!({"schemaVersion": "1.0", "skills": entries}).to_string();
        self.write("skills/skills-registry.json", &text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the target folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const ARTIFACT: &str = r#"{"commandId":"{{COMMAND_ID}}","taskId":"{{TASK_ID}}","source":"s","expectedFormat":"android-ui-automator","timeoutMs":5000,"actions":[{"id":"a","type":"click","params":{"matcher":{"textEquals":"{{LABEL}}"}}}]}"#;
