//! The tools that work in a folder.

mod command;
mod file;
mod patch;
mod template;

use clawperator_agent::action::AgentAction;
use clawperator_agent::result::ToolResult;
use clawperator_agent::tool::normalize;
use clawperator_agent::workspace::{Workspace, WorkspaceSettings};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A workspace, and a folder beside it that holds a secret. Removed at the end.
struct Place {
    root: PathBuf,
    workspace: Workspace,
}

impl Place {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("agent-workspace-{}-{number}", std::process::id());
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(root.join("work")).unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::write(root.join("outside/secret"), "hunter2").unwrap();
        let root = root.canonicalize().unwrap();
        let settings = WorkspaceSettings::new(env!("CARGO_BIN_EXE_agent-sandbox-launcher"));
        let workspace = Workspace::open(&root.join("work"), settings).unwrap();
        Self { root, workspace }
    }

    /// The same place with other settings.
    fn with(mut self, settings: WorkspaceSettings) -> Self {
        self.workspace = Workspace::open(&self.work(), settings).unwrap();
        self
    }

    fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap()
    }

    /// Calls a tool as a model does.
    async fn call(&self, tool: &str, args: Value) -> ToolResult {
        let workspace = &self.workspace;
        match normalize(tool, &args).action {
            AgentAction::Read(read) => workspace.read(&read).await,
            AgentAction::Write(write) => workspace.write(&write).await,
            AgentAction::Edit(edit) => workspace.edit(&edit).await,
            AgentAction::ApplyPatch(patch) => workspace.apply_patch(&patch).await,
            AgentAction::Exec(exec) => workspace.exec(&exec, &[]).await,
            AgentAction::Process(process) => workspace.process(&process).await,
            AgentAction::RunScript(script) => workspace.run_script(&script, &[]).await,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A thread that makes `folder` a link inside and a link outside, in turn.
struct Swapping {
    done: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Swapping {
    fn begin(place: &Place) -> Self {
        let (work, outside) = (place.work(), place.root.join("outside"));
        symlink("inside", work.join("folder")).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let is_done = Arc::clone(&done);
        let thread = std::thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                for target in [Path::new("inside"), outside.as_path()] {
                    let _ = fs::remove_file(work.join("next"));
                    let _ = symlink(target, work.join("next"));
                    let _ = fs::rename(work.join("next"), work.join("folder"));
                }
            }
        });
        Self { done, thread }
    }

    fn end(self) {
        self.done.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}

fn code(result: &ToolResult) -> &'static str {
    result.error.as_ref().map_or("none", |error| error.code.name())
}
