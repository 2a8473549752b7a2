//! What the official conformance suite of MCP wants to find (MDC-3).
//!
//! The suite calls tools, prompts and resources by fixed names and looks at how they come over
//! the wire. They are not part of the product: the binary beside this library is `plimsoll`
//! with them at /mcp, beside the tools that users have, and `cargo xtask conformance` runs it.

mod asking;
mod resources;
mod tools;

use plimsoll_mcp::{Connection, Server};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
        ErrorCode, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams,
        Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext},
};

type Context = RequestContext<RoleServer>;

/// A connection of the product that offers the fixtures as well.
pub struct WithFixtures(Connection);

impl WithFixtures {
    /// What serves one client.
    pub fn connect(server: &Server) -> Self {
        Self(server.connect())
    }
}

impl ServerHandler for WithFixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.0.get_info();
        info.capabilities = tools::capabilities();
        info
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.0.list_tools(page, context).await?;
        listed.tools.extend(tools::tools());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let fixture = || tools::tools().into_iter().find(|tool| tool.name == name);
        self.0.get_tool(name).or_else(fixture)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.0.get_tool(&request.name) {
            None if tools::has(&request.name) => tools::call(request, context).await,
            _ => self.0.call_tool(request, context).await,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        self.0.on_custom_request(request, context).await
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.0.on_roots_list_changed(context).await;
    }

    /// Watching resources is of the older protocol, so the newer one is not told about it.
    async fn discover(&self, _: Context) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    #[allow(deprecated)]
    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    #[allow(deprecated)]
    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    #[allow(deprecated)]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        match context.protocol_version() {
            Some(version) if !version.has_initialize() => {
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "logging/setLevel", None))
            }
            _ => Ok(()),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(resources::prompts())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        resources::prompt(&request)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(resources::resources())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::resource(&request.uri)
    }
}
