//! Redaction as other crates use it.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod field {
    use clawperator_redact::{is_masked, is_secret_field};

    #[test]
    fn an_id_tells_by_its_words() {
        for (id, secret) in [
            ("a:id/password", true),
            ("a:id/newPassword2", true),
            ("a:id/passwordInput", true),
            ("a:id/edit_pin", true),
            ("a:id/userPin", true),
            ("a:id/PIN", true),
            ("a:id/pin", true),
            ("a:id/cvv", true),
            ("a:id/spinner", false),
            ("a:id/shipping", false),
            ("a:id/pinned_note", false),
            ("password:id/name", false),
            ("", false),
        ] {
            assert_eq!(is_secret_field(id), secret, "{id}");
        }
    }

    #[test]
    fn masks_are_known() {
        assert!(is_masked("••●") && is_masked("***"));
        assert!(!is_masked("") && !is_masked("••x"));
    }
}

mod fragments {
    use clawperator_redact::Fragments;

    #[test]
    fn a_part_of_a_secret_hides_the_line() {
        let fragments = Fragments::new(["hunter2 is \"it\"\\", "pin", ""]);
        for (line, shown) in [
            ("nothing of it", true),
            ("the rest: unter2 is", false),
            ("as JSON: s \\\"it\\\"\\\\", false),
            ("my pin", false),
            ("pi n hunte", true),
            ("", true),
        ] {
            assert_eq!(fragments.hide(line) == line, shown, "{line}");
        }
        assert_eq!(Fragments::default().hide("x"), "x");
    }
}

mod keyed {
    use clawperator_redact::HashKey;

    #[test]
    fn a_value_is_found_by_its_hash_alone() {
        let key = HashKey::new(b"random");
        let values: Vec<_> = ["Hunter2 Secret", "4711"].iter().filter_map(|it| key.value(it)).collect();
        let kept = serde_json::to_string(&values).unwrap();
        assert!(!kept.to_lowercase().contains("hunter") && key.value("ab").is_none());
        let shown = |text: &str| key.dots(&values, text, &mut 1_000);
        assert_eq!(shown("it is HUNTER2-secret!"), format!("it is {}!", "•".repeat(14)));
        assert_eq!(shown("xhunter2secretx"), format!("x{}x", "•".repeat(13)));
        assert_eq!(shown("PIN 47 11, not 14711"), "PIN •••••, not 14711");
        assert_eq!(shown("hunter2secre"), "•".repeat(12));
        assert_eq!(shown("my hunter2"), "my •••••••");
        assert_eq!(shown("the hunters"), "the hunters");
        // When the work is too much, nothing is shown.
        assert_eq!(key.dots(&values, "a text without any of it", &mut 3), "•".repeat(24));
        assert_ne!(HashKey::new(b"other").value("4711"), key.value("4711"));
    }

    /// One hash for each letter: a large screen is not turned to dots.
    #[test]
    fn a_large_text_costs_one_hash_for_each_letter_and_length() {
        let key = HashKey::new(b"random");
        let values: Vec<_> =
            (0..64).filter_map(|number| key.value(&format!("password-number-{number:04}-of-many"))).collect();
        let text = "quick brown fox ".repeat(2_000);
        let mut left = text.len();
        assert_eq!(key.dots(&values, &text, &mut left), text);
        assert!(left > 0, "{left}");
    }
}

mod redaction {
    use clawperator_redact::{HashKey, Redaction, masked_letters};

    #[test]
    fn each_way_shows_what_it_says() {
        let shown = |redaction: Redaction| redaction.apply("hunter2 ä", &HashKey::default());
        assert_eq!(shown(Redaction::None).as_deref(), Some("hunter2 ä"));
        assert_eq!(shown(Redaction::Hash).as_deref(), Some("sha256:a12fe507832f2204"));
        let salted = Redaction::Hash.apply("hunter2 ä", &HashKey::new(b"salt"));
        assert_ne!(salted, shown(Redaction::Hash));
        assert_eq!(shown(Redaction::Mask).as_deref(), Some("[9 letters]"));
        assert_eq!(shown(Redaction::Drop), None);
        assert_eq!(masked_letters("[9 letters]"), Some(9));
        assert_eq!(masked_letters("9 letters"), None);
    }
}

mod secrets {
    use clawperator_redact::{HashKey, Secrets};

    fn secrets(texts: &[&str]) -> Secrets {
        let mut secrets = Secrets::default();
        texts.iter().for_each(|text| secrets.add(text));
        secrets
    }

    #[test]
    fn nothing_of_a_secret_is_left_in_any_order() {
        for (known, text, shown) in [
            (
                &["Winter", "Winter2024Blue"][..],
                "is Winter2024Blue or Winter.",
                "is [14 letters] or [6 letters].",
            ),
            (
                &["Winter2024Blue", "Winter"],
                "is Winter2024Blue or Winter.",
                "is [14 letters] or [6 letters].",
            ),
            (&["abcdef", "defghi"], "abcdefghi", "[9 letters]"),
            (&["aaaa"], "aaaaa", "[5 letters]"),
            (&["abcd"], "abcdabcd", "[4 letters][4 letters]"),
            (&["ääää"], "äääää é", "[5 letters] é"),
            // A short one is hidden as a word only.
            (&["abc"], "abcabc, abc: alphabc", "abcabc, [3 letters]: alphabc"),
            // Too short to be searched for.
            (&["", "ab"], "abab", "abab"),
        ] {
            assert_eq!(secrets(known).hide(text), shown);
        }
    }

    #[test]
    fn a_secret_is_found_however_it_is_written() {
        for (known, text, shown) in [
            ("hunter2secret", "hunter2secre", "[12 letters]"),
            ("hunter2secret", "it is unter2secret!", "it is [12 letters]!"),
            ("hunter2secret", "HUNTER2SECRET", "[13 letters]"),
            ("hunter2secret", "ｈｕｎｔｅｒ２ｓｅｃｒｅｔ", "[13 letters]"),
            ("hunter2secret", "h\u{200b}unter2-sec\u{ad}ret", "[13 letters]"),
            ("hunter2secret", "h, u, n, t, e, r, 2, s, e, c, r, e, t", "[13 letters]"),
            ("hunter2secret", "hunt… and …cret", "[4 letters]… and …[4 letters]"),
            ("hunter2secret", "the hunting of secretaries", "the hunting of secretaries"),
            ("4111111111111111", "4111 1111 1111 1111", "[16 letters]"),
            ("4111111111111112", "card 4111-11••, ends in 1112", "card [7 letters]••, ends in [4 letters]"),
            ("4711", "PIN 47 11 or 4711x", "PIN [4 letters] or [4 letters]x"),
            ("4711", "471", "471"),
            ("Wombat7Q", "&#87;&#111;&#109;&#98;&#x61;&#116;&#55;&#81;", "[8 letters]"),
            ("pa&ss<wd😀1", "it is pa&amp;ss&lt;wd&#55357;&#56832;1", "it is [10 letters]"),
            ("4711", "at [47,11] is a place", "at [47,11] is a place"),
            ("4711", "٤٧١١ or ४७११", "[4 letters] or [4 letters]"),
            (
                "4539578763621486",
                "4539⁃5787+6362─1486 4539,5787,6362,1486 4539⠀5787ー6362⁓1486",
                "[16 letters] [16 letters] [16 letters]",
            ),
            // What a field is called is no part of its secret.
            ("password1", "Password: password1", "Password: [9 letters]"),
        ] {
            assert_eq!(secrets(&[known]).hide(text), shown, "{known}");
            assert_eq!(secrets(&[known]).are_in(text), text != shown, "{known}");
            // Who has hashes only finds the same; a PIN only as a word.
            let key = HashKey::new(b"random");
            let values: Vec<_> = key.value(known).into_iter().collect();
            let text = text.replace(" or 4711x", "");
            let found = key.dots(&values, &text, &mut 10_000);
            assert_eq!(found, secrets(&[known]).dots(&text), "{known}");
        }
    }

    #[test]
    fn what_was_read_is_hidden_in_quotes_however_short_it_is() {
        let mut known = Secrets::default();
        known.add_read("84");
        for (text, shown) in [
            ("text \"84\" at [84,84]", "text \"[2 letters]\" at [84,84]"),
            (r#"{"a":"text \"84\""}"#, r#"{"a":"text \"[2 letters]\""}"#),
            ("84", "[2 letters]"),
            ("\"184\" 84", "\"184\" 84"),
        ] {
            assert_eq!(known.hide(text), shown);
        }
    }

    #[test]
    fn dots_are_as_many_as_letters() {
        let known = secrets(&["Winter2024Blüe", "Winter"]);
        assert_eq!(known.dots("is Winter2024Blüe."), format!("is {}.", "•".repeat(14)));
        assert_eq!(known.dots("nothing"), "nothing");
    }

    #[test]
    fn a_secret_is_found_as_json_writes_it() {
        let secret = "pa\"ss\\wOrd9";
        let known = secrets(&[secret]);
        let json = serde_json::json!({"text": [secret]}).to_string();
        assert!(known.are_in(&json) && !known.are_in("pa"));
        assert_eq!(known.hide(&json), "{\"text\":[\"[11 letters]\"]}");
        assert_eq!(known.hide(&secret.escape_debug().to_string()), "[11 letters]");
        let mut value = serde_json::json!([{"a": format!("my {secret}"), "b": 1}, secret]);
        known.hide_in_json(&mut value);
        assert_eq!(value, serde_json::json!([{"a": "my [11 letters]", "b": 1}, "[11 letters]"]));
        assert!(!format!("{known:?}").contains("pa"));
    }
}
