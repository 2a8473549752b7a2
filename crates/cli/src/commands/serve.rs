//! `plimsoll serve`: the workbench.

use std::{
    io::Write,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use jiff::tz::TimeZone;
use plimsoll_store::Workspace;
use plimsoll_web::{Access, Team, Token, Web, WebParts, accounts_are_told};

use super::{mcp, team_agents::TeamAgents};
use crate::{
    MountAgents,
    args::{Location, ServeArgs},
    configuration::Configuration,
    context::Context,
    failure::{Failure, note},
    machine,
    meaning::WhileWanted,
    objects, openid,
    output::Output,
    process, signals, token,
};

/// For so long what is being sent may come to its end before it is handed back (TEA-8).
const GRACE: Duration = Duration::from_secs(3);

pub(crate) fn run(
    args: &ServeArgs,
    location: &Location,
    output: &mut Output,
    mount_agents: MountAgents,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    let zone = match context.settings.time_zone() {
        Some(name) => TimeZone::get(name).unwrap_or(TimeZone::UTC),
        None => TimeZone::system(),
    };
    let given = token::given(args.token.as_deref(), args.token_file.as_deref())?;
    if args.token.is_some() {
        note(&format!(
            "every account of this machine can read --token in the list of processes; use \
             --token-file FILE or {}",
            token::VARIABLE
        ));
    }
    let descriptors = process::descriptors();
    machine::block_on(async {
        let listener = listen(args.addr).await?;
        let address = listener.local_addr().unwrap_or(args.addr);
        let opened = machine::open(context, location).await?;
        objects::check(opened.objects.as_ref()).await?;
        let team = args.team || opened.app.settings().team();
        let people = match team {
            true => Some(Team::new(openid::provider(&opened.app.settings())?)),
            false => None,
        };
        let mut entrance = Entrance::new(address, given, &opened.data_dir)?;
        if team {
            entrance = entrance.of_team(opened.app.settings().public_host());
        }
        if !address.ip().is_loopback() {
            opened.providers.share(&opened.app.settings().allowed_servers());
        }
        let access = entrance.access();
        let app = Arc::new(opened.app);
        let configurator = Arc::new(Configuration::new(&app, &opened.providers, &opened.data_dir));
        let directory = std::env::current_dir().unwrap_or_default();
        let project = match &args.project {
            Some(project) => project.clone(),
            None => machine::project_of(&directory).unwrap_or_default(),
        };
        let options = mcp::Options {
            tools: &args.mcp_tools,
            limits: mcp::Limits::of(&app.settings()),
            directory: directory.clone(),
            project: args.project.clone(),
            clients_are_elsewhere: false,
        };
        let by_meaning = WhileWanted::start(&app, &Workspace::default(), &opened.data_dir);
        let meaning = by_meaning.asked();
        let at = Workspace::default();
        let agents = mcp::server(&app, &at, options, Arc::clone(&meaning)).await?;
        let (hosts, limits) = (access.hosts.clone(), mcp::Limits::of(&app.settings()));
        let mounted = match team {
            false => mount_agents(&agents, &hosts),
            true => {
                let tools = args.team_mcp_tools().to_owned();
                let meaning = Arc::clone(&meaning);
                TeamAgents { app: Arc::clone(&app), tools, limits, meaning, hosts, mount_agents }
                    .mounted()
            }
        };
        // Where people sign in, the folder that the server was started in is nobody's project.
        let root = match team {
            true => None,
            false => machine::root_of(&directory).unwrap_or_default(),
        };
        if team && let Some(trouble) = opened.providers.team_keys()?.trouble().await? {
            note(&trouble);
        }
        let web = Web::new(WebParts {
            app,
            configurator,
            access,
            team: people,
            zone,
            mounted,
            project,
            root,
            meaning,
        });
        let url = entrance.url();
        output.text(&format!("Plimsoll is at {url}\n"))?;
        output.flush()?;
        note(&entrance.words());
        // The file lives as long as the code in it does.
        let _opening = if args.open { entrance.open_browser() } else { None };
        // The model inside gets ready beside; without it everything else works.
        let inside = web.default_is("embedded").then(|| Arc::clone(&opened.providers));
        let fetching = tokio::task::spawn_blocking(move || {
            if let Some(Err(missing)) = inside.map(|providers| providers.warm_up()) {
                note(&format!("the model inside is not there: {missing}; {}", missing.hint));
            }
        });
        plimsoll_web::serve(listener, &web, descriptors, asked_to_end()).await;
        agents.stop();
        note("stopping; what had arrived is kept");
        web.rest(Duration::from_secs(3)).await;
        fetching.abort();
        by_meaning.end();
        Ok(0)
    })
}

/// Returns when the server is to end, and says for how long it may go on with what is being sent:
/// who presses Ctrl+C waits for nothing.
fn asked_to_end() -> impl Future<Output = Duration> {
    let asked = signals::asked_to_end();
    async move {
        match asked.await {
            signals::Asked::ByKey => Duration::ZERO,
            signals::Asked::BySystem => GRACE,
        }
    }
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

/// How people come in.
struct Entrance {
    address: SocketAddr,
    token: String,
    /// Makes the cookies.
    secret: String,
    /// Lets in once, from an address.
    code: String,
    /// Where the token can be read, if it was not given.
    kept: Option<PathBuf>,
    /// Whether our own account needs nothing (SEC-8).
    own_account: bool,
    /// Whether a team signs in, and the name of this server that they open, if it is another.
    team: Option<Option<String>>,
}

impl Entrance {
    /// SEC-1, SEC-8: our own account comes in as it is, where the system tells accounts apart
    /// and no token was asked for; everybody else needs the token.
    fn new(address: SocketAddr, given: Option<String>, data_dir: &Path) -> Result<Self, Failure> {
        let secret = token::kept(data_dir)?;
        let kept = given.is_none().then(|| token::place(data_dir));
        let own_account = given.is_none() && address.ip().is_loopback() && accounts_are_told();
        let token = given.unwrap_or_else(|| secret.clone());
        let code = token::random()?;
        Ok(Self { address, token, secret, code, kept, own_account, team: None })
    }

    /// People sign in, each as themselves: neither the account nor the token lets anybody in.
    fn of_team(self, public_host: Option<&str>) -> Self {
        let bare = |host: &str| host.rsplit_once(':').map_or(host, |(name, _)| name).to_owned();
        Self { own_account: false, team: Some(public_host.map(bare)), ..self }
    }

    fn access(&self) -> Access {
        let token = Token::new(&self.token, &self.secret);
        token.let_in_once(&self.code);
        let open = !self.address.ip().is_loopback();
        let mut hosts = if open { names_of(self.address.ip()) } else { Vec::new() };
        hosts.extend(self.team.clone().flatten());
        Access { hosts, own_account: self.own_account, token }
    }

    /// The address that lets anybody in, once.
    fn url_with_code(&self) -> String {
        format!("http://{}/?token={}", self.address, self.code)
    }

    /// The address for whoever started the server.
    fn url(&self) -> String {
        if self.own_account || self.team.is_some() {
            format!("http://{}/", self.address)
        } else {
            self.url_with_code()
        }
    }

    /// Who else comes in, and how.
    fn words(&self) -> String {
        if self.team.is_some() {
            return "people sign in there; plimsoll team user add NAME adds them".to_owned();
        }
        let later = match &self.kept {
            Some(path) => format!("the token is in {}", path.display()),
            None => "the token is the one that was given".to_owned(),
        };
        if self.own_account {
            let url = self.url_with_code();
            return format!("other accounts of this machine come in by {url} once; {later}");
        }
        format!("that address lets in once; {later}")
    }

    /// Opens the page in a browser. Where a code is needed, it is in a file of ours: arguments
    /// of programs can be read by every account of the machine.
    fn open_browser(&self) -> Option<tempfile::NamedTempFile> {
        let file =
            if self.own_account || self.team.is_some() { None } else { self.opening_file().ok() };
        let what = match &file {
            Some(file) => file.path().as_os_str().to_owned(),
            None => format!("http://{}/", self.address).into(),
        };
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let started = plimsoll_provider::program(opener)
            .arg(what)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn();
        if started.is_err() {
            note(&format!("no browser could be opened; go to {}", self.url()));
        }
        file
    }

    /// A page of our own account that leads to the address with the code.
    fn opening_file(&self) -> std::io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix("plimsoll-").suffix(".html").tempfile()?;
        let url = self.url_with_code();
        writeln!(
            file,
            "<!doctype html><meta charset=\"utf-8\"><title>Plimsoll</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={url}\"><a href=\"{url}\">Plimsoll</a>"
        )?;
        Ok(file)
    }
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
