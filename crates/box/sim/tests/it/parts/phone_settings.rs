//! Tests of `phone/settings.rs`.

use Namespace::Global;
use clawperator_sim::phone::*;

#[test]
fn what_was_deleted_is_gone() {
    let mut settings = Settings::default();
    assert_eq!(settings.get(Global, "wifi_on"), Some("1"));
    settings.put(Global, "wifi_on", None);
    assert_eq!(settings.get(Global, "wifi_on"), None);
    assert!(!settings.list(Global).iter().any(|(name, _)| name == "wifi_on"));
}
