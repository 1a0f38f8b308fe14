//! The apps that come with the simulated phone: they are read, they have what
//! they are there for, and their arithmetic is right.

use clawperator_sim::app::effect::Effect;
use clawperator_sim::app::expression::Names;
use clawperator_sim::app::spec::{KeyboardAct, Screen};
use clawperator_sim::app::value::{AppState, Value};
use clawperator_sim::app::widget::Widget;
use clawperator_sim::app::{self, App};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One app, from its file.
fn read(path: &Path) -> App {
    let text = std::fs::read_to_string(path).unwrap();
    app::parse(&text).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()))
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Every app by its file's name, those that are not installed by default too.
fn every_app() -> BTreeMap<String, App> {
    let folders = ["apps", "apps/extra"].map(|name| std::fs::read_dir(folder(name)).unwrap());
    let paths = folders.into_iter().flatten().map(|file| file.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let named = |path: PathBuf| (path.file_stem().unwrap().to_string_lossy().into_owned(), read(&path));
    paths.map(named).collect()
}

fn builtin(name: &str) -> App {
    read(&folder("apps").join(name).with_extension("yaml"))
}

/// A widget and all that is in it.
fn spread<'a>(widget: &'a Widget, found: &mut Vec<&'a Widget>) {
    found.push(widget);
    let inside: Vec<&Widget> = match widget {
        Widget::Column(it) => it.children.iter().collect(),
        Widget::Row(it) => it.children.iter().collect(),
        Widget::Stack(it) => it.children.iter().collect(),
        Widget::Card(it) => it.children.iter().collect(),
        Widget::List(it) => vec![&*it.row],
        Widget::Grid(it) => vec![&*it.cell],
        Widget::Tabs(it) => it.tabs.iter().flat_map(|tab| &tab.children).collect(),
        Widget::Pager(it) => it.pages.iter().collect(),
        Widget::Text(_)
        | Widget::Button(_)
        | Widget::Icon(_)
        | Widget::Image(_)
        | Widget::Switch(_)
        | Widget::Checkbox(_)
        | Widget::Radio(_)
        | Widget::Field(_)
        | Widget::Slider(_)
        | Widget::Progress(_)
        | Widget::Web(_)
        | Widget::Divider(_)
        | Widget::Space(_) => Vec::new(),
    };
    inside.into_iter().for_each(|widget| spread(widget, found));
}

fn on_screen(screen: &Screen) -> Vec<&Widget> {
    let mut found = Vec::new();
    let parts = screen.body.iter().chain(&screen.actions).chain(&screen.footer);
    parts.chain(&screen.fab).for_each(|widget| spread(widget, &mut found));
    found
}

fn in_app(app: &App) -> Vec<&Widget> {
    let mut found: Vec<_> = app.screens.values().flat_map(on_screen).collect();
    let bodies = app.dialogs.values().flat_map(|dialog| &dialog.body);
    bodies.for_each(|widget| spread(widget, &mut found));
    found
}

/// Names as a process of the app has them; the phone's own are empty.
struct Running(AppState);

impl Names for Running {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        let mut words = name.split('.');
        let first = words.next().and_then(|word| self.0.get(word));
        let value = first.and_then(|first| words.try_fold(first, |value, word| value.part(word)));
        // A setting that was written is kept under its whole name.
        value.or_else(|| self.0.get(name)).map(Cow::Borrowed)
    }
}

impl Running {
    fn new(app: &App) -> Self {
        Self(app.state.clone().into_iter().chain(app.saved.clone()).collect())
    }

    fn text(&self, name: &str) -> String {
        self.0[name].to_string()
    }

    /// Does what changes the state, and waits for nothing.
    fn perform(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Set(values) => {
                    let values = values.iter().map(|(name, to)| (name.clone(), to.value(self)));
                    let values: Vec<_> = values.collect();
                    self.0.extend(values);
                }
                Effect::Toggle(name) => {
                    let on = self.value(name).is_some_and(|value| value.is_true());
                    self.0.insert(name.clone(), Value::Flag(!on));
                }
                Effect::Append(values) => {
                    for (name, value) in values {
                        let value = value.value(self);
                        let Some(Value::List(list)) = self.0.get_mut(name) else {
                            panic!("{name} is no list")
                        };
                        list.push(value);
                    }
                }
                Effect::Remove(places) => {
                    for (name, place) in places {
                        let place = usize::try_from(place.evaluate(self).number().unwrap()).unwrap();
                        let Some(Value::List(list)) = self.0.get_mut(name) else {
                            panic!("{name} is no list")
                        };
                        list.remove(place);
                    }
                }
                Effect::If(choice) if choice.when.evaluate(self).is_true() => self.perform(&choice.then),
                Effect::If(choice) => self.perform(&choice.r#else),
                Effect::AfterMs(after) => self.perform(&after.effects),
                _ => {}
            }
        }
    }

    fn id(&self, widget: &Widget) -> String {
        let id = widget.traits().id;
        id.map_or_else(String::new, |id| id.text(self).into_owned())
    }

    fn click(&mut self, screen: &Screen, id: &str) {
        let widgets = on_screen(screen);
        let widget = widgets.iter().find(|widget| self.id(widget) == id);
        let widget = widget.unwrap_or_else(|| panic!("there is no {id}"));
        self.perform(widget.traits().on_click.unwrap());
    }
}

#[test]
fn every_app_has_a_package_of_its_own_and_a_way_in() {
    let mut packages = BTreeSet::new();
    for (name, app) in every_app() {
        assert!(packages.insert(app.package.clone()), "{name}: {}", app.package);
        assert!(!app.activities.is_empty(), "{name}");
        let names: BTreeSet<_> = app.activities.iter().map(|activity| &activity.name).collect();
        assert_eq!(names.len(), app.activities.len(), "{name} has an activity twice");
        for rule in &app.on_intent {
            let known = rule.activity.as_ref().is_none_or(|name| names.contains(name));
            assert!(known, "{name}: {:?}", rule.activity);
        }
    }
}

#[test]
fn what_is_expected_on_a_phone_is_there() {
    let mut apps = every_app();
    for (name, package, launcher) in [
        ("adbkeyboard", "com.android.adbkeyboard", false),
        ("agentdevice-keyboard", "com.callstack.agentdevice.imehelper", false),
        ("operator-dev", "com.clawperator.operator.dev", true),
        ("browser", "com.clawperator.browser", true),
        ("calculator", "com.google.android.calculator", true),
        ("climate", "com.clawperator.smarthome", true),
        ("conformance", "com.clawperator.conformance", true),
        ("dialer", "com.google.android.dialer", true),
        ("form", "com.clawperator.form", true),
        ("keyboard", "com.google.android.inputmethod.latin", false),
        ("launcher", "com.google.android.apps.nexuslauncher", false),
        ("messenger", "com.clawperator.messenger", true),
        ("operator", "com.clawperator.operator", true),
        ("settings", "com.android.settings", true),
        ("systemui", "com.android.systemui", false),
        ("trouble", "com.clawperator.trouble", true),
    ] {
        let app = apps.remove(name).unwrap();
        assert_eq!(app.package, package);
        let icons = app.activities.iter().filter(|activity| activity.launcher).count();
        assert_eq!(icons, usize::from(launcher), "{name}");
    }
    assert!(apps.is_empty(), "not expected: {:?}", apps.keys());
}

#[test]
fn what_can_be_used_has_an_id_or_lacks_one_on_purpose() {
    for (name, app) in every_app() {
        let without = in_app(&app).into_iter().filter(|widget| {
            let traits = widget.traits();
            let used = matches!(
                widget,
                Widget::Button(_)
                    | Widget::Switch(_)
                    | Widget::Checkbox(_)
                    | Widget::Radio(_)
                    | Widget::Field(_)
                    | Widget::Slider(_)
            );
            (used || traits.on_click.is_some() || traits.on_long_click.is_some()) && traits.id.is_none()
        });
        // One of five OK buttons, and four pictures.
        let expected = if name == "trouble" { 5 } else { 0 };
        assert_eq!(without.count(), expected, "{name}");
    }
}

#[test]
fn settings_is_long_and_opens_where_it_is_told() {
    let app = builtin("settings");
    let titles = |screen: &str| {
        let running = Running::new(&app);
        let widgets = on_screen(&app.screens[screen]);
        let titles = widgets.into_iter().filter_map(|widget| match widget {
            Widget::Text(text) if running.id(widget) == "android:id/title" => Some(&text.text),
            _ => None,
        });
        titles.map(|title| title.text(&running).into_owned()).collect::<Vec<_>>()
    };
    let main = titles("main");
    assert!(main.len() >= 22, "{main:?}");
    assert_eq!(main[..5], ["Network & internet", "Connected devices", "Apps", "Notifications", "Battery"]);
    for title in ["Device name", "Model", "Android version", "Build number", "IP address", "Serial number"] {
        assert!(titles("about").iter().any(|found| found == title), "{title}");
    }
    for (action, screen) in [
        ("android.settings.SETTINGS", "main"),
        ("android.settings.WIFI_SETTINGS", "internet"),
        ("android.intent.action.POWER_USAGE_SUMMARY", "battery"),
        ("android.settings.DEVICE_INFO_SETTINGS", "about"),
        ("android.settings.ACCESSIBILITY_SETTINGS", "accessibility"),
        ("android.settings.APPLICATION_DEVELOPMENT_SETTINGS", "developer"),
    ] {
        let rule = app.on_intent.iter().find(|rule| rule.action == action).unwrap();
        let activity = app.activities.iter().find(|one| Some(&one.name) == rule.activity.as_ref());
        assert_eq!(activity.unwrap().screen.value, screen, "{action}");
    }
}

#[test]
fn settings_makes_a_developer_of_who_clicks_seven_times() {
    let app = builtin("settings");
    let mut running = Running::new(&app);
    for click in 1..=7 {
        running.click(&app.screens["about"], "build_number");
        let developer = running.0.contains_key("global.development_settings_enabled");
        assert_eq!(developer, click == 7, "{click}");
    }
}

#[test]
fn the_calculator_calculates() {
    let app = builtin("calculator");
    for (keys, formula, result) in [
        ("12+30=", "12+30", "42"),
        ("2+3*4=", "2+3×4", "14"),
        ("2*3-10/5=", "2×3−10÷5", "4"),
        ("3-10=", "3−10", "-7"),
        ("3-10=+9=", "-7+9", "2"),
        ("5=", "", "5"),
        ("5+=", "5+", ""),
        ("1+2=7*8=", "7×8", "56"),
        ("007+1=", "7+1", "8"),
        ("128d+1=", "12+1", "13"),
        ("9/0=", "9÷0", "0"),
        ("9/0=3+4=", "3+4", "7"),
        ("12+3c5+5=", "5+5", "10"),
        ("999999999*999999999=", "999999999×999999999", "999999998000000001"),
        // Too large for the calculator: no number is better than a wrong one.
        ("999999999*999999999*99/", "999999999×999999999×99÷", ""),
    ] {
        let mut running = Running::new(&app);
        for key in keys.chars() {
            let id = match key {
                '+' => "op_add",
                '-' => "op_sub",
                '*' => "op_mul",
                '/' => "op_div",
                '=' => "eq",
                'c' => "clr",
                'd' => "del",
                digit => &format!("digit_{digit}"),
            };
            running.click(&app.screens["main"], id);
        }
        let shown = (running.text("prefix"), running.text("entry"));
        assert_eq!(shown, (formula.to_owned(), result.to_owned()), "{keys}");
        assert_eq!(running.text("error").is_empty(), !keys.ends_with(['/']) && keys != "9/0=", "{keys}");
    }
}

#[test]
fn the_browser_goes_back_and_forward() {
    let app = builtin("browser");
    let screen = &app.screens["main"];
    let mut running = Running::new(&app);
    let go = |running: &mut Running, address: &str| {
        running.0.insert("address".to_owned(), address.into());
        running.click(screen, "go_button");
    };
    go(&mut running, "example.com");
    go(&mut running, "tea pots");
    assert_eq!(running.text("page"), "https://www.google.com/search?q=tea pots");
    running.click(screen, "back_button");
    assert_eq!(running.text("page"), "https://example.com");
    running.click(screen, "back_button");
    assert_eq!(running.text("page"), "about:blank");
    running.click(screen, "forward_button");
    assert_eq!(running.text("page"), "https://example.com");
    running.click(&app.screens["tabs"], "new_tab_button");
    assert_eq!(running.text("tabs"), "url: https://example.com, url: about:blank");
}

#[test]
fn the_messenger_keeps_each_conversation() {
    let app = builtin("messenger");
    let chat = &app.screens["chat"];
    let mut running = Running::new(&app);
    let open = |running: &mut Running, key: &str| {
        running.0.insert("current".to_owned(), key.into());
        running.perform(&chat.on_open);
        running.0["thread"].length()
    };
    let before = open(&mut running, "p02");
    running.0.insert("draft".to_owned(), "hello".into());
    running.click(chat, "send_message_button");
    assert_eq!(running.0["thread"].length(), before + 2);
    assert_eq!(open(&mut running, "p03"), before);
    assert_eq!(open(&mut running, "p02"), before + 2);
    assert_eq!(running.0["people"].length(), 30);
}

#[test]
fn the_form_says_what_is_wrong_with_a_login() {
    let app = builtin("form");
    let mut running = Running::new(&app);
    running.click(&app.screens["login"], "button_sign_in");
    assert_eq!(running.text("email_error"), "Enter your e-mail");
    running.0.insert("email".to_owned(), "ada@example.com".into());
    running.0.insert("password".to_owned(), "wrong-password".into());
    running.click(&app.screens["login"], "button_sign_in");
    let errors = (running.text("email_error"), running.text("password_error"));
    assert_eq!(errors, (String::new(), "Wrong password".to_owned()));
}

#[test]
fn trouble_has_a_screen_for_each_trouble() {
    let app = builtin("trouble");
    let screen = |name: &str| &app.screens[name];
    assert!(screen("never_idle").busy && screen("secure").secure && screen("rtl").rtl);
    assert!(screen("changing").timers.iter().any(|timer| timer.repeat));
    assert!(on_screen(screen("deep")).len() > 25);
    let Some(Widget::Grid(grid)) = screen("many").body.first() else { panic!("no grid") };
    assert_eq!((grid.columns, grid.row_height), (50, 7));
    assert_eq!(grid.items.evaluate(&Running::new(&app)).number(), Some(5_000));
}

#[test]
fn the_keyboard_that_is_told_what_to_type_hears_four_broadcasts() {
    let app = builtin("adbkeyboard");
    let heard = app.keyboard.unwrap().broadcasts;
    let heard: Vec<_> = heard.iter().map(|it| (it.action.as_str(), it.does, it.extra.as_str())).collect();
    let expected = [
        ("ADB_INPUT_TEXT", KeyboardAct::Text, "msg"),
        ("ADB_INPUT_B64", KeyboardAct::Base64, "msg"),
        ("ADB_CLEAR_TEXT", KeyboardAct::Clear, ""),
        ("ADB_INPUT_CODE", KeyboardAct::Key, "code"),
    ];
    assert_eq!(heard, expected);
}
