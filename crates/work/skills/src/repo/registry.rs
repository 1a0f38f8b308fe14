//! The registry: the file that lists the skills of a repository. Pure.
//!
//! An entry keeps every key it has. Only its id must be there: what else is missing or of the wrong
//! type is for `validate` to say, so that one broken entry does not hide the others.

use super::limits::MAX_SKILLS;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

/// The keys of an entry that say something.
pub const TEXTS: [&str; 6] = ["id", "applicationId", "intent", "summary", "path", "skillFile"];
/// The keys of an entry that list files.
pub const LISTS: [&str; 2] = ["scripts", "artifacts"];

/// A registry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    /// Every key but `skills`, such as `schemaVersion`, as the file has them.
    pub head: Map<String, Value>,
    /// The skills, in the order of the file; no two have the same id.
    pub skills: Vec<SkillEntry>,
}

/// One skill of a registry, or the content of a `skill.json`: an object with an
/// `id`, and every other key as it was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SkillEntry(Map<String, Value>);

/// Why a text is not a registry, or not an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RegistryFault {
    pub reason: String,
    /// The line, from one; none if the text is not UTF-8.
    pub line: Option<usize>,
    pub column: Option<usize>,
}

impl Registry {
    /// Reads the text of a registry.
    pub fn parse(bytes: &[u8]) -> Result<Self, RegistryFault> {
        parse(bytes)
    }

    /// The skill with an id.
    pub fn get(&self, id: &str) -> Option<&SkillEntry> {
        self.skills.iter().find(|skill| skill.id() == id)
    }

    /// The text of the registry: the keys as they were, `skills` last.
    pub fn to_text(&self) -> String {
        let mut object = self.head.clone();
        let skills = self.skills.iter().map(|skill| Value::Object(skill.0.clone()));
        object.insert("skills".to_owned(), skills.collect());
        pretty(&object)
    }
}

impl SkillEntry {
    /// Reads the text of a `skill.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, RegistryFault> {
        parse(bytes)
    }

    /// An entry of these keys, if `id` is among them and says something.
    pub fn of(keys: Map<String, Value>) -> Option<Self> {
        let id = keys.get("id")?.as_str()?;
        (!id.trim().is_empty()).then_some(Self(keys))
    }

    /// An entry of an id that is not blank, and more keys.
    pub(super) fn with_id<const N: usize>(id: &str, more: [(&str, Value); N]) -> Self {
        let pairs = [("id", id.into())].into_iter().chain(more);
        Self(pairs.map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Its id.
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// The app that it drives.
    pub fn application_id(&self) -> &str {
        self.text("applicationId")
    }

    /// What it is for, in a word.
    pub fn intent(&self) -> &str {
        self.text("intent")
    }

    /// What it does, in a sentence.
    pub fn summary(&self) -> &str {
        self.text("summary")
    }

    /// Its folder, relative to the repository.
    pub fn path(&self) -> &str {
        self.text("path")
    }

    /// Its `skill.json`, relative to the repository.
    pub fn package_file(&self) -> String {
        format!("{}/skill.json", self.path())
    }

    /// The file for agents to read, relative to the repository.
    pub fn skill_file(&self) -> &str {
        self.text("skillFile")
    }

    /// Its scripts, relative to the repository; none if that is not a list of texts.
    pub fn scripts(&self) -> Option<Vec<&str>> {
        self.texts("scripts")
    }

    /// Its templates and recipes, relative to the repository; none if that is not a list of texts.
    pub fn artifacts(&self) -> Option<Vec<&str>> {
        self.texts("artifacts")
    }

    /// Words to find it by.
    pub fn keywords(&self) -> Vec<&str> {
        self.texts("keywords").unwrap_or_default()
    }

    /// What is missing or of the wrong type in an entry that is to be used.
    pub(super) fn type_faults(&self) -> Vec<String> {
        let texts = TEXTS.iter().filter(|key| self.text(key).trim().is_empty());
        let lists = LISTS.iter().filter(|key| self.texts(key).is_none());
        texts
            .map(|key| format!("{key} must be a text that is not blank"))
            .chain(lists.map(|key| format!("{key} must be a list of paths")))
            .collect()
    }

    /// Any key of it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Every key of it.
    pub fn keys(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The text of a key; empty if it is not a text.
    fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn texts(&self, key: &str) -> Option<Vec<&str>> {
        self.get(key)?.as_array()?.iter().map(Value::as_str).collect()
    }
}

/// An object as a file has it.
pub(super) fn pretty(object: &Map<String, Value>) -> String {
    // Texts are the only keys, so it can always be written.
    let mut text = serde_json::to_string_pretty(object).unwrap_or_default();
    text.push('\n');
    text
}

fn parse<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, RegistryFault> {
    let text = std::str::from_utf8(bytes).map_err(|error| RegistryFault {
        reason: format!("it is not UTF-8 from byte {} on", error.valid_up_to()),
        line: None,
        column: None,
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| RegistryFault {
        reason: error.to_string(),
        line: Some(error.line()),
        column: Some(error.column()),
    })
}

impl<'de> Deserialize<'de> for Registry {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_map(RegistryVisitor)
    }
}

struct RegistryVisitor;

impl<'de> Visitor<'de> for RegistryVisitor {
    type Value = Registry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a registry: an object with an array \"skills\"")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Registry, A::Error> {
        let mut head = Map::new();
        let mut skills = None;
        while let Some(key) = source.next_key::<String>()? {
            if key != "skills" {
                head.insert(key, source.next_value()?);
            } else if skills.replace(source.next_value::<Entries>()?.0).is_some() {
                return Err(A::Error::custom("the key \"skills\" is there twice"));
            }
        }
        let skills = skills.ok_or_else(|| A::Error::custom("a registry needs an array \"skills\""))?;
        Ok(Registry { head, skills })
    }
}

/// The entries of a registry. They are checked while they are read, because only
/// then is it known where in the text they are.
struct Entries(Vec<SkillEntry>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_seq(EntriesVisitor).map(Self)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<SkillEntry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array \"skills\"")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Vec<SkillEntry>, A::Error> {
        let mut skills: Vec<SkillEntry> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        while let Some(skill) = source.next_element::<SkillEntry>()? {
            let at = skills.len();
            if at == MAX_SKILLS {
                return Err(A::Error::custom(format!("there are more than {MAX_SKILLS} skills")));
            }
            match known.entry(skill.id().to_owned()) {
                Entry::Occupied(first) => {
                    let (id, first) = (first.key(), first.get());
                    let message = format!("skills.{first} and skills.{at} have the same id \"{id}\"");
                    return Err(A::Error::custom(message));
                }
                Entry::Vacant(place) => place.insert(at),
            };
            skills.push(skill);
        }
        Ok(skills)
    }
}

impl<'de> Deserialize<'de> for SkillEntry {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let keys = Map::deserialize(source)?;
        Self::of(keys).ok_or_else(|| D::Error::custom("a skill needs a text \"id\" that is not blank"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_keeps_every_key() {
        let text = r#"{"schemaVersion":"1.0","skills":[{"id":"a.b","agent":{"cli":"x"},"scripts":7,"keywords":["k"]}],"more":[1]}"#;
        let registry = Registry::parse(text.as_bytes()).unwrap();
        assert_eq!(registry.head.keys().collect::<Vec<_>>(), ["schemaVersion", "more"]);
        let skill = registry.get("a.b").unwrap();
        assert_eq!(
            serde_json::to_string(skill).unwrap(),
            r#"{"id":"a.b","agent":{"cli":"x"},"scripts":7,"keywords":["k"]}"#
        );
        assert_eq!((skill.scripts(), skill.keywords()), (None, vec!["k"]));
        assert_eq!((skill.summary(), skill.artifacts()), ("", None));
        let again = Registry::parse(registry.to_text().as_bytes()).unwrap();
        assert_eq!(again, registry);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, reason) in [
            ("{x", "key must be a string at line 1 column 2"),
            ("{\"skills\":\n {}}", "invalid type: map, expected an array \"skills\" at line 2 column 1"),
            ("{\"a\":1}\n", "a registry needs an array \"skills\" at line 1 column 7"),
            (
                "[]",
                "invalid type: sequence, expected a registry: an object with an array \"skills\" at line 1 column 0",
            ),
            (
                "{\"skills\":[{\"id\":\"a.b\"},\n{\"id\":\"c.d\"},\n{\"id\":\"a.b\"}]}",
                "skills.0 and skills.2 have the same id \"a.b\" at line 3 column 13",
            ),
            (
                "{\"skills\":[{\"id\":\" \"}]}",
                "a skill needs a text \"id\" that is not blank at line 1 column 22",
            ),
            ("{\"skills\":[1]}", "invalid type: integer `1`, expected a map at line 1 column 12"),
            ("{\"skills\":[],\"skills\":[]}", "the key \"skills\" is there twice at line 1 column 25"),
        ] {
            let fault = Registry::parse(text.as_bytes()).unwrap_err();
            assert_eq!(fault.reason, reason, "{text}");
        }
        let many = format!("{{\"skills\":[{}]}}", {
            let ids = (0..=MAX_SKILLS).map(|n| format!("{{\"id\":\"a.{n}\"}}"));
            ids.collect::<Vec<_>>().join(",")
        });
        let fault = Registry::parse(many.as_bytes()).unwrap_err();
        assert!(fault.reason.contains("more than"), "{}", fault.reason);
        assert_eq!(Registry::parse(b"\xff").unwrap_err().line, None);
    }
}
