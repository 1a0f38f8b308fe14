//! Commands that are the shell's own because they change it.

use super::{Flow, Shell};
use crate::Errno;

/// Builtins whose mistakes end what runs, and which keep what is assigned for them.
const SPECIAL: &[&str] = &[
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift",
    "times", "trap", "unset",
];

/// The other builtins. Without its backslash `\builtin` could be a function.
const BUILTINS: &[&str] = &[
    "[",
    "\\builtin",
    "alias",
    "bg",
    "bind",
    "builtin",
    "cd",
    "command",
    "echo",
    "false",
    "fc",
    "fg",
    "getopts",
    "jobs",
    "kill",
    "let",
    "print",
    "pwd",
    "read",
    "source",
    "suspend",
    "test",
    "true",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "wait",
    "whence",
];

pub(super) fn is_special(name: &str) -> bool {
    SPECIAL.contains(&name)
}

/// Whether a name is the shell's own.
pub(super) fn is_builtin(name: &str) -> bool {
    is_special(name) || BUILTINS.contains(&name)
}

impl Shell {
    pub(super) async fn builtin(&mut self, args: Vec<String>) -> Flow {
        let name = args.first().cloned().unwrap_or_default();
        let words = args.get(1..).unwrap_or_default();
        match name.as_str() {
            "echo" => Box::pin(self.echo(words)).await,
            "print" => Box::pin(self.print(words)).await,
            "test" | "[" => match self.answered(args) {
                Ok(args) => Box::pin(self.run_within(args)).await,
                Err(fault) => {
                    self.complain(&format!("{name}: {}", fault.0)).await;
                    self.conclude(2)
                }
            },
            ":" | "true" | "suspend" => self.conclude(0),
            "false" => self.conclude(1),
            "pwd" => Box::pin(self.pwd(words)).await,
            "break" => Box::pin(self.leave_loop("break", words)).await,
            "continue" => Box::pin(self.leave_loop("continue", words)).await,
            "exit" => Box::pin(self.leave("exit", words)).await,
            "return" => Box::pin(self.leave("return", words)).await,
            "eval" => Box::pin(self.evaluate_script(&words.join(" "))).await,
            "." | "source" => Box::pin(self.source(&name, words)).await,
            "exec" => Box::pin(self.exec(words.to_vec())).await,
            "command" => Box::pin(self.command_builtin(words.to_vec())).await,
            "builtin" | "\\builtin" => match words.first() {
                Some(name) if !is_builtin(name) => {
                    self.complain(&format!("builtin: {name}: not found")).await;
                    self.status = 1;
                    Flow::Fault
                }
                Some(_) => Box::pin(self.builtin(words.to_vec())).await,
                None => self.conclude(0),
            },
            "whence" => Box::pin(self.whence(&name, words)).await,
            "alias" => Box::pin(self.alias(words)).await,
            "unalias" => Box::pin(self.unalias(words)).await,
            "cd" => Box::pin(self.cd(words)).await,
            "export" | "readonly" | "typeset" => Box::pin(self.declare(&name, words)).await,
            "let" if words.is_empty() => Box::pin(self.refuse_use("let", "missing argument", 1)).await,
            "let" => {
                let done = Box::pin(self.compute(words)).await;
                self.flow(done).await
            }
            "trap" => Box::pin(self.trap(words)).await,
            "read" => Box::pin(self.read(words)).await,
            "getopts" => Box::pin(self.getopts(words)).await,
            "set" => Box::pin(self.set(words)).await,
            "shift" => Box::pin(self.shift(words)).await,
            "umask" => Box::pin(self.umask_builtin(words)).await,
            "ulimit" => Box::pin(self.ulimit(words)).await,
            "unset" => Box::pin(self.unset(words)).await,
            "wait" => Box::pin(self.wait(words)).await,
            "jobs" => Box::pin(self.list_jobs(words)).await,
            "kill" => Box::pin(self.kill(words)).await,
            "times" => self.say("0m00.00s 0m00.00s\n0m00.00s 0m00.00s\n").await,
            "fc" => self.refuse_use("fc", "history functions not available", 1).await,
            "bind" => self.refuse_use("bind", "can't bind, not a tty", 1).await,
            _ => self.refuse_use(&name, "job control not enabled", 1).await,
        }
    }

    pub(super) fn conclude(&mut self, code: u8) -> Flow {
        self.status = code;
        Flow::Next
    }

    /// Writes as a builtin does: a broken pipe ends the shell.
    pub(super) async fn say(&mut self, text: &str) -> Flow {
        let written = self.streams.stdout.write(text.to_owned()).await;
        self.written(written)
    }

    /// What becomes of a builtin that has written.
    pub(super) fn written(&mut self, written: Result<(), crate::OutputError>) -> Flow {
        match written {
            Ok(()) => self.conclude(0),
            Err(broken) => {
                self.status = broken.code();
                if broken == crate::OutputError::Reader { Flow::Exit } else { Flow::Next }
            }
        }
    }

    async fn leave_loop(&mut self, name: &str, words: &[String]) -> Flow {
        let word = words.first().map_or("1", String::as_str);
        if let Some(letter) = word.strip_prefix('-').and_then(|rest| rest.chars().next()) {
            return self.refuse_use(name, &format!("-{letter}: unknown option"), 1).await;
        }
        let levels = match word.parse::<u32>() {
            Err(_) => return self.refuse_use(name, &format!("bad number: {word}"), 1).await,
            Ok(0) => return self.refuse_use(name, "0: bad value", 1).await,
            Ok(levels) => levels,
        };
        self.status = 0;
        if self.loops == 0 {
            self.complain(&format!("{name}: can't {name}")).await;
            return Flow::Next;
        }
        if levels > self.loops {
            self.complain(&format!("{name}: can only {name} {} level(s)", self.loops)).await;
        }
        let levels = levels.min(self.loops);
        if name == "break" { Flow::Break(levels) } else { Flow::Continue(levels) }
    }

    async fn leave(&mut self, name: &str, words: &[String]) -> Flow {
        if words.len() > 1 {
            return self.refuse_use(name, "too many arguments", 1).await;
        }
        if let Some(word) = words.first() {
            // As a process's exit code, only the lowest byte counts.
            match word.parse::<i64>() {
                Ok(code) => self.status = code.rem_euclid(256) as u8,
                Err(_) => return self.refuse_use(name, &format!("bad number: {word}"), 1).await,
            }
        }
        if name == "exit" { Flow::Exit } else { Flow::Return }
    }

    /// `exec COMMAND...`: what runs then is the end, a function as well.
    async fn exec(&mut self, mut words: Vec<String>) -> Flow {
        words.drain(..usize::from(words.first().is_some_and(|word| word == "--")));
        let function = words.first().and_then(|name| self.functions.get(name)).cloned();
        let flow = match function {
            Some(body) => self.call_function(&body, words).await,
            None => self.run_program(words, Vec::new(), self.streams.clone()).await,
        };
        if flow == Flow::Next { Flow::Exit } else { flow }
    }

    async fn evaluate_script(&mut self, script: &str) -> Flow {
        // A script without a command succeeds.
        self.status = if script.trim().is_empty() { 0 } else { self.status };
        self.lines(script).await
    }

    async fn source(&mut self, name: &str, words: &[String]) -> Flow {
        let Some(path) = words.first() else {
            return self.refuse_use(".", "missing argument", 1).await;
        };
        let call = self.call_with(Vec::new(), self.streams.clone());
        let read = match call.open_path(path) {
            Err(_) if !path.contains('/') => {
                call.which(path).map_or(Err(Errno::NoEntry), |found| call.open_path(&found))
            }
            read => read,
        };
        let text = match read {
            Ok(input) => input.read_all().await,
            Err(error) => {
                self.complain(&format!("{name}: {path}: {error}")).await;
                self.status = 1;
                return if self.lenient { Flow::Next } else { Flow::Fault };
            }
        };
        let given = words.len() > 1;
        let outer = self.positional.clone();
        if given {
            self.positional = words[1..].to_vec();
        }
        self.status = 0;
        let flow = self.lines(&String::from_utf8_lossy(&text)).await;
        if given {
            self.positional = outer;
        }
        if matches!(flow, Flow::Return | Flow::Fault) { Flow::Next } else { flow }
    }

    async fn command_builtin(&mut self, mut words: Vec<String>) -> Flow {
        let options = match Self::split_options("pvV", &words) {
            Ok((options, _)) => options,
            Err(problem) => return self.refuse_use("command", &problem, 1).await,
        };
        if options.contains(['v', 'V']) {
            return Box::pin(self.whence("command", &words)).await;
        }
        words.drain(..words.iter().take_while(|word| word.starts_with('-')).count());
        match words.first() {
            None => self.conclude(0),
            Some(name) if is_builtin(name) => {
                let outer = std::mem::replace(&mut self.lenient, true);
                let flow = Box::pin(self.builtin(words)).await;
                self.lenient = outer;
                flow
            }
            Some(_) => self.run_program(words, Vec::new(), self.streams.clone()).await,
        }
    }
}
