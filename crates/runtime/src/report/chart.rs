//! How long each step took, and with what: a bar for each. Pure.

use super::html::{cut, esc};
use super::story::{SpanKind, Story, shown};

/// How wide a bar is drawn; the page stretches it.
const WIDTH: u64 = 1000;
/// How high.
const HEIGHT: u64 = 16;
/// How narrow a piece may get and still be seen.
const LEAST: u64 = 2;

/// The chart.
pub(super) fn chart(story: &Story<'_>) -> String {
    let all = story.took_us.max(1);
    let place =
        |us: u64| u64::try_from(u128::from(us.min(all)) * u128::from(WIDTH) / u128::from(all)).unwrap_or(0);
    let mut html = String::from("<ol class=\"chart\">");
    for step in &story.steps {
        let (from, to) = (place(step.from_us), place(step.to_us));
        let failed = if step.code().is_some() { " bad" } else { "" };
        let took = shown(step.took_us());
        html.push_str(&format!(
            "<li class=\"row{failed}\"><a href=\"#step-{}\"><b>{}</b> <span>{}</span></a><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{} took {took}\"><rect class=\"step\" x=\"{from}\" width=\"{}\" height=\"{HEIGHT}\"/>",
            step.number,
            esc(&cut(step.id, 24)),
            esc(step.action),
            esc(&cut(step.id, 24)),
            (to - from).max(LEAST),
        ));
        for span in &step.spans {
            let from = place(span.from_us);
            let width = place(span.to_us).saturating_sub(from).max(LEAST);
            let took = shown(span.to_us.saturating_sub(span.from_us));
            html.push_str(&format!(
                "<rect class=\"{}\" x=\"{from}\" y=\"2\" width=\"{width}\" height=\"{}\"><title>{}: {took}</title></rect>",
                span.kind.class(),
                HEIGHT - 4,
                span.kind.says(),
            ));
        }
        html.push_str(&format!("</svg><span class=\"took\">{took}</span></li>"));
    }
    html.push_str("</ol><ul class=\"legend\">");
    for (kind, class, says) in SpanKind::ALL {
        let time: u64 = spent(story, kind);
        if time > 0 {
            html.push_str(&format!(
                "<li><i class=\"{class}\"></i>{says} <b>{}</b></li>",
                shown(time)
            ));
        }
    }
    html.push_str("</ul>");
    html
}

fn spent(story: &Story<'_>, kind: SpanKind) -> u64 {
    let spans = story.steps.iter().flat_map(|step| &step.spans);
    spans
        .filter(|span| span.kind == kind)
        .map(|span| span.to_us.saturating_sub(span.from_us))
        .fold(0, u64::saturating_add)
}
