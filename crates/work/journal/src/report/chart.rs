//! A bar for each step: how long it took, and what took the time. Pure.

use super::html::{cut, esc};
use super::story::{Span, SpanKind, Story, duration_text};

/// How wide a bar is drawn; the page stretches it.
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 16;
/// How narrow a piece may get and still be seen.
const LEAST: u64 = 2;

/// The chart; `outside` is the place of what happened outside the steps.
pub(super) fn chart(story: &Story<'_>, outside: &str) -> String {
    if story.steps.is_empty() && story.outside.spans.is_empty() {
        return String::new();
    }
    let all = story.took_us.max(1);
    let place =
        |us: u64| u64::try_from(u128::from(us.min(all)) * u128::from(WIDTH) / u128::from(all)).unwrap_or(0);
    let mut html = String::from("<ol class=\"chart\">");
    if !story.outside.spans.is_empty() {
        let took = duration_text(story.outside.spans.iter().map(Span::took_us).fold(0, u64::saturating_add));
        html.push_str(&format!(
            "<li class=\"row\"><a href=\"#{outside}\"><b>outside the steps</b></a><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"outside the steps: {took}\">{}</svg><span class=\"took\">{took}</span></li>",
            spans(&story.outside.spans, place)
        ));
    }
    for step in &story.steps {
        let (from, to) = (place(step.from_us), place(step.to_us));
        let failed = if step.code().is_some() { " bad" } else { "" };
        let took = step.took();
        // The duration of a step that the app ran is unknown.
        let whole = if step.by_app {
            String::new()
        } else {
            let width = (to - from).max(LEAST);
            format!("<rect class=\"step\" x=\"{from}\" width=\"{width}\" height=\"{HEIGHT}\"/>")
        };
        html.push_str(&format!(
            "<li class=\"row{failed}\"><a href=\"#step-{}\"><b>{}</b> <span>{}</span></a><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}: {took}\">{whole}{}</svg><span class=\"took\">{}</span></li>",
            step.number,
            esc(&cut(step.id, 24)),
            esc(step.action),
            esc(&cut(step.id, 24)),
            spans(&step.spans, place),
            if step.by_app { "–" } else { took.as_str() }
        ));
    }
    html.push_str("</ol><ul class=\"legend\">");
    for kind in SpanKind::ALL {
        let time: u64 = story.spent(*kind);
        if time > 0 {
            let (class, says) = (kind.word(), kind.meaning());
            html.push_str(&format!(
                "<li><i class=\"{class}\"></i>{says} <b>{}</b></li>",
                duration_text(time)
            ));
        }
    }
    html.push_str("</ul>");
    html
}

fn spans(spans: &[Span], place: impl Fn(u64) -> u64) -> String {
    let draw = |span: &Span| {
        let from = place(span.from_us);
        let width = place(span.to_us).saturating_sub(from).max(LEAST);
        format!(
            "<rect class=\"{}\" x=\"{from}\" y=\"2\" width=\"{width}\" height=\"{}\"><title>{}: {}</title></rect>",
            span.kind.word(),
            HEIGHT - 4,
            span.kind.meaning(),
            duration_text(span.took_us())
        )
    };
    spans.iter().map(draw).collect()
}
