//! A door for the fuzz targets of this repository, and for nothing else.

use crate::{BadArgument, ToolSpec, all_tools, arguments::Arguments};

/// Checks the arguments of a call, as a client would send them: what a text, a number and a
/// list come to for each parameter, or what is wrong.
pub fn check(tool: usize, arguments: &str) -> Option<Result<Vec<String>, BadArgument>> {
    let tools: Vec<&'static ToolSpec> = all_tools().collect();
    let tool = tools[tool % tools.len()];
    let given = serde_json::from_str(arguments).ok()?;
    let checked = Arguments::check(tool, Some(given)).map(|arguments| {
        let told = |name: &str| {
            format!(
                "{:?} {:?} {:?} {:?}",
                arguments.read::<Option<String>>(name),
                arguments.read::<Option<usize>>(name),
                arguments.read::<bool>(name),
                arguments.read::<Vec<u64>>(name)
            )
        };
        tool.params.iter().map(|param| told(param.name)).collect()
    });
    Some(checked)
}
