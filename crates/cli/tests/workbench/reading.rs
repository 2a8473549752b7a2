//! A model that reads files by tool, seen as a person sees it (DLV-2, FIL-3, PRV-5).

use std::{fs, path::Path};

use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};
use serde_json::Value;

use crate::{
    attachments::{chips, no_token, paste},
    bench::Workbench,
};

/// The id of a file that a request names, by the line before it.
fn file_id(body: &str, name: &str) -> String {
    let listed = body.split(&format!("- {name} (")).nth(1).unwrap_or_default();
    let id = listed.split("file_id: ").nth(1).unwrap_or_default();
    id.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

/// A model that reads 200 lines of the log before it answers, and answers everything else.
fn reads_the_log(request: &Recorded) -> Reply {
    if request.method != "POST" {
        return Reply::model_missing("test");
    }
    let asked_for_log = request.body.contains("Why does it stop?");
    let answered = request.body.contains("\"role\":\"tool\"");
    if asked_for_log && !answered {
        let id = file_id(&request.body, "server.log");
        let arguments = format!(r#"{{"file_id":"{id}","offset":301,"lines":200}}"#);
        return Reply::openai_calls("read_file", &arguments, 900);
    }
    Reply::openai(&["The disk was full at line 400."], 1200, 9)
}

fn able(home: &Path) {
    let file = home.join("models.toml");
    let models = fs::read_to_string(&file).unwrap();
    fs::write(file, format!("{models}tools = true\nvision = true\n")).unwrap();
}

fn section(sent: &Value) -> String {
    let messages = sent["messages"].as_array().unwrap();
    let late = messages.iter().rev().find(|message| message["role"] == "system").unwrap();
    late["content"].as_str().unwrap().to_owned()
}

#[test]
fn prv_5_a_screenshot_a_log_and_a_pdf_and_a_model_that_reads_part_of_the_log() {
    let server = ScriptedServer::answering(reads_the_log).unwrap();
    let Some(mut bench) = Workbench::before(server, 32_768, able, |_| {}) else { return };
    let log: String = (1..=1500).map(|n| format!("line {n} of the log\n")).collect();
    assert!(log.len() > 25_000);
    bench.types("Why does it stop? ");
    let pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
    paste(
        &bench,
        &[
            ("screen.png", "image/png", ""),
            ("server.log", "text/plain", &log),
            ("notes.pdf", "application/pdf", pdf),
        ],
        "",
    );
    chips(&bench, "screen.png: ok, server.log: ok, notes.pdf: ok");
    // The log is over 8 KB and the model calls tools: on demand already. Once round and back.
    let delivery = "[...document.querySelectorAll('#chips .how')].map((d) => d.textContent)";
    bench.wait(&format!("{delivery}.join() === 'inline,on demand,on demand'"));
    let aut = "Number(document.querySelector('#aut').textContent.replace(/\\D/g, ''))";
    // Until files are weighed they add nothing, and they are weighed one after the other.
    bench.wait("[...document.querySelectorAll('#chips > li')].every((chip) => /\\d tok/.test(chip.textContent))");
    bench.wait(&format!("{aut} > 300 && {aut} < 1000"));
    let small: u64 = bench.js(aut);
    bench.click("#chips > li:nth-child(2) [data-chip=delivery]");
    bench.wait(&format!("{aut} > {small} + 3000"));
    bench.click("#chips > li:nth-child(2) [data-chip=delivery]");
    bench.wait(&format!("{aut} === {small}"));
    bench.says("#files-section", "3 of 3 files");
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.reply() === 'The disk was full at line 400.'");
    // The call, what it gave and what that weighs stand in the pair.
    bench.says(".toolcall summary", "read_file");
    bench.wait("/\\d tokens/.test(T.last().querySelector('.tool-tok').textContent)");
    let result: String = bench.js("T.last().querySelector('.toolcall pre').textContent");
    assert!(result.contains("line 301 of the log") && result.contains("line 500 of the log"));
    assert!(!result.contains("line 501 of the log"), "200 lines and no more");
    bench.says(".toolnote", "not sent again");
    no_token(&bench);
    let receipts = bench.served.json("GET", "/api/receipts", None);
    let receipt = receipts["receipts"][0]["id"].as_str().unwrap().to_owned();
    let receipt = bench.served.json("GET", &format!("/api/receipts/{receipt}"), None);
    assert!(receipt.to_string().contains("\"toolCalls\":1"), "{receipt}");
    assert!(bench.sent()["tools"].as_array().unwrap().len() >= 5, "tools are offered");

    // After a restart the message shows the same.
    let seen =
        "T.last().querySelector('.u').innerText + T.last().querySelectorAll('.u img').length";
    let before: String = bench.js(seen);
    bench.served.stop();
    bench.served.start_again();
    bench.load();
    bench.wait("T.last()?.querySelector('.u .thumb img')?.naturalWidth > 0");
    assert_eq!(bench.js::<String>(seen), before);
    bench.says(".toolcall summary", "read_file");

    // Files of earlier messages are named with the words that came with them.
    bench.send("check the homework");
    let listed = section(&bench.sent());
    assert_eq!(listed.matches("context: \"Why does it stop?\"").count(), 3, "{listed}");
    let stopped =
        ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING"];
    bench.fine_but(&stopped);
}
