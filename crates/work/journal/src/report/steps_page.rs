//! A page about steps that somebody else tells: what was seen, thought and done
//! in each. It looks like every other report.

use super::frame::{about, facts_list, tone};
use super::html::{apart, cut, esc};
use super::page::{document, section};
use super::picture::PictureSize;
use super::screen::{mark, phone};
use crate::stamp;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_events::TouchEvent;

/// How much of a text is shown.
const SHOWN: usize = 4000;
/// The most bytes of pictures in one page; steps past that have none.
const MAX_PICTURES: usize = 24 << 20;

/// A page to be made.
#[derive(Clone, Debug, Default)]
pub struct ToldPage {
    pub name: String,
    /// How it ended, in one word.
    pub status: String,
    pub facts: Vec<(&'static str, String)>,
    pub ending: String,
    pub steps: Vec<ToldStep>,
    pub foot: String,
}

/// A step of such a page.
#[derive(Clone, Debug, Default)]
pub struct ToldStep {
    pub title: String,
    pub done: bool,
    pub texts: Vec<(&'static str, String)>,
    /// Facts in a line, such as how long it took.
    pub note: String,
    pub picture: Option<ToldPicture>,
}

/// A picture of a step.
#[derive(Clone, Debug)]
pub struct ToldPicture {
    /// Such as `image/png`.
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
    pub size: [i32; 2],
    pub touch: Option<TouchEvent>,
    pub caption: String,
}

/// Writes such a page.
pub fn told_page(page: &ToldPage) -> String {
    let mut left = MAX_PICTURES;
    let steps: String =
        page.steps.iter().enumerate().map(|(at, step)| chapter(at + 1, step, &mut left)).collect();
    let tone = match tone(&page.status) {
        "good" => "odd",
        other => other,
    };
    let ending = if page.ending.is_empty() {
        String::new()
    } else {
        format!("<div class=\"banner {tone}\"><p>{}</p></div>", lines(&page.ending))
    };
    let main = format!("{ending}<div id=\"steps\">{}</div>", section("steps-title", "Steps", &steps));
    let foot = format!("<footer><p>{}</p></footer>", esc(&page.foot));
    let head = about(&page.status, &page.name, &facts_list(&page.facts));
    document(&format!("{} {}", page.status, cut(&page.name, 80)), &head, &main, &foot)
}

/// A time, as pages show it.
pub fn shown_time(ms: u64) -> String {
    stamp::shown_time(ms)
}

fn chapter(number: usize, step: &ToldStep, left: &mut usize) -> String {
    let tone = if step.done { "good" } else { "bad" };
    let texts: String = step
        .texts
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("<h4>{name}</h4><p>{}</p>", lines(text)))
        .collect();
    let picture = step.picture.as_ref().map_or(String::new(), |picture| figure(picture, left));
    format!(
        "<article class=\"{tone}\" id=\"step-{number}\"><h3><span class=\"number\">{number}</span>{}<span class=\"took\">{}</span></h3><div class=\"scene\"><div class=\"pictures\">{picture}</div><div class=\"side\">{texts}</div></div></article>",
        apart(&cut(&step.title, 200)),
        esc(&step.note),
    )
}

fn figure(picture: &ToldPicture, left: &mut usize) -> String {
    let Some(rest) = left.checked_sub(picture.bytes.len()) else {
        return "<p class=\"none\">The page has no room for this picture.</p>".to_owned();
    };
    *left = rest;
    let [width, height] = picture.size;
    let mut drawing = format!(
        "<image width=\"{width}\" height=\"{height}\" href=\"data:{};base64,{}\"/>",
        esc(picture.media_type),
        STANDARD.encode(&picture.bytes)
    );
    if let Some(touch) = &picture.touch {
        drawing.push_str(&mark(touch, width));
    }
    let says = cut(&picture.caption, 200);
    let drawn = phone(PictureSize { width, height }, &says, &drawing);
    format!("<figure>{drawn}<figcaption>{}</figcaption></figure>", apart(&says))
}

fn lines(text: &str) -> String {
    let text = cut(text, SHOWN);
    let lines: Vec<String> = text.lines().map(apart).collect();
    lines.join("<br>")
}
