//! Fingers go through the kernel, and `input` does not.

use clawperator_sim::phone::{DumpViews, Finger};
use clawperator_sim::{Handset, Setup, shell_user};
use clawperator_userland::{ShellResult, run};
use std::sync::Arc;
use std::time::Duration;

async fn type_line(handset: &Arc<Handset>, line: &str) -> (String, u8) {
    let ShellResult { code, stdout, stderr } = run(handset.clone(), shell_user(), line, b"").await;
    let said = [stdout, stderr].concat();
    (String::from_utf8_lossy(&said).into_owned(), code)
}

/// What `getevent` prints while a line runs: so many events of it.
async fn events_of(handset: &Arc<Handset>, options: &str, count: usize, line: &str) -> String {
    let watching = tokio::spawn({
        let handset = Arc::clone(handset);
        let line = format!("getevent {options} -c {count}");
        async move { type_line(&handset, &line).await.0 }
    });
    // It must be watching before something happens.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(type_line(handset, line).await, (String::new(), 0), "{line}");
    tokio::time::timeout(Duration::from_secs(5), watching).await.unwrap().unwrap()
}

fn shows(handset: &Handset, text: &str) -> bool {
    let tree = handset.with(|phone| phone.tree(DumpViews::All).unwrap());
    tree.nodes().any(|(_, node)| node.text == text)
}

#[tokio::test(start_paused = true)]
async fn a_tap_is_told_as_a_kernel_tells_it() {
    let handset = Handset::new(Setup::default());
    let said = events_of(&handset, "-ql", 8, "simctl finger tap 540 1200").await;
    let expected = "\
/dev/input/event1: EV_ABS       ABS_MT_TRACKING_ID   00000001            
/dev/input/event1: EV_KEY       BTN_TOUCH            DOWN                
/dev/input/event1: EV_ABS       ABS_MT_POSITION_X    00000801            
/dev/input/event1: EV_ABS       ABS_MT_POSITION_Y    00001001            
/dev/input/event1: EV_SYN       SYN_REPORT           00000000            
/dev/input/event1: EV_ABS       ABS_MT_TRACKING_ID   ffffffff            
/dev/input/event1: EV_KEY       BTN_TOUCH            UP                  
/dev/input/event1: EV_SYN       SYN_REPORT           00000000            
";
    assert_eq!(said, expected);
    // A second touch in the same column tells only of the row.
    let said = events_of(&handset, "-q /dev/input/event1", 4, "simctl finger tap 540 600").await;
    assert_eq!(said, "0003 0039 00000002\n0001 014a 00000001\n0003 0036 00000801\n0000 0000 00000000\n");
    let said = events_of(&handset, "-lqt", 4, "simctl finger key back").await;
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].starts_with("[       "), "{said}");
    assert!(lines[0].contains("] /dev/input/event0: EV_KEY       KEY_BACK             DOWN"), "{said}");
    assert!(lines[2].contains("KEY_BACK             UP"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn what_input_does_the_kernel_never_sees() {
    let handset = Handset::new(Setup::default());
    let line =
        "input tap 540 1200; input keyevent BACK; input swipe 500 1500 500 500; simctl finger key home";
    let said = events_of(&handset, "-ql", 1, line).await;
    assert!(said.contains("KEY_HOMEPAGE"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_finger_opens_types_scrolls_and_goes_back() {
    let handset = Handset::new(Setup::default());
    let finger = |line: &str| {
        let words: Vec<&str> = line.splitn(2, ' ').collect();
        let words: Vec<&str> = match words[..] {
            ["touch" | "type", _] => words,
            _ => line.split(' ').collect(),
        };
        handset.with(|phone| phone.finger(&Finger::parse(&words)?))
    };
    finger("touch Settings").unwrap();
    assert!(shows(&handset, "Network & internet"));
    assert_eq!(finger("type x"), Err("no keyboard is shown".to_owned()));
    finger("touch Search settings").unwrap();
    finger("type Wi-Fi 5!").unwrap();
    assert!(shows(&handset, "Wi-Fi 5!"));
    assert_eq!(finger("type ж"), Err("the keyboard has no key for `ж`".to_owned()));
    finger("key BACK").unwrap();
    finger("key BACK").unwrap();
    assert!(shows(&handset, "Network & internet"));
    finger("swipe 540 1800 540 600 200").unwrap();
    assert!(!shows(&handset, "Network & internet"));
    // From the side: back, out of the app.
    finger("swipe 2 1200 600 1200 150").unwrap();
    let front = handset.with(|phone| phone.focus().unwrap().package);
    assert_eq!(front, "com.google.android.apps.nexuslauncher");
    for bad in ["", "tap 1", "tap a b", "hold 1 2 99999999", "key MOON", "touch nothing", "type"] {
        assert!(finger(bad).is_err(), "{bad}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_keyboard_says_where_it_takes_touches() {
    let handset = Handset::new(Setup::default());
    assert_eq!(type_line(&handset, "simctl finger touch Settings").await.1, 0);
    assert_eq!(type_line(&handset, "simctl finger touch 'Search settings'").await.1, 0);
    let (said, _) = type_line(&handset, "dumpsys window InputMethod").await;
    assert!(said.contains("touchable region=SkRegion((0,1665,1080,2400))"), "{said}");
    let (said, _) = type_line(&handset, "dumpsys window NoSuch").await;
    assert!(said.contains("no windows match"), "{said}");
    let (said, _) = type_line(&handset, "getevent -p").await;
    assert!(said.contains("0035  : value 0, min 0, max 4095"), "{said}");
    let (said, code) = type_line(&handset, "getevent /dev/input/event9").await;
    assert!(said.contains("No such file") && code == 1, "{said}");
    let (said, code) = type_line(&handset, "getevent -z").await;
    assert!(said.contains("Usage") && code == 1, "{said}");
}
