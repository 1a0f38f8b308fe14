//! What goes wrong, where and when: repeatable from a seed.

use std::collections::BTreeMap;
use std::fmt;

/// Makes the points, their names, the value they take and what they do.
macro_rules! points {
    ($($(#[doc = $doc:literal])+ $point:ident = $name:literal $(takes $value:literal)?,)+) => {
        /// A place where something can go wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FaultPoint {
            $($(#[doc = $doc])+ $point,)+
        }

        impl FaultPoint {
            /// Every point, its name, and what happens there.
            pub const ALL: &[(Self, &'static str, &'static str)] =
                &[$((Self::$point, $name, concat!($($doc),+)),)+];

            /// What each point's value is, if it takes one.
            const VALUES: &[&[&'static str]] = &[$(&[$($value)?],)+];
        }
    };
}

points! {
    /// `uiautomator dump` reports that the screen never becomes idle, and exits with 0.
    DumpNotIdle = "dump_not_idle",
    /// `uiautomator dump` finds no window, and exits with 0; the resident server's dump is empty.
    DumpNullRoot = "dump_null_root",
    /// `uiautomator dump` reports success but leaves the old file.
    DumpStale = "dump_stale",
    /// `uiautomator dump` writes only a part of the screen.
    DumpCutOff = "dump_cut_off",
    /// `uiautomator dump` writes a byte that is not UTF-8.
    DumpInvalid = "dump_invalid",
    /// A dump, also the resident server's, nests the screen in a thousand elements.
    DumpDeep = "dump_deep",
    /// The connection is reset after this many bytes.
    ConnectionReset = "connection_reset" takes "bytes",
    /// The connection goes silent after this many bytes.
    ConnectionStall = "connection_stall" takes "bytes",
    /// The connection ends when a command starts; the command does not run.
    HangUp = "hang_up",
    /// The connection ends after a command has run, before the answer is sent.
    AnswerLost = "answer_lost",
    /// A new connection is closed before it begins: the phone is offline.
    Offline = "offline",
    /// A new connection is rejected: the phone is unauthorized.
    Unauthorized = "unauthorized",
    /// The phone reboots when a command starts.
    Reboot = "reboot",
    /// The storage is full.
    LowStorage = "low_storage",
    /// A file transfer takes this many milliseconds longer.
    SlowSync = "slow_sync" takes "milliseconds",
    /// A tap, swipe, key or text is lost; the command reports success.
    InputDropped = "input_dropped",
    /// A tap, swipe, key or text happens twice.
    InputDoubled = "input_doubled",
    /// A tap, swipe, key or text is refused, also by the resident server: no program may inject input.
    InputRefused = "input_refused",
    /// A tap, swipe, key or text is lost; the command prints a text that is no complaint.
    InputOdd = "input_odd",
    /// `input motionevent` is not known, as on Android up to 9.
    MotionMissing = "motion_missing",
    /// `am start` starts nothing: the activity in front is kept for the user. It exits with 0.
    StartKept = "start_kept",
    /// A command finds that a system service is missing, as during boot.
    ServiceMissing = "service_missing",
    /// The phone is rotated before a command runs.
    Rotation = "rotation",
    /// A call comes in before a command runs.
    IncomingCall = "incoming_call",
    /// A call comes in before a command runs; the caller gives up after this many milliseconds.
    MissedCall = "missed_call" takes "milliseconds",
    /// Another app comes to the front before a command runs.
    FocusStolen = "focus_stolen",
    /// `pm` reports that the package service is missing.
    PackagesUnavailable = "packages_unavailable",
    /// `am broadcast` is denied, and exits with 0.
    BroadcastRefused = "broadcast_refused",
    /// The resident server is killed when a call comes in; the call does nothing.
    ServerKilled = "server_killed",
    /// The resident server is killed after a call was done, before it answers.
    ServerKilledAfter = "server_killed_after",
    /// The resident server closes a connection after a call was done, instead of its answer.
    ServerReset = "server_reset",
    /// The resident server sends only a part of an answer, and closes the connection.
    ServerCutOff = "server_cut_off",
    /// The resident server takes this many milliseconds longer for a call.
    ServerLate = "server_late" takes "milliseconds",
    /// The resident server takes this many milliseconds longer for its first call.
    ServerFirstLate = "server_first_late" takes "milliseconds",
    /// Appium's server takes the UiAutomation slot from the resident server, which runs on without it.
    ServerSlotStolen = "server_slot_stolen",
    /// The resident server's dump shows the screen from before a change, once.
    ServerStale = "server_stale",
    /// Another app comes to the front after the resident server was told to touch, before it does.
    ServerOvertaken = "server_overtaken",
    /// Another app comes to the front after all was checked, right before a key or a text gets there.
    KeyOvertaken = "key_overtaken",
    /// An app of the phone listens on port 9008, answers as the resident server does, and shows a screen that is not there.
    ServerForeign = "server_foreign",
    /// `logcat` ends by itself after this many lines.
    LogcatEnds = "logcat_ends" takes "lines",
    /// A log line of the Operator app is lost.
    LogLost = "log_lost",
    /// Another app first logs the beginning of the Operator app's line.
    LogForeign = "log_foreign",
    /// The Operator app does not answer.
    OperatorSilent = "operator_silent",
    /// The Operator app answers this many milliseconds later.
    OperatorLate = "operator_late" takes "milliseconds",
    /// The Operator app's answer is not JSON.
    OperatorMalformed = "operator_malformed",
    /// The Operator app answers another command first.
    OperatorOtherId = "operator_other_id",
    /// The Operator app answers in records of this many bytes, as newer versions do.
    OperatorChunked = "operator_chunked" takes "bytes",
}

impl FaultPoint {
    /// Reads its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|row| row.1).collect();
        names.join(", ")
    }

    /// What its value is, such as `bytes`; a point that has none takes none.
    pub fn value(self) -> Option<&'static str> {
        Self::VALUES[self as usize].first().copied()
    }
}

/// Something that is to go wrong: `POINT[=VALUE][@PERCENT%][xTIMES][+SKIP]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub point: FaultPoint,
    /// What the point needs to know, such as a number of bytes.
    pub value: u64,
    /// How often of a hundred times.
    pub percent: u8,
    pub times: u32,
    /// How many times it does not, before it may.
    pub skip: u32,
}

/// Why a text names no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("unknown fault `{0}`; the faults are: {names}", names = FaultPoint::names())]
    NoPoint(String),
    /// A number is missing or out of range.
    #[error("`{0}` is not a number in range; the form is POINT[=VALUE][@PERCENT%][xTIMES][+SKIP]")]
    Number(String),
    /// There is no `%` behind a number of percent.
    #[error(
        "the % after the percentage is missing in `{0}`; the form is POINT[=VALUE][@PERCENT%][xTIMES][+SKIP]"
    )]
    NoPercentSign(String),
    #[error("`{name}` needs a number of {value}, as in `{name}=100`", name = .0.name(), value = .0.value().unwrap_or_default())]
    NoValue(FaultPoint),
    /// The point takes no value.
    #[error("`{}` takes no value", .0.name())]
    NeedlessValue(FaultPoint),
    #[error("`{}` is given twice", .0.name())]
    Twice(FaultPoint),
}

impl Fault {
    /// Reads `dump_null_root@20%x3+1`: after the first dump, every fifth finds
    /// no window, three times at most.
    ///
    /// # Errors
    /// [`FaultError`] if it names no fault.
    pub fn parse(text: &str) -> Result<Self, FaultError> {
        // Only signs before a digit end the name: `x` is also a letter.
        let signs = |at: usize| {
            matches!(text.as_bytes()[at], b'=' | b'@' | b'+')
                || text.as_bytes()[at] == b'x' && text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit)
        };
        let end = (0..text.len()).find(|at| signs(*at)).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        let point = FaultPoint::parse(name).ok_or_else(|| FaultError::NoPoint(name.to_owned()))?;
        let mut fault = Self { point, value: 0, percent: 100, times: u32::MAX, skip: 0 };
        let bad = || FaultError::Number(text.to_owned());
        let mut value = None;
        while let Some(sign) = rest.chars().next() {
            let digits = &rest[sign.len_utf8()..];
            let length = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number: u64 = digits[..length].parse().map_err(|_| bad())?;
            rest = &digits[length..];
            match sign {
                '=' => value = Some(number),
                '@' => {
                    let missing = || FaultError::NoPercentSign(text.to_owned());
                    rest = rest.strip_prefix('%').ok_or_else(missing)?;
                    fault.percent =
                        u8::try_from(number).ok().filter(|percent| *percent <= 100).ok_or_else(bad)?;
                }
                'x' => fault.times = u32::try_from(number).map_err(|_| bad())?,
                '+' => fault.skip = u32::try_from(number).map_err(|_| bad())?,
                _ => return Err(bad()),
            }
        }
        fault.value = match (value, point.value()) {
            (Some(value), Some(_)) => value,
            (None, None) => 0,
            (None, Some(_)) => return Err(FaultError::NoValue(point)),
            (Some(_), None) => return Err(FaultError::NeedlessValue(point)),
        };
        Ok(fault)
    }

    /// Reads several, each of another point.
    ///
    /// # Errors
    /// The first [`FaultError`].
    pub fn parse_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, FaultError> {
        let mut plan: Vec<Self> = Vec::new();
        for text in texts {
            let fault = Self::parse(text)?;
            if plan.iter().any(|other| other.point == fault.point) {
                return Err(FaultError::Twice(fault.point));
            }
            plan.push(fault);
        }
        Ok(plan)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.point.name())?;
        if self.point.value().is_some() {
            write!(f, "={}", self.value)?;
        }
        if self.percent < 100 {
            write!(f, "@{}%", self.percent)?;
        }
        if self.times < u32::MAX {
            write!(f, "x{}", self.times)?;
        }
        if self.skip > 0 {
            write!(f, "+{}", self.skip)?;
        }
        Ok(())
    }
}

/// What is to go wrong on one phone, and what did.
#[derive(Clone, Debug)]
pub struct Faults {
    pub(crate) seed: u64,
    plan: Vec<Fault>,
    counts: BTreeMap<FaultPoint, (u32, u32)>,
}

impl Faults {
    /// These faults, from this seed.
    pub fn new(seed: u64, plan: Vec<Fault>) -> Self {
        Self { seed, plan, counts: BTreeMap::new() }
    }

    /// What is to go wrong.
    pub fn plan(&self) -> &[Fault] {
        &self.plan
    }

    /// Lets other things go wrong from now on.
    pub fn set_plan(&mut self, plan: Vec<Fault>) {
        self.plan = plan;
        self.counts.clear();
    }

    /// How often each point was passed, and how often something went wrong.
    pub fn counts(&self) -> impl Iterator<Item = (FaultPoint, (u32, u32))> + '_ {
        self.counts.iter().map(|(point, counts)| (*point, *counts))
    }

    /// A place below a bound that belongs to a point and how often it was passed.
    pub fn place(&self, point: FaultPoint, below: usize) -> usize {
        let passed = self.counts.get(&point).map_or(0, |counts| counts.0);
        let drawn = mix(!self.seed ^ (point as u64) << 56 ^ u64::from(passed));
        drawn.checked_rem(below as u64).unwrap_or(0) as usize
    }

    /// Passes a point: whether something goes wrong here now, and its value.
    pub fn strike(&mut self, point: FaultPoint) -> Option<u64> {
        let place = self.plan.iter().position(|fault| fault.point == point)?;
        let (passed, struck) = self.counts.entry(point).or_default();
        *passed += 1;
        let fault = self.plan[place];
        let drawn = mix(self.seed ^ (point as u64) << 56 ^ u64::from(*passed)) % 100;
        let strikes = *passed > fault.skip && *struck < fault.times && drawn < u64::from(fault.percent);
        *struck += u32::from(strikes);
        strikes.then_some(fault.value)
    }
}

/// A number as good as random, and the same for the same number.
fn mix(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ a >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ b >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ c >> 31
}
