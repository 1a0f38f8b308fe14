//! Tests of `toybox/date.rs`.

use crate::world::{finish, machine_in, user};
use clawperator_userland::{Zone, run};

#[tokio::test(start_paused = true)]
async fn times_read_back_as_they_were_written() {
    for seconds in [0, 951_782_400, 951_868_799, 1_794_722_400, 4_102_444_799_u64] {
        let script = format!(
            "text=$(date -u -d @{seconds} '+%Y-%m-%d %H:%M:%S'); date -u -d \"$text\" +%s; echo $text"
        );
        let done = String::from_utf8(finish(&script, b"").await.stdout).unwrap();
        let (read, text) = done.split_once('\n').unwrap();
        assert_eq!(read, seconds.to_string(), "{text}");
        // A time in numbers would read back as itself.
        assert!(text.contains('-') && text.contains(':'), "{text}");
    }
    let india_west = Zone { minutes_east: -330, name: "X".to_owned() };
    let script = "date '+%F %T %a %j %z %Z %%Z %N'";
    let done = run(machine_in(india_west), user(), script, b"").await;
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "2026-11-15 00:30:00 Sun 319 -0530 X %Z 000000000\n");
}
