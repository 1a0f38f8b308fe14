//! The schemas: committed as generated, and of one mind with the readers: what
//! is shipped fits, and what is broken does not.

mod build;

use clawperator_skills::recipe::{Format, parse};
use clawperator_skills::repo::{Registry, SkillEntry};
use clawperator_skills::schema::SCHEMAS;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn validator(name: &str) -> Validator {
    let schema = SCHEMAS.iter().find(|schema| schema.name == name).unwrap();
    jsonschema::draft202012::new(&(schema.build)()).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn said(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    clawperator_document::yaml::read(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
}

#[test]
fn committed_schemas_are_the_generated_ones() {
    for (schema, built) in SCHEMAS.iter().zip([build::recipe(), build::registry(), build::skill()]) {
        jsonschema::meta::validate(&built).unwrap_or_else(|error| panic!("{}: {error}", schema.name));
        let text = format!("{built:#}\n");
        let file = root().join(format!("schemas/{}.json", schema.name));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{}", schema.name);
        assert_eq!(built["$id"], (schema.build)()["$id"]);
    }
}

#[test]
fn shipped_skills_fit_their_schemas() {
    let (recipe, skill) = (validator("recipe"), validator("skill"));
    let fits = |validator: &Validator, path: &Path| {
        let verdict = validator.validate(&said(path)).map_err(|error| error.to_string());
        assert_eq!(verdict, Ok(()), "{}", path.display());
    };
    fits(&validator("registry"), &root().join("skills/skills-registry.json"));
    let (mut recipes, mut skills) = (0, 0);
    for entry in std::fs::read_dir(root().join("skills")).unwrap() {
        let package = entry.unwrap().path();
        if !package.join("skill.json").is_file() {
            continue;
        }
        fits(&skill, &package.join("skill.json"));
        skills += 1;
        for artifact in std::fs::read_dir(package.join("artifacts")).into_iter().flatten() {
            let path = artifact.unwrap().path();
            // A recipe in Markdown is read from its blocks.
            if path.extension().is_some_and(|ending| ending != "md") {
                fits(&recipe, &path);
                recipes += 1;
            }
        }
    }
    assert!(recipes >= 6 && skills >= 8, "{recipes} {skills}");
}

#[test]
fn a_broken_recipe_fits_neither_the_schema_nor_the_reader() {
    let whole = said(
        &root()
            .join("skills/com.android.settings.set-screen-timeout/artifacts/set-screen-timeout.recipe.yaml"),
    );
    let validator = validator("recipe");
    assert!(validator.is_valid(&whole));
    for (path, value) in [
        ("/recipe_id", json!("a b")),
        ("/recipe_id", Value::Null),
        ("/recipe_version", json!("1.0")),
        ("/recipe_type", json!("act")),
        ("/application_id", json!("settings")),
        ("/session_policy", json!("new")),
        ("/frameworks", json!([])),
        ("/app_build", json!({"version_name": "1"})),
        ("/app_build/version_code", json!("1")),
        ("/tested_on/android_api", json!(0)),
        ("/capabilities", json!(["fly"])),
        ("/inputs/0/type", json!("text")),
        ("/inputs/0/name", json!("1st")),
        ("/steps", json!([])),
        ("/steps/0/type", json!("enter_text")),
        ("/steps/0/id", json!("a.b")),
        ("/steps/0/selector", json!({})),
        ("/steps/0/selector", json!({"annotation": "STRUCTURAL"})),
        ("/steps/0/selector", json!({"xpath": "//a"})),
        ("/steps/0/selector", json!({"text_equals": " "})),
        ("/steps/0/confirm", json!({"gone": true})),
        ("/steps/0/params", json!({"speed": 1})),
        ("/steps/0", json!({"id": "a", "type": "sleep"})),
        ("/steps/0", json!({"id": "a", "type": "open_app", "selector": {"text_equals": "a"}})),
        ("/steps/0", json!({"id": "a", "type": "click"})),
        (
            "/steps/0",
            json!({"id": "a", "type": "click", "selector": {"class": "a.B"}, "retries": {"count": 10}}),
        ),
        ("/more", json!(1)),
    ] {
        let mut broken = whole.clone();
        match (broken.pointer_mut(path), value) {
            (_, Value::Null) => drop(broken.as_object_mut().unwrap().remove(&path[1..])),
            (Some(place), value) => *place = value,
            (None, value) => drop(broken.as_object_mut().unwrap().insert(path[1..].to_owned(), value)),
        }
        assert!(parse(&broken.to_string(), Format::Json).is_err(), "{path}: {broken}");
        assert!(!validator.is_valid(&broken), "{path}: {}", broken.pointer(path).unwrap_or(&Value::Null));
    }
}

#[test]
fn a_broken_registry_or_package_does_not_fit() {
    let entry = json!({"id": "a.b.c", "applicationId": "a.b", "intent": "c", "summary": "x", "path": "skills/a.b.c",
        "skillFile": "skills/a.b.c/SKILL.md", "scripts": [], "artifacts": [], "agent": {"cli": "x"}});
    let (skill, registry) = (validator("skill"), validator("registry"));
    assert!(skill.is_valid(&entry) && SkillEntry::parse(entry.to_string().as_bytes()).is_ok());
    assert!(registry.is_valid(&json!({"skills": [entry]})));
    for key in ["id", "applicationId", "intent", "summary", "path", "skillFile", "scripts", "artifacts"] {
        let (mut lacks, mut wrong) = (entry.clone(), entry.clone());
        lacks.as_object_mut().unwrap().remove(key);
        wrong[key] = json!({});
        for broken in [lacks, wrong] {
            assert!(!skill.is_valid(&broken), "{key}");
            assert!(!registry.is_valid(&json!({"skills": [broken]})), "{key}");
        }
    }
    for broken in [json!({}), json!({"skills": {}}), json!([])] {
        assert!(!registry.is_valid(&broken), "{broken}");
        assert!(Registry::parse(broken.to_string().as_bytes()).is_err(), "{broken}");
    }
}
