//! The lines of a journal, grouped by step: screens, touches, commands and waits. Pure.

use crate::{JournalEntry, StoredJournal};
use clawperator_contract::words;
use clawperator_events::{
    ChoiceEvent, CommandEvent, CommandKind, CommandPurpose, Event, LookEvent, PictureMoment, StepEnd,
    TouchEvent, TouchKind, Wait,
};
use serde_json::Value;

#[derive(Debug, Default)]
pub(super) struct Story<'k> {
    pub(super) steps: Vec<Chapter<'k>>,
    /// What happened outside the steps.
    pub(super) outside: Chapter<'k>,
    /// How long all of it took, in microseconds, as far as is known.
    pub(super) took_us: u64,
}

#[derive(Debug, Default)]
pub(super) struct Chapter<'k> {
    pub(super) number: usize,
    pub(super) id: &'k str,
    pub(super) action: &'k str,
    /// Whether the Operator app ran it: then only its answer is known.
    pub(super) by_app: bool,
    pub(super) params: Option<&'k Value>,
    pub(super) from_us: u64,
    pub(super) to_us: u64,
    pub(super) end: Option<&'k StepEnd>,
    pub(super) scenes: Vec<StoryScene<'k>>,
    pub(super) spans: Vec<Span>,
    pub(super) commands: Vec<(u64, &'k CommandEvent)>,
    /// Waits and failed screen reads, in order.
    pub(super) remarks: Vec<String>,
}

/// The screen at one time, and what was done with it.
#[derive(Debug, Default)]
pub(super) struct StoryScene<'k> {
    pub(super) at_us: u64,
    pub(super) look: Option<&'k LookEvent>,
    /// How many looks in a row saw the same.
    pub(super) times: usize,
    pub(super) picture: Option<&'k str>,
    pub(super) choice: Option<&'k ChoiceEvent>,
    pub(super) touches: Vec<&'k TouchEvent>,
    /// Whether it shows the screen after the step.
    pub(super) after_step: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) kind: SpanKind,
    pub(super) from_us: u64,
    pub(super) to_us: u64,
}

impl Span {
    pub(super) fn took_us(&self) -> u64 {
        self.to_us.saturating_sub(self.from_us)
    }
}

words! {
    /// What a piece of time went into.
    pub(super) SpanKind {
        Look = "look" "reading the screen",
        Act = "act" "touching, typing, starting",
        Ask = "ask" "querying the phone",
        App = "app" "running in the Operator app",
        Picture = "shot" "pictures for this page",
        Wait = "wait" "waiting",
    }
}

impl SpanKind {
    /// What the time of a command went into.
    fn of(command: &CommandEvent) -> Self {
        match command.kind.map(CommandKind::purpose) {
            Some(CommandPurpose::Look) => Self::Look,
            Some(CommandPurpose::Act) => Self::Act,
            Some(CommandPurpose::App) => Self::App,
            Some(CommandPurpose::Picture) => Self::Picture,
            // Journals of older versions do not say.
            Some(CommandPurpose::Ask) | None => Self::Ask,
        }
    }
}

impl<'k> Story<'k> {
    pub(super) fn of(journal: &'k StoredJournal) -> Self {
        let mut story = Self::default();
        for (number, entry) in journal.entries.iter().enumerate() {
            story.took_us = story.took_us.max(entry.at_us);
            match &entry.event {
                Event::StepBegin(begin) => {
                    let params = format!("/actions/{}/params", begin.step);
                    story.steps.push(Chapter {
                        number: begin.step,
                        id: &begin.id,
                        action: &begin.action,
                        by_app: begin.by_app,
                        params: journal.begin().and_then(|begin| begin.execution.pointer(&params)),
                        from_us: entry.at_us,
                        to_us: entry.at_us,
                        ..Chapter::default()
                    });
                }
                // These belong to the execution, not to a step.
                Event::Begin(_)
                | Event::End(_)
                | Event::SkillBegin(_)
                | Event::Checkpoint(_)
                | Event::SkillEnd(_) => {}
                _ => {
                    let next = journal.entries.get(number + 1).map(|entry| entry.at_us);
                    let running = story.steps.last_mut().filter(|step| step.end.is_none());
                    running.unwrap_or(&mut story.outside).add(entry, next);
                }
            }
        }
        if let Some(last) = story.steps.last_mut().filter(|step| step.end.is_none()) {
            last.to_us = story.took_us;
        }
        story
    }
}

impl<'k> Chapter<'k> {
    /// Adds a line; `next_us` is the time of the next one.
    fn add(&mut self, entry: &'k JournalEntry, next_us: Option<u64>) {
        let at = entry.at_us;
        self.to_us = self.to_us.max(at);
        match &entry.event {
            Event::Command(command) => {
                let from = at.saturating_sub(command.took_us);
                self.commands.push((from, command));
                self.span(SpanKind::of(command), from, at);
            }
            Event::Wait(wait) => self.add_wait(at, wait, next_us),
            Event::Blind(blind) => self.remarks.push(format!("could not read the screen: {}", blind.why)),
            Event::NotUnderstood(odd) => {
                let (name, printed) = (odd.kind.name(), &odd.printed);
                self.remarks
                    .push(format!("the phone's answer to the {name} command is not understood: {printed}"));
            }
            Event::Full(full) => {
                let most = full.most;
                self.remarks
                    .push(format!("the journal is full ({most} bytes); later lines were not recorded"));
            }
            Event::Look(look) => self.add_look(at, look),
            Event::Choice(choice) => self.scene(at).choice = Some(choice),
            Event::Touch(touch) => self.scene(at).touches.push(touch),
            Event::Picture(picture) => match picture.after {
                PictureMoment::Look => self.scene(at).picture = Some(&picture.picture),
                PictureMoment::Step => self.scenes.push(StoryScene {
                    at_us: at,
                    picture: Some(&picture.picture),
                    after_step: true,
                    ..StoryScene::default()
                }),
            },
            Event::StepEnd(end) => self.end = Some(end),
            Event::Begin(_)
            | Event::End(_)
            | Event::StepBegin(_)
            | Event::SkillBegin(_)
            | Event::Checkpoint(_)
            | Event::SkillEnd(_) => {}
        }
    }

    /// A wait is recorded when it begins. It ends with the next line; if that
    /// comes too early, the wait was interrupted.
    fn add_wait(&mut self, at: u64, wait: &Wait, next_us: Option<u64>) {
        let until = at.saturating_add(wait.ms.saturating_mul(1000));
        let to = next_us.map_or(at, |next| next.clamp(at, until));
        self.span(SpanKind::Wait, at, to);
        let ms = wait.ms;
        let outcome = match next_us {
            // Milliseconds are rounded.
            Some(next) if next.saturating_add(1000) >= until => format!("waited {ms} ms"),
            Some(_) => format!("planned to wait {ms} ms, interrupted after {} ms", (to - at) / 1000),
            None => format!("planned to wait {ms} ms, but the journal ends here"),
        };
        let why = match wait.attempt {
            Some(attempt) => format!("attempt {attempt} failed with {}", wait.why),
            None => wait.why.clone(),
        };
        self.remarks.push(format!("{outcome}: {why}"));
    }

    fn add_look(&mut self, at_us: u64, look: &'k LookEvent) {
        // Equal screens in a row without a touch are one scene.
        if let Some(last) = self.scenes.last_mut()
            && last.touches.is_empty()
            && last.look.is_some_and(|before| before.tree == look.tree)
        {
            last.times += 1;
            return;
        }
        self.scenes.push(StoryScene { at_us, look: Some(look), times: 1, ..StoryScene::default() });
    }

    fn scene(&mut self, at_us: u64) -> &mut StoryScene<'k> {
        if self.scenes.is_empty() {
            self.scenes.push(StoryScene { at_us, ..StoryScene::default() });
        }
        let last = self.scenes.len() - 1;
        &mut self.scenes[last]
    }

    fn span(&mut self, kind: SpanKind, from_us: u64, to_us: u64) {
        self.spans.push(Span { kind, from_us, to_us });
    }

    pub(super) fn took_us(&self) -> u64 {
        self.to_us.saturating_sub(self.from_us)
    }

    /// The same for people; unknown for steps that the app ran.
    pub(super) fn took(&self) -> String {
        if self.by_app {
            return "time unknown".to_owned();
        }
        duration_text(self.took_us())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.scenes.is_empty() && self.remarks.is_empty()
    }

    /// The failure's code, if the step failed.
    pub(super) fn code(&self) -> Option<&'k str> {
        let end = self.end.filter(|end| !end.success)?;
        Some(end.data.get("error").map_or("FAILED", String::as_str))
    }

    /// The matcher of the step, from the payload.
    pub(super) fn matcher(&self) -> Option<&'k Value> {
        let params = self.params?;
        let keys = ["matcher", "expectedNode", "labelMatcher", "container"];
        keys.iter().find_map(|key| params.get(key))
    }
}

impl Story<'_> {
    /// Whether the Operator app got the payload.
    pub(super) fn went_to_the_app(&self) -> bool {
        let mut sent = self.outside.commands.iter();
        sent.any(|(_, command)| command.kind == Some(CommandKind::AppAnswer))
    }

    /// How much time went into one thing, in microseconds.
    pub(super) fn spent(&self, kind: SpanKind) -> u64 {
        let chapters = self.steps.iter().chain([&self.outside]);
        chapters
            .flat_map(|step| &step.spans)
            .filter(|span| span.kind == kind)
            .map(Span::took_us)
            .fold(0, u64::saturating_add)
    }
}

pub(super) fn touch_text(touch: &TouchEvent) -> String {
    let [x, y] = touch.at;
    match (touch.kind, touch.to) {
        (TouchKind::Swipe, Some([to_x, to_y])) => format!("swiped from ({x}, {y}) to ({to_x}, {to_y})"),
        (TouchKind::LongPress, _) => format!("pressed long at ({x}, {y})"),
        (TouchKind::Tap | TouchKind::Swipe, _) => format!("tapped at ({x}, {y})"),
    }
}

pub(super) fn duration_text(us: u64) -> String {
    match us {
        0..10_000 => format!("{}.{} ms", us / 1000, us / 100 % 10),
        10_000..1_000_000 => format!("{} ms", us / 1000),
        _ => format!("{}.{:02} s", us / 1_000_000, us / 10_000 % 100),
    }
}
