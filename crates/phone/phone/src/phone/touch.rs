//! Fingers. Before it touches, the phone checks in the same round trip that the
//! screen is the one that was looked at, or at least that the point is on it: a
//! touch that lands elsewhere is a success to the phone.

use super::guard::Precondition;
use super::script::TOUCH;
use super::{CommandKind, DispatchState, Phone, PhoneError};
use clawperator_adb::Deadline;
use clawperator_contract::Lane;
use clawperator_events::{TouchEvent, TouchKind};
use clawperator_ui::Point;
use std::time::Duration;

/// How long a finger stays for a long press: every app takes half a second for
/// one, and phones are slow.
pub const LONG_PRESS: Duration = Duration::from_millis(650);

/// How long a finger takes from one point of a drag to the next, as far as the
/// phone's own commands are not slower, and how many points a drag has.
pub(super) const DRAG_STEP: Duration = Duration::from_millis(50);
const DRAG_STEPS: std::ops::RangeInclusive<i64> = 2..=20;

/// The way of a finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwipePath {
    pub from: Point,
    pub to: Point,
    pub takes: Duration,
}

/// What a finger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finger {
    /// Touches a point for a moment.
    Tap(Point),
    /// Touches a point for [`LONG_PRESS`].
    LongPress(Point),
    Swipe(SwipePath),
    /// Rests for a time, then moves.
    Drag(SwipePath, Duration),
}

impl Finger {
    /// Where it touches the screen first.
    pub fn first(self) -> Point {
        match self {
            Self::Tap(at) | Self::LongPress(at) => at,
            Self::Swipe(path) | Self::Drag(path, _) => path.from,
        }
    }
}

impl Phone {
    /// Touches the screen, if the check passes.
    ///
    /// # Errors
    /// [`PhoneError::OffScreen`] or [`PhoneError::ScreenChanged`] if it does not,
    /// and nothing was touched; [`PhoneError::Unsupported`] for a drag on a phone
    /// that cannot rest a finger, and nothing was touched; [`PhoneError::Refused`] with the phone's words,
    /// or what broke.
    pub async fn touch(
        &self,
        finger: Finger,
        check: &Precondition,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let mut pending = PendingTouch { phone: self, touch: Some(finger.touch()) };
        let done = self.touch_on_its_lane(finger, check, deadline).await;
        if let Err(error) = &done
            && error.dispatched() == DispatchState::No
        {
            pending.touch = None;
        }
        done
    }

    async fn touch_on_its_lane(
        &self,
        finger: Finger,
        check: &Precondition,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let is_from_there = match check {
            Precondition::OnScreen => true,
            Precondition::Front(front) => front.sight.is_some(),
        };
        if self.lane() == Lane::Resident && is_from_there {
            match self.touch_resident(finger, check, deadline).await {
                Err(error) if self.goes_on_without_server(&error) => {
                    // What a look through the server saw, no shell line can check.
                    if let Precondition::Front(_) = check {
                        return Err(error);
                    }
                }
                done => return done,
            }
        }
        self.touch_by_shell(finger, check, deadline).await
    }

    async fn touch_by_shell(
        &self,
        finger: Finger,
        check: &Precondition,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let script = check.script(TOUCH)?.words(finger.words())?;
        let line = script.line(finger.kind()).without_secrets();
        self.run_checked(&line, deadline).await?.silent()
    }
}

/// Logs a touch once it may have happened, also if its future is dropped.
struct PendingTouch<'p> {
    phone: &'p Phone,
    touch: Option<TouchEvent>,
}

impl Drop for PendingTouch<'_> {
    fn drop(&mut self) {
        if let Some(touch) = self.touch.take() {
            self.phone.touches(touch);
        }
    }
}

impl Finger {
    pub(super) fn kind(self) -> CommandKind {
        match self {
            Self::Tap(_) => CommandKind::Tap,
            Self::LongPress(_) => CommandKind::LongPress,
            Self::Swipe(_) | Self::Drag(..) => CommandKind::Swipe,
        }
    }

    fn touch(self) -> TouchEvent {
        let pair = |point: Point| [point.x, point.y];
        let (kind, at, to) = match self {
            Self::Tap(at) => (TouchKind::Tap, at, None),
            Self::LongPress(at) => (TouchKind::LongPress, at, None),
            Self::Swipe(path) | Self::Drag(path, _) => (TouchKind::Swipe, path.from, Some(pair(path.to))),
        };
        TouchEvent { kind, at: pair(at), to }
    }

    /// The words of the phone's script: those of `input`, or of a drag.
    fn words(self) -> Vec<String> {
        let input = |name: &str, numbers: &[i64]| {
            let numbers = numbers.iter().map(i64::to_string);
            [name.to_owned()].into_iter().chain(numbers).collect()
        };
        let swipe = |from: Point, to: Point, takes: Duration| {
            let ms = i64::try_from(takes.as_millis()).unwrap_or(i64::MAX);
            input("swipe", &[from.x.into(), from.y.into(), to.x.into(), to.y.into(), ms])
        };
        match self {
            Self::Tap(at) => input("tap", &[at.x.into(), at.y.into()]),
            Self::LongPress(at) => swipe(at, at, LONG_PRESS),
            Self::Swipe(SwipePath { from, to, takes }) => swipe(from, to, takes),
            Self::Drag(path, hold) => path.drag_words(hold),
        }
    }
}

impl SwipePath {
    /// Where a drag begins, how long it rests, how long it takes to the next point, and the points.
    fn drag_words(self, hold: Duration) -> Vec<String> {
        let points = self.drag_points();
        let pause = (self.takes / u32::try_from(points.len()).unwrap_or(1)).as_secs_f64();
        let seconds = |time: f64| format!("{time:.3}");
        let start = [self.from.x.to_string(), self.from.y.to_string()];
        let times = [seconds(hold.as_secs_f64()), seconds(pause)];
        let points = points.iter().map(|point| format!("{},{}", point.x, point.y));
        ["drag".to_owned()].into_iter().chain(start).chain(times).chain(points).collect()
    }

    /// The points of a drag behind the first.
    pub(super) fn drag_points(self) -> Vec<Point> {
        let Self { from, to, takes } = self;
        let fitting = takes.as_millis() / DRAG_STEP.as_millis();
        let steps = i64::try_from(fitting).unwrap_or(i64::MAX);
        let steps = steps.clamp(*DRAG_STEPS.start(), *DRAG_STEPS.end());
        let part = |step: i64, from: i32, to: i32| {
            let way = (i64::from(to) - i64::from(from)) * step / steps;
            i32::try_from(i64::from(from) + way).unwrap_or(from)
        };
        let at = |step| Point { x: part(step, from.x, to.x), y: part(step, from.y, to.y) };
        (1..=steps).map(at).collect()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::phone::guard::{NOT_DONE, guard};
    use crate::phone::shell::{Client, run};
    use crate::quote::quote;

    /// The script of a finger.
    fn script(finger: Finger, wanted: &str) -> String {
        let script = guard(&[TOUCH]).unwrap().value("wanted", wanted).unwrap();
        script.words(finger.words()).unwrap().text()
    }

    /// What the script prints on a phone that says this of its windows.
    fn printed(wanted: &str, at: Point, windows: &str) -> String {
        printed_on(wanted, at, (windows, ""))
    }

    /// The same on a phone that says these two things: of its displays, and of its windows.
    fn printed_on(wanted: &str, at: Point, (windows, list): (&str, &str)) -> String {
        let [windows, list] = [windows, list].map(|text| quote(text).unwrap());
        let phone = format!(
            "windows={windows}; list={list}; input() {{ echo \"$@\"; }}; \
             dumpsys() {{ case $2 in windows) printf '%s\\n' \"$list\";; *) printf '%s\\n' \"$windows\";; esac; }}"
        );
        let printed = run(&phone, &script(Finger::Tap(at), wanted), Client::Waits);
        assert_eq!(printed.err, "", "{windows}");
        printed.out.replace("clawperator: begins\n", "").trim().to_owned()
    }

    const OWN: &str = "  Display: mDisplayId=0 (organized)\n    init=1080x2400 420dpi base=720x1600 280dpi cur=1600x720 app=1600x650 rng=1x1-9x9\n    mCurrentRotation=ROTATION_90 mUserRotation=ROTATION_0\n  mCurrentFocus=Window{3e1b2f5 u0 com.x/com.x.Main}";
    const OTHER: &str = "  Display: mDisplayId=2\n    init=9000x9000 160dpi cur=9000x9000 app=1x1\n    mCurrentRotation=ROTATION_0\n  mCurrentFocus=Window{1 u0 other}";

    #[test]
    fn a_screen_is_as_large_as_the_phone_says_of_its_own() {
        let old = "    init=480x800 240dpi cur=480x800 app=480x762 rng=1x1-9x9";
        let (both, turned) = (format!("{OTHER}\n{OWN}"), format!("{OWN}\n{OTHER}"));
        for (windows, size) in
            [(OWN, (1600, 720)), (&both, (1600, 720)), (&turned, (1600, 720)), (old, (480, 800))]
        {
            let (width, height) = size;
            let outside = format!("{NOT_DONE}outside {width}x{height}");
            for (at, touched) in [
                (Point::new(0, 0), true),
                (Point::new(width - 1, height - 1), true),
                (Point::new(width, 0), false),
                (Point::new(0, height), false),
                (Point::new(i32::MAX, i32::MAX), false),
            ] {
                let wanted = if touched { format!("tap {} {}", at.x, at.y) } else { outside.clone() };
                assert_eq!(printed("-", at, windows), wanted, "{windows}");
            }
        }
    }

    #[test]
    fn a_screen_that_changed_is_not_touched() {
        let seen = "1600x720,90,3e1b2f5";
        let (both, turned) = (format!("{OTHER}\n{OWN}"), format!("{OWN}\n{OTHER}"));
        for windows in [OWN, &both, &turned] {
            assert_eq!(printed(seen, Point::new(1, 2), windows), "tap 1 2", "{windows}");
        }
        for (from, to, changed) in [
            ("3e1b2f5 u0 com.x/com.x.Main", "77 u0 com.y/.Call", true),
            ("Window{3e1b2f5 u0 com.x/com.x.Main}", "null", true),
            ("ROTATION_90", "ROTATION_270", true),
            ("cur=1600x720", "cur=720x1600", true),
            ("com.x/com.x.Main", "$(reboot) `reboot`", false),
        ] {
            let said = printed(seen, Point::new(1, 2), &OWN.replace(from, to));
            let unsaid = format!("{NOT_DONE}changed");
            assert_eq!(said.starts_with(&unsaid), changed, "{to}: {said}");
            assert_eq!(said == "tap 1 2", !changed, "{to}: {said}");
        }
    }

    #[test]
    fn what_an_old_phone_says_only_in_the_list_of_its_windows_is_compared() {
        let displays =
            "  Display: mDisplayId=0\n    init=480x800 160dpi cur=480x800 app=480x800 rng=480x455-800x775";
        let list = "  Window #0 Window{a6d7f298 u0 com.x/com.x.Main}:\n  mCurrentFocus=Window{a6d7f298 u0 com.x/com.x.Main}\n  mFocusedApp=AppWindowToken{a67 token=Token{a70 ActivityRecord{a67 u0 com.x/.Main t2}}}\n  mRotation=0 mAltOrientation=false";
        let tap = |list: &str| printed_on("480x800,0,a6d7f298", Point::new(1, 2), (displays, list));
        assert_eq!(tap(list), "tap 1 2");
        for (from, to) in [
            ("mRotation=0", "mRotation=1"),
            (
                "mCurrentFocus=Window{a6d7f298 u0 com.x/com.x.Main}",
                "mCurrentFocus=Window{a66e4960 u0 Keyguard}",
            ),
            ("mCurrentFocus=Window{a6d7f298 u0 com.x/com.x.Main}", "mCurrentFocus=null"),
        ] {
            let said = tap(&list.replace(from, to));
            assert!(said.starts_with(&format!("{NOT_DONE}changed")), "{to}: {said}");
        }
    }

    #[test]
    fn a_phone_that_does_not_tell_its_size_is_touched() {
        for windows in [
            "",
            "Can't find service: window",
            "  Display: mDisplayId=0",
            "  init=1x1 cur=",
            "  init=1x1 cur=0x0 app=",
            "  init=1x1 cur=1080 app=",
            "  init=1x1 cur=x app=",
            "  init=1x1 cur=-5x-5 app=",
            "  init=1x1 cur=1x2x3 app=",
            "  init=1x1 cur=99999999999999999999x2 app=",
            "  init=1x1 cur=$(reboot)x* app=",
        ] {
            assert_eq!(printed("-", Point::new(5000, 100), windows), "tap 5000 100", "{windows}");
        }
    }

    #[test]
    fn a_drag_rests_moves_and_goes_up_whatever_the_phone_says() {
        let path = SwipePath {
            from: Point { x: 10, y: 900 },
            to: Point { x: 13, y: 600 },
            takes: Duration::from_millis(150),
        };
        let line = script(Finger::Drag(path, Duration::from_millis(1_450)), "-");
        let pause = "sleep 0.050";
        let dragged = format!(
            "motionevent DOWN 10 900\nsleep 1.450\n{pause}\nmotionevent MOVE 11 800\n{pause}\nmotionevent MOVE 12 700\n{pause}\nmotionevent MOVE 13 600\nmotionevent UP 13 600"
        );
        let printed = |answer: &str| {
            // What `input` prints of itself is an answer to the line, so its words go elsewhere.
            let phone = format!(
                "exec 9>&2; dumpsys() {{ :; }}; sleep() {{ echo sleep $1 >&9; }}; input() {{ echo \"$@\" >&9; {answer}; }}"
            );
            let printed = run(&phone, &line, Client::Waits);
            (
                printed.err.trim().to_owned(),
                printed.out.replace("clawperator: begins\n", "").trim().to_owned(),
            )
        };
        assert_eq!(printed(":"), (dragged, String::new()));
        for (answer, said) in [
            ("echo Error: Unknown command: motionevent >&2", "clawperator: not done: no motion events"),
            ("echo java.lang.SecurityException: no", "java.lang.SecurityException: no"),
        ] {
            assert_eq!(printed(answer), ("motionevent DOWN 10 900".to_owned(), said.to_owned()));
        }
        let at_once = SwipePath { takes: Duration::ZERO, ..path }.drag_words(Duration::ZERO);
        assert_eq!(at_once, ["drag", "10", "900", "0.000", "0.000", "11,750", "13,600"]);
        let far =
            SwipePath { to: Point { x: i32::MAX, y: i32::MIN }, takes: Duration::from_secs(30), ..path };
        assert_eq!(far.drag_words(Duration::ZERO).len(), 5 + 20);
    }
}
