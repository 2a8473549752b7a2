//! `plimsoll serve`: the workbench.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use jiff::tz::TimeZone;
use plimsoll_store::Workspace;
use plimsoll_tokens::Estimator;
use plimsoll_web::{Access, Token, Web, WebParts};

use super::mcp;
use crate::{
    args::ServeArgs,
    configuration::Configuration,
    context::Context,
    failure::{Failure, note},
    machine,
    output::Output,
    signals,
};

pub(crate) fn run(args: &ServeArgs, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    let zone = match context.settings.time_zone() {
        Some(name) => TimeZone::get(name).unwrap_or(TimeZone::UTC),
        None => TimeZone::system(),
    };
    let (access, token) = access(args.addr, args.token.as_deref());
    machine::block_on(async {
        let listener = listen(args.addr).await?;
        let address = listener.local_addr().unwrap_or(args.addr);
        let opened = machine::open(context, args.data_dir.as_deref()).await?;
        let app = Arc::new(opened.app);
        let configurator = Arc::new(Configuration::new(&app, &opened.providers, &opened.data_dir));
        let directory = std::env::current_dir().unwrap_or_default();
        let project = match &args.project {
            Some(project) => project.clone(),
            None => machine::project_of(&directory).unwrap_or_default(),
        };
        let options = mcp::Options {
            tools: &args.mcp_tools,
            session_budget: None,
            counter: Estimator::Bytes4,
            directory: directory.clone(),
            project: args.project.clone(),
            conformance_fixtures: args.conformance_fixtures,
        };
        let agents = mcp::server(&app, &Workspace::default(), options).await?;
        let service = plimsoll_mcp::http_service(&agents, &access.hosts);
        let mounted = axum::Router::new().route_service("/mcp", service);
        let web = Web::new(WebParts { app, configurator, access, zone, mounted, project });
        let url = match &token {
            Some(token) => format!("http://{address}/?token={token}"),
            None => format!("http://{address}/"),
        };
        output.text(&format!("Plimsoll is at {url}\n"))?;
        output.flush()?;
        if args.open {
            open_browser(&url);
        }
        // The model inside gets ready beside; without it everything else works.
        let inside = web.default_is("embedded").then(|| Arc::clone(&opened.providers));
        let fetching = tokio::task::spawn_blocking(move || {
            if let Some(Err(missing)) = inside.map(|providers| providers.warm_up()) {
                note(&format!("the model inside is not there: {missing}; {}", missing.hint));
            }
        });
        plimsoll_web::serve(listener, &web, signals::asked_to_end())
            .await
            .map_err(|error| Failure::failed(format!("the server stopped: {error}")))?;
        agents.stop();
        note("stopping; what had arrived is kept");
        web.rest(Duration::from_secs(3)).await;
        fetching.abort();
        Ok(0)
    })
}

async fn listen(address: SocketAddr) -> Result<tokio::net::TcpListener, Failure> {
    tokio::net::TcpListener::bind(address).await.map_err(|error| {
        let failure = Failure::failed(format!("cannot listen on {address}: {error}"));
        match error.kind() {
            std::io::ErrorKind::AddrInUse => failure.hint(
                "another Plimsoll may be running there; use --addr 127.0.0.1:0 for a free port",
            ),
            _ => failure.hint("use --addr with an address of this machine"),
        }
    })
}

/// SEC-1: an address that others can reach needs a token, given or made here.
fn access(address: SocketAddr, given: Option<&str>) -> (Access, Option<String>) {
    let open = !address.ip().is_loopback();
    let token = given.map(str::to_owned).or_else(|| open.then(machine::random_name));
    let mut hosts = Vec::new();
    if open {
        hosts.extend(names_of(address.ip()));
    }
    (Access { token: token.as_deref().map(Token::new), hosts }, token)
}

/// The names that this machine goes by at an address.
fn names_of(address: IpAddr) -> Vec<String> {
    let mut names = vec![address.to_string()];
    if address.is_unspecified() {
        // Every address of the machine; with the token a foreign name gains nothing, but
        // rebinding is still refused where the name is not ours.
        let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
        names.push(name.trim().to_owned());
        names.extend(local_address().map(|ip| ip.to_string()));
    }
    names
}

/// The address that this machine has towards others. No packet is sent.
fn local_address() -> Option<IpAddr> {
    let socket = std::net::UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    socket.connect(("192.0.2.1", 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

fn open_browser(url: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = std::process::Command::new(opener)
        .arg(url)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    if started.is_err() {
        note(&format!("no browser could be opened; go to {url}"));
    }
}
