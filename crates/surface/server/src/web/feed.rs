//! The picture of a phone's screen, for everybody who looks at it. A phone
//! takes one picture at a time, only while somebody waits for one, and less
//! often while nothing changes. Nothing that runs on the phone waits for it.

use super::files::tag;
use super::{OfPhone, Page};
use crate::http::answer::HttpResult;
use crate::phone::{blocking, lease};
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;
use bytes::Bytes;
use clawperator_agent::snapshot::{ImageError, ImageKind, ScreenImage, Size};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Engine;
use clawperator_phone::{Deadline, Phone, REACH};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

/// How long a viewer waits for another picture.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// The least and the most time between two pictures.
const FASTEST: Duration = Duration::from_millis(80);
const SLOWEST: Duration = Duration::from_millis(1_000);
/// How old a picture may be to be shown to somebody who does not know it.
const FRESH: Duration = Duration::from_millis(1_200);
/// How long a phone may take for a picture.
const TAKE: Duration = Duration::from_secs(10);
/// How long the connection of a phone without viewers stays.
const UNUSED: Duration = Duration::from_secs(60);
/// The most pixels of the longer side of a picture, and how well it is kept.
const LONGEST: u32 = 1200;
const KIND: ImageKind = ImageKind::Jpeg { quality: 75 };

/// The pictures of all phones.
#[derive(Debug, Default)]
pub(super) struct Feeds(Mutex<BTreeMap<String, Arc<Feed>>>);

/// The pictures of one phone.
#[derive(Debug)]
pub(super) struct Feed {
    slot: tokio::sync::Mutex<FeedSlot>,
    touched: Notify,
    used: Mutex<Instant>,
}

/// What a viewer has while no other takes a picture.
#[derive(Debug)]
struct FeedSlot {
    phone: Option<Phone>,
    last: Option<LastFrame>,
    pace: Duration,
}

#[derive(Debug)]
struct LastFrame {
    frame: Arc<FeedFrame>,
    png: String,
    at: Instant,
}

/// One picture.
#[derive(Debug)]
struct FeedFrame {
    jpeg: Bytes,
    tag: String,
    screen: Size,
}

/// A PNG as a small JPEG, and the size of the phone's screen.
fn small(png: &[u8]) -> Result<(Vec<u8>, Size), ImageError> {
    let whole = ScreenImage::decode(png)?;
    let screen = whole.size();
    let jpeg = whole.scaled(screen.within(LONGEST))?.encode(KIND)?;
    Ok((jpeg, screen))
}

impl Feeds {
    /// The feed of a phone. Unused ones are closed.
    fn of(&self, device: &str) -> Arc<Feed> {
        let mut feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.retain(|_, feed| Arc::strong_count(feed) > 1 || feed.idle() < UNUSED);
        let feed = feeds.entry(device.to_owned()).or_insert_with(|| {
            Arc::new(Feed {
                slot: tokio::sync::Mutex::new(FeedSlot { phone: None, last: None, pace: FASTEST }),
                touched: Notify::new(),
                used: Mutex::new(Instant::now()),
            })
        });
        *feed.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        feed.clone()
    }

    /// Something was done on a phone: its screen may be another now.
    pub(super) fn note_touch(&self, device: &str) {
        let feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(feed) = feeds.get(device) {
            feed.touched.notify_one();
        }
    }
}

impl Feed {
    fn idle(&self) -> Duration {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// The next picture that is not the one that the viewer has; none if there
    /// is no other for a while.
    async fn next(
        &self,
        engine: &Engine,
        device: &str,
        has: Option<&str>,
    ) -> Result<Option<Arc<FeedFrame>>, Failure> {
        let waiting = async {
            let mut slot = self.slot.lock().await;
            loop {
                if let Some(frame) = slot.fresh(has) {
                    return Ok(frame);
                }
                slot.rest(&self.touched).await;
                slot.take(engine, device).await?;
            }
        };
        match timeout(LONGEST_WAIT, waiting).await {
            Ok(taken) => taken.map(Some),
            Err(_) => Ok(None),
        }
    }
}

impl FeedSlot {
    fn fresh(&self, has: Option<&str>) -> Option<Arc<FeedFrame>> {
        let last = self.last.as_ref()?;
        let is_new = last.at.elapsed() <= FRESH && has != Some(&*last.frame.tag);
        is_new.then(|| last.frame.clone())
    }

    /// Waits until it is time for the next picture, or the phone is touched.
    async fn rest(&mut self, touched: &Notify) {
        let Some(last) = &self.last else { return };
        tokio::select! {
            () = sleep_until(last.at + self.pace) => {}
            () = touched.notified() => self.pace = FASTEST,
        }
    }

    async fn take(&mut self, engine: &Engine, device: &str) -> Result<(), Failure> {
        let began = Instant::now();
        let phone = match self.phone.take().filter(Phone::is_connected) {
            Some(phone) => phone,
            None => engine.connect(Some(device), Deadline::after(REACH)).await?,
        };
        let png = if phone.may_show_secrets() {
            // A picture without secrets needs a look, and two looks at a time disturb each other.
            let lease = lease(engine, Some(device)).await?;
            let png = lease.phone().screenshot(Deadline::after(TAKE)).await;
            lease.release().await;
            png
        } else {
            phone.screenshot(Deadline::after(TAKE)).await
        };
        let png = png.map_err(|error| Failure::of(ErrorCode::DeviceShellUnavailable, error.to_string()))?;
        self.phone = Some(phone);
        let png_tag = tag(&png);
        if let Some(last) = self.last.as_mut().filter(|last| last.png == png_tag) {
            last.at = Instant::now();
            self.pace = (self.pace * 3 / 2).min(SLOWEST);
            return Ok(());
        }
        let (jpeg, screen) = blocking(move || {
            small(&png).map_err(|why| Failure::of(ErrorCode::DeviceShellUnavailable, why.to_string()))
        })
        .await?;
        self.pace = began.elapsed().clamp(FASTEST, SLOWEST);
        self.last = Some(LastFrame {
            frame: Arc::new(FeedFrame { tag: tag(&jpeg), jpeg: jpeg.into(), screen }),
            png: png_tag,
            at: Instant::now(),
        });
        Ok(())
    }
}

/// `GET /page/frame?device=`: the screen as a JPEG. With the tag of a picture
/// in `If-None-Match` it waits for another one.
pub(super) async fn frame(
    State(page): State<Arc<Page>>,
    Query(wanted): Query<OfPhone>,
    headers: HeaderMap,
) -> HttpResult {
    let has = headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let feed = page.feeds.of(&wanted.device);
    let frame = tokio::select! {
        () = page.app.closing.closed() => None,
        frame = feed.next(&page.app.engine, &wanted.device, has) => frame?,
    };
    let Some(frame) = frame else {
        return Ok(StatusCode::NOT_MODIFIED.into_response());
    };
    let Size { width, height } = frame.screen;
    let headers = [
        (header::CONTENT_TYPE, "image/jpeg".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::ETAG, frame.tag.clone()),
        (header::HeaderName::from_static("x-screen-size"), format!("{width}x{height}")),
    ];
    Ok((headers, Body::from(frame.jpeg.clone())).into_response())
}
