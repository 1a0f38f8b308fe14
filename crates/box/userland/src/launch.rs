//! Finding a command by its name, and running it as a process.

use crate::call::Call;
use crate::machine::{BoxFuture, ExitResult, Program};
use crate::shell::{SELF, Shell};
use crate::{Access, Errno, Pid, Process, limits, toybox};
use bytes::Bytes;
use std::sync::Arc;

/// What a name resolves to.
pub(crate) enum ProgramLookup {
    Program(Arc<dyn Program>),
    Script { path: String, content: Bytes },
    Nothing(Errno),
}

/// Directories whose commands are the machine's programs.
const PROGRAM_DIRECTORIES: &[&str] = &["/system/bin", "/bin", "/system/xbin"];

impl Call {
    /// Runs another command with this one's surroundings, and gives its exit code.
    pub fn run(&self, args: Vec<String>) -> BoxFuture<'static, u8> {
        self.child(args).launch()
    }

    /// A call of another command with this one's surroundings, to be changed before [`Call::launch`].
    pub fn child(&self, args: Vec<String>) -> Self {
        Self {
            args,
            machine: self.machine.clone(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            identity: self.identity.clone(),
            umask: self.umask,
            pid: self.pid,
            replaces: None,
            stdin: self.stdin.clone(),
            stdout: self.stdout.clone(),
            stderr: self.stderr.clone(),
            terminal: self.terminal.clone(),
            depth: self.depth + 1,
            family: self.family.clone(),
        }
    }

    /// Runs this call as a process, and gives its exit code.
    pub fn launch(self) -> BoxFuture<'static, u8> {
        Box::pin(launch(self))
    }

    /// The path of a command, as `which` tells it.
    pub fn which(&self, name: &str) -> Option<String> {
        match self.find(name) {
            ProgramLookup::Program(_) if name.contains('/') => Some(name.to_owned()),
            ProgramLookup::Program(_) => Some(format!("/system/bin/{name}")),
            ProgramLookup::Script { path, .. } => Some(path),
            ProgramLookup::Nothing(_) => None,
        }
    }

    pub(crate) fn find(&self, name: &str) -> ProgramLookup {
        if let Some((directory, last)) = name.rsplit_once('/') {
            let path = self.path(name);
            let known = PROGRAM_DIRECTORIES.contains(&directory);
            return match self.executable(&path) {
                ProgramLookup::Nothing(Errno::NoEntry) if known => self.program(last),
                found => found,
            };
        }
        if let found @ ProgramLookup::Program(_) = self.program(name) {
            return found;
        }
        let directories = self.env.get("PATH").map_or("", String::as_str);
        let mut worst = Errno::NoEntry;
        for directory in directories.split(':').filter(|directory| !directory.is_empty()) {
            match self.executable(&self.path(&format!("{directory}/{name}"))) {
                ProgramLookup::Nothing(Errno::Access) => worst = Errno::Access,
                ProgramLookup::Nothing(_) => {}
                found => return found,
            }
        }
        ProgramLookup::Nothing(worst)
    }

    fn program(&self, name: &str) -> ProgramLookup {
        if let Some(program) = self.machine.program(name) {
            return ProgramLookup::Program(program);
        }
        toybox::program(name).map_or(ProgramLookup::Nothing(Errno::NoEntry), ProgramLookup::Program)
    }

    /// What a file does when it is executed: a script runs, a program's file is its program.
    fn executable(&self, path: &str) -> ProgramLookup {
        let read = self.files(|files, actor| {
            if files.stat(actor, path)?.is_directory() {
                return Err(Errno::Access);
            }
            files.access(actor, path, Access::Execute)?;
            Ok((files.canonical(actor, path)?, files.read(actor, path)?))
        });
        let (real, content) = match read {
            Ok(found) => found,
            Err(error) => return ProgramLookup::Nothing(error),
        };
        let (directory, _) = real.rsplit_once('/').unwrap_or(("", &real));
        if PROGRAM_DIRECTORIES.contains(&directory) && !content.starts_with(b"#!") {
            // A link such as `ls -> toybox` is the program of the link's own name.
            let name = path.rsplit('/').next().unwrap_or(path);
            return self.program(name);
        }
        ProgramLookup::Script { path: path.to_owned(), content }
    }
}

/// Runs a call as a process; returns its exit code.
async fn launch(mut call: Call) -> u8 {
    let name = call.args.first().cloned().unwrap_or_default();
    if call.depth >= limits::MAX_DEPTH {
        call.err(format!("{SELF}: {name}: nested too deep\n")).await;
        return 126;
    }
    let found = match call.find(&name) {
        ProgramLookup::Nothing(Errno::Access) => {
            call.err(format!("{SELF}: {name}: can't execute: Permission denied\n")).await;
            return 126;
        }
        ProgramLookup::Nothing(_) => {
            call.err(format!("{SELF}: {name}: inaccessible or not found\n")).await;
            return 127;
        }
        found => found,
    };
    let machine = call.machine.clone();
    let command: String = call.args.join(" ").chars().take(4096).collect();
    let process = Process {
        pid: Pid(0),
        parent: call.pid,
        uid: call.identity.uid,
        name: call.name().to_owned(),
        command,
    };
    if let Some(pid) = call.replaces.take() {
        call.pid = pid;
        machine.kernel().processes.rename(Process { pid, ..process });
        // Who started the process listens for its signals.
        let ended = Box::pin(perform(&found, &mut call)).await;
        return call.conclude(ended).await;
    }
    let running = match machine.kernel().processes.start(process) {
        Ok(running) => running,
        Err(error) => {
            call.err(format!("{SELF}: can't fork: {error}\n")).await;
            return 126;
        }
    };
    call.pid = running.pid;
    let ended = tokio::select! {
        biased;
        signal = running.killed() => return 128u8.saturating_add(signal),
        ended = Box::pin(perform(&found, &mut call)) => ended,
    };
    call.conclude(ended).await
}

async fn perform(found: &ProgramLookup, call: &mut Call) -> ExitResult {
    match found {
        ProgramLookup::Program(program) => program.run(call).await,
        ProgramLookup::Script { path, content } => {
            let text = String::from_utf8_lossy(content).into_owned();
            let mut shell = Shell::within(call);
            let name = call.args.first().filter(|name| name.contains('/')).unwrap_or(path).clone();
            shell.take_arguments(name, call.args.iter().skip(1).cloned().collect());
            Ok(Box::pin(shell.run_inside(&text)).await)
        }
        ProgramLookup::Nothing(_) => Ok(127),
    }
}
