//! What runs beside the shell, and what signals do to both: jobs, `kill`, `wait`, `trap`.

use super::options::quoted;
use super::redirect::RedirectEnd;
use super::{Flow, Shell};
use crate::stream::{Input, Output, pipe};
use crate::{Pid, signal};
use std::collections::BTreeMap;

/// A background job, as long as the shell remembers it.
#[derive(Debug, Clone)]
pub(super) struct BackgroundJob {
    pub(super) pid: Pid,
    number: usize,
    text: String,
    /// How it ended: its exit code, or the signal that killed it.
    end: tokio::sync::watch::Receiver<Option<Result<u8, u8>>>,
    /// The shell has not waited for anything since it began: it is still its copy, and the signals
    /// that end a shell end it without a trace.
    fresh: bool,
    /// The job of the shell that this one is a copy of: it is not waited for.
    pub(super) inherited: bool,
}

/// What runs when a signal comes, when a command fails, and at the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Traps {
    exit: Option<String>,
    error: Option<String>,
    signals: BTreeMap<u8, String>,
}

/// What a trap waits for.
enum TrapEvent {
    Exit,
    Error,
    Signal(u8),
}

impl TrapEvent {
    fn read(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "EXIT" | "0" => Some(Self::Exit),
            "ERR" => Some(Self::Error),
            _ => signal::number(text).map(Self::Signal),
        }
    }
}

impl Shell {
    pub(super) async fn trap(&mut self, words: &[String]) -> Flow {
        let words = match words {
            [first, rest @ ..] if first == "--" => rest,
            [first, ..] if first.starts_with('-') && first != "-" => {
                return self.refuse_use("trap", &format!("{first}: unknown option"), 1).await;
            }
            words => words,
        };
        let Some((first, rest)) = words.split_first() else {
            let text = self.traps.list();
            return self.say(&text).await;
        };
        let resets = first.parse::<u8>().is_ok();
        let command = Some(first.clone()).filter(|command| command != "-" && !resets);
        let mut code = 0;
        for word in if resets { words } else { rest } {
            match TrapEvent::read(word) {
                Some(TrapEvent::Exit) => self.traps.exit.clone_from(&command),
                Some(TrapEvent::Error) => self.traps.error.clone_from(&command),
                Some(TrapEvent::Signal(number)) => match &command {
                    Some(command) => drop(self.traps.signals.insert(number, command.clone())),
                    None => drop(self.traps.signals.remove(&number)),
                },
                None => {
                    self.complain(&format!("trap: bad signal '{word}'")).await;
                    code = 1;
                }
            }
        }
        self.machine.kernel().processes.catch(self.pid, self.traps.signals.keys().copied());
        self.conclude(code)
    }

    /// Runs what waits for the signals that have come.
    pub(super) async fn run_traps(&mut self) -> Flow {
        if self.traps.signals.is_empty() {
            return Flow::Next;
        }
        for number in self.machine.kernel().processes.take_caught(self.pid) {
            let command = self.traps.signals.get(&number).cloned();
            let flow = self.run_trap(command).await;
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    pub(super) async fn run_error_trap(&mut self) -> Flow {
        // A failure is reported once, however many commands it is the end of.
        if std::mem::replace(&mut self.error_told, true) {
            return Flow::Next;
        }
        let command = self.traps.error.take();
        let flow = self.run_trap(command.clone()).await;
        self.traps.error = self.traps.error.take().or(command);
        self.error_told = true;
        flow
    }

    /// Runs what was kept for the end; the exit code stays, unless that exits too.
    pub(super) async fn run_exit_trap(&mut self) {
        let command = self.traps.exit.take();
        self.run_trap(command).await;
    }

    async fn run_trap(&mut self, command: Option<String>) -> Flow {
        let Some(command) = command else {
            return Flow::Next;
        };
        let status = self.status;
        let flow = Box::pin(self.lines(&command)).await;
        if flow == Flow::Next {
            self.status = status;
        }
        flow
    }

    /// Keeps a job; its number is the lowest that is free.
    pub(super) fn remember(
        &mut self,
        pid: Pid,
        text: &str,
        end: tokio::sync::watch::Receiver<Option<Result<u8, u8>>>,
    ) {
        // What has ended and was waited for is gone; what has no waiter must not pile up.
        if self.jobs.len() >= crate::limits::MAX_PROCESSES {
            self.jobs.remove(0);
        }
        let number = (1..).find(|number| self.jobs.iter().all(|job| job.number != *number)).unwrap_or(1);
        let text = text.strip_prefix('\\').unwrap_or(text).to_owned();
        self.jobs.push(BackgroundJob { pid, number, text, end, fresh: true, inherited: false });
    }

    /// The shell has waited, so that its jobs have begun.
    pub(super) fn jobs_have_begun(&mut self) {
        self.jobs.iter_mut().for_each(|job| job.fresh = false);
    }

    /// Pipes between the shell and its co-process; the other ends are given.
    pub(super) fn open_coprocess(&mut self) -> (Input, Output) {
        let (writer, theirs) = pipe();
        let (answers, reader) = pipe();
        self.streams.coprocess = Some((RedirectEnd::In(reader), RedirectEnd::Out(writer)));
        (theirs, answers)
    }

    /// The job that `%1`, `%%` or a number of a process means.
    fn job_at(&self, word: &str) -> Option<usize> {
        match word.strip_prefix('%') {
            Some("" | "%" | "+") => self.jobs.len().checked_sub(1),
            Some("-") => self.jobs.len().checked_sub(2),
            Some(text) => match text.parse::<usize>() {
                Ok(number) => self.jobs.iter().position(|job| job.number == number),
                Err(_) => self.jobs.iter().position(|job| job.text.starts_with(text)),
            },
            None => self.jobs.iter().position(|job| job.pid.to_string() == word),
        }
    }

    pub(super) async fn list_jobs(&mut self, words: &[String]) -> Flow {
        let (options, words) = match Self::split_options("lnp", words) {
            Ok(split) => split,
            Err(problem) => return self.refuse_use("jobs", &problem, 1).await,
        };
        if let Some(word) = words.iter().find(|word| self.job_at(word).is_none()) {
            return self.refuse_use("jobs", &format!("{word}: no such job"), 1).await;
        }
        let mut text = String::new();
        for (back, job) in self.jobs.iter().rev().filter(|job| job.end.borrow().is_none()).enumerate() {
            let sign = [" + ", " - "].get(back).unwrap_or(&"   ");
            let pid = if options.contains('l') { format!("{:>5} ", job.pid) } else { String::new() };
            text.push_str(&if options.contains('p') {
                format!("{}\n", job.pid)
            } else {
                format!("[{}]{sign}{pid}{:<20} \\{}\n", job.number, "Running", job.text)
            });
        }
        self.say(&text).await
    }

    pub(super) async fn wait(&mut self, words: &[String]) -> Flow {
        let words = match Self::split_options("", words) {
            Ok((_, words)) => words,
            Err(problem) => return self.refuse_use("wait", &problem, 1).await,
        };
        self.jobs_have_begun();
        let mut code = 0;
        if words.is_empty() {
            while let Some(job) = self.jobs.iter().find(|job| !job.inherited).cloned() {
                if self.end_of(job).await.is_none() {
                    return Flow::Next;
                }
            }
        }
        for word in words {
            let Some(at) = self.job_at(word).filter(|at| !self.jobs[*at].inherited) else {
                code = 127;
                if !word.starts_with('%') && word.parse::<u32>().is_err() {
                    let problem = format!("wait: {word}: argument must be %job or process id");
                    self.complain(&problem).await;
                }
                continue;
            };
            match self.end_of(self.jobs[at].clone()).await {
                Some(Ok(ended)) => code = ended,
                Some(Err(signal)) => code = announce(&self.streams.stderr, signal).await,
                None => return Flow::Next,
            }
        }
        self.conclude(code)
    }

    /// Waits for a job and forgets it; none where a signal that is trapped comes first.
    async fn end_of(&mut self, mut job: BackgroundJob) -> Option<Result<u8, u8>> {
        let processes = &self.machine.kernel().processes;
        let end = tokio::select! {
            biased;
            // A job whose end is not told was aborted with its machine.
            end = job.end.wait_for(Option::is_some) => end.map_or(Err(9), |end| end.unwrap_or(Err(9))),
            number = processes.caught(self.pid) => {
                self.status = 128 + number;
                return None;
            }
        };
        self.jobs.retain(|other| other.pid != job.pid);
        if self.options.is_on("monitor") && end == Ok(0) {
            let line = format!("[{}] + {:<20} \\{} \n", job.number, "Done", job.text);
            // The reader closed the stream and needs no message.
            let _ = self.streams.stderr.write(line).await;
        }
        Some(end)
    }

    pub(super) async fn kill(&mut self, words: &[String]) -> Flow {
        let mut words = words;
        if let [option, rest @ ..] = words
            && option == "-l"
        {
            return self.list_signals(rest).await;
        }
        let mut number = 15;
        if let [option, rest @ ..] = words
            && let Some(name) = option.strip_prefix('-').filter(|name| !name.is_empty() && *name != "-")
        {
            words = rest;
            let mut name = name;
            if name == "s" || name == "n" {
                name = rest.first().map_or("", String::as_str);
                words = rest.get(1..).unwrap_or_default();
            }
            match signal::number(name) {
                Some(found) => number = found,
                None => return self.refuse_use("kill", &format!("bad signal '{name}'"), 1).await,
            }
        }
        words = words.strip_prefix(&["--".to_owned()]).unwrap_or(words);
        if words.is_empty() {
            let usage = "usage:\tkill [-s signame | -signum | -signame] { job | pid | pgrp } ...\n\tkill -l [exit_status ...]\n";
            // The reader closed the stream and needs no message.
            let _ = self.streams.stderr.write(usage).await;
            return self.conclude(1);
        }
        let mut code = 0;
        for word in words {
            if let Err(problem) = self.send_signal(word, number) {
                self.complain(&format!("kill: {word}: {problem}")).await;
                code = 1;
            }
        }
        self.status = code;
        // What ends this very shell ends it here.
        tokio::task::yield_now().await;
        Flow::Next
    }

    fn send_signal(&mut self, word: &str, number: u8) -> Result<(), String> {
        let job = self.job_at(word);
        let pid = match (job, word.parse::<u32>()) {
            (Some(at), _) => self.jobs[at].pid,
            (None, Ok(pid)) => Pid(pid),
            (None, Err(_)) if word.starts_with('%') => return Err("no such job".to_owned()),
            (None, Err(_)) => return Err("arguments must be jobs or process IDs".to_owned()),
        };
        let processes = &self.machine.kernel().processes;
        processes.signal(self.identity.uid, pid, number).map_err(|error| error.to_string())?;
        if let Some(job) = job.and_then(|at| self.jobs.get_mut(at))
            && job.fresh
            && signal::SHELL_ENDS.contains(&number)
        {
            let (_, ended) = tokio::sync::watch::channel(Some(Ok(0)));
            job.end = ended;
        }
        Ok(())
    }

    async fn list_signals(&mut self, words: &[String]) -> Flow {
        if words.is_empty() {
            return self.say(&signal::list()).await;
        }
        let mut text = String::new();
        for word in words {
            let Ok(number) = word.parse::<u8>() else {
                self.say(&text).await;
                return self.refuse_use("kill", &format!("bad number: {word}"), 1).await;
            };
            let known = signal::about(if number > 128 { number - 128 } else { number });
            text.push_str(&known.map_or_else(|| format!("{number}\n"), |(name, _)| format!("{name}\n")));
        }
        self.say(&text).await
    }
}

impl Traps {
    /// The same in a copy of the shell: only what is ignored stays so.
    pub(super) fn in_subshell(&self) -> Self {
        let ignored = self.signals.iter().filter(|(_, command)| command.is_empty());
        Self { signals: ignored.map(|(number, _)| (*number, String::new())).collect(), ..Self::default() }
    }

    fn list(&self) -> String {
        let exit = self.exit.iter().map(|command| ("EXIT", command));
        let signals = self.signals.iter();
        let signals =
            signals.map(|(number, command)| (signal::about(*number).map_or("", |known| known.0), command));
        let error = self.error.iter().map(|command| ("ERR", command));
        let all = exit.chain(signals).chain(error);
        all.map(|(event, command)| format!("trap -- {} {event}\n", quoted(command))).collect()
    }
}

/// Says what killed a process, and gives its exit code.
pub(super) async fn announce(stderr: &Output, number: u8) -> u8 {
    if let Some((_, words)) = signal::about(number).filter(|_| ![signal::INT, signal::PIPE].contains(&number))
    {
        // The reader closed the stream and needs no message.
        let _ = stderr.write(format!("{words} \n")).await;
    }
    128u8.saturating_add(number)
}
