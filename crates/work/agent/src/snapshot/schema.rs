//! What a model reads of a screen, as the seed has it. Keys that the seed does
//! not have are left out unless there is something to say.

use clawperator_phone::Front;
use clawperator_ui::{Bounds, Point};
use serde::{Serialize, Serializer};

/// A screen at one moment.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScreenSnapshot {
    pub device_id: String,
    /// The package in front, or `unknown`.
    pub current_app: String,
    pub width: u32,
    pub height: u32,
    pub screenshot_base64: String,
    /// The scaled picture with a numbered box around each element.
    pub som_screenshot_base64: Option<String>,
    pub captured_at: String,
    /// How many pixels of the phone are one of the picture, across.
    #[serde(serialize_with = "plain")]
    pub scale_x: f64,
    /// How many pixels of the phone are one of the picture, down.
    #[serde(serialize_with = "plain")]
    pub scale_y: f64,
    pub scaled_width: u32,
    pub scaled_height: u32,
    /// The apps that have an icon, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed_packages: Option<Vec<String>>,
    pub ui_elements: Vec<UiElementSnapshot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_metrics: Option<CaptureMetrics>,
    /// The windows on the screen that forbid pictures: they are black in the picture.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secure_windows: Vec<String>,
    /// What was in front: a touch can require that it still is.
    #[serde(skip)]
    pub front: Option<Front>,
    /// The hash of the tree that the elements are from: an approval is for this
    /// screen. Nothing without a tree.
    #[serde(skip)]
    pub tree_hash: Option<String>,
}

/// What it took to see a screen, in milliseconds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureMetrics {
    pub total_ms: u64,
    /// Until the phone was ours.
    pub ensure_ready_ms: u64,
    pub screencap_ms: u64,
    /// Asking for the screen's size: the picture tells it.
    pub screen_size_ms: u64,
    /// Asking which app is in front. 0 if the tree told it.
    pub current_app_ms: u64,
    pub scale_ms: u64,
    pub ui_dump_ms: u64,
    pub overlay_ms: u64,
    pub ui_elements_source: UiElementsSource,
    pub ui_elements_count: usize,
    pub visual_hash: String,
    /// In how many bits it differs from that of the picture before.
    pub visual_hash_hamming_distance: Option<u32>,
    pub ui_dump_timed_out: bool,
}

/// Where the elements of a snapshot are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UiElementsSource {
    /// The phone described the screen.
    Fresh,
    /// The screen is the one that was described before, so it was not asked.
    Cache,
    /// The phone did not describe the screen; these are the elements of before
    /// that certainly look the same.
    CacheFallback,
    FreshEmpty,
}

/// One element.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UiElementSnapshot {
    /// Its number in the picture, from 1.
    pub id: String,
    pub text: String,
    /// What a screen reader says of it.
    pub content_desc: String,
    pub resource_id: String,
    pub class_name: String,
    pub clickable: bool,
    pub enabled: bool,
    /// Whether it is on; only of what can be on, such as a switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    pub bounds: Bounds,
    pub center: Point,
    /// The same in the picture.
    pub scaled_bounds: Bounds,
    /// The middle in the picture.
    pub scaled_center: Point,
}

/// Writes a whole number without a fraction.
fn plain<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < f64::from(u32::MAX) {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}
