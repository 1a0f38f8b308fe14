//! Tests of `shell/arithmetic.rs`.

use crate::world::finish;

/// Works an expression out that comes out of a variable, so that only the arithmetic reads it.
async fn value(text: &str) -> Result<i64, String> {
    let done = finish(&format!("x=7; e='{text}'; echo $(($e))"), b"").await;
    let told = String::from_utf8(if done.code == 0 { done.stdout } else { done.stderr }).unwrap();
    if done.code == 0 { Ok(told.trim_end().parse().unwrap()) } else { Err(told) }
}

#[tokio::test(start_paused = true)]
async fn expressions_have_the_values_of_c() {
    for (text, expected) in [
        ("", 0),
        ("1 + 2 * 3", 7),
        ("(1+2)*3", 9),
        ("7 % 4 - 1", 2),
        ("x * 2", 14),
        ("y", 0),
        ("0x10 + 010", 26),
        ("1 < 2 && 2 < 1", 0),
        ("1 ? 2 : 3", 2),
        ("0 && 1/0", 0),
        ("-3 + +2", -1),
        ("!0 + ~0", 0),
        ("1 << 4 | 1", 17),
        ("x = 3, x + 1", 4),
        ("x += 2", 9),
        ("x++ + x", 15),
        ("--x", 6),
        ("1 == 1", 1),
        ("3 - -3", 6),
        ("2147483647 + 1", -2_147_483_648),
        ("16#ff + 2#11", 258),
        ("#-1", 4_294_967_295),
        ("e2[1] = 5, ++e2[1]", 6),
    ] {
        assert_eq!(value(text).await, Ok(expected), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_has_no_value_says_so() {
    for (text, why) in [
        ("1 / 0".to_owned(), "1 / 0: zero divisor\n"),
        ("1 +".to_owned(), "1 +: unexpected 'end of expression'\n"),
        ("(".repeat(100_000), "/system/bin/sh: expression nested too deep\n"),
        ("-".repeat(100_000), "-: -- requires lvalue\n"),
        ("- ".repeat(100_000), "/system/bin/sh: expression nested too deep\n"),
    ] {
        let told = value(&text).await.unwrap_err();
        assert!(told.ends_with(why), "{told}");
    }
}
