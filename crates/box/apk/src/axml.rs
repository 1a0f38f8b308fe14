//! Reads a manifest in Android's binary XML: as much of it as an installer needs.
//!
//! A file is a row of chunks: a pool of strings, the numbers of the attributes whose names are at
//! the pool's beginning, then the elements as they open and close. Strings are read where they are
//! used, so that a small file cannot make a large answer.

use super::chunk::{Chunk, place, pool_string, u16_at, u32_at};
use super::{Component, DeclaredActivity, Manifest};

/// The most chunks, attributes of an element, and things of a kind.
const MAX_CHUNKS: usize = 200_000;
const MAX_ATTRIBUTES: usize = 200;
const MAX_KEPT: usize = 1_000;
const MAX_DEPTH: usize = 100;

const XML: u16 = 0x0003;
const POOL: u16 = 0x0001;
const NUMBERS: u16 = 0x0180;
const OPENS: u16 = 0x0102;
const CLOSES: u16 = 0x0103;
const REFERENCE: u8 = 0x01;
const STRING: u8 = 0x03;
const INTEGERS: std::ops::RangeInclusive<u8> = 0x10..=0x12;

/// The attributes that count: their number, and their name where a file has no numbers.
const ATTRIBUTES: &[(u32, &str)] = &[
    (0x0101_0001, "label"),
    (0x0101_0003, "name"),
    (0x0101_0018, "authorities"),
    (0x0101_021b, "versionCode"),
    (0x0101_021c, "versionName"),
    (0x0101_0272, "testOnly"),
];

/// Why a manifest cannot be read.
type ManifestError = &'static str;

/// An attribute's value.
#[derive(Debug)]
enum AttributeValue {
    Text(String),
    Number(u32),
    Resource(u32),
    /// Something only the app's resources know.
    Other,
}

pub(super) fn manifest(bytes: &[u8]) -> Result<Manifest, ManifestError> {
    let whole = Chunk::at(bytes, 0).ok_or("it is too short")?;
    if whole.kind != XML {
        return Err("it is no binary XML");
    }
    let mut reader = ManifestReader::default();
    for chunk in whole.inside(MAX_CHUNKS) {
        reader.chunk(chunk)?;
    }
    if reader.manifest.package.is_empty() {
        return Err("it names no package");
    }
    Ok(reader.manifest)
}

#[derive(Debug, Default)]
struct ManifestReader<'b> {
    pool: Option<Chunk<'b>>,
    numbers: Option<Chunk<'b>>,
    manifest: Manifest,
    /// The names of the elements that are open.
    open: Vec<String>,
}

impl<'b> ManifestReader<'b> {
    fn chunk(&mut self, chunk: Chunk<'b>) -> Result<(), ManifestError> {
        match chunk.kind {
            POOL => self.pool = self.pool.or(Some(chunk)),
            NUMBERS => self.numbers = self.numbers.or(Some(chunk)),
            OPENS => {
                let (name, attributes) = self.element(chunk).ok_or("an element is cut off")?;
                if self.open.len() >= MAX_DEPTH {
                    return Err("its elements are too deep");
                }
                self.opens(&name, attributes);
                self.open.push(name);
            }
            CLOSES => {
                self.open.pop();
            }
            _ => {}
        }
        Ok(())
    }

    /// An element's name and attributes.
    fn element(&self, chunk: Chunk<'_>) -> Option<(String, Vec<(String, AttributeValue)>)> {
        let bytes = chunk.bytes;
        let body = chunk.header;
        let name = self.string(u32_at(bytes, body + 4)?)?;
        let first = body + usize::from(u16_at(bytes, body + 8)?);
        let size = usize::from(u16_at(bytes, body + 10)?);
        let count = usize::from(u16_at(bytes, body + 12)?).min(MAX_ATTRIBUTES);
        let attribute = |number: usize| {
            let at = first + number * size;
            let name = self.attribute_name(u32_at(bytes, at + 4)?)?;
            let data = u32_at(bytes, at + 16)?;
            let value = match *bytes.get(at + 15)? {
                STRING => AttributeValue::Text(self.string(data)?),
                REFERENCE => AttributeValue::Resource(data),
                kind if INTEGERS.contains(&kind) => AttributeValue::Number(data),
                _ => AttributeValue::Other,
            };
            Some((name, value))
        };
        // An attribute that cannot be read is not worth the whole file.
        Some((name, (0..count).filter_map(attribute).collect()))
    }

    fn attribute_name(&self, string: u32) -> Option<String> {
        let number = self.numbers.and_then(|chunk| u32_at(chunk.bytes, place(chunk.header, string)?));
        let known = ATTRIBUTES.iter().find(|row| Some(row.0) == number);
        known.map_or_else(|| self.string(string), |row| Some(row.1.to_owned()))
    }

    fn string(&self, number: u32) -> Option<String> {
        pool_string(self.pool?, number)
    }

    fn opens(&mut self, name: &str, attributes: Vec<(String, AttributeValue)>) {
        let parent = self.open.last().map_or("", String::as_str);
        let manifest = &mut self.manifest;
        let mut filter = None;
        let mut component = Component::default();
        for (attribute, value) in attributes {
            match (parent, name, attribute.as_str(), value) {
                ("", "manifest", "package", AttributeValue::Text(text)) => manifest.package = text,
                ("", "manifest", "split", AttributeValue::Text(text)) => manifest.split = Some(text),
                ("", "manifest", "versionCode", AttributeValue::Number(code)) => manifest.version_code = code,
                ("", "manifest", "versionName", AttributeValue::Text(text)) => manifest.version_name = text,
                ("manifest", "application", "label", AttributeValue::Text(text)) => {
                    manifest.label = Some(text);
                }
                ("manifest", "application", "label", AttributeValue::Resource(number)) => {
                    manifest.label_resource = Some(number);
                }
                ("manifest", "application", "testOnly", AttributeValue::Number(flag)) => {
                    manifest.test_only = flag != 0;
                }
                ("manifest", "uses-permission", "name", AttributeValue::Text(text)) => {
                    keep(&mut manifest.permissions, text);
                }
                ("application", "activity" | "activity-alias", "name", AttributeValue::Text(name)) => {
                    let declared = DeclaredActivity { name, ..DeclaredActivity::default() };
                    keep(&mut manifest.activities, declared);
                }
                (
                    "application",
                    "service" | "receiver" | "provider",
                    attribute,
                    AttributeValue::Text(text),
                ) => match attribute {
                    "name" => component.name = text,
                    "authorities" => component.actions = text.split(';').map(str::to_owned).collect(),
                    _ => {}
                },
                ("intent-filter", kind, "name", AttributeValue::Text(text)) => filter = Some((kind, text)),
                _ => {}
            }
        }
        if let Some(kept) = components(manifest, name).filter(|_| !component.name.is_empty()) {
            component.actions.truncate(MAX_KEPT);
            keep(kept, component);
        }
        if let Some((kind, text)) = filter {
            self.filters(kind, &text);
        }
    }

    /// What a filter says: of an activity, whether it is an icon on the home
    /// screen; of a service or a receiver, what it is asked for as.
    fn filters(&mut self, kind: &str, text: &str) {
        let around = self.open.len().checked_sub(2).and_then(|at| self.open.get(at));
        match around.map(String::as_str) {
            Some("activity" | "activity-alias") => {
                if let Some(activity) = self.manifest.activities.last_mut() {
                    activity.main |= kind == "action" && text == "android.intent.action.MAIN";
                    activity.launcher |= kind == "category" && text == "android.intent.category.LAUNCHER";
                }
            }
            Some(element @ ("service" | "receiver")) if kind == "action" => {
                let last = components(&mut self.manifest, element).and_then(|kept| kept.last_mut());
                if let Some(component) = last {
                    keep(&mut component.actions, text.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Where the components of an element's kind are kept.
fn components<'m>(manifest: &'m mut Manifest, element: &str) -> Option<&'m mut Vec<Component>> {
    match element {
        "service" => Some(&mut manifest.services),
        "receiver" => Some(&mut manifest.receivers),
        "provider" => Some(&mut manifest.providers),
        _ => None,
    }
}

fn keep<T>(kept: &mut Vec<T>, one: T) {
    if kept.len() < MAX_KEPT {
        kept.push(one);
    }
}
