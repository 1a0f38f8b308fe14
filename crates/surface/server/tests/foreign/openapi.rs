//! The OpenAPI document with tools that we did not write: a validator, and
//! Schemathesis, which makes requests of the document and compares the answers
//! with it.

mod python {
    use crate::pool_memory::MemoryBroker;
    use crate::support::{Names, client, folder, server_with};
    use clawperator_pool::Caller;
    use clawperator_pool::broker::Broker;
    use std::path::Path;
    use std::process::Stdio;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::process::Command;

    /// How long a tool may take.
    const LIMIT: Duration = Duration::from_secs(180);

    /// Streams of events never end. The schema of executions is more than Schemathesis can
    /// make examples of. Who asks for a virtual device without Android's SDK gets
    /// status 500, as the contract says.
    const LEFT_OUT: [&str; 7] = [
        "/events",
        "/approvals/events",
        "/pool/events",
        "/execute",
        "/pool/jobs",
        "/android/emulators/create",
        "/android/provision/emulator",
    ];

    async fn run(tool: &str, arguments: &[&str]) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let bin = root.join("target/foreign/venv/bin").canonicalize().unwrap();
        let home = folder("openapi-home");
        std::fs::create_dir_all(&home).unwrap();
        let mut command = Command::new(bin.join(tool));
        command
            .args(arguments)
            .current_dir(&home)
            .env("HOME", &home)
            .env_remove("PYTHONPATH")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let output = tokio::time::timeout(LIMIT, command.output()).await.unwrap().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        println!("{said}");
        assert!(output.status.success(), "{tool}: {said}\n{complaints}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_answer_is_as_the_document_says() {
        let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../skills/skills-registry.json");
        let server = server_with("openapi", |app| {
            app.boxed = Arc::new(Names::default());
            let broker: Arc<dyn Broker> = Arc::new(MemoryBroker::new(1_794_700_000_000));
            let account = clawperator_pool::Account::from(broker);
            app.pool = Some(Caller { account: account.clone(), seal: None, pool: Some(account) });
            app.skills.named = Some(skills);
        })
        .await;
        let document = folder("openapi-document").with_extension("json");
        let text = client(&server).get("/openapi.json").await.body;
        std::fs::write(&document, text).unwrap();
        run("openapi-spec-validator", &[document.to_str().unwrap()]).await;
        let url = format!("http://127.0.0.1:{}/openapi.json", server.port);
        let checks = "--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
        let mut arguments = vec!["run", &url, checks, "--phases=coverage,fuzzing", "--max-examples=5"];
        arguments.extend(["--generation-deterministic", "--suppress-health-check=all"]);
        arguments.extend(LEFT_OUT.iter().flat_map(|path| ["--exclude-path", *path]));
        run("schemathesis", &arguments).await;
        assert_eq!(client(&server).get("/health").await.status, 200);
    }
}
