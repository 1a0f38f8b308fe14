//! Who acts: users, groups, and the names they have.

use std::sync::Arc;
use std::time::Duration;

/// A user with its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub uid: u32,
    pub gid: u32,
    /// Every other group the user is in.
    pub groups: Arc<[u32]>,
}

impl Identity {
    /// An identity of these numbers.
    pub fn new(uid: u32, gid: u32, groups: &[u32]) -> Self {
        Self { uid, gid, groups: groups.into() }
    }

    /// The user who may do everything.
    pub fn root() -> Self {
        Self::new(0, 0, &[])
    }

    /// Whether the user is in this group.
    pub fn is_in(&self, gid: u32) -> bool {
        self.gid == gid || self.groups.contains(&gid)
    }
}

/// Who does something to a file, and when.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    pub who: &'a Identity,
    /// Bits a new file does not get.
    pub umask: u32,
    pub now: Duration,
}

/// First number of the users that applications have.
const FIRST_APP: u32 = 10_000;

/// Numbers with a name of their own, users and groups alike.
const NAMES: &[(u32, &str)] = &[
    (0, "root"),
    (1, "daemon"),
    (1000, "system"),
    (1001, "radio"),
    (1002, "bluetooth"),
    (1003, "graphics"),
    (1004, "input"),
    (1005, "audio"),
    (1006, "camera"),
    (1007, "log"),
    (1010, "wifi"),
    (1011, "adb"),
    (1012, "install"),
    (1013, "media"),
    (1015, "sdcard_rw"),
    (1023, "media_rw"),
    (1028, "sdcard_r"),
    (1077, "external_storage"),
    (1078, "ext_data_rw"),
    (1079, "ext_obb_rw"),
    (2000, "shell"),
    (2001, "cache"),
    (3001, "net_bt_admin"),
    (3002, "net_bt"),
    (3003, "inet"),
    (3006, "net_bw_stats"),
    (3009, "readproc"),
    (3011, "uhid"),
    (3012, "readtracefs"),
    (9997, "everybody"),
    (9999, "nobody"),
];

/// The usual name of a user or group; a number that has none is its own name.
pub(crate) fn usual_name(id: u32) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(number, _)| *number == id) {
        return (*name).to_owned();
    }
    let (user, app) = (id / 100_000, id % 100_000);
    if (FIRST_APP..20_000).contains(&app) { format!("u{user}_a{}", app - FIRST_APP) } else { id.to_string() }
}

/// The number of a user or group, from its usual name or its digits.
pub(crate) fn usual_id(name: &str) -> Option<u32> {
    if let Some((number, _)) = NAMES.iter().find(|(_, known)| *known == name) {
        return Some(*number);
    }
    if let Some((user, app)) = name.strip_prefix('u').and_then(|rest| rest.split_once("_a")) {
        let app: u32 = app.parse().ok().filter(|app| *app < FIRST_APP)?;
        return user.parse::<u32>().ok()?.checked_mul(100_000)?.checked_add(FIRST_APP + app);
    }
    name.parse().ok()
}
