//! Any arguments of any tool, over MCP and of the file tools: taken, or refused in words
//! that are short enough to be read.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (usize, &str)| {
    let (tool, arguments) = data;
    if let Some(Err(wrong)) = plimsoll_mcp::fuzzing::check(tool, arguments) {
        let said = wrong.to_string();
        assert!(!said.is_empty() && said.len() < 1000, "{said}");
    }
    if let Ok(given) = serde_json::from_str(arguments) {
        for said in plimsoll_files::fuzzing::arguments(&given) {
            assert!(!said.is_empty(), "{said}");
        }
    }
});
