//! Running a tree: lists, chains, pipelines, loops.

use super::tree::{
    CaseArm, CommandBody, CommandChain, ItemEnd, Join, List, Pipeline, ShellCommand, ShellWord,
};
use super::{Flow, Shell, ShellFault};
use crate::stream::{Input, pipe};
use crate::{Errno, Pid, limits, signal};
use futures_core::future::BoxFuture;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

impl Shell {
    /// A copy that changes nothing here, whatever it does.
    pub(super) fn subshell(&self) -> Self {
        let mut inner = self.clone();
        inner.jobs.iter_mut().for_each(|job| job.inherited = true);
        inner.traps = self.traps.in_subshell();
        inner.loops = 0;
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
                flow = match &item.end {
                    ItemEnd::Wait => self.chain(&item.chain).await,
                    end => {
                        Box::pin(self.background(&item.chain, end)).await;
                        Flow::Next
                    }
                };
                if flow == Flow::Next {
                    flow = Box::pin(self.run_traps()).await;
                }
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
        let since = self.machine.now();
        let flow = Box::pin(self.pipeline(pipeline)).await;
        self.conditions -= usize::from(unchecked);
        if pipeline.timed {
            let time = self.machine.now().saturating_sub(since).as_secs_f64();
            let real = format!("{:>5}m{:05.2}s real ", (time / 60.0) as u64, time % 60.0);
            let real = if pipeline.stages.is_empty() { "" } else { &real };
            let line = format!("{real}    0m00.00s user     0m00.00s system\n");
            // The reader closed the stream and needs no message.
            let _ = self.streams.stderr.write(line).await;
        }
        if pipeline.negated {
            self.status = u8::from(self.status == 0);
        }
        if flow == Flow::Next && self.status != 0 && self.conditions == 0 && !unchecked {
            let flow = Box::pin(self.run_error_trap()).await;
            return if self.options.is_on("errexit") { Flow::Exit } else { flow };
        }
        flow
    }

    async fn pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        match pipeline.stages.as_slice() {
            [] => return self.conclude(0),
            [only] => {
                let flow = Box::pin(self.command(only)).await;
                self.pipe_status.clear();
                self.pipe_status.push(self.status);
                return flow;
            }
            _ => {}
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
                shell.run_exit_trap().await;
                shell.status
            })));
        }
        let codes = Box::pin(all(stages)).await;
        let failed = codes.iter().rev().find(|code| **code != 0).copied().unwrap_or(0);
        let last = codes.last().copied().unwrap_or(0);
        self.status = if self.options.is_on("pipefail") { failed } else { last };
        (self.pipe_status, self.error_told) = (codes, false);
        Flow::Next
    }

    async fn background(&mut self, chain: &Arc<CommandChain>, end: &ItemEnd) {
        let mut shell = self.subshell();
        shell.streams.stdin = Input::empty();
        let mut text = "";
        match end {
            ItemEnd::Background(source) => text = source,
            _ => (shell.streams.stdin, shell.streams.stdout) = self.open_coprocess(),
        }
        shell.depth = 0;
        let kernel = self.machine.kernel();
        let (report, code) = tokio::sync::watch::channel(None);
        let started = self.start_process(self.pid, "sh".to_owned()).and_then(|running| {
            let pid = running.pid;
            kernel.processes.catch(pid, [signal::INT, signal::QUIT].into_iter());
            let chain = chain.clone();
            kernel.jobs.start(async move {
                let ended = tokio::select! {
                    biased;
                    number = running.killed() => running.end_by(number),
                    () = shell.job(&chain, pid) => Ok(shell.status),
                };
                drop(shell);
                drop(running);
                report.send_replace(Some(ended));
            })?;
            Ok(pid)
        });
        match started {
            Ok(pid) => {
                self.remember(pid, text, code);
                self.last_job = Some(pid);
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
    async fn job(&mut self, chain: &CommandChain, pid: Pid) {
        if let ([only], []) = (chain.first.stages.as_slice(), chain.rest.as_slice())
            && let Ok(streams) = Box::pin(self.redirected(&only.redirects)).await
        {
            self.terminal = streams.io();
            self.streams = streams;
            // A program is the job's process; a group of commands has a shell.
            self.replaced = is_program(chain).then_some(pid);
        }
        self.chain(chain).await;
        self.run_exit_trap().await;
    }

    pub(super) async fn command(&mut self, command: &ShellCommand) -> Flow {
        if let CommandBody::Simple { assignments, words } = &command.body {
            let done = Box::pin(self.simple(assignments, words, &command.redirects)).await;
            return self.flow(done).await;
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
        let done = match body {
            CommandBody::Simple { .. } => Ok(Flow::Next),
            CommandBody::Group(list) => Ok(self.list(list).await),
            CommandBody::Subshell(list) => {
                let mut shell = self.subshell();
                shell.list(list).await;
                shell.run_exit_trap().await;
                self.error_told = false;
                Ok(self.conclude(shell.status))
            }
            CommandBody::If { branches, otherwise } => {
                Ok(Box::pin(self.branches(branches, otherwise.as_ref())).await)
            }
            CommandBody::Loop { until, condition, body } => {
                self.loops += 1;
                let flow = Box::pin(self.repeat(*until, condition, body)).await;
                self.loops = self.loops.saturating_sub(1);
                Ok(flow)
            }
            CommandBody::For { name, words, body } => {
                self.loops += 1;
                let flow = Box::pin(self.each(name, words.as_deref(), body)).await;
                self.loops = self.loops.saturating_sub(1);
                flow
            }
            CommandBody::Case { word, arms } => Box::pin(self.case(word, arms)).await,
            CommandBody::Arithmetic(word) => Box::pin(self.arithmetic(word)).await,
            CommandBody::Test(test) => {
                Box::pin(self.holds(test)).await.map(|holds| self.conclude(u8::from(!holds)))
            }
            CommandBody::Function { name, body } => {
                Arc::make_mut(&mut self.functions).insert(name.clone(), body.clone());
                Ok(self.conclude(0))
            }
        };
        self.flow(done).await
    }

    /// Where to go on: a fault is printed and ends the script.
    pub(super) async fn flow(&mut self, done: Result<Flow, ShellFault>) -> Flow {
        match done {
            Ok(flow) => flow,
            Err(fault) => {
                self.complain(&fault.0).await;
                self.status = fault.1;
                Flow::Fault
            }
        }
    }

    /// The same for something that has no result.
    pub(super) async fn concluded(&mut self, done: Result<(), ShellFault>) -> Flow {
        let done = done.map(|()| self.conclude(0));
        self.flow(done).await
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
        match otherwise {
            Some(body) => self.list(body).await,
            None => self.conclude(0),
        }
    }

    async fn repeat(&mut self, until: bool, condition: &List, body: &List) -> Flow {
        let mut status = 0;
        let flow = loop {
            self.rest().await;
            if let Some(flow) = after_loop(self.condition(condition).await) {
                break flow;
            }
            if (self.status == 0) == until {
                break Flow::Next;
            }
            let flow = self.list(body).await;
            status = self.status;
            if let Some(flow) = after_loop(flow) {
                break flow;
            }
        };
        if flow == Flow::Next {
            self.status = status;
        }
        flow
    }

    async fn each(
        &mut self,
        name: &str,
        words: Option<&[ShellWord]>,
        body: &List,
    ) -> Result<Flow, ShellFault> {
        let values = match words {
            Some(words) => self.fields(words).await?,
            None => self.positional.clone(),
        };
        self.status = 0;
        for value in values {
            self.rest().await;
            self.assign(name, value)?;
            if let Some(flow) = after_loop(self.list(body).await) {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    async fn case(&mut self, word: &ShellWord, arms: &[CaseArm]) -> Result<Flow, ShellFault> {
        let text = self.text(word).await?;
        let (mut goes_on, mut status) = (false, 0);
        for arm in arms {
            for pattern in &arm.patterns {
                goes_on = goes_on || self.pattern(pattern).await?.fits(&text)?;
            }
            if !std::mem::take(&mut goes_on) {
                continue;
            }
            self.status = 0;
            let flow = self.list(&arm.body).await;
            if flow != Flow::Next || !matches!(arm.end, ";&" | ";|") {
                return Ok(flow);
            }
            (goes_on, status) = (arm.end == ";&", self.status);
        }
        Ok(self.conclude(status))
    }

    async fn arithmetic(&mut self, word: &ShellWord) -> Result<Flow, ShellFault> {
        let text = self.text(word).await?;
        self.trace(|| format!("let {}", super::options::quoted(&text))).await;
        self.compute(&[text]).await
    }
}

/// Where to go on if a round of a loop was its last.
fn after_loop(round: Flow) -> Option<Flow> {
    match round {
        Flow::Next | Flow::Continue(0 | 1) => None,
        Flow::Break(0 | 1) => Some(Flow::Next),
        Flow::Break(levels) => Some(Flow::Break(levels - 1)),
        Flow::Continue(levels) => Some(Flow::Continue(levels - 1)),
        Flow::Return | Flow::Fault | Flow::Exit => Some(round),
    }
}

/// Whether a chain is a lone command without a shell of its own.
fn is_program(chain: &CommandChain) -> bool {
    let only =
        |stages: &[ShellCommand]| matches!(stages, [only] if matches!(only.body, CommandBody::Simple { .. }));
    only(&chain.first.stages) && chain.rest.is_empty()
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
