//! Sees a phone's screen again and again, for a model. Boxes are never stale: elements are those
//! that the phone described just now, or those of before that are certainly still there.

use super::cache::Cache;
use super::capture::{Capture, TreeLook};
use super::elements::elements;
use super::frame::{ImageError, ImageKind, ScreenImage};
use super::hash::VisualHash;
use super::render::{Render, SnapshotPictures, marks, secrets};
use super::scale::{Scale, Size};
use super::schema::{CaptureMetrics, ScreenSnapshot, UiElementSnapshot, UiElementsSource};
use bytes::Bytes;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{Engine, PhoneRequest};
use clawperator_events::Clock;
use clawperator_journal::iso_time;
use clawperator_phone::vault::Vault;
use clawperator_phone::{Deadline, Phone, PhoneError, PhoneLease, REACH};
use clawperator_ui::{Fingerprints, Screen, Tree};
use futures_core::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

const UNKNOWN: &str = "unknown";

/// Sees the screen of one phone.
#[derive(Debug)]
pub struct Observer {
    clock: Clock,
    cache: Option<Cache>,
    last: Option<(VisualHash, Size)>,
}

/// What is wanted of a snapshot.
#[derive(Clone, Debug, Default)]
pub struct SnapshotOptions {
    /// The model that it is for: its name decides the size of pictures.
    pub model: Option<String>,
    pub som: bool,
    pub image: ImageKind,
    pub packages: bool,
    /// How long it took until the phone was ours.
    pub ready: Duration,
    /// What people gave in the caller's session: it is not shown.
    pub vault: Option<Arc<Vault>>,
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    #[error("the phone gave no picture of its screen: {0}")]
    Phone(#[from] PhoneError),
    #[error(transparent)]
    Picture(#[from] ImageError),
}

impl From<ObserveError> for Failure {
    fn from(error: ObserveError) -> Self {
        let code = match &error {
            ObserveError::Phone(PhoneError::TimedOut { .. }) => ErrorCode::ResultEnvelopeTimeout,
            ObserveError::Phone(_) => ErrorCode::DeviceShellUnavailable,
            ObserveError::Picture(_) => ErrorCode::InternalError,
        };
        Self::of(code, error.to_string())
    }
}

struct CaptureImage {
    frame: Arc<ScreenImage>,
    hash: VisualHash,
    took: Duration,
}

struct ScreenContents {
    source: UiElementsSource,
    elements: Vec<UiElementSnapshot>,
    /// The tree, if it is of exactly this screen.
    tree: Option<Arc<Tree>>,
    /// The tree that secrets are known from.
    secrets: Option<Arc<Tree>>,
}

impl Observer {
    /// An observer that has seen nothing yet.
    pub fn new(clock: Clock) -> Self {
        Self { clock, cache: None, last: None }
    }

    /// Sees the screen. This never changes the phone.
    ///
    /// # Errors
    /// Why there is no picture. A phone that gives a picture and no tree is no
    /// failure: the snapshot then has no elements, and its metrics say so.
    pub fn observe<'f>(
        &'f mut self,
        lease: &'f mut PhoneLease,
        options: &'f SnapshotOptions,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<ScreenSnapshot, ObserveError>> {
        Box::pin(async move {
            let began = Instant::now();
            let packages =
                if options.packages { Some(packages(lease.phone(), deadline).await?) } else { None };
            let capture = Capture::take(lease, self.cache.as_ref(), deadline).await?;
            let captured_at = iso_time(self.clock.now_ms());
            let pictured = self.picture(&capture.picture.png).await?;
            let screen = pictured.frame.size();
            let size = screen.for_model(options.model.as_deref());
            let seen = self.judge(&capture, &pictured, size);
            let render = Render {
                frame: pictured.frame.clone(),
                size,
                secrets: seen.secrets.as_deref().map(secrets).unwrap_or_default(),
                marks: options.som.then(|| marks(&seen.elements)),
                image: options.image,
            };
            let rendered = blocking(move || render.run()).await?;
            let mut metrics = self.metrics(&capture, &pictured, &seen);
            metrics.ensure_ready_ms = millis(options.ready);
            metrics.scale_ms = millis(pictured.took + rendered.scaling);
            metrics.overlay_ms = millis(rendered.overlay);
            self.remember(&capture, &pictured, &seen);
            metrics.total_ms = millis(options.ready + began.elapsed());
            let scale = Scale::of(screen, size);
            let SnapshotPictures { plain, som, .. } = rendered;
            Ok(ScreenSnapshot {
                device_id: lease.phone().serial().to_owned(),
                current_app: current_app(&capture, seen.tree.as_deref()),
                width: screen.width,
                height: screen.height,
                screenshot_base64: plain,
                som_screenshot_base64: som,
                captured_at,
                scale_x: scale.x,
                scale_y: scale.y,
                scaled_width: size.width,
                scaled_height: size.height,
                installed_packages: packages,
                ui_elements: seen.elements,
                capture_metrics: Some(metrics),
                secure_windows: capture.picture.secure,
                front: capture.picture.front,
                tree_hash: seen.tree.map(|tree| Fingerprints::new(Screen::new(&tree)).name()),
            })
        })
    }

    /// The picture as pixels. One that was read before is not read again.
    async fn picture(&self, png: &Bytes) -> Result<CaptureImage, ObserveError> {
        let began = Instant::now();
        let known = self.cache.as_ref().filter(|cache| cache.png == *png);
        let (frame, hash) = match known {
            Some(cache) => (cache.frame.clone(), cache.hash),
            None => {
                let png = png.clone();
                let read = move || ScreenImage::decode(&png).map(|frame| (VisualHash::of(&frame), frame));
                let (hash, frame) = blocking(read).await?;
                (Arc::new(frame), hash)
            }
        };
        Ok(CaptureImage { frame, hash, took: began.elapsed() })
    }

    /// Which elements are certainly on the screen.
    fn judge(&self, capture: &Capture, pictured: &CaptureImage, size: Size) -> ScreenContents {
        let screen = pictured.frame.size();
        let listed = |tree: &Tree| elements(tree, screen, size);
        let front = capture.picture.front.as_ref();
        let same_window = |cache: &&Cache| cache.has_front(front);
        let (source, found, tree) = match (&capture.tree, self.cache.as_ref().filter(same_window)) {
            (TreeLook::Given(tree), _) => {
                let tree = Arc::new(tree.clone());
                (UiElementsSource::Fresh, listed(&tree), Some(tree))
            }
            (TreeLook::Spared, Some(cache)) => {
                (UiElementsSource::Cache, listed(&cache.tree), Some(cache.tree.clone()))
            }
            (TreeLook::Refused { .. }, Some(cache)) if cache.is_likely(pictured.hash, front) => {
                let there = cache.still_there(listed(&cache.tree), &pictured.frame);
                (UiElementsSource::CacheFallback, there, None)
            }
            (TreeLook::Spared | TreeLook::Refused { .. } | TreeLook::Changing, _) => {
                (UiElementsSource::FreshEmpty, Vec::new(), None)
            }
        };
        let known = || self.cache.as_ref().filter(same_window).map(|cache| cache.tree.clone());
        ScreenContents {
            source: if found.is_empty() { UiElementsSource::FreshEmpty } else { source },
            elements: found,
            secrets: tree.clone().or_else(known),
            tree,
        }
    }

    /// What can be said before the pictures are made.
    fn metrics(&self, capture: &Capture, pictured: &CaptureImage, seen: &ScreenContents) -> CaptureMetrics {
        let before = self.last.filter(|(_, size)| *size == pictured.frame.size());
        let distance = before.map(|(before, _)| before.distance(pictured.hash));
        CaptureMetrics {
            total_ms: 0,
            ensure_ready_ms: 0,
            screencap_ms: millis(capture.spent.picture),
            screen_size_ms: 0,
            current_app_ms: millis(capture.spent.app),
            scale_ms: 0,
            ui_dump_ms: millis(capture.spent.tree),
            overlay_ms: 0,
            ui_elements_source: seen.source,
            ui_elements_count: seen.elements.len(),
            visual_hash: pictured.hash.to_string(),
            visual_hash_hamming_distance: distance.filter(|_| capture.picture.secure.is_empty()),
            ui_dump_timed_out: matches!(capture.tree, TreeLook::Refused { timed_out: true }),
        }
    }

    /// Keeps what the next look can use. A secure screen is forgotten.
    fn remember(&mut self, capture: &Capture, pictured: &CaptureImage, seen: &ScreenContents) {
        let is_secure = !capture.picture.secure.is_empty();
        self.last = (!is_secure).then_some((pictured.hash, pictured.frame.size()));
        match (seen.source, &seen.tree, &capture.picture.front) {
            (UiElementsSource::Fresh, Some(tree), Some(front)) if !is_secure => {
                self.cache = Some(Cache {
                    tree: tree.clone(),
                    front: front.clone(),
                    png: capture.picture.png.clone(),
                    frame: pictured.frame.clone(),
                    hash: pictured.hash,
                    at: Instant::now(),
                });
            }
            (UiElementsSource::Cache | UiElementsSource::CacheFallback, _, _) if !is_secure => {}
            _ => self.cache = None,
        }
    }
}

/// Leases a phone, sees its screen once, and lets go of the phone.
pub fn observe_once<'f>(
    engine: &'f Engine,
    device: Option<&'f str>,
    mut options: SnapshotOptions,
    deadline: Deadline,
) -> BoxFuture<'f, Result<ScreenSnapshot, Failure>> {
    Box::pin(async move {
        let (began, left) = (Instant::now(), deadline.left());
        let wanted = PhoneRequest { device, wait: Some(left), owner: "observe", reach: left.min(REACH) };
        // What a phone was doing then had only what was left of the time.
        let late = || {
            let ms = began.elapsed().as_millis().max(1);
            let message = format!("the screen was not seen within {ms} ms");
            Failure::new(ErrorCode::ResultEnvelopeTimeout, message).hint("Give it a longer timeout.")
        };
        let leased = timeout(left, engine.lease_to_look(wanted)).await;
        let is_late = |failure| {
            if deadline.left().is_zero() { late() } else { failure }
        };
        let mut lease = leased.unwrap_or_else(|_| Err(late())).map_err(is_late)?;
        for value in options.vault.iter().flat_map(|vault| vault.values()) {
            lease.keep_out(value.expose());
        }
        options.ready = began.elapsed();
        let clock = engine.clone();
        let mut observer = Observer::new(Clock::new(move || clock.now_ms()));
        let seen = observer.observe(&mut lease, &options, deadline).await;
        lease.release().await;
        seen.map_err(|error| match error {
            ObserveError::Phone(PhoneError::TimedOut { .. }) => late(),
            error => error.into(),
        })
    })
}

/// The packages that have an icon, sorted.
async fn packages(phone: &Phone, deadline: Deadline) -> Result<Vec<String>, PhoneError> {
    let listed = phone.launchable(deadline).await?;
    let mut packages: Vec<_> = listed.into_iter().map(|app| app.package).collect();
    packages.sort_unstable();
    packages.dedup();
    Ok(packages)
}

/// The package of the activity in front; where the window is none, that of the tree.
fn current_app(capture: &Capture, tree: Option<&Tree>) -> String {
    let front = capture.picture.front.as_ref().and_then(|front| front.package());
    let root = tree.and_then(|tree| tree.nodes().next());
    let root = root.map(|(_, node)| node.package.as_str()).filter(|package| !package.is_empty());
    front.or(root).unwrap_or(UNKNOWN).to_owned()
}

/// Does work on pixels where it holds up nothing else.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImageError> + Send + 'static,
) -> Result<T, ImageError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(ImageError::Written(error.to_string())))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
