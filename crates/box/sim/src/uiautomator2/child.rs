//! Elements of a list that are found by what is in them. The client gets a
//! name, which stands for a selector from then on.

use super::gesture;
use super::method::all;
use super::params::{MethodError, MethodResult, Params};
use super::{info, selector};
use crate::handset::Handset;
use crate::phone::DumpViews;
use clawperator_ui::Tree;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) async fn run(handset: &Arc<Handset>, name: &str, params: &Params) -> MethodResult {
    let (list, pattern) = (params.selector(0)?, params.selector(1)?);
    let rows = selector::inside(list, pattern);
    if name == "childByInstance" {
        let instance = usize::try_from(params.number(2)?).unwrap_or(usize::MAX);
        let there =
            handset.with(|phone| Ok(all(&info::tree(phone, DumpViews::All), &rows)?.len() > instance))?;
        return if there { Ok(row_name(list, pattern, instance)) } else { Err(missing(&rows)) };
    }
    let word = if name == "childByText" { "text" } else { "description" };
    let inner = json!({ word: params.text(2)? });
    if params.flag(3).unwrap_or(false) {
        let params = Params::new(vec![list.clone(), inner.clone()]);
        gesture::scroll_by_name(handset, "scrollTo", &params).await?;
    }
    let found = handset.with(|phone| position(&info::tree(phone, DumpViews::All), &rows, &inner))?;
    let instance = found.ok_or_else(|| missing(&inner))?;
    Ok(row_name(list, pattern, instance))
}

/// Which of the rows is, or has in it, what is wanted.
fn position(tree: &Tree, rows: &Value, inner: &Value) -> Result<Option<usize>, MethodError> {
    let wanted = all(tree, inner)?;
    let rows = all(tree, rows)?;
    Ok(rows
        .iter()
        .position(|row| wanted.contains(row) || tree.descendants(*row).any(|id| wanted.contains(&id))))
}

/// The name of one of the rows.
fn row_name(list: &Value, pattern: &Value, instance: usize) -> Value {
    let mut pattern = pattern.clone();
    pattern["instance"] = instance.into();
    selector::name(&selector::inside(list, &pattern)).into()
}

fn missing(selector: &Value) -> MethodError {
    MethodError::NoObject(selector.to_string().chars().take(500).collect())
}
