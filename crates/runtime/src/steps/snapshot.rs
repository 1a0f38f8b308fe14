//! The screen as a tree, or as a view that is smaller.

use super::{Outcome, data};
use crate::session::{Data, Session};
use clawperator_contract::{DataKey, ErrorCode, SnapshotUi, ViewStyle};
use clawperator_ui::{Attributes, Extent, Screen, Sight, Style, Tree, View, Wish, view};

pub(super) async fn snapshot(session: &Session<'_>, step: &SnapshotUi) -> Outcome {
    let tree = session
        .attempts(&step.retry, async || {
            session.tree(ErrorCode::SnapshotExtractionFailed).await
        })
        .await?;
    let sight = Sight::new(Screen::new(&tree));
    let wish = Wish {
        style: match step.view {
            ViewStyle::Compact | ViewStyle::Xml => Style::Compact,
            ViewStyle::Json => Style::Json,
        },
        budget: step.budget.map(|most| most as usize),
        extent: if step.diff { Extent::Changes } else { Extent::Whole },
    };
    // A snapshot of any kind is what the next one is compared with.
    let (seen, trouble) = session.memory.change(|memory| view(&sight, wish, memory));
    let mut said = match step.view {
        ViewStyle::Xml => whole(&tree),
        ViewStyle::Compact | ViewStyle::Json => describe(seen),
    };
    // The hierarchy is told as it always was.
    if step.view != ViewStyle::Xml {
        said.insert(DataKey::View, step.view.word().to_owned());
        said.insert(DataKey::SnapshotId, sight.name());
    }
    if let Some(trouble) = trouble {
        said.insert(DataKey::MemoryWarning, trouble);
    }
    if let Some((_, root)) = tree.nodes().next() {
        said.insert(DataKey::ForegroundPackage, root.package.clone());
    }
    Ok(said)
}

fn whole(tree: &Tree) -> Data {
    data([
        (DataKey::ActualFormat, "hierarchy_xml".to_owned()),
        (DataKey::Text, clawperator_ui::write(tree, Attributes::Usual)),
    ])
}

fn describe(seen: View) -> Data {
    let mut said = data([
        (DataKey::Text, seen.text),
        (DataKey::Tokens, seen.tokens.to_string()),
    ]);
    let counts = [
        (DataKey::Omitted, seen.omitted),
        (DataKey::OffScreen, seen.off_screen),
    ];
    for (key, counts) in counts {
        if !counts.is_empty() {
            said.insert(key, counts.to_string());
        }
    }
    if let Some(change) = seen.change {
        said.insert(DataKey::Change, change.word().to_owned());
    }
    said
}
