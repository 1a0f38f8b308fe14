//! Compiles a recording into an execution: the same actions, with selectors
//! instead of points, and a list of what is not certain.

mod scrolling;
mod target;
mod typing;

use crate::doubt::{Doubt, Unsure};
use crate::draft::{self, ActionDraft};
use crate::event::{
    Click, ClickLength, Maker, PressKey, RecordedAct, RecordedEvent, Recording, WindowChange,
};
use crate::limits::MAX_EVENTS;
use crate::selector;
use clawperator_contract::limits::MAX_ACTIONS;
use clawperator_contract::{
    ActionKind, CheckedExecution, ClickType, Coordinate, ErrorCode, Failure, Key, Number, ParamKey,
    PayloadAction,
};
use clawperator_ui::{Point, Screen, Tree};
use std::collections::{BTreeMap, BTreeSet};
use typing::TypingFieldKey;

/// How long a screen is waited for.
const ARRIVAL_MS: u32 = 10_000;
/// A window that opens within this time after an action is taken as its effect.
const CAUSE_MS: f64 = 5_000.0;
/// Windows that open by themselves over an app and are no apps to be opened.
const SYSTEM: &[&str] = &[
    "android",
    "com.android.systemui",
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
    "com.google.android.packageinstaller",
];

/// What to do with an app before it is opened for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppStart {
    /// It is ended, so that it begins where it always begins.
    #[default]
    Clean,
    AsItIs,
}

/// An execution that was compiled from a recording.
#[derive(Clone, Debug)]
pub struct CompiledRecording {
    pub checked: CheckedExecution,
    /// What each of its actions comes from, in the same order.
    pub steps: Vec<ActionSource>,
    /// What is not certain about it.
    pub unsure: Vec<Doubt>,
    /// The screen at the end of the recording, if it was captured.
    pub end: Option<Tree>,
}

/// What an action comes from.
#[derive(Clone, Debug)]
pub struct ActionSource {
    pub seq: Number,
    /// The screen it acted on, where it was seen.
    pub before: Option<Tree>,
    /// The action as an execution of its own.
    pub alone: CheckedExecution,
}

/// Compiles a recording into an execution.
///
/// # Errors
/// `RECORDING_COMPILE_FAILED` if nothing was done in it, or more than one execution can hold.
pub fn compile(recording: &Recording, start: AppStart) -> Result<CompiledRecording, Failure> {
    let count = recording.events.len();
    if count as u64 > MAX_EVENTS {
        let message = format!("the recording has {count} events; at most {MAX_EVENTS} can be compiled");
        return Err(Failure::of(ErrorCode::RecordingCompileFailed, message));
    }
    let mut compiler = Compiler::new(recording, start);
    for index in 0..count {
        // More than an execution can hold does not become less.
        if compiler.drafts.len() > MAX_ACTIONS {
            break;
        }
        compiler.event(index);
        compiler.note_fields(index);
    }
    compiler.flush_scrolls(None);
    compiler.finish()
}

struct Compiler<'r> {
    recording: &'r Recording,
    start: AppStart,
    /// The screen of each event.
    trees: Vec<Option<Tree>>,
    drafts: Vec<ActionDraft>,
    unsure: Vec<Doubt>,
    /// The app in front; none before the first window.
    front: Option<String>,
    opened: BTreeSet<String>,
    /// Scrolls that have not become actions yet, by event.
    scrolls: Vec<usize>,
    /// The event whose screen was acted on last.
    acted: Option<usize>,
    /// When something was last done that can open a window.
    done_at: Option<f64>,
    /// The last event that only shows a screen.
    end: Option<usize>,
    /// What each field showed when it was first seen.
    first_texts: BTreeMap<TypingFieldKey, String>,
}

impl<'r> Compiler<'r> {
    fn new(recording: &'r Recording, start: AppStart) -> Self {
        let tree = |event: &RecordedEvent| {
            let dump = event.snapshot.as_deref()?;
            clawperator_ui::read(dump).ok().filter(|tree| !tree.is_empty())
        };
        Self {
            recording,
            start,
            trees: recording.events.iter().map(tree).collect(),
            drafts: Vec::new(),
            unsure: Vec::new(),
            front: None,
            opened: BTreeSet::new(),
            scrolls: Vec::new(),
            acted: None,
            done_at: None,
            end: None,
            first_texts: BTreeMap::new(),
        }
    }

    fn event(&mut self, index: usize) {
        let event = &self.recording.events[index];
        match &event.act {
            RecordedAct::WindowChange(act) if act.closing => {
                self.flush_scrolls(None);
                self.arrive(index);
                // A screen from before the last touch is not the end.
                self.end = Some(index).filter(|_| !event.stale);
            }
            RecordedAct::WindowChange(act) => self.window(index, act),
            RecordedAct::Click(act) => {
                self.click(index, act);
                self.done_at = Some(event.ts.get());
            }
            RecordedAct::Scroll(act) if act.container.is_none() && self.knows_scrollables(index) => {
                self.doubt(index, Unsure::NothingScrolled);
            }
            RecordedAct::Scroll(_) => self.scrolls.push(index),
            RecordedAct::TextChange(act) => {
                self.flush_scrolls(None);
                self.text(index, act);
            }
            RecordedAct::PressKey(act) => {
                self.flush_scrolls(None);
                self.key(index, act);
                self.done_at = Some(event.ts.get());
            }
        }
    }

    fn window(&mut self, index: usize, act: &WindowChange) {
        let package = act.package.as_str();
        if self.front.is_none() {
            if self.is_home(package) {
                self.go_home(index);
            } else {
                self.open(index, package);
                self.doubt(index, Unsure::BeganInside(package.to_owned()));
            }
        } else if self.front.as_deref() != Some(package) {
            self.flush_scrolls(None);
            self.came_up(index, package);
        }
        self.front = Some(package.to_owned());
    }

    /// An app came to the front: because of a recorded action, or for
    /// a reason that was not recorded.
    fn came_up(&mut self, index: usize, package: &str) {
        let now = self.recording.events[index].ts.get();
        let caused = self.done_at.is_some_and(|done| now - done <= CAUSE_MS);
        if caused || SYSTEM.contains(&package) {
            return;
        }
        if self.is_home(package) {
            self.go_home(index);
        } else {
            self.open(index, package);
        }
        self.doubt(index, Unsure::CameByItself(package.to_owned()));
    }

    fn go_home(&mut self, index: usize) {
        self.push(index, press(Key::Home));
    }

    fn open(&mut self, index: usize, package: &str) {
        let action = |kind| PayloadAction::new("", kind).with(ParamKey::ApplicationId, package);
        if self.opened.insert(package.to_owned()) && self.start == AppStart::Clean {
            self.push(index, action(ActionKind::CloseApp));
        }
        self.push(index, action(ActionKind::OpenApp));
        self.acted = None;
    }

    fn click(&mut self, index: usize, act: &Click) {
        // Of a quick run of touches the first opened it: the others were meant for what came up.
        if self.is_home(&act.package)
            && self.front.as_deref().is_none_or(|front| self.is_home(front))
            && let Some(package) = self.opens(index)
        {
            // Where an icon is on the home screen is the user's own.
            self.scrolls.clear();
            self.doubt_stale(index);
            self.open(index, &package);
            self.front = Some(package);
            return;
        }
        if self.is_over_another_app(index) {
            self.scrolls.clear();
            self.doubt(index, Unsure::TouchedUnknown);
            return;
        }
        let target = target::of_click(self.trees[index].as_ref(), act);
        for what in target.unsure {
            self.doubt(index, what);
        }
        self.doubt_stale(index);
        let click = PayloadAction::new("", ActionKind::Click);
        let mut click = match &target.matcher {
            Some(matcher) => {
                self.flush_scrolls(Some((index, matcher)));
                click.with(ParamKey::Matcher, matcher.clone())
            }
            None => {
                self.flush_scrolls(None);
                self.arrive(index);
                let Point { x, y } = target.point;
                let point = Coordinate { x: x.max(0).into(), y: y.max(0).into() };
                click.with(ParamKey::Coordinate, point)
            }
        };
        if act.press == ClickLength::Long {
            click.set(ParamKey::ClickType, ClickType::LongClick.word());
        }
        self.act(index, click);
    }

    /// The app that a click on the home screen opened.
    fn opens(&self, index: usize) -> Option<String> {
        let act = self.came_next(index)?;
        let opened = !act.closing && !self.is_home(&act.package) && !SYSTEM.contains(&act.package.as_str());
        opened.then(|| act.package.clone())
    }

    /// Whether another app came up between the screen that a click was told by and the next one.
    fn is_over_another_app(&self, index: usize) -> bool {
        if !self.recording.events[index].stale {
            return false;
        }
        let before = self.recording.events[..index].iter().rev();
        let mut before = before.filter_map(|event| match &event.act {
            RecordedAct::WindowChange(act) => Some(act.package.as_str()),
            _ => None,
        });
        match (before.next(), self.came_next(index)) {
            (Some(before), Some(next)) => next.package != before,
            (None, _) | (_, None) => false,
        }
    }

    /// The window that came up after an event, skipping touches on screens that were not read.
    fn came_next(&self, index: usize) -> Option<&'r WindowChange> {
        let mut later = self.recording.events[index + 1..].iter();
        let next = later.find(|event| {
            !(event.stale && matches!(event.act, RecordedAct::Click(_) | RecordedAct::Scroll(_)))
        })?;
        match &next.act {
            RecordedAct::WindowChange(act) => Some(act),
            _ => None,
        }
    }

    fn key(&mut self, index: usize, act: &PressKey) {
        let Some(key) = act.key else {
            self.doubt(index, Unsure::GestureUnknown);
            return;
        };
        if act.inferred {
            self.doubt(index, Unsure::KeyFromGesture);
        }
        self.arrive(index);
        self.act(index, press(key));
    }

    fn is_home(&self, package: &str) -> bool {
        match &self.recording.header.launcher {
            Some(launcher) => launcher == package,
            // The Operator app does not say which it is.
            None => package.to_ascii_lowercase().contains("launcher"),
        }
    }

    /// Waits for the screen of an event where the next action would not.
    fn arrive(&mut self, index: usize) {
        // A scroll waits by itself, and what it brings into view is not certain.
        if self.drafts.last().is_some_and(|draft| draft.action.kind == ActionKind::Scroll) {
            return;
        }
        let (Some(now), false) = (&self.trees[index], self.recording.events[index].stale) else {
            return;
        };
        let before = self.acted.and_then(|index| self.trees[index].as_ref());
        let before = before.map(Screen::new);
        let Some(matcher) = selector::landmark(&Screen::new(now), before.as_ref()) else {
            return;
        };
        let wait = PayloadAction::new("", ActionKind::WaitForNode)
            .with(ParamKey::Matcher, matcher)
            .with(ParamKey::TimeoutMs, ARRIVAL_MS);
        self.push(index, wait);
        self.acted = Some(index);
    }

    fn doubt_stale(&mut self, index: usize) {
        if self.recording.events[index].stale {
            self.doubt(index, Unsure::StaleScreen);
        }
    }

    fn doubt(&mut self, index: usize, what: Unsure) {
        let seq = self.recording.events[index].seq;
        self.unsure.push(Doubt { seq, what });
    }

    /// Adds an action that was done on the screen of its event.
    fn act(&mut self, index: usize, action: PayloadAction) {
        self.push(index, action);
        self.acted = Some(index);
        if let Some(draft) = self.drafts.last_mut() {
            draft.screen = Some(index);
        }
    }

    fn push(&mut self, index: usize, action: PayloadAction) {
        let seq = self.recording.events[index].seq;
        self.drafts.push(ActionDraft { action, seq, screen: None });
    }

    fn finish(mut self) -> Result<CompiledRecording, Failure> {
        if self.drafts.is_empty() {
            let code = ErrorCode::RecordingCompileFailed;
            return Err(Failure::of(code, "the recording has no actions"));
        }
        let last = self.recording.events.len().saturating_sub(1);
        // The Operator app's recordings never show their end.
        if self.end.is_none() && self.recording.header.maker == Maker::Host {
            self.doubt(last, Unsure::EndUnseen);
        }
        if self.drafts.iter().all(|draft| draft.screen.is_none()) {
            self.doubt(last, Unsure::NothingDone);
        }
        let session = &self.recording.header.session_id;
        let checked = draft::accept_drafts(session, 1, &self.drafts)?;
        let fresh = |index: &usize| !self.recording.events[*index].stale;
        let mut steps = Vec::with_capacity(self.drafts.len());
        for (number, draft) in self.drafts.iter().enumerate() {
            steps.push(ActionSource {
                seq: draft.seq,
                before: draft.screen.filter(fresh).and_then(|index| self.trees[index].clone()),
                alone: draft::accept_drafts(session, number + 1, std::slice::from_ref(draft))?,
            });
        }
        Ok(CompiledRecording {
            checked,
            steps,
            unsure: self.unsure,
            end: self.end.and_then(|index| self.trees[index].take()),
        })
    }
}

fn press(key: Key) -> PayloadAction {
    PayloadAction::new("", ActionKind::PressKey).with(ParamKey::Key, key.word())
}
