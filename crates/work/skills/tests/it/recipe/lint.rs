//! Lint: every rule in both directions, and the formats of findings.

use super::cases::{Case, check};
use super::{BASE, edited};
use clawperator_skills::recipe::{
    Denylist, Findings, Format, LintOptions, Profiles, RULES, Rule, lint, to_sarif,
};

/// Lints a case; `> deny TEXT` is a line of the denylist, `> profile YAML` a
/// profile.
fn findings(case: &Case) -> Findings {
    let denied: Vec<_> = case.given("deny").collect();
    let denylist = Denylist::parse(&denied.join("\n")).unwrap();
    let profile = case.given("profile").next();
    let profiles = profile.map(|text| Profiles::parse(&format!("profiles: {{ci: {{{text}}}}}")).unwrap());
    let options = LintOptions {
        denylist: Some(&denylist),
        profile: profiles.as_ref().map(|profiles| &profiles.0["ci"]),
    };
    lint("a.recipe.yaml", &case.text(), Format::Yaml, options)
}

#[test]
fn every_rule_holds_in_both_directions() {
    check("lint.cases", |case| {
        let text = findings(case).to_text();
        text.lines().filter_map(|line| line.strip_prefix("a.recipe.yaml:")).map(str::to_owned).collect()
    });
}

/// Every rule that lint can break has a case.
#[test]
fn every_rule_of_lint_has_a_case() {
    let cases = include_str!("lint.cases");
    let compile_only = [Rule::Contract, Rule::InputMissing, Rule::InputInvalid];
    for row in RULES.iter().filter(|row| !compile_only.contains(&row.rule)) {
        assert!(cases.contains(row.name), "{} has no case", row.name);
    }
}

#[test]
fn the_base_has_no_finding() {
    let findings = lint("a", BASE, Format::Yaml, LintOptions::default());
    assert_eq!(findings.to_text(), "");
    assert_eq!(findings.to_json(), r#"{"findings":[]}"#);
}

#[test]
fn findings_are_written_in_three_formats() {
    let text = edited(&[("recipe_type: action", "recipe_type: acton")]);
    let findings = lint("skills/a b.recipe.yaml", &text, Format::Yaml, LintOptions::default());
    assert_eq!(
        findings.to_text(),
        "skills/a b.recipe.yaml:3:14: error TAXONOMY_INVALID: recipe_type \"acton\" is not one of probe, flow, action\n    \
            Did you mean \"action\"?\n"
    );
    let json: serde_json::Value = serde_json::from_str(&findings.to_json()).unwrap();
    assert_eq!(json["findings"][0]["code"], "TAXONOMY_INVALID");
    assert_eq!(json["findings"][0]["line"], 3);
    let sarif: serde_json::Value = serde_json::from_str(&to_sarif(&findings, "1.0.0")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), RULES.len());
    let result = &run["results"][0];
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "skills/a%20b.recipe.yaml");
    assert_eq!(place["region"], serde_json::json!({"startLine": 3, "startColumn": 14}));
}

#[test]
fn findings_are_bounded_and_no_literal_is_repeated() {
    let many: String = (0..900).map(|index| format!("    - a{index}@example.com\n")).collect();
    let text = edited(&[("tags: [climate]\n", &format!("tags:\n{many}"))]);
    let findings = lint("a", &text, Format::Yaml, LintOptions::default());
    assert_eq!(findings.findings.len(), 500);
    assert!(findings.omitted > 0 && findings.has_errors());
    assert!(!findings.to_json().contains("@example.com"));
}
