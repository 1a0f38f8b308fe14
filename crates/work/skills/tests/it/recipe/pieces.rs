//! Literals and profiles, piece by piece.

use super::{BASE, DESIGN, compiled, edited, recipe, tile};
use clawperator_contract::ErrorCode;
use clawperator_redact::Redaction;
use clawperator_skills::recipe::{
    Capability, Denylist, Format, InstalledApp, LintOptions, LiteralKind, Policy, Profile, Profiles, lint,
    parse, scan, warnings,
};

#[test]
fn literals_are_found_and_others_are_not() {
    let denied = Denylist::parse("# names\nAnn\n\nMünchen Süd\nAnn Smith\n山田\n").unwrap();
    for (text, kinds) in [
        ("write to amy.lee+x@mail.example.org now", &[LiteralKind::Email][..]),
        ("jürgen@müller.de", &[LiteralKind::Email]),
        ("user@host", &[]),
        ("@everyone", &[]),
        ("+1 (555) 010-9999", &[LiteralKind::Phone]),
        ("(020) 7946 0958", &[LiteralKind::Phone]),
        ("call 555-010-9999", &[LiteralKind::Phone]),
        ("+4930123456", &[LiteralKind::Phone]),
        ("4930123456789", &[LiteralKind::Phone]),
        ("5311000", &[]),
        ("2026-05-31", &[]),
        ("31.05.2026", &[]),
        ("2026-05-31 10:20", &[]),
        ("1.2.3.4000.5", &[]),
        ("10 20 30", &[]),
        ("192.168.1.20", &[LiteralKind::IpAddress]),
        ("10.0.0.5:5555", &[LiteralKind::IpAddress]),
        ("127.0.0.1", &[]),
        ("3.31.100", &[]),
        ("300.1.1.1", &[]),
        ("12 Rose Garden Street", &[LiteralKind::Street]),
        ("221b Baker St", &[LiteralKind::Street]),
        ("Hauptstraße 12", &[LiteralKind::Street]),
        ("Main Street", &[]),
        ("2 new messages", &[]),
        ("R58M12ABCDE", &[LiteralKind::Serial]),
        ("ce0717171c16e33b", &[LiteralKind::Serial]),
        ("emulator-5554", &[]),
        ("SETTINGS", &[]),
        ("HDMI1080", &[LiteralKind::Serial]),
        ("Ann's lamp", &[LiteralKind::Denied]),
        ("ANN", &[LiteralKind::Denied]),
        ("Annie", &[]),
        ("Ann Smith", &[LiteralKind::Denied]),
        ("山田さん", &[LiteralKind::Denied]),
        ("planning", &[]),
        ("Jane Roe's phone", &[LiteralKind::Name]),
        ("open Jane’s Pixel 8 now", &[LiteralKind::Name]),
        ("Smith family home", &[LiteralKind::Name]),
        ("The Smith family", &[LiteralKind::Name]),
        ("The Smiths' house", &[LiteralKind::Name]),
        ("janes-iphone.local", &[LiteralKind::Name]),
        ("deviceName: \"Thunderbolt\"", &[LiteralKind::Name]),
        ("phone_name: '${inputs.phone}'", &[]),
        ("the phone's home screen", &[]),
        ("Your family home", &[]),
        ("Today's office hours", &[]),
        ("Google's home page", &[]),
        ("Let's go home", &[]),
        ("serial = \"pixel-one-42\"", &[LiteralKind::Serial]),
        ("adb -s one-two-42 shell", &[LiteralKind::Serial]),
        ("deviceId: \"emulator-5554\"", &[]),
        ("--device sim --json", &[]),
        ("in münchen süd.", &[LiteralKind::Denied]),
        ("ann@mail.example", &[LiteralKind::Denied]),
        ("Ann: +1 555 010 9999", &[LiteralKind::Denied, LiteralKind::Phone]),
        ("", &[]),
    ] {
        let found: Vec<_> = scan(text, &denied).into_iter().map(|each| each.kind).collect();
        assert_eq!(found, kinds, "{text}");
    }
    let found = scan("to ann.lee@mail.example!", &Denylist::default())[0];
    assert_eq!(&"to ann.lee@mail.example!"[found.start..found.end], "ann.lee@mail.example");
}

#[test]
fn a_profile_file_is_read_or_refused() {
    for (text, expected) in [
        ("profiles: {ci: {allow: [observe]}}", Ok(1)),
        ("{\"profiles\": {\"a\": {}, \"b\": {\"default\": \"ask\"}}}", Ok(2)),
        ("profiles: {}", Ok(0)),
        ("{}", Err(1)),
        ("profiles: []", Err(1)),
        ("profiles: {ci: {allow: [observ]}}", Err(1)),
        ("profiles: {ci: {default: maybe, allow: observe}}", Err(2)),
        ("profiles: {ci: {allow: [click], deny: [click]}}", Err(1)),
        ("profiles: {ci: {forbidden_together: [[click]]}}", Err(1)),
        ("profiles: {ci: {permit: [click]}}\nmore: 1", Err(2)),
        ("profiles: {ci: {}, ci: {}}", Err(1)),
        ("profiles: [", Err(1)),
    ] {
        let read = Profiles::parse(text);
        let read = read.map(|profiles| profiles.0.len()).map_err(|problems| problems.listed.len());
        assert_eq!(read, expected, "{text}");
    }
}

#[test]
fn a_profile_decides_before_anything_runs() {
    let recipe = recipe(&edited(&[("click, toggle]", "click, purchase_risk]")]));
    let standard = Profile::standard();
    assert_eq!(standard.policy(Capability::Click), Policy::Allow);
    let decision = standard.decide(&recipe, &[]);
    assert_eq!(decision.ask, [Capability::PurchaseRisk]);
    let failure = decision.failure("standard").unwrap();
    assert_eq!(failure.code, ErrorCode::CapabilityDenied);
    let hint = failure.details.unwrap().hint.unwrap();
    assert_eq!(hint, "If you agree, add --allow purchase_risk.");
    let agreed = standard.decide(&recipe, &[Capability::PurchaseRisk]);
    assert!(agreed.is_allowed() && agreed.failure("standard").is_none());
    let strict = Profiles::parse(
        "profiles: {ci: {default: allow, deny: [purchase_risk], forbidden_together: [[observe, click]]}}",
    );
    let strict = &strict.unwrap().0["ci"];
    // Agreeing does not help where something is denied.
    let decision = strict.decide(&recipe, &[Capability::PurchaseRisk]);
    let failure = decision.failure("ci").unwrap();
    assert_eq!(failure.message, "the profile ci denies purchase_risk, and forbids observe, click together");
}

#[test]
fn what_was_not_tested_is_warned_of() {
    let bounded = recipe(&edited(&[]));
    let open = recipe(&edited(&[(
        "compatibility:\n  min_version_code: 5300000\n  max_version_code: 5400000\n",
        "",
    )]));
    let paths = |recipe, version_code, android_api, locale: Option<&str>| {
        let installed = InstalledApp { version_code, android_api, locale: locale.map(str::to_owned) };
        let found = warnings(recipe, &installed);
        found.into_iter().map(|warning| warning.path).collect::<Vec<_>>().join(" ")
    };
    for (found, expected) in [
        (paths(&bounded, Some(5_300_000), Some(34), Some("en-US")), ""),
        (paths(&bounded, None, None, None), ""),
        (paths(&bounded, Some(5_299_999), None, None), "compatibility.min_version_code"),
        (paths(&bounded, Some(5_400_001), None, None), "compatibility.max_version_code"),
        (paths(&open, Some(5_311_000), None, None), ""),
        (paths(&open, Some(5_311_001), None, None), "app_build.version_code"),
        (paths(&bounded, None, None, Some("en_us")), ""),
        (paths(&bounded, None, None, Some("en-GB")), "tested_on.locale"),
        (paths(&bounded, None, Some(35), Some("de-DE")), "tested_on.android_api tested_on.locale"),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn a_compiled_recipe_says_what_to_redact() {
    let redactions = |edits: &[(&str, &str)]| -> Vec<(String, Redaction)> {
        let compiled = compiled(edits, &tile()).unwrap();
        compiled.redactions().map(|(id, how)| (id.to_owned(), how)).collect()
    };
    assert_eq!(redactions(&[]), []);
    let masked = redactions(&[("    redaction: none\n", "")]);
    assert_eq!(masked, [("read_power".to_owned(), Redaction::Mask)]);
}

/// Recipes with every line taken out, doubled or moved, and cut anywhere.
#[test]
fn no_text_is_too_broken() {
    for (text, format) in [(BASE, Format::Yaml), (DESIGN, Format::Markdown)] {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for index in 0..lines.len() {
            let [mut without, mut twice, mut moved] = [lines.clone(), lines.clone(), lines.clone()];
            without.remove(index);
            twice.insert(index, lines[index]);
            moved.insert(index, " ");
            for changed in [without, twice, moved] {
                let changed = changed.concat();
                let findings = lint("a", &changed, format, LintOptions::default());
                let read = parse(&changed, format);
                assert!(read.is_ok() || findings.has_errors(), "{changed}");
            }
        }
        for end in (0..text.len()).step_by(11) {
            let _ = parse(&text[..end], format);
        }
    }
}
