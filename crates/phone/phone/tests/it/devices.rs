//! Phones are found and reached, through an adb server and without.

use crate::adb_server::serve_list;
use crate::world::{connect_again, plain, served, soon, welcome};
use clawperator_adb::{Deadline, Device, ServerAddress, ServerClient, ServerEnvironment};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{
    DispatchState, KeyCode, Phone, PhoneError, Precondition, Reach, Views, list, resolve,
};
use clawperator_sim::{HostKeys, Setup, Welcome};
use std::path::PathBuf;
use std::time::Duration;

/// A port without a listener, and no program to start a server with.
fn nowhere() -> ServerEnvironment {
    ServerEnvironment {
        socket: None,
        address: None,
        port: Some("1".to_owned()),
        program: "/no/such/adb".into(),
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[tokio::test]
async fn a_failure_lists_the_phones_to_choose_from() {
    let world = plain().await;
    let environment = serve_list("b  device\na  device\nc  offline\n", connect_again(&world).await).await;
    let key_file = folder("choose").join("adbkey");
    let reach = Reach { environment: &environment, key_file: &key_file, name: "me@here" };
    let listed = list(&reach, soon()).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|phone| (phone.serial.clone(), phone.state.to_string())).collect();
    let entry = |serial: &str, state: &str| (serial.to_owned(), state.to_owned());
    assert_eq!(listed, [entry("b", "device"), entry("a", "device"), entry("c", "offline")]);
    let failure = Failure::from(resolve(None, &reach, soon()).await.unwrap_err());
    assert_eq!(failure.code, ErrorCode::MultipleDevices);
    let details = failure.details.unwrap();
    assert_eq!(details.devices, ["b", "a"]);
    assert_eq!(details.hint.as_deref(), Some(ErrorCode::MultipleDevices.row().hint));
    let failure = Failure::from(resolve(Some("d"), &reach, soon()).await.unwrap_err());
    assert_eq!(failure.code, ErrorCode::DeviceNotFound);
    assert_eq!(failure.details.unwrap().connected, ["b", "a"]);
}

#[tokio::test]
async fn a_phone_at_an_address_needs_no_server() {
    let key_file = folder("address").join("adbkey");
    let (environment, name) = (nowhere(), "me@here");
    let reach = Reach { environment: &environment, key_file: &key_file, name };
    let asked = Welcome { keys: HostKeys::Asked, ..welcome() };
    let (_, address) = served(Setup::default(), asked).await;
    let phone = resolve(Some(&address), &reach, soon()).await.unwrap();
    assert_eq!(phone.serial(), address);
    assert_eq!(phone.display_size(soon()).await.unwrap(), (1080, 2400));
    assert!(key_file.exists());

    let refused = Welcome { keys: HostKeys::Refused, ..welcome() };
    let (_, address) = served(Setup::default(), refused).await;
    let short = Deadline::after(Duration::from_millis(500));
    let error = resolve(Some(&address), &reach, short).await.unwrap_err();
    let known = [ErrorCode::DeviceUnauthorized, ErrorCode::DeviceOffline];
    assert!(known.contains(&error.code()), "{error}");

    let (_, address) = served(Setup::default(), welcome()).await;
    let port = address.rsplit_once(':').unwrap().1;
    for host in ["localhost", "127.1", "0.0.0.0", "::ffff:127.0.0.1", "[::ffff:7f00:1]"] {
        let spelled = format!("{host}:{port}");
        let phone = resolve(Some(&spelled), &reach, soon()).await.unwrap();
        assert_eq!(phone.serial(), address, "{spelled}");
    }
    let nobody = format!("{}:5555", "x".repeat(5_000));
    for (wanted, code) in
        [(nobody.as_str(), ErrorCode::DeviceNotFound), (&nobody[..5_000], ErrorCode::AdbNotFound)]
    {
        let error = resolve(Some(wanted), &reach, soon()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().len() < 300, "{error}");
    }

    let error = resolve(Some("127.0.0.1:2"), &reach, soon()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::DeviceNotFound);
    for wanted in [None, Some("abc")] {
        let error = resolve(wanted, &reach, soon()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::AdbNotFound, "{error}");
    }
}

/// No folder can be made where a file is.
#[tokio::test]
async fn a_phone_on_this_computer_needs_no_key_file() {
    let place = folder("no_key");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("file"), "").unwrap();
    std::fs::write(place.join("empty"), "").unwrap();
    let environment = nowhere();
    let asked = Welcome { keys: HostKeys::Asked, ..welcome() };
    let (_, asking) = served(Setup::default(), asked).await;
    let refused = Welcome { keys: HostKeys::Refused, ..welcome() };
    let (_, refusing) = served(Setup::default(), refused).await;
    let (_, open) = served(Setup::default(), welcome()).await;
    for (key_file, why) in [("file/adbkey", "Not a directory"), ("empty", "the file is empty")] {
        let key_file = place.join(key_file);
        let reach = Reach { environment: &environment, key_file: &key_file, name: "me@here" };
        for address in [&open, &asking] {
            resolve(Some(address), &reach, soon()).await.unwrap();
        }
        // The reason is the key, not the phone.
        let error = resolve(Some(&refusing), &reach, soon()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::DeviceUnauthorized, "{error}");
        let said = error.to_string();
        assert!(said.contains(why) && said.contains(key_file.to_str().unwrap()), "{said}");
    }
    let key_file = place.join("adbkey");
    let reach = Reach { environment: &environment, key_file: &key_file, name: "me@here" };
    resolve(Some(&open), &reach, soon()).await.unwrap();
    assert!(!key_file.exists());
}

#[tokio::test]
async fn a_phone_is_reached_through_a_server() {
    let world = plain().await;
    let device = connect_again(&world).await;
    let list = "sim-1  device product:sim\nsim-2  offline\nsim-3  unauthorized\n";
    let environment = serve_list(list, device).await;
    let key_file = folder("server").join("adbkey");
    let reach = Reach { environment: &environment, key_file: &key_file, name: "me@here" };
    for wanted in [None, Some("sim-1")] {
        let phone = resolve(wanted, &reach, soon()).await.unwrap();
        assert_eq!(phone.serial(), "sim-1");
        phone.launch("com.clawperator.form", soon()).await.unwrap();
        let front = phone.foreground(soon()).await.unwrap();
        assert_eq!(front.package.as_deref(), Some("com.clawperator.form"));
        assert!(!phone.capture(Views::All, soon()).await.unwrap().is_empty());
        assert!(!phone.screenshot(soon()).await.unwrap().is_empty());
        let longest = "x".repeat(50_000);
        phone.force_stop(&longest, soon()).await.unwrap();
        assert_eq!(phone.round_trips(), 5);
    }
    for (wanted, code) in [
        ("sim-2", ErrorCode::DeviceOffline),
        ("sim-3", ErrorCode::DeviceUnauthorized),
        ("sim-4", ErrorCode::DeviceNotFound),
    ] {
        let error = resolve(Some(wanted), &reach, soon()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
    }
    let error = resolve(Some(&"x".repeat(5_000)), &reach, soon()).await.unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
    // What it does not know and is an address is gone to without it.
    let (_, address) = served(Setup::default(), welcome()).await;
    let phone = resolve(Some(&address), &reach, soon()).await.unwrap();
    assert_eq!(phone.serial(), address);
    assert_eq!(phone.display_size(soon()).await.unwrap(), (1080, 2400));
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_that_is_gone() {
    let server = ServerClient::new(ServerAddress::new("127.0.0.1", 1), "/no/such/adb".into());
    let device = Device::Server { server, serial: "sim-1".to_owned(), features: vec!["shell_v2".to_owned()] };
    let phone = Phone::new(device, "sim-1");
    let error = phone.key(KeyCode::Home, &Precondition::OnScreen, soon()).await.unwrap_err();
    assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::No);
}

#[tokio::test]
async fn a_server_s_spelling_of_an_address_is_one_of_many() {
    let device = connect_again(&plain().await).await;
    let environment = serve_list("127.1:7  device\n", device).await;
    let key_file = folder("spelling").join("adbkey");
    let reach = Reach { environment: &environment, key_file: &key_file, name: "me@here" };
    let phone = resolve(Some("127.1:7"), &reach, soon()).await.unwrap();
    assert_eq!(phone.serial(), "127.0.0.1:7");
    phone.key(KeyCode::Home, &Precondition::OnScreen, soon()).await.unwrap();
}
