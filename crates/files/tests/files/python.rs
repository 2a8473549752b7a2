use plimsoll_domain::{FileKind, FileSource};
use plimsoll_files::{Sandbox, Toolbox, WorkspaceFiles, file_label};
use plimsoll_testkit::real::skipped;
use serde_json::json;

use crate::shelf::{Desk, bare, programs};

async fn with_sandbox(desk: &std::sync::Arc<Desk>) -> Option<Toolbox> {
    match Sandbox::find(&programs()).await {
        Ok(sandbox) => Some(bare(desk).with_sandbox(Ok(sandbox))),
        Err(none) => {
            skipped(&format!("there is no sandbox: {none}. To have one: {}", none.how_to_fix));
            None
        }
    }
}

/// FIL-5: what a tool makes is a file like any other.
#[tokio::test]
async fn ftl_6_what_python_writes_becomes_a_generated_file() {
    let desk = Desk::new();
    let Some(toolbox) = with_sandbox(&desk).await else { return };
    assert_eq!(toolbox.offered().count(), 6);
    let input = desk.text("my data (1).txt", "3\n4\n");
    let code = "numbers = [int(x) for x in open('my_data__1_.txt')]\nprint(sum(numbers))\n\
                open('plot.png', 'wb').write(b'png')";
    let arguments = json!({ "code": code, "file_inputs": [file_label(input.id)], "timeout": "20" });
    let answer = toolbox.call("execute_python", &arguments, None).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert!(answer.text.starts_with("Done in "), "{}", answer.text);
    assert!(answer.text.contains("was read as my_data__1_.txt"), "{}", answer.text);
    assert!(answer.text.contains("stdout:\n| 7"), "{}", answer.text);
    let made = desk.find(answer.generated[0]).await.unwrap();
    assert_eq!(
        (made.name.as_str(), made.kind, made.source),
        ("plot.png", FileKind::Generated, FileSource::Assistant)
    );
    assert_eq!(made.upload_context.as_deref(), Some("7"), "what it printed (FIL-6)");
    assert!(
        answer.text.contains(&format!("Made plot.png (3 B): {}", file_label(made.id))),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn ftl_6_a_failure_names_its_cause_first() {
    let desk = Desk::new();
    let Some(toolbox) = with_sandbox(&desk).await else { return };
    let arguments = json!({ "code": "print('x' * 3000)\n1 / 0", "max_tokens": 100 });
    let answer = toolbox.call("execute_python", &arguments, None).await;
    assert!(answer.is_error && answer.estimated_tokens <= 100);
    assert!(answer.text.starts_with("Failed with exit code 1 after "), "{}", answer.text);
    assert!(answer.text.contains("ZeroDivisionError: division by zero"), "{}", answer.text);
    let wrong = json!({ "code": "1", "file_inputs": ["nothing"] });
    let answer = toolbox.call("execute_python", &wrong, None).await;
    assert!(
        answer.is_error && answer.text.contains("There is no file \"nothing\""),
        "{}",
        answer.text
    );
    let long = json!({ "code": "1", "timeout": 1000 });
    let answer = toolbox.call("execute_python", &long, None).await;
    assert!(answer.is_error && answer.text.contains("up to 120 seconds"), "{}", answer.text);
}

#[tokio::test]
async fn ftl_6_two_inputs_with_one_name_are_both_there() {
    let desk = Desk::new();
    let Some(toolbox) = with_sandbox(&desk).await else { return };
    let (one, two) = (desk.text("a.txt", "1"), desk.text("a.txt", "2"));
    let code = "print(open('a.txt').read(), open('2-a.txt').read())";
    let arguments =
        json!({ "code": code, "file_inputs": [file_label(one.id), file_label(two.id)] });
    let answer = toolbox.call("execute_python", &arguments, None).await;
    assert!(answer.text.contains("| 1 2"), "{}", answer.text);
}
