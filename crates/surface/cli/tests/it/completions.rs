//! What a shell offers, and what a manual page has.

use crate::line::answer_to;
use std::process::{Command, Stdio};

#[test]
fn manual_pages_name_everything_and_have_examples() {
    for (page, words) in [
        ("click", &["tap", "\\-\\-resource\\-id", ".SH EXAMPLES", "\\-\\-coordinate 540"][..]),
        ("read", &["\\-\\-container\\-resource\\-id", ".SH EXAMPLES"]),
        ("exec", &["execute", "\\-\\-file", ".nf"]),
        ("record", &[concat!("\"clawperator ", env!("CARGO_PKG_VERSION"), "\""), ".SH NOTES"]),
        ("packages", &["clawperator\\-packages\\-list", ".SH NOTES"]),
    ] {
        let text = answer_to(&["man", page], b"").text;
        for word in words {
            assert!(text.contains(word), "{page} lacks {word}: {text}");
        }
        assert!(!text.contains("EXTRA") && !text.contains("\"record \""), "{text}");
    }
    let help = answer_to(&["packages", "--help"], b"").text;
    assert!(!help.contains("\n\n\n"), "{help}");
}

/// What bash offers for the last word of each line.
fn offered(lines: &[&str]) -> Option<Vec<String>> {
    let mut script = answer_to(&["completions", "bash"], b"").text;
    for line in lines {
        let words: Vec<String> = line.split(' ').map(|word| format!("'{word}'")).collect();
        script.push_str(&format!(
            "COMP_WORDS=({}); COMP_CWORD={}; COMPREPLY=()\n\
             _clawperator clawperator \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
             echo \"${{COMPREPLY[*]}}\"\n",
            words.join(" "),
            words.len() - 1
        ));
    }
    let bash = Command::new("bash").args(["--norc", "-c", &script]).stdin(Stdio::null()).output();
    let output = bash.ok()?;
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_names_flags_and_values() {
    let cases = [
        ("clawperator scr", "screenshot scroll scroll-until scroll-and-click"),
        #[cfg(feature = "sim")]
        ("clawperator sim st", "start stop status"),
        ("clawperator completions ", "bash elvish fish powershell zsh"),
        ("clawperator schema ", "execution envelope matcher error doctor app"),
        ("clawperator scroll ", "down up left right"),
        ("clawperator scroll-until ", "down up left right"),
        ("clawperator press ", "back home recents"),
        ("clawperator man sc", "screenshot scroll scroll-until scroll-and-click schema"),
        ("clawperator click --output ", "json pretty"),
        ("clawperator click --log-level ", "debug info warn error"),
        ("clawperator scroll --direction ", "down up left right"),
        ("clawperator press --key ", "back home recents"),
        ("clawperator snapshot --view ", "xml compact json"),
        ("clawperator snapshot --format ", "xml compact json"),
        ("clawperator snapshot --output ", "json pretty"),
        ("clawperator click --role bu", "button"),
        ("clawperator read --container-role li", "list listitem"),
        ("clawperator find --visibility ", "on_screen all"),
        #[cfg(feature = "sim")]
        ("clawperator sim start --latency ", "none pixel-like slow"),
        #[cfg(feature = "sim")]
        ("clawperator sim start --time ", "real virtual"),
        ("clawperator tap --te", "--text --text-contains"),
    ];
    let Some(offered) = offered(&cases.map(|(line, _)| line)) else {
        eprintln!("skipped: there is no bash here");
        return;
    };
    assert_eq!(offered.len(), cases.len());
    for ((line, words), offered) in cases.iter().zip(&offered) {
        // Flags are offered beside an argument's words.
        let offered: Vec<&str> =
            offered.split(' ').filter(|word| line.contains("--") || !word.starts_with('-')).collect();
        assert_eq!(offered.join(" "), *words, "{line}");
    }
}
