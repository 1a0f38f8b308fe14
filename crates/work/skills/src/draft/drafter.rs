//! Goes through the actions of a recording and makes steps of them.

mod effect;

use super::landmarks::{frameworks, is_toggle, landmark, leads_back};
use super::name::{ElementName, best, is_in_list, is_numbered, own_label, step_name};
use super::private::{PrivateTexts, free_name};
use super::{DraftOrder, LeftOut, RecipeDraft, Sketch, StepSketch};
use crate::recipe::Capability;
use crate::world::tree_of;
use clawperator_contract::{
    Action, ActionKind, Click, ClickTarget, ClickType, ErrorCode, Failure, Key, Matcher, Number, ScrollUntil,
    Step, UncheckedWord, text,
};
use clawperator_recording::{AppStart, CompiledRecording, RecordedAct, Recording, Unsure, compile, restless};
use clawperator_ui::{Screen, Tree};

/// The most gestures that were left out that a refusal tells.
const MOST_TOLD: usize = 3;

pub(super) struct Drafter<'r> {
    recording: &'r Recording,
    order: &'r DraftOrder<'r>,
    compiled: CompiledRecording,
    /// The screen of each event, if it was read after the last touch.
    trees: Vec<Option<Tree>>,
    /// Where the screen changed by itself before each event.
    restless: Vec<Vec<String>>,
    private: PrivateTexts<'r>,
    sketch: Sketch,
    left_out: Vec<LeftOut>,
    to_do: Vec<String>,
    place: Where,
    /// The event whose screen the last confirmation was made of.
    confirmed_by: Option<usize>,
}

/// Which app is in front.
enum Where {
    /// The skill's app was not opened yet.
    Before,
    Inside,
    /// Another app, which a recipe cannot open.
    Away(String),
}

impl<'r> Drafter<'r> {
    pub(super) fn new(recording: &'r Recording, order: &'r DraftOrder<'r>) -> Result<Self, Failure> {
        let trees: Vec<Option<Tree>> = recording.events.iter().map(tree_of).collect();
        let mut changes: Vec<_> = recording.events.iter().map(|event| event.restless.clone()).collect();
        for (at, looks) in trees.windows(2).enumerate() {
            // Nothing is done by a window that comes up.
            let is_look = matches!(recording.events[at].act, RecordedAct::WindowChange(_));
            if let ([Some(before), Some(now)], true) = (looks, is_look) {
                changes[at + 1].extend(restless(before, now));
            }
        }
        Ok(Self {
            recording,
            order,
            compiled: compile(recording, AppStart::AsItIs)?,
            restless: changes,
            trees,
            private: PrivateTexts::new(order.denylist),
            sketch: Sketch::default(),
            left_out: Vec::new(),
            to_do: Vec::new(),
            place: Where::Before,
            confirmed_by: None,
        })
    }

    /// Makes a step of each action that a recipe can say.
    pub(super) fn steps(&mut self) {
        let actions = self.compiled.checked.execution.actions().to_vec();
        self.note_typed();
        let mut index = 0;
        while let Some(action) = actions.get(index) {
            let seq = self.compiled.steps[index].seq;
            let next = actions.get(index + 1).map(Action::step);
            index += match (action.step(), next) {
                // The search and the click at its end are one step.
                (Step::ScrollUntil(search), Some(Step::Click(click))) if same_target(search, click) => {
                    let seq = self.compiled.steps[index + 1].seq;
                    self.touch(click, Some(search), seq);
                    2
                }
                (step, _) => {
                    self.step(step, action.kind(), seq);
                    1
                }
            };
        }
    }

    /// What was typed is the user's, wherever it is seen. Of a text that grows
    /// letter by letter the last form counts.
    fn note_typed(&mut self) {
        let mut events = self.recording.events.iter().peekable();
        while let Some(event) = events.next() {
            let RecordedAct::TextChange(typed) = &event.act else {
                continue;
            };
            let grows = events.peek().is_some_and(|next| match &next.act {
                RecordedAct::TextChange(more) => {
                    more.resource_id == typed.resource_id && more.field == typed.field
                }
                _ => false,
            });
            if !grows && !text::is_blank(&typed.text) {
                self.private.note_typed(&typed.text, typed.resource_id.as_deref());
            }
        }
    }

    fn step(&mut self, step: &Step, kind: ActionKind, seq: Number) {
        match step {
            Step::OpenApp(open) => self.open(&open.application_id, seq),
            Step::CloseApp(_) => {}
            // A recipe starts its app wherever it is.
            Step::PressKey(press) if press.key == Key::Home && matches!(self.place, Where::Before) => {}
            Step::Click(click) => self.touch(click, None, seq),
            Step::WaitForNode(_) => self.wait(seq),
            Step::EnterText(_) => {
                let why =
                    "recipes have no step that types text; open the screen another way, or use a script";
                self.leave_out(kind, seq, why.to_owned());
            }
            Step::PressKey(press) => {
                let why = format!("recipes have no step that presses a key ({})", press.key.word());
                self.leave_out(kind, seq, why);
            }
            Step::Scroll(_) | Step::ScrollUntil(_) => {
                let why = "recipes scroll only towards an element that is clicked then";
                self.leave_out(kind, seq, why.to_owned());
            }
            _ => self.leave_out(kind, seq, "recipes have no step for it".to_owned()),
        }
    }

    fn leave_out(&mut self, kind: ActionKind, seq: Number, why: String) {
        let action = kind.name();
        self.left_out.push(LeftOut { seq, action, why });
    }

    fn open(&mut self, package: &str, seq: Number) {
        let app = self.order.skill.application_id;
        let was = std::mem::replace(&mut self.place, Where::Inside);
        match (package == app, was) {
            // The session policy opens it.
            (true, Where::Before) => self.start(),
            (true, Where::Inside | Where::Away(_)) => {
                self.push(ActionKind::OpenApp, "open_app", None);
            }
            (false, was) => {
                let why = format!("a recipe is about one app, {app}, and this opens {package}");
                self.leave_out(ActionKind::OpenApp, seq, why);
                self.place = match was {
                    Where::Before => Where::Before,
                    Where::Inside | Where::Away(_) => Where::Away(package.to_owned()),
                };
            }
        }
    }

    /// Waits for the app's first screen.
    fn start(&mut self) {
        let app = self.order.skill.application_id;
        let events = self.recording.events.iter().enumerate();
        let first = events.filter(|(index, event)| {
            let there = matches!(&event.act, RecordedAct::WindowChange(act) if act.package == app);
            there && self.trees[*index].is_some()
        });
        let Some((index, _)) = first.into_iter().next() else {
            return;
        };
        let Some(tree) = self.trees[index].clone() else {
            return;
        };
        if index == 0 && leads_back(&tree) {
            self.sketch.start = AppStart::AsItIs;
            self.compiled.unsure.retain(|doubt| !matches!(doubt.what, Unsure::BeganInside(_)));
            self.to_do.push(format!(
                "the recording began inside {app}, so the recipe goes on where the app is (session_policy: resume_ok); \
                 record from the home screen to have it begin at the app's first screen"
            ));
            self.push(ActionKind::OpenApp, "open_app", None);
        } else if let Some(named) = landmark(&tree, &[], &mut self.private) {
            self.push(ActionKind::WaitForNode, "wait_for_start", Some(named));
        }
    }

    /// A click, or a search that ends with one.
    fn touch(&mut self, click: &Click, search: Option<&ScrollUntil>, seq: Number) {
        let kind = match search {
            Some(_) => ActionKind::ScrollAndClick,
            None => ActionKind::Click,
        };
        match &self.place {
            Where::Inside => {}
            Where::Before => {
                return self.leave_out(kind, seq, "it was done before the app was opened".to_owned());
            }
            Where::Away(package) => {
                let why = format!("it was done in {package}, and a recipe is about one app");
                return self.leave_out(kind, seq, why);
            }
        }
        let ClickTarget::Node(matcher) = &click.target else {
            let why = "nothing names the element that was touched, and recipes name elements";
            return self.leave_out(kind, seq, why.to_owned());
        };
        let Some(index) = self.event(seq) else {
            return;
        };
        let named = self.name(index, matcher);
        if named.is_empty() {
            let why = "nothing that a selector can say names the element that was touched";
            return self.leave_out(kind, seq, why.to_owned());
        }
        let long = matches!(click.click_type, UncheckedWord::Known(ClickType::LongClick));
        self.note_capabilities(index, &named, long);
        let verb = if long { "press" } else { "click" };
        let id = format!("{verb}_{}", step_name(&named));
        let container = search.and_then(|search| self.container(index, search));
        let step = self.push(kind, &id, Some(named.clone()));
        step.container = container;
        if let Some(search) = search {
            step.params.push(("direction", search.direction.word().to_owned()));
        }
        if long {
            step.params.push(("click_type", ClickType::LongClick.word().to_owned()));
        }
        self.confirm(index, &named);
    }

    /// The element that a matcher of the recording names, as a recipe can say.
    fn name(&mut self, index: usize, matcher: &Matcher) -> ElementName {
        let Some(tree) = self.trees[index].clone() else {
            return self.name_unseen(matcher);
        };
        let screen = Screen::new(&tree);
        let Some(id) = screen.first(&matcher.selector()) else {
            return self.name_unseen(matcher);
        };
        let node = tree.node(id);
        let label = matcher.text_equals.as_deref().or(matcher.content_desc_equals.as_deref());
        let is_row = is_in_list(&tree, id);
        // Which row it is, and what it counts, differs between users.
        let counts = [&matcher.resource_id, &matcher.content_desc_equals];
        let counts = counts.into_iter().flatten().any(|own| is_row && is_numbered(own));
        let meant = own_label(&screen, id).filter(|_| counts).map(|id| tree.node(id));
        let label = meant.map(|meant| meant.text.as_str()).or(label);
        let said = label.map(|label| {
            if is_row {
                self.private.say_own(label, "item", "The label of an entry to choose from a list.")
            } else {
                self.private.say(label)
            }
        });
        let by_description = meant.is_none() && matcher.text_equals.is_none() && !text::is_blank(&node.text);
        let (described, labelled) = if by_description { (said, None) } else { (None, said) };
        let plain = ElementName {
            resource_id: matcher.resource_id.clone().filter(|_| meant.is_none()),
            text: labelled,
            description: described,
            ..ElementName::default()
        };
        let names = match meant {
            // Another row may say it twice.
            Some(meant) => vec![plain.of_class(&meant.class), plain],
            None => vec![plain.clone(), plain.of_class(&node.class)],
        };
        match best(&screen, id, names) {
            Some((named, 1)) => named,
            Some((named, count)) => {
                let step = step_name(&named);
                self.to_do.push(format!(
                    "{count} elements fit the selector of the step for {step}: a run stops there as ambiguous; say more in the selector"
                ));
                named
            }
            None => ElementName::default(),
        }
    }

    /// What the event itself says, where no screen says more.
    fn name_unseen(&mut self, matcher: &Matcher) -> ElementName {
        let label = matcher.text_equals.as_deref().or(matcher.content_desc_equals.as_deref());
        let named = ElementName {
            resource_id: matcher.resource_id.clone(),
            text: label.map(|label| self.private.say(label)),
            ..ElementName::default()
        };
        if named.text.is_some() {
            let step = step_name(&named);
            self.to_do.push(format!(
                "the screen of the step for {step} was not captured: check that its text is the app's own and not the user's"
            ));
        }
        named
    }

    fn container(&mut self, index: usize, search: &ScrollUntil) -> Option<ElementName> {
        let matcher = search.swipe.container.as_ref()?;
        // A list is named by its id; its label would be the user's.
        let tree = self.trees[index].as_ref()?;
        let id = Screen::new(tree).first(&matcher.selector())?;
        let node = tree.node(id);
        Some(match node.resource_id.as_deref() {
            Some(id) if !id.is_empty() => ElementName::by_id(id),
            _ => ElementName::default().of_class(&node.class),
        })
    }

    fn note_capabilities(&mut self, index: usize, named: &ElementName, long: bool) {
        let own = if long { Capability::LongClick } else { Capability::Click };
        self.sketch.capabilities.push(own);
        let tree = self.trees[index].as_ref();
        let touched = tree.and_then(|tree| Some((tree, Screen::new(tree).first(&named.selector())?)));
        if touched.is_some_and(|(tree, id)| is_toggle(tree, id)) {
            self.sketch.capabilities.push(Capability::Toggle);
        }
    }

    /// The recording waited for a screen.
    fn wait(&mut self, seq: Number) {
        // What the screen shows after a touch without an effect verifies nothing.
        let unverified = |step: &StepSketch| touches(step) && step.confirm.is_none();
        let goes_on =
            matches!(self.place, Where::Inside) && !self.sketch.steps.last().is_some_and(unverified);
        let index = self.event(seq).filter(|_| goes_on);
        let Some(index) = index.filter(|index| self.confirmed_by != Some(*index)) else {
            return;
        };
        let before = self.trees[..index].iter().rev().find_map(Option::as_ref).cloned();
        let now = self.trees[index].clone();
        let found = now.and_then(|now| {
            let before: Vec<&Tree> = before.iter().collect();
            landmark(&now, &before, &mut self.private)
        });
        if let Some(named) = found {
            let id = format!("wait_for_{}", step_name(&named));
            self.push(ActionKind::WaitForNode, &id, Some(named));
        }
    }

    fn event(&self, seq: Number) -> Option<usize> {
        self.recording.events.iter().position(|event| event.seq == seq)
    }

    fn push(&mut self, kind: ActionKind, id: &str, selector: Option<ElementName>) -> &mut StepSketch {
        let id = free_name(id, |id| self.sketch.steps.iter().any(|step| step.id == id));
        self.sketch.steps.push(StepSketch {
            id,
            kind,
            selector,
            container: None,
            params: Vec::new(),
            confirm: None,
        });
        // The list was just given an element.
        let last = self.sketch.steps.len() - 1;
        &mut self.sketch.steps[last]
    }

    pub(super) fn finish(mut self) -> Result<(Sketch, RecipeDraft), Failure> {
        let app = self.order.skill.application_id;
        if matches!(self.place, Where::Before) {
            let message = format!("the recording never opens {app}, the app of the skill");
            let hint = "Give the skill the id of the app that was recorded, followed by a dot and an intent.";
            return Err(Failure::new(ErrorCode::RecordingCompileFailed, message).hint(hint));
        }
        if !self.sketch.steps.iter().any(touches) {
            let mut message =
                format!("nothing that a recipe can do was done in {app}, so a skill would do nothing");
            for LeftOut { action, why, .. } in self.left_out.iter().take(MOST_TOLD) {
                message.push_str(&format!("; {action}: {why}"));
            }
            let hint = "Record or repeat it with a touch that works, and make the skill of that.";
            return Err(Failure::new(ErrorCode::RecordingCompileFailed, message).hint(hint));
        }
        let own = self.trees.iter().flatten();
        let own = own.filter(|tree| tree.nodes().next().is_some_and(|(_, node)| node.package == app));
        self.sketch.frameworks = frameworks(own);
        let all = &mut self.sketch.capabilities;
        all.extend([Capability::Observe, Capability::Navigate]);
        all.sort_unstable();
        all.dedup();
        let draft = RecipeDraft {
            recipe: String::new(),
            inputs: self.private.inputs(),
            left_out: self.left_out,
            to_do: self.to_do,
            unsure: self.compiled.unsure,
            named: Vec::new(),
        };
        Ok((self.sketch, draft))
    }
}

fn touches(step: &StepSketch) -> bool {
    matches!(step.kind, ActionKind::Click | ActionKind::ScrollAndClick)
}

/// Whether a search ends at what is clicked then.
fn same_target(search: &ScrollUntil, click: &Click) -> bool {
    match &click.target {
        ClickTarget::Node(clicked) => search.matcher.as_ref() == Some(clicked),
        ClickTarget::Point(_) => false,
    }
}
