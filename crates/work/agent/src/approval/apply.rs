//! Does with an artifact what it is for: a text is typed into the field that has
//! the focus, a place becomes the phone's, a file goes to its downloads. What
//! needs more than one field is typed later, value by value.

use super::artifact::{Artifact, GivenFile};
use clawperator_phone::{
    Act, ActError, Coordinates, Deadline, DispatchState, PhoneError, PhoneLease, PutFile,
};
use futures_core::future::BoxFuture;

/// What was done with an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactUse {
    Typed,
    /// A text was typed; the field does not show whether it arrived.
    TypedUnseen,
    Located,
    Stored {
        path: String,
    },
    /// Nothing: it has several values, and one field has the focus.
    Kept,
}

/// Why an artifact was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("no text field has the focus")]
    NoField,
    #[error("there is no such place on Earth")]
    NoPlace,
    #[error("{0}")]
    Act(ActError),
}

impl ApplyError {
    /// Whether the phone may have changed all the same.
    pub fn dispatched(&self) -> DispatchState {
        match self {
            Self::NoField | Self::NoPlace => DispatchState::No,
            Self::Act(error) => error.dispatched,
        }
    }
}

/// Applies an artifact of the request of this id.
pub fn apply<'f>(
    lease: &'f mut PhoneLease,
    id: &'f str,
    artifact: &'f Artifact,
    deadline: Deadline,
) -> BoxFuture<'f, Result<ArtifactUse, ApplyError>> {
    Box::pin(async move {
        // What the phone shows of it must not come back to the model.
        for (_, secret) in artifact.values() {
            lease.keep_out(secret.expose());
        }
        match artifact {
            Artifact::Text(text) => match lease.type_here(text.expose(), deadline).await {
                Ok(typed) if typed.is_seen => Ok(ArtifactUse::Typed),
                Ok(_) => Ok(ArtifactUse::TypedUnseen),
                Err(ActError { error: PhoneError::NoField, dispatched: DispatchState::No }) => {
                    Err(ApplyError::NoField)
                }
                Err(error) => Err(ApplyError::Act(error)),
            },
            Artifact::Geo(place) => {
                let place = Coordinates::new(place.lat, place.lon).ok_or(ApplyError::NoPlace)?;
                let done = lease.perform(Act::SetLocation(place), deadline).await;
                done.map(|()| ArtifactUse::Located).map_err(ApplyError::Act)
            }
            Artifact::Image(file) | Artifact::Audio(file) | Artifact::File(file) => {
                let put = PutFile { name: download_name(id, file), bytes: file.bytes.clone() };
                let path = put.path();
                let done = lease.perform(Act::PutFile(put), deadline).await;
                done.map(|()| ArtifactUse::Stored { path }).map_err(ApplyError::Act)
            }
            Artifact::Credentials { .. } | Artifact::PaymentCard(_) | Artifact::Form(_) => {
                Ok(ArtifactUse::Kept)
            }
        }
    })
}

/// The name of a file on the phone. Nothing of the person's own name for it is used but its ending.
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
            let file =
                GivenFile { name: name.to_owned(), media_type: media_type.to_owned(), bytes: Vec::new() };
            assert_eq!(download_name("ap-1", &file), expected);
        }
    }
}
