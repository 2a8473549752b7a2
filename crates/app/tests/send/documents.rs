//! Documents: their text is read, weighed and sent, or read by tool (DLV-1, DLV-4, LIM-1).

use plimsoll_app::AppError;
use plimsoll_domain::{Delivery, Extraction, File};
use plimsoll_send::Part;
use plimsoll_store::Workspace;
use plimsoll_testkit::pdf::pdf;

use crate::{
    attached::{
        answer, bring, calls, draft, last_request, plan_of, push, send_draft, token, tooled, with,
    },
    rig::rig,
};

fn here() -> Workspace {
    Workspace::default()
}

#[tokio::test]
async fn dlv_4_a_model_without_tools_gets_the_text_of_a_document() {
    let rig = rig(9000, vec![answer("ok"), answer("again")]).await;
    let pages = ["The pilot is called Ada.", "The harbour opens at six."];
    let file = bring(&rig.app, "report.pdf", &pdf(&pages)).await;
    let draft_of =
        |file: &File| draft(&format!("Sum up {}", token(&rig.app, file)), vec![with(file, None)]);
    let plan = plan_of(&rig, &draft_of(&file)).await;
    let [attached] = plan.attached.as_slice() else { panic!("{:?}", plan.attached) };
    assert_eq!((attached.delivery, attached.instead), (Delivery::Text, None));
    assert!((100..400).contains(&attached.tokens), "a letter weighs one: {}", attached.tokens);
    let note = attached.note.as_deref().unwrap();
    assert_eq!(note, "the text of report.pdf goes along, without pictures and layout");
    send_draft(&rig, draft_of(&file)).await.unwrap();
    let sent = last_request(&rig).messages.last().unwrap().text();
    let head = "Sum up \n[text of \"report.pdf\", 2 pages, extracted, without pictures and layout, \
                begins ";
    assert!(sent.starts_with(head), "{sent}");
    assert!(
        sent.contains("]\n[Page 1]\nThe pilot is called Ada.\n\n[Page 2]\nThe harbour"),
        "{sent}"
    );
    // It weighs and goes along as history, too, also when what was derived is gone.
    let blobs = rig.app.blobs(&here()).unwrap();
    let derived = blobs.path(&plimsoll_app::blob_name(&file).unwrap());
    let derived = derived.parent().unwrap().parent().unwrap().join("derived");
    assert_eq!(std::fs::read_dir(&derived).unwrap().count(), 2, "the text and what is known of it");
    std::fs::remove_dir_all(&derived).unwrap();
    send_draft(&rig, draft("And when?", vec![])).await.unwrap();
    assert!(last_request(&rig).messages[0].text().contains("The harbour opens at six."));
}

#[tokio::test]
async fn lim_1_the_text_of_a_document_counts_and_not_its_bytes() {
    // 4K tokens take texts up to 16 KB; the document has more bytes than that, its text has not.
    let rig = rig(4096, vec![]).await;
    let padded = [pdf(&["short"]), vec![b' '; 40_000]].concat();
    let small = bring(&rig.app, "padded.pdf", &padded).await;
    let line = "a line of twenty six letters\n".repeat(50);
    let pages: Vec<&str> = (0..20).map(|_| line.as_str()).collect();
    let large = bring(&rig.app, "large.pdf", &pdf(&pages)).await;
    let of = |file: &File| draft(&token(&rig.app, file), vec![with(file, None)]);
    assert_eq!(plan_of(&rig, &of(&small)).await.attached[0].too_large, None);
    let plan = plan_of(&rig, &of(&large)).await;
    let too_large = plan.attached[0].too_large.clone().unwrap();
    assert!(too_large.to_string().starts_with("the text of 'large.pdf' has 2"), "{too_large}");
    let refused = send_draft(&rig, of(&large)).await;
    assert!(matches!(refused, Err(AppError::FileTooLarge(_))), "it goes nowhere");
    let head = rig.app.head_of(&here(), large.id, 600).await.unwrap();
    assert!(head.is_text && head.name.starts_with("large.pdf (first"), "{head:?}");
    assert!((600..700).contains(&head.size), "LIM-3: {}", head.size);
}

#[tokio::test]
async fn ins_3_older_encodings_and_pages_are_told() {
    let rig = rig(9000, vec![answer("ok")]).await;
    let notes = bring(&rig.app, "notes.txt", b"Stra\xdfe am Hafen").await;
    let page = bring(&rig.app, "a.html", b"<h1>Tides</h1><p>High at six.</p>").await;
    let text = format!("{} {}", token(&rig.app, &notes), token(&rig.app, &page));
    let files = vec![with(&notes, None), with(&page, Some(Delivery::Text))];
    send_draft(&rig, draft(&text, files)).await.unwrap();
    let sent = last_request(&rig).messages.last().unwrap().text();
    assert!(sent.contains("extracted, read as Windows-1252, begins"), "{sent}");
    assert!(sent.contains("Straße am Hafen\n"), "{sent}");
    assert!(sent.contains("# Tides\n\nHigh at six.\n"), "{sent}");
}

#[tokio::test]
async fn ftl_7_a_scanned_pdf_says_what_would_help() {
    let rig = rig(9000, vec![answer("ok")]).await;
    let file = bring(&rig.app, "scan.pdf", &pdf(&["", ""])).await;
    let told = rig.app.with_text(&here(), file.clone()).await.unwrap();
    assert!(matches!(told.extraction, Some(Extraction::Nothing(_))));
    let plan = plan_of(&rig, &draft(&token(&rig.app, &file), vec![with(&file, None)])).await;
    let attached = &plan.attached[0];
    assert_eq!((attached.delivery, attached.instead), (Delivery::OnDemand, Some("name only")));
    let note = attached.note.as_deref().unwrap();
    assert!(note.contains("as in scanned pages") && note.contains("OCR"), "{note}");
}

#[tokio::test]
async fn ftl_2_a_model_with_tools_reads_a_document_on_demand() {
    let rig = tooled(vec![], 20_000).await;
    let page = bring(&rig.app, "notes.txt", b"Stra\xdfe\nHafen\nLotse").await;
    let arguments = format!("{{\"file_id\":\"file-{}\",\"offset\":2,\"lines\":1}}", page.id);
    push(&rig, calls("read_file", &arguments));
    push(&rig, answer("ok"));
    let asked = draft(&format!("Read {}", token(&rig.app, &page)), vec![with(&page, None)]);
    assert_eq!(plan_of(&rig, &asked).await.attached[0].delivery, Delivery::OnDemand);
    send_draft(&rig, asked).await.unwrap();
    let request = last_request(&rig);
    let result = request.messages.iter().flat_map(|message| &message.parts).find_map(|part| {
        if let Part::ToolResult(result) = part { Some(result.text.clone()) } else { None }
    });
    let result = result.unwrap();
    assert!(result.contains("2| Hafen") && !result.contains("Lotse"), "{result}");
    assert!(result.contains("extracted text, read as Windows-1252"), "{result}");
}
