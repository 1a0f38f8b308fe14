//! A session: commands come line by line from standard input.

use super::parser::{self, ParseError};
use super::{Flow, Shell, Streams};
use crate::stream::Io;
use crate::{Pid, limits};

/// What is at the other end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// A pipe: nothing is shown but what commands write.
    None,
    /// A terminal: there is a prompt, and what is typed is echoed.
    Echo,
}

impl Shell {
    /// Reads commands from standard input and runs each as soon as it is complete.
    pub async fn interactive(&mut self, io: Io, terminal: Terminal) -> u8 {
        self.terminal = io.clone();
        self.streams = Streams::new(io);
        let Ok(running) = self.start_process(Pid(1), "/system/bin/sh -".to_owned()) else {
            return 1;
        };
        self.pid = running.pid;
        let code = tokio::select! {
            biased;
            signal = running.killed() => 128u8.saturating_add(signal),
            code = self.session(terminal) => code,
        };
        self.run_exit_trap().await;
        self.let_go();
        code
    }

    pub(crate) async fn session(&mut self, terminal: Terminal) -> u8 {
        let mut text = String::new();
        let stdin = self.streams.stdin.clone();
        loop {
            if terminal == Terminal::Echo && self.prompt(!text.is_empty()).await.is_err() {
                return self.status;
            }
            let Some(line) = stdin.read_line().await else {
                break;
            };
            let line = String::from_utf8_lossy(&line).into_owned();
            if terminal == Terminal::Echo && self.echo_line(&line).await.is_err() {
                return self.status;
            }
            text.push_str(&line.replace('\r', "\n"));
            match self.take_commands(&mut text).await {
                None | Some(Flow::Next) => {}
                // A mistake ends nothing where somebody types.
                Some(Flow::Fault) if terminal == Terminal::Echo => {}
                Some(_) => return self.status,
            }
        }
        if !text.trim().is_empty() {
            self.status = self.script(&text).await;
        }
        self.status
    }

    /// Runs what is complete; none while more is to come.
    async fn take_commands(&mut self, text: &mut String) -> Option<Flow> {
        let list = match parser::parse(text, &self.aliases) {
            Err(ParseError::Incomplete) if text.len() < limits::MAX_SCRIPT => return None,
            parsed => parsed,
        };
        text.clear();
        match list {
            Ok(list) => Some(self.list(&list).await),
            Err(error) => {
                self.complain(&error.to_string()).await;
                self.status = 1;
                Some(Flow::Fault)
            }
        }
    }

    async fn prompt(&self, more: bool) -> Result<(), crate::OutputError> {
        let sign = if self.identity.uid == 0 { '#' } else { '$' };
        let prompt = if more {
            "> ".to_owned()
        } else {
            format!("{}:{} {sign} ", self.machine.uname().node, self.cwd)
        };
        self.streams.stdout.write(prompt).await
    }

    async fn echo_line(&self, line: &str) -> Result<(), crate::OutputError> {
        let shown = line.trim_end_matches(['\r', '\n']);
        self.streams.stdout.write(format!("{shown}\n")).await
    }
}
