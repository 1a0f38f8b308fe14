//! What confirms a touch: what the recording shows after it, and would not show without it.

use super::Drafter;
use crate::draft::ConfirmSketch;
use crate::draft::landmarks::{TouchScreens, is_way_back, landmark, touch_effect};
use crate::draft::name::ElementName;
use clawperator_recording::{AppStart, Likeness, RecordedAct, compare, is_same_page, without_words};
use clawperator_ui::{Screen, Tree};
use std::collections::BTreeSet;

/// A confirmation waits this long by itself, in milliseconds.
const USUAL_WAIT_MS: f64 = 5_000.0;
/// The longest that a confirmation waits.
const MAX_WAIT_MS: f64 = 60_000.0;

impl Drafter<'_> {
    /// Says what was seen after the last step.
    pub(super) fn confirm(&mut self, index: usize, touched: &ElementName) {
        let after = (index + 1..self.trees.len()).find(|later| self.trees[*later].is_some());
        let seen = after.and_then(|after| self.effect(index, after, touched));
        self.confirmed_by = after.filter(|_| seen.is_some());
        let Some(step) = self.sketch.steps.last_mut() else {
            return;
        };
        if seen.is_none() {
            let id = &step.id;
            self.to_do.push(match after {
                Some(_) => {
                    format!("the recording shows no effect of the step {id}: write a confirm block for it")
                }
                None => {
                    format!("the screen after the step {id} was not captured: write a confirm block for it")
                }
            });
        }
        step.confirm = seen;
    }

    fn effect(&mut self, index: usize, after: usize, touched: &ElementName) -> Option<ConfirmSketch> {
        let now = without_words(self.trees[after].as_ref()?, &self.restless(index));
        let took = self.recording.events[after].ts.get() - self.recording.events[index].ts.get();
        let timeout_ms = (took > USUAL_WAIT_MS).then(|| {
            let twice = (2.0 * took / 1_000.0).ceil() * 1_000.0;
            // At most a minute, and not negative.
            twice.min(MAX_WAIT_MS) as u32
        });
        let found = |selector, gone| ConfirmSketch { selector, gone, timeout_ms };
        let seen: Vec<&Tree> = self.trees[..=index].iter().flatten().collect();
        let before = self.trees[index].as_ref();
        // Where a page leads back to that was open from the start is not known.
        let began = |page: &&Tree| self.sketch.start == AppStart::AsItIs && is_same_page(seen[0], page);
        if before.filter(began).is_some_and(|page| !is_same_page(page, &now)) {
            return None;
        }
        if let Some(named) = landmark(&now, &seen, &mut self.private) {
            return Some(found(named, false));
        }
        let before = before?;
        // The page that was not left or was come back to, as it was last. What it
        // showed then is no effect: leaving without the act shows it, too.
        let mut last = seen.iter().rev();
        let left = last.find(|tree| compare(tree, &now).likeness != Likeness::Different);
        let left = left.or_else(|| seen.iter().rev().find(|tree| is_same_page(tree, &now)));
        let changed = left
            .and_then(|left| touch_effect(touched, TouchScreens { before: left, now: &now }, &self.private));
        if let Some(named) = changed {
            return Some(found(named, false));
        }
        let selector = touched.selector();
        let id = Screen::new(before).first(&selector);
        if id.is_some_and(|id| is_way_back(before, id)) {
            return landmark(&now, &[before], &mut self.private).map(|named| found(named, false));
        }
        let lacks = |tree: &Tree| Screen::new(tree).count(&selector) == 0;
        let came_back = seen.iter().any(|tree| lacks(tree) && is_same_page(tree, &now));
        (lacks(&now) && !came_back).then(|| found(touched.clone(), true))
    }

    /// Where the screen changes by itself, as far as the recording shows: once
    /// before a touch, or more than once after it. Its effect may come late.
    fn restless(&self, index: usize) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = self.restless[..=index].iter().flatten().cloned().collect();
        let mut once = BTreeSet::new();
        for event in &self.recording.events[index + 1..] {
            let again = event.restless.iter().filter(|spot| !once.insert(*spot));
            found.extend(again.cloned());
            if !matches!(event.act, RecordedAct::WindowChange(_)) {
                break;
            }
        }
        found
    }
}
