//! The host's side of reverses.

use super::{Rebind, Reverse, ReverseRequest, parse_list, split_sized};
use crate::deadline::Deadline;
use crate::device::Device;
use crate::error::AdbError;
use crate::forward_spec::ForwardSpec;
use crate::smart_socket::{MAX_TEXT, Status};
use bytes::{Buf, BytesMut};

impl Device {
    /// Makes a reverse: a connection to its address on the device is
    /// connected to its address on this side. Returns the port the device
    /// listens at, where it says.
    ///
    /// Over a connection of our own, only streams for reverses that were asked
    /// for are let in, and only while they last.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] with the device's words, such as that the address
    /// is taken.
    pub async fn reverse(
        &self,
        wanted: &Reverse,
        rebind: Rebind,
        deadline: Deadline,
    ) -> Result<Option<u16>, AdbError> {
        let expected = match self {
            Self::Direct(connection) => Some(connection.expect_reverse(wanted)?),
            Self::Server { .. } => None,
        };
        let request = ReverseRequest::Add(wanted.clone(), rebind);
        let answer = self.ask_reverse(&request, deadline).await?;
        let port = match split_sized(&okay(answer)?)? {
            None => None,
            Some(text) => Some(text.parse().map_err(|_| {
                AdbError::Protocol("the device answered with a port that is not a number".to_owned())
            })?),
        };
        if let Some(expected) = expected {
            expected.keep(port);
        }
        Ok(port)
    }

    /// Removes a reverse.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] if there is none.
    pub async fn reverse_remove(&self, remote: &ForwardSpec, deadline: Deadline) -> Result<(), AdbError> {
        if let Self::Direct(connection) = self {
            connection.forget_reverses(|reverse| reverse.remote == *remote);
        }
        let request = ReverseRequest::Remove(remote.clone());
        okay(self.ask_reverse(&request, deadline).await?).map(drop)
    }

    /// Removes every reverse this host has on the device.
    ///
    /// # Errors
    /// What broke.
    pub async fn reverse_remove_all(&self, deadline: Deadline) -> Result<(), AdbError> {
        if let Self::Direct(connection) = self {
            connection.forget_reverses(|_| true);
        }
        okay(self.ask_reverse(&ReverseRequest::RemoveAll, deadline).await?).map(drop)
    }

    /// The reverses the device has for this host, at most
    /// [`MAX_REVERSES`](crate::MAX_REVERSES).
    /// Those with addresses we do not know are left out.
    ///
    /// # Errors
    /// What broke.
    pub async fn reverses(&self, deadline: Deadline) -> Result<Vec<Reverse>, AdbError> {
        let answer = self.ask_reverse(&ReverseRequest::List, deadline).await?;
        // A list has no status before it, but a refusal has; neither word could
        // be a length.
        let has_status = [b"OKAY", b"FAIL"].iter().any(|word| answer.starts_with(*word));
        let answer = if has_status { okay(answer)? } else { answer };
        let list = split_sized(&answer)?.ok_or(AdbError::Closed)?;
        Ok(parse_list(&list))
    }

    /// Sends a request and reads everything that answers it.
    async fn ask_reverse(&self, request: &ReverseRequest, deadline: Deadline) -> Result<BytesMut, AdbError> {
        let asking = async {
            let mut stream = self.open(&request.to_string(), deadline).await?;
            let (mut reader, _) = stream.split();
            let mut answer = BytesMut::new();
            while let Some(data) = reader.receive().await? {
                answer.extend_from_slice(&data);
                if answer.len() > MAX_TEXT + 8 {
                    return Err(AdbError::Protocol("the device's answer is too long".to_owned()));
                }
            }
            Ok(answer)
        };
        deadline.run("asking for a reverse", asking).await
    }
}

/// What follows OKAY; anything else is an error.
fn okay(mut answer: BytesMut) -> Result<BytesMut, AdbError> {
    let status = *answer.first_chunk::<4>().ok_or(AdbError::Closed)?;
    answer.advance(4);
    match Status::parse(status)? {
        Status::Okay => Ok(answer),
        Status::Fail => Err(AdbError::Refusal(split_sized(&answer)?.unwrap_or_default())),
    }
}
