//! Where the list of texts is that must not be published. It stays on the
//! user's computer, in a place that git never takes in.

use super::file;
use crate::recipe::Denylist;
use clawperator_contract::{ErrorCode, Failure, text};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the list is in the folder of git.
pub(super) const IN_GIT: &str = "info/clawperator-denylist";
const MAX_BYTES: usize = 256 * 1024;

/// Reads a list.
pub fn denylist(path: &Path) -> Result<Denylist, Failure> {
    let failed = |why: String| {
        let shown = path.display().to_string();
        let message = format!("cannot read the denylist \"{}\": {why}", text::excerpt(&shown));
        Failure::new(ErrorCode::Usage, message).hint("Give a file of texts, one per line, with --denylist.")
    };
    let bytes = file::read(path, MAX_BYTES).map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    Denylist::parse(&text).map_err(|error| failed(error.to_string()))
}

/// The list of the git repository that a file or folder is in; none if there is no such list.
pub fn usual_denylist(inside: &Path) -> Option<PathBuf> {
    let inside = inside.canonicalize().ok()?;
    let place = inside.ancestors().find_map(git_folder)?;
    let list = place.join(IN_GIT);
    list.is_file().then_some(list)
}

/// The folder of git for a working tree; a linked working tree names it in a
/// file, and that folder names the one they share.
fn git_folder(tree: &Path) -> Option<PathBuf> {
    let git = tree.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let named = |file: &Path| Some(String::from_utf8(file::read(file, 4_096).ok()?).ok()?.trim().to_owned());
    let own = tree.join(named(&git)?.strip_prefix("gitdir:")?.trim());
    let shared = named(&own.join("commondir")).map(|shared| own.join(shared));
    fs::canonicalize(shared.unwrap_or(own)).ok()
}
