//! The phone by itself: apps start, fingers do something, time passes.

use clawperator_sim::app;
use clawperator_sim::phone::{DumpViews, Intent, Phone, PressLength, key_code};
use clawperator_ui::{Flag, Node, Point, Tree};
use std::sync::Arc;
use std::time::Duration;

const CONFORMANCE: &str = "com.clawperator.conformance";

fn phone() -> Phone {
    let apps: Vec<_> =
        [include_str!("../../apps/conformance.yaml"), include_str!("../../apps/launcher.yaml")]
            .iter()
            .map(|file| Arc::new(app::parse(file).unwrap()))
            .collect();
    Phone::new(Duration::from_secs(1_767_225_600), &apps)
}

fn tree(phone: &Phone) -> Tree {
    phone.dump(DumpViews::All).unwrap()
}

fn node(tree: &Tree, id: &str) -> Option<Node> {
    let wanted = format!("{CONFORMANCE}:id/{id}");
    let mut nodes = tree.nodes().map(|(_, node)| node);
    nodes.find(|node| node.resource_id.as_deref() == Some(&wanted)).cloned()
}

fn tap(phone: &mut Phone, id: &str) {
    phone.tap(node(&tree(phone), id).unwrap().bounds.center());
}

#[test]
fn a_click_changes_the_screen() {
    let mut phone = phone();
    phone.start(&Intent::launch(CONFORMANCE)).unwrap();
    assert_eq!(node(&tree(&phone), "txt_counter").unwrap().text, "Counter: 0");
    tap(&mut phone, "btn_increment");
    tap(&mut phone, "btn_increment");
    assert_eq!(node(&tree(&phone), "txt_counter").unwrap().text, "Counter: 2");
    assert!(!node(&tree(&phone), "tgl_enabled").unwrap().flags.has(Flag::Checked));
    tap(&mut phone, "tgl_enabled");
    assert!(node(&tree(&phone), "tgl_enabled").unwrap().flags.has(Flag::Checked));
}

#[test]
fn a_list_has_only_the_rows_that_are_seen() {
    let mut phone = phone();
    phone.start(&Intent::launch(CONFORMANCE)).unwrap();
    tap(&mut phone, "btn_open_list");
    let before = tree(&phone);
    assert!(node(&before, "row_0").is_some() && node(&before, "row_40").is_none());
    // Slow enough not to be thrown.
    for _ in 0..40 {
        phone.swipe(Point::new(500, 2000), Point::new(500, 700), 3_000);
    }
    let after = tree(&phone);
    assert!(node(&after, "row_0").is_none() && node(&after, "row_199").is_some());
    tap(&mut phone, "row_199");
    assert_eq!(node(&tree(&phone), "txt_selected_row").unwrap().text, "Selected row: 199");
    phone.back();
    assert!(node(&tree(&phone), "row_199").is_some());
}

#[test]
fn force_stop_forgets_what_only_the_process_knew() {
    let mut phone = phone();
    phone.start(&Intent::launch(CONFORMANCE)).unwrap();
    tap(&mut phone, "btn_increment");
    phone.force_stop(CONFORMANCE);
    assert_ne!(phone.front_package(), Some(CONFORMANCE));
    phone.start(&Intent::launch(CONFORMANCE)).unwrap();
    assert_eq!(node(&tree(&phone), "txt_counter").unwrap().text, "Counter: 0");
}

#[test]
fn a_dump_comes_back_through_its_reader() {
    let mut phone = phone();
    phone.start(&Intent::launch(CONFORMANCE)).unwrap();
    let written = clawperator_ui::write(&tree(&phone), clawperator_ui::Attributes::Usual);
    assert_eq!(clawperator_ui::read(&written).unwrap(), tree(&phone));
}

#[test]
fn a_picture_has_the_screen_s_size_and_is_always_the_same() {
    let mut phone = phone();
    phone.start(&Intent::launch(CONFORMANCE)).unwrap();
    let picture = phone.picture().unwrap();
    assert_eq!((picture.width(), picture.height()), (1080, 2400));
    assert!(picture.pixels() == phone.picture().unwrap().pixels());
}

#[test]
fn a_bubble_takes_the_click_and_no_dump_tells_of_it() {
    let apps = clawperator_sim::builtin::apps();
    let mut phone = Phone::new(Duration::ZERO, apps);
    phone.start(&Intent::launch("com.clawperator.trouble")).unwrap();
    phone.swipe(Point::new(500, 2000), Point::new(500, 800), 3_000);
    let tree = phone.dump(DumpViews::All).unwrap();
    let row = tree.nodes().find(|(_, node)| node.text == "Overlay").unwrap().1.bounds.center();
    phone.tap(row);
    assert_eq!(phone.overlay_package(), Some("com.clawperator.trouble"));
    assert_eq!(phone.dump(DumpViews::All).unwrap(), tree);
    phone.go_home();
    let home = phone.dump(DumpViews::All).unwrap();
    phone.tap(Point::new(1080 - 21 - 70, 800 + 70));
    assert_eq!(phone.overlay_package(), None);
    assert_eq!(phone.dump(DumpViews::All).unwrap(), home);
}

/// The colour in the middle of an element, as red, green and blue.
fn color_of(phone: &Phone, desc: &str) -> [u8; 3] {
    let tree = tree(phone);
    let (_, node) = tree.nodes().find(|(_, node)| node.content_desc == desc).unwrap();
    let Point { x, y } = node.bounds.center();
    let picture = phone.picture().unwrap();
    let at = (y as usize * picture.width() as usize + x as usize) * 4;
    [0, 1, 2].map(|part| picture.pixels()[at + part])
}

#[test]
fn recents_show_what_an_app_shows_and_nothing_of_a_secure_screen() {
    let mut phone = phone();
    for (name, secure) in [("open", false), ("closed", true)] {
        let file = format!(
            "package: com.example.{name}\nlabel: {name}\nactivities: [{{name: .Main, screen: main, launcher: true}}]\n\
             screens: {{main: {{color: \"#c80000\", secure: {secure}, body: []}}}}\n"
        );
        phone.install(Arc::new(app::parse(&file).unwrap()));
        phone.start(&Intent::launch(&format!("com.example.{name}"))).unwrap();
    }
    phone.press(key_code("APP_SWITCH").unwrap(), PressLength::Short);
    assert_eq!(color_of(&phone, "open"), [200, 0, 0]);
    assert_ne!(color_of(&phone, "closed"), [200, 0, 0]);
}

#[test]
fn every_app_is_on_the_home_screen_once() {
    let phone = phone();
    let tree = tree(&phone);
    let icons = tree.nodes().filter(|(_, node)| {
        node.resource_id.as_deref() == Some("com.google.android.apps.nexuslauncher:id/icon")
    });
    let mut shown: Vec<_> = icons.map(|(_, node)| node.text.clone()).collect();
    shown.sort();
    let apps = phone.packages.values().filter(|package| package.launcher().is_some());
    let mut wanted: Vec<_> = apps.map(|package| package.app.label.clone()).collect();
    wanted.sort();
    assert_eq!(shown, wanted);
}

#[test]
fn lists_are_drawn_on_under_the_handle_and_end_above_it_in_the_tree() {
    let mut phone = Phone::new(Duration::from_secs(1_767_225_600), clawperator_sim::builtin::apps());
    for package in ["com.clawperator.messenger", "com.android.settings"] {
        phone.start(&Intent::launch(package)).unwrap();
        let picture = phone.picture().unwrap();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let content = 2400 - 63;
        // Left of the handle; what is at the side has nothing on it.
        let pixel = |x: usize, y: usize| &picture.pixels()[(y * width + x) * 4..][..3];
        let drawn = |y: usize| (30..350).any(|x| pixel(x, y) != pixel(1, y));
        assert!((content..height).any(drawn), "{package}");
        let tree = tree(&phone);
        let mut leaves = tree.nodes().filter(|(_, node)| !node.text.is_empty());
        assert!(leaves.all(|(_, node)| node.bounds.bottom <= content as i32));
    }
}
