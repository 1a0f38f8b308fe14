//! What a phone gives of its screen, and how long it takes.
//!
//! The picture is taken right after the tree: a phone gives its tree when the screen has come to
//! rest, and a picture from before that would show what is no longer there. Beside the picture, at
//! the same time, it is asked what is in front and which windows forbid pictures.

use super::cache::Cache;
use bytes::Bytes;
use clawperator_phone::{CaptureError, Deadline, Front, Phone, PhoneError, PhoneLease};
use clawperator_ui::Tree;
use std::time::Duration;
use tokio::time::Instant;

/// How long a phone may take for its tree, unless its last one took longer: a
/// screen that does not come to rest is shown as a picture.
const TREE: Duration = Duration::from_secs(3);
/// How much sooner than that the phone itself ends a look.
const SOONER: Duration = Duration::from_secs(1);
const PICTURE: Duration = Duration::from_secs(10);
/// How often a screen is looked at that changes meanwhile.
const LOOKS: usize = 2;

pub(super) struct Capture {
    pub(super) picture: CapturePicture,
    pub(super) tree: TreeLook,
    pub(super) spent: CaptureTimes,
}

pub(super) enum TreeLook {
    /// The phone gave it, and the same window was in front all the time.
    Given(Tree),
    /// It was not asked for: the screen is the one of before.
    Spared,
    /// Another window came to the front, again and again.
    Changing,
    Refused {
        timed_out: bool,
    },
}

#[derive(Clone, Copy, Default)]
pub(super) struct CaptureTimes {
    pub(super) picture: Duration,
    pub(super) app: Duration,
    pub(super) tree: Duration,
}

impl Capture {
    /// Takes a picture, and the tree unless the picture shows that the screen is the one of before.
    pub(super) async fn take(
        lease: &mut PhoneLease,
        cache: Option<&Cache>,
        deadline: Deadline,
    ) -> Result<Self, PhoneError> {
        let mut spent = CaptureTimes::default();
        if let Some(cache) = cache.filter(|cache| cache.is_young()) {
            let picture = Box::pin(CapturePicture::take(lease.phone(), &mut spent, deadline)).await?;
            if cache.is_certain(&picture.png, picture.front.as_ref()) && picture.secure.is_empty() {
                return Ok(Self { picture, tree: TreeLook::Spared, spent });
            }
        }
        let mut looks = 1;
        loop {
            let began = Instant::now();
            // The picture needs its time, too.
            let tree = TREE.max(lease.phone().usual_look()) + SOONER;
            let seen = lease.look(sooner(deadline, tree.min(deadline.left() / 2))).await;
            spent.tree += began.elapsed();
            if let Err(error @ PhoneError::Lost { .. }) = seen {
                return Err(error);
            }
            let picture = Box::pin(CapturePicture::take(lease.phone(), &mut spent, deadline)).await?;
            let tree = match seen {
                Err(error) => TreeLook::Refused { timed_out: is_late(&error) },
                Ok(seen) if is_steady(seen.front.as_ref(), picture.front.as_ref()) => {
                    TreeLook::Given(seen.tree)
                }
                Ok(_) if looks < LOOKS => {
                    looks += 1;
                    continue;
                }
                Ok(_) => TreeLook::Changing,
            };
            return Ok(Self { picture, tree, spent });
        }
    }
}

/// A picture, and what was asked beside it: what is in front, and which windows forbid pictures.
pub(super) struct CapturePicture {
    pub(super) png: Bytes,
    pub(super) front: Option<Front>,
    pub(super) secure: Vec<String>,
}

impl CapturePicture {
    /// One round trip: three questions at the same time, so its future is large.
    async fn take(phone: &Phone, spent: &mut CaptureTimes, deadline: Deadline) -> Result<Self, PhoneError> {
        let deadline = sooner(deadline, PICTURE);
        let ((png, took), (front, asked), secure) = tokio::join!(
            timed(phone.screenshot(deadline)),
            timed(phone.front(deadline)),
            phone.secure_windows(deadline),
        );
        spent.picture += took;
        spent.app += asked;
        Ok(Self {
            png: png?,
            // A picture without these is better than none: nothing is then taken from a cache.
            front: front.ok().flatten(),
            secure: secure.unwrap_or_default(),
        })
    }
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let began = Instant::now();
    let made = work.await;
    (made, began.elapsed())
}

fn sooner(deadline: Deadline, limit: Duration) -> Deadline {
    Deadline::after(deadline.left().min(limit))
}

/// Whether the window of the tree was in front until the picture was taken, as
/// far as the phone tells.
fn is_steady(tree: Option<&Front>, picture: Option<&Front>) -> bool {
    match (tree, picture) {
        (Some(tree), Some(picture)) => {
            tree.is_steady() && picture.is_steady() && tree.state() == picture.state()
        }
        (Some(one), None) | (None, Some(one)) => one.is_steady(),
        (None, None) => true,
    }
}

fn is_late(error: &PhoneError) -> bool {
    matches!(error, PhoneError::TimedOut { .. } | PhoneError::Capture(CaptureError::NotIdle))
}
