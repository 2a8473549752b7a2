//! What people use today, measured in the same run where it is installed.

use std::process::Command;

/// LangChain's own approximate counter and trimming, over the same shape of history.
const SCRIPT: &str = r#"
import sys, time
from langchain_core.messages import AIMessage, HumanMessage, trim_messages
from langchain_core.messages.utils import count_tokens_approximately
pairs = int(sys.argv[1])
words = "ship harbour cargo the of and a line load water winter summer deck hull captain ".split()
def text(n, size):
    out = []
    length = 0
    while length < size:
        word = words[(n + length) % len(words)]
        out.append(word)
        length += len(word) + 1
    return " ".join(out)
history = []
for n in range(pairs):
    history.append(HumanMessage(text(n, 400)))
    history.append(AIMessage(text(n + 7, 1200)))
best = 1e9
for _ in range(3):
    started = time.process_time()
    trim_messages(history, max_tokens=128000, strategy="last",
                  token_counter=count_tokens_approximately, start_on="human")
    best = min(best, time.process_time() - started)
print(best)
"#;

/// Seconds of processor time for one trim, or none where it is not installed.
pub(crate) fn langchain_trim(pairs: usize) -> anyhow::Result<Option<f64>> {
    let Some(python) = std::env::var_os("PLIMSOLL_BENCH_PYTHON") else { return Ok(None) };
    let output = Command::new(python).arg("-c").arg(SCRIPT).arg(pairs.to_string()).output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(String::from_utf8_lossy(&output.stdout).trim().parse()?))
}
