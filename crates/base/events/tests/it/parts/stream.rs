//! Tests of `stream.rs`.

use clawperator_events::*;

#[tokio::test]
async fn a_slow_subscriber_gets_a_gap_and_a_fast_one_gets_everything() {
    let stream = EventStream::new(2);
    let (mut slow, mut fast) = (stream.subscribe(), stream.subscribe());
    let subscribers = Subscribers { run_id: "r".to_owned(), streams: vec![stream], tap: None };
    let log = EventLog::new(LogSetup {
        version: "0.0.0",
        clock: Clock::new(|| 0),
        pictures: Pictures::Left,
        journal: None,
        skill_run: None,
        redactions: Redactions::default(),
        subscribers: Some(subscribers),
    });
    for seq in 0..5 {
        log.record(&Event::Wait(Wait { ms: 1, why: String::new(), attempt: None }));
        let Some(StreamItem::Event(event)) = fast.next().await else {
            panic!("a gap at {seq}");
        };
        assert_eq!(event.seq, seq);
    }
    // The log has the last of the streams.
    drop(log);
    assert_eq!(slow.next().await, Some(StreamItem::Gap { missed: 3 }));
    for seq in 3..5 {
        assert!(matches!(slow.next().await, Some(StreamItem::Event(event)) if event.seq == seq));
    }
    assert_eq!(slow.next().await, None);
}
