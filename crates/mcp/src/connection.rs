//! One client: its requests in, answers out.

use std::sync::Arc;

use plimsoll_memory::Ledger;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
        Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SubscribeRequestParams, Tool,
        UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext},
};
use tokio::sync::RwLock;

use crate::{
    INSTRUCTIONS, Server, ToolAnswer,
    arguments::Arguments,
    call_memory, call_specs, fixtures,
    place::Place,
    table::{Effect, Part},
};

/// Serves one client.
pub struct Connection {
    server: Server,
    ledger: Arc<Ledger>,
    /// Looked for at the first call, and again when the client's roots change.
    place: RwLock<Option<Arc<Place>>>,
}

impl Connection {
    pub(crate) fn new(server: Server) -> Self {
        let ledger = Arc::new(Ledger::new(server.shared.parts.session_budget));
        Self { server, ledger, place: RwLock::new(None) }
    }

    /// What this connection has sent (MBG-7). An HTTP request without a session has no
    /// connection; all of those share one.
    fn ledger(&self, context: &RequestContext<RoleServer>) -> &Arc<Ledger> {
        let alone = context
            .extensions
            .get::<http::request::Parts>()
            .is_some_and(|parts| !parts.headers.contains_key("mcp-session-id"));
        if alone { &self.server.shared.stateless } else { &self.ledger }
    }

    async fn place(&self, context: &RequestContext<RoleServer>) -> std::io::Result<Arc<Place>> {
        if let Some(place) = self.place.read().await.as_ref() {
            return Ok(place.clone());
        }
        let ledger = self.ledger(context).clone();
        let place = Arc::new(Place::find(&self.server, ledger, context).await?);
        *self.place.write().await = Some(place.clone());
        Ok(place)
    }

    /// Methods that exist for the conformance suite alone.
    fn only_fixtures(&self, method: &'static str) -> Result<(), ErrorData> {
        match self.server.shared.parts.conformance_fixtures {
            true => Ok(()),
            false => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }

    /// Calls a tool. What a model can mend is an answer; only a tool that is not there is a
    /// fault of the protocol.
    async fn call(
        &self,
        name: &str,
        given: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolAnswer, ErrorData> {
        let parts = &self.server.shared.parts;
        let ledger = self.ledger(context);
        let Some(spec) = parts.offer.find(name) else {
            let extra = parts.extra.as_ref().filter(|_| parts.offer.has_extra(name));
            let Some(extra) =
                extra.filter(|extra| extra.tools().iter().any(|tool| tool.name == name))
            else {
                return Err(unknown(name));
            };
            let answer = match ledger.cap(None) {
                Ok(room) => extra.call(name, given.unwrap_or_default(), room).await,
                Err(spent) => failed(&spent),
            };
            ledger.record(name, answer.estimated_tokens);
            return Ok(answer);
        };
        let arguments = match Arguments::check(spec, given) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(failed(&error)),
        };
        let place = match self.place(context).await {
            Ok(place) => place,
            Err(error) => {
                return Ok(failed(&format!("the project's directory cannot be used: {error}")));
            }
        };
        let called = match spec.part {
            Part::Memory => call_memory::call(&place.memory, name, &arguments).await,
            Part::Specs => {
                let now = (parts.clock)();
                call_specs::call(place, name, &arguments, parts.counter, now).await
            }
        };
        if called.is_ok() && spec.effect != Effect::Reads {
            (parts.wrote)();
        }
        Ok(called.unwrap_or_else(|words| failed(&words)))
    }
}

/// An answer that says what did not work.
pub(crate) fn failed(words: &impl ToString) -> ToolAnswer {
    ToolAnswer { text: words.to_string(), is_error: true, ..ToolAnswer::default() }
}

fn unknown(name: &str) -> ErrorData {
    let name: String = name.chars().take(60).collect();
    ErrorData::invalid_params(
        format!("unknown tool: {name}; tools/list names those that are offered here"),
        None,
    )
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.server.shared.parts.conformance_fixtures {
            true => fixtures::capabilities(),
            false => tools.build(),
        };
        let name = Implementation::new("plimsoll", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name.with_title("Plimsoll"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.server.tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.server.shared.parts.conformance_fixtures && fixtures::has(&request.name) {
            return fixtures::call(request, context).await;
        }
        let answer = self.call(&request.name, request.arguments, &context).await?;
        tracing::debug!(tool = %request.name, tokens = answer.estimated_tokens, "answered");
        Ok(answer.result(context.client_info().as_ref()).into())
    }

    /// What the SDK could not read as any request. A call whose arguments are no object
    /// comes here, and deserves a better answer than that its method is unknown.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(60).collect();
        if method != "tools/call" {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
        }
        let params = request.params.unwrap_or_default();
        let Some(name) = params.get("name").and_then(|name| name.as_str()) else {
            return Err(ErrorData::invalid_params("tools/call needs the name of a tool", None));
        };
        if self.get_tool(name).is_none() {
            return Err(unknown(name));
        }
        let words = "arguments must be an object, such as {\"query\": \"tides\"}";
        let result = CallToolResult::error(vec![ContentBlock::text(words)]);
        serde_json::to_value(result)
            .map(CustomResult::new)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.place.write().await = None;
    }

    /// Watching resources is of the older protocol, and only the conformance suite finds
    /// any here, so the newer one is not told about it.
    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    #[allow(deprecated)]
    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.only_fixtures("resources/subscribe")
    }

    #[allow(deprecated)]
    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.only_fixtures("resources/unsubscribe")
    }

    #[allow(deprecated)]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let newer = context.protocol_version().is_some_and(|one| !one.has_initialize());
        if newer {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "logging/setLevel", None));
        }
        self.only_fixtures("logging/setLevel")
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        match self.server.shared.parts.conformance_fixtures {
            true => Ok(fixtures::prompts()),
            false => Ok(ListPromptsResult::default()),
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.server.shared.parts.conformance_fixtures {
            true => fixtures::prompt(request, &context),
            false => Err(ErrorData::invalid_params("there are no prompts here", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        match self.server.shared.parts.conformance_fixtures {
            true => Ok(fixtures::resources()),
            false => Ok(ListResourcesResult::default()),
        }
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        match self.server.shared.parts.conformance_fixtures {
            true => Ok(fixtures::templates()),
            false => Ok(ListResourceTemplatesResult::default()),
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.server.shared.parts.conformance_fixtures {
            true => fixtures::resource(&request.uri),
            false => Err(ErrorData::resource_not_found("there are no resources here", None)),
        }
    }
}
