//! How a phone is: what can be asked at once, in lines that a slow phone answers in time.

use super::facts::{parse_free, parse_size};
use super::foreground::{Foreground, POWER, WINDOW, parse as parse_foreground};
use super::operator::Operator;
use super::{CommandKind, Phone, PhoneError, in_parts};
use clawperator_adb::Deadline;
use futures_core::future::BoxFuture;
use std::ops::Range;
use std::time::Duration;

/// What is asked, part by part; each prints its own part of the answer. What
/// a phone does not have prints nothing, and that is known then.
const PARTS: &[&str] = &[
    "getprop sys.boot_completed",
    "getprop ro.build.version.sdk",
    "getprop ro.build.version.release",
    "getprop ro.product.model",
    "settings get global development_settings_enabled 2>/dev/null",
    "settings get global adb_enabled 2>/dev/null; settings get global adb_wifi_enabled 2>/dev/null",
    "wm size 2>/dev/null",
    "wm density 2>/dev/null",
    "df -k /data 2>/dev/null",
    WINDOW,
    POWER,
    // The first is empty if the user never chose a language.
    "getprop persist.sys.locale; getprop ro.product.locale",
    // Emulators before Android 12 have the second only.
    "getprop ro.boot.qemu.avd_name; getprop ro.kernel.qemu.avd_name",
];

/// The parts that are programs in Java, by the lines in which they are asked: each can take five
/// seconds on an old phone, and what takes too long is not known.
const SLOW: [Range<usize>; 2] = [4..6, 6..8];
/// How long a phone may take for the other parts, and for each line of slow ones.
const AT_ONCE: Duration = Duration::from_secs(10);
const SLOWLY: Duration = Duration::from_secs(30);

/// How a phone is. What it does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vitals {
    /// Whether it has started up.
    pub booted: Option<bool>,
    /// Its level of Android's programming interface.
    pub sdk: Option<u32>,
    pub release: Option<String>,
    pub model: Option<String>,
    pub developer_options: Option<bool>,
    pub usb_debugging: Option<bool>,
    pub wireless_debugging: Option<bool>,
    /// How wide and how high its screen is, in pixels.
    pub size: Option<(u32, u32)>,
    /// How many pixels make an inch.
    pub density: Option<u32>,
    /// How many bytes can still be stored.
    pub free: Option<u64>,
    pub awake: Option<bool>,
    /// Whether its lock screen shows.
    pub keyguard: Option<bool>,
    /// Whether it is locked and an app shows before its lock screen.
    pub is_covered: bool,
    /// Whether its lock asks for something.
    pub secure: Option<bool>,
    /// The title of the window that has the focus.
    pub window: Option<String>,
    /// The package of the app in front.
    pub package: Option<String>,
    /// Its language and region, such as `en-US`.
    pub locale: Option<String>,
    /// The name of the virtual device, if it is an emulator.
    pub avd: Option<String>,
    /// What it has of the Operator app.
    pub operator: Operator,
}

impl Phone {
    /// Asks how the phone is, and what it has of the Operator app. Four round trips.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the answer to the first does not fit the question, or what
    /// broke. What a later one does not answer is not known.
    pub fn vitals<'f>(
        &'f self,
        operator: &'f str,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<Vitals, PhoneError>> {
        Box::pin(async move {
            let operator_parts = Operator::parts(operator)?;
            let mut values = vec![String::new(); PARTS.len()];
            let is_slow = |part: &usize| SLOW.iter().any(|line| line.contains(part));
            let quick: Vec<_> = (0..PARTS.len()).filter(|part| !is_slow(part)).collect();
            let lines = quick.iter().map(|part| PARTS[*part]).collect::<Vec<_>>();
            let answers = self.ask_parts(&lines, deadline, AT_ONCE).await?;
            for (part, answer) in quick.into_iter().zip(answers) {
                values[part] = answer;
            }
            for line in SLOW {
                if let Ok(answers) = self.ask_parts(&PARTS[line.clone()], deadline, SLOWLY).await {
                    line.zip(answers).for_each(|(part, answer)| values[part] = answer);
                }
            }
            let app = operator_parts.iter().map(String::as_str).collect::<Vec<_>>();
            let app = self.ask_parts(&app, deadline, SLOWLY).await.unwrap_or_default();
            let app: Vec<_> = app.iter().map(String::as_str).collect();
            let values: Vec<_> = values.iter().map(String::as_str).collect();
            Ok(Vitals { operator: Operator::parse(operator, &app), ..parse(&values) })
        })
    }

    /// The answers to some parts, which are asked in one line.
    async fn ask_parts(
        &self,
        parts: &[&str],
        deadline: Deadline,
        most: Duration,
    ) -> Result<Vec<String>, PhoneError> {
        let within = Deadline::after(deadline.left().min(most));
        let line = in_parts("/", parts)?.line(CommandKind::Vitals).without_secrets();
        let answer = self.shell(&line, within).await?;
        let mut values: Vec<_> = answer.out.split('\0').map(str::to_owned).collect();
        // Nothing follows the last NUL.
        if values.len() != parts.len() + 1 {
            return Err(answer.unreadable());
        }
        values.pop();
        Ok(values)
    }

    /// Asks the lock screen to go, which one without a PIN does.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn dismiss_keyguard(&self, deadline: Deadline) -> Result<(), PhoneError> {
        self.act(CommandKind::Keyguard, "wm dismiss-keyguard", deadline).await
    }
}

fn parse(values: &[&str]) -> Vitals {
    let part = |number: usize| values.get(number).map_or("", |text| text.trim());
    let word = |number: usize| Some(part(number)).filter(|text| !text.is_empty()).map(str::to_owned);
    let front: Foreground = parse_foreground(&format!("{}\n{}", part(9), part(10)));
    let mut secure = part(9).lines().filter_map(|line| switch(line.trim().strip_prefix("secure=")?));
    Vitals {
        // Before it has, it says nothing.
        booted: Some(part(0) == "1"),
        sdk: part(1).parse().ok(),
        release: word(2),
        model: word(3),
        developer_options: switch(part(4)),
        usb_debugging: part(5).lines().next().and_then(switch),
        wireless_debugging: part(5).lines().nth(1).and_then(switch),
        size: parse_size(part(6)),
        density: parse_density(part(7)),
        free: parse_free(part(8)),
        awake: front.awake,
        keyguard: front.keyguard,
        is_covered: front.is_covered,
        secure: secure.next(),
        window: front.window,
        package: front.package,
        locale: part(11).lines().next().map(str::to_owned),
        avd: part(12).lines().next().map(str::to_owned),
        operator: Operator::default(),
    }
}

/// Reads `1` and `true`, and their opposites.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim() {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

/// Reads `Physical density: 420`, over which `Override density:` goes.
fn parse_density(text: &str) -> Option<u32> {
    let density = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
        line.trim().parse().ok().filter(|density| *density > 0)
    };
    density("Override density:").or_else(|| density("Physical density:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_phone_says_of_itself_is_read() {
        let lock = "  mCurrentFocus=Window{1 u0 NotificationShade}\n  mFocusedApp=ActivityRecord{1 u0 com.x/.Y t12}\n      secure=true\n      showing=true\n        mSimSecure=false\n";
        let vitals = parse(&[
            "1\n",
            "34\n",
            "14\n",
            "Pixel 7\n",
            "1\n",
            "0\n1\n",
            "Physical size: 1080x2400\n",
            "Physical density: 420\nOverride density: 320\n",
            "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/x 10 4 6 40% /data\n",
            lock,
            "  mWakefulness=Asleep\n",
            "\nde-DE\n",
            "\nPixel_7\n",
        ]);
        let wanted = Vitals {
            booted: Some(true),
            sdk: Some(34),
            locale: Some("de-DE".to_owned()),
            avd: Some("Pixel_7".to_owned()),
            release: Some("14".to_owned()),
            model: Some("Pixel 7".to_owned()),
            developer_options: Some(true),
            usb_debugging: Some(false),
            wireless_debugging: Some(true),
            size: Some((1080, 2400)),
            density: Some(320),
            free: Some(6 * 1024),
            awake: Some(false),
            keyguard: Some(true),
            is_covered: false,
            secure: Some(true),
            window: Some("NotificationShade".to_owned()),
            package: Some("com.x".to_owned()),
            operator: Operator::default(),
        };
        assert_eq!(vitals, wanted);
    }

    #[test]
    fn what_a_phone_does_not_say_is_not_known() {
        let wanted = Vitals { booted: Some(false), ..Vitals::default() };
        assert_eq!(parse(&["", "x", "", "", "null", "null", "", "?", "", "", ""]), wanted);
        assert_eq!(parse(&[]), wanted);
    }
}
