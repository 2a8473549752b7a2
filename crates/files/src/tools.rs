//! The six file tools as models are told about them. These words are weighed at every
//! send, so they are few.

/// A tool as it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// The JSON schema of its arguments: plain types, no unions with null.
    pub parameters: &'static str,
    /// Whether it leaves everything as it was.
    pub read_only: bool,
}

/// The tool that is offered only where a sandbox works.
pub(crate) const EXECUTE_PYTHON: &str = "execute_python";

/// All file tools.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "list_files",
        title: "List files",
        description: "Files of this workspace, newest first, with their ids.",
        parameters: r#"{"type":"object","properties":{"kind":{"type":"string","enum":["IMAGE","PDF","DOCUMENT","AUDIO","VOICE","VIDEO","GENERATED"]},"query":{"type":"string","description":"Part of a name or context"},"max_tokens":{"type":"integer"}}}"#,
        read_only: true,
    },
    ToolSpec {
        name: "read_file",
        title: "Read a text or document",
        description: "Numbered lines of a text, source file or document (Word, Excel, PowerPoint, OpenDocument, EPUB).",
        parameters: r#"{"type":"object","properties":{"file_id":{"type":"string"},"offset":{"type":"integer","description":"First line, from 1"},"lines":{"type":"integer"},"max_tokens":{"type":"integer"}},"required":["file_id"]}"#,
        read_only: true,
    },
    ToolSpec {
        name: "analyze_image",
        title: "Look at an image",
        description: "Format, size, EXIF and text of an image; what a vision model sees, if there is one.",
        parameters: r#"{"type":"object","properties":{"file_id":{"type":"string"},"question":{"type":"string"},"max_tokens":{"type":"integer"}},"required":["file_id"]}"#,
        read_only: true,
    },
    ToolSpec {
        name: "analyze_pdf",
        title: "Read a PDF",
        description: "Page count, outline and text by page of a PDF.",
        parameters: r#"{"type":"object","properties":{"file_id":{"type":"string"},"pages":{"type":"string","description":"Such as 1-3,7"},"question":{"type":"string"},"max_tokens":{"type":"integer"}},"required":["file_id"]}"#,
        read_only: true,
    },
    ToolSpec {
        name: "transcribe_audio",
        title: "Listen to audio",
        description: "What is said in a sound file or voice note; its format and duration.",
        parameters: r#"{"type":"object","properties":{"file_id":{"type":"string"},"language":{"type":"string","description":"Such as en"},"max_tokens":{"type":"integer"}},"required":["file_id"]}"#,
        read_only: true,
    },
    ToolSpec {
        name: EXECUTE_PYTHON,
        title: "Run Python",
        description: "Runs Python 3 in a sandbox without network. Inputs are read by name in the working directory; files written there are kept.",
        parameters: r#"{"type":"object","properties":{"code":{"type":"string"},"file_inputs":{"type":"array","items":{"type":"string"},"description":"File ids"},"timeout":{"type":"integer","description":"Seconds, up to 120"},"max_tokens":{"type":"integer"}},"required":["code"]}"#,
        read_only: false,
    },
];

#[cfg(test)]
mod tests {
    use plimsoll_tokens::Tokenizer;
    use serde_json::Value;

    use super::*;

    #[test]
    fn ftl_1_to_6_are_all_there_and_each_takes_a_budget() {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(
            names,
            [
                "list_files",
                "read_file",
                "analyze_image",
                "analyze_pdf",
                "transcribe_audio",
                "execute_python"
            ]
        );
        for tool in TOOLS {
            let schema: Value = serde_json::from_str(tool.parameters).unwrap();
            assert_eq!(schema["properties"]["max_tokens"]["type"], "integer", "{}", tool.name);
            assert!(!tool.parameters.contains("null"), "{}: no unions", tool.name);
        }
    }

    #[test]
    fn the_offer_is_cheap() {
        let all: String = TOOLS
            .iter()
            .map(|tool| format!("{}{}{}", tool.name, tool.description, tool.parameters))
            .collect();
        let tokens = Tokenizer::O200k.count(&all);
        assert!(tokens <= 600, "{tokens} tokens");
    }
}
