//! `input`: fingers, keys and text.

use super::answer::{CommandResult, illegal, is_in};
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{Motion, Phone, PressLength, key_code};
use clawperator_ui::Point;
use clawperator_userland::{Call, ExitResult};
use std::time::Duration;

/// What Android says to who may not inject input.
pub(crate) const INPUT_REFUSED: &str = "java.lang.SecurityException: Injecting input events requires the caller (or the source of the instrumentation, if any) to have the INJECT_EVENTS permission.";

const USAGE: &str = "Usage: input [SOURCE] [-d DISPLAY] COMMAND [ARGUMENT...]

The sources are: dpad, gamepad, joystick, keyboard, mouse, rotaryencoder,
  stylus, touchnavigation, touchpad, touchscreen, trackball
The commands are:
  text STRING (%s is a space)
  keyevent [--longpress|--doubletap|--async] KEY...
  tap X Y
  swipe X1 Y1 X2 Y2 [MILLISECONDS]
  draganddrop X1 Y1 X2 Y2 [MILLISECONDS]
  press
  roll DX DY
  motionevent DOWN|MOVE|UP|CANCEL X Y
  keycombination [-t MILLISECONDS] KEY KEY...
";

const SOURCES: &str = "dpad gamepad joystick keyboard mouse rotaryencoder stylus touchnavigation touchpad \
    touchscreen trackball";

/// How long a swipe takes that does not say so.
const SWIPE_MS: u64 = 300;
/// The number of `DPAD_CENTER`, which is what pressing a trackball means.
const CENTER: u32 = 23;
const ENTER: u32 = 66;
const TAB: u32 = 61;

/// What is to be done, once the words are understood.
enum InputEvent {
    Tap(Point),
    Swipe(Point, Point, u64),
    Motion(Motion, Point),
    Text(String),
    Keys(Vec<u32>, PressLength, usize),
    Together(Vec<u32>, u64),
    Nothing,
}

/// Why the words mean nothing.
enum InputError {
    /// Something is missing after this word.
    Missing(String),
    /// A number or a count is wrong.
    Invalid,
    /// Something else, in the phone's words.
    Illegal(String),
    /// The text has letters that no key types.
    NoKeys,
    Unknown,
}

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let words: Vec<String> = call.args.iter().skip(1).cloned().collect();
    let mut rest = &words[..];
    if rest.first().is_some_and(|word| is_in(SOURCES, word)) {
        rest = &rest[1..];
    }
    if rest.first().is_some_and(|word| word == "-d") {
        rest = rest.get(2..).unwrap_or_default();
    }
    let Some((name, args)) = rest.split_first() else {
        return CommandResult::failure(255, USAGE).give(call).await;
    };
    if matches!(name.as_str(), "help" | "-h") {
        return CommandResult::ok(USAGE).give(call).await;
    }
    let is_unknown = name == "motionevent" && handset.strike(FaultPoint::MotionMissing).is_some();
    let parsed = if is_unknown { Err(InputError::Unknown) } else { parse(name, args) };
    let answer = match parsed {
        Ok(_) if handset.strike(FaultPoint::InputRefused).is_some() => {
            let text = format!(
                "{INPUT_REFUSED}\n\tat com.android.server.input.InputManagerService.injectInputEventToTarget(InputManagerService.java:817)"
            );
            CommandResult::thrown(&words[0], &text)
        }
        Ok(_) if handset.strike(FaultPoint::InputOdd).is_some() => {
            CommandResult::ok("hooked by com.example.guard\n")
        }
        Ok(act) => {
            perform(handset, &act).await;
            CommandResult::ok("")
        }
        Err(mistake) => complaint(name, &words[0], mistake),
    };
    answer.give(call).await
}

/// Does what `input` would do with these words; whether they mean something.
pub(super) async fn perform_words(handset: &Handset, name: &str, args: &[String]) -> bool {
    match parse(name, args) {
        Ok(act) => {
            perform(handset, &act).await;
            true
        }
        Err(_) => false,
    }
}

fn complaint(name: &str, doing: &str, mistake: InputError) -> CommandResult {
    let what = match mistake {
        InputError::Missing(after) => illegal(&format!("Argument expected after \"{after}\"")),
        InputError::Invalid => illegal(&format!("Error: Invalid arguments for command: {name}")),
        InputError::Illegal(message) => illegal(&message),
        InputError::NoKeys => "java.lang.NullPointerException: Attempt to get length of null array\n\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:393)".to_owned(),
        InputError::Unknown => return format!("Error: Unknown command: {name}\n{USAGE}").into(),
    };
    CommandResult::thrown(doing, &what)
}

fn parse(name: &str, args: &[String]) -> Result<InputEvent, InputError> {
    match name {
        "tap" => Ok(InputEvent::Tap(place(name, args, 0)?)),
        "swipe" | "draganddrop" => {
            if args.len() > 5 {
                return Err(InputError::Invalid);
            }
            let (from, to) = (place(name, args, 0)?, place(name, args, 2)?);
            let ms = match args.get(4) {
                Some(word) => word.parse::<i64>().map_err(|_| InputError::Invalid)?,
                None => -1,
            };
            // A time below nothing is the usual one.
            Ok(InputEvent::Swipe(from, to, u64::try_from(ms).unwrap_or(SWIPE_MS)))
        }
        "motionevent" => {
            let word = args.first().ok_or_else(|| InputError::Missing(name.to_owned()))?;
            let motion = match word.to_ascii_uppercase().as_str() {
                "DOWN" => Motion::Down,
                "MOVE" => Motion::Move,
                "UP" => Motion::Up,
                "CANCEL" => Motion::Cancel,
                _ => return Err(InputError::Illegal(format!("Unknown action: {word}"))),
            };
            // A finger that is taken away is nowhere.
            let at = match (motion, args.len()) {
                (Motion::Cancel, 1) => Point::default(),
                _ => place(name, args, 1)?,
            };
            Ok(InputEvent::Motion(motion, at))
        }
        "text" => {
            let text = args.first().ok_or_else(|| InputError::Missing(name.to_owned()))?;
            let typed = |letter: char| matches!(letter, ' '..='~' | '\n' | '\t');
            if text.chars().all(typed) {
                Ok(InputEvent::Text(text.replace("%s", " ")))
            } else {
                Err(InputError::NoKeys)
            }
        }
        "keyevent" => parse_keys(args),
        "keycombination" => parse_together(args),
        "press" => Ok(InputEvent::Keys(vec![CENTER], PressLength::Short, 1)),
        "roll" => place(name, args, 0).map(|_| InputEvent::Nothing),
        _ => Err(InputError::Unknown),
    }
}

/// Two numbers; what is behind the point does not count.
fn place(name: &str, args: &[String], at: usize) -> Result<Point, InputError> {
    let number = |at: usize| {
        let after = at.checked_sub(1).and_then(|at| args.get(at));
        let missing = || InputError::Missing(after.map_or(name, String::as_str).to_owned());
        let word = args.get(at).ok_or_else(missing)?;
        let number: f32 = word.parse().map_err(|_| InputError::Invalid)?;
        // The conversion keeps numbers that are too large within bounds.
        Ok(number as i32)
    };
    Ok(Point { x: number(at)?, y: number(at + 1)? })
}

fn parse_keys(args: &[String]) -> Result<InputEvent, InputError> {
    let (mut press, mut times) = (PressLength::Short, 1);
    let mut words = args.iter();
    let mut codes = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--longpress" => press = PressLength::Long,
            "--doubletap" => times = 2,
            "--async" => {}
            "--delay" | "--duration" => {
                let number = words.next().ok_or_else(|| InputError::Missing(word.clone()))?;
                number.parse::<u32>().map_err(|_| InputError::Invalid)?;
            }
            // A key without a name is the unknown key, which does nothing.
            name => codes.push(key_code(name).unwrap_or(0)),
        }
    }
    if codes.is_empty() {
        let last = args.last().map_or("keyevent", String::as_str);
        return Err(InputError::Missing(last.to_owned()));
    }
    Ok(InputEvent::Keys(codes, press, times))
}

fn parse_together(args: &[String]) -> Result<InputEvent, InputError> {
    let (ms, names) = match args {
        [option, ms, names @ ..] if option == "-t" => (ms.parse().map_err(|_| InputError::Invalid)?, names),
        names => (0, names),
    };
    if names.len() < 2 {
        let message = "keycombination requires at least 2 keycodes";
        return Err(InputError::Illegal(message.to_owned()));
    }
    let mut codes = Vec::new();
    for name in names {
        let unknown = || InputError::Illegal(format!("Unknown keycode: {name}"));
        codes.push(key_code(name).filter(|code| *code > 0).ok_or_else(unknown)?);
    }
    Ok(InputEvent::Together(codes, ms))
}

/// Does it once, not at all, or twice: that is up to the faults.
async fn perform(handset: &Handset, act: &InputEvent) {
    handset.spend(Cost::Input).await;
    let dropped = handset.strike(FaultPoint::InputDropped).is_some();
    let doubled = handset.strike(FaultPoint::InputDoubled).is_some();
    let times = if dropped { 0 } else { 1 + u8::from(doubled) };
    if let InputEvent::Swipe(_, _, ms) | InputEvent::Together(_, ms) = act {
        handset.linger(Duration::from_millis(*ms)).await;
    }
    let is_key = matches!(act, InputEvent::Text(_) | InputEvent::Keys(..) | InputEvent::Together(..));
    if is_key && handset.strike(FaultPoint::KeyOvertaken).is_some() {
        handset.steal_focus();
    }
    for _ in 0..times {
        handset.with(|phone| happen(phone, act));
        if let InputEvent::Tap(at) = act {
            handset.tell_tap(*at);
        }
    }
}

fn happen(phone: &mut Phone, act: &InputEvent) {
    match act {
        InputEvent::Tap(at) => phone.tap(*at),
        InputEvent::Swipe(from, to, ms) => phone.swipe(*from, *to, *ms),
        InputEvent::Motion(motion, at) => phone.motion(*motion, *at),
        InputEvent::Text(text) => type_text(phone, text),
        InputEvent::Keys(codes, press, times) => {
            for code in codes {
                (0..*times).for_each(|_| phone.press_by_hand(*code, *press));
            }
        }
        InputEvent::Together(codes, _) => phone.press_together(codes),
        InputEvent::Nothing => {}
    }
}

/// Types a text: the ends of lines and the tabs are keys of their own.
fn type_text(phone: &mut Phone, text: &str) {
    for piece in text.split_inclusive(['\n', '\t']) {
        let letters = piece.trim_end_matches(['\n', '\t']);
        if !letters.is_empty() {
            phone.note_keys(letters);
            phone.insert(letters);
        }
        match piece.chars().last() {
            Some('\n') => phone.press(ENTER, PressLength::Short),
            Some('\t') => phone.press(TAB, PressLength::Short),
            _ => {}
        }
    }
}
