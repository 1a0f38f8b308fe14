//! Where the adb server is, as the environment says. Pure.

use crate::error::AdbError;
use std::fmt;
use std::path::PathBuf;

const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 5037;

/// What the environment says about adb, read by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEnvironment {
    /// `ADB_SERVER_SOCKET`, such as `tcp:localhost:5037`.
    pub socket: Option<String>,
    /// `ANDROID_ADB_SERVER_ADDRESS`.
    pub address: Option<String>,
    /// `ANDROID_ADB_SERVER_PORT`.
    pub port: Option<String>,
    /// `ADB_PATH`, or just `adb`.
    pub program: PathBuf,
}

/// The address of an adb server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    host: String,
    port: u16,
}

impl ServerAddress {
    /// An address.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// The address the environment names: the socket before host and port, and
    /// the default one if none is set.
    ///
    /// # Errors
    /// [`AdbError::Protocol`] with the variable that makes no sense.
    pub fn from_environment(environment: &ServerEnvironment) -> Result<Self, AdbError> {
        let given = |value: &Option<String>| value.clone().filter(|text| !text.is_empty());
        if let Some(socket) = given(&environment.socket) {
            return Self::parse_socket(&socket).ok_or_else(|| {
                AdbError::Protocol(format!("ADB_SERVER_SOCKET is {socket:?}, not tcp:[host:]port"))
            });
        }
        let port = match given(&environment.port) {
            None => DEFAULT_PORT,
            Some(text) => parse_port(&text).ok_or_else(|| {
                AdbError::Protocol(format!("ANDROID_ADB_SERVER_PORT is {text:?}, not a port"))
            })?,
        };
        let host = given(&environment.address).unwrap_or_else(|| DEFAULT_HOST.to_owned());
        Ok(Self { host, port })
    }

    fn parse_socket(socket: &str) -> Option<Self> {
        let rest = socket.strip_prefix("tcp:")?;
        match rest.rsplit_once(':') {
            None => Some(Self::new(DEFAULT_HOST, parse_port(rest)?)),
            Some(("" | "localhost", port)) => Some(Self::new(DEFAULT_HOST, parse_port(port)?)),
            Some((host, port)) => Some(Self::new(host.trim_matches(['[', ']']), parse_port(port)?)),
        }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Tells whether the address is on this machine, where a server may be started.
    pub fn is_local(&self) -> bool {
        let is_loopback = |host: &str| host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        self.host == "localhost" || is_loopback(&self.host)
    }
}

fn parse_port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port != 0)
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}
