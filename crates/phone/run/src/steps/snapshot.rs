//! The screen as a tree, or as a smaller view.

use crate::outcome::{Data, StepOutcome, data};
use crate::over_screen::{Over, over_screen};
use crate::run::{Run, StepAct};
use clawperator_contract::text::quoted;
use clawperator_contract::{DataKey, DiffBase, ErrorCode, Lane, SnapshotUi, ViewStyle};
use clawperator_phone::LookTo;
use clawperator_ui::{
    Base, Change, Extent, LinePurpose, Role, Screen, ScreenSummary, SnapshotId, Tree, View, ViewFormat,
    ViewRequest,
};
use std::time::Duration;

/// How long an act that changed nothing gets before the second look.
const SETTLE: Duration = Duration::from_millis(500);
/// The most letters of a title.
const MAX_TITLE: usize = 60;

pub(super) async fn snapshot(run: &mut Run<'_>, step: &SnapshotUi) -> StepOutcome {
    let code = ErrorCode::SnapshotExtractionFailed;
    let tree = run.look(LookTo::Read, &step.retry, code).await?;
    let view_request = ViewRequest {
        style: match step.view {
            ViewStyle::Compact | ViewStyle::Xml => ViewFormat::Compact,
            ViewStyle::Json => ViewFormat::Json,
        },
        budget: step.budget.map(|most| most as usize),
        extent: match &step.diff {
            Some(DiffBase::Last) => Extent::Changes(Base::Last),
            Some(DiffBase::Snapshot(id)) => Extent::Changes(Base::Named(SnapshotId::parse(id))),
            None => Extent::Whole,
        },
    };
    // The refs of this execution were written before the caller sees this.
    if run.book.is_none() {
        run.book = Some(run.lease.memory.views().book.clone());
    }
    // A snapshot of any kind is what the next one is compared with.
    let mut seen = run.lease.remember(tree, view_request);
    // What an act does can come a moment later.
    if run.act_before != StepAct::None && seen.view.change == Some(Change::Nothing) {
        run.wait(SETTLE, "no change", None).await;
        let tree = run.look(LookTo::Read, &step.retry, code).await?;
        seen = run.lease.remember(tree, view_request);
    }
    let id = seen.view.id;
    let over = match step.view {
        ViewStyle::Xml => Vec::new(),
        ViewStyle::Compact | ViewStyle::Json => {
            let over = over_screen(run, &seen.tree).await;
            with_keyboard(run, over, &mut seen.view)
        }
    };
    if step.view == ViewStyle::Compact && seen.view.change == Some(Change::Nothing) {
        seen.view.text = unchanged(run, &seen.tree, seen.view.text);
    }
    let mut details = match step.view {
        ViewStyle::Xml => data([
            (DataKey::ActualFormat, "hierarchy_xml".to_owned()),
            (DataKey::Text, clawperator_ui::write_lines(&seen.tree)),
        ]),
        ViewStyle::Compact => describe(with_lines(seen.view, &over)),
        ViewStyle::Json => describe(seen.view),
    };
    if step.view == ViewStyle::Json {
        details.extend(over);
    }
    // The data of a hierarchy is as the seed's CLI has it.
    if step.view != ViewStyle::Xml {
        details.insert(DataKey::View, step.view.word().to_owned());
        details.insert(DataKey::SnapshotId, id.to_string());
    }
    details.extend(seen.memory_warning.map(|warning| (DataKey::MemoryWarning, warning)));
    let root = seen.tree.nodes().next();
    details.extend(root.map(|(_, root)| (DataKey::ForegroundPackage, root.package.clone())));
    Ok(details)
}

/// The same, and that the keyboard has closed. A keyboard that comes or goes is a change.
fn with_keyboard(run: &mut Run<'_>, mut over: Over, view: &mut View) -> Over {
    let is_shown = over.iter().any(|(key, _)| *key == DataKey::Keyboard);
    if run.lease.memory.views().keyboard == is_shown {
        return over;
    }
    run.lease.memory.change(|views| views.keyboard = is_shown);
    if !is_shown && view.change.is_some() {
        over.push((DataKey::Keyboard, "closed".to_owned()));
    }
    if view.change == Some(Change::Nothing) {
        view.change = Some(Change::Some);
        view.text.clear();
    }
    over
}

/// The answer where nothing changed: what a look cannot see, or which page it is.
fn unchanged(run: &Run<'_>, tree: &Tree, text: String) -> String {
    let scrolled = run.done.last().and_then(|step| step.get(DataKey::ScrollOutcome));
    match (run.act_before, run.phone().lane()) {
        (StepAct::None, _) => {
            let summary = ScreenSummary::new(&Screen::new(tree));
            let mut lines = summary.lines.iter();
            let title = lines.clone().find(|line| line.purpose == LinePurpose::Title);
            let title =
                title.or_else(|| lines.find(|line| line.role == Role::Text && !line.label.is_empty()));
            let title = title.map(|line| format!(", page {}", quoted(&line.label, MAX_TITLE)));
            format!("{text}\napp: {}{}", summary.app, title.unwrap_or_default())
        }
        (_, Lane::Dump) if scrolled.is_none() => {
            // A picture is black where a toast is, once a secret was typed.
            let picture = if run.phone().may_show_secrets() { "" } else { ", but may in a picture" };
            format!("{text} in the tree; a toast would not show in it{picture}")
        }
        (_, Lane::Dump | Lane::Resident) => text,
    }
}

/// A view with a line for each thing that is over the screen.
fn with_lines(mut view: View, over: &Over) -> View {
    for (key, what) in over {
        let line = format!("{}: {what}", key.name().replace('_', " "));
        view.text = [view.text.as_str(), &line].join("\n").trim_start().to_owned();
    }
    view.tokens = clawperator_ui::estimate(&view.text);
    view
}

fn describe(view: View) -> Data {
    let mut details = data([(DataKey::Text, view.text), (DataKey::Tokens, view.tokens.to_string())]);
    let counts = [(DataKey::Omitted, view.omitted), (DataKey::OffScreen, view.off_screen)];
    let counts = counts.into_iter().filter(|(_, counts)| !counts.is_empty());
    details.extend(counts.map(|(key, counts)| (key, counts.to_string())));
    details.extend(view.change.map(|change| (DataKey::Change, change.word().to_owned())));
    details
}
