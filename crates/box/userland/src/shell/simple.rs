//! One simple command: assignments, words, and who runs them.

use super::array::VariableChange;
use super::redirect::{RedirectError, Streams};
use super::tree::{AssignedValue, Assignment, Redirect, ShellWord};
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

    pub(super) async fn simple(
        &mut self,
        assignments: &[Assignment],
        words: &[ShellWord],
        redirects: &[Redirect],
    ) -> Result<Flow, ShellFault> {
        // `$?` in the words is the one from before.
        let before = self.status;
        let args = self.fields(words).await?;
        let substituted = self.status != before;
        let streams = match Box::pin(self.redirected(redirects)).await {
            Ok(streams) => streams,
            Err(refused) => return Ok(self.refuse(refused).await),
        };
        let mut values = Vec::new();
        let mut code = 0;
        for assignment in assignments {
            match self.change(assignment).await? {
                // Each value is there for the next.
                change if args.is_empty() => self.apply_change(change)?,
                VariableChange::Text(name, value) => values.push((name, value)),
                // A command gets no arrays.
                VariableChange::Elements { .. } => {}
            }
            let runs = matches!(&assignment.value, AssignedValue::Text(word) if has_command(word));
            code = if runs { self.status } else { code };
        }
        if args.is_empty() {
            self.status = if words.is_empty() || !substituted { code } else { self.status };
            return Ok(Flow::Next);
        }
        Ok(Box::pin(self.run_words(args, values, streams)).await)
    }

    /// Runs a command that has words: a builtin, a function, or a program.
    async fn run_words(
        &mut self,
        args: Vec<String>,
        values: Vec<(String, String)>,
        streams: Streams,
    ) -> Flow {
        let name = args.first().map_or("", String::as_str);
        if name == "exec" && args.len() == 1 {
            self.streams = streams;
            self.status = 0;
            // What cannot be changed stays.
            let _ = values.into_iter().try_for_each(|(name, value)| self.assign(&name, value));
            return Flow::Next;
        }
        let function = self.functions.get(name).cloned();
        if function.is_none() && !super::is_builtin(name) {
            return Box::pin(self.run_program(args, values, streams)).await;
        }
        let before = self.variables.clone();
        for (name, value) in &values {
            self.set_env(name, value);
        }
        let outer = std::mem::replace(&mut self.streams, streams);
        let flow = match function {
            Some(body) => Box::pin(self.call_function(&body, args)).await,
            None => Box::pin(self.builtin(args)).await,
        };
        self.streams = outer;
        for (name, _) in values {
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
        let mut call = self.call_with(args, streams);
        call.env.extend(values);
        call.replaces = self.replaced.take();
        self.status = call.launch().await;
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
    fn put_back(&mut self, name: String, variable: Option<Variable>) {
        let variables = Arc::make_mut(&mut self.variables);
        match variable {
            Some(variable) => variables.insert(name, variable),
            None => variables.remove(&name),
        };
    }

    async fn call_function(&mut self, body: &super::tree::ShellCommand, args: Vec<String>) -> Flow {
        let outer = std::mem::replace(&mut self.positional, args.into_iter().skip(1).collect());
        self.hidden.push(Vec::new());
        let flow = Box::pin(self.command(body)).await;
        for (name, variable) in self.hidden.pop().unwrap_or_default().into_iter().rev() {
            self.put_back(name, variable);
        }
        self.positional = outer;
        if flow == Flow::Return { Flow::Next } else { flow }
    }
}

/// Whether a word runs a command whose exit code an assignment takes over.
fn has_command(word: &ShellWord) -> bool {
    use super::tree::WordPart;
    word.iter().any(|part| match part {
        WordPart::Command(_) => true,
        WordPart::Double(inner) => has_command(inner),
        WordPart::Plain(_)
        | WordPart::Quoted(_)
        | WordPart::Parameter(_)
        | WordPart::Arithmetic(_)
        | WordPart::Later(_) => false,
    })
}
