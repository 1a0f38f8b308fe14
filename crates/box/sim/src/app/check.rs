//! Checks an app: every screen, dialog and name that it uses is there, and its
//! sizes are within bounds.

use super::captured::Captured;
use super::effect::{Effect, Failure, NewValue, Reference};
use super::expression::Expression;
use super::spec::App;
use super::template::Template;
use super::widget::{Grid, Web, Widget};
use clawperator_document::{Path, Position, Problems, Report, text, yaml};
use std::collections::BTreeMap;

/// Names that the phone itself has; a dot and more may follow.
const PHONE_NAMES: [&str; 9] =
    ["phone", "battery", "clock", "clipboard", "system", "secure", "global", "prop", "permission"];

/// The largest size of a widget, in dp, and its largest share.
const MAX_DP: u16 = 4_000;
const MAX_WEIGHT: u16 = 1_000;

/// The farthest that a captured element is from the corner, in pixels.
const MAX_EDGE: i32 = 100_000;

/// The most widgets and effects of an app.
const MAX_PARTS: usize = 20_000;

/// Everything that is wrong with an app that has the right form.
pub(super) fn problems(app: &App) -> Problems {
    let mut check = AppCheck { app, locals: Vec::new(), parts: 0, report: Report::default() };
    check.app(&Path::root("the app"));
    check.report.finish()
}

struct AppCheck<'a> {
    app: &'a App,
    /// Names that rows give to their items, and commands to their arguments.
    locals: Vec<String>,
    parts: usize,
    report: Report,
}

impl<'a> AppCheck<'a> {
    fn app(&mut self, at: &Path<'_>) {
        let app = self.app;
        if !is_package_name(&app.package) {
            let message =
                format!("`{}` is not a package name; write two or more words joined by dots", app.package);
            self.report.problem(&at.field("package"), message);
        }
        each(&at.field("activities"), &app.activities, |at, row| self.screen_exists(at, &row.screen));
        self.effects(&at.field("on_start"), &app.on_start);
        each(&at.field("on_intent"), &app.on_intent, |at, rule| {
            rule.into.iter().for_each(|name| self.written_name(at, name));
            self.effects(at, &rule.effects);
        });
        each(&at.field("on_broadcast"), &app.on_broadcast, |at, rule| {
            rule.extras.values().for_each(|name| self.written_name(at, name));
            self.effects(at, &rule.effects);
        });
        self.screens(&at.field("screens"));
        self.dialogs(&at.field("dialogs"));
        self.commands(&at.field("commands"));
    }

    fn screens(&mut self, at: &Path<'_>) {
        for (name, screen) in &self.app.screens {
            let at = &at.field(name);
            self.template(at, "title", screen.title.as_ref());
            self.template(at, "color", screen.color.as_ref());
            self.widgets(&at.field("actions"), &screen.actions);
            self.widgets(&at.field("body"), &screen.body);
            each(&at.field("captured"), &screen.captured, |at, element| self.check_captured(at, element));
            self.widgets(&at.field("footer"), &screen.footer);
            self.widgets(&at.field("fab"), screen.fab.as_slice());
            self.effects(&at.field("on_open"), &screen.on_open);
            self.some_effects(at, "on_back", screen.on_back.as_deref());
            each(&at.field("timers"), &screen.timers, |at, timer| self.effects(at, &timer.effects));
        }
    }

    fn dialogs(&mut self, at: &Path<'_>) {
        for (name, dialog) in &self.app.dialogs {
            let at = &at.field(name);
            self.template(at, "title", dialog.title.as_ref());
            self.template(at, "message", dialog.message.as_ref());
            self.widgets(&at.field("body"), &dialog.body);
            each(&at.field("buttons"), &dialog.buttons, |at, button| {
                self.template(at, "text", Some(&button.text));
                self.template(at, "id", button.id.as_ref());
                self.effects(at, &button.effects);
            });
        }
    }

    fn commands(&mut self, at: &Path<'_>) {
        let arguments = (1..10).map(|number| format!("arg{number}"));
        self.locals.extend(std::iter::once("args".to_owned()).chain(arguments));
        each(at, &self.app.commands, |at, command| {
            self.template(at, "prints", Some(&command.prints));
            self.template(at, "complains", Some(&command.complains));
            self.effects(at, &command.effects);
        });
        self.locals.clear();
    }

    fn widgets(&mut self, at: &Path<'_>, widgets: &'a [Widget]) {
        each(at, widgets, |at, widget| self.widget(at, widget));
    }

    fn check_captured(&mut self, at: &Path<'_>, element: &'a Captured) {
        self.count(at);
        self.some_effects(at, "on_click", element.on_click.as_deref());
        self.some_effects(at, "on_long_click", element.on_long_click.as_deref());
        self.some_effects(at, "on_scroll", element.on_scroll.as_deref());
        if element.at.iter().any(|edge| edge.abs() > MAX_EDGE) {
            let message = format!("must be within {MAX_EDGE} pixels of the top left corner");
            self.report.problem(&at.field("at"), message);
        }
    }

    fn widget(&mut self, at: &Path<'_>, widget: &'a Widget) {
        self.count(at);
        let traits = widget.traits();
        self.at_most(&at.field("width"), traits.width, MAX_DP);
        self.at_most(&at.field("height"), traits.height, MAX_DP);
        self.at_most(&at.field("weight"), traits.weight, MAX_WEIGHT);
        self.template(at, "id", traits.id);
        self.template(at, "desc", traits.desc);
        self.expression(at, "visible", traits.visible);
        self.expression(at, "enabled", traits.enabled);
        self.expression(at, "selected", traits.selected);
        self.some_effects(at, "on_click", traits.on_click);
        self.some_effects(at, "on_long_click", traits.on_long_click);
        self.own_parts(at, widget);
    }

    fn own_parts(&mut self, at: &Path<'_>, widget: &'a Widget) {
        let children = &at.field("children");
        match widget {
            Widget::Column(column) => self.widgets(children, &column.children),
            Widget::Row(row) => self.widgets(children, &row.children),
            Widget::Stack(stack) => self.widgets(children, &stack.children),
            Widget::Card(card) => self.widgets(children, &card.children),
            Widget::List(list) => {
                self.at_most(&at.field("row_height"), Some(list.row_height), MAX_DP);
                self.expression(at, "items", Some(&list.items));
                self.effects(&at.field("on_scroll"), &list.on_scroll);
                self.effects(&at.field("on_end"), &list.on_end);
                self.rows(&at.field("row"), &list.name, &list.row);
            }
            Widget::Grid(grid) => self.grid(at, grid),
            Widget::Tabs(tabs) => {
                self.written_name(at, &tabs.bind);
                each(&at.field("tabs"), &tabs.tabs, |at, tab| {
                    self.template(at, "label", Some(&tab.label));
                    self.template(at, "id", tab.id.as_ref());
                    self.widgets(&at.field("children"), &tab.children);
                });
            }
            Widget::Pager(pager) => {
                self.written_name(at, &pager.bind);
                self.widgets(&at.field("pages"), &pager.pages);
            }
            Widget::Text(text) => {
                self.template(at, "text", Some(&text.text));
                self.template(at, "color", text.color.as_ref());
            }
            Widget::Button(button) => self.template(at, "text", Some(&button.text)),
            Widget::Icon(icon) => {
                self.template(at, "name", Some(&icon.name));
                self.template(at, "color", icon.color.as_ref());
                self.template(at, "disc", icon.disc.as_ref());
            }
            Widget::Image(image) => {
                self.template(at, "color", image.color.as_ref());
                self.template(at, "label", image.label.as_ref());
            }
            Widget::Switch(switch) => {
                self.template(at, "text", Some(&switch.text));
                self.bound(at, &switch.bind, &switch.on_change);
            }
            Widget::Checkbox(checkbox) => {
                self.template(at, "text", Some(&checkbox.text));
                self.bound(at, &checkbox.bind, &checkbox.on_change);
            }
            Widget::Radio(radio) => {
                self.template(at, "text", Some(&radio.text));
                self.template(at, "value", Some(&radio.value));
                self.bound(at, &radio.bind, &radio.on_change);
            }
            Widget::Field(field) => {
                self.written_name(at, &field.bind);
                self.template(at, "hint", field.hint.as_ref());
                self.effects(&at.field("on_text"), &field.on_text);
                self.effects(&at.field("on_submit"), &field.on_submit);
            }
            Widget::Slider(slider) => self.bound(at, &slider.bind, &slider.on_change),
            Widget::Progress(progress) => self.expression(at, "value", progress.value.as_ref()),
            Widget::Web(web) => self.web(at, web),
            Widget::Divider(_) | Widget::Space(_) => {}
        }
    }

    fn web(&mut self, at: &Path<'_>, web: &'a Web) {
        self.template(at, "url", Some(&web.url));
        self.template(at, "title", web.title.as_ref());
        self.template(at, "text", Some(&web.text));
        self.locals.push("link".to_owned());
        self.effects(&at.field("on_link"), &web.on_link);
        self.locals.pop();
    }

    fn grid(&mut self, at: &Path<'_>, grid: &'a Grid) {
        self.at_most(&at.field("row_height"), Some(grid.row_height), MAX_DP);
        if grid.columns == 0 {
            self.report.problem(&at.field("columns"), "must be at least 1".to_owned());
        }
        self.expression(at, "items", Some(&grid.items));
        self.effects(&at.field("on_scroll"), &grid.on_scroll);
        self.rows(&at.field("cell"), &grid.name, &grid.cell);
    }

    fn bound(&mut self, at: &Path<'_>, name: &str, on_change: &'a [Effect]) {
        self.written_name(at, name);
        self.effects(&at.field("on_change"), on_change);
    }

    fn rows(&mut self, at: &Path<'_>, name: &str, row: &'a Widget) {
        self.locals.extend([name.to_owned(), format!("{name}_index")]);
        self.widget(at, row);
        self.locals.truncate(self.locals.len() - 2);
    }

    fn some_effects(&mut self, at: &Path<'_>, field: &str, effects: Option<&'a [Effect]>) {
        self.effects(&at.field(field), effects.unwrap_or_default());
    }

    fn effects(&mut self, at: &Path<'_>, effects: &'a [Effect]) {
        each(at, effects, |at, effect| self.effect(at, effect));
    }

    fn effect(&mut self, at: &Path<'_>, effect: &'a Effect) {
        self.count(at);
        match effect {
            Effect::Set(values) | Effect::Append(values) => {
                values.keys().for_each(|name| self.written_name(at, name));
                self.values(at, values);
            }
            Effect::Toggle(name) => self.written_name(at, name),
            Effect::Remove(places) => {
                for (name, place) in places {
                    self.written_name(at, name);
                    self.expression(at, "remove", Some(place));
                }
            }
            Effect::Open(screen) | Effect::Replace(screen) => self.screen_exists(at, screen),
            Effect::Show(dialog) => self.exists(at, dialog, &self.app.dialogs),
            Effect::Toast(text) | Effect::Clipboard(text) => self.template(at, "text", Some(text)),
            Effect::Snackbar(bar) => {
                self.template(at, "text", Some(&bar.text));
                self.template(at, "action", bar.action.as_ref());
                self.effects(at, &bar.effects);
            }
            Effect::Overlay(overlay) => {
                self.template(at, "text", Some(&overlay.text));
                self.effects(at, &overlay.effects);
            }
            Effect::Start(start) => {
                self.template(at, "package", start.package.as_ref());
                self.template(at, "activity", start.activity.as_ref());
                self.template(at, "action", start.action.as_ref());
                self.template(at, "uri", start.uri.as_ref());
            }
            Effect::Broadcast(broadcast) => {
                self.template(at, "action", Some(&broadcast.action));
                for extra in broadcast.extras.values() {
                    self.template(at, "extras", Some(extra));
                }
            }
            Effect::Notify(notify) => {
                self.template(at, "title", Some(&notify.title));
                self.template(at, "text", Some(&notify.text));
            }
            Effect::AfterMs(after) => self.effects(at, &after.effects),
            Effect::Load(load) => {
                self.written_name(at, &load.into);
                self.value(at, &load.value);
            }
            Effect::If(choice) => {
                self.expression(at, "when", Some(&choice.when));
                self.effects(&at.field("then"), &choice.then);
                self.effects(&at.field("else"), &choice.r#else);
            }
            Effect::Fail(Failure::Crash(text)) => self.template(at, "crash", Some(text)),
            Effect::Log(line) => self.template(at, "text", Some(&line.text)),
            Effect::Permission(request) => {
                self.effects(&at.field("granted"), &request.granted);
                self.effects(&at.field("denied"), &request.denied);
            }
            Effect::Scroll(scroll) => self.expression(at, "row", Some(&scroll.row)),
            Effect::Fail(Failure::NotResponding)
            | Effect::Back
            | Effect::Finish
            | Effect::Home
            | Effect::Dismiss
            | Effect::Focus(_)
            | Effect::HideOverlay
            | Effect::HideKeyboard => {}
        }
    }

    fn values(&mut self, at: &Path<'_>, values: &BTreeMap<String, NewValue>) {
        values.values().for_each(|value| self.value(at, value));
    }

    fn value(&mut self, at: &Path<'_>, value: &NewValue) {
        match value {
            NewValue::Text(template) => self.template(at, "value", Some(template)),
            NewValue::List(list) => list.iter().for_each(|value| self.value(at, value)),
            NewValue::Record(record) => self.values(at, record),
            NewValue::Flag(_) | NewValue::Number(_) => {}
        }
    }

    fn template(&mut self, at: &Path<'_>, field: &str, template: Option<&Template>) {
        if let Some(template) = template {
            let mut names = Vec::new();
            template.names(&mut names);
            self.read_names(&at.field(field), template.position(), &names);
        }
    }

    fn expression(&mut self, at: &Path<'_>, field: &str, expression: Option<&Expression>) {
        if let Some(expression) = expression {
            let mut names = Vec::new();
            expression.names(&mut names);
            self.read_names(&at.field(field), expression.position(), &names);
        }
    }

    /// A name that is read must be the app's, the row's or the phone's.
    fn read_names(&mut self, at: &Path<'_>, position: Option<Position>, names: &[String]) {
        for name in names {
            let first = name.split('.').next().unwrap_or(name);
            let is_local = self.locals.iter().any(|local| local == first);
            if !is_local && !PHONE_NAMES.contains(&first) && !self.has_state(first) {
                self.unknown_name(at, position, first);
            }
        }
    }

    /// A name that is written must be the app's, or a setting.
    fn written_name(&mut self, at: &Path<'_>, name: &str) {
        let first = name.split('.').next().unwrap_or(name);
        let setting = ["system", "secure", "global"].contains(&first) && name.len() > first.len() + 1;
        if !setting && !self.has_state(name) {
            self.unknown_name(at, None, name);
        }
    }

    fn unknown_name(&mut self, at: &Path<'_>, position: Option<Position>, name: &str) {
        let known = self.app.state.keys().chain(self.app.saved.keys());
        let hint = suggestion(name, known.chain(&self.locals));
        let message = format!("the name `{name}` is not defined; define it under `state` or `saved`");
        let problem = self.report.problem(at, message);
        problem.position = position;
        problem.hint = hint;
    }

    fn has_state(&self, name: &str) -> bool {
        self.app.state.contains_key(name) || self.app.saved.contains_key(name)
    }

    fn screen_exists(&mut self, at: &Path<'_>, screen: &Reference) {
        self.exists(at, screen, &self.app.screens);
    }

    /// What is referred to must be defined.
    fn exists<T>(&mut self, at: &Path<'_>, wanted: &Reference, defined: &BTreeMap<String, T>) {
        let name = &wanted.value;
        if !defined.contains_key(name) {
            let known: Vec<_> = defined.keys().map(String::as_str).collect();
            let message = format!("`{name}` is not defined; defined are: {}", known.join(", "));
            let problem = self.report.problem(at, message);
            problem.position = yaml::position_of(wanted);
            problem.hint = suggestion(name, defined.keys());
        }
    }

    fn at_most(&mut self, at: &Path<'_>, value: Option<u16>, most: u16) {
        if let Some(value) = value.filter(|value| *value > most) {
            let message = format!("must be at most {most}, not {value}");
            self.report.problem(at, message);
        }
    }

    fn count(&mut self, at: &Path<'_>) {
        self.parts += 1;
        if self.parts == MAX_PARTS {
            let message = format!("the app has more than {MAX_PARTS} widgets and effects");
            self.report.problem(at, message);
        }
    }
}

/// Visits the elements of a list, each with its path.
fn each<'a, T>(at: &Path<'_>, list: &'a [T], mut visit: impl FnMut(&Path<'_>, &'a T)) {
    for (index, item) in list.iter().enumerate() {
        visit(&at.index(index, "an element"), item);
    }
}

fn suggestion<'k>(name: &str, known: impl Iterator<Item = &'k String>) -> Option<String> {
    let meant = text::closest(name, known.map(String::as_str))?;
    Some(format!("Did you mean \"{meant}\"?"))
}

fn is_package_name(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    name.len() <= 255 && name.contains('.') && name.split('.').all(is_word)
}
