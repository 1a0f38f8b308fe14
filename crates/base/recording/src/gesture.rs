//! What a finger did: touches put together from a kernel's events, in the screen's own pixels.

use crate::input::{Contact, InputEvent, Signal, TouchScreen};
use crate::limits::MAX_FINGERS;
use clawperator_contract::Key;
use clawperator_ui::Point;
use std::ops::RangeInclusive;
use std::time::Duration;

/// How long a finger must stay for a long click.
const LONG_PRESS: Duration = Duration::from_millis(500);
/// How far a finger may stray and still click, as a share of the screen's
/// smaller side: eight dp on most phones.
const SLOP_SHARE: i32 = 45;

/// A screen in pixels, as it is turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Display {
    /// Its columns when it is not turned.
    pub width: i32,
    pub height: i32,
    /// How it is turned, in quarter turns.
    pub rotation: u8,
}

impl Display {
    /// One that is not turned.
    pub const fn upright(width: i32, height: i32) -> Self {
        Self { width, height, rotation: 0 }
    }

    /// Its width and height as it is turned.
    pub fn turned(&self) -> (i32, i32) {
        let Self { width, height, .. } = *self;
        if self.rotation.is_multiple_of(2) { (width, height) } else { (height, width) }
    }

    /// How far a finger may stray and still click.
    pub fn slop(&self) -> u32 {
        (self.width.min(self.height) / SLOP_SHARE).max(1).unsigned_abs()
    }
}

/// Something that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// A finger touched and left.
    Tap(Point),
    LongPress(Point),
    /// A finger went from one place to another.
    Swipe {
        from: Point,
        to: Point,
    },
    /// Several fingers touched, or one of which it was not told where.
    Several,
    /// A key was pressed and left.
    Key(Key),
}

/// Puts events together.
#[derive(Debug)]
pub struct Fingers {
    screens: Vec<Surface>,
}

#[derive(Debug)]
struct Surface {
    screen: TouchScreen,
    /// The finger that is meant.
    slot: usize,
    /// Where each was last: a kernel does not repeat what has not changed, not
    /// even to a reader that has only just started.
    places: [(Option<i32>, Option<i32>); MAX_FINGERS],
    down: [bool; MAX_FINGERS],
    /// Whether the screen says by itself when it is touched.
    touched: bool,
    touch: Option<TouchTrace>,
}

#[derive(Debug)]
struct TouchTrace {
    began: Duration,
    from: Point,
    last: Point,
    /// The place that was farthest away, and how far.
    farthest: u32,
    /// Several fingers touched, or the position of a touch is unknown.
    unclear: bool,
}

impl Fingers {
    /// Fingers on these screens.
    pub fn new(screens: Vec<TouchScreen>) -> Self {
        let surface = |screen| Surface {
            screen,
            slot: 0,
            places: [(None, None); MAX_FINGERS],
            down: [false; MAX_FINGERS],
            touched: false,
            touch: None,
        };
        Self { screens: screens.into_iter().map(surface).collect() }
    }

    /// Takes an event; what was done, if this ends it.
    pub fn feed(&mut self, event: &InputEvent, display: Display) -> Option<Gesture> {
        if let Signal::Key(key, contact) = event.signal {
            return (contact == Contact::Up).then_some(Gesture::Key(key));
        }
        let mut screens = self.screens.iter_mut();
        let surface = screens.find(|surface| surface.screen.device == event.device)?;
        surface.feed(event, display)
    }
}

impl Surface {
    fn feed(&mut self, event: &InputEvent, display: Display) -> Option<Gesture> {
        match event.signal {
            // Fingers beyond the last are one.
            Signal::Slot(slot) => self.slot = (slot as usize).min(MAX_FINGERS - 1),
            Signal::Tracking(contact) => self.down[self.slot] = contact == Contact::Down,
            Signal::X(x) => self.places[self.slot].0 = Some(x),
            Signal::Y(y) => self.places[self.slot].1 = Some(y),
            Signal::Touch(contact) => {
                self.touched = contact == Contact::Down;
                if contact == Contact::Up {
                    self.down = [false; MAX_FINGERS];
                }
            }
            Signal::Report => return self.report(event.at, display),
            Signal::FingerReport | Signal::Key(..) | Signal::Other => {}
        }
        None
    }

    fn report(&mut self, at: Duration, display: Display) -> Option<Gesture> {
        let fingers = self.down.iter().filter(|down| **down).count();
        if fingers == 0 && !self.touched {
            return self.touch.take().map(|touch| touch.gesture(at, display));
        }
        let slot = self.down.iter().position(|down| *down).unwrap_or(self.slot);
        let (x, y) = self.places[slot];
        let unplaced = x.is_none() || y.is_none();
        let place = Point::new(x.unwrap_or_default(), y.unwrap_or_default());
        let place = self.screen.place(place, display);
        let touch = self.touch.get_or_insert(TouchTrace {
            began: at,
            from: place,
            last: place,
            farthest: 0,
            unclear: false,
        });
        touch.unclear |= fingers > 1 || unplaced;
        touch.last = place;
        touch.farthest = touch.farthest.max(touch.from.apart(place));
        None
    }
}

impl TouchTrace {
    fn gesture(&self, ended: Duration, display: Display) -> Gesture {
        let held = ended.saturating_sub(self.began);
        if self.unclear {
            Gesture::Several
        } else if self.farthest > display.slop() {
            Gesture::Swipe { from: self.from, to: self.last }
        } else if held >= LONG_PRESS {
            Gesture::LongPress(self.from)
        } else {
            Gesture::Tap(self.from)
        }
    }
}

/// How far it is from one point to another. Whatever they are, it fits.
pub(crate) fn way(from: Point, to: Point) -> (i64, i64) {
    let side = |a: i32, b: i32| i64::from(b) - i64::from(a);
    (side(from.x, to.x), side(from.y, to.y))
}

impl TouchScreen {
    /// A place as the kernel counts, in the pixels of a display.
    fn place(&self, at: Point, display: Display) -> Point {
        let Display { width, height, rotation } = display;
        let x = scaled(at.x, &self.x, width);
        let y = scaled(at.y, &self.y, height);
        match rotation % 4 {
            0 => Point { x, y },
            1 => Point::new(y, width - 1 - x),
            2 => Point::new(width - 1 - x, height - 1 - y),
            _ => Point::new(height - 1 - y, x),
        }
    }
}

fn scaled(value: i32, range: &RangeInclusive<i32>, pixels: i32) -> i32 {
    let (value, least, most) = (i64::from(value), i64::from(*range.start()), i64::from(*range.end()));
    let pixel = (value - least) * i64::from(pixels) / (most - least + 1).max(1);
    // It is between nothing and the last pixel, so it fits.
    pixel.clamp(0, i64::from((pixels - 1).max(0))) as i32
}
