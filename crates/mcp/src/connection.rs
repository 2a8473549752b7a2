//! One client: its requests in, answers out.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, ErrorCode, Implementation, InputRequiredResult, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::json;
use tokio::sync::RwLock;

use crate::{
    Server, ToolAnswer,
    arguments::Arguments,
    books::Books,
    call_specs, memory_tools,
    place::{Place, Roots, asked_roots, has_roots, named_roots},
    table::{Effect, Part},
};

/// Serves one client.
pub struct Connection {
    server: Server,
    books: Books,
    /// Looked for at the first call, and again when the client's roots change. In the newest
    /// protocol nobody says when they do, so they are asked for with each call that needs them.
    place: RwLock<Option<Arc<Place>>>,
}

impl Connection {
    pub(crate) fn new(server: Server) -> Self {
        let ledger = Arc::new(server.ledger());
        let books = Books { ledger, ..Books::default() };
        Self { server, books, place: RwLock::new(None) }
    }

    /// What this connection has sent and started (MBG-7). An HTTP request without a session
    /// has no connection; those of one client share one.
    fn books(&self, context: &RequestContext<RoleServer>) -> Books {
        let alone = context
            .extensions
            .get::<http::request::Parts>()
            .is_some_and(|parts| !parts.headers.contains_key("mcp-session-id"));
        if !alone {
            return self.books.clone();
        }
        let shared = &self.server.shared;
        let name = context.client_info().map(|client| client.name.chars().take(100).collect());
        let name: String = name.unwrap_or_default();
        shared.stateless.books(&self.server, &name, (shared.parts.clock)())
    }

    /// Where the client works; `named` are roots that came with the call.
    async fn place(
        &self,
        named: Option<Roots>,
        context: &RequestContext<RoleServer>,
    ) -> std::io::Result<Arc<Place>> {
        if let Some(place) = self.place.read().await.as_ref() {
            return Ok(place.clone());
        }
        let roots = match named {
            Some(named) => named,
            None => asked_roots(context).await,
        };
        let over_http = context.extensions.get::<http::request::Parts>().is_some();
        let books = self.books(context);
        let client = context.client_info();
        let client = client.as_ref().map(|client| client.name.as_str());
        let place = Arc::new(Place::of(&self.server, &books, &roots, over_http, client)?);
        if !is_newest(context) {
            *self.place.write().await = Some(place.clone());
        }
        Ok(place)
    }

    /// Whether the client must say where it works before a call can be done, and can.
    fn must_ask(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        let parts = &self.server.shared.parts;
        let offered = parts.offer.find(&request.name);
        offered.is_some_and(|spec| {
            let named = request.arguments.as_ref().is_some_and(names_project);
            match spec.part {
                Part::Specs => true,
                Part::Memory => spec.uses_own_project() && !named && parts.project.is_none(),
            }
        }) && request.input_responses.is_none()
            && is_newest(context)
            && has_roots(context)
    }

    /// Calls a tool. What a model can mend is an answer; only a tool that is not there is a
    /// fault of the protocol.
    async fn call(
        &self,
        name: &str,
        given: Option<JsonObject>,
        roots: Option<Roots>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolAnswer, ErrorData> {
        let parts = &self.server.shared.parts;
        let Some(spec) = parts.offer.find(name) else {
            let extra = parts.extra.as_ref().filter(|_| parts.offer.has_extra(name));
            let Some(extra) =
                extra.filter(|extra| extra.tools().iter().any(|tool| tool.name == name))
            else {
                return Err(unknown(name));
            };
            let ledger = self.books(context).ledger;
            let answer = match ledger.allow(None) {
                Ok(allowance) => {
                    let room = allowance.max_tokens();
                    extra.call(name, given.unwrap_or_default(), room).await
                }
                Err(spent) => failed(&spent),
            };
            ledger.record(name, answer.estimated_tokens);
            return Ok(answer);
        };
        let arguments = match Arguments::check(spec, given) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(failed(&error)),
        };
        let place = match self.place(roots, context).await {
            Ok(place) => place,
            Err(error) => {
                return Ok(failed(&format!("the project's directory cannot be used: {error}")));
            }
        };
        let called = match spec.part {
            Part::Memory => memory_tools::call(&place.memory, name, &arguments).await,
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

fn is_newest(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

fn names_project(given: &JsonObject) -> bool {
    let project = given.get("project").and_then(|project| project.as_str());
    project.is_some_and(|project| !project.trim().is_empty())
}

/// The name under which a client's roots are asked for and come back.
const ROOTS: &str = "roots";

/// An unfinished answer, which asks for the client's roots.
fn ask_for_roots() -> Result<CallToolResponse, ErrorData> {
    let wanted = json!({ "resultType": "input_required",
        "inputRequests": { ROOTS: { "method": "roots/list", "params": {} } } });
    serde_json::from_value::<InputRequiredResult>(wanted)
        .map(CallToolResponse::InputRequired)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// The roots that came back. Whoever was asked and named none has none.
fn roots_of(request: &CallToolRequestParams) -> Option<Roots> {
    let came = request.input_responses.as_ref()?.get(ROOTS);
    Some(came.map(named_roots).unwrap_or_default())
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
        let name = Implementation::new("plimsoll", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(name.with_title("Plimsoll"))
            .with_instructions(self.server.instructions())
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
        if self.must_ask(&request, &context) {
            return ask_for_roots();
        }
        let roots = roots_of(&request);
        let answer = self.call(&request.name, request.arguments, roots, &context).await?;
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
}
