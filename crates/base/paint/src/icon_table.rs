//! What the icons look like: a row each, its names and its marks on a grid of
//! 24 by 24. Adding an icon is adding a row.

pub(crate) const GRID: f32 = 24.0;
pub(crate) const LINE: f32 = 2.0;

/// A part of an icon. Numbers are places on the grid; degrees run clockwise from the top.
#[derive(Debug)]
pub(crate) enum Mark {
    /// A line from one point to another, with round ends.
    Line(f32, f32, f32, f32),
    /// A line of another width.
    Bar(f32, f32, f32, f32, f32),
    /// A circle's line: its middle and its radius.
    Ring(f32, f32, f32),
    Disc(f32, f32, f32),
    /// A part of a circle's line: its middle, radius, start and sweep.
    Arc(f32, f32, f32, f32, f32),
    /// A box's line: its edges and the radius of its corners.
    Frame([f32; 4], f32),
    Box([f32; 4], f32),
    /// A filled polygon; its corners come out a little round.
    Poly(&'static [(f32, f32)]),
    /// Takes away from the marks before it; not for an arc.
    Cut(&'static Mark),
}

use Mark::{Arc, Bar, Box, Cut, Disc, Frame, Line, Poly, Ring};

type IconRow = (&'static [&'static str], &'static [Mark]);

#[rustfmt::skip]
pub(crate) const ROWS: &[IconRow] = &[
    (&["back", "arrow_back", "navigate_up"], &[
        Line(5.0, 12.0, 19.5, 12.0), Line(5.0, 12.0, 11.7, 5.3), Line(5.0, 12.0, 11.7, 18.7)]),
    (&["forward", "arrow_forward", "next"], &[
        Line(4.5, 12.0, 19.0, 12.0), Line(19.0, 12.0, 12.3, 5.3), Line(19.0, 12.0, 12.3, 18.7)]),
    (&["menu", "hamburger", "drawer"], &[
        Line(4.0, 6.5, 20.0, 6.5), Line(4.0, 12.0, 20.0, 12.0), Line(4.0, 17.5, 20.0, 17.5)]),
    (&["more", "more_vert", "dots", "overflow"], &[
        Disc(12.0, 5.5, 1.9), Disc(12.0, 12.0, 1.9), Disc(12.0, 18.5, 1.9)]),
    (&["check", "done", "tick"], &[Line(5.0, 12.5, 9.6, 17.1), Line(9.6, 17.1, 19.5, 7.2)]),
    (&["close", "clear", "cancel"], &[Line(6.0, 6.0, 18.0, 18.0), Line(18.0, 6.0, 6.0, 18.0)]),
    (&["plus", "add", "new"], &[Line(5.0, 12.0, 19.0, 12.0), Line(12.0, 5.0, 12.0, 19.0)]),
    (&["minus", "remove"], &[Line(5.0, 12.0, 19.0, 12.0)]),
    (&["search", "find", "magnifier"], &[Ring(10.0, 10.0, 5.6), Line(14.4, 14.4, 20.0, 20.0)]),
    (&["settings", "gear", "cog"], &[
        Bar(12.0, 3.6, 12.0, 20.4, 4.2), Bar(4.73, 7.8, 19.27, 16.2, 4.2), Bar(4.73, 16.2, 19.27, 7.8, 4.2),
        Disc(12.0, 12.0, 7.2), Cut(&Disc(12.0, 12.0, 3.3))]),
    (&["wifi", "wi_fi", "network", "internet"], &[
        Disc(12.0, 18.6, 1.9), Arc(12.0, 18.6, 5.4, -45.0, 90.0), Arc(12.0, 18.6, 9.6, -45.0, 90.0),
        Arc(12.0, 18.6, 13.8, -45.0, 90.0)]),
    (&["battery", "battery_full"], &[Box([7.0, 4.0, 17.0, 22.0], 1.6), Box([9.6, 2.0, 14.4, 5.0], 0.8)]),
    (&["signal", "signal_bars", "cellular", "mobile_network"], &[
        Box([2.5, 16.0, 6.0, 21.5], 0.8), Box([7.7, 12.0, 11.2, 21.5], 0.8),
        Box([12.9, 7.5, 16.4, 21.5], 0.8), Box([18.1, 2.5, 21.6, 21.5], 0.8)]),
    (&["chevron_right", "chevron", "right"], &[Line(9.3, 6.2, 15.1, 12.0), Line(15.1, 12.0, 9.3, 17.8)]),
    (&["chevron_left", "left"], &[Line(14.7, 6.2, 8.9, 12.0), Line(8.9, 12.0, 14.7, 17.8)]),
    (&["chevron_down", "expand", "expand_more", "down"], &[
        Line(6.2, 9.3, 12.0, 15.1), Line(12.0, 15.1, 17.8, 9.3)]),
    (&["chevron_up", "collapse", "expand_less", "up"], &[
        Line(6.2, 14.7, 12.0, 8.9), Line(12.0, 8.9, 17.8, 14.7)]),
    (&["dropdown", "spinner", "arrow_drop_down"], &[Poly(&[(7.4, 10.2), (16.6, 10.2), (12.0, 14.8)])]),
    (&["person", "account", "user", "contact", "contacts", "profile"], &[
        Disc(12.0, 8.0, 4.1), Box([4.0, 13.8, 20.0, 27.0], 6.6), Cut(&Box([0.0, 20.2, 24.0, 30.0], 0.0))]),
    (&["home", "house"], &[
        Poly(&[(12.0, 3.6), (21.2, 11.8), (18.6, 11.8), (18.6, 19.8), (14.2, 19.8), (14.2, 14.2), (9.8, 14.2),
            (9.8, 19.8), (5.4, 19.8), (5.4, 11.8), (2.8, 11.8)])]),
    (&["recents", "square", "stop"], &[Frame([5.0, 5.0, 19.0, 19.0], 2.0)]),
    (&["circle", "home_button"], &[Ring(12.0, 12.0, 7.5)]),
    (&["back_button", "triangle"], &[
        Line(16.6, 5.2, 5.6, 12.0), Line(5.6, 12.0, 16.6, 18.8), Line(16.6, 18.8, 16.6, 5.2)]),
    (&["phone", "call", "dialer"], &[
        Poly(&[(3.6, 4.6), (4.4, 3.7), (7.3, 3.7), (8.0, 4.4), (8.6, 7.9), (8.3, 8.7), (6.4, 10.5), (9.1, 14.9),
            (13.5, 17.6), (15.3, 15.7), (16.1, 15.4), (19.6, 16.0), (20.3, 16.7), (20.3, 19.6), (19.4, 20.4),
            (14.0, 19.6), (8.9, 16.8), (7.2, 15.1), (4.4, 10.0)])]),
    (&["message", "sms", "chat", "messages"], &[
        Box([2.5, 3.0, 21.5, 17.5], 2.2), Poly(&[(2.9, 20.8), (2.9, 10.0), (8.0, 15.6)]),
        Cut(&Bar(7.0, 8.0, 17.0, 8.0, 1.7)), Cut(&Bar(7.0, 12.3, 14.0, 12.3, 1.7))]),
    (&["mail", "email", "gmail"], &[
        Box([2.5, 4.5, 21.5, 19.5], 2.2), Cut(&Bar(4.8, 7.7, 12.0, 12.6, 1.7)), Cut(&Bar(12.0, 12.6, 19.2, 7.7, 1.7))]),
    (&["send"], &[Poly(&[(3.0, 20.2), (3.0, 13.8), (14.0, 12.0), (3.0, 10.2), (3.0, 3.8), (21.4, 12.0)])]),
    (&["globe", "web", "browser", "language", "chrome"], &[
        Ring(12.0, 12.0, 9.0), Line(3.2, 12.0, 20.8, 12.0),
        Arc(20.125, 12.0, 12.125, 222.1, 95.8), Arc(3.875, 12.0, 12.125, 42.1, 95.8)]),
    (&["lock", "security", "password", "privacy"], &[
        Box([4.8, 9.6, 19.2, 21.6], 2.0), Arc(12.0, 7.2, 4.0, 270.0, 180.0), Line(8.0, 7.2, 8.0, 10.5),
        Line(16.0, 7.2, 16.0, 10.5), Cut(&Disc(12.0, 15.6, 2.0))]),
    (&["bell", "notification", "notifications", "alert"], &[
        Disc(12.0, 4.2, 1.7), Disc(12.0, 10.5, 6.0), Box([6.0, 10.0, 18.0, 17.4], 0.3),
        Bar(5.2, 17.5, 18.8, 17.5, 1.9), Disc(12.0, 20.2, 2.0)]),
    (&["play", "play_arrow", "start"], &[Poly(&[(8.6, 5.8), (18.4, 12.0), (8.6, 18.2)])]),
    (&["pause"], &[Box([6.0, 5.0, 10.2, 19.0], 0.8), Box([13.8, 5.0, 18.0, 19.0], 0.8)]),
    (&["trash", "delete", "bin"], &[
        Box([6.0, 7.6, 18.0, 21.4], 2.2), Box([6.0, 7.6, 18.0, 12.0], 0.4), Box([4.6, 3.9, 19.4, 6.1], 0.5),
        Box([8.6, 2.6, 15.4, 5.0], 0.8), Cut(&Bar(10.0, 11.4, 10.0, 17.8, 1.5)), Cut(&Bar(14.0, 11.4, 14.0, 17.8, 1.5))]),
    (&["star", "favorite_star", "rating"], &[
        Poly(&[(12.0, 2.9), (14.6, 8.9), (21.1, 9.5), (16.2, 13.8), (17.6, 20.2), (12.0, 16.8), (6.4, 20.2),
            (7.8, 13.8), (2.9, 9.5), (9.4, 8.9)])]),
    (&["heart", "favorite", "like", "health"], &[
        Disc(7.6, 8.8, 4.6), Disc(16.4, 8.8, 4.6),
        Poly(&[(4.0, 11.3), (7.6, 8.4), (12.0, 7.9), (16.4, 8.4), (20.0, 11.3), (12.0, 20.2)])]),
    (&["edit", "pencil", "compose"], &[
        Poly(&[(3.6, 20.4), (3.6, 17.1), (13.8, 6.9), (17.1, 10.2), (6.9, 20.4)]),
        Poly(&[(15.5, 5.2), (17.3, 3.5), (20.5, 6.7), (18.8, 8.5)])]),
    (&["camera", "photo_camera"], &[
        Box([2.0, 5.6, 22.0, 20.0], 2.2), Box([7.6, 3.4, 16.4, 9.0], 1.4), Cut(&Disc(12.0, 12.9, 4.7)), Disc(12.0, 12.9, 3.0)]),
    (&["image", "photo", "gallery", "photos", "picture", "wallpaper"], &[
        Box([3.0, 3.0, 21.0, 21.0], 2.2),
        Cut(&Poly(&[(5.8, 17.6), (9.2, 13.2), (11.4, 15.8), (14.6, 11.6), (18.4, 17.6)])), Cut(&Disc(8.2, 8.4, 1.6))]),
    (&["calendar", "event", "date"], &[
        Box([3.6, 4.2, 20.4, 21.4], 2.2), Box([6.6, 2.4, 8.8, 6.0], 0.8), Box([15.2, 2.4, 17.4, 6.0], 0.8),
        Cut(&Box([5.7, 9.4, 18.3, 19.3], 0.4)), Box([12.6, 13.6, 16.6, 17.6], 0.4)]),
    (&["clock", "time", "alarm", "schedule", "date_time"], &[
        Ring(12.0, 12.0, 9.0), Line(12.0, 7.0, 12.0, 12.4), Line(12.0, 12.4, 15.8, 14.7)]),
    (&["info", "about", "about_phone", "help"], &[
        Disc(12.0, 12.0, 10.0), Cut(&Bar(12.0, 11.6, 12.0, 16.6, 2.2)), Cut(&Disc(12.0, 7.7, 1.4))]),
    (&["warning", "error", "caution"], &[
        Poly(&[(12.0, 3.4), (22.0, 20.4), (2.0, 20.4)]),
        Cut(&Bar(12.0, 10.2, 12.0, 14.2, 2.0)), Cut(&Disc(12.0, 17.5, 1.3))]),
    (&["folder", "files", "file_manager"], &[Box([2.4, 4.4, 12.6, 12.0], 1.8), Box([2.4, 6.6, 21.6, 19.8], 1.8)]),
    (&["storage", "memory", "disk"], &[
        Box([3.0, 4.2, 21.0, 8.6], 1.4), Box([3.0, 9.8, 21.0, 14.2], 1.4), Box([3.0, 15.4, 21.0, 19.8], 1.4),
        Cut(&Disc(6.4, 6.4, 1.0)), Cut(&Disc(6.4, 12.0, 1.0)), Cut(&Disc(6.4, 17.6, 1.0))]),
    (&["location", "pin", "place", "maps", "map"], &[
        Disc(12.0, 9.2, 6.9), Poly(&[(5.9, 11.6), (18.1, 11.6), (12.0, 21.4)]), Cut(&Disc(12.0, 9.2, 2.6))]),
    (&["apps", "grid", "app"], &[
        Box([4.0, 4.0, 8.0, 8.0], 0.8), Box([10.0, 4.0, 14.0, 8.0], 0.8), Box([16.0, 4.0, 20.0, 8.0], 0.8),
        Box([4.0, 10.0, 8.0, 14.0], 0.8), Box([10.0, 10.0, 14.0, 14.0], 0.8), Box([16.0, 10.0, 20.0, 14.0], 0.8),
        Box([4.0, 16.0, 8.0, 20.0], 0.8), Box([10.0, 16.0, 14.0, 20.0], 0.8), Box([16.0, 16.0, 20.0, 20.0], 0.8)]),
    (&["brightness", "sun", "display", "light_mode"], &[
        Disc(12.0, 12.0, 4.6), Line(12.0, 2.5, 12.0, 4.2), Line(12.0, 19.8, 12.0, 21.5), Line(2.5, 12.0, 4.2, 12.0),
        Line(19.8, 12.0, 21.5, 12.0), Line(5.3, 5.3, 6.5, 6.5), Line(17.5, 17.5, 18.7, 18.7),
        Line(18.7, 5.3, 17.5, 6.5), Line(6.5, 17.5, 5.3, 18.7)]),
    (&["moon", "dark_mode", "night", "do_not_disturb"], &[Disc(12.0, 12.0, 9.2), Cut(&Disc(16.4, 8.6, 7.4))]),
    (&["bluetooth", "connected_devices"], &[
        Line(7.0, 7.4, 16.6, 16.4), Line(16.6, 16.4, 12.0, 20.8), Line(12.0, 20.8, 12.0, 3.2),
        Line(12.0, 3.2, 16.6, 7.6), Line(16.6, 7.6, 7.0, 16.6)]),
    (&["airplane", "airplane_mode", "flight"], &[
        Bar(12.0, 3.8, 12.0, 19.0, 2.8), Poly(&[(12.0, 8.6), (21.0, 14.2), (21.0, 15.8), (12.0, 13.2), (3.0, 15.8), (3.0, 14.2)]),
        Poly(&[(12.0, 17.4), (15.6, 20.0), (15.6, 21.2), (12.0, 20.2), (8.4, 21.2), (8.4, 20.0)])]),
    (&["volume", "sound", "speaker", "audio"], &[
        Poly(&[(3.4, 9.6), (7.0, 9.6), (11.4, 5.2), (11.4, 18.8), (7.0, 14.4), (3.4, 14.4)]),
        Arc(11.8, 12.0, 4.2, 45.0, 90.0), Arc(11.8, 12.0, 8.4, 42.0, 96.0)]),
    (&["music", "note", "song"], &[Disc(9.0, 17.4, 3.6), Bar(11.6, 17.4, 11.6, 4.4, 2.0), Box([10.6, 3.4, 17.6, 7.2], 0.6)]),
    (&["mic", "microphone", "voice"], &[
        Bar(12.0, 5.6, 12.0, 11.0, 6.0), Arc(12.0, 11.0, 6.0, 90.0, 180.0), Line(12.0, 17.2, 12.0, 20.8)]),
    (&["refresh", "reload", "sync"], &[
        Arc(12.0, 12.0, 7.0, 106.0, 299.0), Poly(&[(19.6, 4.8), (19.6, 10.6), (13.8, 10.6)])]),
    (&["download", "system_update", "update"], &[
        Line(12.0, 4.0, 12.0, 14.6), Line(12.0, 14.6, 7.4, 10.0), Line(12.0, 14.6, 16.6, 10.0), Line(5.0, 19.6, 19.0, 19.6)]),
    (&["share"], &[
        Disc(18.0, 5.2, 2.9), Disc(6.0, 12.0, 2.9), Disc(18.0, 18.8, 2.9), Line(6.0, 12.0, 18.0, 5.2), Line(6.0, 12.0, 18.0, 18.8)]),
    (&["list", "notes", "document", "note_text"], &[
        Box([4.6, 2.6, 19.4, 21.4], 2.0), Cut(&Bar(8.4, 8.0, 15.6, 8.0, 1.7)), Cut(&Bar(8.4, 12.0, 15.6, 12.0, 1.7)),
        Cut(&Bar(8.4, 16.0, 12.6, 16.0, 1.7))]),
    (&["calculator", "calc"], &[
        Box([4.6, 2.6, 19.4, 21.4], 2.2), Cut(&Box([7.4, 5.4, 16.6, 9.0], 0.5)), Cut(&Disc(8.6, 12.9, 1.3)),
        Cut(&Disc(12.0, 12.9, 1.3)), Cut(&Disc(15.4, 12.9, 1.3)), Cut(&Disc(8.6, 17.2, 1.3)),
        Cut(&Disc(12.0, 17.2, 1.3)), Cut(&Disc(15.4, 17.2, 1.3))]),
    (&["eye", "visibility", "accessibility"], &[
        Poly(&[(2.2, 12.0), (5.0, 8.4), (8.4, 6.2), (12.0, 5.5), (15.6, 6.2), (19.0, 8.4), (21.8, 12.0), (19.0, 15.6),
            (15.6, 17.8), (12.0, 18.5), (8.4, 17.8), (5.0, 15.6)]),
        Cut(&Disc(12.0, 12.0, 4.4)), Disc(12.0, 12.0, 2.6)]),
    (&["cloud", "weather", "backup"], &[
        Disc(7.2, 14.2, 5.0), Disc(12.2, 10.8, 6.0), Disc(17.6, 14.8, 4.4), Box([7.2, 12.0, 17.6, 19.2], 1.0)]),
    (&["store", "shop", "cart", "shopping", "bag"], &[
        Box([4.2, 7.4, 19.8, 21.4], 1.8), Arc(12.0, 7.4, 3.9, 270.0, 180.0), Cut(&Disc(9.0, 11.0, 1.0)), Cut(&Disc(15.0, 11.0, 1.0))]),
    (&["keyboard", "input"], &[
        Box([2.0, 5.0, 22.0, 19.0], 2.0), Cut(&Disc(6.0, 9.2, 1.1)), Cut(&Disc(10.0, 9.2, 1.1)), Cut(&Disc(14.0, 9.2, 1.1)),
        Cut(&Disc(18.0, 9.2, 1.1)), Cut(&Disc(6.0, 12.6, 1.1)), Cut(&Disc(10.0, 12.6, 1.1)), Cut(&Disc(14.0, 12.6, 1.1)),
        Cut(&Disc(18.0, 12.6, 1.1)), Cut(&Bar(8.4, 16.0, 15.6, 16.0, 1.6))]),
];

/// A picture of one colour, drawn at any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Icon {
    /// One of the drawn icons, by its place in the table.
    Drawn(IconIndex),
    /// A letter in a circle: the placeholder for an unknown icon.
    Letter(char),
}

/// The place of an icon in the table; made by [`Icon::by_name`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IconIndex(pub(crate) u8);

impl Icon {
    /// The icon of a name such as `arrow_back`, `ic_search` or `Wifi`. A name
    /// that no icon has becomes its first letter in a circle.
    pub fn by_name(name: &str) -> Self {
        let plain = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        let plain = plain.strip_prefix("ic_").unwrap_or(&plain);
        let row = ROWS.iter().position(|(names, _)| names.contains(&plain));
        let index = row.and_then(|row| u8::try_from(row).ok());
        index.map_or_else(|| Self::Letter(first_letter(name)), |index| Self::Drawn(IconIndex(index)))
    }

    /// The main names of the icons that are drawn.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().filter_map(|(names, _)| names.first().copied())
    }
}

fn first_letter(name: &str) -> char {
    let letter = name.chars().find(|c| c.is_alphanumeric()).or_else(|| name.trim().chars().next());
    letter.and_then(|letter| letter.to_uppercase().next()).unwrap_or('?')
}
