//! Dumps of the phone beside dumps of real ones.

use clawperator_sim::phone::{DumpViews, Intent, Phone};
use std::path::Path;
use std::time::Duration;

/// The attributes of a node, in order, as the phones of API 34 write them.
const ATTRIBUTES: [&str; 17] = [
    "index",
    "text",
    "resource-id",
    "class",
    "package",
    "content-desc",
    "checkable",
    "checked",
    "clickable",
    "enabled",
    "focusable",
    "focused",
    "scrollable",
    "long-clickable",
    "password",
    "selected",
    "bounds",
];

/// The attributes of every node of a dump.
fn attributes(dump: &str) -> Vec<Vec<&str>> {
    let nodes = dump.split("<node ").skip(1);
    nodes
        .map(|node| {
            let tag = &node[..node.find('>').unwrap_or(node.len())];
            // Every second piece between quotes is a value.
            let names = tag.split('"').step_by(2);
            names.filter_map(|name| name.trim().strip_suffix('=')).collect()
        })
        .collect()
}

fn check(dump: &str, what: &str) {
    for names in attributes(dump) {
        let names: Vec<_> = names.into_iter().filter(|name| *name != "NAF").collect();
        assert_eq!(names, ATTRIBUTES, "{what}");
    }
}

#[test]
fn dumps_have_the_attributes_of_real_ones() {
    let apps = clawperator_sim::builtin::apps();
    let mut phone = Phone::new(Duration::from_secs(1_767_225_600), apps);
    let mut seen = 0;
    for app in apps {
        if phone.start(&Intent::launch(&app.package)).is_ok() {
            for views in [DumpViews::All, DumpViews::Important] {
                let tree = phone.dump(views).unwrap();
                let dump = clawperator_ui::write(&tree, clawperator_ui::Attributes::Usual);
                check(&dump, &app.package);
                assert_eq!(clawperator_ui::read(&dump).unwrap(), tree);
                seen += tree.len();
            }
        }
    }
    assert!(seen > 500, "{seen} nodes");
    // Where real dumps are at hand, they are held to the same list.
    let real =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/phone/dumps/001-auto-mobile.xml");
    if let Ok(dump) = std::fs::read_to_string(real) {
        check(&dump, "a real phone");
    }
}

#[test]
fn a_compressed_dump_leaves_out_what_only_holds_others() {
    let mut phone = Phone::new(Duration::ZERO, clawperator_sim::builtin::apps());
    phone.start(&Intent::launch("com.android.settings")).unwrap();
    let (all, important) = (phone.dump(DumpViews::All).unwrap(), phone.dump(DumpViews::Important).unwrap());
    assert!(important.len() < all.len());
    let texts = |tree: &clawperator_ui::Tree| {
        tree.nodes().map(|(_, node)| node.text.clone()).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&important), texts(&all));
}
