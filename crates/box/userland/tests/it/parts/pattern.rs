//! Tests of `pattern.rs`, as the shell matches with it.

use crate::cases::check;
use crate::world::finish;

/// Matches a text with a pattern that comes out of a variable, so that only the pattern reads it.
async fn fits(pattern: &str, text: &str) -> Result<bool, String> {
    let script = format!("p='{pattern}'; t='{text}'; case \"$t\" in $p) exit 3;; *) exit 4;; esac");
    let done = finish(&script, b"").await;
    match done.code {
        3 => Ok(true),
        4 => Ok(false),
        _ => Err(String::from_utf8(done.stderr).unwrap()),
    }
}

#[tokio::test(start_paused = true)]
async fn patterns_fit_what_they_should() {
    for (pattern, text, wanted) in [
        ("*", "", true),
        ("a*c", "abbc", true),
        ("a*c", "abb", false),
        ("?", "ü", true),
        ("[a-c]x", "bx", true),
        ("[!a-c]x", "bx", false),
        ("[[:digit:]]*", "1a", true),
        (r"\*", "*", true),
        (r"\*", "a", false),
        ("[", "[", true),
        ("[]a]", "]", true),
        ("a.b", "axb", false),
        ("[z-a]", "b", false),
        // Only among names of files is a slash no part of a class.
        ("[!a-z./]", "}", true),
        ("[!a-z./]", "/", false),
    ] {
        assert_eq!(fits(pattern, text).await, Ok(wanted), "{pattern:?} {text}");
    }
    let too_long = "/system/bin/sh: pattern too long\n".to_owned();
    assert_eq!(fits(&"?".repeat(60_000), "a").await, Err(too_long));
}

#[tokio::test(start_paused = true)]
async fn trimming_takes_the_shortest_or_the_longest() {
    check(&[
        ("x=a/b/c; echo ${x#*/}", "", "b/c\n", "", 0),
        ("x=a/b/c; echo ${x##*/}", "", "c\n", "", 0),
        ("x=a/b/c; echo ${x%/*}", "", "a/b\n", "", 0),
        ("x=a/b/c; echo ${x%%/*}", "", "a\n", "", 0),
        ("x=abc; echo ${x%%/*}", "", "abc\n", "", 0),
    ])
    .await;
}
