//! Tests of `server/address.rs`.

use clawperator_adb::*;

fn address(socket: &str, host: &str, port: &str) -> Result<String, AdbError> {
    let given = |text: &str| Some(text.to_owned());
    let environment = ServerEnvironment {
        socket: given(socket),
        address: given(host),
        port: given(port),
        program: "adb".into(),
    };
    ServerAddress::from_environment(&environment).map(|address| address.to_string())
}

#[test]
fn the_environment_names_the_server() {
    for (socket, host, port, wanted) in [
        ("", "", "", "127.0.0.1:5037"),
        ("tcp:5040", "ignored", "1", "127.0.0.1:5040"),
        ("tcp:localhost:5040", "", "", "127.0.0.1:5040"),
        ("tcp:10.0.0.7:5040", "", "", "10.0.0.7:5040"),
        ("tcp:[::1]:5040", "", "", "[::1]:5040"),
        ("", "phonehost", "5041", "phonehost:5041"),
    ] {
        assert_eq!(address(socket, host, port).unwrap(), wanted);
    }
    for (socket, port) in [("localfilesystem:/x", ""), ("tcp:", ""), ("tcp:x", ""), ("", "0"), ("", "65536")]
    {
        assert!(address(socket, "", port).is_err(), "{socket} {port}");
    }
}

#[test]
fn only_a_server_here_may_be_started() {
    assert!(ServerAddress::new("127.0.0.1", 1).is_local());
    assert!(ServerAddress::new("::1", 1).is_local());
    assert!(!ServerAddress::new("10.0.0.7", 1).is_local());
}
