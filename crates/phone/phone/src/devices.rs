//! Which phone is meant, and the way to it.

use crate::phone::Phone;
use clawperator_adb::{
    AdbError, Deadline, Device, DeviceEntry, DeviceState, HostIdentity, PrivateKey, ServerAddress,
    ServerClient, ServerEnvironment, StoredKey, lookup,
};
use clawperator_contract::text::excerpt;
use clawperator_contract::{ErrorCode, Failure};
use futures_core::future::BoxFuture;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpStream;

/// What this host says it can do when it connects by itself.
const BANNER: &str = "host::features=shell_v2,cmd,stat_v2,ls_v2";

/// How long finding and reaching a phone may take.
pub const REACH: Duration = Duration::from_secs(15);

/// How long to look for the address behind a name that the adb server knows.
const LOOK_UP: Duration = Duration::from_secs(2);

/// A phone that was chosen, and the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhoneChoice {
    /// One that the adb server knows by this name.
    Server(String),
    /// One that listens at this `host:port`.
    Direct(String),
}

/// Why no phone was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// None can be used, but these were seen.
    #[error("{}", device_list(.0))]
    None(Vec<DeviceEntry>),
    /// The named one is not there; these can be used.
    #[error("there is no usable phone {}", excerpt(wanted))]
    NotFound {
        wanted: String,
        /// The names of those that can be used.
        usable: Vec<String>,
    },
    /// None was named and these can be used.
    #[error("several phones are connected: {}", .0.join(", "))]
    Several(Vec<String>),
    /// The named one does not know our key.
    #[error("{} has not accepted this computer's key", excerpt(.0))]
    Unauthorized(String),
    /// The named one does not answer.
    #[error("{} does not answer", excerpt(.0))]
    Offline(String),
}

impl ChoiceError {
    /// Its code in the contract.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::None(_) => ErrorCode::NoDevices,
            Self::NotFound { .. } => ErrorCode::DeviceNotFound,
            Self::Several(_) => ErrorCode::MultipleDevices,
            Self::Unauthorized(_) => ErrorCode::DeviceUnauthorized,
            Self::Offline(_) => ErrorCode::DeviceOffline,
        }
    }
}

fn device_list(entries: &[DeviceEntry]) -> String {
    if entries.is_empty() {
        return "no phone is connected".to_owned();
    }
    let serials: Vec<_> = entries.iter().map(|entry| entry.serial.as_str()).collect();
    format!("no phone can be used; seen: {}", serials.join(", "))
}

/// Chooses a phone: the one that is named, or the only one that can be used.
pub fn choose(known: &[DeviceEntry], wanted: Option<&str>) -> Result<PhoneChoice, ChoiceError> {
    let usable = || {
        let usable = known.iter().filter(|entry| entry.state == DeviceState::Device);
        usable.map(|entry| entry.serial.clone()).collect::<Vec<_>>()
    };
    let Some(wanted) = wanted else {
        return match &usable()[..] {
            [] => Err(ChoiceError::None(known.to_vec())),
            [serial] => Ok(PhoneChoice::Server(serial.clone())),
            several => Err(ChoiceError::Several(several.to_vec())),
        };
    };
    let missing = || ChoiceError::NotFound { wanted: wanted.to_owned(), usable: usable() };
    match known.iter().find(|entry| entry.serial == wanted) {
        None if is_address(wanted) => Ok(PhoneChoice::Direct(wanted.to_owned())),
        None => Err(missing()),
        Some(entry) => match entry.state {
            DeviceState::Device => Ok(PhoneChoice::Server(wanted.to_owned())),
            DeviceState::Unauthorized => Err(ChoiceError::Unauthorized(wanted.to_owned())),
            DeviceState::Offline => Err(ChoiceError::Offline(wanted.to_owned())),
            DeviceState::Other(_) => Err(missing()),
        },
    }
}

/// Tells whether a name is a `host:port`.
pub fn is_address(name: &str) -> bool {
    let Some((host, port)) = name.rsplit_once(':') else {
        return false;
    };
    !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port != 0)
}

/// What is needed to reach phones; the caller reads it from the environment.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'r> {
    pub environment: &'r ServerEnvironment,
    /// Where our key is, or is to be made.
    pub key_file: &'r Path,
    /// Whom the key belongs to, as a phone's owner is asked.
    pub name: &'r str,
}

/// Why no phone was reached.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    Choice(ChoiceError),
    /// The adb server does not say which there are.
    #[error("the adb server: {0}")]
    Server(AdbError),
    /// The one that was chosen cannot be connected to.
    #[error("{}: {cause}", excerpt(serial))]
    Phone { serial: String, cause: AdbError },
}

impl ResolveError {
    /// Its code in the contract.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Choice(error) => error.code(),
            Self::Server(AdbError::NoProgram(_)) | Self::Phone { cause: AdbError::NoProgram(_), .. } => {
                ErrorCode::AdbNotFound
            }
            Self::Server(_) => ErrorCode::AdbServerFailed,
            Self::Phone { cause, .. } => match cause {
                AdbError::Refused { .. } | AdbError::NoHost(_) => ErrorCode::DeviceNotFound,
                // Without a key of ours there is nothing it could accept.
                AdbError::Unauthorized | AdbError::Key(_) => ErrorCode::DeviceUnauthorized,
                AdbError::Io(_)
                | AdbError::Closed
                | AdbError::TimedOut { .. }
                | AdbError::Refusal(_)
                | AdbError::NotOpened(_)
                | AdbError::TlsRequired
                | AdbError::Protocol(_) => ErrorCode::DeviceOffline,
                AdbError::Local(_) | AdbError::NoProgram(_) => ErrorCode::InternalError,
            },
        }
    }
}

/// What a caller gets, on every surface.
impl From<ResolveError> for Failure {
    fn from(error: ResolveError) -> Self {
        let failure = Self::of(error.code(), error.to_string());
        failure.with(|details| match error {
            ResolveError::Choice(ChoiceError::Several(serials)) => details.devices = serials,
            ResolveError::Choice(ChoiceError::NotFound { usable, .. }) => details.connected = usable,
            ResolveError::Choice(
                ChoiceError::None(_) | ChoiceError::Unauthorized(_) | ChoiceError::Offline(_),
            )
            | ResolveError::Server(_)
            | ResolveError::Phone { .. } => {}
        })
    }
}

/// The phones that the adb server knows, in any state. It is started where it does not run.
///
/// # Errors
/// [`ResolveError::Server`]; where there is no adb on this computer its code is
/// `ADB_NOT_FOUND`.
pub fn list<'f>(
    reach: &'f Reach<'f>,
    deadline: Deadline,
) -> BoxFuture<'f, Result<Vec<DeviceEntry>, ResolveError>> {
    Box::pin(async move { server_devices(None, reach, deadline).await.map_err(ResolveError::Server) })
}

/// Chooses a phone among those the adb server knows, and connects to it.
pub fn resolve<'f>(
    wanted: Option<&'f str>,
    reach: &'f Reach<'f>,
    deadline: Deadline,
) -> BoxFuture<'f, Result<Phone, ResolveError>> {
    Box::pin(async move {
        let known = server_devices(wanted, reach, deadline).await.map_err(ResolveError::Server)?;
        let choice = choose(&known, wanted).map_err(ResolveError::Choice)?;
        connect(&choice, reach, deadline).await.map_err(|cause| {
            let (PhoneChoice::Server(serial) | PhoneChoice::Direct(serial)) = choice;
            ResolveError::Phone { serial, cause }
        })
    })
}

/// The phones that the server knows. For an address none is started: a server
/// that does not run knows no phone.
async fn server_devices(
    wanted: Option<&str>,
    reach: &Reach<'_>,
    deadline: Deadline,
) -> Result<Vec<DeviceEntry>, AdbError> {
    let server = ServerClient::from_environment(reach.environment)?;
    if wanted.is_some_and(is_address) {
        let address = ServerAddress::from_environment(reach.environment)?.to_string();
        let looking = async { Ok(TcpStream::connect(&address).await.is_ok()) };
        if !deadline.run("looking for the adb server", looking).await? {
            return Ok(Vec::new());
        }
    }
    server.devices(deadline).await
}

/// Connects to a phone that was chosen. One at an address is called by that
/// address, however it was spelled: what is kept for a phone is kept once.
pub fn connect<'f>(
    choice: &'f PhoneChoice,
    reach: &'f Reach<'f>,
    deadline: Deadline,
) -> BoxFuture<'f, Result<Phone, AdbError>> {
    Box::pin(async move {
        let (device, serial) = match choice {
            PhoneChoice::Server(serial) => {
                let server = ServerClient::from_environment(reach.environment)?;
                let device = Device::on_server(server, serial, deadline).await?;
                (device, canonical(serial, deadline).await)
            }
            PhoneChoice::Direct(address) => call(address, reach, deadline).await?,
        };
        Ok(Phone::new(device, serial))
    })
}

/// Connects to a phone at an address. A key is made only for a phone that asks
/// for one: others can be used without a key file. On this computer a key that
/// cannot be stored will do, because a simulated phone accepts any.
async fn call(address: &str, reach: &Reach<'_>, deadline: Deadline) -> Result<(Device, String), AdbError> {
    let host = |key| HostIdentity { banner: BANNER.to_owned(), key, name: reach.name.to_owned() };
    let path = reach.key_file.to_owned();
    let stored = blocking(move || StoredKey::at(&path)).await?;
    if let StoredKey::Usable(key) = &stored {
        return dial(address, &host(Some(key)), deadline).await;
    }
    match dial(address, &host(None), deadline).await {
        Err(AdbError::Unauthorized) => {}
        connected => return connected,
    }
    let is_here = lookup(address, deadline).await?.iter().any(|address| address.ip().is_loopback());
    // Making a key can take seconds, none of which the phone has used.
    let left = deadline.left();
    let path = reach.key_file.to_owned();
    let made = blocking(move || {
        let random = &mut rand::rngs::OsRng;
        match PrivateKey::load_or_create(&path, random) {
            Err(trouble) if is_here => Ok((PrivateKey::generate(random)?, Some(trouble))),
            made => made.map(|key| (key, None)),
        }
    });
    let (key, trouble) = made.await??;
    match dial(address, &host(Some(&key)), Deadline::after(left)).await {
        Err(AdbError::Unauthorized) => Err(trouble.unwrap_or(AdbError::Unauthorized)),
        connected => connected,
    }
}

/// Does what takes time on a thread where it holds nothing up.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, AdbError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| AdbError::Key(error.to_string()))
}

/// The first of a host's addresses that answers, and its name.
async fn dial(
    address: &str,
    host: &HostIdentity<'_>,
    deadline: Deadline,
) -> Result<(Device, String), AdbError> {
    let mut last = AdbError::Closed;
    for address in lookup(address, deadline).await? {
        let name = address.to_string();
        match Device::connect(&name, host, deadline).await {
            Ok(device) => return Ok((device, name)),
            Err(error @ (AdbError::Refused { .. } | AdbError::Io(_))) => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// The one spelling of a serial. A server may know names that this computer does not; those stay.
async fn canonical(serial: &str, deadline: Deadline) -> String {
    if !is_address(serial) {
        return serial.to_owned();
    }
    let soon = Deadline::after(deadline.left().min(LOOK_UP));
    let found = lookup(serial, soon).await;
    let first = found.ok().and_then(|found| found.first().map(ToString::to_string));
    first.unwrap_or_else(|| serial.to_owned())
}
