//! Tests of `fault.rs`.

use clawperator_sim::fault::*;

#[test]
fn faults_come_back_as_they_were_written() {
    for text in ["dump_null_root", "connection_reset=4096x1", "input_dropped@25%", "dump_stale@5%x2+7"] {
        assert_eq!(Fault::parse(text).unwrap().to_string(), text);
    }
    for text in ["", "fire", "dump_stale@", "dump_stale@101%", "dump_stale@5", "dump_stale!", "reboot=x"] {
        assert!(Fault::parse(text).is_err(), "{text}");
    }
    assert_eq!(Fault::parse("slow_sync=0").unwrap().to_string(), "slow_sync=0");
}

#[test]
fn faults_with_wrong_values_or_given_twice_are_refused() {
    for (texts, why) in [
        (&["dump_stale@5"][..], "the % after the percentage is missing"),
        (&["connection_reset"], "needs a number of bytes"),
        (&["slow_sync@5%"], "needs a number of milliseconds"),
        (&["reboot=3"], "takes no value"),
        (&["reboot", "rotation", "reboot@5%"], "is given twice"),
    ] {
        let error = Fault::parse_all(texts.iter().copied()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn the_same_seed_strikes_at_the_same_places() {
    let plan = vec![Fault::parse("input_dropped@30%x5+2").unwrap()];
    let run = |seed| {
        let mut faults = Faults::new(seed, plan.clone());
        (0..100).map(|_| faults.strike(FaultPoint::InputDropped).is_some()).collect::<Vec<_>>()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
    assert_eq!(run(7).iter().filter(|struck| **struck).count(), 5);
    assert!(!run(7)[0] && !run(7)[1]);
    assert!(Faults::new(7, plan).strike(FaultPoint::Reboot).is_none());
}
