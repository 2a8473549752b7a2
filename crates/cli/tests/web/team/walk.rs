//! TEA-9: every route with every role.

use serde_json::{Value, json};

use super::Team;

/// What a route needs. Each line of [`ROUTES`] was decided by a person; the code has a table of its
/// own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    /// Nothing.
    Nothing,
    /// A sign-in.
    SignIn,
    /// To look after the team.
    Admin,
    /// A role in the project.
    Viewer,
    Member,
    /// To be an owner of the project, or to look after the team.
    Owner,
    /// To be a member, and to look after the team.
    MemberAndAdmin,
    /// A sign-in, to work in a project where one is a member; else one's own.
    Client,
}
use Needs::{Admin, Client, Member, MemberAndAdmin, Nothing, Owner, SignIn, Viewer};

/// Routes by what they need, with their methods.
const ROUTES: &[(Needs, &str)] = &[
    (
        Nothing,
        "GET /healthz
         GET /readyz
         GET /manifest.webmanifest
         GET /sign-in
         POST /sign-in
         GET /sign-in/openid
         GET /sign-in/callback",
    ),
    (
        SignIn,
        "GET /api/openapi.json
         POST /api/models/look
         GET /api/gateway/calls
         GET /api/team/me
         GET /api/team/keys
         PUT /api/team/keys/mine/{provider}
         DELETE /api/team/keys/mine/{provider}",
    ),
    (
        Admin,
        "GET /metrics
         PUT /api/models/{id}
         DELETE /api/models/{id}/learned
         GET /api/providers
         POST /api/providers/{name}/key
         DELETE /api/providers/{name}/key
         POST /api/servers
         POST /api/servers/models
         GET /api/settings
         PUT /api/settings/{key}
         DELETE /api/settings/{key}
         PUT /api/team/keys/team/{provider}
         DELETE /api/team/keys/team/{provider}",
    ),
    (
        Viewer,
        "GET /
         GET /c/new
         GET /c/{id}
         GET /ui/rows
         GET /ui/pair/{id}
         GET /ui/panel/{name}
         GET /ui/hud
         POST /ui/hud
         GET /ui/receipt/{id}
         GET /ui/attempts/{id}
         GET /ui/error/{id}
         GET /ui/request/{id}
         GET /ui/events
         GET /api/models
         GET /api/state
         PUT /api/view
         GET /api/complete
         GET /api/queries
         GET /api/filters
         GET /api/snippets
         GET /api/search
         POST /api/weigh
         GET /api/draft
         GET /api/prompts
         GET /api/events
         POST /api/preview
         POST /api/summaries/plan
         GET /api/pairs
         GET /api/pairs/{id}
         GET /api/pairs/{id}/error
         GET /api/export
         GET /api/import
         GET /api/deletions
         GET /api/conversations
         GET /api/topics
         GET /api/receipts
         GET /api/receipts/{id}
         GET /api/totals
         GET /api/receipts.jsonl
         GET /api/receipts.csv
         GET /api/files
         GET /api/files/{id}
         GET /api/files/{id}/content
         GET /api/files/{id}/thumbnail
         GET /api/memory
         GET /api/memory/deleted
         GET /api/memory/pending
         GET /api/memory/{id}
         GET /api/memory/{id}/timeline",
    ),
    (
        Member,
        "POST /ui/request
         POST /ui/summary-request
         PUT /api/filters/{name}
         DELETE /api/filters/{name}
         POST /api/snippets
         PUT /api/snippets/{name}
         DELETE /api/snippets/{name}
         PUT /api/draft
         POST /api/send
         POST /api/cancel
         POST /api/summaries
         PATCH /api/pairs
         PATCH /api/pairs/{id}
         DELETE /api/pairs/{id}
         POST /api/pairs/{id}/swap
         POST /api/pairs/{id}/prefer
         PUT /api/pairs/{id}/attachments/{place}
         POST /api/command
         POST /api/import
         DELETE /api/import
         POST /api/undo
         DELETE /api/deletions/{id}
         POST /api/conversations
         PATCH /api/conversations/{id}
         DELETE /api/conversations/{id}
         POST /api/topics
         PATCH /api/topics/{id}
         DELETE /api/topics/{id}
         POST /api/files
         PUT /api/files/section
         DELETE /api/files/{id}
         POST /api/files/{id}/head
         PUT /api/files/{id}/listed
         POST /api/memory
         POST /api/memory/{id}/undelete
         POST /api/memory/pending/{id}/approve
         DELETE /api/memory/pending/{id}
         POST /api/memory/relations
         DELETE /api/memory/relations/{id}
         PATCH /api/memory/{id}
         DELETE /api/memory/{id}
         POST /api/memory/{id}/restore
         POST /mcp",
    ),
    (
        Owner,
        "GET /api/team/projects/{project}/roles
         PUT /api/team/projects/{project}/roles/{user}
         DELETE /api/team/projects/{project}/roles/{user}
         PUT /api/team/keys/projects/{project}/{provider}
         DELETE /api/team/keys/projects/{project}/{provider}",
    ),
    (
        MemberAndAdmin,
        "POST /api/files/from-path
         GET /api/paths",
    ),
    (
        Client,
        "GET /v1/models
         GET /v1/models/test
         POST /v1/chat/completions
         POST /v1/chat/completions/input_tokens
         POST /v1/responses
         POST /v1/responses/input_tokens
         POST /v1/messages
         POST /v1/messages/count_tokens
         POST /v1/embeddings
         POST /v1/audio/speech
         POST /v1/images/generations
         GET /v1/nothing",
    ),
];

fn routes() -> impl Iterator<Item = (Needs, &'static str, &'static str)> {
    ROUTES.iter().flat_map(|(needs, list)| {
        list.lines().map(|line| {
            let (method, path) = line.trim().split_once(' ').unwrap();
            (*needs, method, path)
        })
    })
}

/// What somebody gets.
#[derive(Debug, PartialEq)]
enum Gets {
    /// They are asked to sign in.
    SignInFirst,
    /// They are not told that it is there.
    Hidden,
    /// They may not.
    Refused,
    /// It is for them to do, rightly or wrongly.
    LetIn,
}

fn expected(needs: Needs, who: &str) -> Gets {
    use Gets::{Hidden, LetIn, Refused, SignInFirst};
    let (admin, owner, member) = (who == "ada", who == "olga", who == "mia" || who == "olga");
    let known = member || who == "vic";
    match needs {
        Nothing => LetIn,
        _ if who.is_empty() => SignInFirst,
        SignIn => LetIn,
        Admin if admin => LetIn,
        Admin => Refused,
        Owner if admin || owner => LetIn,
        Owner | Viewer | Member | MemberAndAdmin | Client if !known => Hidden,
        Viewer => LetIn,
        Owner | MemberAndAdmin => Refused,
        Member | Client if member => LetIn,
        Member | Client => Refused,
    }
}

/// Said of what is not there to those who may know.
const THEIRS: [&str; 2] = ["there is no such user", "there is no such stored key"];

fn gets(team: &Team, who: &str, method: &str, path: &str, ids: &Value) -> Gets {
    let mut path = path.to_owned();
    for (name, kind) in [("{id}", "pair"), ("{name}", "name"), ("{key}", "key")] {
        // Each noun has ids of its own.
        let kind = match name {
            "{id}" if path.contains("receipt") => "receipt",
            "{id}" if path.contains("/memory") => "note",
            "{id}" if path.contains("/files") => "file",
            "{id}" if path.contains("/models") => "model",
            "{id}" if path.contains("/topics") || path.contains("/c") => "topic",
            _ => kind,
        };
        path = path.replace(name, ids[kind].as_str().unwrap());
    }
    path = path
        .replace("{place}", "0")
        .replace("{project}", "sea")
        .replace("{user}", "nobody")
        .replace("{provider}", "openai");
    let gateway = path.starts_with("/v1");
    let joint = if path.contains('?') { '&' } else { '?' };
    let more = if path.contains("totals") { "&by=model" } else { "" };
    let more = if path.contains("/rows") { "&from=0&to=1" } else { more };
    let address = format!("{path}{joint}workspace=sea/main{more}");
    let body = matches!(method, "POST" | "PUT" | "PATCH").then(|| json!({ "nothing": "of use" }));
    let answer = match gateway {
        false => team.ask(who, method, &address, body),
        true => {
            let bearer = team.tokens.get(who).map(|token| format!("Bearer {token}"));
            let mut headers =
                vec![("x-plimsoll-project", "sea"), ("Content-Type", "application/json")];
            headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
            let body = body.map(|body| body.to_string()).unwrap_or_default();
            plimsoll_testkit::http::request(
                &team.served.address,
                method,
                &path,
                &headers,
                body.as_bytes(),
            )
            .unwrap()
        }
    };
    let told = serde_json::from_str::<Value>(&answer.body).unwrap_or_default();
    let missing =
        told["detail"].as_str().is_some_and(|detail| detail.starts_with("there is no such"));
    let said = told["error"]["message"].as_str().unwrap_or_default().to_owned();
    match answer.status {
        401 => Gets::SignInFirst,
        403 if told["code"] == "not_allowed" => Gets::Refused,
        403 if gateway && said.contains("viewers") => Gets::Refused,
        403 if gateway && said.contains("there is no such") => Gets::Hidden,
        404 if missing && !THEIRS.iter().any(|words| told["detail"] == *words) => Gets::Hidden,
        // Of a stream that did not begin only the status is known.
        404 if path.contains("/events") => Gets::Hidden,
        500.. if answer.status != 501 => panic!("{who} {method} {address}: {}", answer.body),
        _ => Gets::LetIn,
    }
}

#[test]
fn tea_9_every_route_with_every_role() {
    let team = Team::start();
    let pair = team.send("olga", "sea/main", "a message about barnacles");
    let ids = json!({
        "pair": pair["id"], "receipt": pair["receiptId"], "topic": pair["topicId"],
        "note": "1", "file": "file-1", "model": "test", "name": "help", "key": "warnAt",
    });
    // Nothing is served that is not in the list above.
    let openapi = team.json("vic", "GET", "/api/openapi.json", None);
    for (path, item) in openapi["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            let method = method.to_uppercase();
            let decided = routes().any(|(_, m, p)| m == method && p == path);
            assert!(decided, "the test knows nothing of {method} {path}");
        }
    }
    let mut wrong = Vec::new();
    // Whoever deletes comes last, and reads before they write.
    for who in ["", "eve", "ada", "vic", "mia", "olga"] {
        for (needs, method, path) in routes() {
            // Things that are not there are told as such to those who may know.
            let may_be_missing =
                |gets: &Gets| *gets == Gets::Hidden && ["vic", "mia", "olga", "ada"].contains(&who);
            let (expected, gets) = (expected(needs, who), gets(&team, who, method, path, &ids));
            let by_id = path.contains('{') || path.ends_with("head");
            let same =
                gets == expected || (expected == Gets::LetIn && by_id && may_be_missing(&gets));
            if !same {
                wrong.push(format!("{who:>4} {method} {path}: {gets:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The settings are for who looks after the team, also as a panel; other panels are not.
#[test]
fn tea_9_the_panel_of_settings_is_for_admins() {
    let team = Team::start();
    let ask = |who: &str, name: &str, at: &str| {
        team.ask(who, "GET", &format!("/ui/panel/{name}?workspace={at}"), None).status
    };
    assert_eq!(ask("olga", "settings", "sea/main"), 403);
    assert_eq!(ask("ada", "settings", "~ada/main"), 200);
    assert_eq!(ask("olga", "receipts", "sea/main"), 200);
    assert_eq!(ask("ada", "receipts", "sea/main"), 404);
}

/// Addresses that no table has are closed, and methods that no route has are told as such.
#[test]
fn tea_9_what_nobody_decided_about_is_closed() {
    let team = Team::start();
    for path in ["/nowhere", "/api/nowhere", "/sign-in/other"] {
        assert_eq!(team.ask("", "GET", path, None).status, 401, "{path}");
        assert_eq!(team.ask("ada", "GET", path, None).status, 404, "{path}");
    }
    assert_eq!(team.ask("olga", "DELETE", "/api/state", None).status, 405);
    assert_eq!(team.ask("", "DELETE", "/api/state", None).status, 401);
}
