//! Looks at the screen. A look never changes the phone.

use crate::outcome::{Data, StepFailure};
use crate::over_screen::{ASKING, app_of, intrusion};
use crate::retry::Tries;
use crate::run::{Blindness, LastLook, LockDoubt, OVERTIME, Run};
use clawperator_adb::Deadline;
use clawperator_contract::text;
use clawperator_contract::{
    Action, ActionEffect, Attribute, Condition, ConfirmEffect, DataKey, ErrorCode, Lane, MATCHER_FIELDS,
    Matcher, ParamValue, Params, RetryPolicy, Selector, TextTest,
};
use clawperator_events::PictureMoment;
use clawperator_phone::{Act, CaptureError, Finger, LookTo, PhoneError, Views, may_be_locked};
use clawperator_ui::{Ability, Flag, Node, NodeId, Role, Screen, Tree};
use std::time::Duration;
use tokio::time::Instant;

/// How old a look may be that the next step uses.
const YOUNG: Duration = Duration::from_millis(250);
/// How many of several matching elements a failure lists.
const MAX_CANDIDATES: usize = 5;
/// How many almost matching elements a failure lists.
const MAX_NEAREST: usize = 3;
/// How much of a matcher a message repeats, in characters.
const MAX_MATCHER_WORDS: usize = 240;

/// What a step says that found nothing.
pub(crate) const NO_MATCH: &str = "no element on the screen matches";

/// Elements of which the first is to be chosen.
pub(crate) struct Candidates<'c> {
    pub(crate) ids: Vec<NodeId>,
    pub(crate) matcher: &'c Matcher,
    pub(crate) none: &'c str,
}

/// The codes of a step that looks and touches.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    /// The screen was not seen.
    pub(crate) unseen: ErrorCode,
    /// The phone did not take the touch.
    pub(crate) untouched: ErrorCode,
}

/// A look that is repeated until it shows what is wanted. The code is for a screen that is not seen.
pub(crate) struct RetriedLook<'r> {
    to: LookTo,
    retry: &'r RetryPolicy,
    code: ErrorCode,
}

impl<'r> RetriedLook<'r> {
    pub(crate) fn to_show(retry: &'r RetryPolicy, code: ErrorCode) -> Self {
        Self { to: LookTo::Show, retry, code }
    }

    pub(crate) fn to_touch(retry: &'r RetryPolicy, code: ErrorCode) -> Self {
        Self { to: LookTo::Touch, retry, code }
    }
}

/// From where on the keyboard may lie over a screen, if a field has the focus. A window
/// that makes room for the keyboard is less high than a phone.
fn may_be_keyboard(tree: &Tree) -> Option<i32> {
    let is_typed = |(id, node): (NodeId, &Node)| node.flags.has(Flag::Focused) && tree.can(id, Ability::Edit);
    let whole = tree.node(tree.roots().next()?).bounds;
    let is_whole = whole.right > whole.bottom || whole.bottom / 16 >= whole.right / 9;
    (is_whole && tree.nodes().any(is_typed)).then_some(whole.bottom / 2)
}

impl Run<'_> {
    /// Looks at the screen until one look succeeds.
    pub(crate) async fn look(
        &mut self,
        to: LookTo,
        retry: &RetryPolicy,
        code: ErrorCode,
    ) -> Result<Tree, StepFailure> {
        self.look_for(RetriedLook { to, retry, code }, |_, tree| Ok(tree)).await
    }

    /// Looks at the screen until `read` finds on it what it wants.
    pub(crate) async fn look_for<T>(
        &mut self,
        look: RetriedLook<'_>,
        mut read: impl FnMut(&mut Self, Tree) -> Result<T, StepFailure>,
    ) -> Result<T, StepFailure> {
        let mut tries = Tries::new(look.retry);
        loop {
            let tree = self.look_once(look.to, look.code).await;
            match tree.and_then(|tree| read(self, tree)) {
                Ok(found) => return Ok(found),
                Err(failure) => tries.again(self, failure).await?,
            }
        }
    }

    /// Looks at the screen until `read` finds on it what it wants, and touches
    /// what it names, if anything. If another screen is in front by then, nothing
    /// is touched and the look is repeated. A touch that may have arrived is not.
    pub(crate) async fn look_and_touch<T>(
        &mut self,
        retry: &RetryPolicy,
        codes: Codes,
        mut read: impl FnMut(&mut Self, Tree) -> Result<(Option<Finger>, T), StepFailure>,
    ) -> Result<T, StepFailure> {
        let mut tries = Tries::new(retry);
        loop {
            let tree = self.look_once(LookTo::Touch, codes.unseen).await;
            let may_be = tree.as_ref().ok().filter(|tree| may_be_keyboard(tree).is_some()).cloned();
            let mut chosen = tree.and_then(|tree| read(self, tree));
            if let (Ok((Some(finger), _)), Some(tree)) = (&chosen, may_be)
                && self.is_under_keyboard(finger, &tree).await
            {
                chosen = read(self, tree);
                self.keyboard = None;
            }
            let failure = match chosen {
                Ok((None, found)) => return Ok(found),
                Ok((Some(finger), found)) => match self.perform(Act::Touch(finger, self.unchanged())).await {
                    Ok(()) => return Ok(found),
                    Err(error) => StepFailure::of(codes.untouched, &error.error),
                },
                Err(failure) => failure,
            };
            tries.again(self, failure).await?;
        }
    }

    /// Whether the keyboard lies where a finger is to touch; then it is known to the
    /// next choice of a place.
    async fn is_under_keyboard(&mut self, finger: &Finger, tree: &Tree) -> bool {
        let at = finger.first();
        if may_be_keyboard(tree).is_none_or(|top| at.y < top) {
            return false;
        }
        let deadline = Deadline::after(ASKING.min(self.deadline.left()));
        let shown = self.phone().shown_keyboard(deadline).await;
        let area = shown.ok().flatten().flatten();
        self.keyboard = area.filter(|area| area.contains(at));
        self.keyboard.is_some()
    }

    /// Looks at the screen once. If that fails, so does the step, with this code.
    pub(crate) async fn look_once(&mut self, to: LookTo, code: ErrorCode) -> Result<Tree, StepFailure> {
        let since = Instant::now();
        if self.lock_doubt == LockDoubt::NoLook {
            self.lock_doubt = LockDoubt::Unasked;
        }
        if let Some(tree) = self.seen_before(to) {
            self.judged = self.options.judge.as_ref().map(|_| tree.clone());
            return Ok(tree);
        }
        if self.blind.is_none() {
            self.blind = Some(Blindness::Looking(since));
        }
        let (deadline, patience) = (self.look_deadline(), self.patience());
        let seen = self.phone().see(Views::All, to, deadline).await;
        if may_be_locked(&seen) {
            // A look for a touch has asked.
            self.lock_doubt = if to == LookTo::Touch { LockDoubt::Asked } else { LockDoubt::Likely };
        }
        match seen {
            Ok(seen) => {
                let tree = seen.tree;
                (self.front, self.private, self.blind) = (seen.front, seen.private, None);
                self.seen_app = app_of(&tree);
                self.note(|log| log.look(&tree, since.elapsed()));
                self.picture(PictureMoment::Look).await;
                self.judged = self.options.judge.as_ref().map(|_| tree.clone());
                self.last_look = (self.phone().lane() == Lane::Resident).then(|| LastLook {
                    tree: tree.clone(),
                    front: self.front.clone(),
                    private: self.private.clone(),
                    at: since,
                    step: Some(self.step),
                });
                Ok(tree)
            }
            Err(error) => {
                self.note(|log| log.blind(&error, since.elapsed()));
                let mut failure = StepFailure::of(code, &error);
                let is_late =
                    matches!(error, PhoneError::TimedOut { .. } | PhoneError::Capture(CaptureError::NotIdle));
                if patience.is_some() && is_late {
                    let seconds = since.elapsed().as_secs_f64();
                    // A phone that gave up at once was not waited for.
                    let message = if seconds < 0.1 {
                        error.to_string()
                    } else {
                        format!("the screen did not come to rest within {seconds:.1} s, or the phone is slow")
                    };
                    failure = StepFailure::new(ErrorCode::SnapshotExtractionFailed, message).for_good();
                }
                self.blind = Some(Blindness::Failed(failure.message.clone()));
                Err(failure)
            }
        }
    }

    /// When a look ends that has not seen anything.
    pub(crate) fn look_deadline(&self) -> Deadline {
        let Some(patience) = self.patience() else {
            return self.deadline;
        };
        let most = patience.max(self.phone().usual_look()) + OVERTIME;
        Deadline::after(self.deadline.left().min(most))
    }

    /// How long this step may try to read the screen, if that is limited. A step
    /// that waits for something is patient.
    fn patience(&self) -> Option<Duration> {
        let action = self.execution.actions().get(self.step);
        let is_wait = action.is_some_and(|action| action.kind().spec().effect == ActionEffect::Waits);
        self.options.patience.filter(|_| !is_wait)
    }

    /// Lets the next look of the same step use what the last one saw.
    pub(crate) fn use_last_look_again(&mut self) {
        if let Some(last) = &mut self.last_look {
            last.step = None;
        }
    }

    /// The screen that the step before this one has seen at its end, if nothing was done since and
    /// it is young. Only the resident server tells how old it is for certain.
    fn seen_before(&mut self, to: LookTo) -> Option<Tree> {
        let last = self.last_look.take()?;
        let knows_enough = to == LookTo::Read || last.front.is_some();
        if last.step == Some(self.step) || last.at.elapsed() > YOUNG || !knows_enough {
            return None;
        }
        (self.front, self.private) = (last.front, last.private);
        Some(last.tree)
    }

    /// The element that a matcher names, and data about the choice.
    pub(crate) fn choose(
        &mut self,
        screen: &Screen<'_>,
        matcher: &Matcher,
    ) -> Result<(NodeId, Data), StepFailure> {
        let candidates = Candidates { ids: self.matching(screen, matcher)?, matcher, none: NO_MATCH };
        self.choose_among(screen, &candidates)
    }

    /// The first of these elements, and data about the choice.
    pub(crate) fn choose_among(
        &mut self,
        screen: &Screen<'_>,
        candidates: &Candidates<'_>,
    ) -> Result<(NodeId, Data), StepFailure> {
        self.note(|log| log.choice(candidates.matcher, screen.tree(), &candidates.ids));
        let count = candidates.ids.len();
        let Some(first) = candidates.ids.first().copied() else {
            return Err(self.not_found(screen, candidates));
        };
        let mut data = Data::new();
        if count > 1 && self.rules.strict {
            let shown = self.element_names(screen, candidates.ids.iter().take(MAX_CANDIDATES).copied());
            let failure = StepFailure::new(ErrorCode::NodeAmbiguous, format!("{count} elements match"));
            let failure = failure.with(DataKey::Candidates, shown).with(DataKey::Count, count.to_string());
            return Err(failure.for_good());
        } else if count > 1 {
            data.insert(DataKey::SelectionWarning, format!("{count} elements match; the first was used"));
        }
        let full = screen.tree().node(first).resource_id.as_deref().unwrap_or_default();
        if candidates.matcher.resource_id.as_deref().is_some_and(|short| short != full) {
            data.insert(DataKey::ResolvedId, full.to_owned());
        }
        Ok((first, data))
    }

    fn not_found(&mut self, screen: &Screen<'_>, candidates: &Candidates<'_>) -> StepFailure {
        let Candidates { matcher, none, .. } = candidates;
        let mut failure = StepFailure::new(ErrorCode::NodeNotFound, *none);
        if let Some(hidden) = screen.tree().hidden_texts() {
            failure.message = format!("{none}; {hidden}");
        }
        failure = failure
            .with(DataKey::LookedFor, looked_for(matcher))
            .with_some(DataKey::InTheWay, intrusion(self, screen.tree()));
        if matcher.conditions.is_some() {
            failure.asked = format!(": {}", cut(matcher.to_string()));
        }
        let short = matcher.resource_id.as_deref().unwrap_or_default();
        let meant = screen.full_ids(short);
        if meant.len() > 1 {
            let meant = meant.join(", ");
            failure.message = format!("{none}: give the whole id ({meant}), since several end with this");
            failure = failure.about(short);
        }
        let nearest = match &matcher.reference {
            None => screen.nearest(&matcher.selector(), MAX_NEAREST),
            Some(_) => Vec::new(),
        };
        if !nearest.is_empty() {
            let nearest = self.element_names(screen, nearest.iter().map(|near| near.id));
            failure = failure.with(DataKey::Nearest, nearest);
        }
        // A prompt, a call or the lock screen may be in front.
        let package = screen.tree().nodes().next().map(|(_, root)| root.package.as_str());
        failure.with_some(DataKey::ForegroundPackage, package.filter(|package| !package.is_empty()))
    }
}

/// The failure of an action that asks for a role that no element can have: no look can help.
pub(crate) fn without_role(action: &Action) -> Option<StepFailure> {
    let params = action.params().into_iter().flat_map(Params::iter);
    let mut matchers = params.filter_map(|(_, value)| match value {
        ParamValue::Matcher(matcher) => Some(matcher.selector()),
        ParamValue::Confirm(confirm) => match &confirm.effect {
            ConfirmEffect::Appears(matcher) | ConfirmEffect::Disappears(matcher) => Some(matcher.selector()),
            ConfirmEffect::Changed => None,
        },
        _ => None,
    });
    let role = matchers.find_map(|selector| unknown_role(&selector))?;
    let words = Role::WORDS.iter().copied();
    let near = text::closest(&role, words.clone());
    let near = near.map_or(String::new(), |near| format!("; the nearest is {near}"));
    let words: Vec<_> = words.collect();
    let message = format!("the roles are {}{near}; there is no role", words.join(", "));
    let failure = StepFailure::new(ErrorCode::NodeNotFound, message);
    Some(failure.for_good().about(&role))
}

fn unknown_role(selector: &Selector) -> Option<String> {
    selector.conditions.iter().find_map(|condition| match condition {
        Condition::Text(Attribute::Role, TextTest::Equals(role)) => {
            Role::of_word(role).is_none().then(|| role.clone())
        }
        Condition::Related(_, selector) | Condition::Not(selector) => unknown_role(selector),
        Condition::AllOf(all) => all.iter().find_map(unknown_role),
        Condition::Text(..) | Condition::Flag(..) | Condition::IndexInParent(_) | Condition::AnyOf(_) => None,
    })
}

/// A matcher as its fields, for programs.
fn looked_for(matcher: &Matcher) -> String {
    let mut own = matcher.clone();
    let fields = MATCHER_FIELDS.iter().filter_map(|field| {
        let value = (field.slot)(&mut own).take()?;
        Some(format!("{}={value}", field.name))
    });
    let mut fields: Vec<String> = fields.collect();
    fields.extend(own.conditions.as_ref().map(|_| format!("where={own}")));
    cut(fields.join(", "))
}

/// A text of the length that a message can hold.
fn cut(words: String) -> String {
    match words.char_indices().nth(MAX_MATCHER_WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
