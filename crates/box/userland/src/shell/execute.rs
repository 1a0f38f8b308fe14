//! Running a tree: lists, chains, pipelines, loops.

use super::tree::{CommandBody, CommandChain, Join, List, Pipeline, ShellCommand, ShellWord};
use super::{BackgroundJob, Flow, Shell, ShellFault};
use crate::machine::BoxFuture;
use crate::stream::{Input, pipe};
use crate::{Errno, Pid, Process, limits};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

impl Shell {
    /// A copy that changes nothing here, whatever it does.
    pub(super) fn subshell(&self) -> Self {
        let mut inner = self.clone();
        inner.jobs.clear();
        inner.exit_trap = None;
        inner.replaced = None;
        inner
    }

    /// Runs commands one after another.
    pub(super) fn list<'a>(&'a mut self, list: &'a List) -> BoxFuture<'a, Flow> {
        Box::pin(async move {
            if self.depth >= limits::MAX_DEPTH {
                self.complain("nested too deep").await;
                self.status = 1;
                return Flow::Exit;
            }
            self.depth += 1;
            let mut flow = Flow::Next;
            for item in &list.0 {
                self.rest().await;
                flow = if item.background {
                    Box::pin(self.background(&item.chain)).await;
                    Flow::Next
                } else {
                    self.chain(&item.chain).await
                };
                if flow != Flow::Next {
                    break;
                }
            }
            self.depth -= 1;
            flow
        })
    }

    /// Lets others run now and then, so that a loop without end can be ended.
    async fn rest(&self) {
        if self.family.rounds.fetch_add(1, Ordering::Relaxed) >= limits::ROUNDS {
            self.family.rounds.store(0, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    }

    async fn chain(&mut self, chain: &CommandChain) -> Flow {
        let mut left = chain.rest.len();
        let mut flow = self.link(&chain.first, left > 0).await;
        for (join, pipeline) in &chain.rest {
            left -= 1;
            let wanted = match join {
                Join::And => self.status == 0,
                Join::Or => self.status != 0,
            };
            if flow != Flow::Next {
                return flow;
            }
            if wanted {
                flow = self.link(pipeline, left > 0).await;
            }
        }
        flow
    }

    /// One pipeline of a chain; a failure counts only in the last.
    async fn link(&mut self, pipeline: &Pipeline, is_condition: bool) -> Flow {
        let unchecked = is_condition || pipeline.negated;
        self.conditions += usize::from(unchecked);
        let flow = Box::pin(self.pipeline(pipeline)).await;
        self.conditions -= usize::from(unchecked);
        if pipeline.negated {
            self.status = u8::from(self.status == 0);
        }
        if flow == Flow::Next
            && self.status != 0
            && self.options.exit_on_error
            && self.conditions == 0
            && !unchecked
        {
            return Flow::Exit;
        }
        flow
    }

    async fn pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        if let [only] = pipeline.stages.as_slice() {
            return Box::pin(self.command(only)).await;
        }
        let living = Arc::strong_count(&self.family);
        if living + pipeline.stages.len() > limits::MAX_PROCESSES {
            self.complain(&format!("can't fork: {}", Errno::TryAgain)).await;
            self.status = 1;
            return Flow::Next;
        }
        let mut stages: Vec<Option<BoxFuture<'_, u8>>> = Vec::new();
        let mut input: Option<Input> = None;
        let last = pipeline.stages.len() - 1;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let mut shell = self.subshell();
            if let Some(input) = input.take() {
                shell.streams.stdin = input;
            }
            if at < last {
                let (writer, reader) = pipe();
                shell.streams.stdout = writer;
                input = Some(reader);
            }
            stages.push(Some(Box::pin(async move {
                shell.command(stage).await;
                shell.status
            })));
        }
        let codes = Box::pin(all(stages)).await;
        let failed = codes.iter().rev().find(|code| **code != 0).copied().unwrap_or(0);
        self.status = if self.options.pipe_fail { failed } else { codes.last().copied().unwrap_or(0) };
        Flow::Next
    }

    async fn background(&mut self, chain: &Arc<CommandChain>) {
        let mut shell = self.subshell();
        shell.streams.stdin = Input::empty();
        shell.depth = 0;
        let process = Process {
            pid: Pid(0),
            parent: self.pid,
            uid: self.identity.uid,
            name: "sh".to_owned(),
            command: "sh".to_owned(),
        };
        let kernel = self.machine.kernel();
        let (report, code) = tokio::sync::watch::channel(None);
        let started = kernel.processes.start(process).and_then(|running| {
            let pid = running.pid;
            let chain = chain.clone();
            kernel.jobs.start(async move {
                let ended = tokio::select! {
                    biased;
                    signal = running.killed() => 128u8.saturating_add(signal),
                    _ = shell.job(&chain, pid) => shell.status,
                };
                drop(shell);
                drop(running);
                report.send_replace(Some(ended));
            })?;
            Ok(pid)
        });
        match started {
            Ok(pid) => {
                self.jobs.push(BackgroundJob { pid, code });
                self.status = 0;
            }
            Err(error) => {
                self.complain(&format!("can't fork: {error}")).await;
                self.status = 1;
            }
        }
    }

    /// Runs a chain in the background. A lone command has its streams from the
    /// start, as after a fork, and nothing else keeps the session's open: a
    /// session ends although a job whose output goes elsewhere runs on.
    async fn job(&mut self, chain: &CommandChain, pid: Pid) -> Flow {
        if let ([only], []) = (chain.first.stages.as_slice(), chain.rest.as_slice())
            && let Ok(streams) = Box::pin(self.redirected(&only.redirects)).await
        {
            self.terminal = streams.io();
            self.streams = streams;
            // A program is the job's process; a group of commands has a shell.
            self.replaced = matches!(only.body, CommandBody::Simple { .. }).then_some(pid);
        }
        self.chain(chain).await
    }

    pub(super) async fn command(&mut self, command: &ShellCommand) -> Flow {
        if let CommandBody::Simple { assignments, words } = &command.body {
            return Box::pin(self.simple(assignments, words, &command.redirects)).await;
        }
        if command.redirects.is_empty() {
            return Box::pin(self.body(&command.body)).await;
        }
        let streams = match Box::pin(self.redirected(&command.redirects)).await {
            Ok(streams) => streams,
            Err(refused) => return self.refuse(refused).await,
        };
        let before = std::mem::replace(&mut self.streams, streams);
        let flow = Box::pin(self.body(&command.body)).await;
        self.streams = before;
        flow
    }

    async fn body(&mut self, body: &CommandBody) -> Flow {
        match body {
            CommandBody::Simple { .. } => Flow::Next,
            CommandBody::Group(list) => self.list(list).await,
            CommandBody::Subshell(list) => {
                let mut shell = self.subshell();
                shell.list(list).await;
                self.status = shell.status;
                Flow::Next
            }
            CommandBody::If { branches, otherwise } => {
                Box::pin(self.branches(branches, otherwise.as_ref())).await
            }
            CommandBody::Loop { until, condition, body } => {
                Box::pin(self.repeat(*until, condition, body)).await
            }
            CommandBody::For { name, words, body } => Box::pin(self.each(name, words.as_deref(), body)).await,
            CommandBody::Case { word, arms } => Box::pin(self.case(word, arms)).await,
            CommandBody::Arithmetic(word) => Box::pin(self.arithmetic(word)).await,
            CommandBody::Test(test) => match Box::pin(self.holds(test)).await {
                Ok(holds) => {
                    self.status = u8::from(!holds);
                    Flow::Next
                }
                Err(fault) => self.give_up(fault).await,
            },
            CommandBody::Function { name, body } => {
                Arc::make_mut(&mut self.functions).insert(name.clone(), body.clone());
                self.status = 0;
                Flow::Next
            }
        }
    }

    pub(super) async fn give_up(&mut self, fault: ShellFault) -> Flow {
        self.complain(&fault.0).await;
        self.status = 1;
        Flow::Exit
    }

    async fn condition(&mut self, list: &List) -> Flow {
        self.conditions += 1;
        let flow = self.list(list).await;
        self.conditions -= 1;
        flow
    }

    async fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Flow {
        for (condition, body) in branches {
            let flow = self.condition(condition).await;
            if flow != Flow::Next {
                return flow;
            }
            if self.status == 0 {
                return self.list(body).await;
            }
        }
        self.status = 0;
        match otherwise {
            Some(body) => self.list(body).await,
            None => Flow::Next,
        }
    }

    async fn repeat(&mut self, until: bool, condition: &List, body: &List) -> Flow {
        let mut status = 0;
        loop {
            self.rest().await;
            let flow = self.condition(condition).await;
            match around(flow) {
                LoopStep::Again => {}
                LoopStep::Over => break,
                LoopStep::Out(flow) => return flow,
            }
            if (self.status == 0) == until {
                break;
            }
            let flow = self.list(body).await;
            status = self.status;
            match around(flow) {
                LoopStep::Again => {}
                LoopStep::Over => break,
                LoopStep::Out(flow) => return flow,
            }
        }
        self.status = status;
        Flow::Next
    }

    async fn each(&mut self, name: &str, words: Option<&[ShellWord]>, body: &List) -> Flow {
        let values = match words {
            Some(words) => match self.fields(words).await {
                Ok(values) => values,
                Err(fault) => return self.give_up(fault).await,
            },
            None => self.positional.clone(),
        };
        self.status = 0;
        for value in values {
            self.rest().await;
            if let Err(fault) = self.assign(name, value) {
                return self.give_up(fault).await;
            }
            match around(self.list(body).await) {
                LoopStep::Again => {}
                LoopStep::Over => break,
                LoopStep::Out(flow) => return flow,
            }
        }
        Flow::Next
    }

    async fn case(&mut self, word: &ShellWord, arms: &[(Vec<ShellWord>, List)]) -> Flow {
        let text = match self.text(word).await {
            Ok(text) => text,
            Err(fault) => return self.give_up(fault).await,
        };
        for (patterns, body) in arms {
            for pattern in patterns {
                let pattern = self.pattern(pattern).await;
                match pattern.and_then(|pattern| Ok(pattern.fits(&text)?)) {
                    Ok(true) => {
                        self.status = 0;
                        return self.list(body).await;
                    }
                    Ok(false) => {}
                    Err(fault) => return self.give_up(fault).await,
                }
            }
        }
        self.status = 0;
        Flow::Next
    }

    async fn arithmetic(&mut self, word: &ShellWord) -> Flow {
        let value = match self.text(word).await {
            Ok(text) => self.evaluate(&text),
            Err(fault) => Err(fault),
        };
        match value {
            Ok(value) => self.status = u8::from(value == 0),
            Err(fault) => return self.give_up(fault).await,
        }
        Flow::Next
    }
}

/// What a round of a loop leads to.
enum LoopStep {
    Again,
    Over,
    Out(Flow),
}

fn around(flow: Flow) -> LoopStep {
    match flow {
        Flow::Next | Flow::Continue(0 | 1) => LoopStep::Again,
        Flow::Break(0 | 1) => LoopStep::Over,
        Flow::Break(levels) => LoopStep::Out(Flow::Break(levels - 1)),
        Flow::Continue(levels) => LoopStep::Out(Flow::Continue(levels - 1)),
        Flow::Return | Flow::Exit => LoopStep::Out(flow),
    }
}

/// Runs all of them side by side; each is dropped, with its streams, once it is done.
async fn all(mut stages: Vec<Option<BoxFuture<'_, u8>>>) -> Vec<u8> {
    let mut codes = vec![0; stages.len()];
    poll_fn(move |context| {
        let mut waiting = false;
        for (stage, code) in stages.iter_mut().zip(&mut codes) {
            if let Some(future) = stage {
                match future.as_mut().poll(context) {
                    Poll::Ready(ended) => {
                        *code = ended;
                        *stage = None;
                    }
                    Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(std::mem::take(&mut codes)) }
    })
    .await
}
