//! Documents made up part by part.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

/// An archive of these parts.
pub(super) fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A Word document with this in its body, as a program says that it has twelve pages.
pub(super) fn word(body: &str) -> Vec<u8> {
    packed(&[
        ("[Content_Types].xml", "<Types/>"),
        ("docProps/app.xml", "<Properties><Pages>12</Pages></Properties>"),
        (
            "word/_rels/document.xml.rels",
            "<Relationships><Relationship Id='r1' Type='http://x/footnotes' \
             Target='footnotes.xml'/><Relationship Id='r2' Type='http://x/hyperlink' \
             Target='http://example.org/secret' TargetMode='External'/></Relationships>",
        ),
        (
            "word/footnotes.xml",
            "<w:footnotes xmlns:w='w'><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p>\
             </w:footnote></w:footnotes>",
        ),
        (
            "word/document.xml",
            &format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>"),
        ),
    ])
}

/// A workbook with one sheet of these rows.
pub(super) fn workbook(rows: &str) -> Vec<u8> {
    packed(&[
        (
            "xl/workbook.xml",
            "<workbook xmlns:r='r'><sheets><sheet name='Budget &amp; more' sheetId='1' r:id='r1'/>\
             <sheet name='Old' sheetId='2' state='hidden' r:id='r9'/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='worksheets/a.xml'/>\
             <Relationship Id='r2' Type='x/sharedStrings' Target='/xl/shared.xml'/>\
             <Relationship Id='r3' Type='x/styles' Target='styles.xml'/></Relationships>",
        ),
        (
            "xl/shared.xml",
            "<sst><si><t>Rent</t></si><si><r><t>Two </t></r><r><t>words</t></r>\
             <rPh><t>spoken</t></rPh></si></sst>",
        ),
        (
            "xl/styles.xml",
            "<styleSheet><numFmts><numFmt numFmtId='200' formatCode='yyyy'/></numFmts>\
             <cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='200'/></cellXfs>\
             </styleSheet>",
        ),
        ("xl/worksheets/a.xml", &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")),
    ])
}

/// A presentation of two slides, the second listed first.
pub(super) fn presentation() -> Vec<u8> {
    let slide = |title: &str, words: &str| {
        format!(
            "<p:sld xmlns:p='p' xmlns:a='a'><p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr>\
             </p:nvSpPr><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r>\
             <a:t>{words}</a:t></a:r></a:p></p:sp></p:sld>"
        )
    };
    packed(&[
        (
            "ppt/presentation.xml",
            "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId id='256' r:id='b'/>\
             <p:sldId id='257' r:id='a'/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "<Relationships><Relationship Id='a' Type='x/slide' Target='slides/1.xml'/>\
             <Relationship Id='b' Type='x/slide' Target='slides/2.xml'/></Relationships>",
        ),
        ("ppt/slides/1.xml", &slide("Tides", "High at six")),
        ("ppt/slides/2.xml", &slide("Harbour", "Opens early")),
        (
            "ppt/slides/_rels/1.xml.rels",
            "<Relationships><Relationship Id='n' Type='x/notesSlide' \
             Target='../notesSlides/1.xml'/></Relationships>",
        ),
        (
            "ppt/notesSlides/1.xml",
            "<p:notes xmlns:p='p' xmlns:a='a'><p:sp><p:ph type='sldNum'/><a:p><a:r><a:t>1</a:t>\
             </a:r></a:p></p:sp><p:sp><p:ph type='body'/><a:p><a:r><a:t>Say hello</a:t></a:r>\
             </a:p></p:sp></p:notes>",
        ),
    ])
}

/// An OpenDocument file with this content.
pub(super) fn open_document(content: &str) -> Vec<u8> {
    packed(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", "<manifest:manifest xmlns:manifest='m'/>"),
        ("meta.xml", "<m xmlns:meta='m'><meta:document-statistic meta:page-count='3'/></m>"),
        (
            "content.xml",
            &format!(
                "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:table='b' xmlns:draw='d' xmlns:presentation='p'><office:body>{content}</office:body></office:document-content>"
            ),
        ),
    ])
}

/// A book of a cover and two chapters.
pub(super) fn book() -> Vec<u8> {
    packed(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path='OEBPS/a.opf'/></rootfiles></container>",
        ),
        (
            "OEBPS/a.opf",
            "<package><manifest><item id='one' href='text/one%20.xhtml'/>\
             <item id='two' href='two.xhtml'/><item id='cover' href='cover.xhtml'/></manifest>\
             <spine><itemref idref='cover'/><itemref idref='one'/><itemref idref='two'/></spine>\
             </package>",
        ),
        ("OEBPS/cover.xhtml", "<html><body><img src='c.png'/></body></html>"),
        ("OEBPS/text/one .xhtml", "<html><body><h1>Departure</h1><p>It rained.</p></body></html>"),
        ("OEBPS/two.xhtml", "<html><head><title>Return</title></head><body>Sun.</body></html>"),
    ])
}
