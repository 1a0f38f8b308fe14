//! What the keys of `pool init` may do, on real servers.

use crate::broker::{check, store};
use crate::plan::{Folder, plan};
use crate::server::{Node, program};
use async_nats::ServerAddr;
use clawperator_pool::Account;
use clawperator_pool::access::{Connecting, PoolAccess, connect};
use clawperator_pool::broker::nats::{API, Endpoint, NatsBroker};
use clawperator_pool::broker::{BrokerError, Bucket, Change, Expected, Queue, Settlement};
use clawperator_pool::init::{PoolPlan, files, system_random, write};
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// A pool of real nodes, which end before their folder goes.
struct Pool {
    nodes: Vec<Node>,
    folder: Folder,
}

impl Pool {
    async fn start(name: &str, megabytes: u32, nodes: u8) -> Option<Self> {
        let program = program()?;
        let folder = Folder::new(name);
        let port = Node::free_port();
        let places = (0..u16::from(nodes)).map(|node| format!("127.0.0.1:{}", port + node)).collect();
        let plan = PoolPlan { tenant_megabytes: megabytes, nodes: places, ..plan(&["a", "b"], &[]) };
        write(&folder.0, &files(&plan, &mut system_random).unwrap()).unwrap();
        let mut started = Vec::new();
        for node in 0..u16::from(nodes) {
            started.push(Node::start(&program, &folder.0, (&format!("node-{}.conf", node + 1), port + node)));
        }
        for node in &mut started {
            node.wait().await;
        }
        let pool = Self { nodes: started, folder };
        if nodes == 1 {
            pool.make_buckets().await;
        }
        Some(pool)
    }

    /// As `pool doctor` of those who run the pool does.
    async fn make_buckets(&self) {
        let access = self.access("operator.json");
        for tenant in &access.tenants {
            let of_tenant = PoolAccess { tenants: vec![tenant.clone()], ..access.clone() };
            connect(&of_tenant, Connecting::Caller).await.unwrap();
        }
    }

    fn access(&self, name: &str) -> PoolAccess {
        PoolAccess::read(self.folder.0.join(name).to_str().unwrap()).unwrap()
    }

    /// The account of the first tenant.
    async fn broker(&self, name: &str) -> Account {
        connect(&self.access(name), Connecting::Caller).await.unwrap().tenants.remove(0).account
    }

    /// A connection that is not the broker's own, to try what that never does.
    async fn client(&self, name: &str) -> async_nats::Client {
        let text = std::fs::read_to_string(self.folder.0.join(name)).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let seed = file["tenants"][0]["seed"].as_str().unwrap().to_owned();
        let options = async_nats::ConnectOptions::with_nkey(seed)
            .add_root_certificates(self.folder.0.join("ca.pem"))
            .request_timeout(Some(Duration::from_millis(500)));
        options.connect(file["servers"][0].as_str().unwrap()).await.unwrap()
    }
}

/// Checks that the key may not do this, and that the answer comes at once.
async fn refused<T: std::fmt::Debug>(what: &str, call: impl Future<Output = Result<T, BrokerError>>) {
    let began = Instant::now();
    let done = call.await;
    assert!(matches!(done, Err(BrokerError::Refused(_))), "{what}: {done:?}");
    assert!(began.elapsed() < Duration::from_secs(1), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_key_does_what_its_role_says() {
    let Some(pool) = Pool::start("keys", 64, 1).await else { return };
    let worker = pool.broker("worker.json").await;
    let submitter = pool.broker("submitter-a.json").await;
    let operator = pool.broker("operator.json").await;
    let queue = Queue { prefix: "any".to_owned() };
    for &bucket in Bucket::ALL {
        let is_callers = matches!(bucket, Bucket::Jobs | Bucket::Orders | Bucket::Wishes);
        let (may, may_not) = if is_callers { (&submitter, &worker) } else { (&worker, &submitter) };
        let revision = store(&**may, bucket, "any.1", "x").await.unwrap();
        refused(bucket.word(), store(&**may_not, bucket, "any.1", "x")).await;
        refused(bucket.word(), submitter.remove(bucket, revision)).await;
        for broker in [&worker, &submitter, &operator] {
            assert_eq!(broker.list(bucket, ">").await.unwrap().len(), 1);
            assert_eq!(broker.read(bucket, "any.1").await.unwrap().unwrap().revision, revision);
        }
        let mut watch = submitter.watch(bucket, ">").await.unwrap();
        store(&**may, bucket, "any.2", "y").await.unwrap();
        assert_eq!(watch.recv().await.unwrap().value, b"y");
    }
    refused("take", submitter.take(&queue)).await;
    let job = worker.take(&queue).await.unwrap().unwrap();
    refused("take", submitter.take(&queue)).await;
    refused("settle", submitter.settle(&job, Settlement::Done)).await;
    worker.settle(&job, Settlement::Done).await.unwrap();
    worker.remove(Bucket::Jobs, job.entry.revision).await.unwrap();
    store(&*operator, Bucket::Jobs, "any.3", "z").await.unwrap();
    let other = pool.broker("submitter-b.json").await;
    assert!(other.list(Bucket::Jobs, ">").await.unwrap().is_empty());
    check_of_pool(&pool).await;
}

/// A submitter has no key of the pool's own account, and no key of ours is taken elsewhere.
async fn check_of_pool(pool: &Pool) {
    assert!(connect(&pool.access("submitter-a.json"), Connecting::Caller).await.unwrap().pool.is_none());
    let of_all = connect(&pool.access("worker.json"), Connecting::Host).await.unwrap();
    assert_eq!(of_all.tenants.iter().map(|tenant| tenant.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    store(&*of_all.pool.unwrap(), Bucket::Hosts, "h.1", "x").await.unwrap();
    assert!(of_all.tenants[0].account.read(Bucket::Hosts, "h.1").await.unwrap().is_none());
    let access = pool.access("submitter-a.json");
    let servers: Vec<ServerAddr> = access.servers.iter().map(|server| server.parse().unwrap()).collect();
    let ca = access.ca.as_deref();
    let strange = nkeys::KeyPair::new_user().seed().unwrap();
    let (servers, name, keeps_trying) = (servers.as_slice(), "test", false);
    let endpoint = Endpoint { servers, ca, seed: None, api: API, name, replicas: None, keeps_trying };
    for seed in [Some(strange.as_str()), None] {
        let endpoint = Endpoint { seed, ..endpoint };
        let error = NatsBroker::connect(endpoint).await.unwrap_err();
        assert!(matches!(error, BrokerError::Refused(_)), "{error:?}");
    }
    let endpoint = Endpoint { ca: None, seed: Some(&strange), ..endpoint };
    let error = NatsBroker::connect(endpoint).await.unwrap_err();
    assert!(matches!(error, BrokerError::Unavailable(_)), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_role_but_the_operators_changes_a_stream_and_no_submitter_makes_a_durable_consumer() {
    let Some(pool) = Pool::start("raw", 64, 1).await else { return };
    let config = serde_json::json!({ "durable_name": "mine", "ack_policy": "explicit" });
    let question = serde_json::json!({ "stream_name": "CW_JOB", "config": config }).to_string();
    let of_all =
        ["STREAM.DELETE.CW_JOB", "STREAM.PURGE.CW_JOB", "STREAM.UPDATE.CW_TIME", "STREAM.CREATE.MINE"];
    let of_submitter = [
        "CONSUMER.CREATE.CW_JOB",
        "CONSUMER.CREATE.CW_JOB.mine",
        "CONSUMER.DURABLE.CREATE.CW_JOB.mine",
        "CONSUMER.DELETE.CW_JOB.mine",
    ];
    let both = of_all.iter().chain(&of_submitter);
    for (file, api, whats) in [
        ("submitter-a.json", "_JS.API", both.copied().collect::<Vec<_>>()),
        ("worker.json", "$JS.API", of_all.to_vec()),
    ] {
        let client = pool.client(file).await;
        for what in whats {
            let answer = client.request(format!("{api}.{what}"), question.clone().into()).await;
            let text = answer.map(|answer| String::from_utf8_lossy(&answer.payload).into_owned());
            println!("{file} {what}: {text:?}");
            assert!(text.is_err() || text.is_ok_and(|text| text.contains("\"error\"")), "{file} {what}");
        }
    }
}

/// What a worker may write must not reach, by way of the broker, what it may not.
#[tokio::test(flavor = "multi_thread")]
async fn no_consumer_does_what_a_worker_may_not() {
    let Some(pool) = Pool::start("forward", 64, 1).await else { return };
    let (worker, operator) = (pool.broker("worker.json").await, pool.broker("operator.json").await);
    let client = pool.client("worker.json").await;
    store(&*worker, Bucket::Times, "x", r#"{"cancel":"507f1f77bcf86cd799439011"}"#).await.unwrap();
    for (name, target) in [("w", "cw.CW_WISH.cancel.x"), ("j", "cw.CW_JOB.any.phone.-.high.x")] {
        let mut config = serde_json::json!({ "deliver_policy": "all", "ack_policy": "explicit" });
        config["durable_name"] = name.into();
        let make = |config: &serde_json::Value, kind: &str| {
            let question = serde_json::json!({ "stream_name": "CW_TIME", "config": config }).to_string();
            client.request(format!("$JS.API.CONSUMER.{kind}"), question.into())
        };
        make(&config, &format!("DURABLE.CREATE.CW_TIME.{name}")).await.unwrap();
        let next = format!("$JS.API.CONSUMER.MSG.NEXT.CW_TIME.{name}");
        client.publish_with_reply(next, target, r#"{"batch":1}"#.into()).await.unwrap();
        config["deliver_subject"] = target.into();
        config.as_object_mut().unwrap().remove("durable_name");
        make(&config, "CREATE.CW_TIME").await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    for bucket in [Bucket::Wishes, Bucket::Jobs] {
        assert!(operator.list(bucket, ">").await.unwrap().is_empty(), "{bucket:?}");
    }
}

/// A server publishes its answers and its feeds wherever the asker says. That must not reach
/// what the asker itself may not publish to.
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_does_what_a_submitter_may_not() {
    let Some(pool) = Pool::start("relay", 64, 1).await else { return };
    let worker = pool.broker("worker.json").await;
    let client = pool.client("submitter-a.json").await;
    for key in ["k.1", "k.2", "k.3", "k.4", "k.5", "k.6"] {
        store(&*worker, Bucket::Runs, key, "x").await.unwrap();
    }
    let targets = ["cw.CW_RESULT.forged", "$JS.API.STREAM.MSG.DELETE.CW_RUN", "$JS.API.STREAM.PURGE.CW_RUN"];
    for target in targets {
        let wish = r#"{"seq":2}"#;
        client.publish_with_reply("cw.CW_WISH.x", target, wish.into()).await.unwrap();
        let last = r#"{"last_by_subj":"cw.CW_WISH.x"}"#;
        client.publish_with_reply("_JS.API.STREAM.MSG.GET.CW_WISH", target, last.into()).await.unwrap();
        let config = serde_json::json!({
            "deliver_subject": target, "deliver_policy": "all", "ack_policy": "none",
        });
        let question = serde_json::json!({ "stream_name": "CW_WISH", "config": config }).to_string();
        client.request("_JS.API.CONSUMER.CREATE.CW_WISH", question.into()).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(worker.list(Bucket::Results, ">").await.unwrap().is_empty());
    assert_eq!(worker.list(Bucket::Runs, ">").await.unwrap().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_account_says_so_and_goes_on() {
    let Some(pool) = Pool::start("full", 1, 1).await else { return };
    let (worker, submitter) = (pool.broker("worker.json").await, pool.broker("submitter-a.json").await);
    let value = vec![b'x'; 100_000];
    let put = async |account: &Account, bucket, number: usize| {
        let key = format!("b.{number}");
        let change = Change { bucket, key: &key, value: &value, expected: Expected::Absent };
        account.store(change).await
    };
    let mut orders = 0;
    let full = loop {
        match put(&submitter, Bucket::Orders, orders).await {
            Ok(_) if orders < 20 => orders += 1,
            done => break done,
        }
    };
    assert!(matches!(full, Err(BrokerError::Full(_))), "{full:?} after {orders}");
    println!("full after {orders} orders of 100 kB: {full:?}");
    // What ends jobs has room all the same; of results the oldest go.
    store(&*submitter, Bucket::Wishes, "cancel.1", "x").await.unwrap();
    store(&*worker, Bucket::Runs, "b.1", "x").await.unwrap();
    for number in 0..20 {
        put(&worker, Bucket::Results, number).await.unwrap();
    }
    let kept = worker.list(Bucket::Results, ">").await.unwrap();
    assert!((1..20).contains(&kept.len()) && kept.iter().any(|entry| entry.key == "b.19"));
    let large = vec![b'x'; 2 << 20];
    let change = Change { bucket: Bucket::Blobs, key: "large", value: &large, expected: Expected::Absent };
    assert!(matches!(worker.store(change).await, Err(BrokerError::Full(_))));
    store(&*worker, Bucket::Blobs, "b.small", "x").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_whose_key_is_missing_harms_itself_only_and_comes_back() {
    let Some(pool) = Pool::start("back", 64, 1).await else { return };
    let (file, strange) = (pool.folder.0.join("worker.json"), nkeys::KeyPair::new_user().public_key());
    let file: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let key = nkeys::KeyPair::from_seed(file["tenants"][1]["seed"].as_str().unwrap()).unwrap().public_key();
    let config = pool.folder.0.join("node-1.conf");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace(&key, &strange)).unwrap();
    pool.nodes[0].signal(Signal::HUP);
    let tenants = loop {
        let tenants = connect(&pool.access("worker.json"), Connecting::Host).await.unwrap().tenants;
        // The configuration was read.
        if tenants[1].account.read(Bucket::Hosts, "h.1").await.is_err() {
            break tenants;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    store(&*tenants[0].account, Bucket::Hosts, "h.1", "x").await.unwrap();
    let error = tenants[1].account.read(Bucket::Hosts, "h.1").await.unwrap_err().to_string();
    assert!(error.contains("no connection: authorization violation"), "{error}");
    std::fs::write(&config, text).unwrap();
    pool.nodes[0].signal(Signal::HUP);
    let began = Instant::now();
    while tenants[1].account.read(Bucket::Hosts, "h.1").await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(30));
    }
    store(&*tenants[1].account, Bucket::Hosts, "h.1", "x").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn three_nodes_do_what_one_does_and_lose_one() {
    let Some(mut pool) = Pool::start("three", 64, 3).await else { return };
    let began = Instant::now();
    let access = pool.access("operator.json");
    let broker = loop {
        match connect(&access, Connecting::Caller).await {
            Ok(mut pool) => break pool.tenants.remove(0).account,
            Err(error) if began.elapsed() > Duration::from_secs(60) => panic!("{error:?}"),
            Err(error) => println!("{:?}: {}", began.elapsed(), error.message),
        }
    };
    println!("three nodes are ready after {:?}", began.elapsed());
    check(&*broker).await;
    let client = pool.client("operator.json").await;
    let info = client.request("$JS.API.STREAM.INFO.CW_LEASE", "".into()).await.unwrap();
    let info: serde_json::Value = serde_json::from_slice(&info.payload).unwrap();
    let leader = info["cluster"]["leader"].as_str().unwrap();
    let kept = store(&*broker, Bucket::Leases, "kept", "x").await.unwrap();
    let began = Instant::now();
    drop(pool.nodes.remove(usize::from(leader.as_bytes()[5] - b'1')));
    while let Err(error) = store(&*broker, Bucket::Leases, "next", "x").await {
        println!("{:?}: {error}", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("without {leader}, which led, it stores after {:?}", began.elapsed());
    assert_eq!(broker.read(Bucket::Leases, "kept").await.unwrap().unwrap().revision, kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_comes_whole() {
    let Some(pool) = Pool::start("long", 256, 1).await else { return };
    let worker = pool.broker("worker.json").await;
    let submitter = pool.broker("submitter-a.json").await;
    let value = "x".repeat(20_000);
    for hundred in 0..20 {
        let keys: Vec<_> = (0..100).map(|at| format!("r.{hundred}.{at}")).collect();
        let stored = keys.iter().map(|key| store(&*worker, Bucket::Results, key, &value));
        futures_util::future::try_join_all(stored).await.unwrap();
    }
    for broker in [&worker, &submitter] {
        let began = Instant::now();
        let listed = broker.list(Bucket::Results, ">").await.unwrap();
        assert!(listed.len() == 2_000 && listed.iter().all(|entry| entry.value.len() == value.len()));
        println!("40 MB in 2000 entries were listed in {:?}", began.elapsed());
    }
}
