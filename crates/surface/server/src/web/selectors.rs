//! Selectors for an element of the page, in the three forms that people use.

use super::Page;
use crate::http::answer::HttpResult;
use axum::Json;
use axum::extract::{Query, State};
use clawperator_contract::{ErrorCode, Failure, MATCHER_FIELDS, Matcher, WHERE};
use clawperator_phone::quote;
use clawperator_recording::{Suggestion, suggestions};
use clawperator_skills::recipe::selector_yaml;
use clawperator_ui::Screen;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which element, of which look at which phone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedNode {
    device: String,
    snapshot: String,
    node: usize,
}

/// The selectors, the best first.
#[derive(Debug, Serialize)]
pub(super) struct Selectors {
    selectors: Vec<SelectorForms>,
}

/// A selector in every form.
#[derive(Debug, PartialEq, Serialize)]
struct SelectorForms {
    /// What it goes by, for people.
    by: &'static str,
    /// How many elements of the screen fit.
    fits: usize,
    /// What to know before using it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// As flags of the command line.
    flags: String,
    matcher: Matcher,
    /// As the selector of a recipe, if a recipe can say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    recipe: Option<String>,
}

/// `GET /page/selectors?device=&snapshot=&node=`
pub(super) async fn selectors(
    State(page): State<Arc<Page>>,
    Query(wanted): Query<WantedNode>,
) -> HttpResult<Json<Selectors>> {
    let tree = page.looks.get(&wanted.device, &wanted.snapshot)?;
    let Some((id, _)) = tree.nodes().nth(wanted.node) else {
        let message = format!("the screen has no element {}", wanted.node);
        return Err(Failure::new(ErrorCode::InvalidRequest, message).into());
    };
    let found = suggestions(&Screen::new(&tree), id);
    Ok(Json(Selectors { selectors: found.into_iter().map(selector_forms).collect() }))
}

fn selector_forms(suggestion: Suggestion) -> SelectorForms {
    let Suggestion { basis, matcher, fits, unsure } = suggestion;
    SelectorForms {
        by: basis.word(),
        fits,
        note: unsure.map(|unsure| unsure.to_string()),
        flags: matcher_flags(&matcher),
        recipe: selector_yaml(&matcher.selector()),
        matcher,
    }
}

/// A matcher as flags of the command line.
pub fn matcher_flags(matcher: &Matcher) -> String {
    let mut matcher = matcher.clone();
    let conditions = matcher.conditions.take();
    let fields = MATCHER_FIELDS.iter().filter_map(|field| {
        let value = (field.slot)(&mut matcher).take()?;
        Some((field.flag, value))
    });
    let more = conditions.map(|more| (WHERE, serde_json::to_string(&more).unwrap_or_default()));
    let words = fields.chain(more).map(|(flag, value)| {
        // No element of a screen has a NUL in it.
        let value = quote(&value).unwrap_or_default();
        format!("--{flag} {value}")
    });
    words.collect::<Vec<_>>().join(" ")
}
