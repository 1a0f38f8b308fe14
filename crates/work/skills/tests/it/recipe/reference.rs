//! The page of recipes, its tables written from the code's.

use clawperator_contract::ParamKey;
use clawperator_redact::Redaction;
use clawperator_skills::recipe::{
    Annotation, Capability, Framework, RULES, RecipeType, RiskLevel, SELECTOR_KEYS, SessionPolicy, Severity,
    ValueType, step_types,
};
use std::fmt::Write as _;
use std::path::Path;

/// Compares the part of the page between two comments of its name.
fn with_part(page: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name}: "), format!("<!-- end of {name} -->\n"));
    let (before, rest) = page.split_once(&begin).unwrap();
    let (_, after) = rest.split_once(&end).unwrap();
    let note = "written from the tables by `UPDATE_EXPECT=1 cargo test -p clawperator-skills` -->";
    format!("{before}{begin}{note}\n{table}{end}{after}")
}

fn words() -> String {
    let mut table = "| field | word | meaning |\n|---|---|---|\n".to_owned();
    macro_rules! rows {
        ($($name:ident $field:literal)*) => {$(
            for each in $name::ALL {
                writeln!(table, "| {} | `{}` | {} |", $field, each.word(), each.meaning()).unwrap();
            }
        )*};
    }
    rows! {
        RecipeType "`recipe_type`"
        Framework "`frameworks`"
        SessionPolicy "`session_policy`"
        Capability "`capabilities`"
        RiskLevel "`risk_level`"
        Annotation "`annotation`"
        ValueType "`type` of an input or output"
    }
    let redactions: Vec<_> = Redaction::WORDS.iter().map(|word| format!("`{word}`")).collect();
    writeln!(table, "| `redaction` | {} | See [results](#results). |", redactions.join(", ")).unwrap();
    table
}

fn steps() -> String {
    let mut table = "| type | needs a selector | params |\n|---|---|---|\n".to_owned();
    for row in step_types() {
        let target = if row.uses(ParamKey::Matcher) { "yes" } else { "takes none" };
        let own = row.recipe.unwrap_or_default().iter().map(|key| key.words('_'));
        let more: &[&str] = match row.name {
            "read_text" => &["output", "pattern"],
            _ => &[],
        };
        let params: Vec<_> =
            own.chain(more.iter().map(|name| (*name).to_owned())).map(|name| format!("`{name}`")).collect();
        writeln!(table, "| `{}` | {target} | {} |", row.name, params.join(", ")).unwrap();
    }
    table
}

fn selectors() -> String {
    let mut table = "| key | placeholders | meaning |\n|---|---|---|\n".to_owned();
    for row in SELECTOR_KEYS {
        let takes = if row.takes_inputs { "yes" } else { "no" };
        writeln!(table, "| `{}` | {takes} | {} |", row.name, row.doc).unwrap();
    }
    table.push_str("| `annotation` | no | Where the selector's text comes from; see [words](#words). |\n");
    table
}

fn rules() -> String {
    let mut table = "| code | check | severity | meaning | what to do |\n|---|---|---|---|---|\n".to_owned();
    for row in RULES {
        let check = row.check.map_or("–".to_owned(), |check| check.to_string());
        let severity = match row.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(table, "| `{}` | {check} | {severity} | {} | {} |", row.name, row.meaning, row.fix).unwrap();
    }
    table
}

#[test]
fn the_page_of_recipes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/recipes.md");
    let found = std::fs::read_to_string(&path).unwrap();
    let mut wanted = found.clone();
    for (name, table) in
        [("words", words()), ("steps", steps()), ("selectors", selectors()), ("rules", rules())]
    {
        wanted = with_part(&wanted, name, &table);
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, wanted).unwrap();
    } else {
        assert!(found == wanted, "docs/recipes.md is out of date; run UPDATE_EXPECT=1 cargo test");
    }
}

/// The page's own examples are valid.
#[test]
fn the_examples_of_the_page_are_valid() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/recipes.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut blocks = page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let recipe = super::recipe(blocks.next().unwrap());
    let compiled = clawperator_skills::recipe::compile(&recipe, &super::tile());
    assert!(compiled.is_ok(), "{:?}", compiled.err());
    clawperator_skills::recipe::Profiles::parse(blocks.next().unwrap()).unwrap();
}
