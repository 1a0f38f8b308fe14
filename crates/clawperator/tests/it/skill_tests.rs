//! `skills test`: our own skills pass, and what must fail does.

use super::skills::{Folder, copy};
use super::{clawperator, root};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const BATTERY: &str = "com.android.settings.read-battery";
const HEATING: &str = "com.clawperator.smarthome.heating-off";
const MULTIPLY: &str = "com.google.android.calculator.multiply";

/// A repository with our skills and nothing else.
struct Repo(Folder);

impl Repo {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        copy(&root().join("skills"), &folder.0.join("skills"));
        Self(folder)
    }

    fn write(&self, skill: &str, file: &str, text: &str) {
        let path = self.0.0.join("skills").join(skill).join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The only test of a skill.
    fn only_test(&self, skill: &str, text: &str) {
        let tests = self.0.0.join("skills").join(skill).join("tests");
        std::fs::remove_dir_all(&tests).unwrap();
        self.write(skill, "tests/only.world.yaml", text);
    }

    fn test(&self, words: &[&str]) -> (Value, Output) {
        test(&self.0.0, words)
    }
}

fn test(folder: &Path, words: &[&str]) -> (Value, Output) {
    let output = clawperator()
        .args(["skills", "test"])
        .args(words)
        .current_dir(folder)
        .env_remove("CLAWPERATOR_SKILLS_REGISTRY")
        .output()
        .unwrap();
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (answer, output)
}

/// The tests of an answer that did not pass: variant, status and problems.
fn not_passed(answer: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tests = answer["tests"].as_array().unwrap().iter();
    let failed = tests.filter(|test| test["status"] != "passed");
    failed
        .map(|test| {
            let problems = test["problems"].as_array().map(Vec::as_slice).unwrap_or_default();
            let problems: Vec<_> = problems.iter().map(text).collect();
            (text(&test["variant"]), text(&test["status"]), problems.join("\n"))
        })
        .collect()
}

#[test]
fn every_skill_of_ours_passes_its_tests_on_every_kind_of_phone() {
    let repo = Repo::new("skill-tests-all");
    let (answer, output) = repo.test(&["--all", "--junit", "results.xml"]);
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(answer["untested"], serde_json::json!([]));
    for variant in ["plain", "slow", "restless", "interrupted"] {
        let mut tests = answer["tests"].as_array().unwrap().iter();
        assert!(tests.any(|test| test["variant"] == variant), "{variant}");
    }
    let xml = std::fs::read_to_string(repo.0.0.join("results.xml")).unwrap();
    let acts = answer["acts"].as_array().unwrap();
    assert!(acts.iter().all(|act| act["proof"] == "proven"), "{acts:?}");
    assert!(acts.len() >= 9, "{acts:?}");
    let count = answer["passed"].as_u64().unwrap() + acts.len() as u64;
    let totals = format!("<testsuites tests=\"{count}\" failures=\"0\" skipped=\"0\">");
    assert!(xml.contains(&totals), "{xml}");
}

/// The acts of an answer: the step and its proof.
fn acts(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let acts = answer["acts"].as_array().unwrap().iter();
    acts.map(|act| (text(&act["step"]), text(&act["proof"]))).collect()
}

#[test]
fn an_act_that_no_test_notices_is_unproven() {
    const TIMEOUT: &str = "com.android.settings.set-screen-timeout";
    let file = format!("{TIMEOUT}/artifacts/set-screen-timeout.recipe.yaml");
    let recipe = std::fs::read_to_string(root().join("skills").join(&file)).unwrap();
    // What is there anyway confirms nothing.
    let (head, _) = recipe.split_once("    confirm:\n      selector:\n        text_contains: After").unwrap();
    let idle = format!(
        "{head}    confirm:\n      selector: {{any_of: [{{text_equals: Cancel}}, {{text_equals: Navigate up}}]}}\n"
    );
    let expect = "about: x\ninputs: {timeout: 5 minutes}\nexpect: {}\nvariants: []\n";
    let no_success = "inputs: {timeout: 7 minutes}\nexpect: {code: NODE_NOT_FOUND}\nvariants: []\n";
    let waits = "  - {id: wait, type: wait_for_node, selector: {text_equals: Settings}}\n";
    let (front, _) = recipe.split_once("steps:\n").unwrap();
    let empty = format!("{front}steps:\n{waits}")
        .replace("capabilities: [observe, navigate, click, toggle]", "capabilities: [observe]");
    let flow = idle.replace("recipe_type: action", "recipe_type: flow");
    // A search that finds what it looks for is no proof of the touch at its end.
    let found = "text_equals: Tips & support";
    let search = format!(
        "{front}steps:\n  - {{id: c, type: scroll_and_click, selector: {{{found}}}, confirm: {{selector: {{{found}}}}}}}\n"
    );
    let read =
        "{id: r, type: read_text, selector: {text_equals: Settings}, params: {output: screen_timeout}}";
    let reads = format!("{front}steps:\n  - {read}\n");
    // A touch that does nothing, in a world that fails by itself or acts by itself.
    let useless = "{id: c, type: click, selector: {resource_id: \"com.android.settings:id/account_avatar\"}";
    let useless = format!(
        "{front}steps:\n  - {useless}, confirm: {{selector: {{text_equals: Settings}}, timeout_ms: 500}}}}\n"
    );
    let given = "inputs: {timeout: 5 minutes}\nvariants: []\n";
    let flaky = format!("{given}faults: [dump_null_root@40%]\nexpect: {{}}\n");
    let timeout = "{run: settings get system screen_off_timeout, contains: \"120000\"}";
    let helped = format!(
        "{given}meanwhile: [{{at_ms: AT, run: settings put system screen_off_timeout 120000}}]\nexpect: {{phone: [{timeout}]}}\n"
    );
    let helped = helped.replace("AT", "1800") + "latency: pixel-like\n";
    let patient = useless.replace(", timeout_ms: 500", "");
    for (recipe, world, ok, proofs) in [
        (&recipe, expect, true, "proven proven proven"),
        (&idle, expect, false, "proven proven missing"),
        (&flow, expect, true, "proven proven unproven"),
        // A test that expects a failure proves nothing.
        (&recipe, no_success, false, "missing missing missing"),
        // A recipe that does nothing passes its test, and proves nothing.
        (&empty, expect, false, "missing"),
        (&reads, expect, false, "missing"),
        (&search, expect, false, "missing"),
        (&useless, &flaky, false, "missing"),
        (&patient, &helped, false, "missing"),
    ] {
        let repo = Repo::new("skill-tests-proof");
        repo.write(TIMEOUT, "artifacts/set-screen-timeout.recipe.yaml", recipe);
        repo.only_test(TIMEOUT, world);
        let (answer, output) = repo.test(&[TIMEOUT]);
        assert_eq!(answer["failed"], 0, "{answer}");
        let found: Vec<_> = acts(&answer).into_iter().map(|(_, proof)| proof).collect();
        assert_eq!(found.join(" "), proofs, "{answer}");
        assert_eq!((&answer["ok"], output.status.success()), (&ok.into(), ok), "{answer}");
        let (_, output) = repo.test(&[TIMEOUT, "--output", "pretty"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            said.contains("is unproven: no test that expects success notices"),
            !proofs.ends_with("proven proven proven"),
            "{said}"
        );
    }
}

#[test]
fn a_script_whose_touches_no_test_notices_is_unproven() {
    let repo = Repo::new("skill-tests-script-proof");
    repo.write(MULTIPLY, "scripts/multiply.js", "process.exit(0)\n");
    repo.only_test(MULTIPLY, "expect: {}\nvariants: []\n");
    let (answer, _) = repo.test(&[MULTIPLY]);
    assert_eq!(acts(&answer), [("every touch".to_owned(), "unproven".to_owned())], "{answer}");
    assert_eq!(answer["ok"], true, "{answer}");
}

#[test]
fn what_must_fail_fails_and_says_why() {
    let repo = Repo::new("skill-tests-fail");
    let skipped = ["slow", "restless", "interrupted"].map(|variant| (variant, "skipped", ""));
    let and_the_rest = |first: (&'static str, &'static str, &'static str)| {
        std::iter::once(first).chain(skipped).collect::<Vec<_>>()
    };
    for (skill, world, wanted) in [
        (
            BATTERY,
            "expect:\n  outputs: {battery_percent: 84}\n",
            and_the_rest(("plain", "failed", "expected the output battery_percent to be 84, got 85")),
        ),
        (
            BATTERY,
            "expect: {status: partial}\nvariants: []\n",
            vec![("plain", "failed", "expected partial, got success")],
        ),
        (
            HEATING,
            "inputs: {room: Kitchen}\nfaults: [input_dropped]\nexpect: {}\n",
            and_the_rest(("plain", "failed", "expected success, got failed (VERIFY_FAILED:")),
        ),
        (
            MULTIPLY,
            "inputs: {a: 12, b: 7}\nexpect: {outputs: {product: 85}}\nvariants: []\n",
            vec![("plain", "failed", "expected the output product to be 85, got 84")],
        ),
        (
            MULTIPLY,
            "inputs: {a: 12, b: 7}\nfaults: [input_dropped]\nexpect: {}\nvariants: []\n",
            vec![("plain", "failed", "expected success, got failed (SKILL_EXECUTION_FAILED:")],
        ),
        (
            HEATING,
            "expect:\n  code: RECIPE_INPUT_MISSING\n  phone: [{run: echo 1, contains: \"2\"}]\nvariants: []\n",
            vec![("plain", "failed", "expected `echo 1` to print \"2\" afterwards, got \"1")],
        ),
        (
            BATTERY,
            "setup: [no-such-command]\nexpect: {}\nvariants: []\n",
            vec![("plain", "failed", "setup failed: no-such-command")],
        ),
        (
            BATTERY,
            "expect: {}\nphone: []\n",
            vec![(
                "plain",
                "failed",
                "skills/com.android.settings.read-battery/tests/only.world.yaml:2:1: unknown field `phone`",
            )],
        ),
        (
            BATTERY,
            "expect: {}\nfaults:\n  - fire\n",
            vec![(
                "plain",
                "failed",
                "skills/com.android.settings.read-battery/tests/only.world.yaml:3:5: unknown fault `fire`",
            )],
        ),
    ] {
        repo.only_test(skill, world);
        let (answer, output) = repo.test(&[skill]);
        assert_eq!(output.status.code(), Some(1), "{world}");
        let found = not_passed(&answer);
        assert_eq!(found.len(), wanted.len(), "{world}: {found:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_eq!((found.0.as_str(), found.1.as_str()), (wanted.0, wanted.1), "{world}");
            assert!(found.2.starts_with(wanted.2), "{world}: {found:?}");
        }
    }
}

#[test]
fn a_recipe_that_never_looks_again_does_not_survive_an_interruption() {
    let repo = Repo::new("skill-tests-impatient");
    let file = "artifacts/read-battery.recipe.yaml";
    let path = repo.0.0.join("skills").join(BATTERY).join(file);
    let patient = std::fs::read_to_string(path).unwrap();
    repo.write(BATTERY, file, &patient.replace("count: 4", "count: 0"));
    let (answer, output) = repo.test(&[BATTERY]);
    assert_eq!(output.status.code(), Some(1));
    let found = not_passed(&answer);
    let (variant, status, problems) = found.last().unwrap();
    assert_eq!((variant.as_str(), status.as_str()), ("interrupted", "failed"));
    assert!(
        problems.starts_with("with a call before command ") && problems.contains("CONTAINER_NOT_FOUND"),
        "{problems}"
    );
}

#[test]
fn a_restless_phone_is_survived_whatever_the_seed() {
    let repo = Repo::new("skill-tests-restless");
    for seed in ["4", "5", "6", "7"] {
        for skill in [BATTERY, HEATING] {
            let (answer, _) = repo.test(&[skill, "--seed", seed]);
            assert_eq!(not_passed(&answer), [], "{skill}, seed {seed}");
        }
    }
}

#[test]
fn a_world_file_says_which_of_several_recipes_it_tests() {
    let repo = Repo::new("skill-tests-several");
    let name = "artifacts/read-battery.recipe.yaml";
    let folder = repo.0.0.join("skills").join(BATTERY);
    let recipe = std::fs::read_to_string(folder.join(name)).unwrap();
    // The second one feeds another output.
    let other = recipe.replace("battery_percent", "charge");
    repo.write(BATTERY, "artifacts/other.recipe.yaml", &other);
    let own = format!("skills/{BATTERY}/{name}");
    let both = format!("{own}\",\"skills/{BATTERY}/artifacts/other.recipe.yaml");
    let registry = repo.0.0.join("skills/skills-registry.json");
    let text = std::fs::read_to_string(&registry).unwrap();
    std::fs::write(&registry, text.replace(&own, &both)).unwrap();
    for (artifact, wanted) in [
        ("artifact: other\n", ""),
        ("artifact: read-battery\n", "expected the output charge to be 85, and there is none"),
        ("", "has 2 recipes; write `artifact:` and one of: read-battery, other"),
        ("artifact: none\n", "has no recipe \"none\"; write `artifact:`"),
    ] {
        let world = format!("{artifact}expect: {{outputs: {{charge: 85}}}}\nvariants: []\n");
        repo.only_test(BATTERY, &world);
        let (answer, _) = repo.test(&[BATTERY]);
        let problems: Vec<_> = not_passed(&answer).into_iter().map(|test| test.2).collect();
        assert_eq!(problems.is_empty(), wanted.is_empty(), "{problems:?}");
        assert!(problems.iter().all(|why| why.contains(wanted)), "{problems:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let repo = Repo::new("skill-tests-seed");
    let run = |jobs: &str| repo.test(&[HEATING, "--seed", "11", "--jobs", jobs]).1.stdout;
    assert_eq!(run("1"), run("4"));
}

#[test]
fn a_skill_without_tests_is_named_and_does_not_count_as_tested() {
    let repo = Repo::new("skill-tests-none");
    std::fs::remove_dir_all(repo.0.0.join("skills").join(BATTERY).join("tests")).unwrap();
    let (answer, output) = repo.test(&[BATTERY]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer["code"], "SKILL_VALIDATION_FAILED");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("has no tests") && message.contains("tests/*.world.yaml"), "{message}");
    for skill in std::fs::read_dir(repo.0.0.join("skills")).unwrap() {
        let tests = skill.unwrap().path().join("tests");
        if tests.exists() {
            std::fs::remove_dir_all(tests).unwrap();
        }
    }
    let (answer, output) = repo.test(&["--all", "--junit", "none.xml"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(answer["tests"], serde_json::json!([]));
    assert!(answer["untested"].as_array().unwrap().contains(&BATTERY.into()));
    let xml = std::fs::read_to_string(repo.0.0.join("none.xml")).unwrap();
    assert!(xml.contains("<skipped message=\"the skill has no tests\"/>"), "{xml}");
}
