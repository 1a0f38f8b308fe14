//! Finding phones and connecting to them.

use clawperator_adb::DeviceEntry;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{Deadline, Phone, Reach, ServerEnvironment, list, resolve};
use futures_core::future::BoxFuture;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Where phones come from.
pub trait Discovery: fmt::Debug + Send + Sync {
    /// Where a name leads now: a serial or an address. It connects to nothing.
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>>;

    /// Connects to the phone of a name, or to the only one there is.
    fn connect<'d>(
        &'d self,
        wanted: Option<&'d str>,
        deadline: Deadline,
    ) -> BoxFuture<'d, Result<Phone, Failure>>;

    /// Every phone that is known, in any state.
    fn list(&self, deadline: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>>;
}

/// Phones that have names of their own beside their serials, such as simulated ones.
pub trait NamedPhones: fmt::Debug + Send + Sync {
    /// The serial of a name; nothing if it is not one of these names.
    fn serial(&self, name: &str) -> Result<Option<String>, Failure>;

    /// The names of the phones that are running.
    fn running(&self) -> Vec<String>;
}

/// The phones of an adb server, phones at addresses, and phones with names.
#[derive(Clone, Debug)]
pub struct AdbPhones {
    pub environment: ServerEnvironment,
    pub key_file: PathBuf,
    /// The name that a phone shows when it asks whether to accept the key.
    pub name: String,
    pub named: Option<Arc<dyn NamedPhones>>,
}

impl AdbPhones {
    fn reach(&self) -> Reach<'_> {
        Reach { environment: &self.environment, key_file: &self.key_file, name: &self.name }
    }

    /// The serial of a phone that is wanted by its serial or its name.
    async fn serial(&self, wanted: &str) -> Result<String, Failure> {
        let Some(named) = self.named.clone() else {
            return Ok(wanted.to_owned());
        };
        let name = wanted.to_owned();
        // Reading the registry blocks.
        let found = tokio::task::spawn_blocking(move || named.serial(&name)).await;
        let found = found.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))??;
        Ok(found.unwrap_or_else(|| wanted.to_owned()))
    }

    /// Where adb has no phone, there may still be phones with names.
    fn with_names(&self, failure: Failure) -> Failure {
        if ![ErrorCode::AdbNotFound, ErrorCode::NoDevices].contains(&failure.code) {
            return failure;
        }
        let names = self.named.as_ref().map(|named| named.running()).unwrap_or_default();
        if names.is_empty() {
            return failure;
        }
        let (hint, flags) = (failure.code.row().hint, names.join(" or --device "));
        let failure = failure
            .hint(format!("A simulated phone is running and needs no adb: add --device {flags}. {hint}"));
        failure.with(|details| details.connected = names)
    }
}

impl Discovery for AdbPhones {
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>> {
        Box::pin(self.serial(name))
    }

    fn connect<'d>(
        &'d self,
        wanted: Option<&'d str>,
        deadline: Deadline,
    ) -> BoxFuture<'d, Result<Phone, Failure>> {
        Box::pin(async move {
            let serial = match wanted {
                Some(wanted) => Some(self.serial(wanted).await?),
                None => None,
            };
            let phone = resolve(serial.as_deref(), &self.reach(), deadline).await;
            phone.map_err(|error| self.with_names(error.into()))
        })
    }

    fn list(&self, deadline: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        Box::pin(async move {
            let listed = list(&self.reach(), deadline).await;
            listed.map_err(|error| self.with_names(error.into()))
        })
    }
}
