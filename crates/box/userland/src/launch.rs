//! Finding a command by its name, and running it as a process.

use crate::call::Call;
use crate::machine::{ExitResult, Program};
use crate::shell::{SELF, Shell};
use crate::{Access, Errno, Pid, Process, limits, toybox};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use std::sync::Arc;

/// What a name resolves to.
enum FoundProgram {
    Program(Arc<dyn Program>),
    Script { path: String, content: Bytes },
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
        Self { args, replaces: None, depth: self.depth + 1, ..self.clone() }
    }

    /// Runs this call as a process, and gives its exit code.
    pub fn launch(self) -> BoxFuture<'static, u8> {
        Box::pin(async { self.launch_and_tell().await.unwrap_or_else(|signal| 128u8.saturating_add(signal)) })
    }

    /// Runs this call as a process, and gives its exit code, or the signal that killed it.
    pub(crate) fn launch_and_tell(self) -> BoxFuture<'static, Result<u8, u8>> {
        Box::pin(launch(self))
    }

    /// Runs another command as a program does that takes its place: it reports what is missing, not
    /// by the shell.
    pub(crate) async fn exec(&mut self, args: Vec<String>) -> u8 {
        let name = args.first().cloned().unwrap_or_default();
        match self.refuses(&name).await {
            Some(code) => code,
            None => self.run(args).await,
        }
    }

    /// Says why a command cannot be run, if it cannot; also the exit code for that.
    pub(crate) async fn refuses(&mut self, name: &str) -> Option<u8> {
        let error = self.find(name).err()?;
        self.complain(format!("exec {name}: {error}")).await;
        Some(if error == Errno::NoEntry { 127 } else { 126 })
    }

    /// The path of a command, as `which` tells it.
    pub fn which(&self, name: &str) -> Option<String> {
        self.find(name).ok().map(|found| match found {
            FoundProgram::Program(_) if name.contains('/') => name.to_owned(),
            FoundProgram::Program(_) => format!("/system/bin/{name}"),
            FoundProgram::Script { path, .. } => path,
        })
    }

    fn find(&self, name: &str) -> Result<FoundProgram, Errno> {
        if name.is_empty() || name == ".." {
            return Err(Errno::IsDirectory);
        }
        if let Some((directory, last)) = name.rsplit_once('/') {
            let known = PROGRAM_DIRECTORIES.contains(&directory);
            return match self.executable(&self.path(name)) {
                Err(Errno::NoEntry) if known => self.program(last),
                found => found,
            };
        }
        if let Ok(found) = self.program(name) {
            return Ok(found);
        }
        let directories = self.env.get("PATH").map_or("", String::as_str);
        let mut worst = Errno::NoEntry;
        for directory in directories.split(':').filter(|directory| !directory.is_empty()) {
            match self.executable(&self.path(&format!("{directory}/{name}"))) {
                Err(Errno::Access | Errno::IsDirectory) => worst = Errno::Access,
                Err(_) => {}
                found => return found,
            }
        }
        Err(worst)
    }

    fn program(&self, name: &str) -> Result<FoundProgram, Errno> {
        let program = self.machine.program(name).or_else(|| toybox::program(name));
        program.map(FoundProgram::Program).ok_or(Errno::NoEntry)
    }

    /// What a file does when it is executed: a script runs, a program's file is its program.
    fn executable(&self, path: &str) -> Result<FoundProgram, Errno> {
        let (real, content) = self.files(|files, actor| {
            if files.stat(actor, path)?.is_directory() {
                return Err(Errno::IsDirectory);
            }
            files.access(actor, path, Access::Execute)?;
            Ok((files.canonical(actor, path)?, files.read(actor, path)?))
        })?;
        let (directory, _) = real.rsplit_once('/').unwrap_or(("", &real));
        if PROGRAM_DIRECTORIES.contains(&directory) && !content.starts_with(b"#!") {
            // A link such as `ls -> toybox` is the program of the link's own name.
            let name = path.rsplit('/').next().unwrap_or(path);
            return self.program(name);
        }
        Ok(FoundProgram::Script { path: path.to_owned(), content })
    }
}

/// Runs a call as a process; returns its exit code, or the signal that killed it.
async fn launch(mut call: Call) -> Result<u8, u8> {
    let name = call.args.first().cloned().unwrap_or_default();
    if call.depth >= limits::MAX_DEPTH {
        call.err(format!("{SELF}: {name}: nested too deep\n")).await;
        return Ok(126);
    }
    let found = match call.find(&name) {
        Ok(found) => found,
        Err(error @ (Errno::Access | Errno::IsDirectory)) => {
            call.err(format!("{SELF}: {name}: can't execute: {error}\n")).await;
            return Ok(126);
        }
        Err(_) => {
            call.err(format!("{SELF}: {name}: inaccessible or not found\n")).await;
            return Ok(127);
        }
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
        return Ok(call.conclude(ended).await);
    }
    let running = match machine.kernel().processes.start(process) {
        Ok(running) => running,
        Err(error) => {
            call.err(format!("{SELF}: can't fork: {error}\n")).await;
            return Ok(126);
        }
    };
    call.pid = running.pid;
    let ended = tokio::select! {
        biased;
        number = running.killed() => return running.end_by(number),
        ended = Box::pin(perform(&found, &mut call)) => ended,
    };
    Ok(call.conclude(ended).await)
}

async fn perform(found: &FoundProgram, call: &mut Call) -> ExitResult {
    match found {
        FoundProgram::Program(program) => program.run(call).await,
        FoundProgram::Script { path, content } => {
            let text = String::from_utf8_lossy(content).into_owned();
            let mut shell = Shell::within(call);
            let name = call.args.first().filter(|name| name.contains('/')).unwrap_or(path).clone();
            shell.take_arguments(name, call.args.iter().skip(1).cloned().collect());
            Ok(Box::pin(shell.script(&text)).await)
        }
    }
}
