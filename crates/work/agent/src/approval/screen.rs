//! The screen that a request is about.

use super::request::{ApprovalRequest, ApprovalScreen, NewRequest, ScreenPicture};
use crate::snapshot::{ImageError, ImageKind, ScreenImage, secrets};
use crate::surroundings::front_app;
use clawperator_phone::{Deadline, PhoneError, PhoneLease};
use clawperator_ui::{Fingerprints, Screen as Seen, Tree};
use futures_core::future::BoxFuture;
use std::time::Duration;

/// The most pixels of the longer side of the picture that a person sees.
const LONGEST: u32 = 1200;
const KIND: ImageKind = ImageKind::Jpeg { quality: 80 };

/// The hash of a screen's tree.
pub fn screen_hash(tree: &Tree) -> String {
    Fingerprints::new(Seen::new(tree)).name()
}

impl ApprovalScreen {
    /// The screen of a phone as a person sees it.
    pub fn of(lease: &mut PhoneLease, deadline: Deadline) -> BoxFuture<'_, Result<Self, PhoneError>> {
        Box::pin(async move {
            let tree = lease.screen(deadline).await?;
            // A protected screen has no picture; its tree says enough.
            let picture = lease.phone().screenshot(deadline).await.ok();
            let picture = picture.and_then(|png| small(&png, &tree).ok());
            Ok(Self {
                hash: screen_hash(&tree),
                app: front_app(&tree),
                picture: picture
                    .map(|bytes| ScreenPicture { media_type: KIND.media_type().to_owned(), bytes }),
            })
        })
    }
}

/// The picture as it is stored: smaller, and black where a secret is.
fn small(png: &[u8], tree: &Tree) -> Result<Vec<u8>, ImageError> {
    let mut whole = ScreenImage::decode(png)?;
    whole.blank(secrets(tree));
    whole.scaled(whole.size().within(LONGEST))?.encode(KIND)
}

impl ApprovalRequest {
    /// The same request again, for the screen as it is now.
    pub fn again(&self, screen: ApprovalScreen) -> NewRequest {
        let asked = &self.asked;
        NewRequest {
            timeout: Duration::from_millis(self.expires_ms.saturating_sub(self.created_ms)),
            template: None,
            page: Some(asked.page.clone()),
            screen: Some(screen),
            author: asked.author,
            origin: asked.origin.clone(),
            session: asked.session.clone(),
            device: asked.device.clone(),
            again_of: Some(self.id.clone()),
            ..NewRequest::new(asked.capability, asked.instruction.clone())
        }
    }
}
