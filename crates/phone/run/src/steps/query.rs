//! Lists the elements that match.

use crate::outcome::{StepFailure, StepOutcome, data};
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher, Query, Visibility};
use clawperator_phone::LookTo;
use clawperator_ui::{Fingerprints, NodeId, QueryMatches, Screen};

pub(super) async fn query(run: &mut Run<'_>, step: &Query) -> StepOutcome {
    let code = ErrorCode::SnapshotExtractionFailed;
    let tree = run.look(LookTo::Read, &step.retry, code).await?;
    let screen = Screen::new(&tree);
    let ids = find_nodes(run, &screen, step)?;
    let fingerprints = Fingerprints::new(screen);
    let found = QueryMatches { ids: &ids, limit: step.limit.map(|most| most as usize) };
    let memory = &mut run.lease.memory;
    let (answer, warning) =
        memory.change(|memory| clawperator_ui::query(&fingerprints, &found, &mut memory.book));
    let mut details = data([
        (DataKey::Query, answer.to_string()),
        (DataKey::Count, ids.len().to_string()),
        (DataKey::SnapshotId, fingerprints.name()),
    ]);
    let hidden = tree.hidden_texts().filter(|_| ids.is_empty());
    details.extend(hidden.map(|hidden| (DataKey::SelectionWarning, hidden)));
    details.extend(warning.map(|warning| (DataKey::MemoryWarning, warning)));
    Ok(details)
}

fn find_nodes(run: &mut Run<'_>, screen: &Screen<'_>, step: &Query) -> Result<Vec<NodeId>, StepFailure> {
    let matcher: Option<&Matcher> = step.matcher.as_deref();
    Ok(match (matcher, step.visibility) {
        (None, Visibility::OnScreen) => screen.nodes().map(|(id, _)| id).collect(),
        (None, Visibility::All) => screen.tree().nodes().map(|(id, _)| id).collect(),
        (Some(matcher), Visibility::All) if matcher.reference.is_none() => {
            screen.anywhere(&matcher.selector()).collect()
        }
        (Some(matcher), _) => run.matching(screen, matcher)?,
    })
}
