//! Apps: start, open, end, list.

use super::{CommandKind, CommandLine, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::Deadline;

/// What our own script says of a package that is not there.
const NOT_INSTALLED: &str = "clawperator: not installed";
/// What the phone says of a package that nothing can be launched of.
const NO_ACTIVITIES: &str = "No activities found";
/// What the phone says of an intent that nothing takes.
const UNRESOLVED: &str = "unable to resolve Intent";

/// Which packages are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageFilter {
    /// All.
    All,
    /// Those that did not come with the phone.
    ThirdParty,
}

impl Phone {
    /// Starts an app as its icon would: one that runs comes to the front.
    ///
    /// # Errors
    /// [`PhoneError::NotInstalled`], [`PhoneError::NoLauncher`],
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn launch(&self, package: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let answer = self.shell(&launch_line(package)?, deadline).await?;
        let package = package.to_owned();
        if answer.says(NOT_INSTALLED) {
            return Err(PhoneError::NotInstalled { package });
        }
        if answer.says(NO_ACTIVITIES) {
            return Err(PhoneError::NoLauncher { package });
        }
        answer.acted().map(drop)
    }

    /// Opens a URI in whatever app takes it.
    ///
    /// # Errors
    /// [`PhoneError::UriNotHandled`], [`PhoneError::Refused`] with the phone's
    /// words, or what broke.
    pub async fn open_uri(&self, uri: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let line = format!("am start -a android.intent.action.VIEW -d {}", quote(uri)?);
        let line = CommandLine::new(CommandKind::OpenUri, line).shown();
        let answer = self.shell(&line, deadline).await?;
        // The URI is repeated elsewhere in the answer, whatever it says.
        let unresolved = |line: &str| line.starts_with("Error") && line.contains(UNRESOLVED);
        if answer.lines().any(unresolved) {
            return Err(PhoneError::UriNotHandled { uri: uri.to_owned() });
        }
        answer.acted().map(drop)
    }

    /// Ends an app. One that does not run, or is not there, is as good as ended.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn force_stop(&self, package: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let line = format!("am force-stop {}", quote(package)?);
        let line = CommandLine::new(CommandKind::ForceStop, line).shown();
        self.act(&line, deadline).await
    }

    /// The packages on the phone, sorted.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn packages(
        &self,
        filter: PackageFilter,
        deadline: Deadline,
    ) -> Result<Vec<String>, PhoneError> {
        let line = match filter {
            PackageFilter::All => "pm list packages",
            PackageFilter::ThirdParty => "pm list packages -3",
        };
        let line = CommandLine::new(CommandKind::Packages, line).shown();
        let answer = self.shell(&line, deadline).await?.acted()?;
        let names = answer
            .out
            .lines()
            .filter_map(|line| line.strip_prefix("package:"));
        let mut names: Vec<_> = names.map(|name| name.trim().to_owned()).collect();
        names.sort_unstable();
        Ok(names)
    }
}

/// Asks which activity the icon would start and starts it. A phone that does
/// not say, because there is none, or several, or no such command, is left to
/// `monkey`, which finds out by itself. Only a phone that says nothing of the
/// package does not have it; one that is still starting says why it cannot tell.
fn launch_line(package: &str) -> Result<CommandLine, PhoneError> {
    const LAUNCHER: &str = "android.intent.category.LAUNCHER";
    /// A new task, and the app's last screen if it has one: what launchers do.
    const FLAGS: &str = "0x10200000";
    let package = quote(package)?;
    let line = format!(
        "p={package}; c=$(cmd package resolve-activity --brief \"$p\" 2>/dev/null | tail -n 1); \
         case \"$c\" in \
         \"$p\"/*) am start -a android.intent.action.MAIN -c {LAUNCHER} -f {FLAGS} -n \"$c\" 2>&1;; \
         *) o=$(pm path \"$p\" 2>&1); case \"$o\" in \
         *package:/*) monkey -p \"$p\" -c {LAUNCHER} 1 2>&1;; \
         '') echo '{NOT_INSTALLED}';; \
         *) echo \"Error: $o\"; false;; esac;; \
         esac"
    );
    Ok(CommandLine::new(CommandKind::Launch, line).shown())
}
