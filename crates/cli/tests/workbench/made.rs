//! What tools make for an answer is seen with it: pictures, and the program that drew them
//! (FTL-6, PRV-5).

use plimsoll_testkit::{real::skipped, scripted::Reply};
use serde_json::{Value, json};

use crate::{
    attachments::{able, chips, paste},
    bench::answer,
};

/// Draws a picture of 40 × 30 with nothing but the standard library.
const DRAW: &str = "\
import struct, zlib
def part(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
rows = b''.join(b'\\0' + b'\\x20\\x60\\x90' * 40 for _ in range(30))
png = b'\\x89PNG\\r\\n\\x1a\\n' + part(b'IHDR', struct.pack('>IIBBBBB', 40, 30, 8, 2, 0, 0, 0))
open('plot.png', 'wb').write(png + part(b'IDAT', zlib.compress(rows)) + part(b'IEND', b''))
print('Sales by month')";

#[test]
fn ftl_6_a_picture_that_a_tool_drew_is_seen_with_the_program_that_drew_it() {
    let arguments = json!({ "code": DRAW }).to_string();
    let calls = Reply::openai_calls("execute_python", &arguments, 14);
    let Some(bench) = able([calls, answer("Here it is.")]) else { return };
    paste(&bench, &[("sales.csv", "text/csv", "a,b\n1,2\n")], "");
    chips(&bench, "sales.csv: ok");
    bench.says("#files-section", "1 of 1 file");
    let tools: Vec<String> =
        bench.js("fetch('/api/files').then((a) => a.json()).then(({ section }) => section.tools)");
    if !tools.iter().any(|tool| tool == "execute_python") {
        return skipped("there is no sandbox here (apt-get install bubblewrap)");
    }
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.reply() === 'Here it is.'");
    // Seen without unfolding anything, also after a reload; in full size at a click.
    for reload in [false, true] {
        if reload {
            bench.reload();
        }
        bench.wait("T.shown('.made .thumb img') && T.one('.made .thumb img').naturalWidth === 40");
        bench.wait("T.one('.made .thumb img').alt === 'plot.png'");
    }
    bench.click(".made .thumb");
    bench.wait("T.one('dialog.preview img')?.naturalWidth === 40");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    // The program can be read whole.
    bench.click(".toolcall summary");
    bench.says(".toolcall[open] .tool-code", "zlib.compress(rows)");
    bench.says(".toolcall[open]", "Made plot.png");
    let pair: Value =
        bench.js("fetch(`/api/pairs/${T.last().dataset.id}`).then((answer) => answer.json())");
    let call = &pair["toolCalls"][0];
    assert_eq!(call["name"], "execute_python");
    assert!(call["arguments"].as_str().unwrap().contains("Sales by month"));
    let made = call["made"][0].as_str().unwrap().to_owned();
    let file: Value =
        bench.js(&format!("fetch('/api/files/{made}').then((answer) => answer.json())"));
    assert_eq!((&file["source"], &file["listed"]), (&json!("assistant"), &json!(true)));
    assert_eq!(file["uploadContext"], "Sales by month");
    bench.fine();
}
