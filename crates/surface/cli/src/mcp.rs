//! `mcp`: serves an agent on standard input and output, and `mcp install`.

mod entry;
mod install;

use super::args::Args;
use super::device::asked_to_end;
use super::flags::mcp as flags;
use super::pool;
use super::serve::app;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_server::mcp::{Tools, serve};
use std::sync::Arc;

pub(super) fn mcp(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match args.argument() {
        Some("install") => install::install(args, world),
        Some(other) => {
            let message = format!("mcp takes install or nothing, not \"{}\"", text::excerpt(other));
            Err(Failure::new(ErrorCode::Usage, message).hint("Run clawperator mcp install CLIENT."))
        }
        None => match [&flags::YES, &flags::FILE].into_iter().find(|flag| args.has(flag)) {
            Some(flag) => Err(args.fault(ErrorCode::Usage, flag, "is only for mcp install")),
            None => run(args, world),
        },
    }
}

/// Serves until the client closes its side, or the process is asked to end.
fn run(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let tools = args.word(&flags::TOOLS, Tools::from_word)?.unwrap_or_default();
    let mut app = app(args, world)?;
    let session = world.phones.session.strip_prefix("cli.");
    app.agent.session = session.filter(|name| *name != "default").map(str::to_owned);
    let internal = |error: std::io::Error| Failure::new(ErrorCode::InternalError, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(super::device::STACK)
        .enable_all()
        .build()
        .map_err(internal)?;
    let served = runtime.block_on(async {
        let asked = asked_to_end()?;
        app.pool = pool::of_server(args, world).await?;
        let app = Arc::new(app);
        tokio::select! {
            biased;
            served = serve(app, tools, tokio::io::stdin(), tokio::io::stdout()) => served.map_err(internal),
            () = asked => Ok(()),
        }
    });
    // A thread that waits for standard input cannot be stopped.
    runtime.shutdown_background();
    served.map(|()| Answer::text(""))
}
