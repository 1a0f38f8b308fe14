//! Writes small APKs by hand: a zip, and a manifest in binary XML.

/// The strings that stand first in the pool, because attributes are named by
/// their numbers.
const NUMBERED: &[(&str, u32)] = &[
    ("label", 0x0101_0001),
    ("name", 0x0101_0003),
    ("authorities", 0x0101_0018),
    ("versionCode", 0x0101_021b),
    ("versionName", 0x0101_021c),
    ("testOnly", 0x0101_0272),
];

/// An element: its name, its attributes, what is in it.
pub(crate) struct Element(
    pub(crate) &'static str,
    pub(crate) Vec<(&'static str, Value)>,
    pub(crate) Vec<Element>,
);

/// An attribute's value.
#[derive(Clone)]
pub(crate) enum Value {
    Text(String),
    Number(u32),
    Flag(bool),
    Reference(u32),
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// How the strings are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    Utf8,
    Utf16,
}

/// A manifest in binary XML.
pub(crate) fn axml(root: &Element, letters: Letters) -> Vec<u8> {
    let mut pool: Vec<String> = NUMBERED.iter().map(|row| row.0.to_owned()).collect();
    let mut elements = Vec::new();
    write_element(root, &mut pool, &mut elements);
    let mut body = pool_chunk(&pool, letters);
    let numbers: Vec<u8> = NUMBERED.iter().flat_map(|row| row.1.to_le_bytes()).collect();
    body.extend(chunk(0x0180, &[], &numbers));
    body.extend(elements);
    chunk(0x0003, &[], &body)
}

fn chunk(kind: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(kind.to_le_bytes());
    bytes.extend((8 + header.len() as u16).to_le_bytes());
    bytes.extend((8 + header.len() as u32 + body.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(body);
    bytes
}

fn pool_chunk(pool: &[String], letters: Letters) -> Vec<u8> {
    let mut offsets = Vec::new();
    let mut data = Vec::new();
    for string in pool {
        offsets.extend((data.len() as u32).to_le_bytes());
        match letters {
            Letters::Utf8 => {
                data.push(string.chars().count() as u8);
                data.push(string.len() as u8);
                data.extend(string.as_bytes());
                data.push(0);
            }
            Letters::Utf16 => {
                let units: Vec<u16> = string.encode_utf16().collect();
                data.extend((units.len() as u16).to_le_bytes());
                data.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
                data.extend([0, 0]);
            }
        }
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let flags: u32 = if letters == Letters::Utf8 { 0x100 } else { 0 };
    let strings = 28 + offsets.len() as u32;
    let header: Vec<u8> =
        [pool.len() as u32, 0, flags, strings, 0].iter().flat_map(|number| number.to_le_bytes()).collect();
    chunk(0x0001, &header, &[offsets, data].concat())
}

fn string(pool: &mut Vec<String>, text: &str) -> u32 {
    if let Some(place) = pool.iter().position(|known| known == text) {
        return place as u32;
    }
    pool.push(text.to_owned());
    pool.len() as u32 - 1
}

fn write_element(element: &Element, pool: &mut Vec<String>, out: &mut Vec<u8>) {
    let node: Vec<u8> = [1_u32, u32::MAX].iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut body: Vec<u8> = Vec::new();
    body.extend(u32::MAX.to_le_bytes());
    body.extend(string(pool, element.0).to_le_bytes());
    for number in [20_u16, 20, element.1.len() as u16, 0, 0, 0] {
        body.extend(number.to_le_bytes());
    }
    for (name, value) in &element.1 {
        let (kind, data) = match value {
            Value::Text(text) => (0x03_u8, string(pool, text)),
            Value::Number(number) => (0x10, *number),
            Value::Flag(flag) => (0x12, if *flag { u32::MAX } else { 0 }),
            Value::Reference(number) => (0x01, *number),
        };
        body.extend(u32::MAX.to_le_bytes());
        body.extend(string(pool, name).to_le_bytes());
        body.extend(u32::MAX.to_le_bytes());
        body.extend([8, 0, 0, kind]);
        body.extend(data.to_le_bytes());
    }
    out.extend(chunk(0x0102, &node, &body));
    for child in &element.2 {
        write_element(child, pool, out);
    }
    let name = string(pool, element.0);
    let end: Vec<u8> = [u32::MAX, name].iter().flat_map(|n| n.to_le_bytes()).collect();
    out.extend(chunk(0x0103, &node, &end));
}

/// How a file is put into a zip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Stored,
    Deflated,
}

/// A zip of these files.
pub(crate) fn zip(files: &[(&str, Vec<u8>)], packing: Packing) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in files {
        let (method, packed) = match packing {
            Packing::Stored => (0_u16, content.clone()),
            Packing::Deflated => (8, miniz_oxide::deflate::compress_to_vec(content, 6)),
        };
        let mut about = Vec::new();
        about.extend([20, 0, 0, 0]);
        about.extend(method.to_le_bytes());
        about.extend([0; 4]);
        about.extend(crc32(content).to_le_bytes());
        about.extend((packed.len() as u32).to_le_bytes());
        about.extend((content.len() as u32).to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        directory.extend(*b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend(*b"PK\x03\x04");
        bytes.extend(&about);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
    }
    let at = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(*b"PK\x05\x06\0\0\0\0");
    bytes.extend([(files.len() as u16).to_le_bytes(); 2].concat());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

/// A manifest of `com.example.shop`.
pub(crate) fn shop(version: u32) -> Element {
    let filter = Element(
        "intent-filter",
        vec![],
        vec![
            Element("action", vec![("name", text("android.intent.action.MAIN"))], vec![]),
            Element("category", vec![("name", text("android.intent.category.LAUNCHER"))], vec![]),
        ],
    );
    let activities = vec![
        Element("activity", vec![("name", text(".Help"))], vec![]),
        Element("activity", vec![("name", text("com.example.shop.Front"))], vec![filter]),
    ];
    Element(
        "manifest",
        vec![
            ("versionCode", Value::Number(version)),
            ("versionName", text("2.0-β")),
            ("package", text("com.example.shop")),
        ],
        vec![
            Element("uses-permission", vec![("name", text("android.permission.CAMERA"))], vec![]),
            Element("application", vec![("label", text("Shop {1}"))], activities),
        ],
    )
}

/// A small APK.
pub(crate) fn apk(version: u32, letters: Letters, packing: Packing) -> Vec<u8> {
    let files = [("classes.dex", vec![0; 100]), ("AndroidManifest.xml", axml(&shop(version), letters))];
    zip(&files, packing)
}

/// The label of [`notes`].
const LABEL: u32 = 0x7f01_0000;

/// A manifest whose label is a resource, with a component of each kind.
pub(crate) fn notes() -> Element {
    let filter = Element(
        "intent-filter",
        vec![],
        vec![Element("action", vec![("name", text("com.example.notes.SYNC"))], vec![])],
    );
    let service = Element("service", vec![("name", text(".Sync"))], vec![filter]);
    let boot = Element(
        "intent-filter",
        vec![],
        vec![Element("action", vec![("name", text("android.intent.action.BOOT_COMPLETED"))], vec![])],
    );
    let receiver = Element("receiver", vec![("name", text(".Boot"))], vec![boot]);
    let authorities = ("authorities", text("com.example.notes.files;com.example.notes.all"));
    let provider = Element("provider", vec![("name", text(".Files")), authorities], vec![]);
    let activity = Element("activity", vec![("name", text(".Main"))], vec![]);
    let application = vec![("label", Value::Reference(LABEL))];
    Element(
        "manifest",
        vec![("package", text("com.example.notes"))],
        vec![Element("application", application, vec![activity, service, receiver, provider])],
    )
}

/// A table of resources with one text, the label of [`notes`].
pub(crate) fn resources(label: &str) -> Vec<u8> {
    let words =
        |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
    // One type, of one configuration, with one entry: the first string.
    let header = [vec![1, 0, 0, 0], words(&[1, 44, 20, 0, 0, 0, 0])].concat();
    let entry = [words(&[0, 8, 0]), vec![8, 0, 0, 3], words(&[0])].concat();
    let kind = chunk(0x0201, &header, &entry);
    let package = chunk(0x0200, &words(&[0x7f]), &kind);
    let pool = pool_chunk(&[label.to_owned()], Letters::Utf8);
    chunk(0x0002, &words(&[1]), &[pool, package].concat())
}
