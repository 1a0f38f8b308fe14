//! What lies over the screen of an app, or took its place: the keyboard, a dialog
//! of the phone's, another app. Each is one line for the reader of a view.

use crate::run::Run;
use clawperator_adb::Deadline;
use clawperator_contract::DataKey;
use clawperator_contract::text::quoted;
use clawperator_ui::{Ability, Bounds, Cover, Flag, Intrusion, NodeId, Screen, Tree};
use std::time::Duration;

/// The longest that the phone is asked for its keyboard.
pub(crate) const ASKING: Duration = Duration::from_secs(2);
/// The most elements that a line names, and the most letters of a text.
const MAX_NAMED: usize = 5;
const MAX_WORDS: usize = 80;

/// What is over a screen: the data it is for, and what it is.
pub(crate) type Over = Vec<(DataKey, String)>;

/// Says what is over a screen that was just remembered.
pub(crate) async fn over_screen(run: &mut Run<'_>, tree: &Tree) -> Over {
    let mut over = Over::new();
    if let Some(intrusion) = intrusion(run, tree) {
        over.push((DataKey::InTheWay, intrusion));
    } else if let Some(app) = run.touched_app.take()
        && let Some(other) = app_of(tree).filter(|other| *other != app)
    {
        over.push((DataKey::InTheWay, format!("another app is in front: {other} (the touch was in {app})")));
    }
    if let Some(area) = keyboard(run, tree).await {
        over.push((DataKey::Keyboard, shown(run, tree, area)));
    }
    over
}

/// The dialog of the phone's that a screen is, in words, with the refs of its choices.
pub(crate) fn intrusion(run: &mut Run<'_>, tree: &Tree) -> Option<String> {
    let intrusion = Intrusion::of(tree)?;
    let said = quoted(intrusion.says(tree), MAX_WORDS);
    let choices = element_names(run, tree, &intrusion.choices);
    Some(format!("{}: {said}; choices: {choices}", intrusion.kind))
}

/// The package of a screen's app; none of a dialog that may be over any.
pub(crate) fn app_of(tree: &Tree) -> Option<String> {
    if Intrusion::of(tree).is_some() {
        return None;
    }
    let (_, root) = tree.nodes().next()?;
    Some(root.package.clone()).filter(|package| !package.is_empty())
}

/// Whether the keyboard is shown, and where, if the phone says. Only a field that
/// has the focus has one, so only then, or if it was shown, the phone is asked.
async fn keyboard(run: &mut Run<'_>, tree: &Tree) -> Option<Option<Bounds>> {
    let mut focused = tree.nodes().filter(|(_, node)| node.flags.has(Flag::Focused));
    let was_shown = run.lease.memory.views().keyboard;
    if !was_shown && !focused.any(|(id, _)| tree.can(id, Ability::Edit)) {
        return None;
    }
    let asking = run.phone().shown_keyboard(Deadline::after(ASKING.min(run.deadline.left())));
    // A phone that does not tell is not said to have one, nor to have closed it.
    let asked = asking.await;
    if asked.is_err() {
        run.lease.memory.change(|views| views.keyboard = false);
    }
    asked.ok().flatten()
}

fn shown(run: &mut Run<'_>, tree: &Tree, area: Option<Bounds>) -> String {
    let Some(area) = area else {
        return "shown".to_owned();
    };
    let screen = Screen::new(tree);
    // What a click would refuse to touch.
    let is_under = |id: NodeId| {
        let touch = screen.touch(id, Some(id), Some(area));
        touch.is_some_and(|touch| touch.cover == Some(Cover::Keyboard))
    };
    let covered = screen.nodes().map(|(id, _)| id);
    let covered = covered.filter(|id| tree.can(*id, Ability::Click) || tree.can(*id, Ability::Edit));
    let covered: Vec<_> = covered.filter(|id| is_under(*id)).collect();
    let covers = match covered.as_slice() {
        [] => "no element".to_owned(),
        ids => element_names(run, tree, ids),
    };
    format!("shown, covers {covers} (it takes touches from y={} on)", area.top)
}

/// Elements by their refs and labels.
pub(crate) fn element_names(run: &mut Run<'_>, tree: &Tree, ids: &[NodeId]) -> String {
    let mut names: Vec<_> = Vec::new();
    for id in ids.iter().take(MAX_NAMED) {
        let label = quoted(tree.words(*id), MAX_WORDS);
        names.push(match run.lease.name(tree, *id) {
            Some(name) => format!("{name} {label}"),
            None => label,
        });
    }
    if ids.len() > MAX_NAMED {
        names.push(format!("{} more", ids.len() - MAX_NAMED));
    }
    names.join(", ")
}
