//! Reverses: an address on a device that leads to one on its host. The request grammar, a device's
//! table of them, and its answers. Pure; who speaks it is in `service`.
//!
//! ```text
//! reverse:forward:[norebind:]REMOTE;LOCAL    OKAY, and the port if it is one
//! reverse:killforward:REMOTE                 OKAY
//! reverse:killforward-all                    OKAY
//! reverse:list-forward                       the list, without OKAY
//! ```
//! A port and a list are texts with their length before them; whatever cannot
//! be done is FAIL and such a text.

mod service;

use crate::forward_spec::{ForwardSpec, SpecError};
use crate::smart_socket::MAX_TEXT;
use bytes::Bytes;
pub use service::serve_reverse;
use std::collections::BTreeMap;
use std::fmt;

/// The most reverses a device keeps for one host.
pub const MAX_REVERSES: usize = 64;
/// The ports a device chooses from when it may choose.
const CHOSEN_PORTS: std::ops::RangeInclusive<u16> = 40_000..=49_999;

/// A reverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reverse {
    pub(crate) remote: ForwardSpec,
    /// Where on the host it leads.
    pub(crate) local: ForwardSpec,
}

/// What to do with a reverse from the same address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rebind {
    Replace,
    /// Leave it, and refuse the new one.
    Refuse,
}

/// What a host asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReverseRequest {
    Add(Reverse, Rebind),
    /// An end to the one from this address.
    Remove(ForwardSpec),
    RemoveAll,
    List,
}

/// Why a request is none, or cannot be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReverseError {
    /// Not a request that we know.
    #[error("an unknown request about reverses")]
    UnknownRequest,
    /// One of its addresses is none.
    #[error(transparent)]
    BadSpec(#[from] SpecError),
    /// There is one from that address already.
    #[error("that address is reversed already")]
    Taken,
    /// There is none from that address.
    #[error("that address is not reversed")]
    NotFound,
    /// There are [`MAX_REVERSES`] already.
    #[error("{MAX_REVERSES} addresses are reversed already")]
    TooMany,
}

impl ReverseRequest {
    /// Reads a request from the name of the service that was asked for.
    ///
    /// # Errors
    /// [`ReverseError::UnknownRequest`] or [`ReverseError::BadSpec`].
    pub(crate) fn parse(service: &str) -> Result<Self, ReverseError> {
        let request = service.strip_prefix("reverse:").ok_or(ReverseError::UnknownRequest)?;
        match request.split_once(':') {
            None if request == "list-forward" => Ok(Self::List),
            None if request == "killforward-all" => Ok(Self::RemoveAll),
            Some(("killforward", remote)) => Ok(Self::Remove(remote.parse()?)),
            Some(("forward", rest)) => {
                let (rest, rebind) = match rest.strip_prefix("norebind:") {
                    Some(rest) => (rest, Rebind::Refuse),
                    None => (rest, Rebind::Replace),
                };
                let (remote, local) = rest.split_once(';').ok_or(ReverseError::UnknownRequest)?;
                let reverse = Reverse { remote: remote.parse()?, local: local.parse()? };
                Ok(Self::Add(reverse, rebind))
            }
            None | Some(_) => Err(ReverseError::UnknownRequest),
        }
    }
}

/// The reverses a device keeps for one host. They end with its connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reverses {
    leads: BTreeMap<ForwardSpec, ForwardSpec>,
}

impl Reverses {
    /// All of them, by the device's address.
    pub fn iter(&self) -> impl Iterator<Item = (&ForwardSpec, &ForwardSpec)> {
        self.leads.iter()
    }

    /// Does what a host asks, and gives the bytes of the answer.
    pub fn answer(&mut self, service: &str) -> Bytes {
        let done = ReverseRequest::parse(service).and_then(|request| match request {
            ReverseRequest::Add(reverse, rebind) => {
                let port = self.add(reverse, rebind)?;
                Ok(format!("OKAY{}", port.map(sized).unwrap_or_default()))
            }
            ReverseRequest::Remove(remote) => {
                let found = self.leads.remove(&remote);
                found.map(|_| "OKAY".to_owned()).ok_or(ReverseError::NotFound)
            }
            ReverseRequest::RemoveAll => {
                self.leads.clear();
                Ok("OKAY".to_owned())
            }
            ReverseRequest::List => Ok(sized(self.list())),
        });
        let answer = done.unwrap_or_else(|error| format!("FAIL{}", sized(error)));
        Bytes::from(answer)
    }

    /// Adds one. Returns the port if it is a new one, as a phone does.
    fn add(&mut self, reverse: Reverse, rebind: Rebind) -> Result<Option<u16>, ReverseError> {
        let Reverse { remote, local } = reverse;
        let is_there = self.leads.contains_key(&remote);
        if is_there && rebind == Rebind::Refuse {
            return Err(ReverseError::Taken);
        }
        if !is_there && self.leads.len() >= MAX_REVERSES {
            return Err(ReverseError::TooMany);
        }
        let remote = match remote {
            ForwardSpec::Tcp(0) => self.choose()?,
            other => other,
        };
        let port = match remote {
            ForwardSpec::Tcp(port) => Some(port).filter(|_| !is_there),
            ForwardSpec::LocalAbstract(_)
            | ForwardSpec::LocalReserved(_)
            | ForwardSpec::LocalFilesystem(_)
            | ForwardSpec::Dev(_)
            | ForwardSpec::Jdwp(_) => None,
        };
        self.leads.insert(remote, local);
        Ok(port)
    }

    /// A free port: the first, so that a run can be repeated.
    fn choose(&self) -> Result<ForwardSpec, ReverseError> {
        let mut free = CHOSEN_PORTS.map(ForwardSpec::Tcp).filter(|spec| !self.leads.contains_key(spec));
        free.next().ok_or(ReverseError::TooMany)
    }

    /// The list as a phone prints it. The first column names the host, which
    /// only a phone with several of them cares about.
    fn list(&self) -> String {
        let mut list = String::new();
        for (remote, local) in &self.leads {
            let line = format!("host {remote} {local}\n");
            if list.len() + line.len() > MAX_TEXT {
                break;
            }
            list.push_str(&line);
        }
        list
    }
}

/// A text with its length before it.
fn sized(text: impl fmt::Display) -> String {
    let text = text.to_string();
    format!("{:04x}{text}", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(reverses: &mut Reverses, service: &str) -> String {
        String::from_utf8(reverses.answer(service).to_vec()).unwrap()
    }

    #[test]
    fn requests_are_read_as_adb_writes_them() {
        for text in [
            "reverse:forward:tcp:8080;tcp:9090",
            "reverse:forward:norebind:localabstract:x;tcp:1",
            "reverse:killforward:tcp:8080",
            "reverse:killforward-all",
            "reverse:list-forward",
        ] {
            assert!(ReverseRequest::parse(text).is_ok(), "{text}");
        }
        for (text, error) in [
            ("reverse:", ReverseError::UnknownRequest),
            ("reverse:list-forward:x", ReverseError::UnknownRequest),
            ("reverse:forward:tcp:1", ReverseError::UnknownRequest),
            ("forward:tcp:1;tcp:2", ReverseError::UnknownRequest),
            ("reverse:forward:tcp:1;", ReverseError::BadSpec(SpecError::UnknownKind)),
            ("reverse:forward:tcp:1;tcp:2;tcp:3", ReverseError::BadSpec(SpecError::BadNumber)),
            ("reverse:killforward:x", ReverseError::BadSpec(SpecError::UnknownKind)),
        ] {
            assert_eq!(ReverseRequest::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn answers_have_the_bytes_adb_expects() {
        let mut reverses = Reverses::default();
        for (request, wanted) in [
            ("reverse:list-forward", "0000"),
            ("reverse:forward:tcp:8080;tcp:9090", "OKAY00048080"),
            ("reverse:forward:tcp:8080;tcp:9091", "OKAY"),
            ("reverse:forward:norebind:tcp:8080;tcp:1", "FAIL0020that address is reversed already"),
            ("reverse:forward:tcp:0;tcp:1", "OKAY000540000"),
            ("reverse:forward:norebind:tcp:0;tcp:1", "OKAY000540001"),
            ("reverse:forward:localabstract:x;tcp:1", "OKAY"),
            ("reverse:killforward:tcp:40000", "OKAY"),
            ("reverse:killforward:tcp:40000", "FAIL001cthat address is not reversed"),
            (
                "reverse:list-forward",
                "0047host tcp:8080 tcp:9091\nhost tcp:40001 tcp:1\nhost localabstract:x tcp:1\n",
            ),
            ("reverse:killforward-all", "OKAY"),
            ("reverse:list-forward", "0000"),
            ("reverse:nonsense", "FAIL0021an unknown request about reverses"),
        ] {
            let given = answer(&mut reverses, request);
            assert_eq!(given.len(), wanted.len(), "{request}: {given}");
            assert_eq!(given, wanted, "{request}");
        }
    }

    #[test]
    fn there_is_a_most() {
        let mut reverses = Reverses::default();
        for port in 1..=MAX_REVERSES {
            assert!(answer(&mut reverses, &format!("reverse:forward:tcp:{port};tcp:1")).starts_with("OKAY"));
        }
        assert!(answer(&mut reverses, "reverse:forward:tcp:0;tcp:1").starts_with("FAIL"));
        assert!(answer(&mut reverses, "reverse:forward:tcp:7;tcp:2").starts_with("OKAY"));
        let listed = answer(&mut reverses, "reverse:list-forward");
        assert_eq!(listed[4..].lines().count(), MAX_REVERSES);
    }
}
