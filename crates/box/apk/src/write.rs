//! Writes a small APK: a zip with a manifest in Android's binary XML, and nothing else in it.

use super::zip::crc32;
use super::{Component, MANIFEST, Manifest};

const NAMESPACE: &str = "http://schemas.android.com/apk/res/android";
const MAIN: &str = "android.intent.action.MAIN";
const LAUNCHER: &str = "android.intent.category.LAUNCHER";
const NONE: u32 = u32::MAX;
const TEXT: u8 = 0x03;
const NUMBER: u8 = 0x10;
/// The longest string; a longer one is cut.
const MAX_LENGTH: usize = 0x7fff;

/// Attributes with a number: their names are the first strings of the pool, in
/// the order of the numbers.
const NUMBERED: &[(&str, u32)] = &[
    ("label", 0x0101_0001),
    ("name", 0x0101_0003),
    ("authorities", 0x0101_0018),
    ("versionCode", 0x0101_021b),
    ("versionName", 0x0101_021c),
];

/// An APK with this manifest.
pub fn write(manifest: &Manifest) -> Vec<u8> {
    let content = axml(manifest);
    let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    about.extend(crc32(&content).to_le_bytes());
    about.extend([(content.len() as u32).to_le_bytes(); 2].concat());
    about.extend((MANIFEST.len() as u32).to_le_bytes());
    let mut bytes = [b"PK\x03\x04", &about[..], MANIFEST.as_bytes(), &content].concat();
    let directory = bytes.len() as u32;
    bytes.extend(b"PK\x01\x02\x14\0");
    bytes.extend(&about);
    bytes.extend([0; 14]);
    bytes.extend(MANIFEST.as_bytes());
    let length = bytes.len() as u32 - directory;
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend(length.to_le_bytes());
    bytes.extend(directory.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn axml(manifest: &Manifest) -> Vec<u8> {
    let mut writer = AxmlWriter::default();
    for (name, _) in NUMBERED {
        writer.string(name);
    }
    writer.namespace(0x0100);
    writer.open(
        "manifest",
        &[
            ("versionCode", Attribute::Number(manifest.version_code)),
            ("versionName", Attribute::Text(&manifest.version_name)),
            ("package", Attribute::Text(&manifest.package)),
        ],
    );
    for permission in &manifest.permissions {
        writer.leaf("uses-permission", permission);
    }
    let label = manifest.label.as_deref().unwrap_or_default();
    writer.open("application", &[("label", Attribute::Text(label))]);
    for activity in &manifest.activities {
        writer.open("activity", &[("name", Attribute::Text(&activity.name))]);
        if activity.main || activity.launcher {
            writer.open("intent-filter", &[]);
            writer.leaf("action", MAIN);
            if activity.launcher {
                writer.leaf("category", LAUNCHER);
            }
            writer.close("intent-filter");
        }
        writer.close("activity");
    }
    writer.components("service", &manifest.services);
    writer.components("receiver", &manifest.receivers);
    for provider in &manifest.providers {
        let authorities = provider.actions.join(";");
        let name = ("name", Attribute::Text(&provider.name));
        writer.open("provider", &[name, ("authorities", Attribute::Text(&authorities))]);
        writer.close("provider");
    }
    writer.close("application");
    writer.close("manifest");
    writer.namespace(0x0101);
    writer.finish()
}

/// The value of an attribute.
#[derive(Clone, Copy)]
enum Attribute<'t> {
    Text(&'t str),
    Number(u32),
}

#[derive(Default)]
struct AxmlWriter {
    pool: Vec<String>,
    body: Vec<u8>,
}

impl AxmlWriter {
    fn string(&mut self, text: &str) -> u32 {
        let known = self.pool.iter().position(|known| known == text);
        known.unwrap_or_else(|| {
            self.pool.push(text.to_owned());
            self.pool.len() - 1
        }) as u32
    }

    /// The namespace of Android's attributes begins or ends.
    fn namespace(&mut self, kind: u16) {
        let (prefix, uri) = (self.string("android"), self.string(NAMESPACE));
        self.body.extend(chunk(kind, &words(&[1, NONE]), &words(&[prefix, uri])));
    }

    fn open(&mut self, name: &str, attributes: &[(&str, Attribute<'_>)]) {
        let name = self.string(name);
        let mut body = words(&[NONE, name]);
        // Where attributes begin, how large each is, how many there are.
        for number in [20, 20, attributes.len() as u16, 0, 0, 0] {
            body.extend(number.to_le_bytes());
        }
        for (name, value) in attributes {
            let numbered = NUMBERED.iter().any(|row| row.0 == *name);
            let space = if numbered { self.string(NAMESPACE) } else { NONE };
            let (raw, kind, data) = match value {
                Attribute::Text(text) => {
                    let text = self.string(text);
                    (text, TEXT, text)
                }
                Attribute::Number(number) => (NONE, NUMBER, *number),
            };
            let name = self.string(name);
            body.extend(words(&[space, name, raw]));
            body.extend([8, 0, 0, kind]);
            body.extend(data.to_le_bytes());
        }
        self.body.extend(chunk(0x0102, &words(&[1, NONE]), &body));
    }

    fn close(&mut self, name: &str) {
        let name = self.string(name);
        self.body.extend(chunk(0x0103, &words(&[1, NONE]), &words(&[NONE, name])));
    }

    /// An element with a name and nothing in it.
    fn leaf(&mut self, element: &str, name: &str) {
        self.open(element, &[("name", Attribute::Text(name))]);
        self.close(element);
    }

    /// Components, and what each is asked for as.
    fn components(&mut self, element: &str, components: &[Component]) {
        for component in components {
            self.open(element, &[("name", Attribute::Text(&component.name))]);
            if !component.actions.is_empty() {
                self.open("intent-filter", &[]);
                for action in &component.actions {
                    self.leaf("action", action);
                }
                self.close("intent-filter");
            }
            self.close(element);
        }
    }

    fn finish(self) -> Vec<u8> {
        let numbers: Vec<_> = NUMBERED.iter().map(|row| row.1).collect();
        let body = [pool(&self.pool), chunk(0x0180, &[], &words(&numbers)), self.body].concat();
        chunk(0x0003, &[], &body)
    }
}

fn pool(strings: &[String]) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for string in strings {
        offsets.push(data.len() as u32);
        let units: Vec<u16> = string.encode_utf16().take(MAX_LENGTH).collect();
        data.extend((units.len() as u16).to_le_bytes());
        data.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        data.extend([0, 0]);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let count = strings.len() as u32;
    let header = words(&[count, 0, 0, 28 + 4 * count, 0]);
    chunk(0x0001, &header, &[words(&offsets), data].concat())
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn chunk(kind: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
    let size = 8 + header.len();
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend((size as u16).to_le_bytes());
    bytes.extend(((size + body.len()) as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Archive, DeclaredActivity};

    #[test]
    fn what_is_written_is_read_back() {
        let component = |name: &str, actions: &[&str]| Component {
            name: name.to_owned(),
            actions: actions.iter().map(|&action| action.to_owned()).collect(),
        };
        let manifest = Manifest {
            package: "com.example.notes".to_owned(),
            version_code: 7,
            version_name: "1.0-β".to_owned(),
            label: Some("Notes {1}".to_owned()),
            activities: vec![
                DeclaredActivity { name: ".Main".to_owned(), main: true, launcher: true },
                DeclaredActivity { name: ".Help".to_owned(), ..DeclaredActivity::default() },
            ],
            services: vec![component(".Sync", &["com.example.SYNC"]), component(".Idle", &[])],
            receivers: vec![component(".Boot", &["android.intent.action.BOOT_COMPLETED"])],
            providers: vec![component(".Files", &["com.example.files", "com.example.more"])],
            permissions: vec!["android.permission.CAMERA".to_owned()],
            ..Manifest::default()
        };
        let bytes = write(&manifest);
        assert_eq!(Archive::read(&bytes).unwrap().labelled_manifest(), Ok(manifest));
        assert!(write(&Manifest::default()).len() < 1_500);
    }
}
