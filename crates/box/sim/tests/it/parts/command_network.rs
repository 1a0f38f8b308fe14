//! Tests of `command/network.rs`.

use crate::resident::phone;
use clawperator_sim::{Setup, shell_user};
use clawperator_userland::run;

#[tokio::test(start_paused = true)]
async fn nc_talks_to_what_listens_inside_the_phone() {
    let (handset, _device) = phone(Setup::default()).await;
    let echoed = run(handset.clone(), shell_user(), "nc localhost 7", b"hello").await;
    assert_eq!((echoed.code, echoed.stdout), (0, b"hello".to_vec()));
    // This one listens with a socket of its own, and ends when nothing more is sent.
    let ask = b"GET /ping HTTP/1.1\r\n\r\n";
    let answered = run(handset, shell_user(), "nc localhost 9008", ask).await;
    let said = String::from_utf8(answered.stdout).unwrap();
    assert!(said.starts_with("HTTP/1.1 200 OK ") && said.ends_with("\r\n\r\npong"), "{said}");
    assert_eq!(answered.code, 0);
}
