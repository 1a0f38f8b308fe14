//! `observe`, and the view at the end of every act.

use super::act::budget;
use super::answer::{self, ToolResult, ToolTrouble, is_unread, last};
use super::argument::Arguments;
use super::mark::MarkedElement;
use super::run::{McpCall, TIMEOUT_MS};
use super::tool::Belongs;
use crate::agent::level;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use clawperator_agent::policy::Level;
use clawperator_agent::snapshot::{ImageError, ImageKind, Scale, ScreenImage, Size, draw_marks};
use clawperator_contract::{ActionKind, DataKey, DeviceResult, Lane, ParamKey, PayloadAction, ViewStyle};
use clawperator_private as private;
use clawperator_run::{AGENT_LOOK, LastStep};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How a view says that the keyboard has closed.
const CLOSED: &str = "keyboard: closed";
/// The most pixels of the shorter side of a picture.
const SHORT_SIDE: u32 = 540;
/// The longest time that a screen is tried to be read.
const MOST_PATIENCE_MS: u64 = TIMEOUT_MS - 10_000;
/// Whose points are not touched.
const NO_TOUCH: &str = "The picture shows it. The policy judges what a touch presses by what is read, so nothing here \
    can be touched: leave the page (key back), or let the user set up the fast lane.";
/// The words of a failed look at a screen that may be read with more time.
const SLOW: &str = "or the phone is slow";
/// How a screen can be read that takes longer.
const WAITS: &str = "If it is slow, observe with timeout_ms, such as 10000, waits longer; one that never rests needs the fast lane.";
/// How well a picture is kept, from 1 to 100.
const QUALITY: u8 = 70;

pub(super) async fn observe(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let budget = budget(arguments)?;
    let look = if arguments.flag("diff")? { call.look(budget) } else { snapshot(budget, None) };
    let patience = arguments.whole("timeout_ms", 1..=MOST_PATIENCE_MS)?;
    let patience = patience.map_or(AGENT_LOOK, Duration::from_millis);
    let (wants_picture, wants_marks) = (arguments.flag("picture")?, arguments.flag("marks")?);
    if !wants_picture && !wants_marks {
        let result = call.run_within(patience, vec![look], LastStep::Counts).await?;
        return call.view_or_picture(&result, patience).await;
    }
    let file = picture_file(call)?;
    let places = PayloadAction::new("places", ActionKind::SnapshotUi);
    let places = places.with(ParamKey::View, ViewStyle::Json.word());
    // The picture, then what is on it; the view is last, as ever.
    let actions = vec![file.shot(), places, look];
    let result = call.run_within(patience, actions, LastStep::Counts).await?;
    let mut answer = call.view_or_picture(&result, patience).await?;
    if answer.is_error.is_none() && !is_unread(&result) {
        let places = result.envelope.step_results.get(1).and_then(|step| step.get(DataKey::Text));
        let marks = places.filter(|_| wants_marks).map(MarkedElement::of_view).unwrap_or_default();
        let (jpeg, factor) = file.into_jpeg(&result, &marks).await?;
        answer.content.push(ContentBlock::text(about_picture(factor) + &picture_warning(&result)));
        answer.content.push(ContentBlock::image(jpeg, "image/jpeg"));
    }
    Ok(answer)
}

/// A file for one picture, which goes away with this value.
struct PictureFile(PathBuf);

fn picture_file(call: &McpCall<'_>) -> ToolResult<PictureFile> {
    call.require_here("a picture is shown")?;
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let folder = call.app.state.join("mcp");
    private::folder(&folder)
        .map_err(|error| ToolTrouble::Said(format!("no folder for pictures: {error}")))?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    Ok(PictureFile(folder.join(format!("picture-{}-{number}.png", std::process::id()))))
}

impl PictureFile {
    /// The action that takes the picture.
    fn shot(&self) -> PayloadAction {
        PayloadAction::new("picture", ActionKind::TakeScreenshot).with(ParamKey::Path, json!(self.0))
    }

    /// The picture that a run begins with as a small JPEG in base64, with marks, and
    /// how many pixels of the screen one of it is.
    async fn into_jpeg(self, result: &DeviceResult, marked: &[MarkedElement]) -> ToolResult<(String, f64)> {
        let marked = marked.to_vec();
        let shot = result.envelope.step_results.first();
        let scale = shot.and_then(|shot| shot.get(DataKey::Scale)?.parse().ok()).unwrap_or(1.0);
        let made = tokio::task::spawn_blocking(move || {
            let png = std::fs::read(&self.0).map_err(|error| error.to_string())?;
            small_jpeg(&png, scale, &marked).map_err(|error| error.to_string())
        });
        let made = made.await.map_err(|error| error.to_string());
        let (jpeg, factor) =
            made.and_then(|made| made).map_err(|error| ToolTrouble::Said(format!("no picture: {error}")))?;
        Ok((BASE64.encode(jpeg), factor))
    }
}

fn small_jpeg(png: &[u8], scale: f64, marked: &[MarkedElement]) -> Result<(Vec<u8>, f64), ImageError> {
    let whole = ScreenImage::decode(png)?;
    let size = whole.size().with_short_side(SHORT_SIDE);
    // `as` saturates; the phone says how large its screen is.
    let on_screen = |pixels: u32| (f64::from(pixels) * scale).round() as u32;
    let screen = Size { width: on_screen(whole.size().width), height: on_screen(whole.size().height) };
    let mut small = whole.scaled(size)?;
    let scale = Scale::of(screen, size);
    let marks: Vec<_> = marked.iter().map(|marked| marked.mark(scale, size)).collect();
    draw_marks(&mut small, &marks);
    let jpeg = small.encode(ImageKind::Jpeg { quality: QUALITY })?;
    // Four digits are exact to a pixel on any screen.
    Ok((jpeg, (scale.x * 10_000.0).round() / 10_000.0))
}

/// What is wrong with the picture that a run begins with.
fn picture_warning(result: &DeviceResult) -> String {
    let warning = result.envelope.step_results.first().and_then(|shot| shot.get(DataKey::Warn));
    warning.map(|warning| format!("\n({warning})")).unwrap_or_default()
}

fn about_picture(factor: f64) -> String {
    format!("picture: 1 pixel is {factor} on the screen; tap its point x,y as \"x,y*{factor}\"")
}

impl Drop for PictureFile {
    fn drop(&mut self) {
        // If it stays, it is in a folder that only the user can read.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The action that takes a view.
fn snapshot(budget: u64, since: Option<&str>) -> PayloadAction {
    PayloadAction::new("view", ActionKind::SnapshotUi)
        .with(ParamKey::View, ViewStyle::Compact.word())
        .with(ParamKey::Budget, json!(budget))
        .with_some(ParamKey::Since, since)
}

/// A picture of a phone's screen, smaller by a factor.
struct ScreenPicture {
    serial: String,
    lane: Option<Lane>,
    jpeg: String,
    factor: f64,
    warning: String,
}

impl McpCall<'_> {
    /// The view, or a picture of a screen that could not be read.
    async fn view_or_picture(&self, result: &DeviceResult, patience: Duration) -> ToolResult {
        match answer::why(result) {
            Some(why) if is_unread(result) => {
                let said = format!("the screen could not be read: {why}");
                Ok(self.picture_answer(said, patience).await)
            }
            _ => self.view(result),
        }
    }

    /// What can be shown of a screen that could not be read: a picture. What reads
    /// such screens is named once, and that one can wait longer if `patience` was short.
    pub(super) async fn picture_answer(&self, said: String, patience: Duration) -> CallToolResult {
        let (mut said, mut picture) = (said, None);
        match self.picture().await {
            Ok(shot) => {
                let serial = &shot.serial;
                if level(self.app, Level::Money) == Level::None {
                    said.push_str(&format!("\n{}", about_picture(shot.factor)));
                } else {
                    said.push_str(&format!("\n{NO_TOUCH}"));
                }
                if said.contains(SLOW) && patience <= AGENT_LOOK {
                    said.push_str(&format!("\n{WAITS}"));
                }
                if shot.lane.is_none() && self.session.offers_lane(serial) {
                    said.push_str(&format!(
                        "\nThe fast lane reads such screens: ask the user to run clawperator lane setup --device {serial}"
                    ));
                }
                said.push_str(&shot.warning);
                picture = Some(ContentBlock::image(shot.jpeg, "image/jpeg"));
            }
            Err(trouble) => said.push_str(&format!("\nno picture: {}", trouble.into_text())),
        }
        let mut answer = answer::text(said);
        answer.content.extend(picture);
        answer
    }

    async fn picture(&self) -> ToolResult<ScreenPicture> {
        let file = picture_file(self)?;
        let result = self.run(vec![file.shot()]).await?;
        if let Some(why) = answer::why(&result) {
            return Err(ToolTrouble::Said(why.to_owned()));
        }
        let (jpeg, factor) = file.into_jpeg(&result, &[]).await?;
        let warning = picture_warning(&result);
        Ok(ScreenPicture { serial: result.device_id, lane: result.lane, jpeg, factor, warning })
    }

    /// The action that shows what changed since the reader looked last; all of
    /// it to a reader that has not looked yet.
    pub(super) fn look(&self, budget: u64) -> PayloadAction {
        snapshot(budget, self.since.as_deref())
    }

    /// The answer with the view of an execution that ended with a look.
    pub(super) fn view(&self, result: &DeviceResult) -> ToolResult {
        Ok(self.view_text(result).map_or_else(|| answer::failed_step(result), answer::text))
    }

    /// The text of the view, which the reader now has seen.
    pub(super) fn view_text(&self, result: &DeviceResult) -> Option<String> {
        let id = last(result, DataKey::SnapshotId)?;
        let mut view = view(result, "observe with a larger budget, or find")?;
        match self.belongs {
            Belongs::ToSession => self.session.shows(self.device.as_deref(), id),
            Belongs::ToNothing => view.push_str(&format!("\nsince: {id}")),
        }
        Some(view)
    }
}

/// The text of the view that ends a run, what is odd about the run, and how to see
/// what the view leaves out.
pub fn view(result: &DeviceResult, more: &str) -> Option<String> {
    let mut lines = vec![last(result, DataKey::Text)?.to_owned()];
    if last(result, DataKey::Omitted).is_some() {
        lines.push(format!("(for the rest: {more})"));
    }
    let notes = answer::notes(&result.envelope.step_results);
    // The step says more of it.
    if notes.iter().any(|note| note.starts_with(CLOSED)) {
        let kept = lines[0].lines().filter(|line| *line != CLOSED);
        lines = kept.map(str::to_owned).collect();
    }
    lines.extend(notes);
    Some(lines.join("\n"))
}
