//! JSON Schemas (draft 2020-12) of recipes, registries and packages. The tests write them from the
//! tables of recipes; what holds between two parts of a recipe is for lint to say.

use clawperator_contract::schema::NamedSchema;
use serde_json::Value;

/// Every schema.
pub const SCHEMAS: [NamedSchema; 3] = [
    NamedSchema {
        name: "recipe",
        doc: "A recipe: JSON, YAML, or the frontmatter and blocks of Markdown as one object.",
        build: || stored(include_str!("../../../../schemas/recipe.json")),
    },
    NamedSchema {
        name: "registry",
        doc: "The registry of a skills repository.",
        build: || stored(include_str!("../../../../schemas/registry.json")),
    },
    NamedSchema {
        name: "skill",
        doc: "The skill.json of a package, and an entry of a registry.",
        build: || stored(include_str!("../../../../schemas/skill.json")),
    },
];

fn stored(text: &str) -> Value {
    // A test reads each of them.
    serde_json::from_str(text).unwrap_or_default()
}
