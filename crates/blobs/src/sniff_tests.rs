//! What bytes are, and what is said when their name claims something else.

use plimsoll_domain::{ContextKind, FileKind};

use crate::{facts::tell, sniff::sniff};

fn check(
    name: &str,
    bytes: &[u8],
    mime: &str,
    kind: FileKind,
    extension: &str,
    wrong: Option<&str>,
) {
    let utf8 = std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0);
    let (facts, found) = tell(name, bytes, utf8);
    let told = (facts.mime.as_str(), facts.kind, found.as_str(), facts.mismatch.as_deref());
    assert_eq!(told, (mime, kind, extension, wrong), "{name}");
}

fn ogg(packet: &[u8]) -> Vec<u8> {
    [b"OggS\0\x02".as_slice(), &[0; 22], packet].concat()
}

fn archive(names: &[&str]) -> Vec<u8> {
    let part =
        |name: &&str| [b"PK\x03\x04".as_slice(), &[0; 26], name.as_bytes(), b"\x01\x02"].concat();
    names.iter().flat_map(part).collect()
}

#[test]
fn blb_2_content_is_told_from_bytes() {
    use FileKind::{Audio, Document, Image, Pdf, Video, Voice};
    check("a.png", b"\x89PNG\r\n\x1a\n", "image/png", Image, "png", None);
    check("a.JPEG", b"\xff\xd8\xff\xe1", "image/jpeg", Image, "jpeg", None);
    check("", b"GIF89a\x01", "image/gif", Image, "gif", None);
    check("a", b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp", Image, "webp", None);
    check("a.tif", b"II*\0\x08", "image/tiff", Image, "tif", None);
    check("a.dng", b"II*\0\x08", "image/tiff", Image, "dng", None);
    check("a.ico", &[0, 0, 1, 0, 1, 0, 16], "image/x-icon", Image, "ico", None);
    check("a.pdf", b"%PDF-1.7\n", "application/pdf", Pdf, "pdf", None);
    check("a.zip", &archive(&["x.txt"]), "application/zip", Document, "zip", None);
    check("a.jar", &archive(&["META-INF/"]), "application/zip", Document, "jar", None);
    let word = archive(&["[Content_Types].xml", "_rels/.rels", "word/document.xml"]);
    let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    check("a.docx", &word, docx, Document, "docx", None);
    check("a", &word, docx, Document, "docx", None);
    check("a.docx", &archive(&["[Content_Types].xml"]), docx, Document, "docx", None);
    check("a.tar.gz", b"\x1f\x8b\x08\0", "application/gzip", Document, "gz", None);
    check("a.mp3", b"ID3\x04\0", "audio/mpeg", Audio, "mp3", None);
    check("a.mp3", &[0xff, 0xfb, 0x90, 0x64], "audio/mpeg", Audio, "mp3", None);
    check("a.wav", b"RIFF\x01\x02\x03\x04WAVEfmt ", "audio/wav", Audio, "wav", None);
    check("a.flac", b"fLaC\0", "audio/flac", Audio, "flac", None);
    check("a.ogg", &ogg(b"OpusHead"), "audio/ogg", Voice, "ogg", None);
    check("a.ogg", &ogg(b"\x01vorbis"), "audio/ogg", Audio, "ogg", None);
    check("a.m4a", b"\0\0\0\x20ftypM4A \0", "audio/mp4", Audio, "m4a", None);
    check("a.mp4", b"\0\0\0\x20ftypisom\0", "video/mp4", Video, "mp4", None);
    check("a.mov", b"\0\0\0\x14ftypqt  \0", "video/quicktime", Video, "mov", None);
    check("a.webm", b"\x1a\x45\xdf\xa3\x01\x42\x82\x84webm", "video/webm", Video, "webm", None);
}

#[test]
fn blb_2_content_wins_over_the_name_and_it_is_said() {
    use FileKind::{Document, Image, Pdf};
    let html = b"\n <!DOCTYPE html><script>alert(1)</script>";
    check(
        "photo.png",
        html,
        "text/html",
        Document,
        "html",
        Some("named photo.png, but it is HTML"),
    );
    check("a.pdf", b"hello", "text/plain", Document, "txt", Some("named a.pdf, but it is text"));
    check("a.txt", b"%PDF-1.4", "application/pdf", Pdf, "pdf", Some("named a.txt, but it is PDF"));
    check(
        "a.jpg",
        b"\x89PNG\r\n\x1a\n",
        "image/png",
        Image,
        "png",
        Some("named a.jpg, but it is PNG"),
    );
    check(
        "Makefile",
        b"\x89PNG\r\n\x1a\n",
        "image/png",
        Image,
        "png",
        Some("named Makefile, but it is PNG"),
    );
    let zip = archive(&["x.txt"]);
    check(
        "a.docx",
        &zip,
        "application/zip",
        Document,
        "zip",
        Some("named a.docx, but it is a ZIP archive"),
    );
    let unknown = "application/octet-stream";
    check("a.png", &[0xfe; 40], unknown, Document, "bin", Some("named a.png, but it is not PNG"));
    check("a.png", b"", unknown, Document, "bin", Some("named a.png, but it is empty"));
    check(
        "a.md",
        b"caf\xe9",
        unknown,
        Document,
        "md",
        Some("named a.md, but it is not text in UTF-8 or marked UTF-16"),
    );
    check(
        "a.pdf",
        b"\x7fELF\x02",
        unknown,
        Document,
        "exe",
        Some("named a.pdf, but it is a program"),
    );
    check("a.foo", b"\x89PNG\r\n\x1a\n", "image/png", Image, "png", None);
    check("a.foo", b"\x01\xff", unknown, Document, "foo", None);
}

#[test]
fn svg_is_text_and_never_a_picture() {
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>";
    let (facts, extension) = tell("a.svg", svg, true);
    assert_eq!((facts.mime.as_str(), extension.as_str(), facts.is_text), ("text/xml", "svg", true));
    assert_eq!(facts.context_kind(), ContextKind::Text);
    let (facts, _) = tell("a.png", svg, true);
    assert_eq!((facts.mime.as_str(), facts.context_kind()), ("text/plain", ContextKind::Text));
}

#[test]
fn no_text_is_taken_for_a_picture_because_of_its_first_letters() {
    for text in
        ["BM is a car", "MZ", "ID3 tags", "Rar!", "OggS", "RIFF is a format WEBP", "moov", "7z"]
    {
        assert_eq!(sniff(text.as_bytes()), None, "{text}");
        assert!(tell("a.txt", text.as_bytes(), true).0.is_text, "{text}");
    }
}

#[test]
fn a_secret_dotfile_is_no_text_for_a_message() {
    let (facts, extension) = tell(".env", b"KEY=1", true);
    assert_eq!((facts.is_text, extension.as_str()), (false, "txt"));
    assert_eq!(facts.context_kind(), ContextKind::File);
}
