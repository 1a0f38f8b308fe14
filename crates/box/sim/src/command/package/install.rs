//! `pm install`, its sessions, and `pm uninstall`.
//!
//! A session is a folder of the phone's disk, as on a real one: what is
//! written to it takes room, and a full disk refuses it.

use super::super::answer::{Answer, CommandResult, CommandWords, illegal, is_in};
use super::options;
use crate::apk::{self, ApkContents};
use crate::app::App;
use crate::handset::Handset;
use crate::latency::Cost;
use bytes::{Bytes, BytesMut};
use clawperator_userland::{Actor, Call, Errno, FileSystem, Identity};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest APK, and the most parts of one.
const MAX_APK: usize = 256 << 20;
const MAX_PARTS: usize = 100;

/// What an install may do.
#[derive(Clone, Debug, Default)]
struct InstallOptions {
    /// How many bytes come over standard input.
    size: Option<usize>,
    chosen: BTreeSet<String>,
}

impl InstallOptions {
    fn has(&self, option: &str) -> bool {
        self.chosen.contains(option)
    }

    /// The options that have a value behind them.
    const WITH_VALUE: &str = "-i -S --user --originating-uri --referrer --abi --install-location \
        --install-reason --pkg -p --force-uuid --package-source --update-ownership";
    const ALONE: &str = "-r -R -t -d -g -f -s -l --instant --full --preload --dont-kill --streaming \
        --fastdeploy --no-streaming --incremental --skip-verification --bypass-low-target-sdk-block \
        --request-downgrade --restrict-permissions";

    fn parse(words: &mut CommandWords<'_>) -> Result<Self, CommandResult> {
        let mut options = Self::default();
        while let Some(option) = words.option() {
            if is_in(Self::WITH_VALUE, option) {
                let value = words.value(option).map_err(|what| CommandResult::exception("install", &what))?;
                if option == "-S" {
                    let size = value.parse::<usize>().ok();
                    let wrong = || CommandResult::wrong(1, format!("Error: bad size: {value}\n"));
                    options.size = Some(size.ok_or_else(wrong)?);
                }
            } else if is_in(Self::ALONE, option) {
                options.chosen.insert(option.to_owned());
            } else {
                let what = illegal(&format!("Unknown option {option}"));
                return Err(CommandResult::exception("install", &what));
            }
        }
        Ok(options)
    }
}

pub(super) async fn install(handset: &Handset, call: &mut Call, words: &mut CommandWords<'_>) -> Answer {
    let options = InstallOptions::parse(words)?;
    let path = words.next();
    if path.is_none() && options.size.is_none() {
        let text = "Error: must either specify a package size or an APK file\n";
        return Err(CommandResult::wrong(1, text));
    }
    let bytes = take(handset, call, path.unwrap_or("-"), options.size).await?;
    let session = new_session(handset, &options)?;
    if put(handset, &session, "base.apk", bytes).is_err() {
        drop_session(handset, &session);
        return Err(no_room());
    }
    finish(handset, &session).await
}

pub(super) fn create(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let options = InstallOptions::parse(words)?;
    Ok(format!("Success: created install session [{}]\n", new_session(handset, &options)?))
}

pub(super) async fn write(handset: &Handset, call: &mut Call, words: &mut CommandWords<'_>) -> Answer {
    let options = InstallOptions::parse(words)?;
    let (Some(session), Some(name)) = (words.next(), words.next()) else {
        return Err(CommandResult::wrong(1, "Error: must specify a session and a name\n"));
    };
    let bytes = take(handset, call, words.next().unwrap_or("-"), options.size).await?;
    let length = bytes.len();
    match put(handset, session, name, bytes) {
        Ok(()) => Ok(format!("Success: streamed {length} bytes\n")),
        Err(Errno::NoSpace) => Err(no_room()),
        Err(_) => Err(no_session("install-write", session)),
    }
}

pub(super) async fn commit(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    finish(handset, session_word(handset, words, "install-commit")?).await
}

pub(super) fn abandon(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    drop_session(handset, session_word(handset, words, "install-abandon")?);
    Ok("Success\n".to_owned())
}

/// The session a verb is about.
fn session_word<'a>(
    handset: &Handset,
    words: &mut CommandWords<'a>,
    verb: &str,
) -> Result<&'a str, CommandResult> {
    let session = words.next().unwrap_or("-1");
    if exists(handset, session) { Ok(session) } else { Err(no_session(verb, session)) }
}

pub(super) fn existing(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    options(words, |option| is_in("--instant --full --wait --restrict-permissions", option))?;
    let name = words.next().unwrap_or_default();
    if handset.with(|phone| phone.set_enabled(name, true)) {
        Ok(format!("Package {name} installed for user: 0\n"))
    } else {
        let text = format!(
            "android.content.pm.PackageManager$NameNotFoundException: Package {name} doesn't exist\n"
        );
        Err(CommandResult::failure(1, text))
    }
}

pub(super) async fn uninstall(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let mut one_user = false;
    while let Some(option) = words.option() {
        match option {
            "-k" => {}
            "--user" | "--versionCode" => {
                one_user |= option == "--user";
                words.next();
            }
            option => return Err(CommandResult::failure(1, format!("Error: Unknown option: {option}\n"))),
        }
    }
    let Some(name) = words.next() else {
        return Err(CommandResult::wrong(1, "Error: package name not specified\n"));
    };
    handset.spend(Cost::Install).await;
    let path = handset.with(|phone| phone.packages.get(name).map(|package| package.path.clone()));
    let gone = handset.with(|phone| phone.uninstall(name));
    if gone {
        let folder = path.as_deref().and_then(|path| path.rsplit_once('/'));
        if let Some((folder, _)) = folder {
            // A package that came with the phone's own files has no folder.
            let _ = as_root(handset, |files, root| files.remove_all(root, folder));
        }
        return Ok("Success\n".to_owned());
    }
    // What came with the phone can be taken from its user, not from the phone.
    if one_user && handset.with(|phone| phone.set_enabled(name, false)) {
        return Ok("Success\n".to_owned());
    }
    Err(CommandResult::failure(1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"))
}

/// Reads what is to be installed: a file, or standard input up to its size.
async fn take(
    handset: &Handset,
    call: &mut Call,
    path: &str,
    size: Option<usize>,
) -> Result<Bytes, CommandResult> {
    if path != "-" {
        let full = call.path(path);
        return call.files(|files, actor| files.read(actor, &full)).map_err(|_| {
            CommandResult::wrong(
                1,
                format!("Error: failed to open file: {path}\nError: Unable to open file: {path}\nConsider using a file under /data/local/tmp/\n"),
            )
        });
    }
    let wanted = size.unwrap_or(MAX_APK);
    if wanted > MAX_APK {
        return Err(no_room());
    }
    let mut bytes = BytesMut::new();
    let mut held = handset.uploads.begin();
    while bytes.len() < wanted {
        let Some(more) = call.read().await else { break };
        if !held.set(bytes.len() + more.len()) {
            return Err(no_room());
        }
        bytes.extend_from_slice(&more);
    }
    if size.is_some_and(|size| bytes.len() < size) {
        let text = format!("Error: failed to write; only {} of {wanted} bytes came\n", bytes.len());
        return Err(CommandResult::wrong(1, text));
    }
    bytes.truncate(wanted);
    Ok(bytes.freeze())
}

/// Installs what was written to a session, and ends it.
async fn finish(handset: &Handset, session: &str) -> Answer {
    handset.spend(Cost::Install).await;
    let installed = install_session(handset, session);
    drop_session(handset, session);
    installed.map_err(|why| CommandResult::failure(1, format!("Failure [{why}]\n")))?;
    Ok("Success\n".to_owned())
}

fn install_session(handset: &Handset, session: &str) -> Result<(), String> {
    let folder = folder(session);
    let (options, parts) = as_root(handset, |files, root| {
        let options = files.read(root, &format!("{folder}/{WISHES}"))?;
        let names = files.list(root, &folder)?.into_iter().map(|entry| entry.name);
        let names = names.filter(|name| name != WISHES).take(MAX_PARTS);
        let read = |name: String| files.read(root, &format!("{folder}/{name}"));
        Ok((options, names.map(read).collect::<Result<Vec<_>, Errno>>()?))
    })
    .map_err(|error: Errno| format!("INSTALL_FAILED_INTERNAL_ERROR: {error}"))?;
    let options = InstallOptions {
        size: None,
        chosen: String::from_utf8_lossy(&options).split_whitespace().map(str::to_owned).collect(),
    };
    let (app, file) = base(&parts, &options)?;
    let package = app.package.clone();
    handset.with(|phone| {
        if let Some(old) = phone.packages.get(&package) {
            allowed(&app, &old.app, &options)?;
        }
        phone.force_stop(&package);
        let permissions = app.permissions.clone();
        phone.install(Arc::new(app));
        if let Some(new) = phone.packages.get_mut(&package).filter(|_| options.has("-g")) {
            new.granted.extend(permissions);
        }
        Ok::<_, String>(())
    })?;
    let path = handset.with(|phone| phone.packages.get(&package).map(|found| found.path.clone()));
    let kept = path.as_deref().and_then(|path| Some((path, path.rsplit_once('/')?.0)));
    if let Some((path, folder)) = kept {
        // An app that replaces one of the phone's own stays where that was.
        let _ = as_root(handset, |files, root| {
            files.create_dir_all(root, folder, 0o755)?;
            files.write(root, path, file)?;
            files.chmod(root, path, 0o644)
        });
    }
    Ok(())
}

/// The app that is in the parts of a session, and the part that it is in.
fn base(parts: &[Bytes], options: &InstallOptions) -> Result<(App, Bytes), String> {
    let mut found = None;
    let mut package: Option<String> = None;
    for part in parts {
        let contents = apk::read(part).map_err(|error| error.to_string())?;
        let name = match &contents {
            ApkContents::App(app) => app.package.clone(),
            ApkContents::Foreign(manifest) => manifest.package.clone(),
        };
        if package.get_or_insert_with(|| name.clone()) != &name {
            return Err(format!("INSTALL_FAILED_INVALID_APK: {name} is another package"));
        }
        if !matches!(&contents, ApkContents::Foreign(manifest) if manifest.split.is_some()) {
            found = Some((contents, part));
        }
    }
    let (contents, part) = found.ok_or("INSTALL_FAILED_MISSING_SPLIT: there is no base")?;
    let app = match contents {
        ApkContents::App(app) => *app,
        ApkContents::Foreign(manifest) if manifest.test_only && !options.has("-t") => {
            return Err("INSTALL_FAILED_TEST_ONLY: installPackageLI".to_owned());
        }
        ApkContents::Foreign(manifest) => apk::stand_in(&manifest).map_err(|error| error.to_string())?,
    };
    Ok((app, part.clone()))
}

/// Tells whether an app may take the place of another.
fn allowed(new: &App, old: &App, options: &InstallOptions) -> Result<(), String> {
    let name = &new.package;
    if options.has("-R") {
        return Err(format!(
            "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {name} without first uninstalling."
        ));
    }
    let (new, old) = (new.version.code, old.version.code);
    if new < old && !options.has("-d") && !options.has("--request-downgrade") {
        return Err(format!(
            "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {new} is older than current {old}"
        ));
    }
    Ok(())
}

/// The file of a session that holds how it is to be installed.
const WISHES: &str = ".options";

fn folder(session: &str) -> String {
    format!("/data/app/vmdl{session}.tmp")
}

fn exists(handset: &Handset, session: &str) -> bool {
    is_number(session) && as_root(handset, |files, root| files.stat(root, &folder(session))).is_ok()
}

fn is_number(session: &str) -> bool {
    !session.is_empty() && session.len() <= 10 && session.bytes().all(|byte| byte.is_ascii_digit())
}

fn new_session(handset: &Handset, options: &InstallOptions) -> Answer {
    let session = handset.with(|phone| (1_000_000_000 + phone.number()).to_string());
    let folder = folder(&session);
    let chosen = options.chosen.iter().cloned().collect::<Vec<_>>().join(" ");
    as_root(handset, |files, root| {
        files.create_dir_all(root, &folder, 0o755)?;
        files.write(root, &format!("{folder}/{WISHES}"), chosen)
    })
    .map_err(|_| no_room())?;
    Ok(session)
}

fn put(handset: &Handset, session: &str, name: &str, bytes: Bytes) -> Result<(), Errno> {
    // A name is no way out of the folder.
    if !exists(handset, session) || name.contains('/') || name.starts_with('.') || name.is_empty() {
        return Err(Errno::Invalid);
    }
    let path = format!("{}/{name}", folder(session));
    as_root(handset, |files, root| files.write(root, &path, bytes))
}

fn drop_session(handset: &Handset, session: &str) {
    // A session that is gone already is what was wanted.
    let _ = as_root(handset, |files, root| files.remove_all(root, &folder(session)));
}

fn as_root<R>(handset: &Handset, work: impl FnOnce(&mut FileSystem, &Actor<'_>) -> R) -> R {
    let who = Identity::root();
    let root = Actor { who: &who, umask: 0, now: handset.with(|phone| phone.clock.now()) };
    handset.kernel.files.with(|files| work(files, &root))
}

fn no_room() -> CommandResult {
    CommandResult::failure(
        1,
        "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to allocate space for the package]\n",
    )
}

fn no_session(verb: &str, session: &str) -> CommandResult {
    let what = format!("java.lang.SecurityException: Caller has no access to session {session}");
    CommandResult::exception(verb, &what)
}
