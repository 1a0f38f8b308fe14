//! The virtual devices of Android's SDK, as their files describe them.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The most devices, and the most of a file that is read.
const MAX_AVDS: usize = 256;
const MAX_FILE: u64 = 64 << 10;

/// A virtual device. What its files do not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Avd {
    pub(crate) name: String,
    pub(crate) api_level: Option<u64>,
    pub(crate) abi: Option<String>,
    pub(crate) device_profile: Option<String>,
    pub(crate) play_store: Option<bool>,
}

/// Every device of a folder, by name. A folder that cannot be read has none.
pub(super) fn read_all(folder: &Path) -> Vec<Avd> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut avds: Vec<_> = files.filter_map(|file| read(folder, &file.path())).collect();
    avds.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    avds.truncate(MAX_AVDS);
    avds
}

/// The device that `NAME.ini` tells of: it says where the device's folder is.
fn read(folder: &Path, file: &Path) -> Option<Avd> {
    let name = file.file_name()?.to_str()?.strip_suffix(".ini")?;
    let pointer = start_of(file)?;
    let path = value(&pointer, "path").map_or_else(|| folder.join(format!("{name}.avd")), PathBuf::from);
    // A device whose folder is not there cannot be started.
    let config = start_of(&path.join("config.ini"))?;
    Some(parse(name, &pointer, &config))
}

fn start_of(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok().filter(|_| path.is_file())?.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse(name: &str, pointer: &str, config: &str) -> Avd {
    let image = value(config, "image.sysdir.1").unwrap_or_default();
    let target = value(config, "target").or_else(|| value(pointer, "target"));
    let levels = image.split(['/', '\\']).chain(target);
    let mut levels = levels.filter_map(|part| part.strip_prefix("android-")?.parse().ok());
    let owned = |key| value(config, key).map(str::to_owned);
    Avd {
        name: name.to_owned(),
        api_level: levels.next(),
        abi: owned("abi.type"),
        device_profile: owned("hw.device.name"),
        play_store: value(config, "PlayStore.enabled").map(|word| ["yes", "true"].contains(&word)),
    }
}

/// The value of `key=value` or `key = value`.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once('='));
    let (_, value) = pairs.find(|(found, _)| found.trim() == key)?;
    Some(value.trim()).filter(|value| !value.is_empty())
}
