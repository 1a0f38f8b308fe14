//! The SDK's handler: the only file that knows how requests of the protocol come in and go out.

use super::agent_tools::ToolCaller;
use super::answer::ToolResult;
use super::argument::Arguments;
use super::person::{self, Round};
use super::run::McpCall;
use super::session::McpSession;
use super::tool::{self, Belongs, ToolKind};
use super::{
    Tools, act, agent_tools, approval, device, elements, look, other_tools, prompt, resource, skill,
};
use crate::App;
use crate::agent::{Bench, level};
use crate::approvals::desk;
use crate::pool;
use clawperator_agent::policy::Level;
use clawperator_phone::vault::Vault;
use clawperator_pool::Target;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientJsonRpcMessage, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, RequestId,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::sync::Arc;

/// What a client reads when it connects.
const INSTRUCTIONS: &str = "Drives one Android phone. Call observe once; then act, whose answer is what changed \
    on the screen, so no further look is needed. Lines begin with a ref such as @e7; prefer refs, and put steps \
    you are sure of into one act. '+' is new, '~' changed, '-' gone. Errors say whether something was sent \
    (dispatched).";

/// How the client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// One client for as long as the connection lives.
    Pipe,
    Http,
}

/// The server as one client sees it.
pub(super) struct McpServer {
    app: Arc<App>,
    transport: Transport,
    tools: Tools,
    session: McpSession,
    bench: Arc<Bench>,
    vault: Arc<Vault>,
}

impl McpServer {
    pub(super) fn new(app: Arc<App>, transport: Transport, tools: Tools) -> Self {
        Self {
            vault: app.client_vault(),
            app,
            transport,
            tools,
            session: McpSession::default(),
            bench: Arc::default(),
        }
    }

    /// What the tools of this client have.
    pub(super) fn own_bench(&self) -> Arc<Bench> {
        self.bench.clone()
    }

    fn offered(&self, belongs: Belongs) -> Vec<Tool> {
        match self.tools {
            Tools::Phone => tool::list(belongs, level(&self.app, Level::Money)),
            Tools::Agent => agent_tools::list(),
        }
    }

    /// Over HTTP, clients of the newer protocol have no session.
    fn belongs(&self, context: &RequestContext<RoleServer>) -> Belongs {
        let version = context.protocol_version();
        let is_new = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match self.transport {
            Transport::Http if is_new => Belongs::ToNothing,
            Transport::Http | Transport::Pipe => Belongs::ToSession,
        }
    }

    /// A call with these arguments.
    async fn call<'c>(
        &'c self,
        arguments: &Arguments<'_>,
        context: &'c RequestContext<RoleServer>,
        round: &'c Round<'c>,
    ) -> ToolResult<McpCall<'c>> {
        let belongs = self.belongs(context);
        let named = match belongs {
            Belongs::ToNothing => arguments.text("device")?.map(str::to_owned),
            Belongs::ToSession => self.session.device(),
        };
        let device = named.or_else(|| self.app.device.clone());
        let target = match &device {
            Some(name) => pool::target(&self.app, name).await?,
            None => None,
        };
        let is_one = !matches!(target, Some(Target::Any(_) | Target::All(_)));
        Ok(McpCall {
            app: &self.app,
            session: &self.session,
            context,
            since: match belongs {
                Belongs::ToNothing => arguments.text("since")?.map(str::to_owned),
                // Of a class, it may be another phone now.
                Belongs::ToSession => is_one.then(|| self.session.last_snapshot(device.as_deref())).flatten(),
            },
            target,
            device,
            vault: self.vault(belongs),
            belongs,
            round,
        })
    }

    /// What people gave to this client. Those without a session share theirs.
    fn vault(&self, belongs: Belongs) -> &Arc<Vault> {
        match belongs {
            Belongs::ToSession => &self.vault,
            Belongs::ToNothing => self.app.agent.vault.get_or_init(|| self.app.client_vault()),
        }
    }

    /// What the tools of an agent have: those of a session end with it.
    fn bench(&self, context: &RequestContext<RoleServer>) -> &Bench {
        match self.belongs(context) {
            Belongs::ToSession => &self.bench,
            Belongs::ToNothing => &self.app.agent.bench,
        }
    }
}

async fn answer(
    kind: ToolKind,
    call: &McpCall<'_>,
    arguments: &Arguments<'_>,
) -> ToolResult<CallToolResponse> {
    match kind {
        ToolKind::Record => call.require_here("a recording is made")?,
        ToolKind::Approval => call.require_here("a person is asked about what is")?,
        _ => {}
    }
    let answer = match kind {
        ToolKind::Observe => look::observe(call, arguments).await,
        ToolKind::Act => return act::act(call, arguments).await,
        ToolKind::Open => return act::open(call, arguments).await,
        ToolKind::Wait => return act::wait(call, arguments).await,
        ToolKind::Find => elements::find(call, arguments).await,
        ToolKind::Execute => return other_tools::execute(call, arguments).await,
        ToolKind::Record => other_tools::record(call, arguments).await,
        ToolKind::Skill => skill::skill(call, arguments).await,
        ToolKind::Device => device::device(call, arguments).await,
        ToolKind::Approval => return approval::approval(call, arguments).await,
    };
    answer.map(CallToolResponse::from).map_err(|trouble| trouble.for_caller(call.belongs))
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let instructions = match self.tools {
            Tools::Phone => INSTRUCTIONS,
            Tools::Agent => {
                // The prompts teach the other tools.
                capabilities.prompts = None;
                agent_tools::INSTRUCTIONS
            }
        };
        let mut info = ServerConfig::new(capabilities).with_instructions(instructions);
        info.server_info = Implementation::new("clawperator", self.app.version);
        info
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(page)?;
        Ok(ListToolsResult::with_all_items(self.offered(self.belongs(&context))))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offered(Belongs::ToSession).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = person::fingerprint(&request);
        let before = match &request.request_state {
            Some(_) => {
                let desk =
                    desk(&self.app).map_err(|failure| ErrorData::internal_error(failure.message, None))?;
                person::come_back(&self.app, &desk, &request).await?
            }
            None => None,
        };
        let (before, done) = before.map_or((None, 0), |(request, done)| (Some(request), done));
        let round = Round { call: &call, before, done };
        let given = request.arguments.unwrap_or_default();
        let answer = match (self.tools, tool::by_name(&request.name)) {
            (Tools::Agent, _) if self.get_tool(&request.name).is_some() => {
                let asked = ToolCaller {
                    app: &self.app,
                    bench: self.bench(&context),
                    vault: self.vault(self.belongs(&context)),
                    context: &context,
                };
                Box::pin(agent_tools::call(asked, &request.name, given, round)).await
            }
            (Tools::Phone, Some(spec)) => {
                let run = async {
                    let arguments = Arguments::of_call(&given, spec.arguments(self.belongs(&context)))?;
                    let call = self.call(&arguments, &context, &round).await?;
                    answer(spec.kind, &call, &arguments).await
                };
                run.await
            }
            (Tools::Agent, _) | (Tools::Phone, None) => {
                let offered = self.offered(Belongs::ToSession);
                let names: Vec<_> = offered.iter().map(|tool| tool.name.as_ref()).collect();
                let message = format!("unknown tool; the tools are {}", names.join(", "));
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(answer.unwrap_or_else(|trouble| trouble.into_result().into()))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(page)?;
        Ok(ListResourcesResult::with_all_items(resource::list(&self.app).await))
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(page)?;
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let vault = self.vault(self.belongs(&context));
        Ok(resource::read(&self.app, &request.uri, vault).await?.into())
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(page)?;
        Ok(ListPromptsResult::with_all_items(prompt::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompt::get(&request)?.into())
    }
}

/// Every list is one page, so no cursor is one of ours.
fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    page.and_then(|page| page.cursor).map_or(Ok(()), |_| Err(wrong_cursor()))
}

fn wrong_cursor() -> ErrorData {
    ErrorData::invalid_params("cursor is none of this server: lists have one page", None)
}

/// The id of a message, as far as it has one. What else is in it may be as deep as it likes.
pub(super) fn id_of(bytes: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Top {
        id: RequestId,
    }
    serde_json::from_slice(bytes).ok().map(|top: Top| top.id)
}

/// A message, or why it is none.
pub(super) fn message_of(bytes: &[u8]) -> Result<ClientJsonRpcMessage, ErrorData> {
    #[derive(Deserialize)]
    struct PagedRequest {
        params: PageParams,
    }
    #[derive(Deserialize)]
    struct PageParams {
        cursor: Value,
    }
    let is_json = serde_json::from_slice::<IgnoredAny>(bytes).is_ok() && str::from_utf8(bytes).is_ok();
    // The SDK passes over a cursor that is no text.
    let is_wrong = |paged: PagedRequest| !matches!(paged.params.cursor, Value::String(_) | Value::Null);
    match serde_json::from_slice(bytes) {
        _ if !is_json => Err(ErrorData::parse_error("the message is no JSON", None)),
        Ok(_) if serde_json::from_slice(bytes).is_ok_and(is_wrong) => Err(wrong_cursor()),
        Ok(message) => Ok(message),
        Err(error) => {
            let message = format!("the message cannot be read: {error}; nothing was done");
            Err(ErrorData::invalid_request(message, None))
        }
    }
}
