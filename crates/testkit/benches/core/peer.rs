//! What people use today, measured in the same run where it is installed.

use std::{path::Path, process::Command};

/// A history of pairs as the peers take it.
const HISTORY: &str = r#"
import sys, time
words = "ship harbour cargo the of and a line load water winter summer deck hull captain ".split()
def text(n, size):
    out = []
    length = 0
    while length < size:
        word = words[(n + length) % len(words)]
        out.append(word)
        length += len(word) + 1
    return " ".join(out)
def best(runs, call):
    least = 1e9
    for _ in range(runs):
        started = time.process_time()
        call()
        least = min(least, time.process_time() - started)
    print(least)
"#;

/// LangChain's own approximate counter and trimming.
const LANGCHAIN: &str = r#"
from langchain_core.messages import AIMessage, HumanMessage, trim_messages
from langchain_core.messages.utils import count_tokens_approximately
history = []
for n in range(int(sys.argv[1])):
    history.append(HumanMessage(text(n, 400)))
    history.append(AIMessage(text(n + 7, 1200)))
best(3, lambda: trim_messages(history, max_tokens=128000, strategy="last",
                              token_counter=count_tokens_approximately, start_on="human"))
"#;

/// LiteLLM's trimming, which counts with tiktoken.
const LITELLM: &str = r#"
import os
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from litellm.utils import trim_messages
history = []
for n in range(int(sys.argv[1])):
    history.append({"role": "user", "content": text(n, 400)})
    history.append({"role": "assistant", "content": text(n + 7, 1200)})
best(1, lambda: trim_messages(history, model="gpt-4o", max_tokens=128000, trim_ratio=1.0))
"#;

/// tiktoken's exact count. LiteLLM brings the vocabularies along, and points to them.
const TIKTOKEN: &str = r#"
import os
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm, tiktoken
litellm.token_counter(model="gpt-4o", text="warm")
encoding = tiktoken.get_encoding("o200k_base")
content = open(sys.argv[1], encoding="utf-8").read()
best(3, lambda: encoding.encode_ordinary(content))
"#;

/// Seconds of processor time for one trim by LangChain, or none where it is not installed.
pub(crate) fn langchain_trim(pairs: usize) -> anyhow::Result<Option<f64>> {
    seconds(LANGCHAIN, &pairs.to_string())
}

/// The same by LiteLLM. It counts all messages again for each one that it drops.
pub(crate) fn litellm_trim(pairs: usize) -> anyhow::Result<Option<f64>> {
    seconds(LITELLM, &pairs.to_string())
}

/// Seconds for the exact count of a file by tiktoken.
pub(crate) fn tiktoken_count(text: &Path) -> anyhow::Result<Option<f64>> {
    seconds(TIKTOKEN, &text.to_string_lossy())
}

fn seconds(script: &str, argument: &str) -> anyhow::Result<Option<f64>> {
    let Some(python) = std::env::var_os("PLIMSOLL_BENCH_PYTHON") else { return Ok(None) };
    let script = format!("{HISTORY}{script}");
    let output = Command::new(python).args(["-c", &script, argument]).output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(Some(said.lines().last().unwrap_or_default().trim().parse()?))
}
