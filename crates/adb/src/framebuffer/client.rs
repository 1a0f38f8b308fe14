//! Asks a device for a picture of its screen.

use super::{Framebuffer, FramebufferHeader};
use crate::deadline::Deadline;
use crate::device::Device;
use crate::error::AdbError;
use bytes::BytesMut;

/// No more room is made for pixels than this before they come, whatever a
/// header says.
const FIRST_ROOM: usize = 1 << 20;

impl Device {
    /// A picture of the screen, as it is now.
    ///
    /// # Errors
    /// [`AdbError::NotOpened`] if the device does not have the service,
    /// [`AdbError::Protocol`] if what it sends is no picture of at most
    /// [`MAX_PIXELS`](crate::MAX_PIXELS), [`AdbError::Closed`] if it breaks off.
    pub async fn framebuffer(&self, deadline: Deadline) -> Result<Framebuffer, AdbError> {
        let reading = async {
            let mut stream = self.open("framebuffer:", deadline).await?;
            let (mut reader, _) = stream.split();
            let mut buffer = BytesMut::new();
            let header = loop {
                let header = FramebufferHeader::decode(&mut buffer)
                    .map_err(|error| AdbError::Protocol(error.to_string()))?;
                if let Some(header) = header {
                    break header;
                }
                buffer.extend_from_slice(&reader.receive().await?.ok_or(AdbError::Closed)?);
            };
            // It was checked to be no more than memory can have.
            let wanted = usize::try_from(header.pixel_bytes()).unwrap_or(usize::MAX);
            buffer.reserve(wanted.min(FIRST_ROOM));
            while buffer.len() < wanted {
                buffer.extend_from_slice(&reader.receive().await?.ok_or(AdbError::Closed)?);
            }
            buffer.truncate(wanted);
            Ok(Framebuffer {
                header,
                pixels: buffer.freeze(),
            })
        };
        deadline.run("taking a picture of the screen", reading).await
    }
}
