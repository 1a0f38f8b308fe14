//! Apps: start, open, end, list.

use super::foreground::{Foreground, parse};
use super::guard::Precondition;
use super::script::{LAUNCH, LIST, OPEN_URI, PACKAGES, Script};
use super::{CommandAnswer, CommandKind, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::Deadline;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What our own script says of a package that is not there.
const NOT_INSTALLED: &str = "clawperator: not installed";
/// What the phone says of a package that nothing can be launched of.
const NO_ACTIVITIES: &str = "No activities found";
/// What the phone says of an intent that nothing takes.
const UNRESOLVED: &str = "unable to resolve Intent";
/// What the phone says of an app that was there already and is in front now.
const IN_FRONT: &[&str] = &["delivered to currently running", RESUMED];
const RESUMED: &str = "brought to the front";
/// What the phone says when it starts something.
const STARTING: &[&str] = &["Starting:", "Events injected:"];

/// What our own line prints before it says what is in front then.
const SHOWN: &str = "clawperator: shown:";
/// How long an app may take to come to the front where nothing waits for it, and how often the
/// phone is asked.
const COMES: Duration = Duration::from_secs(8);
const ASKED: Duration = Duration::from_millis(300);
/// How the titles of the phone's own dialogs begin that say that an app has crashed, or hangs.
const CRASHED: [&str; 2] = ["Application Error: ", "Application Not Responding: "];

/// What `monkey` says if it started nothing.
const NOTHING: &str = "Events injected: 0";

/// What lists the activities that are there, in front or not. The lines wanted of thousands are
/// picked on the phone.
const ACTIVITIES: &str = "dumpsys activity activities 2>/dev/null | grep 'Hist *#'";

/// Which packages are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageFilter {
    All,
    /// Those that did not come with the phone.
    ThirdParty,
}

/// How an app came to the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppLaunch {
    Started,
    /// As it was left: its page may be any.
    Resumed,
}

/// An app that has an icon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launchable {
    pub package: String,
    /// Its label, if the phone says it. It says only those that are written in
    /// the app's manifest as they are, not those of its resources.
    pub label: Option<String>,
}

impl Phone {
    /// Starts an app as its icon would, and waits until it has drawn: one that runs comes to the
    /// front. Tells whether it did so as it was left, if the phone says. One round trip; more on a
    /// phone that does not wait itself.
    ///
    /// # Errors
    /// [`PhoneError::NotInstalled`], [`PhoneError::NoLauncher`], [`PhoneError::Locked`],
    /// [`PhoneError::NotShown`] if it was started and did not draw, [`PhoneError::Refused`] with
    /// the phone's words, or what broke.
    pub async fn launch(&self, package: &str, deadline: Deadline) -> Result<AppLaunch, PhoneError> {
        let script = Precondition::OnScreen.script(LAUNCH)?.value("package", package)?;
        let line = script.line(CommandKind::Launch).without_secrets();
        let answer = self.run_checked(&line, deadline).await?.about(package);
        if answer.says(NOT_INSTALLED) {
            return Err(PhoneError::NotInstalled { package: package.to_owned() });
        }
        if answer.says(NO_ACTIVITIES) {
            return Err(PhoneError::NoLauncher { package: package.to_owned() });
        }
        let launch = if answer.says(RESUMED) { AppLaunch::Resumed } else { AppLaunch::Started };
        if check_shown(answer, Some(package))? == Shown::Unsaid {
            self.wait_for_app(package, deadline).await?;
        }
        Ok(launch)
    }

    /// Asks until an app is in front. A phone that does not say what is has shown it as well as any.
    async fn wait_for_app(&self, package: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let until = Instant::now() + COMES.min(deadline.left());
        loop {
            let Ok(front) = self.foreground(deadline).await else { return Ok(()) };
            let is_known = front.package.is_some();
            if front.package.as_deref() == Some(package) || !is_known {
                return check_crash(&front, Some(package));
            }
            check_crash(&front, Some(package))?;
            if Instant::now() + ASKED >= until {
                return Err(not_drawn(front.package.as_deref()));
            }
            sleep(ASKED).await;
        }
    }

    /// Opens a URI in whatever app takes it, and waits until that has drawn.
    ///
    /// # Errors
    /// [`PhoneError::UriNotHandled`], [`PhoneError::Locked`], [`PhoneError::NotShown`] as for
    /// [`Self::launch`], [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn open_uri(&self, uri: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let script = Precondition::OnScreen.script(OPEN_URI)?.value("uri", uri)?;
        let line = script.line(CommandKind::OpenUri).without_secrets();
        let answer = self.run_checked(&line, deadline).await?.about(uri);
        // The URI is repeated elsewhere in the answer, whatever it says.
        let unresolved = |line: &str| line.starts_with("Error") && line.contains(UNRESOLVED);
        if answer.lines().any(unresolved) {
            return Err(PhoneError::UriNotHandled { uri: uri.to_owned() });
        }
        check_shown(answer, None).map(drop)
    }

    /// Ends an app. One that does not run, or is not there, is as good as ended.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn force_stop(&self, package: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let line = format!("am force-stop {}", quote(package)?);
        self.act(CommandKind::ForceStop, line, deadline).await
    }

    /// The apps that are open, in front or not, without the home screen.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the phone does not say, or what broke.
    pub async fn open_apps(&self, deadline: Deadline) -> Result<BTreeSet<String>, PhoneError> {
        let answer = self.ask(CommandKind::Foreground, ACTIVITIES, deadline).await?;
        let mut open: BTreeSet<String> = answer.lines().filter_map(package_of_activity).collect();
        if open.is_empty() {
            return Err(answer.unreadable());
        }
        if let Some(home) = self.home_package(deadline).await? {
            open.remove(&home);
        }
        Ok(open)
    }

    /// The apps that have an icon, in the phone's order.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the phone does not list them, or what
    /// broke.
    pub async fn launchable(&self, deadline: Deadline) -> Result<Vec<Launchable>, PhoneError> {
        // The lines wanted of thousands: they are picked on the phone.
        let line = "cmd package query-activities -a android.intent.action.MAIN \
            -c android.intent.category.LAUNCHER 2>&1 | grep -E 'activities found|Activity #|packageName=|labelRes=' \
            || echo 'clawperator: none found'";
        let answer = self.ask(CommandKind::Packages, line, deadline).await?;
        let apps = parse_launchable(&answer.out);
        if apps.is_empty() {
            return Err(answer.unreadable());
        }
        Ok(apps)
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
        let mut names = match filter {
            PackageFilter::All => self.packages_of(&[], deadline).await?,
            PackageFilter::ThirdParty => self.packages_of(&["-3"], deadline).await?,
        };
        names.sort_unstable();
        Ok(names)
    }

    /// The packages that fit these words of the command.
    pub(super) async fn packages_of(
        &self,
        words: &[&str],
        deadline: Deadline,
    ) -> Result<Vec<String>, PhoneError> {
        let line = Script::of(&[PACKAGES, LIST]).words(words)?.line(CommandKind::Packages);
        let answer = self.shell(&line.without_secrets(), deadline).await?.check_act()?;
        let names: Vec<_> = listed(&answer.out).map(str::to_owned).collect();
        let is_cut = !answer.out.is_empty() && !answer.out.ends_with('\n');
        // A phone has packages.
        if is_cut || names.is_empty() && (words.is_empty() || !answer.out.trim().is_empty()) {
            return Err(answer.unreadable());
        }
        Ok(names)
    }
}

/// The names in a list of packages. One without an end of its line may be longer.
pub(super) fn listed(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let names = lines.filter_map(|line| line.trim().strip_prefix("package:"));
    names.filter_map(|name| name.split_whitespace().next())
}

/// The package in a line such as `* Hist #0: ActivityRecord{3ab3e8d u0 com.a/.Main t7}`.
fn package_of_activity(line: &str) -> Option<String> {
    let (_, record) = line.split_once(" ActivityRecord{")?;
    let (package, _) = record.split(' ').nth(2)?.split_once('/')?;
    Some(package.to_owned())
}

/// Reads what a phone says of activities: each has its own name and label, then
/// those of its app. The label of an icon is the activity's, or else the app's.
fn parse_launchable(text: &str) -> Vec<Launchable> {
    let activities = text.split("Activity #").skip(1);
    let app = |activity: &str| {
        let mut lines = activity.lines().map(str::trim);
        let package = lines.find_map(|line| line.strip_prefix("packageName="))?;
        let labels = lines.filter_map(|line| line.strip_prefix("labelRes="));
        // One of the app's resources has a number, and its text is not told.
        let label = labels
            .map(|label| (!label.starts_with("0x0 "), literal_label(label)))
            .find(|(numbered, label)| *numbered || label.is_some());
        Some(Launchable { package: package.to_owned(), label: label.and_then(|(_, label)| label) })
    };
    activities.filter_map(app).collect()
}

/// The label in `0x0 nonLocalizedLabel=Notes icon=0x7f0200`.
fn literal_label(text: &str) -> Option<String> {
    let (_, label) = text.split_once("nonLocalizedLabel=")?;
    let (label, _) = label.rsplit_once(" icon=")?;
    (label != "null" && !label.trim().is_empty()).then(|| label.to_owned())
}

/// What a phone says of something that it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Drawn,
    /// It has not waited.
    Unsaid,
}

/// Succeeds if what was started can be seen, or if the phone does not say that it cannot. `wanted`
/// is the app, where that is known.
fn check_shown(mut answer: CommandAnswer, wanted: Option<&str>) -> Result<Shown, PhoneError> {
    let out = std::mem::take(&mut answer.out);
    let (said, front) = out.split_once(SHOWN).unwrap_or((&out, ""));
    said.clone_into(&mut answer.out);
    let (answer, front) = (answer.check_act()?, parse(front));
    let is_odd = |line: &str| {
        line == NOTHING || line.starts_with("Warning:") && !IN_FRONT.iter().any(|it| line.contains(it))
    };
    if answer.lines().any(is_odd) || !STARTING.iter().any(|words| answer.says(words)) {
        return Err(answer.unreadable());
    }
    check_crash(&front, wanted)?;
    let value = |key| answer.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    match value("Status:") {
        Some("ok") => Ok(Shown::Drawn),
        None => Ok(Shown::Unsaid),
        Some(_) => {
            // What is named is what has drawn instead.
            let drawn = value("Activity:").and_then(|name| name.split('/').next());
            Err(not_drawn(drawn.or(front.package.as_deref()).filter(|drawn| Some(*drawn) != wanted)))
        }
    }
}

/// Fails if the phone says in front that this app has crashed or hangs; any, where none is named.
fn check_crash(front: &Foreground, wanted: Option<&str>) -> Result<(), PhoneError> {
    let title = front.window.as_deref().unwrap_or_default();
    let Some(app) = CRASHED.iter().find_map(|start| title.strip_prefix(start)) else {
        return Ok(());
    };
    let is_of = |wanted: &str| app.split(':').next() == Some(wanted);
    if !wanted.is_none_or(is_of) {
        return Ok(());
    }
    let what = if title.starts_with(CRASHED[0]) { "has crashed" } else { "does not respond" };
    Err(PhoneError::NotShown(format!("it was started and {what}")))
}

/// The error of an app that has not drawn, while this one is in front.
fn not_drawn(front: Option<&str>) -> PhoneError {
    let instead =
        front.map_or_else(String::new, |front| format!("; {front} is in front, so it may have crashed"));
    PhoneError::NotShown(format!("it was started and has not drawn a window in time{instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::CommandLine;
    use clawperator_adb::ShellOutput;

    #[test]
    fn what_was_started_is_shown_if_the_phone_says_so_or_does_not_say() {
        let (started, ok) =
            ("Starting: Intent { cmp=com.a/.Main }\n", "Status: ok\nActivity: com.a/.Main\nComplete\n");
        let focus = |title: &str| {
            format!(
                "clawperator: shown:\n  mCurrentFocus=Window{{1 u0 {title}}}\n  mFocusedApp=ActivityRecord{{1 u0 com.home/.Home t1}}\n"
            )
        };
        for (said, wanted) in [
            (format!("{started}{ok}{}", focus("com.a/com.a.Main")), "Drawn"),
            // It has led to another app at once, or says nothing of what is in front.
            (format!("{started}{ok}{}", focus("com.b/com.b.Login")), "Drawn"),
            (format!("{started}{ok}"), "Drawn"),
            (format!("Events injected: 1\n{}", focus("com.home/com.home.Home")), "Unsaid"),
            (
                format!("{started}Status: timeout\nActivity: com.b/.Main\nComplete\n"),
                "it was started and has not drawn a window in time; com.b is in front, so it may have crashed",
            ),
            (
                format!("{started}Status: timeout\nActivity: com.a/.Main\nComplete\n"),
                "it was started and has not drawn a window in time",
            ),
            (format!("{started}{ok}{}", focus("Application Error: com.a")), "it was started and has crashed"),
            (
                format!("{started}{ok}{}", focus("Application Error: com.a:web")),
                "it was started and has crashed",
            ),
            (format!("{started}{ok}{}", focus("Application Error: com.b")), "Drawn"),
            (
                format!("{started}{ok}{}", focus("Application Not Responding: com.a")),
                "it was started and does not respond",
            ),
        ] {
            let output = ShellOutput { stdout: said.clone().into(), ..ShellOutput::default() };
            let line = CommandLine::new(CommandKind::Launch, "am start");
            let shown = check_shown(CommandAnswer::new(&line, &output, None), Some("com.a"));
            let told = shown.map_or_else(|error| error.to_string(), |shown| format!("{shown:?}"));
            assert_eq!(told, wanted, "{said}");
        }
    }

    #[test]
    fn the_app_of_an_activity_is_read_as_old_and_new_phones_write_it() {
        for (line, package) in [
            ("* Hist #0: ActivityRecord{c0c0105 u0 com.a/com.a.Main t936}", Some("com.a")),
            ("Hist #1: ActivityRecord{3ab3e8d u0 com.b/.Main t2243}", Some("com.b")),
            ("* Hist  #0: ActivityRecord{1bb2549 u10 com.c/.Main} t6668}", Some("com.c")),
            ("* Hist #0: ActivityRecord{1bb2549 u0", None),
            ("* Hist #0: ActivityRecord{", None),
            ("mResumedActivity: com.a/.Main", None),
        ] {
            assert_eq!(package_of_activity(line).as_deref(), package, "{line}");
        }
    }

    #[test]
    fn labels_are_read_as_far_as_a_phone_says_them() {
        let text = "3 activities found:\n  Activity #0:\n      packageName=com.a\n      labelRes=0x7f1200a1 nonLocalizedLabel=null icon=0x7f02 banner=0x0\n        packageName=com.a\n        labelRes=0x0 nonLocalizedLabel=Whole app icon=0x7f02 banner=0x0\n  Activity #1:\n      packageName=com.b\n        packageName=com.b\n        labelRes=0x0 nonLocalizedLabel=My icon=s icon=0x0 banner=0x0\n  Activity #2:\n      packageName=com.c\n      labelRes=0x0 nonLocalizedLabel=null icon=0x7f02 banner=0x0\n";
        let label = |package: &str, label: Option<&str>| Launchable {
            package: package.to_owned(),
            label: label.map(str::to_owned),
        };
        let wanted = [label("com.a", None), label("com.b", Some("My icon=s")), label("com.c", None)];
        assert_eq!(parse_launchable(text), wanted);
        assert_eq!(parse_launchable("No activities found\n"), []);
        assert_eq!(parse_launchable("Activity #0:\nActivity #\0labelRes="), []);
    }
}
