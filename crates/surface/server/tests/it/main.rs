//! Tests of the server: phones in memory, the real engine, real sockets.

// The server runs inside of the tests' own futures.
#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at what is wrong")]

mod agent;
mod approvals;
mod attacks;
#[cfg(unix)]
mod avds;
mod crowd;
mod documented;
mod emulators;
mod events;
mod guard;
mod lane;
mod mcp;
mod mcp_agent;
mod mcp_answers;
mod mcp_approval;
mod mcp_client;
mod mcp_hand;
mod mcp_http;
mod mcp_policy;
mod mcp_task;
mod names;
mod page;
mod parts;
mod pool;
mod pool_host;
mod pool_mcp;
#[path = "../../../../reach/pool/tests/it/memory.rs"]
mod pool_memory;
mod records;
mod runs;
#[cfg(unix)]
mod skills;
mod support;
mod vectors;
mod views;

use support::{client, server};

#[tokio::test]
async fn a_server_says_that_it_is_well() {
    let server = server("health").await;
    let answer = client(&server).get("/health").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
}
