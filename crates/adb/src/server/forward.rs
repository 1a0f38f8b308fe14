//! Forwards: an address on this machine that leads to one on a device, kept by
//! the adb server.

use super::{Server, read_status, read_text};
use crate::deadline::Deadline;
use crate::error::AdbError;

/// A forward that a server keeps, or is to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forward {
    /// The device's name.
    pub serial: String,
    /// The address on this machine, such as `tcp:6100`.
    pub local: String,
    /// The address on the device, such as `localabstract:scrcpy`.
    pub remote: String,
}

impl Server {
    /// Makes a forward, or replaces one. With `tcp:0` the server chooses the
    /// port, which is returned.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] with the server's words, such as that the address
    /// is taken; the second of its two answers says so.
    pub async fn forward(&self, wanted: &Forward, deadline: Deadline) -> Result<Option<u16>, AdbError> {
        let Forward {
            serial,
            local,
            remote,
        } = wanted;
        let forwarding = async {
            let request = format!("host-serial:{serial}:forward:{local};{remote}");
            let mut socket = self.request(&request, deadline).await?;
            read_status(&mut socket).await?;
            if local != "tcp:0" {
                return Ok(None);
            }
            let port = read_text(&mut socket).await?;
            let port = port.parse().map_err(|_| {
                AdbError::Protocol(format!(
                    "the server answered with the port {port:?}, which is not a number"
                ))
            })?;
            Ok(Some(port))
        };
        deadline.run("making a forward", forwarding).await
    }

    /// Removes a forward.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] if there is none.
    pub async fn remove_forward(
        &self,
        serial: &str,
        local: &str,
        deadline: Deadline,
    ) -> Result<(), AdbError> {
        let removing = async {
            let request = format!("host-serial:{serial}:killforward:{local}");
            let mut socket = self.request(&request, deadline).await?;
            read_status(&mut socket).await
        };
        deadline.run("removing a forward", removing).await
    }

    /// Every forward the server keeps, for all devices.
    ///
    /// # Errors
    /// As for every request.
    pub async fn forwards(&self, deadline: Deadline) -> Result<Vec<Forward>, AdbError> {
        let text = self.ask("host:list-forward", deadline).await?;
        Ok(parse(&text))
    }
}

fn parse(text: &str) -> Vec<Forward> {
    let line = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some(Forward {
            serial: words.next()?,
            local: words.next()?,
            remote: words.next()?,
        })
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_servers_print_them() {
        let list = parse("127.0.0.1:6001 tcp:6100 tcp:7100\nabc tcp:1 localabstract:x\n\nnonsense\n");
        assert_eq!(list.len(), 2);
        assert_eq!(list[1].remote, "localabstract:x");
    }
}
