//! One simple command: assignments, words, and who runs them.

use super::array::VariableChange;
use super::is_special;
use super::job::announce;
use super::options::{quoted, quoted_words};
use super::redirect::{RedirectError, Streams};
use super::tree::{Assignment, Redirect, ShellWord};
use super::{Flow, Shell, ShellFault, Variable};
use crate::call::Call;
use crate::machine::Stop;
use crate::stream::{Io, OutputError};
use std::sync::Arc;

impl Shell {
    /// A shell in the surroundings of a call, as `sh` starts one.
    pub(crate) fn within(call: &Call) -> Self {
        let mut shell = Self::new(call.machine.clone(), call.identity.clone());
        shell.variables = Arc::default();
        shell.set_own();
        for (name, value) in &call.env {
            shell.set_env(name, value);
        }
        shell.cwd.clone_from(&call.cwd);
        shell.umask = call.umask;
        shell.pid = call.pid;
        shell.depth = call.depth + 1;
        shell.family = call.family.clone();
        shell.terminal = call.terminal.clone();
        let io = Io { stdin: call.stdin.clone(), stdout: call.stdout.clone(), stderr: call.stderr.clone() };
        shell.streams = Streams::new(io);
        shell
    }

    /// Sets `$0` and the positional parameters.
    pub(crate) fn take_arguments(&mut self, name: String, positional: Vec<String>) {
        self.name = name;
        self.positional = positional;
    }

    pub(super) async fn refuse(&mut self, refused: RedirectError) -> Flow {
        match refused {
            RedirectError::Command(message) => {
                self.complain(&message).await;
                self.conclude(1)
            }
            RedirectError::Script(fault) => self.flow(Err(fault)).await,
        }
    }

    /// Says that a builtin cannot be used like this: one of the special ones ends what runs.
    pub(super) async fn refuse_use(&mut self, name: &str, what: &str, code: u8) -> Flow {
        self.complain(&format!("{name}: {what}")).await;
        self.status = code;
        if is_special(name) && !self.lenient { Flow::Fault } else { Flow::Next }
    }

    pub(super) async fn simple(
        &mut self,
        assignments: &[Assignment],
        words: &[ShellWord],
        redirects: &[Redirect],
    ) -> Result<Flow, ShellFault> {
        self.error_told = false;
        self.substituted = None;
        let args = self.fields(words).await?;
        let streams = match Box::pin(self.redirected(redirects)).await {
            Ok(streams) => streams,
            Err(refused) => {
                let flow = self.refuse(refused).await;
                let ends = args.first().is_some_and(|name| is_special(name));
                return Ok(if ends { Flow::Fault } else { flow });
            }
        };
        let mut shown = String::new();
        let mut values = Vec::new();
        for assignment in assignments {
            let change = self.change(assignment).await?;
            if let VariableChange::Text(name, value) = &change
                && self.options.is_on("xtrace")
            {
                shown.push_str(&format!("{name}={} ", quoted(value)));
            }
            match change {
                // Each value is there for the next.
                change if args.is_empty() => self.apply_change(change)?,
                VariableChange::Text(name, _) if self.is_read_only(&name) => {
                    return Err(ShellFault(format!("read-only: {name}"), 2));
                }
                VariableChange::Text(name, value) => values.push((name, value)),
                // A command gets no arrays.
                VariableChange::Elements { .. } => {}
            }
        }
        if !shown.is_empty() || !args.is_empty() {
            self.trace(|| shown + &quoted_words(&args)).await;
        }
        if args.is_empty() {
            return Ok(self.conclude(self.substituted.unwrap_or(0)));
        }
        // What `exec` does to streams that are not the command's own stays.
        let streams = Some(streams).filter(|_| !redirects.is_empty());
        Ok(Box::pin(self.run_words(args, values, streams)).await)
    }

    fn is_read_only(&self, name: &str) -> bool {
        self.variables.get(self.target(name)).is_some_and(|variable| variable.read_only)
    }

    /// Runs a command that has words: a builtin, a function, or a program.
    async fn run_words(
        &mut self,
        args: Vec<String>,
        values: Vec<(String, String)>,
        streams: Option<Streams>,
    ) -> Flow {
        let name = args.first().map_or("", String::as_str);
        if name == "exec" && args.len() == 1 {
            self.streams = streams.unwrap_or_else(|| self.streams.clone());
            self.status = 0;
            // What cannot be changed stays.
            let _ = values.into_iter().try_for_each(|(name, value)| self.assign(&name, value));
            return Flow::Next;
        }
        // What is assigned for a special builtin stays.
        let stays = is_special(name);
        let function = self.functions.get(name).filter(|_| !stays).cloned();
        let is_builtin = function.is_none();
        if is_builtin && !super::is_builtin(name) {
            let streams = streams.unwrap_or_else(|| self.streams.clone());
            return Box::pin(self.run_program(args, values, streams)).await;
        }
        let before = self.variables.clone();
        for (name, value) in &values {
            if stays {
                // It was found to be changeable.
                let _ = self.assign(name, value.clone());
            } else {
                self.set_env(name, value);
            }
        }
        let outer = streams.map(|streams| std::mem::replace(&mut self.streams, streams));
        let flow = match function {
            Some(body) => Box::pin(self.call_function(&body, args)).await,
            None => Box::pin(self.builtin(args)).await,
        };
        self.error_told &= !is_builtin;
        if let Some(outer) = outer {
            self.streams = outer;
        }
        for (name, _) in values.into_iter().filter(|_| !stays) {
            let variable = before.get(&name).cloned();
            self.put_back(name, variable);
        }
        flow
    }

    pub(super) async fn run_program(
        &mut self,
        args: Vec<String>,
        values: Vec<(String, String)>,
        streams: Streams,
    ) -> Flow {
        let stderr = streams.stderr.clone();
        let mut call = self.call_with(args, streams);
        call.env.extend(values);
        call.replaces = self.replaced.take();
        let ended = call.launch_and_tell().await;
        self.jobs_have_begun();
        self.status = match ended {
            Ok(code) => code,
            Err(signal) => announce(&stderr, signal).await,
        };
        Flow::Next
    }

    /// Runs one of the basic commands in the shell itself. A broken pipe ends the
    /// shell, as the signal would.
    pub(super) async fn run_within(&mut self, args: Vec<String>) -> Flow {
        let Some(program) = args.first().and_then(|name| crate::toybox::program(name)) else {
            return Flow::Next;
        };
        let mut call = self.call_with(args, self.streams.clone());
        let ended = program.run(&mut call).await;
        let flow = if ended == Err(Stop::Output(OutputError::Reader)) { Flow::Exit } else { Flow::Next };
        self.status = call.conclude(ended).await;
        flow
    }

    /// Makes a variable what it was before; none if there was none.
    pub(super) fn put_back(&mut self, name: String, variable: Option<Variable>) {
        let variables = Arc::make_mut(&mut self.variables);
        match variable {
            Some(variable) => variables.insert(name, variable),
            None => variables.remove(&name),
        };
    }

    pub(super) async fn call_function(
        &mut self,
        body: &super::tree::ShellCommand,
        args: Vec<String>,
    ) -> Flow {
        let outer = std::mem::replace(&mut self.positional, args.into_iter().skip(1).collect());
        self.hidden.push(Vec::new());
        let (loops, options) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.option_place));
        let flow = Box::pin(self.command(body)).await;
        for (name, variable) in self.hidden.pop().unwrap_or_default().into_iter().rev() {
            self.put_back(name, variable);
        }
        (self.positional, self.loops, self.option_place) = (outer, loops, options);
        if matches!(flow, Flow::Return | Flow::Fault) { Flow::Next } else { flow }
    }
}
