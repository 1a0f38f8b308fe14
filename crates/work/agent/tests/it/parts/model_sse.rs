//! Tests of `model/sse.rs`.

use clawperator_agent::model::*;

#[test]
fn events_are_the_same_however_the_bytes_are_cut() {
    let text =
        ": hello\r\nevent: x\r\ndata: {\"a\":\r\ndata: \"é\"}\r\n\r\ndata:1\n\ndata\n\nid: 3\n\ndata: cut";
    let wanted = ["{\"a\":\n\"é\"}", "1", ""];
    for size in 1..text.len() {
        let mut events = Events::default();
        let got: Vec<String> =
            text.as_bytes().chunks(size).flat_map(|piece| events.feed(piece).unwrap()).collect();
        assert_eq!(got, wanted, "pieces of {size}");
    }
}

#[test]
fn an_event_without_an_end_is_refused() {
    let mut events = Events::default();
    let piece = vec![b'x'; 1024 * 1024];
    let refused = (0..8).any(|_| events.feed(&piece) == Err(EventTooLarge));
    assert!(refused);
}
