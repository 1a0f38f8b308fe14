//! `pm`, `am`, `monkey`, `run-as` and `app_process`, as clients call them.

use crate::apk_files::{self, Element, Letters, Packing, Value, text};
use clawperator_sim::{Handset, Setup, shell_user};
use clawperator_userland::{Actor, FileSystem, Identity, Machine, ShellResult, run};
use std::sync::Arc;
use std::time::Duration;

fn phone() -> Arc<Handset> {
    Handset::new(Setup::default())
}

async fn with_input(handset: &Arc<Handset>, line: &str, input: &[u8]) -> ShellResult {
    let machine: Arc<dyn Machine> = handset.clone();
    run(machine, shell_user(), line, input).await
}

async fn said(handset: &Arc<Handset>, line: &str) -> (String, u8) {
    let finished = with_input(handset, line, b"").await;
    let text = [finished.stdout, finished.stderr].concat();
    (String::from_utf8(text).unwrap(), finished.code)
}

fn as_root<R>(handset: &Arc<Handset>, work: impl FnOnce(&mut FileSystem, &Actor<'_>) -> R) -> R {
    let who = Identity::root();
    let root = Actor { who: &who, umask: 0, now: Duration::ZERO };
    handset.kernel().files.with(|files| work(files, &root))
}

/// A command line, what must be in what it says, and its exit code.
type Case = (&'static str, &'static str, u8);

async fn check(cases: &[Case]) {
    let handset = phone();
    for (line, part, code) in cases {
        let (text, got) = said(&handset, line).await;
        assert!(text.contains(part), "{line}\nwants {part:?}\nsaid  {text:?}");
        assert_eq!(got, *code, "{line}: {text}");
    }
}

#[tokio::test]
async fn packages_are_listed_and_changed_as_on_a_phone() {
    check(&[
        ("pm", "Package manager", 255),
        ("pm nonsense", "Unknown command: nonsense", 255),
        ("pm list", "Error: didn't specify", 255),
        ("pm list nonsense", "Error: unknown list type 'nonsense'", 255),
        ("pm list packages", "package:com.android.settings\n", 0),
        ("pm list packages --nonsense", "Error: Unknown option: --nonsense", 255),
        ("pm list packages -f settings", "package:/system/app/com.android.settings/base.apk=com.android.settings\n", 0),
        ("pm list packages --user 0 --show-versioncode com.clawperator.form", "package:com.clawperator.form versionCode:", 0),
        ("pm list packages -U com.android.settings", "package:com.android.settings uid:10", 0),
        ("pm list packages -i com.android.settings", "com.android.settings  installer=null\n", 0),
        ("pm list features", "feature:android.hardware.touchscreen\n", 0),
        ("pm list permissions", "permission:android.permission.CAMERA\n", 0),
        ("pm list users", "UserInfo{0:Owner:4c13} running\n", 0),
        ("pm list libraries", "library:android.test.runner\n", 0),
        ("pm list instrumentation", "", 0),
        ("pm has-feature android.hardware.touchscreen", "true\n", 0),
        ("pm has-feature android.hardware.type.watch", "false\n", 1),
        ("pm get-max-users", "Maximum supported users: 1\n", 0),
        ("pm path com.android.settings", "package:/system/app/com.android.settings/base.apk\n", 0),
        ("pm path com.nobody", "", 1),
        ("pm path", "no package specified", 1),
        ("pm dump com.android.settings", "versionCode=", 0),
        ("pm dump com.nobody", "Unable to find package: com.nobody", 0),
        ("pm clear com.android.settings", "Success\n", 0),
        ("pm clear com.nobody", "Failed\n", 1),
        ("pm grant com.nobody android.permission.CAMERA", "java.lang.IllegalArgumentException: Unknown package: com.nobody", 255),
        ("pm grant com.android.settings nonsense", "java.lang.IllegalArgumentException: Unknown permission: nonsense", 255),
        ("pm grant com.android.settings android.permission.SEND_SMS", "java.lang.SecurityException: Package com.android.settings has not requested permission android.permission.SEND_SMS", 255),
        ("pm disable-user --user 0 com.clawperator.form", "Package com.clawperator.form new state: disabled-user\n", 0),
        ("pm list packages -d", "package:com.clawperator.form\n", 0),
        ("am start -n com.clawperator.form/.MainActivity", "Error", 1),
        ("pm enable com.clawperator.form", "Package com.clawperator.form new state: enabled\n", 0),
        ("pm disable com.clawperator.form", "java.lang.SecurityException: Shell cannot change component state", 255),
        ("pm enable com.nobody", "Unknown package: com.nobody", 255),
        ("pm install-existing com.clawperator.form", "Package com.clawperator.form installed for user: 0\n", 0),
        ("pm install-existing com.nobody", "Package com.nobody doesn't exist", 1),
        ("pm uninstall com.nobody", "Failure [DELETE_FAILED_INTERNAL_ERROR]\n", 1),
        ("pm uninstall com.android.settings", "Failure [DELETE_FAILED_INTERNAL_ERROR]\n", 1),
        ("pm uninstall --user 0 com.android.settings", "Success\n", 0),
        ("pm uninstall -k com.clawperator.form", "Success\n", 0),
        ("pm path com.clawperator.form", "", 1),
    ])
    .await;
}

#[tokio::test]
async fn activities_are_found_by_intent() {
    check(&[
        ("pm query-activities -a android.intent.action.MAIN -c android.intent.category.LAUNCHER", "  Activity #0:\n", 0),
        ("pm query-activities -a android.intent.action.MAIN -c android.intent.category.LAUNCHER", "      packageName=com.android.settings\n", 0),
        ("pm query-activities --components -a android.intent.action.MAIN -c android.intent.category.LAUNCHER", "\ncom.clawperator.form/.MainActivity\n", 0),
        ("pm query-activities -a nonsense", "No activities found\n", 0),
        ("pm query-activities", "No intent supplied", 255),
        ("pm resolve-activity --brief com.clawperator.form", "isDefault=true\ncom.clawperator.form/.MainActivity\n", 0),
        ("pm resolve-activity --brief com.nobody", "No activity found\n", 0),
        ("pm resolve-activity -a", "Argument expected after \"-a\"", 255),
        ("pm resolve-activity --nonsense x", "Unknown option: --nonsense", 255),
    ])
    .await;
}

#[tokio::test]
async fn an_apk_is_installed_in_every_way_a_client_has() {
    for (letters, packing) in [(Letters::Utf8, Packing::Stored), (Letters::Utf16, Packing::Deflated)] {
        let handset = phone();
        let apk = apk_files::apk(7, letters, packing);
        let length = apk.len();
        let line = format!("pm 'install' -S {length}");
        let finished = with_input(&handset, &line, &apk).await;
        assert_eq!(String::from_utf8_lossy(&finished.stdout), "Success\n");
        let (list, _) = said(&handset, "pm list packages -3 --show-versioncode shop").await;
        assert_eq!(list, "package:com.example.shop versionCode:7\n");
        let (path, _) = said(&handset, "pm path com.example.shop").await;
        let path = path.trim().trim_start_matches("package:").to_owned();
        let kept = as_root(&handset, |files, root| files.read(root, &path).unwrap());
        assert!(kept == apk);
        let (started, code) = said(&handset, "am start -n com.example.shop/.Front").await;
        assert_eq!((started.as_str(), code), ("Starting: Intent { cmp=com.example.shop/.Front }\n", 0));
        let tree = handset.with(|phone| phone.tree(clawperator_sim::phone::DumpViews::All)).unwrap();
        let texts: Vec<_> = tree.nodes().map(|(_, node)| node.text.clone()).collect();
        assert!(texts.contains(&"Shop {1}".to_owned()), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains("placeholder")), "{texts:?}");
        assert_eq!(said(&handset, "pm grant com.example.shop android.permission.CAMERA").await.1, 0);
        assert_eq!(said(&handset, "pm uninstall com.example.shop").await.0, "Success\n");
        assert_eq!(said(&handset, "pm path com.example.shop").await.1, 1);
    }
}

#[tokio::test]
async fn a_pushed_file_and_a_session_install_too() {
    let handset = phone();
    let apk = apk_files::apk(3, Letters::Utf8, Packing::Deflated);
    as_root(&handset, |files, root| {
        files.write(root, "/data/local/tmp/x.apk", apk).unwrap();
    });
    for (line, wanted, code) in [
        ("pm 'install' '-r' -g '/data/local/tmp/x.apk'", "Success\n", 0),
        (
            "pm install -R /data/local/tmp/x.apk",
            "Failure [INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install com.example.shop without first uninstalling.]\n",
            1,
        ),
        ("pm install /data/local/tmp/none.apk", "Error: failed to open file: /data/local/tmp/none.apk", 1),
        ("pm install", "Error: must either specify a package size or an APK file\n", 1),
        ("pm install --nonsense x", "Unknown option --nonsense", 255),
        ("pm install-commit 17", "Caller has no access to session 17", 255),
        ("pm install-abandon", "Caller has no access to session", 255),
        ("pm dump com.example.shop", "android.permission.CAMERA: granted=true", 0),
    ] {
        let (text, got) = said(&handset, line).await;
        assert!(text.contains(wanted), "{line}: {text}");
        assert_eq!(got, code, "{line}: {text}");
    }
}

#[tokio::test]
async fn a_session_installs_what_was_written_to_it() {
    let handset = phone();
    let apk = apk_files::apk(3, Letters::Utf8, Packing::Deflated);
    as_root(&handset, |files, root| {
        files.write(root, "/data/local/tmp/x.apk", apk).unwrap();
    });
    let (created, _) = said(&handset, "pm install-create -r -S 9999").await;
    let session = created.trim_start_matches(|c: char| !c.is_ascii_digit());
    let session = session.trim_end().trim_end_matches(']').to_owned();
    let base = apk_files::apk(4, Letters::Utf8, Packing::Stored);
    let written = format!("pm install-write -S {} {session} base.apk -", base.len());
    let answer = with_input(&handset, &written, &base).await;
    assert_eq!(String::from_utf8_lossy(&answer.stdout), format!("Success: streamed {} bytes\n", base.len()));
    let split = Element(
        "manifest",
        vec![("package", text("com.example.shop")), ("split", text("config.en"))],
        vec![],
    );
    let split =
        apk_files::zip(&[("AndroidManifest.xml", apk_files::axml(&split, Letters::Utf8))], Packing::Stored);
    let written = format!("pm install-write {session} config.apk -");
    assert_eq!(with_input(&handset, &written, &split).await.code, 0);
    assert_eq!(said(&handset, &format!("pm install-write {session} ../x -")).await.1, 255);
    assert_eq!(said(&handset, &format!("pm install-commit {session}")).await.0, "Success\n");
    let (list, _) = said(&handset, "pm list packages --show-versioncode shop").await;
    assert_eq!(list, "package:com.example.shop versionCode:4\n");
    let (text, code) = said(&handset, "pm install /data/local/tmp/x.apk").await;
    assert!(text.starts_with("Failure [INSTALL_FAILED_VERSION_DOWNGRADE: "), "{text}");
    assert_eq!(code, 1);
    assert_eq!(said(&handset, "pm install -d /data/local/tmp/x.apk").await.0, "Success\n");
}

#[tokio::test]
async fn an_app_file_is_installed_as_it_is_and_in_a_zip() {
    let file = include_str!("../../apps/form.yaml").replace("com.clawperator.form", "org.shop.form");
    let handset = phone();
    let zip = apk_files::zip(&[("clawperator-app.yaml", file.clone().into_bytes())], Packing::Deflated);
    let both: [&[u8]; 2] = [file.as_bytes(), &zip];
    for bytes in both {
        let line = format!("pm install -S {}", bytes.len());
        let finished = with_input(&handset, &line, bytes).await;
        assert_eq!(String::from_utf8_lossy(&finished.stdout), "Success\n");
        let (text, _) = said(&handset, "pm resolve-activity --brief org.shop.form").await;
        assert!(text.ends_with("org.shop.form/.MainActivity\n"), "{text}");
        assert_eq!(said(&handset, "pm uninstall org.shop.form").await.0, "Success\n");
    }
}

#[tokio::test]
async fn what_is_no_apk_is_refused_with_the_reason() {
    let handset = phone();
    let manifest = |attributes| {
        let root = Element("manifest", attributes, vec![]);
        apk_files::zip(&[("AndroidManifest.xml", apk_files::axml(&root, Letters::Utf8))], Packing::Stored)
    };
    let test_only = Element(
        "manifest",
        vec![("package", text("a.b"))],
        vec![Element(
            "application",
            vec![("testOnly", Value::Flag(true)), ("label", Value::Reference(1))],
            vec![],
        )],
    );
    let test_only = apk_files::zip(
        &[("AndroidManifest.xml", apk_files::axml(&test_only, Letters::Utf16))],
        Packing::Stored,
    );
    let malformed = "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED";
    for (bytes, reason) in [
        (b"hello".to_vec(), "INSTALL_PARSE_FAILED_NOT_APK"),
        (b"PK\x03\x04 and nothing".to_vec(), "INSTALL_PARSE_FAILED_NOT_APK"),
        (apk_files::zip(&[("a", vec![1])], Packing::Stored), malformed),
        (apk_files::zip(&[("AndroidManifest.xml", vec![1; 9])], Packing::Stored), malformed),
        (manifest(vec![]), malformed),
        (manifest(vec![("package", text("../../etc"))]), malformed),
        (b"package: a.b\nscreens: 7\n".to_vec(), malformed),
        (test_only, "INSTALL_FAILED_TEST_ONLY"),
    ] {
        let line = format!("pm install -S {}", bytes.len());
        let finished = with_input(&handset, &line, &bytes).await;
        let text = String::from_utf8(finished.stdout).unwrap();
        assert!(text.starts_with(&format!("Failure [{reason}: ")), "{text}");
        assert_eq!(finished.code, 1);
    }
    let short = with_input(&handset, "pm install -S 1000", b"abc").await;
    assert_eq!(short.code, 1);
    // None of its files remain on the disk.
    let left = as_root(&handset, |files, root| files.list(root, "/data/app").unwrap().len());
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_full_disk_refuses_an_install() {
    let handset = Handset::new(Setup {
        faults: vec![clawperator_sim::fault::Fault::parse("low_storage").unwrap()],
        ..Setup::default()
    });
    // As the fault does when a host's command comes.
    handset.kernel().files.with(|files| files.set_capacity(0));
    let apk = apk_files::apk(1, Letters::Utf8, Packing::Stored);
    let finished = with_input(&handset, &format!("pm install -S {}", apk.len()), &apk).await;
    let text = String::from_utf8(finished.stdout).unwrap();
    assert!(text.starts_with("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE"), "{text}");
    assert_eq!(finished.code, 1);
}

#[tokio::test]
async fn activities_start_end_and_hear_as_on_a_phone() {
    check(&[
        ("am", "Activity manager", 255),
        ("am nonsense", "Unknown command: nonsense", 255),
        ("am start", "java.lang.IllegalArgumentException: No intent supplied", 255),
        ("am start -z", "Unknown option: -z", 255),
        ("am start -n x", "Bad component name: x", 255),
        ("am start --ei a b c", "java.lang.NumberFormatException", 255),
        ("am start -n com.clawperator.form/.MainActivity", "Starting: Intent { cmp=com.clawperator.form/.MainActivity }\n", 0),
        ("am start -n com.clawperator.form/.MainActivity", "Warning: Activity not started, its current task has been brought to the front\n", 0),
        ("am start-activity -W -n com.clawperator.form/.MainActivity -S", "Stopping: com.clawperator.form\nStarting: Intent { cmp=com.clawperator.form/.MainActivity }\nStatus: ok\nLaunchState: COLD\nActivity: com.clawperator.form/.MainActivity\nTotalTime: 312\nWaitTime: 314\nComplete\n", 0),
        ("am start -W com.clawperator.messenger", "LaunchState: COLD\nActivity: com.clawperator.messenger/", 0),
        ("am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -p com.clawperator.form", "LaunchState: HOT\n", 0),
        ("am start -n com.clawperator.form/.Nowhere", "Error type 3\nError: Activity class {com.clawperator.form/com.clawperator.form.Nowhere} does not exist.\n", 1),
        ("am start -a no.such.ACTION", "Error: Activity not started, unable to resolve Intent { act=no.such.ACTION flg=0x10000000 }\n", 1),
        ("am start -a android.settings.SETTINGS", "Starting: Intent { act=android.settings.SETTINGS }", 0),
        ("am stack list", "com.clawperator.form", 0),
        ("am task list", "visible=true topActivity=ComponentInfo{com.android.settings/", 0),
        ("am stack", "Error", 255),
        ("am force-stop com.clawperator.form", "", 0),
        ("am force-stop com.nobody", "", 0),
        ("am force-stop", "Argument expected", 255),
        ("am kill com.clawperator.messenger", "", 0),
        ("am kill-all", "", 0),
        ("am broadcast -a a.b.C --es k 'v w' --ez f true --receiver-foreground", "Broadcasting: Intent { act=a.b.C flg=0x10400000 (has extras) }\nBroadcast completed: result=0\n", 0),
        ("am broadcast -a a.b.C -p com.nobody", "Broadcasting: Intent { act=a.b.C flg=0x400000 pkg=com.nobody }\nBroadcast completed: result=0\n", 0),
        ("am broadcast -a a.b.C -n com.nobody/.R", "result=0\n", 0),
        ("am broadcast", "No intent supplied", 255),
        ("am get-current-user", "0\n", 0),
        ("am get-config", "config: en-rUS-", 0),
        ("am startservice -n a/.B", "Starting service: Intent { cmp=a/.B }\nError: Not found; no service started.\n", 255),
        ("am stopservice -n a/.B", "was not running", 255),
        ("am instrument -w -r -e k v a.test/x.Runner", "INSTRUMENTATION_FAILED: a.test/x.Runner", 1),
        ("am instrument", "Argument expected", 255),
        ("am crash com.android.settings", "", 0),
        ("monkey -p com.clawperator.form -c android.intent.category.LAUNCHER 1", "Events injected: 1\n", 0),
        ("monkey -p com.nobody -c android.intent.category.LAUNCHER 1", "** No activities found to run, monkey aborted.\n", 252),
        ("monkey", "usage: monkey", 255),
        ("run-as com.android.settings ls", "run-as: package not debuggable: com.android.settings\n", 1),
        ("run-as com.nobody ls", "run-as: unknown package: com.nobody\n", 1),
        ("run-as", "usage", 1),
    ])
    .await;
}

#[tokio::test]
async fn a_started_app_is_in_front_until_it_is_stopped() {
    let handset = phone();
    said(&handset, "monkey -p com.clawperator.form -c android.intent.category.LAUNCHER 1").await;
    let front = || handset.with(|phone| phone.front_package().map(str::to_owned));
    assert_eq!(front().as_deref(), Some("com.clawperator.form"));
    said(&handset, "am start -a android.intent.action.VIEW -d https://example.com/").await;
    assert_eq!(front().as_deref(), Some("com.clawperator.browser"));
    said(&handset, "am force-stop com.clawperator.browser").await;
    assert_ne!(front().as_deref(), Some("com.clawperator.browser"));
}

#[tokio::test]
async fn a_server_the_phone_does_not_know_is_not_found() {
    let other = "Could not find or load main class com.genymobile.scrcpy.Server";
    check(&[
        ("app_process", "Usage: app_process", 1),
        ("app_process /", "Usage: app_process", 1),
        ("CLASSPATH=/data/local/tmp/s.jar app_process / com.genymobile.scrcpy.Server 3.2", other, 1),
        (
            "app_process64 -Djava.class.path=/x -Xmx1g / --nice-name=s com.genymobile.scrcpy.Server",
            "java.lang.ClassNotFoundException",
            1,
        ),
        // The file was not pushed.
        ("CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main", "ClassNotFoundException", 1),
    ])
    .await;
}

#[test]
fn the_package_in_a_file_is_known_before_it_is_installed() {
    let apk = apk_files::apk(1, Letters::Utf16, Packing::Deflated);
    assert_eq!(clawperator_sim::package_of(&apk).as_deref(), Some("com.example.shop"));
    for bytes in [&b""[..], b"PK\x03\x04", b"label: none\n", &apk[..apk.len() / 2]] {
        assert_eq!(clawperator_sim::package_of(bytes), None);
    }
}

/// Installs an APK of these files.
async fn install(handset: &Arc<Handset>, files: &[(&str, Vec<u8>)]) {
    let apk = apk_files::zip(files, Packing::Deflated);
    as_root(handset, |files, root| {
        files.write(root, "/data/local/tmp/x.apk", apk).unwrap();
    });
    assert_eq!(said(handset, "pm install /data/local/tmp/x.apk").await.0, "Success\n");
}

#[tokio::test]
async fn an_apk_s_label_and_services_are_as_its_files_say() {
    let handset = phone();
    let files = [
        ("AndroidManifest.xml", apk_files::axml(&apk_files::notes(), Letters::Utf8)),
        ("resources.arsc", apk_files::resources("Notes")),
    ];
    install(&handset, &files).await;
    for (line, wanted) in [
        ("cmd package query-activities -n com.example.notes/.Main", "nonLocalizedLabel=Notes "),
        ("dumpsys package com.example.notes", "com.example.notes.SYNC:"),
        ("dumpsys package com.example.notes", "com.example.notes/.Sync filter"),
        (
            "dumpsys package com.example.notes",
            "Receiver Resolver Table:\n  Non-Data Actions:\n      android.intent.action.BOOT_COMPLETED:\n",
        ),
        ("dumpsys package com.example.notes", "  [com.example.notes.files]:\n    Provider{"),
        ("dumpsys package com.example.notes", "Registered ContentProviders:\n  com.example.notes/.Files:\n"),
    ] {
        let (text, _) = said(&handset, line).await;
        assert!(text.contains(wanted), "{line}: {text}");
    }
    // What cannot run says so.
    said(&handset, "am start -n com.example.notes/.Main").await;
    let tree = handset.with(|phone| phone.tree(clawperator_sim::phone::DumpViews::All)).unwrap();
    assert!(tree.nodes().any(|(_, node)| node.text.contains("does not run the code of an APK")));
}

#[tokio::test]
async fn every_app_has_an_apk() {
    let handset = phone();
    for package in ["com.android.settings", "com.clawperator.messenger"] {
        let line = format!("cat $(pm path {package} | cut -d: -f2)");
        let machine: Arc<dyn Machine> = handset.clone();
        let done = run(machine, shell_user(), &line, b"").await;
        assert_eq!((done.code, &done.stderr[..]), (0, &b""[..]));
        let archive = clawperator_apk::Archive::read(&done.stdout).unwrap();
        let manifest = archive.labelled_manifest().unwrap();
        assert_eq!(manifest.package, package);
        assert!(manifest.activities.iter().any(|activity| activity.launcher));
        let (about, _) = said(&handset, &format!("dumpsys package {package}")).await;
        assert!(about.contains(&format!("versionCode={} ", manifest.version_code)));
        assert!(about.contains(&format!("versionName={}\n", manifest.version_name)));
    }
    let (listed, _) = said(&handset, "ls /system/app/com.android.settings").await;
    assert_eq!(listed, "base.apk\n");
}

#[tokio::test]
async fn the_apk_of_adbkeyboard_is_that_keyboard() {
    let handset = phone();
    let manifest = Element(
        "manifest",
        vec![("versionCode", Value::Number(21)), ("package", text("com.android.adbkeyboard"))],
        vec![Element("application", vec![], vec![])],
    );
    install(&handset, &[("AndroidManifest.xml", apk_files::axml(&manifest, Letters::Utf8))]).await;
    said(&handset, "ime enable com.android.adbkeyboard/.AdbIME").await;
    said(&handset, "ime set com.android.adbkeyboard/.AdbIME").await;
    said(&handset, "am start -n com.clawperator.form/.LoginActivity").await;
    let tree = handset.with(|phone| phone.tree(clawperator_sim::phone::DumpViews::All)).unwrap();
    let is_mail = |id: &Option<String>| id.as_deref() == Some("com.clawperator.form:id/input_email");
    let field = tree.nodes().find(|(_, node)| is_mail(&node.resource_id)).unwrap().1;
    handset.with(|phone| phone.tap(field.bounds.center()));
    said(&handset, "am broadcast -a ADB_INPUT_TEXT --es msg 'Grüße'").await;
    let tree = handset.with(|phone| phone.tree(clawperator_sim::phone::DumpViews::All)).unwrap();
    assert!(tree.nodes().any(|(_, node)| is_mail(&node.resource_id) && node.text == "Grüße"));
    let (version, _) = said(&handset, "dumpsys package com.android.adbkeyboard").await;
    assert!(version.contains("versionCode=21 "), "{version}");
}
