//! Tests of `phone/properties.rs`.

use clawperator_sim::phone::Properties;

/// They are searched by halves, so one that stands out of order is not found.
#[test]
fn properties_stand_in_order() {
    let list = Properties::default().list();
    assert!(list.len() > 40);
    for (name, value) in list {
        assert_eq!(Properties::default().get(&name), value, "{name}");
    }
    assert_eq!(Properties::default().get("ro.build.version.sdk"), "34");
    assert!(!Properties::default().set("ro.build.version.sdk", "99"));
}
