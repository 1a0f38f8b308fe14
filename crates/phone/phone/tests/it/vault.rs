//! Values that are typed by name: found by their session, for their time, in
//! their app, and in no file in clear.

use clawperator_events::Clock;
use clawperator_phone::vault::{
    LONGEST_TIME, Shelf, USUAL_TIME, ValueScope, Vault, VaultEntry, is_name, literals,
};
use clawperator_phone::{SealKey, Secret};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A state folder of its own, and the hand of its clock.
struct State {
    folder: PathBuf,
    now: Arc<AtomicU64>,
}

impl State {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("clawperator-vault-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        // The key is beside the rest, whatever this computer has.
        std::fs::create_dir_all(folder.join("secrets")).unwrap();
        std::fs::write(folder.join("secrets/key"), [7; 32]).unwrap();
        let now = Arc::new(AtomicU64::new(1_794_700_000_000));
        Self { folder, now }
    }

    fn shelf(&self, session: &str) -> Shelf {
        let now = self.now.clone();
        let clock = Arc::new(Clock::new(move || now.load(Ordering::Relaxed)));
        Shelf::new(&self.folder, session, clock).unwrap()
    }

    fn vault(&self, session: &str) -> Vault {
        Vault::on(self.shelf(session))
    }

    fn files(&self) -> Vec<PathBuf> {
        let (mut files, mut folders) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn login(username: &str, password: &str, place: ValueScope) -> VaultEntry {
    let values = [("username", username), ("password", password)];
    VaultEntry {
        name: "credentials".to_owned(),
        place,
        values: values.map(|(key, value)| (key.to_owned(), Secret::new(value))).into(),
    }
}

fn shop() -> ValueScope {
    ValueScope::App("com.shop".to_owned())
}

fn single(name: &str, value: &str) -> VaultEntry {
    VaultEntry {
        name: name.to_owned(),
        place: ValueScope::Anywhere,
        values: vec![(String::new(), Secret::new(value))],
    }
}

#[test]
fn a_name_stands_for_a_value_and_an_unknown_one_is_refused() {
    let state = State::new("names");
    for vault in [Vault::default(), state.vault("cli.one"), Vault::over(state.shelf("cli.two"))] {
        let names = vault.keep(login("walter", "hunter2", shop()));
        assert_eq!(names, ["{{secret:credentials.username}}", "{{secret:credentials.password}}"]);
        vault.keep(login("second", "other", shop()));
        // The same again is the same.
        assert_eq!(vault.keep(login("walter", "hunter2", shop())), names);
        for (text, typed) in [
            ("plain {{x}} text", None),
            ("{{secret:credentials.password}}", Some("hunter2")),
            ("<{{secret: credentials2.username }}>\n!", Some("<second>\n!")),
            // What a value says is no name.
            ("{{{secret:credentials.password}}}", Some("{hunter2}")),
        ] {
            let filled = vault.fill(text).unwrap();
            assert_eq!(filled.as_ref().map(Secret::expose), typed, "{text}");
        }
        for text in [
            "{{secret:credentials.pin}}",
            "{{secret:credentials}}",
            "{{secret:nobody.password}}",
            "{{secret:credentials.password",
            "{{secret:}}",
            "{{secret:credentials.}}",
            "{{secret:../key}}",
        ] {
            let error = vault.fill(text).unwrap_err();
            let shown = format!("{error:?}");
            assert!(shown.contains("credentials2.password"), "{shown}");
            assert!(!shown.contains("hunter2"));
        }
        assert!(!format!("{vault:?}").contains("hunter2"));
    }
}

#[test]
fn a_value_for_another_app_is_in_doubt_and_one_for_all_is_not() {
    let vault = Vault::default();
    vault.keep(login("walter", "hunter2", shop()));
    vault.keep(single("everywhere", "x"));
    vault.keep(VaultEntry { name: "lost".to_owned(), ..login("a", "b", ValueScope::Unknown) });
    let text = "{{secret:credentials.password}}";
    assert_eq!(vault.doubt(text, Some("com.shop")), None);
    assert_eq!(vault.doubt("hunter2", Some("com.evil")), None);
    let doubt = vault.doubt(text, Some("com.evil")).unwrap();
    assert!(doubt.contains("com.shop") && doubt.contains("com.evil"), "{doubt}");
    assert!(vault.doubt(text, None).is_some());
    assert_eq!(vault.doubt("{{secret:everywhere}}", None), None);
    assert!(vault.doubt("{{secret:lost.password}}", Some("com.shop")).is_some());
    assert!(vault.doubt(&format!("{{{{secret:everywhere}}}}{text}"), Some("com.evil")).is_some());
}

#[test]
fn a_session_s_values_are_sealed_for_it_and_end() {
    let state = State::new("sealed");
    let text = "{{secret:credentials.password}}";
    state.vault("cli.one").keep(login("walter", "hunter2-Straße", shop()));
    // Another process of the same session.
    let filled = state.vault("cli.one").fill(text).unwrap().unwrap();
    assert_eq!(filled.expose(), "hunter2-Straße");
    assert!(state.vault("cli.one").doubt(text, Some("com.evil")).is_some());
    // Other sessions, and what is given in memory above a shelf.
    for other in ["cli.two", "http.one", "cli.on", "cli.one.x"] {
        assert!(state.vault(other).fill(text).is_err(), "{other}");
    }
    let above = Vault::over(state.shelf("cli.two"));
    above.keep(login("in", "memory", shop()));
    assert!(above.fill(text).is_ok() && state.vault("cli.two").fill(text).is_err());
    for file in state.files() {
        let bytes = std::fs::read(&file).unwrap();
        for secret in ["hunter2", "walter", "com.shop"] {
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{secret} in {}", file.display());
        }
    }
    state.now.fetch_add(USUAL_TIME.as_millis() as u64 - 1, Ordering::Relaxed);
    assert!(state.vault("cli.one").fill(text).is_ok());
    state.now.fetch_add(1, Ordering::Relaxed);
    // The next to open a shelf removes what is over from all of them.
    drop(state.shelf("http.other"));
    assert_eq!(state.files().len(), 1, "only the key is left");
    assert!(state.vault("cli.one").fill(text).is_err());
}

#[test]
fn a_file_that_was_moved_changed_or_prolonged_opens_nothing() {
    let state = State::new("moved");
    let shelf = state.shelf("cli.one");
    shelf.put(&single("pin", "4711-0815"), USUAL_TIME).unwrap();
    let file = state.folder.join("secrets/cli.one/pin");
    let bytes = std::fs::read(&file).unwrap();
    let place = |path: &str, bytes: &[u8]| {
        let path = state.folder.join("secrets").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    place("cli.two/pin", &bytes);
    assert!(state.vault("cli.two").fill("{{secret:pin}}").is_err());
    place("cli.one/other", &bytes);
    assert!(state.vault("cli.one").fill("{{secret:other}}").is_err());
    let mut longer = bytes.clone();
    longer[7] ^= 1;
    place("cli.one/pin", &longer);
    assert!(state.vault("cli.one").fill("{{secret:pin}}").is_err());
    place("cli.one/pin", &bytes[..20]);
    assert!(state.vault("cli.one").fill("{{secret:pin}}").is_err());
    place("cli.one/pin", b"");
    assert!(state.vault("cli.one").fill("{{secret:pin}}").is_err());
    place("cli.one/pin", &bytes);
    assert!(state.vault("cli.one").fill("{{secret:pin}}").is_ok());
    // Without the key nothing opens, and a new one makes nothing old readable.
    std::fs::write(state.folder.join("secrets/key"), [8; 32]).unwrap();
    assert!(state.vault("cli.one").fill("{{secret:pin}}").is_err());
}

#[test]
fn a_value_is_kept_for_a_day_at_most_and_forgotten_when_asked() {
    let state = State::new("forget");
    let shelf = state.shelf("cli.one");
    assert!(shelf.put(&single("pin", "4711-0815"), Duration::MAX).unwrap());
    assert!(!shelf.put(&single("pin", "other"), USUAL_TIME).unwrap());
    let day = LONGEST_TIME.as_millis() as u64;
    assert_eq!(shelf.list(), [("pin".to_owned(), 1_794_700_000_000 + day)]);
    for odd in ["", ".", "..", "../cli.one/pin", "pin/", "a b", "ä", "x\0", "%2e", &"x".repeat(65)] {
        assert!(!is_name(odd) && !shelf.forget(odd), "{odd}");
        assert!(Shelf::new(Path::new("/nowhere"), odd, Arc::new(Clock::new(|| 0))).is_none(), "{odd}");
    }
    assert!(shelf.forget("pin") && !shelf.forget("pin"));
    assert!(shelf.list().is_empty());
}

#[test]
fn two_processes_that_keep_at_once_both_keep() {
    let state = State::new("both");
    let texts: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let vault = state.vault("http.one");
                scope.spawn(move || vault.keep(login(&format!("user{number}"), "pass", shop())).remove(0))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let vault = state.vault("http.one");
    for (number, text) in texts.iter().enumerate() {
        assert_eq!(vault.fill(text).unwrap().unwrap().expose(), format!("user{number}"));
    }
}

#[test]
fn processes_that_make_the_key_at_once_share_one() {
    let state = State::new("key");
    std::fs::remove_dir_all(&state.folder).unwrap();
    std::thread::scope(|scope| {
        let made: Vec<_> = (0..8).map(|_| scope.spawn(|| SealKey::of(&state.folder))).collect();
        let hashes: Vec<_> =
            made.into_iter().map(|key| key.join().unwrap().map(|key| key.hash("x"))).collect();
        // A process may lose the race for its draft; it says so and makes nothing up.
        let mut seen: Vec<_> = hashes.into_iter().flatten().collect();
        seen.dedup();
        assert_eq!(seen.len(), 1);
    });
}

#[test]
fn literals_are_what_stands_between_names() {
    let found: Vec<&str> = literals("a{{secret:b.c}}d{{secret:e.f}}").collect();
    assert_eq!(found, ["a", "d"]);
    assert_eq!(literals("abc").collect::<Vec<_>>(), ["abc"]);
}

#[test]
fn a_secret_shows_its_length_only() {
    let secret = Secret::new("hunter2 ä");
    assert_eq!(format!("{secret:?}"), "[9 letters]");
    assert_eq!(serde_json::json!(secret), "[9 letters]");
    assert_eq!(secret.expose(), "hunter2 ä");
}
