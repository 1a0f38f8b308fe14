//! Lists of devices as servers print them.

use super::*;

#[test]
fn lists_are_read_as_servers_print_them() {
    let text = "* daemon started successfully\nList of devices attached\n\
        127.0.0.1:6001         device product:sim model:Pixel_7 device:sim transport_id:3\n\
        0123456789ABCDEF\tunauthorized\nabc offline transport_id:4\n\
        xyz    no permissions (user in plugdev group); see [http://x] usb:3-1 transport_id:7\n\n\
        adb-R5C-aBc (2)._adb-tls-connect._tcp device product:x model:S9 device:y transport_id:3\n\
        adb-R5C-aBc (2)._adb-tls-connect._tcp\toffline\n0123 AB      device usb:1-1 transport_id:1\r\n\
        0123 AB\tno permissions; see [http://x]\n";
    let list = parse(text);
    let states: Vec<_> = list.iter().map(|entry| (entry.serial.as_str(), entry.state.clone())).collect();
    assert_eq!(states[0], ("127.0.0.1:6001", DeviceState::Device));
    assert_eq!(states[1], ("0123456789ABCDEF", DeviceState::Unauthorized));
    assert_eq!(states[2], ("abc", DeviceState::Offline));
    assert!(
        matches!(&states[3], ("xyz", DeviceState::Other(words)) if words == "no permissions (user in plugdev group); see [http://x]")
    );
    let spaced = "adb-R5C-aBc (2)._adb-tls-connect._tcp";
    assert_eq!(states[4], (spaced, DeviceState::Device));
    assert_eq!(list[4].details[1], ("model".to_owned(), "S9".to_owned()));
    assert_eq!(states[5], (spaced, DeviceState::Offline));
    assert_eq!(states[6], ("0123 AB", DeviceState::Device));
    assert!(
        matches!(&states[7], ("0123 AB", DeviceState::Other(words)) if words.starts_with("no permissions;"))
    );
    assert_eq!(list[0].details[1], ("model".to_owned(), "Pixel_7".to_owned()));
    assert_eq!(list.len(), 8);
    assert_eq!(parse("nonsense\n\u{0}\n"), []);
}
