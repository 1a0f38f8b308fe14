//! What is installed.

use super::hash;
use crate::phone::{LAUNCHER, MAIN, Package, Phone, format_time, full_name, short_component};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) fn dump(phone: &mut Phone, words: &[&str]) -> String {
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    let Some(name) = names.find(|word| !matches!(**word, "packages" | "p" | "package")) else {
        let all: String = phone.packages.values().map(print).collect();
        return format!("Packages:\n{all}");
    };
    let Some(package) = phone.packages.get(*name) else {
        return format!("Unable to find package: {name}\n");
    };
    format!("{}Packages:\n{}\nQueries:\n  system apps queryable: false\n", resolver(package), print(package))
}

fn resolver(package: &Package) -> String {
    let name = package.name();
    let mut text = "Activity Resolver Table:\n  Non-Data Actions:\n".to_owned();
    let starts = package.app.activities.iter().filter(|activity| activity.launcher);
    for activity in starts {
        let component = short_component(name, &full_name(name, &activity.name));
        text.push_str(&format!(
            "      {MAIN}:\n        {} {component} filter {}\n          Action: \"{MAIN}\"\n          Category: \"{LAUNCHER}\"\n",
            hash(&component),
            hash(name),
        ));
    }
    text.push('\n');
    for (kind, rows) in [("Receiver", &package.app.receivers), ("Service", &package.app.services)] {
        if rows.is_empty() {
            continue;
        }
        text.push_str(&format!("{kind} Resolver Table:\n  Non-Data Actions:\n"));
        for (action, class) in rows {
            let component = short_component(name, class);
            text.push_str(&format!(
                "      {action}:\n        {} {component} filter {}\n          Action: \"{action}\"\n",
                hash(&component),
                hash(action),
            ));
        }
        text.push('\n');
    }
    text + &providers(package)
}

fn providers(package: &Package) -> String {
    let (name, rows) = (package.name(), &package.app.providers);
    if rows.is_empty() {
        return String::new();
    }
    let provider = |class: &String| {
        let component = short_component(name, class);
        (format!("Provider{{{} {component}}}", hash(&component)), component)
    };
    let mut text = "Registered ContentProviders:\n".to_owned();
    for class in rows.values().collect::<BTreeSet<_>>() {
        let (provider, component) = provider(class);
        text.push_str(&format!("  {component}:\n    {provider}\n"));
    }
    text.push_str("\nContentProvider Authorities:\n");
    for (authority, class) in rows {
        let provider = provider(class).0;
        text.push_str(&format!(
            "  [{authority}]:\n    {provider}\n      applicationInfo=ApplicationInfo{{{} {name}}}\n",
            hash(name)
        ));
    }
    text + "\n"
}

fn date(time: Duration) -> String {
    format_time(time, "%Y-%m-%d %H:%M:%S")
}

fn print(package: &Package) -> String {
    let name = package.name();
    let app = &package.app;
    let flags = if app.system {
        "SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA"
    } else {
        "HAS_CODE ALLOW_CLEAR_USER_DATA ALLOW_BACKUP"
    };
    let folder = package.path.trim_end_matches("/base.apk");
    let asked: String = app.permissions.iter().map(|name| format!("      {name}\n")).collect();
    let granted: String = app
        .permissions
        .iter()
        .map(|name| {
            format!(
                "        {name}: granted={}, flags=[ USER_SENSITIVE_WHEN_GRANTED]\n",
                package.granted.contains(name)
            )
        })
        .collect();
    format!(
        "  Package [{name}] ({}):
    userId={uid}
    appId={uid}
    pkg=Package{{{} {name}}}
    codePath={folder}
    resourcePath={folder}
    primaryCpuAbi=arm64-v8a
    versionCode={} minSdk=24 targetSdk=34
    versionName={}
    splits=[base]
    flags=[ {flags} ]
    dataDir=/data/user/0/{name}
    supportsScreens=[small, medium, large, xlarge, resizeable, anyDensity]
    timeStamp={}
    lastUpdateTime={}
    installerPackageName={}
    requested permissions:
{asked}    User 0: ceDataInode={uid} installed=true hidden=false suspended=false distractionFlags=0 stopped={} notLaunched=false enabled={} instant=false virtual=false
      firstInstallTime={}
      gids=[3003]
      runtime permissions:
{granted}
",
        hash(name),
        hash(&package.path),
        app.version.code,
        app.version.name,
        date(package.installed),
        date(package.installed),
        if app.system { "null" } else { "com.android.shell" },
        package.pid.is_none(),
        if package.enabled { 0 } else { 3 },
        date(package.installed),
        uid = package.uid,
    )
}
