use lopdf::{Dictionary, Stream, dictionary};

use super::*;

/// Many pages that all draw one stream, which unpacks to far more than it is packed to.
fn many_pages(pages: usize, drawn: &str) -> Document {
    let mut document = Document::with_version("1.7");
    let mut content = Stream::new(Dictionary::new(), drawn.as_bytes().to_vec());
    content.compress().unwrap();
    assert!(content.content.len() < drawn.len() / 50, "it is packed well");
    let content = document.add_object(content);
    let parent = document.new_object_id();
    let page = dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => content };
    let kids: Vec<Object> = (0..pages).map(|_| document.add_object(page.clone()).into()).collect();
    let tree = dictionary! { "Type" => "Pages", "Count" => pages as i64, "Kids" => kids };
    document.objects.insert(parent, tree.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    document.trailer.set("Root", catalog);
    document
}

/// A PDF of 200 KB kept a processor busy for 24 s: each page could unpack and draw as much
/// as the first. Now all pages of a call share what is allowed.
#[test]
fn sec_5_all_pages_together_unpack_and_draw_a_bounded_amount() {
    let document = many_pages(50, &"q Q\n".repeat(10_000));
    let mut texts = Texts::new(&document, Effort { unpacked: 100_000, steps: 30_000 });
    let mut drawn = 0;
    for page in document.get_pages().into_values() {
        let before = texts.effort.steps;
        let text = texts.of_page(page, 1000);
        drawn += before - texts.effort.steps;
        if texts.effort.steps == 0 && before > 0 {
            assert!(text.unwrap().contains("the PDF draws too much"));
        }
    }
    assert_eq!(drawn, 30_000, "of 1,000,000 steps");
    assert!(texts.effort.unpacked < 40_000, "{:?}", texts.effort);
}

/// A document of one page that draws this, with these resources.
fn one_page(content: &str, resources: impl FnOnce(&mut Document) -> Dictionary) -> String {
    let mut document = many_pages(0, &" ".repeat(1000));
    let resources = resources(&mut document);
    let drawn = Stream::new(Dictionary::new(), content.as_bytes().to_vec());
    let drawn = document.add_object(drawn);
    let page = document.add_object(
        dictionary! { "Type" => "Page", "Contents" => drawn, "Resources" => resources },
    );
    let mut texts = Texts::new(&document, Effort { unpacked: 1 << 20, steps: 10_000 });
    texts.of_page(page, 1 << 20).unwrap()
}

fn courier(document: &mut Document) -> ObjectId {
    document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier",
        "Encoding" => "WinAnsiEncoding",
    })
}

fn form(
    document: &mut Document,
    matrix: [i64; 6],
    content: &str,
    resources: Dictionary,
) -> ObjectId {
    let mut form = Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form",
            "Matrix" => matrix.map(Object::from).to_vec(), "Resources" => resources,
        },
        content.as_bytes().to_vec(),
    );
    form.compress().unwrap();
    document.add_object(form)
}

#[test]
fn ftl_4_text_in_forms_is_read_where_the_form_stands() {
    let drawn = "BT /F 10 Tf 0 100 Td (above) Tj ET q 1 0 0 1 0 50 cm /X Do Q \
                 BT /F 10 Tf 0 0 Td (below) Tj ET";
    let text = one_page(drawn, |document| {
        let font = courier(document);
        let fonts = || dictionary! { "F" => font };
        let inner = form(
            document,
            [1, 0, 0, 1, 40, 0],
            "BT /F 10 Tf (stamp) Tj ET",
            dictionary! { "Font" => fonts() },
        );
        let outer = form(
            document,
            [1, 0, 0, 1, 0, 0],
            "BT /F 10 Tf (the) Tj ET /Y Do",
            dictionary! { "Font" => fonts(), "XObject" => dictionary! { "Y" => inner } },
        );
        dictionary! { "Font" => fonts(), "XObject" => dictionary! { "X" => outer } }
    });
    assert_eq!(text, "above\nthe stamp\nbelow");
}

#[test]
fn sec_5_forms_that_draw_themselves_or_too_many_end() {
    let mut document = many_pages(0, &" ".repeat(1000));
    let font = courier(&mut document);
    // Twenty forms, each drawing the next one twice: a million drawings, were they all done.
    let ids: Vec<ObjectId> = (0..20).map(|_| document.new_object_id()).collect();
    for (at, id) in ids.iter().enumerate() {
        let next = ids.get(at + 1).unwrap_or(&ids[0]);
        let resources = dictionary! {
            "Font" => dictionary! { "F" => font },
            "XObject" => dictionary! { "N" => *next, "Self" => *id },
        };
        let form = Stream::new(
            dictionary! { "Subtype" => "Form", "Resources" => resources },
            b"BT /F 9 Tf (x) Tj ET /Self Do /N Do /N Do".to_vec(),
        );
        document.objects.insert(*id, form.into());
    }
    let drawn = document.add_object(Stream::new(Dictionary::new(), b"/N Do".to_vec()));
    let resources = dictionary! { "XObject" => dictionary! { "N" => ids[0] } };
    let page = dictionary! { "Type" => "Page", "Contents" => drawn, "Resources" => resources };
    let page = document.add_object(page);
    let mut texts = Texts::new(&document, Effort { unpacked: 1 << 20, steps: 5_000 });
    let text = texts.of_page(page, 1 << 20).unwrap();
    assert!(text.ends_with("the PDF draws too much]"), "{text}");
    // Twelve deep and no deeper.
    let mut texts = Texts::new(&document, Effort { unpacked: 1 << 30, steps: 5_000_000 });
    let text = texts.of_page(page, 1 << 20).unwrap();
    assert_eq!(text.matches('x').count(), (1 << FORM_DEPTH) - 1);
}

#[test]
fn ftl_4_turned_text_is_one_line() {
    // Letters one by one, up the page; then a heading that reads from left to right.
    let drawn = "BT /F 10 Tf 0 1 -1 0 50 50 Tm (up) Tj 0 1 -1 0 50 68 Tm (the) Tj \
                 0 1 -1 0 50 92 Tm (side) Tj ET BT /F 10 Tf 0 300 Td (top) Tj ET \
                 q 0 1 -1 0 0 0 cm BT /F 10 Tf 0 -80 Td (turned ) Tj (page) Tj ET Q";
    let text = one_page(drawn, |document| {
        let font = courier(document);
        dictionary! { "Font" => dictionary! { "F" => font } }
    });
    assert_eq!(text, "up the side\ntop\nturned page");
}

#[test]
fn ftl_4_composite_fonts_are_read_by_their_tables() {
    let drawn = "BT /C 10 Tf <00010002> Tj <0003> Tj ET BT /C 10 Tf 0 -20 Td <0009> Tj ET";
    let text = one_page(drawn, |document| {
        let table = Stream::new(
            Dictionary::new(),
            b"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange \
              <0001> <0002> <4E2D> endbfrange 1 beginbfchar <0003> <D83DDE00> endbfchar"
                .to_vec(),
        );
        let table = document.add_object(table);
        let below = dictionary! { "Type" => "Font", "Subtype" => "CIDFontType2", "DW" => 1000 };
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "Encoding" => "Identity-H",
            "DescendantFonts" => vec![Object::from(below)], "ToUnicode" => table,
        });
        dictionary! { "Font" => dictionary! { "C" => font } }
    });
    assert_eq!(text.trim(), "中丮😀");
}

#[test]
fn ftl_4_letters_that_a_table_lacks_come_from_the_encoding() {
    let text = one_page("BT /F 10 Tf (Ab\\256) Tj ET", |document| {
        let table = Stream::new(Dictionary::new(), b"1 beginbfchar <62> <0062> endbfchar".to_vec());
        let table = document.add_object(table);
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Odd", "ToUnicode" => table,
            "Encoding" => dictionary! { "Differences" => vec![174.into(), "fi".into()] },
        });
        dictionary! { "Font" => dictionary! { "F" => font } }
    });
    assert_eq!(text, "Abfi");
}
