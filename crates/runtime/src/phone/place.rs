//! Touches a point that was not seen before. It may be outside the screen,
//! where a touch hits nothing and the phone still reports success.

use super::input::{LONG_PRESS, touch};
use super::{Answer, CommandKind, CommandLine, Dispatched, Phone, PhoneError, Point};
use clawperator_adb::Deadline;
use clawperator_journal::{Touch, TouchKind};

/// What our script prints if the point is outside; the size follows.
const OUTSIDE: &str = "clawperator: outside the screen of ";

impl Phone {
    /// Touches a point for a moment if it is on the screen in its current
    /// rotation. If the phone does not report its size, the point is touched.
    ///
    /// # Errors
    /// [`PhoneError::OffScreen`] if it is not, and nothing was touched; else as
    /// for [`Self::tap`].
    pub async fn tap_unseen(&self, at: Point, deadline: Deadline) -> Result<(), PhoneError> {
        let line = CommandLine::new(CommandKind::Tap, place_line(at, "input tap $1 $2")).shown();
        let touch = touch(TouchKind::Tap, at, None);
        self.touch_unseen(touch, &line, deadline).await
    }

    /// The same for [`LONG_PRESS`].
    ///
    /// # Errors
    /// As for [`Self::tap_unseen`].
    pub async fn long_press_unseen(&self, at: Point, deadline: Deadline) -> Result<(), PhoneError> {
        let ms = LONG_PRESS.as_millis();
        let line = place_line(at, &format!("input swipe $1 $2 $1 $2 {ms}"));
        let line = CommandLine::new(CommandKind::LongPress, line).shown();
        let touch = touch(TouchKind::LongPress, at, None);
        self.touch_unseen(touch, &line, deadline).await
    }

    async fn touch_unseen(
        &self,
        touch: Touch,
        line: &CommandLine,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        let mut finger = Finger {
            phone: self,
            touch: Some(touch),
        };
        let answer = self.shell(line, deadline).await;
        let done = answer.and_then(|answer| match outside(&answer) {
            Some(size) => Err(PhoneError::OffScreen { size }),
            None => answer.acted().map(drop),
        });
        if let Err(error) = &done
            && error.dispatched() == Dispatched::No
        {
            finger.touch = None;
        }
        done
    }
}

/// Logs a touch once it may have happened, also if its future is dropped.
struct Finger<'p> {
    phone: &'p Phone,
    touch: Option<Touch>,
}

impl Drop for Finger<'_> {
    fn drop(&mut self) {
        if let Some(touch) = self.touch.take() {
            self.phone.touches(touch);
        }
    }
}

/// A line that touches a point unless it is outside the screen. It asks for the
/// size in the current rotation, of the phone's own display and not of an
/// external one. It ignores a size that makes no sense.
fn place_line(at: Point, touch: &str) -> String {
    format!(
        "set -- {} {}; \
         s=$({{ dumpsys window displays | grep -E 'Display: mDisplayId=|init=.* cur='; }} 2>/dev/null); \
         s=${{s#*mDisplayId=0}}; s=${{s#*cur=}}; s=${{s%%[!0-9x]*}}; w=${{s%%x*}} h=${{s#*x}} o=; \
         case $s in *x*x*|??????*x*|*x??????*) ;; \
         [1-9]*x[1-9]*) if [ $1 -ge $w ] || [ $2 -ge $h ]; then o=$s; fi;; esac; \
         if [ -n \"$o\" ]; then echo \"{OUTSIDE}$o\"; else {touch}; fi",
        at.x, at.y
    )
}

/// The size of the screen, if that is why nothing was touched.
fn outside(answer: &Answer) -> Option<(u32, u32)> {
    let size = answer.lines().find_map(|line| line.strip_prefix(OUTSIDE))?;
    let (width, height) = size.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// What the line prints on a phone that says this of its windows.
    fn printed((x, y): (i32, i32), windows: &str) -> String {
        let line = place_line(Point { x, y }, "input tap $1 $2");
        let phone = "dumpsys() { printf '%s\\n' \"$windows\"; }; input() { echo \"$@\"; }";
        let shell = std::process::Command::new("sh")
            .args(["-c", &format!("{phone}; {line}")])
            .env("windows", windows)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&shell.stderr), "", "{windows}");
        String::from_utf8(shell.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn a_screen_is_as_large_as_the_phone_says_of_its_own() {
        let own = "  Display: mDisplayId=0 (organized)\n    init=1080x2400 420dpi base=720x1600 280dpi cur=1600x720 app=1600x650 rng=1x1-9x9";
        let other = "  Display: mDisplayId=2\n    init=9000x9000 160dpi cur=9000x9000 app=1x1";
        let old = "    init=480x800 240dpi cur=480x800 app=480x762 rng=1x1-9x9";
        let (both, turned) = (format!("{other}\n{own}"), format!("{own}\n{other}"));
        for (windows, size) in [
            (own, (1600, 720)),
            (&both, (1600, 720)),
            (&turned, (1600, 720)),
            (old, (480, 800)),
        ] {
            let (width, height) = size;
            let outside = format!("{OUTSIDE}{width}x{height}");
            for (at, touched) in [
                ((0, 0), true),
                ((width - 1, height - 1), true),
                ((width, 0), false),
                ((0, height), false),
                ((i32::MAX, i32::MAX), false),
            ] {
                let wanted = if touched {
                    format!("tap {} {}", at.0, at.1)
                } else {
                    outside.clone()
                };
                assert_eq!(printed(at, windows), wanted, "{windows}");
            }
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
            assert_eq!(printed((5000, 100), windows), "tap 5000 100", "{windows}");
        }
    }

    #[test]
    fn what_the_line_prints_is_read() {
        let answer = |out: &str| Answer {
            out: out.to_owned(),
            err: String::new(),
            exit_code: None,
            kind: CommandKind::Tap,
        };
        assert_eq!(
            outside(&answer(&format!("{OUTSIDE}1080x2400\n"))),
            Some((1080, 2400))
        );
        assert_eq!(outside(&answer("")), None);
    }
}
