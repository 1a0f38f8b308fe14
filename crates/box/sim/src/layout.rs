//! Lays a screen out: widgets and state become views with places.
//!
//! Reads the phone and the app, changes neither.

mod captured;
mod control;
mod dialog;
mod frame;
mod measure;
mod place;
mod rows;
mod web;

pub(crate) use dialog::dialog;
pub(crate) use frame::screen;

use crate::app::App;
use crate::app::expression::Expression;
use crate::app::template::Template;
use crate::app::value::{AppState, Value};
use crate::app::widget::{Traits, Widget};
use crate::phone::Phone;
use crate::phone::task::ScreenState;
use crate::scope::Scope;
use crate::view::{Acts, Appearance, Click, Locals, Rgba, View, ViewKey, overlap};
use clawperator_ui::{Bounds, Flag, Flags};
use std::borrow::Cow;

pub(crate) const MAX_VIEWS: usize = 20_000;

/// As many lines as words of a bar or a dialog may take.
const MANY_LINES: u16 = 40;

/// A size in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ViewSize {
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// Everything a screen is laid out from.
pub(crate) struct Layout<'a, 'p> {
    pub(crate) phone: &'p Phone,
    pub(crate) app: &'a App,
    pub(crate) state: &'p AppState,
    pub(crate) screen: &'p ScreenState,
    /// Whether the screen is written from right to left.
    pub(crate) rtl: bool,
    /// Names that rows have given, innermost last.
    pub(crate) locals: Locals,
    /// How many views there are already.
    pub(crate) views: usize,
}

impl<'a> Layout<'a, '_> {
    pub(crate) fn px(&self, dp: u16) -> i32 {
        self.phone.display.px(dp)
    }

    pub(crate) fn text(&self, template: Option<&Template>) -> String {
        template.map(|template| template.text(&self.scope()).into_owned()).unwrap_or_default()
    }

    pub(crate) fn is_true(&self, expression: Option<&Expression>, otherwise: bool) -> bool {
        expression.map_or(otherwise, |expression| expression.evaluate(&self.scope()).is_true())
    }

    pub(crate) fn bound(&self, name: &str) -> Value {
        use crate::app::expression::Names;
        self.scope().value(name).map_or(Value::EMPTY, Cow::into_owned)
    }

    pub(crate) fn color(&self, template: Option<&Template>) -> Option<Rgba> {
        parse_color(&template?.text(&self.scope()))
    }

    fn scope(&self) -> Scope<'_> {
        Scope { phone: self.phone, state: self.state, locals: &self.locals }
    }

    /// A resource id as the phone says it.
    pub(crate) fn resource_id(&self, id: &str) -> String {
        match id {
            "" => String::new(),
            id if id.contains(':') => id.to_owned(),
            id => format!("{}:id/{id}", self.app.package),
        }
    }

    /// A view with what every widget has.
    fn view(&self, key: ViewKey, traits: &Traits<'a>, bounds: Bounds) -> View<'a> {
        let enabled = self.is_true(traits.enabled, true);
        let click = traits.on_click.map_or(Click::Nothing, Click::Effects);
        let clickable = traits.on_click.is_some();
        View {
            key,
            class: Cow::Borrowed(traits.class.unwrap_or_default()),
            id: self.resource_id(&self.text(traits.id)),
            desc: self.text(traits.desc),
            flags: Flags::default()
                .with(Flag::Enabled, enabled)
                .with(Flag::Clickable, clickable)
                .with(Flag::Focusable, clickable)
                .with(Flag::LongClickable, traits.on_long_click.is_some())
                .with(Flag::Selected, self.is_true(traits.selected, false)),
            rtl: self.rtl,
            bounds,
            acts: Acts {
                click: if enabled { click } else { Click::Nothing },
                long_click: traits.on_long_click.filter(|_| enabled),
                locals: self.locals.clone(),
            },
            ..View::default()
        }
    }

    /// Tells whether a widget is on the screen at all.
    fn is_there(&self, widget: &Widget) -> bool {
        self.is_true(widget.traits().visible, true)
    }
}

/// Works out what of each view can be seen: it is inside all it is in.
pub(crate) fn clip(view: &mut View<'_>, within: Bounds) {
    view.visible = overlap(view.bounds, within);
    let visible = view.visible;
    view.children.iter_mut().for_each(|child| clip(child, visible));
}

/// A colour as it is written, `#rrggbb` or `#rrggbbaa`.
pub(crate) fn parse_color(text: &str) -> Option<Rgba> {
    let digits = text.strip_prefix('#')?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        6 => Some(number << 8 | 0xff),
        8 => Some(number),
        _ => None,
    }
}

/// A view and the room it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) key: ViewKey,
    pub(crate) bounds: Bounds,
}

/// A view that only holds others.
pub(crate) fn group<'a>(
    key: ViewKey,
    class: &'static str,
    bounds: Bounds,
    children: Vec<View<'a>>,
) -> View<'a> {
    View {
        key,
        class: Cow::Borrowed(class),
        flags: Flags::default().with(Flag::Enabled, true),
        bounds,
        look: Appearance::Clear,
        children,
        ..View::default()
    }
}
