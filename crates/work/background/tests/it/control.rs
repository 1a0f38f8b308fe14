//! Who may ask a process, and to what.

use clawperator_background::control::{Address, ControlDesk};

#[tokio::test]
async fn only_a_caller_with_the_token_ends_a_process() {
    let desk = ControlDesk::open(7).unwrap();
    let address = desk.address.clone();
    let asking = tokio::task::spawn_blocking(move || {
        let token = address.token.as_str();
        let others = ["".to_owned(), token[1..].to_owned(), format!("{token}0"), token.to_owned()];
        let answers = others.map(|token| Address { token, ..address.clone() }.ask_to_end());
        assert_eq!(answers, [false, false, false, true]);
    });
    desk.asked_to_end().await;
    asking.await.unwrap();
}
