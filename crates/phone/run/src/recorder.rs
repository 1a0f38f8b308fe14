//! Records what fingers do on a phone: follows the kernel's events, looks at
//! the screen between them, and writes what the scribe makes of it.

mod file;

pub use file::RecordingFile;

use clawperator_adb::Deadline;
use clawperator_contract::Number;
use clawperator_phone::{CaptureError, InputLines, Phone, PhoneError, Views};
use clawperator_recording::limits::{MAX_DURATION, MAX_EVENTS, MAX_WRITTEN_BYTES};
use clawperator_recording::{
    Display, Fingers, Header, InputEvent, Maker, RecordedEvent, RecordingId, ScreenReading, Scribe,
    event_line, header_line,
};
use clawperator_ui::{Bounds, Screen, Tree};
use futures_core::future::BoxFuture;
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// When to look after the last touch: first at what came of it, then at what
/// changed later, less and less often.
const LOOKS: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(1_000),
    Duration::from_millis(2_000),
    Duration::from_millis(4_000),
    Duration::from_millis(6_000),
];
/// How long one look may take, and one question.
const LOOK: Duration = Duration::from_secs(15);
const ASK: Duration = Duration::from_secs(10);
/// How long to wait for what fingers did just before the end.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long the last look may take: a command waits for the end.
const LAST_LOOK: Duration = Duration::from_secs(8);
/// The recording's maker, in place of an app's package.
const MAKER: &str = "clawperator";

/// What to record.
#[derive(Clone, Debug)]
pub struct RecordingRequest {
    pub session: RecordingId,
    /// Milliseconds since 1970, at the start.
    pub now_ms: u64,
    pub longest: Duration,
}

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    Stopped,
    /// It reached its limit of time or size.
    Limit,
    PhoneLost,
}

/// The result of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingSummary {
    pub end: RecordingEnd,
    pub events: u64,
}

/// When to report that a recording is ready, and when to stop it.
pub struct RecordingHooks<R, S> {
    /// Called once the recording captures everything.
    pub ready: R,
    /// Ends the recording when it completes.
    pub stop: S,
}

/// Why a recording failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The phone cannot be recorded.
    #[error(transparent)]
    Phone(#[from] PhoneError),
    /// The file cannot be written.
    #[error("the recording cannot be written: {0}")]
    File(#[from] io::Error),
}

/// Records until it is stopped, reaches a limit or loses the phone.
///
/// # Errors
/// [`RecordError`] if it cannot begin, or can no longer write.
pub async fn record(
    phone: &Phone,
    wanted: &RecordingRequest,
    file: &mut RecordingFile,
    hooks: RecordingHooks<impl FnOnce() -> io::Result<()>, impl Future<Output = ()>>,
) -> Result<RecordingSummary, RecordError> {
    let RecordingHooks { ready, stop } = hooks;
    let mut recorder = Recorder::begin(phone, wanted, file).await?;
    ready()?;
    tokio::pin!(stop);
    let longest = wanted.longest.min(MAX_DURATION);
    let over = Instant::now() + longest;
    let end = loop {
        if recorder.is_full() {
            break RecordingEnd::Limit;
        }
        let due = recorder.due;
        tokio::select! {
            biased;
            () = &mut stop => break RecordingEnd::Stopped,
            () = sleep_until(over) => break RecordingEnd::Limit,
            line = recorder.lines.next() => match line {
                Ok(Some(line)) => recorder.line(&line)?,
                Ok(None) | Err(_) => break RecordingEnd::PhoneLost,
            },
            seen = look_or_never(&mut recorder.looking) => {
                recorder.looking = None;
                if recorder.note_look(seen)?.is_break() {
                    break RecordingEnd::PhoneLost;
                }
            }
            () = sleep_until(due), if recorder.looking.is_none() => recorder.look(),
        }
    };
    recorder.finish(end).await
}

/// A look that goes on.
type Looking<'p> = BoxFuture<'p, Result<ScreenReading, PhoneError>>;

async fn look_or_never(looking: &mut Option<Looking<'_>>) -> Result<ScreenReading, PhoneError> {
    match looking {
        Some(looking) => looking.await,
        None => std::future::pending().await,
    }
}

struct Recorder<'p> {
    phone: &'p Phone,
    file: &'p mut RecordingFile,
    lines: InputLines,
    fingers: Fingers,
    scribe: Scribe,
    began: Instant,
    now_ms: u64,
    /// When to look next, and how many looks there were since the last touch.
    due: Instant,
    looks: usize,
    looking: Option<Looking<'p>>,
    /// The screen was touched during the look, so the look is of no use.
    disturbed: bool,
}

impl<'p> Recorder<'p> {
    async fn begin(
        phone: &'p Phone,
        wanted: &RecordingRequest,
        file: &'p mut RecordingFile,
    ) -> Result<Self, RecordError> {
        let deadline = || Deadline::after(ASK);
        let began = Instant::now();
        let screens = phone.touch_screens(deadline()).await?;
        let (header, scribe) = begin_recording(phone, wanted).await?;
        let mut lines = phone.input_lines(deadline()).await?;
        // The first line says that it listens; some phones have none.
        let _ = timeout(Duration::from_secs(1), lines.next()).await;
        file.write(&header_line(&header))?;
        let mut recorder = Self {
            phone,
            file,
            lines,
            fingers: Fingers::new(screens),
            scribe,
            began,
            now_ms: wanted.now_ms,
            due: Instant::now() + LOOKS[0],
            looks: 0,
            looking: None,
            disturbed: false,
        };
        let seen = timeout(LOOK, look_to_record(phone)).await;
        match seen {
            Ok(Ok(seen)) => recorder.saw(seen)?,
            // A screen that moves is looked at again.
            Ok(Err(PhoneError::Capture(_))) | Err(_) => {}
            Ok(Err(error)) => return Err(error.into()),
        }
        Ok(recorder)
    }

    fn ts(&self) -> Number {
        let passed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        milliseconds(self.now_ms.saturating_add(passed))
    }

    fn is_full(&self) -> bool {
        self.file.events >= MAX_EVENTS || self.file.bytes >= MAX_WRITTEN_BYTES
    }

    fn write(&mut self, events: &[RecordedEvent]) -> Result<(), RecordError> {
        for event in events {
            self.file.write_event(&event_line(event))?;
        }
        Ok(())
    }

    /// A line of the kernel's.
    fn line(&mut self, line: &str) -> Result<(), RecordError> {
        let Some(event) = InputEvent::parse(line) else {
            return Ok(());
        };
        self.disturbed = self.looking.is_some();
        self.looks = 0;
        self.due = Instant::now() + LOOKS[0];
        let Some(gesture) = self.fingers.feed(&event, self.scribe.display()) else {
            return Ok(());
        };
        let events = self.scribe.record_gesture(gesture, self.ts());
        self.write(&events)
    }

    fn look(&mut self) {
        self.disturbed = false;
        self.looking = Some(Box::pin(look_to_record(self.phone)));
    }

    /// Breaks if the phone is gone.
    fn note_look(&mut self, seen: Result<ScreenReading, PhoneError>) -> Result<ControlFlow<()>, RecordError> {
        self.looks = (self.looks + 1).min(LOOKS.len() - 1);
        self.due = Instant::now() + LOOKS[self.looks];
        match seen {
            Ok(_) if self.disturbed => {
                self.due = Instant::now() + LOOKS[0];
                self.looks = 0;
            }
            Ok(seen) => self.saw(seen)?,
            Err(PhoneError::Lost { .. }) => return Ok(ControlFlow::Break(())),
            // Another look may see more.
            Err(PhoneError::Capture(CaptureError::Busy(_))) => self.due = Instant::now() + LOOKS[0],
            Err(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn saw(&mut self, seen: ScreenReading) -> Result<(), RecordError> {
        let events = self.scribe.record_screen(seen, self.ts());
        self.write(&events)
    }

    /// Takes what is still on its way, looks a last time and says how it ended.
    async fn finish(mut self, end: RecordingEnd) -> Result<RecordingSummary, RecordError> {
        if end != RecordingEnd::PhoneLost {
            let until = Instant::now() + LAST_WORDS * 5;
            while Instant::now() < until
                && let Ok(Ok(Some(line))) = timeout(LAST_WORDS, self.lines.next()).await
            {
                self.line(&line)?;
            }
            self.looking = None;
            if let Ok(Ok(seen)) = timeout(LAST_LOOK, look_to_record(self.phone)).await {
                self.saw(seen)?;
            }
        }
        let last: Vec<RecordedEvent> = self.scribe.end(self.ts()).into_iter().collect();
        self.write(&last)?;
        self.file.close()?;
        Ok(RecordingSummary { end, events: self.file.events })
    }
}

/// The first line of a recording of a phone, and a scribe for the rest.
///
/// # Errors
/// What broke.
pub fn begin_recording<'f>(
    phone: &'f Phone,
    wanted: &'f RecordingRequest,
) -> BoxFuture<'f, Result<(Header, Scribe), PhoneError>> {
    Box::pin(async move {
        let deadline = || Deadline::after(ASK);
        let (width, height) = phone.display_size(deadline()).await?;
        let steering = phone.steering(deadline()).await?;
        let launcher = phone.home_package(deadline()).await?;
        let pixels = |side: u32| i32::try_from(side).unwrap_or(i32::MAX);
        let header = Header {
            session_id: wanted.session.to_string(),
            started_at: milliseconds(wanted.now_ms),
            operator_package: MAKER.to_owned(),
            maker: Maker::Host,
            launcher: launcher.clone(),
        };
        let scribe = Scribe::new(Display::upright(pixels(width), pixels(height)), steering, launcher);
        Ok((header, scribe))
    })
}

/// Looks at a phone for its recording.
///
/// # Errors
/// [`PhoneError::Capture`] if the phone does not describe its screen, or what
/// broke.
pub fn look_to_record(phone: &Phone) -> BoxFuture<'_, Result<ScreenReading, PhoneError>> {
    Box::pin(async move {
        let deadline = Deadline::after(LOOK);
        let tree = phone.capture(Views::All, deadline).await?;
        let front = phone.foreground(deadline).await?;
        let keyboard = match front.input_shown {
            // A phone that does not say has its keyboard where keyboards are.
            Some(true) => Some(phone.keyboard_area(deadline).await?.unwrap_or_else(|| usual_keyboard(&tree))),
            Some(false) | None => None,
        };
        Ok(ScreenReading {
            tree,
            package: front.package.unwrap_or_default(),
            activity: front.activity,
            keyboard,
        })
    })
}

fn usual_keyboard(tree: &Tree) -> Bounds {
    let screen = Screen::new(tree).area();
    let height = screen.bottom.saturating_sub(screen.top);
    Bounds { top: screen.bottom.saturating_sub(height / 5 * 2), ..screen }
}

fn milliseconds(ms: u64) -> Number {
    // Exact for some hundred thousand years.
    Number::new(ms as f64).unwrap_or(Number::from(0))
}
