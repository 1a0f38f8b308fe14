//! Tests of `command/dumpsys.rs`.

use clawperator_sim::{Handset, Setup, TimeKind, shell_user};
use clawperator_userland::run;
use std::sync::Arc;

async fn dumpsys(handset: &Arc<Handset>, words: &str) -> String {
    let ended = run(handset.clone(), shell_user(), &format!("dumpsys {words}"), b"").await;
    assert_eq!((ended.code, &ended.stderr[..]), (0, &b""[..]), "{words}");
    String::from_utf8(ended.stdout).unwrap()
}

#[tokio::test]
async fn every_service_says_the_same_twice() {
    let handset = Handset::new(Setup { time: TimeKind::Virtual, ..Setup::default() });
    let all = dumpsys(&handset, "").await;
    let heads = all.lines().filter_map(|line| line.strip_prefix("DUMP OF SERVICE ")?.strip_suffix(':'));
    let services: Vec<&str> = heads.collect();
    assert!(services.len() > 20 && services.is_sorted(), "{services:?}");
    for name in services {
        let first = dumpsys(&handset, name).await;
        assert!(first.ends_with('\n'), "{name}");
        assert_eq!(dumpsys(&handset, name).await, first, "{name}");
        for words in ["-a", "no.such.package", "set", "\u{1f600} x y"] {
            dumpsys(&handset, &format!("{name} {words}")).await;
        }
    }
}
