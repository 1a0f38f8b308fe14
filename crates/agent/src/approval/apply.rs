//! Does with an artifact what it is for: a text is typed into the field that has
//! the focus, a place becomes the phone's, a file goes to its downloads. What
//! needs more than one field is used by the agent's later actions, by name.

use super::artifact::{Artifact, GivenFile};
use super::secret::Secret;
use clawperator_redact::{DOTS, is_masked};
use clawperator_runtime::{Act, ActError, Coordinates, Deadline, Dispatched, PhoneError, PhoneLease};
use clawperator_runtime::{PutFile, TypedText};
use clawperator_ui::{Flag, Tree};

/// What was done with an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// A text was typed, and the field shows as many letters more.
    Typed,
    /// A text was typed; the field does not show whether it arrived.
    TypedUnseen,
    /// The phone is at the place.
    Located,
    /// The file is on the phone.
    Stored {
        /// Where.
        path: String,
    },
    /// Nothing: it has several values. They are used by name.
    Kept,
}

/// Why an artifact was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// No text field has the focus, so nothing was typed.
    #[error("no text field has the focus")]
    NoField,
    /// There is no such place.
    #[error("there is no such place on Earth")]
    NoPlace,
    /// The phone cannot be looked at.
    #[error("the screen cannot be read: {0}")]
    Look(PhoneError),
    /// The phone did not do it.
    #[error("{0}")]
    Act(ActError),
}

impl ApplyError {
    /// Whether the phone may have changed all the same.
    #[must_use]
    pub fn dispatched(&self) -> Dispatched {
        match self {
            Self::NoField | Self::NoPlace | Self::Look(_) => Dispatched::No,
            Self::Act(error) => error.dispatched,
        }
    }
}

/// Applies an artifact of the request of this id.
///
/// # Errors
/// Why it was not applied.
pub async fn apply(
    lease: &mut PhoneLease,
    id: &str,
    artifact: &Artifact,
    deadline: Deadline,
) -> Result<Applied, ApplyError> {
    // What the phone shows of it must not come back to the model.
    for (_, secret) in artifact.values() {
        lease.keep_out(secret.expose());
    }
    match artifact {
        Artifact::Text(text) => type_into_focus(lease, text, deadline).await,
        Artifact::Geo(place) => {
            let place = Coordinates::new(place.lat, place.lon).ok_or(ApplyError::NoPlace)?;
            let done = lease.perform(Act::SetLocation(place), deadline).await;
            done.map(|()| Applied::Located).map_err(ApplyError::Act)
        }
        Artifact::Image(file) | Artifact::Audio(file) | Artifact::File(file) => {
            let put = PutFile {
                name: download_name(id, file),
                bytes: file.bytes.clone(),
            };
            let path = put.path();
            let done = lease.perform(Act::PutFile(put), deadline).await;
            done.map(|()| Applied::Stored { path }).map_err(ApplyError::Act)
        }
        Artifact::Credentials { .. } | Artifact::PaymentCard(_) | Artifact::Form(_) => Ok(Applied::Kept),
    }
}

async fn type_into_focus(
    lease: &mut PhoneLease,
    text: &Secret,
    deadline: Deadline,
) -> Result<Applied, ApplyError> {
    let before = lease.screen(deadline).await.map_err(ApplyError::Look)?;
    let before = focused(&before).ok_or(ApplyError::NoField)?;
    let typed = TypedText {
        text: text.expose().to_owned(),
        replaces: 0,
    };
    lease
        .perform(Act::Type(typed), deadline)
        .await
        .map_err(ApplyError::Act)?;
    let shows = |field: &str| {
        let letters = field.chars().filter(|letter| DOTS.contains(letter)).count();
        field.contains(text.expose()) || letters >= text.letters() && field != before
    };
    // The text was typed; a screen that cannot be read says nothing of it.
    let after = lease.screen(deadline).await.ok().and_then(|tree| focused(&tree));
    Ok(match after {
        Some(field) if shows(&field) || is_masked(&field) && field != before => Applied::Typed,
        Some(_) | None => Applied::TypedUnseen,
    })
}

/// What the text field that has the focus shows.
fn focused(tree: &Tree) -> Option<String> {
    let nodes = tree.nodes().map(|(_, node)| node);
    let mut fields = nodes.filter(|node| node.flags.has(Flag::Focused) && node.class.ends_with("EditText"));
    fields.next().map(|field| field.text.clone())
}

/// The name of a file on the phone. Nothing of the person's own name for it is
/// used but its ending.
fn download_name(id: &str, file: &GivenFile) -> String {
    let plain = |ending: &&str| {
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let of_name = file.name.rsplit_once('.').map(|(_, ending)| ending).filter(plain);
    let of_type = file.media_type.split('/').nth(1).filter(plain);
    let ending = of_name.or(of_type).unwrap_or("bin").to_ascii_lowercase();
    format!("clawperator-{id}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_on_the_phone_has_nothing_of_the_sender_but_its_ending() {
        for (name, media_type, expected) in [
            ("../../x; rm.PNG", "image/png", "clawperator-ap-1.png"),
            ("no ending", "audio/ogg", "clawperator-ap-1.ogg"),
            ("a.$(x)", "application/x-thing", "clawperator-ap-1.bin"),
        ] {
            let file = GivenFile {
                name: name.to_owned(),
                media_type: media_type.to_owned(),
                bytes: Vec::new(),
            };
            assert_eq!(download_name("ap-1", &file), expected);
        }
    }
}
