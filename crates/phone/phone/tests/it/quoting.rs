//! The quoting function against a real shell, and against the phone's.

use clawperator_phone::{Nul, quote};
use clawperator_sim::{Handset, Setup, shell_user};
use proptest::prelude::*;
use std::process::{Command, Stdio};

const HOSTILE: &[&str] = &[
    "",
    "'",
    "''",
    "'\"'\"'",
    "\\",
    "\\'",
    "a b  c",
    "$(reboot) `reboot` $HOME ${x}",
    "a;b&&c||d|e>f<g&",
    "!history *? [a-z] ~ #c",
    "-n",
    "--",
    "%s %d %%",
    "\n",
    "a\n\n\nb\n",
    "\r\n\t\u{1}\u{7f}\u{1b}[0m",
    "日本語 👩‍👩‍👧‍👦 עברית \u{202e}x",
    "$'\\x41'",
];

/// What a text comes back as from the host's own shell.
fn real_shell(quoted: &str) -> Vec<u8> {
    let output = Command::new("/bin/sh")
        .args(["-c", &format!("printf '%s' {quoted}")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    output.stdout
}

/// What a text comes back as from the phone's shell.
fn phone_shell(quoted: &str) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let handset = Handset::new(Setup::default());
        let script = format!("printf '%s' {quoted}");
        let finished = clawperator_userland::run(handset, shell_user(), &script, b"").await;
        assert_eq!(finished.code, 0);
        finished.stdout
    })
}

/// Text as people would not write it: the shell's own signs, and anything.
fn text() -> impl Strategy<Value = String> {
    let signs = "[ '\"\\\\$`!;&|<>(){}*?#~%=\n\t-]{0,12}";
    prop_oneof![signs, ".{0,40}", "(?s)[^\0]{0,40}"].prop_map(|text| text.replace('\0', ""))
}

#[test]
fn hostile_text_comes_back_byte_for_byte() {
    for text in HOSTILE {
        let quoted = quote(text).unwrap();
        assert_eq!(real_shell(&quoted), text.as_bytes(), "{text:?}");
        assert_eq!(phone_shell(&quoted), text.as_bytes(), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_back_byte_for_byte(text in text(), more in text()) {
        let quoted = quote(&text).unwrap();
        prop_assert_eq!(real_shell(&quoted), text.as_bytes());
        prop_assert_eq!(phone_shell(&quoted), text.as_bytes());
        // Two words beside each other stay two words.
        let two = format!("{quoted} {}", quote(&more).unwrap());
        prop_assert_eq!(real_shell(&two), format!("{text}{more}").into_bytes());
    }

    #[test]
    fn a_nul_is_refused(before in "[^\0]{0,9}", after in ".{0,9}") {
        let nul = quote(&format!("{before}\0{after}")).unwrap_err();
        prop_assert_eq!(nul.at, before.len());
    }
}

#[test]
fn a_text_becomes_one_word() {
    for (text, quoted) in
        [("", "''"), ("a b", "'a b'"), ("it's", r#"'it'"'"'s'"#), ("$(reboot)`x`\\\n", "'$(reboot)`x`\\\n'")]
    {
        assert_eq!(quote(text).unwrap(), quoted);
    }
    assert_eq!(quote("a\0b"), Err(Nul { at: 1 }));
}
