//! What `pool init` writes, and what `--pool` takes.

use crate::plan::{Folder, plan};
use clawperator_contract::Failure;
use clawperator_pool::access::{PoolAccess, PoolRole};
use clawperator_pool::init::{PoolFile, PoolPlan, files, system_random, write};
use clawperator_pool::local::LocalBroker;
use clawperator_pool::seal::SealKey;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn made(plan: &PoolPlan) -> Result<Vec<PoolFile>, Failure> {
    let mut count = 0;
    files(plan, &mut || {
        count += 1;
        [count; 32]
    })
}

fn text<'f>(files: &'f [PoolFile], name: &str) -> &'f str {
    &files.iter().find(|file| file.path == Path::new(name)).unwrap().text
}

fn hint(failure: &Failure) -> &str {
    failure.details.as_ref().unwrap().hint.as_deref().unwrap()
}

#[test]
fn the_same_plan_and_bytes_make_the_same_files() {
    let three = plan(&["a", "b"], &["h1", "h2", "10.0.0.3:5000"]);
    let files = made(&three).unwrap();
    assert_eq!(files, made(&three).unwrap());
    let names: Vec<_> = files.iter().map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(
        names.join(" "),
        "ca.pem node-1.pem node-1.key node-2.pem node-2.key node-3.pem node-3.key \
         node-1.conf node-2.conf node-3.conf worker.json operator.json submitter-a.json submitter-b.json"
    );
    let node = text(&files, "node-3.conf");
    assert!(node.contains(r#"routes: ["tls://h1:6222", "tls://h2:6222", "tls://10.0.0.3:7000"]"#), "{node}");
    assert!(!node.contains("\"SU") && !node.contains("sync_interval"), "{node}");
    let always = made(&PoolPlan { sync_always: true, ..three }).unwrap();
    assert!(text(&always, "node-1.conf").contains("sync_interval: always"));
    let submitter = text(&files, "submitter-b.json");
    assert!(
        !submitter.contains("\"pool\"") && !submitter.contains("sealKey") && !submitter.contains("\"a\"")
    );
    assert!(
        text(&files, "worker.json").contains("sealKey") && !text(&files, "operator.json").contains("sealKey")
    );
}

#[test]
fn plans_that_cannot_be_are_refused() {
    for wrong in [
        plan(&[], &["h"]),
        plan(&["a", "a"], &["h"]),
        plan(&["A"], &["h"]),
        plan(&["a"], &[]),
        plan(&["a"], &["h", "i"]),
        plan(&["a"], &["h", "i", "j", "k"]),
        plan(&["a"], &["h\"x"]),
        plan(&["a"], &["h:66000"]),
        plan(&["a"], &["h:65535"]),
    ] {
        made(&wrong).unwrap_err();
    }
}

#[test]
fn files_are_private_and_never_replaced() {
    let folder = Folder::new("files");
    let files = files(&plan(&["a"], &["h"]), &mut system_random).unwrap();
    write(&folder.0, &files).unwrap();
    for file in &files {
        let mode = std::fs::metadata(folder.0.join(&file.path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(write(&folder.0, &files).unwrap_err().message.contains("there already"));
    let path = folder.0.join("worker.json");
    let access = PoolAccess::read(path.to_str().unwrap()).unwrap();
    assert_eq!((access.role, access.tenants.len()), (PoolRole::Worker, 1));
    assert_eq!(access.ca.as_deref(), Some(folder.0.join("ca.pem").as_path()));
    assert_eq!(access.seal_for, access.seal_key.as_ref().map(SealKey::lock));
    let shown = format!("{access:?}");
    assert!(!shown.contains("\"SU") && shown.contains("hidden"), "{shown}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let failure = PoolAccess::read(path.to_str().unwrap()).unwrap_err();
    assert!(failure.message.contains("by others") && hint(&failure).contains("chmod 600"), "{failure:?}");
}

#[test]
fn a_wrong_file_is_explained_without_its_secrets() {
    let folder = Folder::new("wrong");
    let path = folder.0.join("pool.json");
    let seed = "SUANOTAVALIDSEED";
    for (text, said) in [
        ("{", "EOF"),
        (r#"{"servers":[],"role":"worker","tenants":[]}"#, "names no server"),
        (r#"{"servers":["nats://h"],"role":"worker","tenants":[{"name":"a"}],"x":1}"#, "unknown field `x`"),
        (r#"{"servers":["nats://h"],"role":"SEED","tenants":[]}"#, "not of the right kind"),
        (
            r#"{"servers":["nats://h"],"role":"worker","tenants":[{"name":"a","weight":"SEED"}]}"#,
            "not of the right",
        ),
        (
            r#"{"servers":["nats://h"],"role":"worker","tenants":[{"name":"a","seed":"SEED"}]}"#,
            "seed of the tenant \"a\"",
        ),
        (
            r#"{"servers":["nats://h"],"role":"worker","tenants":[{"name":"a"}],"sealKey":"SEED"}"#,
            "not of the right",
        ),
        (
            r#"{"servers":["nats://h"],"role":"worker","tenants":[{"name":"a"}],"replicas":2}"#,
            "replicas is 2",
        ),
        (r#"{"servers":["nats://SEED@h"],"role":"worker","tenants":[{"name":"a"}]}"#, "holds no user"),
        (r#"{"servers":["http://h"],"role":"worker","tenants":[{"name":"a"}]}"#, "no address"),
    ] {
        clawperator_private::save(&path, text.replace("SEED", seed).as_bytes()).unwrap();
        let failure = PoolAccess::read(path.to_str().unwrap()).unwrap_err();
        let shown = format!("{failure:?}");
        assert!(failure.message.contains(said) && failure.message.contains("pool.json"), "{said}: {shown}");
        assert!(!shown.contains(seed), "{shown}");
    }
    assert!(hint(&PoolAccess::read("/no/such/file").unwrap_err()).contains("pool init"));
    assert!(hint(&PoolAccess::read("http://h").unwrap_err()).contains("nats://HOST:PORT"));
    let several = PoolAccess::read("nats://a:1,b:2").unwrap();
    assert_eq!(several.servers, ["nats://a:1", "nats://b:2"]);
    assert_eq!(several.tenants[0].name.as_str(), "default");
}

#[tokio::test]
async fn without_a_program_there_is_a_hint() {
    let folder = Folder::new("none");
    let failure = LocalBroker::start(Some(Path::new("/no/nats-server")), &folder.0).await.unwrap_err();
    assert!(
        failure.message.contains("/no/nats-server") && hint(&failure).contains("apt install nats-server")
    );
    let failure = LocalBroker::start(Some(Path::new("/bin/true")), &folder.0).await.unwrap_err();
    assert!(failure.message.contains("does not answer") && hint(&failure).contains("nats-server.log"));
}
