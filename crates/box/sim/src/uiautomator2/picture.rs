//! The server's pictures of the screen: JPEG in base64.

use super::params::{MethodResult, Params};
use crate::handset::Handset;
use crate::latency::Cost;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_paint::Canvas;
use serde_json::Value;

/// The quality of a picture, unless the call says so.
const QUALITY: i64 = 100;

pub(super) async fn run(handset: &Handset, params: &Params) -> MethodResult {
    handset.spend(Cost::ServerPicture).await;
    // A scale that makes no smaller picture is none.
    let scale = params.fraction(0).filter(|scale| *scale > 0.0 && *scale < 1.0).unwrap_or(1.0);
    let quality = params.number(1).unwrap_or(QUALITY).clamp(1, 100) as u8;
    let picture = handset.with(|phone| phone.picture()).ok();
    let jpeg = picture.and_then(|picture| jpeg(&picture, scale, quality));
    Ok(jpeg.map_or(Value::Null, |jpeg| STANDARD.encode(jpeg).into()))
}

fn jpeg(picture: &Canvas, scale: f64, quality: u8) -> Option<Vec<u8>> {
    if scale >= 1.0 {
        return picture.to_jpeg(quality).ok();
    }
    let side = |side: u32| ((f64::from(side) * scale).round() as u32).max(1);
    let small = picture.resampled(side(picture.width()), side(picture.height()));
    small.ok()?.to_jpeg(quality).ok()
}
