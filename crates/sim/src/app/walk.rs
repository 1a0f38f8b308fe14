//! Goes through a whole app file and finds what it speaks of and does not have.

use super::captured::Captured;
use super::effect::{Effect, Failure, NewValue, Reference};
use super::expression::Expression;
use super::load::AppProblem;
use super::place::Place;
use super::spec::App;
use super::template::Template;
use super::widget::Widget;
use std::collections::BTreeMap;

/// Names that the phone itself has; a dot and more may follow.
const PHONE_NAMES: [&str; 9] = [
    "phone",
    "battery",
    "clock",
    "clipboard",
    "system",
    "secure",
    "global",
    "prop",
    "permission",
];

/// The largest size of a widget, in dp, and its largest share.
const MAX_DP: u16 = 4_000;
const MAX_WEIGHT: u16 = 1_000;

/// The farthest that a captured element is from the corner, in pixels.
const MAX_PLACE: i32 = 100_000;

/// The most widgets and effects of an app.
const MAX_PARTS: usize = 20_000;

/// Everything that is wrong with an app beyond its form.
pub(super) fn problems(app: &App) -> Vec<AppProblem> {
    let mut walk = Walk {
        app,
        locals: Vec::new(),
        path: String::new(),
        parts: 0,
        problems: Vec::new(),
    };
    walk.app();
    walk.problems
}

struct Walk<'a> {
    app: &'a App,
    /// Names that rows give to their items.
    locals: Vec<String>,
    path: String,
    parts: usize,
    problems: Vec<AppProblem>,
}

impl<'a> Walk<'a> {
    fn app(&mut self) {
        let app = self.app;
        if !is_package_name(&app.package) {
            let message = format!(
                "`{}` is no package name: two or more words with dots between them",
                app.package
            );
            self.problem("package", message);
        }
        for (number, activity) in app.activities.iter().enumerate() {
            self.under(&format!("activities[{number}]"), |walk| {
                walk.screen_exists(&activity.screen);
            });
        }
        self.under("on_start", |walk| walk.effects(&app.on_start));
        for (number, rule) in app.on_intent.iter().enumerate() {
            self.under(&format!("on_intent[{number}]"), |walk| {
                walk.into(rule.into.as_deref());
                walk.effects(&rule.effects);
            });
        }
        for (number, rule) in app.on_broadcast.iter().enumerate() {
            self.under(&format!("on_broadcast[{number}]"), |walk| {
                rule.extras.values().for_each(|name| walk.into(Some(name)));
                walk.effects(&rule.effects);
            });
        }
        self.screens();
        self.dialogs();
        self.commands();
    }

    fn screens(&mut self) {
        for (name, screen) in &self.app.screens {
            self.under(&format!("screens.{name}"), |walk| {
                walk.templates(&[("title", screen.title.as_ref()), ("color", screen.color.as_ref())]);
                walk.widgets("actions", &screen.actions);
                walk.widgets("body", &screen.body);
                for (number, element) in screen.captured.iter().enumerate() {
                    walk.under(&format!("captured[{number}]"), |walk| walk.captured(element));
                }
                walk.widgets("footer", &screen.footer);
                walk.widgets("fab", screen.fab.as_slice());
                walk.under("on_open", |walk| walk.effects(&screen.on_open));
                walk.under("on_back", |walk| {
                    walk.effects(screen.on_back.as_deref().unwrap_or_default());
                });
                for (number, timer) in screen.timers.iter().enumerate() {
                    walk.under(&format!("timers[{number}]"), |walk| walk.effects(&timer.effects));
                }
            });
        }
    }

    fn dialogs(&mut self) {
        for (name, dialog) in &self.app.dialogs {
            self.under(&format!("dialogs.{name}"), |walk| {
                walk.templates(&[
                    ("title", dialog.title.as_ref()),
                    ("message", dialog.message.as_ref()),
                ]);
                walk.widgets("body", &dialog.body);
                for (number, button) in dialog.buttons.iter().enumerate() {
                    walk.under(&format!("buttons[{number}]"), |walk| {
                        walk.templates(&[("text", Some(&button.text)), ("id", button.id.as_ref())]);
                        walk.effects(&button.effects);
                    });
                }
            });
        }
    }

    fn commands(&mut self) {
        let arguments = (1..10).map(|number| format!("arg{number}"));
        self.locals
            .extend(std::iter::once("args".to_owned()).chain(arguments));
        for (number, command) in self.app.commands.iter().enumerate() {
            self.under(&format!("commands[{number}]"), |walk| {
                walk.templates(&[
                    ("prints", Some(&command.prints)),
                    ("complains", Some(&command.complains)),
                ]);
                walk.effects(&command.effects);
            });
        }
        self.locals.clear();
    }

    fn widgets(&mut self, list: &str, widgets: &'a [Widget]) {
        for (number, widget) in widgets.iter().enumerate() {
            self.under(&format!("{list}[{number}]"), |walk| walk.widget(widget));
        }
    }

    fn captured(&mut self, element: &'a Captured) {
        self.count();
        for (field, effects) in [
            ("on_click", &element.on_click),
            ("on_long_click", &element.on_long_click),
            ("on_scroll", &element.on_scroll),
        ] {
            self.under(field, |walk| walk.effects(effects.as_deref().unwrap_or_default()));
        }
        if element.at.iter().any(|edge| edge.abs() > MAX_PLACE) {
            self.problem("at", format!("farther than {MAX_PLACE} from the corner"));
        }
    }

    fn widget(&mut self, widget: &'a Widget) {
        self.count();
        let traits = widget.traits();
        for (field, value, most) in [
            ("width", traits.width, MAX_DP),
            ("height", traits.height, MAX_DP),
            ("weight", traits.weight, MAX_WEIGHT),
        ] {
            if value.is_some_and(|value| value > most) {
                self.problem(field, format!("more than {most}"));
            }
        }
        self.templates(&[("id", traits.id), ("desc", traits.desc)]);
        for (name, expression) in [
            ("visible", traits.visible),
            ("enabled", traits.enabled),
            ("selected", traits.selected),
        ] {
            self.expression(name, expression);
        }
        self.under("on_click", |walk| {
            walk.effects(traits.on_click.unwrap_or_default());
        });
        self.under("on_long_click", |walk| {
            walk.effects(traits.on_long_click.unwrap_or_default());
        });
        self.own_parts(widget);
    }

    fn own_parts(&mut self, widget: &'a Widget) {
        match widget {
            Widget::Column(column) => self.widgets("children", &column.children),
            Widget::Row(row) => self.widgets("children", &row.children),
            Widget::Stack(stack) => self.widgets("children", &stack.children),
            Widget::Card(card) => self.widgets("children", &card.children),
            Widget::List(list) => {
                self.row_height(list.row_height);
                self.expression("items", Some(&list.items));
                self.under("on_scroll", |walk| walk.effects(&list.on_scroll));
                self.under("on_end", |walk| walk.effects(&list.on_end));
                self.rows(&list.name, "row", &list.row);
            }
            Widget::Grid(grid) => {
                self.row_height(grid.row_height);
                if grid.columns == 0 {
                    self.problem("columns", "a grid has at least one column".to_owned());
                }
                self.expression("items", Some(&grid.items));
                self.under("on_scroll", |walk| walk.effects(&grid.on_scroll));
                self.rows(&grid.name, "cell", &grid.cell);
            }
            Widget::Tabs(tabs) => {
                self.bind(&tabs.bind);
                for (number, tab) in tabs.tabs.iter().enumerate() {
                    self.under(&format!("tabs[{number}]"), |walk| {
                        walk.templates(&[("label", Some(&tab.label)), ("id", tab.id.as_ref())]);
                        walk.widgets("children", &tab.children);
                    });
                }
            }
            Widget::Pager(pager) => {
                self.bind(&pager.bind);
                self.widgets("pages", &pager.pages);
            }
            Widget::Text(text) => {
                self.templates(&[("text", Some(&text.text)), ("color", text.color.as_ref())]);
            }
            Widget::Button(button) => self.templates(&[("text", Some(&button.text))]),
            Widget::Icon(icon) => {
                self.templates(&[("name", Some(&icon.name)), ("color", icon.color.as_ref())]);
                self.templates(&[("disc", icon.disc.as_ref())]);
            }
            Widget::Image(image) => {
                self.templates(&[("color", image.color.as_ref()), ("label", image.label.as_ref())]);
            }
            Widget::Switch(switch) => self.bound(&switch.bind, &switch.text, &switch.on_change),
            Widget::Checkbox(checkbox) => self.bound(&checkbox.bind, &checkbox.text, &checkbox.on_change),
            Widget::Radio(radio) => {
                self.bound(&radio.bind, &radio.text, &radio.on_change);
                self.templates(&[("value", Some(&radio.value))]);
            }
            Widget::Field(field) => {
                self.bind(&field.bind);
                self.templates(&[("hint", field.hint.as_ref())]);
                self.under("on_text", |walk| walk.effects(&field.on_text));
                self.under("on_submit", |walk| walk.effects(&field.on_submit));
            }
            Widget::Slider(slider) => {
                self.bind(&slider.bind);
                self.under("on_change", |walk| walk.effects(&slider.on_change));
            }
            Widget::Progress(progress) => self.expression("value", progress.value.as_ref()),
            Widget::Web(web) => self.templates(&[("url", Some(&web.url)), ("text", Some(&web.text))]),
            Widget::Divider(_) | Widget::Space(_) => {}
        }
    }

    fn bound(&mut self, bind: &str, text: &Template, effects: &'a [Effect]) {
        self.bind(bind);
        self.templates(&[("text", Some(text))]);
        self.under("on_change", |walk| walk.effects(effects));
    }

    fn row_height(&mut self, height: u16) {
        if height > MAX_DP {
            self.problem("row_height", format!("more than {MAX_DP}"));
        }
    }

    fn rows(&mut self, name: &str, part: &str, row: &'a Widget) {
        self.locals.extend([name.to_owned(), format!("{name}_index")]);
        self.under(part, |walk| walk.widget(row));
        self.locals.truncate(self.locals.len() - 2);
    }

    fn effects(&mut self, effects: &'a [Effect]) {
        for (number, effect) in effects.iter().enumerate() {
            self.under(&format!("[{number}]"), |walk| walk.effect(effect));
        }
    }

    fn effect(&mut self, effect: &'a Effect) {
        self.count();
        match effect {
            Effect::Set(values) | Effect::Append(values) => {
                values.keys().for_each(|name| self.bind(name));
                self.values(values);
            }
            Effect::Toggle(name) => self.bind(name),
            Effect::Remove(places) => {
                places.keys().for_each(|name| self.bind(name));
                places
                    .values()
                    .for_each(|place| self.expression("remove", Some(place)));
            }
            Effect::Open(screen) | Effect::Replace(screen) => self.screen_exists(screen),
            Effect::Show(dialog) => self.dialog_exists(dialog),
            Effect::Toast(text) | Effect::Clipboard(text) => self.templates(&[("text", Some(text))]),
            Effect::Snackbar(bar) => {
                self.templates(&[("text", Some(&bar.text)), ("action", bar.action.as_ref())]);
                self.effects(&bar.effects);
            }
            Effect::Overlay(overlay) => {
                self.templates(&[("text", Some(&overlay.text))]);
                self.effects(&overlay.effects);
            }
            Effect::Start(start) => self.templates(&[
                ("package", start.package.as_ref()),
                ("activity", start.activity.as_ref()),
                ("action", start.action.as_ref()),
                ("uri", start.uri.as_ref()),
            ]),
            Effect::Broadcast(broadcast) => {
                self.templates(&[("action", Some(&broadcast.action))]);
                broadcast
                    .extras
                    .values()
                    .for_each(|extra| self.templates(&[("extras", Some(extra))]));
            }
            Effect::Notify(notify) => {
                self.templates(&[("title", Some(&notify.title)), ("text", Some(&notify.text))]);
            }
            Effect::AfterMs(after) => self.effects(&after.effects),
            Effect::Load(load) => {
                self.bind(&load.into);
                self.value(&load.value);
            }
            Effect::If(choice) => {
                self.expression("when", Some(&choice.when));
                self.under("then", |walk| walk.effects(&choice.then));
                self.under("else", |walk| walk.effects(&choice.r#else));
            }
            Effect::Fail(Failure::Crash(text)) => self.templates(&[("crash", Some(text))]),
            Effect::Log(line) => self.templates(&[("text", Some(&line.text))]),
            Effect::Permission(request) => {
                self.under("granted", |walk| walk.effects(&request.granted));
                self.under("denied", |walk| walk.effects(&request.denied));
            }
            Effect::Scroll(scroll) => self.expression("row", Some(&scroll.row)),
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

    fn values(&mut self, values: &BTreeMap<String, NewValue>) {
        values.values().for_each(|value| self.value(value));
    }

    fn value(&mut self, value: &NewValue) {
        match value {
            NewValue::Text(template) => self.templates(&[("value", Some(template))]),
            NewValue::List(list) => list.iter().for_each(|value| self.value(value)),
            NewValue::Record(record) => self.values(record),
            NewValue::Flag(_) | NewValue::Number(_) => {}
        }
    }

    fn templates(&mut self, templates: &[(&str, Option<&Template>)]) {
        for (field, template) in templates {
            let mut names = Vec::new();
            template.iter().for_each(|template| template.names(&mut names));
            let place = template.map(Template::place).unwrap_or_default();
            names.iter().for_each(|name| self.known((field, place), name));
        }
    }

    fn expression(&mut self, field: &str, expression: Option<&Expression>) {
        let mut names = Vec::new();
        expression
            .iter()
            .for_each(|expression| expression.names(&mut names));
        let place = expression.map(Expression::place).unwrap_or_default();
        names.iter().for_each(|name| self.known((field, place), name));
    }

    /// A name that is read must mean something.
    fn known(&mut self, (field, place): (&str, Place), name: &str) {
        let first = name.split('.').next().unwrap_or(name);
        let local = self.locals.iter().any(|local| local == first);
        if !local && !PHONE_NAMES.contains(&first) && !self.has_state(first) {
            let message = format!("nothing is called `{first}`; names are given under `state` or `saved`");
            let path = join(&self.path, field);
            self.problems.push(AppProblem::at(place, &path, message));
        }
    }

    /// A name that is written must be the app's, or a setting.
    fn bind(&mut self, name: &str) {
        let first = name.split('.').next().unwrap_or(name);
        let setting = ["system", "secure", "global"].contains(&first) && name.len() > first.len() + 1;
        if !setting && !self.has_state(name) {
            self.problem(
                "",
                format!("nothing is called `{name}`; names are given under `state` or `saved`"),
            );
        }
    }

    fn into(&mut self, name: Option<&str>) {
        name.into_iter().for_each(|name| self.bind(name));
    }

    fn has_state(&self, name: &str) -> bool {
        self.app.state.contains_key(name) || self.app.saved.contains_key(name)
    }

    fn screen_exists(&mut self, screen: &Reference) {
        if !self.app.screens.contains_key(&screen.value) {
            self.missing("screen", screen, self.app.screens.keys());
        }
    }

    fn dialog_exists(&mut self, dialog: &Reference) {
        if !self.app.dialogs.contains_key(&dialog.value) {
            self.missing("dialog", dialog, self.app.dialogs.keys());
        }
    }

    fn missing<'k>(&mut self, what: &str, wanted: &Reference, known: impl Iterator<Item = &'k String>) {
        let known: Vec<_> = known.map(String::as_str).collect();
        let message = format!(
            "there is no {what} `{}`; there are: {}",
            wanted.value,
            known.join(", ")
        );
        self.problems
            .push(AppProblem::at(Place::of(wanted.referenced), &self.path, message));
    }

    fn problem(&mut self, field: &str, message: String) {
        let path = join(&self.path, field);
        self.problems.push(AppProblem::whole(&path, message));
    }

    fn count(&mut self) {
        self.parts += 1;
        if self.parts == MAX_PARTS {
            self.problem("", format!("more than {MAX_PARTS} widgets and effects"));
        }
    }

    fn under(&mut self, part: &str, walk: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path = join(&self.path, part);
        walk(self);
        self.path.truncate(length);
    }
}

fn join(path: &str, part: &str) -> String {
    match (path, part) {
        ("", part) => part.to_owned(),
        (path, "") => path.to_owned(),
        (path, part) if part.starts_with('[') => format!("{path}{part}"),
        (path, part) => format!("{path}.{part}"),
    }
}

fn is_package_name(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && word
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    name.len() <= 255 && name.contains('.') && name.split('.').all(is_word)
}
