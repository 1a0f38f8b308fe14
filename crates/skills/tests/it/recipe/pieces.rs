//! Literals and profiles, piece by piece.

use super::{edited, recipe};
use clawperator_contract::ErrorCode;
use clawperator_skills::recipe::{Capability, Denylist, LiteralKind, Policy, Profile, Profiles, scan};

#[test]
fn literals_are_found_and_others_are_not() {
    let denied = Denylist::parse("# names\nAnn\n\nMünchen Süd\n");
    for (text, kinds) in [
        (
            "write to amy.lee+x@mail.example.org now",
            &[LiteralKind::Email][..],
        ),
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
        ("planning", &[]),
        ("in münchen süd.", &[LiteralKind::Denied]),
        ("ann@mail.example", &[LiteralKind::Denied]),
        ("Ann: +1 555 010 9999", &[LiteralKind::Denied, LiteralKind::Phone]),
        ("", &[]),
    ] {
        let found: Vec<_> = scan(text, &denied).into_iter().map(|each| each.kind).collect();
        assert_eq!(found, kinds, "{text}");
    }
    let found = scan("to ann.lee@mail.example!", &Denylist::default())[0];
    assert_eq!(
        &"to ann.lee@mail.example!"[found.start..found.end],
        "ann.lee@mail.example"
    );
}

#[test]
fn a_profile_file_is_read_or_refused() {
    for (text, expected) in [
        ("profiles: {ci: {allow: [observe]}}", Ok(1)),
        (
            "{\"profiles\": {\"a\": {}, \"b\": {\"default\": \"ask\"}}}",
            Ok(2),
        ),
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
        let read = read
            .map(|profiles| profiles.0.len())
            .map_err(|problems| problems.listed.len());
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
    assert_eq!(
        failure.message,
        "the profile ci denies purchase_risk, and forbids observe, click together"
    );
}
