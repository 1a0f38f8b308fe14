//! The streams a command gets, and how redirections change them.

use super::tree::{Redirect, RedirectKind};
use super::{Shell, ShellFault};
use crate::call::{Call, Write};
use crate::files::FileKind;
use crate::stream::{Input, Io, Output};
use crate::{Errno, Pid};
use std::collections::BTreeMap;

/// What the numbers of a shell's streams stand for.
#[derive(Clone)]
pub(super) struct Streams {
    pub(super) stdin: Input,
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    others: BTreeMap<u32, RedirectEnd>,
    /// What the co-process writes, and what it reads.
    pub(super) coprocess: Option<(RedirectEnd, RedirectEnd)>,
}

#[derive(Clone)]
pub(super) enum RedirectEnd {
    In(Input),
    Out(Output),
}

/// Highest number a stream may have.
const MAX_DESCRIPTOR: u32 = 99;

impl Streams {
    pub(super) fn new(io: Io) -> Self {
        Self {
            stdin: io.stdin,
            stdout: io.stdout,
            stderr: io.stderr,
            others: BTreeMap::new(),
            coprocess: None,
        }
    }

    /// The three streams of every command.
    pub(super) fn io(&self) -> Io {
        Io { stdin: self.stdin.clone(), stdout: self.stdout.clone(), stderr: self.stderr.clone() }
    }

    /// The stream of a number, or of the co-process: what it reads is written, what it writes is read.
    pub(super) fn named(&self, name: &str, reads: bool) -> Option<RedirectEnd> {
        match (name, &self.coprocess) {
            ("p", Some((answers, _))) if reads => Some(answers.clone()),
            ("p", Some((_, feed))) => Some(feed.clone()),
            (name, _) => self.get(name.parse().ok()?),
        }
    }

    fn get(&self, descriptor: u32) -> Option<RedirectEnd> {
        match descriptor {
            0 => Some(RedirectEnd::In(self.stdin.clone())),
            1 => Some(RedirectEnd::Out(self.stdout.clone())),
            2 => Some(RedirectEnd::Out(self.stderr.clone())),
            other => self.others.get(&other).cloned(),
        }
    }

    fn set(&mut self, descriptor: u32, stream: RedirectEnd) {
        match (descriptor, stream) {
            (0, RedirectEnd::In(input)) => self.stdin = input,
            (1, RedirectEnd::Out(output)) => self.stdout = output,
            (2, RedirectEnd::Out(output)) => self.stderr = output,
            (0..=2, _) => self.close(descriptor),
            (other, stream) => {
                self.others.insert(other, stream);
            }
        }
    }

    fn close(&mut self, descriptor: u32) {
        match descriptor {
            0 => self.stdin = Input::closed(),
            1 => self.stdout = Output::closed(),
            2 => self.stderr = Output::closed(),
            other => {
                self.others.remove(&other);
            }
        }
    }
}

impl Redirect {
    /// As it was written, with this target.
    fn shown(&self, target: &str) -> String {
        let usual = u32::from(!self.sign.starts_with('<'));
        let number = Some(self.descriptor).filter(|number| *number != usual);
        let number = number.map_or(String::new(), |number| number.to_string());
        format!("{number}{}{target} ", self.sign)
    }
}

/// Why a redirection did not happen.
pub(super) enum RedirectError {
    Command(String),
    Script(ShellFault),
}

impl Shell {
    /// The streams as these redirections make them, in their order.
    pub(super) async fn redirected(&mut self, redirects: &[Redirect]) -> Result<Streams, RedirectError> {
        let mut streams = self.streams.clone();
        for redirect in redirects {
            let target = self.text(&redirect.target).await.map_err(RedirectError::Script)?;
            if redirect.kind != RedirectKind::Here {
                self.trace(|| redirect.shown(&target)).await;
            }
            if redirect.descriptor > MAX_DESCRIPTOR {
                let text = format!("{}: {}", redirect.descriptor, Errno::BadDescriptor);
                return Err(RedirectError::Command(text));
            }
            self.apply(redirect, target, &mut streams).map_err(RedirectError::Command)?;
        }
        Ok(streams)
    }

    fn apply(&self, redirect: &Redirect, target: String, streams: &mut Streams) -> Result<(), String> {
        let number = redirect.descriptor;
        let call = self.call_with(Vec::new(), streams.clone());
        if self.options.is_on("noclobber") && redirect.kind == RedirectKind::Write {
            let path = call.path(&target);
            let kind = call.files(|files, actor| files.stat(actor, &path)).map(|stat| stat.kind);
            if kind == Ok(FileKind::File) {
                return Err(format!("can't create {target}: {}", Errno::Exists));
            }
        }
        let open =
            |mode| call.create(&target, mode).map_err(|error| format!("can't create {target}: {error}"));
        let read = || match call.open_path(&target) {
            Ok(input) => Ok(RedirectEnd::In(input)),
            Err(error) => Err(format!("can't open {target}: {error}")),
        };
        match redirect.kind {
            RedirectKind::Read => streams.set(number, read()?),
            RedirectKind::Write | RedirectKind::Replace => {
                streams.set(number, RedirectEnd::Out(open(Write::Truncate)?));
            }
            RedirectKind::Append => streams.set(number, RedirectEnd::Out(open(Write::Append)?)),
            RedirectKind::Both => {
                let append = redirect.sign == "&>>";
                let output = open(if append { Write::Append } else { Write::Truncate })?;
                streams.set(1, RedirectEnd::Out(output.clone()));
                streams.set(2, RedirectEnd::Out(output));
            }
            RedirectKind::ReadWrite => {
                let output = open(Write::Keep)?;
                streams.set(number, if number == 0 { read()? } else { RedirectEnd::Out(output) });
            }
            RedirectKind::Here => streams.set(number, RedirectEnd::In(Input::bytes(target.into_bytes()))),
            RedirectKind::Duplicate if target == "-" => streams.close(number),
            RedirectKind::Duplicate => {
                let bad = || format!("{}: bad file descriptor", redirect.shown(&target));
                let from = streams.named(&target, redirect.sign == "<&").ok_or_else(bad)?;
                streams.set(number, from);
            }
        }
        Ok(())
    }

    /// A call with these words and streams, in this shell's surroundings.
    pub(super) fn call_with(&self, args: Vec<String>, streams: Streams) -> Call {
        Call {
            args,
            machine: self.machine.clone(),
            env: self.exported(),
            cwd: self.cwd.clone(),
            identity: self.identity.clone(),
            umask: self.umask,
            pid: Pid(self.pid.0),
            replaces: None,
            stdin: streams.stdin,
            stdout: streams.stdout,
            stderr: streams.stderr,
            terminal: self.terminal.clone(),
            depth: self.depth,
            family: self.family.clone(),
        }
    }

    fn exported(&self) -> BTreeMap<String, String> {
        let exported = self.variables.iter().filter(|(_, variable)| variable.exported && !variable.headless);
        let mut all: BTreeMap<_, _> =
            exported.map(|(name, variable)| (name.clone(), variable.value.clone())).collect();
        all.insert("PWD".to_owned(), self.cwd.clone());
        all
    }
}
