//! The tests that the Python packages of OpenAI and Anthropic ship in their source archives,
//! as they are, with the gateway as their server.

use std::path::{Path, PathBuf};

use plimsoll_testkit::python::{python_source, python_with};

use crate::{
    gateway::{Behind, Gateway},
    model::LAST,
    program::{Place, Ran, cache, fetched, run},
    upstream::{Turn, Upstream},
};

const OPENAI: &str = "openai==3.51.0";
const ANTHROPIC: &str = "anthropic==2.9.0";

/// Both packages, what their tests import, and what their archives are built with.
const PACKAGES: [&str; 16] = [
    OPENAI,
    ANTHROPIC,
    "pytest==9.2.0",
    "pytest-asyncio==1.5.0",
    "aiohttp==3.14.5",
    "dirty-equals==0.11",
    "http-snapshot[httpx]==0.1.9",
    "httpx-aiohttp==0.2.0",
    "httpx2==2.16.0",
    "inline-snapshot==0.36.1",
    "nest-asyncio==1.6.0",
    "respx==0.23.1",
    "rich==15.0.0",
    "time-machine==3.6.0",
    "hatchling==1.33.0",
    "hatch-fancy-pypi-readme==25.1.0",
];

/// Calls of OpenAI's API that the gateway does not have, since it keeps nothing of its own that
/// could be fetched, changed or deleted later, and deletes no model of a provider: the file of
/// tests, the name of its classes, the call.
const NOT_THERE: [(&str, &str, &str); 9] = [
    ("chat/test_completions.py", "Completions", "retrieve"),
    ("chat/test_completions.py", "Completions", "update"),
    ("chat/test_completions.py", "Completions", "list"),
    ("chat/test_completions.py", "Completions", "delete"),
    ("test_responses.py", "Responses", "retrieve"),
    ("test_responses.py", "Responses", "delete"),
    ("test_responses.py", "Responses", "cancel"),
    ("test_responses.py", "Responses", "compact"),
    ("test_models.py", "Models", "delete"),
];

fn python() -> Option<PathBuf> {
    fetched("the Python SDKs", python_with(cache(), "client-sdks", &PACKAGES))
}

/// A gateway with the models that a package's tests name. Some calls of OpenAI's name none, and
/// go to the default model, which is the first.
fn serve(models: &[&str], behind: Behind) -> (Upstream, Gateway) {
    let upstream = Upstream::saying(|_| Turn::Text(LAST.to_owned()));
    let models: Vec<_> = models.iter().map(|id| (*id, behind)).collect();
    let gateway = Gateway::before(&upstream, &models);
    (upstream, gateway)
}

/// The models that Anthropic's package warns of. Its tests call each of them.
fn deprecated(python: &Path) -> Vec<String> {
    let script = "import anthropic.resources.messages as m\nprint(*m.DEPRECATED_MODELS)";
    let ran = run(Place::new().command(python).args(["-c", script]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout.split_whitespace().map(ToOwned::to_owned).collect()
}

/// Runs the tests of these files of a source archive.
fn pytest(python: &Path, source: &Path, url: &str, options: &[String], files: &[&str]) -> Ran {
    let place = Place::new();
    let mut pytest = place.command(python);
    pytest.env("TEST_API_BASE_URL", url).env("PYTHONDONTWRITEBYTECODE", "1").current_dir(source);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(options);
    run(pytest.args(files.iter().map(|file| format!("tests/api_resources/{file}"))))
}

/// Sees that so many tests passed, and that none failed.
#[track_caller]
fn all_passed(ran: &Ran, tests: usize) {
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let last = ran.stdout.lines().rfind(|line| line.contains(" passed")).unwrap_or_default();
    let passed = last.split(" passed").next().and_then(|count| count.parse().ok());
    assert_eq!(passed, Some(tests), "{last}");
}

#[test]
fn gwy_18_the_tests_of_openais_python_package_pass() {
    let Some(python) = python() else { return };
    let source = fetched(OPENAI, python_source(cache(), &python, OPENAI));
    let Some(source) = source else { return };
    let (upstream, gateway) = serve(&["gpt-6-astra", "model"], Behind::OpenAi);
    let mut options = vec!["-o".to_owned(), "addopts=--tb=short".to_owned()];
    for (file, class, call) in NOT_THERE {
        for class in [format!("Test{class}"), format!("TestAsync{class}")] {
            for form in ["method", "raw_response", "streaming_response", "path_params"] {
                let test = format!("tests/api_resources/{file}::{class}::test_{form}_{call}");
                options.extend(["--deselect".to_owned(), test]);
            }
        }
    }
    let files = [
        "chat/test_completions.py",
        "test_responses.py",
        "responses/test_input_tokens.py",
        "test_models.py",
    ];
    let ran = pytest(&python, &source, &gateway.v1(), &options, &files);
    all_passed(&ran, 135);
    gateway.knew_all_models(&upstream);
}

#[test]
fn gwy_18_the_tests_of_anthropics_python_package_pass() {
    let Some(python) = python() else { return };
    let source = fetched(ANTHROPIC, python_source(cache(), &python, ANTHROPIC));
    let Some(source) = source else { return };
    let deprecated = deprecated(&python);
    let mut models = vec!["claude-opus-5-5", "model_id"];
    models.extend(deprecated.iter().map(String::as_str));
    let (upstream, gateway) = serve(&models, Behind::Anthropic);
    let options = ["-o".to_owned(), "addopts=--tb=short -p tests._alias_httpx".to_owned()];
    let files =
        ["test_messages.py", "test_models.py", "beta/test_messages.py", "beta/test_models.py"];
    let ran = pytest(&python, &source, gateway.root(), &options, &files);
    all_passed(&ran, 215);
    gateway.knew_all_models(&upstream);
}
