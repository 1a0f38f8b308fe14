//! Commands that are the shell's own because they change it.

use super::{Flow, Shell, parse};
use crate::Pid;

/// Every builtin; those that change nothing run as the basic command of their name.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "alias", "break", "builtin", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "getopts", "hash", "jobs", "let", "local", "print", "printf", "pwd", "read",
    "readonly", "return", "set", "shift", "source", "test", "trap", "true", "type", "typeset", "ulimit",
    "umask", "unalias", "unset", "wait",
];

/// Whether a name is the shell's own.
pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

impl Shell {
    pub(super) async fn builtin(&mut self, args: Vec<String>) -> Flow {
        let name = args.first().cloned().unwrap_or_default();
        let words = args.get(1..).unwrap_or_default();
        let code = match name.as_str() {
            "echo" => return Box::pin(self.run_within(with_escapes(args))).await,
            "print" => return Box::pin(self.run_within(as_echo(words))).await,
            "printf" | "test" | "[" | "true" | "false" => return Box::pin(self.run_within(args)).await,
            "pwd" => return Box::pin(self.say(&format!("{}\n", self.cwd))).await,
            "break" => return self.leave_loop(words, Flow::Break),
            "continue" => return self.leave_loop(words, Flow::Continue),
            "exit" => return self.leave(words, Flow::Exit),
            "return" => return self.leave(words, Flow::Return),
            "eval" => return Box::pin(self.evaluate_script(&words.join(" "))).await,
            "." | "source" => return Box::pin(self.source(words)).await,
            "exec" => {
                let flow = self.run_program(words.to_vec(), Vec::new(), self.streams.clone()).await;
                return if flow == Flow::Next { Flow::Exit } else { flow };
            }
            "command" | "builtin" => return Box::pin(self.command_builtin(words.to_vec())).await,
            "type" => return Box::pin(self.type_builtin(words)).await,
            "cd" => Box::pin(self.cd(words)).await,
            "export" | "readonly" | "local" | "typeset" => Box::pin(self.declare(&name, words)).await,
            "let" => return Box::pin(self.let_builtin(words)).await,
            "trap" => self.trap(words),
            "read" => Box::pin(self.read(words)).await,
            "set" => return Box::pin(self.set(words)).await,
            "shift" => Box::pin(self.shift(words)).await,
            "umask" => return Box::pin(self.umask_builtin(words)).await,
            "unset" => self.unset(words),
            "wait" => Box::pin(self.wait(words)).await,
            // Nothing here has aliases, limits to set or a hash to fill.
            _ => 0,
        };
        self.conclude(code)
    }

    /// Computes each word; the last one is the answer.
    async fn let_builtin(&mut self, words: &[String]) -> Flow {
        let last = words.iter().try_fold(0, |_, word| self.evaluate(word));
        let done = last.map(|last| self.conclude(u8::from(last == 0)));
        self.flow(done).await
    }

    /// Keeps what is to run at the end. No other signal ever reaches a script.
    fn trap(&mut self, words: &[String]) -> u8 {
        if let [command, signals @ ..] = words
            && signals.iter().any(|signal| matches!(signal.as_str(), "EXIT" | "0"))
        {
            self.exit_trap = Some(command.clone()).filter(|command| command != "-");
        }
        0
    }

    /// Runs what was kept for the end; the exit code stays, unless that exits too.
    pub(super) async fn run_exit_trap(&mut self) {
        let Some(command) = self.exit_trap.take() else {
            return;
        };
        let status = self.status;
        if Box::pin(self.evaluate_script(&command)).await != Flow::Exit {
            self.status = status;
        }
    }

    pub(super) fn conclude(&mut self, code: u8) -> Flow {
        self.status = code;
        Flow::Next
    }

    /// Writes as a builtin does: a broken pipe ends the shell.
    pub(super) async fn say(&mut self, text: &str) -> Flow {
        match self.streams.stdout.write(text.to_owned()).await {
            Ok(()) => self.conclude(0),
            Err(broken) => {
                self.status = broken.code();
                if broken == crate::OutputError::Reader { Flow::Exit } else { Flow::Next }
            }
        }
    }

    fn leave_loop(&mut self, words: &[String], flow: impl Fn(u32) -> Flow) -> Flow {
        self.status = 0;
        flow(words.first().and_then(|levels| levels.parse().ok()).unwrap_or(1))
    }

    fn leave(&mut self, words: &[String], flow: Flow) -> Flow {
        if let Some(word) = words.first() {
            // As a process's exit code, only the lowest byte counts.
            self.status = word.parse::<i64>().map_or(1, |code| code.rem_euclid(256) as u8);
        }
        flow
    }

    async fn evaluate_script(&mut self, script: &str) -> Flow {
        match parse(script) {
            Ok(list) => {
                if list.0.is_empty() {
                    self.status = 0;
                }
                self.list(&list).await
            }
            Err(error) => {
                self.complain(&error.to_string()).await;
                self.conclude(1)
            }
        }
    }

    async fn source(&mut self, words: &[String]) -> Flow {
        let Some(path) = words.first() else {
            return self.conclude(0);
        };
        let call = self.call_with(Vec::new(), self.streams.clone());
        let full = call.path(path);
        let read = call.files(|files, actor| files.read(actor, &full));
        match read {
            Ok(content) => {
                let flow = self.evaluate_script(&String::from_utf8_lossy(&content)).await;
                if flow == Flow::Return { Flow::Next } else { flow }
            }
            Err(error) => {
                self.complain(&format!(".: {path}: {error}")).await;
                self.conclude(1)
            }
        }
    }

    async fn command_builtin(&mut self, mut words: Vec<String>) -> Flow {
        match words.first().map(String::as_str) {
            None => self.conclude(0),
            Some("-v" | "-V") => {
                let mut flow = self.conclude(1);
                for name in &words[1..] {
                    if let Some(place) = self.place_of(name) {
                        flow = self.say(&format!("{place}\n")).await;
                    }
                }
                flow
            }
            Some("-p" | "--") => {
                words.remove(0);
                Box::pin(self.command_builtin(words)).await
            }
            Some(name) if is_builtin(name) => Box::pin(self.builtin(words)).await,
            Some(_) => self.run_program(words, Vec::new(), self.streams.clone()).await,
        }
    }

    /// What `command -v` says of a name.
    fn place_of(&self, name: &str) -> Option<String> {
        if is_builtin(name) || self.functions.contains_key(name) {
            return Some(name.to_owned());
        }
        self.call_with(Vec::new(), self.streams.clone()).which(name)
    }

    async fn type_builtin(&mut self, words: &[String]) -> Flow {
        let mut text = String::new();
        let mut code = 0;
        for name in words {
            text.push_str(&match self.place_of(name) {
                Some(_) if self.functions.contains_key(name) => format!("{name} is a function\n"),
                Some(_) if is_builtin(name) => format!("{name} is a shell builtin\n"),
                Some(place) => format!("{name} is {place}\n"),
                None => {
                    code = 1;
                    format!("{name} not found\n")
                }
            });
        }
        let flow = self.say(&text).await;
        self.status = self.status.max(code);
        flow
    }

    async fn wait(&mut self, words: &[String]) -> u8 {
        let wanted: Vec<Pid> = words.iter().filter_map(|word| word.parse().ok().map(Pid)).collect();
        let (waited, kept) = std::mem::take(&mut self.jobs)
            .into_iter()
            .partition(|job| wanted.is_empty() || wanted.contains(&job.pid));
        self.jobs = kept;
        let waited: Vec<super::BackgroundJob> = waited;
        let mut last = if waited.is_empty() && !words.is_empty() { 127 } else { 0 };
        for mut job in waited {
            // A job whose end is not told was aborted with its machine.
            let code = job.code.wait_for(Option::is_some).await.map_or(137, |code| code.unwrap_or(137));
            last = if words.is_empty() { 0 } else { code };
        }
        last
    }
}

/// `print` as the `echo` it is.
fn as_echo(words: &[String]) -> Vec<String> {
    let (mut raw, mut cut) = (false, false);
    let mut rest = words;
    while let [option, more @ ..] = rest
        && option.starts_with('-')
        && option.len() > 1
    {
        rest = more;
        if option == "--" {
            break;
        }
        raw |= option.contains(['r', 'R']);
        cut |= option.contains('n');
    }
    let letters = format!("-{}{}", if raw { "E" } else { "e" }, if cut { "n" } else { "" });
    [vec!["echo".to_owned(), letters], rest.to_vec()].concat()
}

/// The shell's own `echo` reads escapes unless `-E` is given; the command of
/// that name is the other way round.
fn with_escapes(mut args: Vec<String>) -> Vec<String> {
    args.insert(1, "-e".to_owned());
    args
}
