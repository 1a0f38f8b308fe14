//! A journal as a story: steps, and in each what was seen, done and waited for.
//! Pure.

use crate::journal::{Entry, Kept};
use crate::trail::{Choice, Command, Event, Look, Moment, StepEnd, Touch, TouchKind};
use serde_json::Value;

/// The story of an execution.
#[derive(Debug, Default)]
pub(super) struct Story<'k> {
    pub(super) steps: Vec<Chapter<'k>>,
    /// How long all of it took, in microseconds, as far as is known.
    pub(super) took_us: u64,
}

/// One step.
#[derive(Debug)]
pub(super) struct Chapter<'k> {
    pub(super) number: usize,
    pub(super) id: &'k str,
    pub(super) action: &'k str,
    pub(super) params: Option<&'k Value>,
    /// When it began, in microseconds.
    pub(super) from_us: u64,
    /// When it ended, or when the journal did.
    pub(super) to_us: u64,
    pub(super) end: Option<&'k StepEnd>,
    pub(super) scenes: Vec<Scene<'k>>,
    pub(super) spans: Vec<Span>,
    /// The commands, and when each began.
    pub(super) commands: Vec<(u64, &'k Command)>,
    /// What else there is to say, in order: waits and looks that saw nothing.
    pub(super) remarks: Vec<String>,
}

/// The screen at one time, and what was done with it.
#[derive(Debug, Default)]
pub(super) struct Scene<'k> {
    pub(super) at_us: u64,
    pub(super) look: Option<&'k Look>,
    /// How many looks in a row saw the same.
    pub(super) times: usize,
    pub(super) picture: Option<&'k str>,
    pub(super) choice: Option<&'k Choice>,
    pub(super) touches: Vec<&'k Touch>,
    /// It shows what a step led to.
    pub(super) after_step: bool,
}

/// A piece of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) kind: SpanKind,
    pub(super) from_us: u64,
    pub(super) to_us: u64,
}

/// What a piece of time went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    Look,
    Act,
    Ask,
    Picture,
    Wait,
}

impl SpanKind {
    /// Every kind: its name for the page's style, and for people.
    pub(super) const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Look, "look", "looking at the screen"),
        (Self::Act, "act", "touching, typing, starting"),
        (Self::Ask, "ask", "asking the phone"),
        (Self::Picture, "shot", "pictures for this page"),
        (Self::Wait, "wait", "waiting"),
    ];

    pub(super) fn class(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    pub(super) fn says(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }

    /// What a command is for, by how its line begins.
    fn of(command: &Command) -> Self {
        // Starting an app begins with its name.
        let acts = ["input ", "am ", "p=", "monkey ", "cmd clipboard", "ime "];
        if command.line.contains("uiautomator dump") {
            Self::Look
        } else if command.line.starts_with("screencap") {
            Self::Picture
        } else if acts.iter().any(|start| command.line.starts_with(start)) {
            Self::Act
        } else {
            Self::Ask
        }
    }
}

impl<'k> Story<'k> {
    pub(super) fn of(kept: &'k Kept) -> Self {
        let mut story = Self::default();
        for entry in &kept.entries {
            story.took_us = story.took_us.max(entry.at_us);
            match &entry.event {
                Event::StepBegin(begin) => {
                    let params = format!("/actions/{}/params", begin.step);
                    story.steps.push(Chapter {
                        number: begin.step,
                        id: &begin.id,
                        action: &begin.action,
                        params: kept.begin().and_then(|begin| begin.execution.pointer(&params)),
                        from_us: entry.at_us,
                        to_us: entry.at_us,
                        end: None,
                        scenes: Vec::new(),
                        spans: Vec::new(),
                        commands: Vec::new(),
                        remarks: Vec::new(),
                    });
                }
                // The ends of the whole are no part of a step.
                Event::Begin(_) | Event::End(_) => {}
                _ => {
                    if let Some(step) = story.steps.last_mut() {
                        step.add(entry);
                    }
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
    fn add(&mut self, entry: &'k Entry) {
        let at = entry.at_us;
        self.to_us = self.to_us.max(at);
        match &entry.event {
            Event::Command(command) => {
                let from = at.saturating_sub(command.took_us);
                self.commands.push((from, command));
                self.span(SpanKind::of(command), from, at);
            }
            Event::Wait(wait) => {
                self.span(
                    SpanKind::Wait,
                    at,
                    at.saturating_add(wait.ms.saturating_mul(1000)),
                );
                let why = match wait.attempt {
                    Some(attempt) => format!("attempt {attempt} ended with {}", wait.why),
                    None => wait.why.clone(),
                };
                self.remarks.push(format!("waited {} ms: {why}", wait.ms));
            }
            Event::Blind(blind) => self.remarks.push(format!("saw nothing: {}", blind.why)),
            Event::Full(full) => {
                let most = full.most;
                self.remarks.push(format!(
                    "the journal is full ({most} bytes): what follows is left out"
                ));
            }
            Event::Look(look) => self.looked(at, look),
            Event::Choice(choice) => self.scene(at).choice = Some(choice),
            Event::Touch(touch) => self.scene(at).touches.push(touch),
            Event::Picture(picture) => match picture.after {
                Moment::Look => self.scene(at).picture = Some(&picture.picture),
                Moment::Step => self.scenes.push(Scene {
                    at_us: at,
                    picture: Some(&picture.picture),
                    after_step: true,
                    ..Scene::default()
                }),
            },
            Event::StepEnd(end) => self.end = Some(end),
            Event::Begin(_) | Event::End(_) | Event::StepBegin(_) => {}
        }
    }

    fn looked(&mut self, at_us: u64, look: &'k Look) {
        // What was seen again and again while nothing was done is one scene.
        if let Some(last) = self.scenes.last_mut()
            && last.touches.is_empty()
            && last.look.is_some_and(|before| before.tree == look.tree)
        {
            last.times += 1;
            return;
        }
        self.scenes.push(Scene {
            at_us,
            look: Some(look),
            times: 1,
            ..Scene::default()
        });
    }

    fn scene(&mut self, at_us: u64) -> &mut Scene<'k> {
        if self.scenes.is_empty() {
            self.scenes.push(Scene {
                at_us,
                ..Scene::default()
            });
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

    /// The failure's code, if the step failed.
    pub(super) fn code(&self) -> Option<&'k str> {
        let end = self.end.filter(|end| !end.success)?;
        Some(end.data.get("error").map_or("FAILED", String::as_str))
    }

    /// The matcher that the step wanted to find, as it stands in the payload.
    pub(super) fn matcher(&self) -> Option<&'k Value> {
        let params = self.params?;
        let keys = ["matcher", "expectedNode", "labelMatcher", "container"];
        keys.iter().find_map(|key| params.get(key))
    }
}

/// A touch in words.
pub(super) fn touched(touch: &Touch) -> String {
    let [x, y] = touch.at;
    match (touch.kind, touch.to) {
        (TouchKind::Swipe, Some([to_x, to_y])) => format!("swiped from ({x}, {y}) to ({to_x}, {to_y})"),
        (TouchKind::LongPress, _) => format!("pressed long at ({x}, {y})"),
        (TouchKind::Tap | TouchKind::Swipe, _) => format!("tapped at ({x}, {y})"),
    }
}

/// A time for people.
pub(super) fn shown(us: u64) -> String {
    match us {
        0..10_000 => format!("{}.{} ms", us / 1000, us / 100 % 10),
        10_000..1_000_000 => format!("{} ms", us / 1000),
        _ => format!("{}.{:02} s", us / 1_000_000, us / 10_000 % 100),
    }
}
