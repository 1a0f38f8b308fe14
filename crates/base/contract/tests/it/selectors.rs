//! The `where` of a matcher: what is accepted, what is refused and where.

use clawperator_contract::{SELECTOR_KEYS, accept, limits, read_matcher};
use serde_json::{Value, json};

fn payload(selector: &Value) -> Vec<u8> {
    let action = json!({"id": "a", "type": "click", "params": {"matcher": {"where": selector}}});
    let payload = json!({
        "commandId": "c", "taskId": "t", "source": "s", "expectedFormat": "android-ui-automator",
        "timeoutMs": 30000, "actions": [action],
    });
    payload.to_string().into_bytes()
}

/// Each problem as its path behind `where` and its hint.
fn problems(selector: &Value) -> Vec<(String, String)> {
    let failure = json!(accept(&payload(selector)).unwrap_err());
    let problems = failure["details"]["problems"].as_array().unwrap();
    let read = |problem: &Value| {
        let path = problem["path"].as_str().unwrap();
        let behind = path.strip_prefix("actions.0.params.matcher.where").unwrap();
        (behind.to_owned(), problem["hint"].as_str().unwrap_or_default().to_owned())
    };
    problems.iter().map(read).collect()
}

/// A selector in a selector, as often as asked.
fn nested(depth: usize) -> Value {
    (1..depth).fold(json!({"enabled": true}), |inner, _| json!({"not": inner}))
}

fn wide(count: usize) -> Value {
    json!({"anyOf": vec![json!({"checked": true}); count - 1]})
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    for (selector, paths) in [
        (json!("x"), vec![""]),
        (json!(null), vec![""]),
        (json!({}), vec![""]),
        (json!({"anyOf": []}), vec![".anyOf"]),
        (json!({"anyOf": {}}), vec![".anyOf"]),
        (json!({"anyOf": [{"class": "a"}, {"clickabel": true}]}), vec![".anyOf.1"]),
        (json!({"allOf": [1, {}]}), vec![".allOf.0", ".allOf.1"]),
        (json!({"not": [{"role": "a"}]}), vec![".not"]),
        (json!({"below": {"ref": "@e1"}}), vec![".below"]),
        (json!({"where": {"role": "a"}}), vec![""]),
        (json!({"clickable": "true"}), vec![".clickable"]),
        (json!({"textContains": " "}), vec![".textContains"]),
        (json!({"class": 1}), vec![".class"]),
        (json!({"classMatches": "("}), vec![".classMatches"]),
        (json!({"textStartsWith": "x".repeat(513)}), vec![".textStartsWith"]),
        (json!({"indexInParent": -1}), vec![".indexInParent"]),
        (json!({"indexInParent": 1.5}), vec![".indexInParent"]),
        (json!({"indexInParent": 2_147_483_648_u64}), vec![".indexInParent"]),
        // Every problem at once, in the order of the table.
        (
            json!({"not": {"rol": "x"}, "inside": {"role": 1, "contains": {}}, "textEquals": ""}),
            vec![".textEquals", ".inside.role", ".inside.contains", ".not"],
        ),
        (wide(limits::MAX_CONDITIONS + 1), vec![""]),
        (nested(limits::MAX_SELECTOR_DEPTH + 1), vec![".not.not.not.not.not.not.not.not"]),
    ] {
        let found = problems(&selector);
        let found: Vec<_> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(found, paths, "{selector}");
    }
}

#[test]
fn a_slip_is_hinted_at() {
    for (selector, hint) in [
        (json!({"anyOf": [{"clickabel": true}]}), "Did you mean \"clickable\" instead of \"clickabel\"?"),
        (json!({"not": {"anyof": []}}), "Did you mean \"anyOf\" instead of \"anyof\"?"),
        (json!({}), "Write one, such as {\"clickable\": true}."),
    ] {
        assert_eq!(problems(&selector)[0].1, hint, "{selector}");
    }
}

#[test]
fn what_is_accepted_is_kept_as_it_was_sent() {
    for selector in [
        json!({"anyOf": [{"class": "a"}, {"clickable": true}]}),
        json!({"textMatches": "a+", "checked": false, "indexInParent": 0, "rightOf": {"role": "text"}}),
        json!({"allOf": [{"not": {"inside": {"scrollable": true}}}]}),
        nested(limits::MAX_SELECTOR_DEPTH),
        wide(limits::MAX_CONDITIONS),
    ] {
        let checked = accept(&payload(&selector)).unwrap_or_else(|failure| panic!("{failure:?}"));
        let written = json!(checked.execution);
        assert_eq!(written["actions"][0]["params"]["matcher"]["where"], selector);
    }
}

/// A matcher's aliases mean the same in its `where`.
#[test]
fn aliases_are_rewritten_at_any_depth() {
    let selector = json!({"anyOf": [{"text": "a"}, {"inside": {"id": "b"}}], "not": {"content_desc": "c"}});
    let checked = accept(&payload(&selector)).unwrap();
    let written = json!(checked.execution);
    assert_eq!(
        written["actions"][0]["params"]["matcher"]["where"],
        json!({
            "anyOf": [{"textEquals": "a"}, {"inside": {"resourceId": "b"}}],
            "not": {"contentDescEquals": "c"},
        })
    );
}

#[test]
fn the_conditions_join_the_fields_of_the_matcher() {
    let matcher =
        read_matcher(br#"{"role":"button","where":{"enabled":true,"not":{"checked":true}}}"#).unwrap();
    assert_eq!(matcher.selector().to_string(), "role \"button\", enabled true, not (checked true)");
    for (json, words) in [
        (r#"{"ref":"@e7"}"#, "ref \"@e7\""),
        (r#"{"ref":"@e7","where":{"checked":true}}"#, "ref \"@e7\", checked true"),
    ] {
        assert_eq!(read_matcher(json.as_bytes()).unwrap().to_string(), words);
    }
    assert_eq!(read_matcher(br#"{"where":{}}"#), None);
    assert_eq!(read_matcher(b"[1]"), None);
}

#[test]
fn no_key_stands_twice_and_each_is_explained() {
    let mut names: Vec<_> = SELECTOR_KEYS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SELECTOR_KEYS.len());
    assert!(SELECTOR_KEYS.iter().all(|row| row.doc().ends_with('.')));
}

/// What is waited for, texts that say it, and texts that do not.
type Says = (&'static str, &'static [&'static str], &'static [&'static str]);

const SAYS: &[Says] = &[
    ("50%", &["50%", "at 50% now"], &["150%", "50"]),
    ("a(b", &["a(b"], &["ab"]),
    ("Ü", &["Ü", "Ü!"], &["ÜÜ"]),
    (
        "5",
        &[
            "5",
            "No.5",
            "Level:5",
            "5%",
            "5-star",
            "\u{2019}5\u{2019}",
            "a 5 b",
            "5 12",
            "Room-5",
            "5.",
            "5kg",
            "5min left",
            "Level - 5",
            "$5",
            "US$5",
            "a, 5",
            "第5页",
            "Seite\u{a0}5",
        ],
        &[
            "–5",
            "- 15",
            "5 000",
            "5:30",
            "5-7",
            "7–5",
            "1/5",
            "5/7",
            "2026-11-5",
            ".5",
            "-5",
            "0,5",
            "- 5",
            "-$5",
            "− $5",
            "\u{2011}5",
            "—5",
            "5k",
            "5th",
            "5\u{202f}000",
        ],
    ),
    ("05", &["05", "on 05 May"], &["2026-11-05", "12:05", "05.11"]),
    ("000", &["000", "No 000"], &["5 000", "12 000 EUR"]),
    ("don", &["don", "Don and don.", "'don'"], &["don't", "don’t", "donkey"]),
    ("t", &["t", "a t"], &["don't"]),
    ("paid", &["paid", "Paid: paid", "It is paid."], &["un-paid", "unpaid", "paid-up"]),
    ("5 km", &["5 km", "5 km left", "5 km."], &["5 km/h", "15 km"]),
    ("Off", &["Off", "Wi-Fi:Off", "Off - tap"], &["On/Off", "Off/On"]),
    ("完了", &["完了", "「完了」"], &["未完了"]),
    ("كتب", &["كتب", "قد كتب"], &["مكتب"]),
    ("te", &["te"], &["e\u{301}te"]),
    ("Don't", &["Don’t", "Don't!"], &["Dont"]),
    ("Page 4", &["Page\u{a0}4"], &["Page\u{a0}40"]),
];

/// A text ends a repeated act only as words of its own, not as a part of others.
#[test]
fn a_text_says_another_one_as_words_of_its_own() {
    for (wanted, says, others) in
        [
            (
                "23.5",
                &["23.5", "23.5°C", "Target: 23.5 °C", "(23.5)", "It is 23.5.", "a\n23.5, b", "x-23.5"][..],
                &[
                    "123.5",
                    "23.55",
                    "23.5.1",
                    "23,23.5",
                    "-23.5",
                    "−23.5",
                    "a −23.5",
                    "23x5",
                    "v23.5",
                    "23.5k",
                ][..],
            ),
            ("Page 4", &["Page 4", "Page 4 of 4"], &["Page 40", "page 4", "Homepage 4"]),
        ]
        .into_iter()
        .chain(SAYS.iter().copied())
    {
        let matcher = clawperator_contract::until(wanted);
        let pattern = matcher["where"]["textMatches"].as_str().unwrap();
        assert!(pattern.chars().count() + 60 < 512, "{wanted}");
        let pattern = clawperator_contract::Pattern::compile(pattern).unwrap();
        for text in says {
            assert!(pattern.fits(text), "{wanted} {text}");
        }
        for text in others {
            assert!(!pattern.fits(text), "{wanted} {text}");
        }
    }
    assert_eq!(clawperator_contract::until("@e7"), serde_json::json!({"ref": "@e7"}));
}
