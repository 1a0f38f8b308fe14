//! The shell: a script in, an exit code out. It finds commands; it is none.

mod arithmetic;
mod array;
mod brace;
mod bracket;
mod builtin;
mod builtin_state;
mod compound;
mod declare;
mod dollar;
mod execute;
mod expand;
mod field;
mod glob;
mod interactive;
mod job;
mod lexer;
mod name;
mod options;
mod parameter;
mod parser;
mod read;
mod redirect;
mod say;
mod simple;
mod token;
mod tree;

pub use field::split_fields;
pub use interactive::Terminal;
pub(crate) use options::Beginning;

use crate::call::Family;
use crate::machine::Machine;
use crate::pattern::TooLong;
use crate::stream::{Input, Io, Output};
use crate::{Errno, Identity, Pid, Process, ProcessGuard, limits};
use bytes::Bytes;
use declare::VariableForm;
use job::{BackgroundJob, Traps};
use options::ShellOptions;
use parser::{Aliases, Parser};
use read::OptionPlace;
use redirect::Streams;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tree::ShellCommand;

use builtin::{is_builtin, is_special};

/// What a shell's complaints begin with.
pub(crate) const SELF: &str = "/system/bin/sh";

/// Variables a shell begins with, unless it is given others.
const VARIABLES: &[(&str, &str)] = &[
    ("PATH", "/system/bin:/system/xbin:/vendor/bin"),
    ("HOME", "/"),
    ("SHELL", SELF),
    ("TMPDIR", "/data/local/tmp"),
    ("TERM", "dumb"),
];

/// Variables that its commands do not see.
const OWN_VARIABLES: &[(&str, &str)] = &[
    ("COLUMNS", "80"),
    ("IFS", " \t\n"),
    ("KSH_VERSION", "@(#)MIRBSD KSH R59 2020/10/31 Android"),
    ("LINES", "24"),
    ("OPTIND", "1"),
    ("PS1", "$ "),
    ("PS2", "> "),
    ("PS3", "#? "),
    ("PS4", "+ "),
];

/// A shell. It runs one script or one session; a clone is a subshell.
#[derive(Clone)]
pub struct Shell {
    machine: Arc<dyn Machine>,
    identity: Identity,
    variables: Arc<BTreeMap<String, Variable>>,
    functions: Arc<BTreeMap<String, Arc<ShellCommand>>>,
    /// What `local` hid, by function call.
    hidden: Vec<Vec<(String, Option<Variable>)>>,
    positional: Vec<String>,
    name: String,
    cwd: String,
    umask: u32,
    status: u8,
    pid: Pid,
    jobs: Vec<BackgroundJob>,
    last_job: Option<Pid>,
    options: ShellOptions,
    /// Inside a condition, where a failure is an answer.
    conditions: usize,
    depth: usize,
    family: Arc<Family>,
    streams: Streams,
    terminal: Io,
    aliases: Arc<Aliases>,
    traps: Traps,
    /// The exit codes of the last pipeline.
    pipe_status: Vec<u8>,
    option_place: OptionPlace,
    /// The exit code of the last `$(...)` of a command.
    substituted: Option<u8>,
    /// The trap for errors has run for the command that ends.
    error_told: bool,
    /// Loops around what runs, in this function.
    loops: u32,
    /// A special builtin that cannot go on ends nothing: it runs through `command`.
    lenient: bool,
    started: Duration,
    /// What `ulimit` was told.
    limits: BTreeMap<char, String>,
    /// The process that the next program takes the place of.
    replaced: Option<Pid>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Variable {
    /// Its value; of an array, the one at 0.
    value: String,
    /// The other values of an array, by their numbers.
    more: BTreeMap<u32, String>,
    /// An array without a value at 0.
    headless: bool,
    exported: bool,
    read_only: bool,
    form: VariableForm,
}

/// Where to go on after a command; its exit code is the shell's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break(u32),
    Continue(u32),
    Return,
    /// Something went wrong that ends a function or a script; behind it things go on.
    Fault,
    Exit,
}

/// What a script did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellResult {
    pub code: u8,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Runs a script to its end with this input, and keeps what it writes.
pub async fn run(machine: Arc<dyn Machine>, identity: Identity, script: &str, stdin: &[u8]) -> ShellResult {
    let limit = limits::MAX_HELD;
    let (stdout, stderr) = (Output::collector(limit), Output::collector(limit));
    let io = Io {
        stdin: Input::bytes(Bytes::copy_from_slice(stdin)),
        stdout: stdout.clone(),
        stderr: stderr.clone(),
    };
    let code = Shell::new(machine, identity).run(script, io).await;
    ShellResult { code, stdout: stdout.collected(), stderr: stderr.collected() }
}

impl Shell {
    /// A shell of this user, in the root directory.
    pub fn new(machine: Arc<dyn Machine>, identity: Identity) -> Self {
        let io = Io::none();
        let mut shell = Self {
            variables: Arc::default(),
            functions: Arc::default(),
            hidden: Vec::new(),
            positional: Vec::new(),
            name: SELF.to_owned(),
            cwd: "/".to_owned(),
            umask: 0,
            status: 0,
            pid: Pid(0),
            jobs: Vec::new(),
            last_job: None,
            options: ShellOptions::default(),
            conditions: 0,
            depth: 0,
            family: Arc::default(),
            streams: Streams::new(io.clone()),
            terminal: io,
            aliases: Arc::new(name::aliases()),
            traps: Traps::default(),
            pipe_status: vec![0],
            option_place: OptionPlace::default(),
            substituted: None,
            error_told: false,
            loops: 0,
            lenient: false,
            started: machine.now(),
            limits: BTreeMap::new(),
            replaced: None,
            machine,
            identity,
        };
        let user = shell.machine.user_name(shell.identity.uid);
        for (name, value) in
            VARIABLES.iter().copied().chain([("USER", user.as_str()), ("LOGNAME", user.as_str())])
        {
            shell.set_env(name, value);
        }
        shell.set_own();
        shell
    }

    /// Sets the variables that every shell begins with.
    fn set_own(&mut self) {
        let variables = Arc::make_mut(&mut self.variables);
        for (name, value) in OWN_VARIABLES {
            let variable = Variable { value: (*value).to_owned(), ..Variable::default() };
            variables.insert((*name).to_owned(), variable);
        }
    }

    /// Gives the shell a variable that its commands see.
    pub fn set_env(&mut self, name: &str, value: &str) {
        let variable = Variable { value: value.to_owned(), exported: true, ..Variable::default() };
        Arc::make_mut(&mut self.variables).insert(name.to_owned(), variable);
    }

    /// Runs a script and gives its exit code. Dropping the future ends everything
    /// the script started, except its background jobs.
    pub async fn run(&mut self, script: &str, io: Io) -> u8 {
        self.terminal = io.clone();
        self.run_as_process(script, io).await
    }

    /// Runs a script in a process of its own, below whatever terminal there is.
    pub(crate) async fn run_as_process(&mut self, script: &str, io: Io) -> u8 {
        self.streams = Streams::new(io);
        let command = if script.len() > 4096 { "sh" } else { script };
        let running = match self.start_process(self.pid, format!("sh -c {command}")) {
            Ok(running) => running,
            Err(error) => {
                self.complain(&format!("can't fork: {error}")).await;
                return 1;
            }
        };
        self.pid = running.pid;
        let code = tokio::select! {
            biased;
            signal = running.killed() => 128u8.saturating_add(signal),
            code = self.script(script) => code,
        };
        self.let_go();
        code
    }

    /// Lists a shell's process.
    fn start_process(&self, parent: Pid, command: String) -> Result<ProcessGuard, Errno> {
        let (uid, name) = (self.identity.uid, "sh".to_owned());
        self.machine.kernel().processes.start(Process { pid: Pid(0), parent, uid, name, command })
    }

    /// Lets go of the streams, so that their other ends see the end.
    fn let_go(&mut self) {
        self.terminal = Io::none();
        self.streams = Streams::new(self.terminal.clone());
    }

    /// Runs a script in a process that there already is.
    pub(crate) async fn script(&mut self, script: &str) -> u8 {
        self.lines(script).await;
        self.run_exit_trap().await;
        self.status
    }

    /// Reads a line and runs it, then the next one.
    async fn lines(&mut self, script: &str) -> Flow {
        let mut parser = Parser::new(script);
        loop {
            parser.aliases = self.aliases.clone();
            let flow = match parser.line() {
                Ok(None) => return Flow::Next,
                Ok(Some(_)) if self.options.is_on("noexec") => Flow::Next,
                Ok(Some(list)) => self.list(&list).await,
                Err(error) => {
                    self.complain(&error.to_string()).await;
                    self.status = 1;
                    Flow::Fault
                }
            };
            if flow != Flow::Next {
                return flow;
            }
        }
    }

    /// Says something as the shell itself.
    async fn complain(&self, what: &str) {
        // The reader closed the stream and needs no message.
        let _ = self.streams.stderr.write(format!("{SELF}: {what}\n")).await;
    }

    fn variable(&self, name: &str) -> Option<&str> {
        let variable = self.variables.get(self.target(name))?;
        (!variable.headless).then_some(variable.value.as_str())
    }

    /// Sets a variable; whether it is exported stays as it was.
    fn assign(&mut self, name: &str, value: String) -> Result<(), ShellFault> {
        let value = self.formed(name, value)?;
        self.has_room(name, &value)?;
        let variable = self.changeable(name)?;
        variable.value = value;
        variable.headless = false;
        Ok(())
    }

    fn change_directory(&mut self, path: &str) -> Result<(), Errno> {
        let wanted = crate::call::join(&self.cwd, path);
        let actor = crate::Actor { who: &self.identity, umask: self.umask, now: self.machine.now() };
        let logical = normal(&wanted);
        self.machine.refresh(&wanted, self.pid);
        self.machine.kernel().files.with(|files| {
            if !files.stat(&actor, &wanted)?.is_directory() {
                return Err(Errno::NotDirectory);
            }
            files.access(&actor, &wanted, crate::Access::Execute)
        })?;
        self.cwd = logical;
        Ok(())
    }
}

/// A path without dots, by its letters alone.
fn normal(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// Why the shell gives a script up, and its exit code then.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShellFault(String, u8);

impl From<TooLong> for ShellFault {
    fn from(_: TooLong) -> Self {
        Self("pattern too long".to_owned(), 1)
    }
}
