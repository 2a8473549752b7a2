//! What bytes are, told from how they begin (BLB-2).

use plimsoll_domain::FileKind;

/// How much of a stream's beginning is looked at, in bytes.
pub(crate) const LOOKED_AT: usize = 16 << 10;

/// A type of content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Type {
    /// What people call it, after "it is".
    pub(crate) said: &'static str,
    pub(crate) mime: &'static str,
    pub(crate) kind: FileKind,
    /// The endings that promise it, its own first.
    pub(crate) extensions: &'static [&'static str],
    /// Whether other formats are packed in it, each with an ending of its own.
    pub(crate) container: bool,
}

macro_rules! types {
    ($($name:ident = $said:literal, $mime:literal, $kind:ident, [$($extension:literal),*] $($container:ident)?;)+) => {
        $(pub(crate) const $name: Type = Type {
            said: $said,
            mime: $mime,
            kind: FileKind::$kind,
            extensions: &[$($extension),*],
            container: types!(@ $($container)?),
        };)+
        const ALL: &[&Type] = &[$(&$name),+];
    };
    (@) => { false };
    (@ container) => { true };
}

types! {
    PNG = "PNG", "image/png", Image, ["png", "apng"];
    JPEG = "JPEG", "image/jpeg", Image, ["jpg", "jpeg", "jpe", "jfif"];
    GIF = "GIF", "image/gif", Image, ["gif"];
    WEBP = "WebP", "image/webp", Image, ["webp"];
    BMP = "BMP", "image/bmp", Image, ["bmp", "dib"];
    TIFF = "TIFF", "image/tiff", Image, ["tiff", "tif"] container;
    ICO = "an icon", "image/x-icon", Image, ["ico", "cur"];
    AVIF = "AVIF", "image/avif", Image, ["avif"];
    HEIC = "HEIC", "image/heic", Image, ["heic", "heif"];
    PDF = "PDF", "application/pdf", Pdf, ["pdf"];
    DOCX = "a Word document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Document, ["docx"];
    XLSX = "an Excel workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Document, ["xlsx"];
    PPTX = "a PowerPoint presentation", "application/vnd.openxmlformats-officedocument.presentationml.presentation", Document, ["pptx"];
    ODT = "an OpenDocument text", "application/vnd.oasis.opendocument.text", Document, ["odt"];
    ODS = "an OpenDocument spreadsheet", "application/vnd.oasis.opendocument.spreadsheet", Document, ["ods"];
    ODP = "an OpenDocument presentation", "application/vnd.oasis.opendocument.presentation", Document, ["odp"];
    EPUB = "an EPUB book", "application/epub+zip", Document, ["epub"];
    ZIP = "a ZIP archive", "application/zip", Document, ["zip"] container;
    OLE = "an old or encrypted Office document", "application/x-ole-storage", Document, ["doc", "xls", "ppt"] container;
    GZIP = "a gzip archive", "application/gzip", Document, ["gz", "tgz"] container;
    BZIP2 = "a bzip2 archive", "application/x-bzip2", Document, ["bz2"] container;
    XZ = "an xz archive", "application/x-xz", Document, ["xz"] container;
    ZSTD = "a Zstandard archive", "application/zstd", Document, ["zst"] container;
    SEVEN_ZIP = "a 7z archive", "application/x-7z-compressed", Document, ["7z"] container;
    RAR = "a RAR archive", "application/vnd.rar", Document, ["rar"] container;
    TAR = "a tar archive", "application/x-tar", Document, ["tar"] container;
    SQLITE = "an SQLite database", "application/vnd.sqlite3", Document, ["sqlite", "sqlite3", "db"] container;
    RTF = "RTF", "application/rtf", Document, ["rtf"];
    PROGRAM = "a program", "application/octet-stream", Document, ["exe", "dll", "so"] container;
    MP3 = "MP3", "audio/mpeg", Audio, ["mp3"];
    WAV = "WAV", "audio/wav", Audio, ["wav"];
    FLAC = "FLAC", "audio/flac", Audio, ["flac"];
    AAC = "AAC", "audio/aac", Audio, ["aac"];
    AIFF = "AIFF", "audio/aiff", Audio, ["aiff", "aif"];
    M4A = "MPEG-4 sound", "audio/mp4", Audio, ["m4a", "m4b", "mp4"];
    VORBIS = "Ogg sound", "audio/ogg", Audio, ["ogg", "oga"];
    OPUS = "an Opus voice note", "audio/ogg", Voice, ["ogg", "opus", "oga"];
    AMR = "an AMR voice note", "audio/amr", Voice, ["amr"];
    MP4 = "MPEG-4 video", "video/mp4", Video, ["mp4", "m4v", "m4a", "mov", "3gp"];
    MOV = "QuickTime video", "video/quicktime", Video, ["mov", "qt", "mp4"];
    WEBM = "WebM", "video/webm", Video, ["webm", "weba"];
    MATROSKA = "Matroska video", "video/x-matroska", Video, ["mkv", "mka"];
    AVI = "AVI", "video/x-msvideo", Video, ["avi"];
    OGV = "Ogg video", "video/ogg", Video, ["ogv", "ogg"];
}

/// What an ending promises, if it promises a type that can be told by its bytes.
pub(crate) fn promised(extension: &str) -> Option<&'static Type> {
    ALL.iter().copied().find(|one| one.extensions.contains(&extension))
}

/// What a stream that begins so is; none for text and for what is not known. No text is
/// taken for anything else because of a few letters at its beginning.
pub(crate) fn sniff(head: &[u8]) -> Option<&'static Type> {
    MAGIC
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, found)| *found)
        .or_else(|| riff(head))
        .or_else(|| ogg(head))
        .or_else(|| zip(head))
        .or_else(|| boxes(head))
        .or_else(|| matroska(head))
        .or_else(|| weak(head))
}

/// Beginnings that say it all.
const MAGIC: &[(&[u8], &Type)] = &[
    (b"\x89PNG\r\n\x1a\n", &PNG),
    (b"\xff\xd8\xff", &JPEG),
    (b"GIF87a", &GIF),
    (b"GIF89a", &GIF),
    (b"II*\0", &TIFF),
    (b"MM\0*", &TIFF),
    (b"%PDF-", &PDF),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", &OLE),
    (b"\x1f\x8b\x08", &GZIP),
    (b"\xfd7zXZ\0", &XZ),
    (b"\x28\xb5\x2f\xfd", &ZSTD),
    (b"7z\xbc\xaf\x27\x1c", &SEVEN_ZIP),
    (b"Rar!\x1a\x07", &RAR),
    (b"SQLite format 3\0", &SQLITE),
    (b"{\\rtf1", &RTF),
    (b"\x7fELF", &PROGRAM),
    (b"\xcf\xfa\xed\xfe", &PROGRAM),
    (b"ID3\x02", &MP3),
    (b"ID3\x03", &MP3),
    (b"ID3\x04", &MP3),
    (b"fLaC\0", &FLAC),
    (b"#!AMR\n", &AMR),
    (b"#!AMR-WB\n", &AMR),
];

fn at<const N: usize>(head: &[u8], from: usize) -> Option<[u8; N]> {
    head.get(from..)?.first_chunk().copied()
}

fn riff(head: &[u8]) -> Option<&'static Type> {
    match (&at::<4>(head, 0)?, &at::<4>(head, 8)?) {
        (b"RIFF", b"WEBP") => Some(&WEBP),
        (b"RIFF", b"WAVE") => Some(&WAV),
        (b"RIFF", b"AVI ") => Some(&AVI),
        (b"FORM", b"AIFF" | b"AIFC") => Some(&AIFF),
        _ => None,
    }
}

/// What is in an Ogg stream stands in its first packet. Opus and Speex are how voice notes
/// are recorded.
fn ogg(head: &[u8]) -> Option<&'static Type> {
    if !head.starts_with(b"OggS\0") {
        return None;
    }
    let packet = head.get(28..).unwrap_or_default();
    Some(if packet.starts_with(b"OpusHead") || packet.starts_with(b"Speex   ") {
        &OPUS
    } else if packet.starts_with(b"\x80theora") {
        &OGV
    } else {
        &VORBIS
    })
}

/// Office documents are archives; the names of their first parts tell which.
fn zip(head: &[u8]) -> Option<&'static Type> {
    if head.starts_with(b"PK\x05\x06") {
        return Some(&ZIP);
    }
    if !head.starts_with(b"PK\x03\x04") {
        return None;
    }
    let declared = head.get(30..).and_then(|rest| rest.strip_prefix(b"mimetype"));
    if let Some(declared) = declared {
        let family = [&EPUB, &ODT, &ODS, &ODP];
        return family
            .into_iter()
            .find(|one| declared.starts_with(one.mime.as_bytes()))
            .or(Some(&ZIP));
    }
    let mut rest = head;
    while let Some(from) = rest.windows(4).position(|window| window == b"PK\x03\x04") {
        let name = rest.get(from + 30..).unwrap_or_default();
        for (prefix, found) in [(b"word/".as_slice(), &DOCX), (b"xl/", &XLSX), (b"ppt/", &PPTX)] {
            if name.starts_with(prefix) {
                return Some(found);
            }
        }
        rest = rest.get(from + 4..).unwrap_or_default();
    }
    Some(&ZIP)
}

/// The family of MPEG-4: the first box says who wrote it.
fn boxes(head: &[u8]) -> Option<&'static Type> {
    match &at::<4>(head, 4)? {
        b"ftyp" => Some(match &at::<4>(head, 8)? {
            b"M4A " | b"M4B " | b"F4A " => &M4A,
            b"qt  " => &MOV,
            b"avif" | b"avis" => &AVIF,
            b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"mif1" | b"msf1" => &HEIC,
            _ => &MP4,
        }),
        b"moov" | b"mdat" | b"wide" if head.first() == Some(&0) => Some(&MOV),
        _ => None,
    }
}

fn matroska(head: &[u8]) -> Option<&'static Type> {
    let rest = head.strip_prefix(b"\x1a\x45\xdf\xa3")?;
    let rest = rest.get(..rest.len().min(64)).unwrap_or_default();
    let webm = rest.windows(4).any(|window| window == b"webm");
    Some(if webm { &WEBM } else { &MATROSKA })
}

/// Beginnings so short that a text may have them too; more must fit.
fn weak(head: &[u8]) -> Option<&'static Type> {
    let bmp = head.starts_with(b"BM")
        && at::<4>(head, 6) == Some([0; 4])
        && at::<4>(head, 14).is_some_and(|size| {
            matches!(u32::from_le_bytes(size), 12 | 40 | 52 | 56 | 64 | 108 | 124)
        });
    if bmp {
        return Some(&BMP);
    }
    if matches!(at::<6>(head, 0), Some([0, 0, 1 | 2, 0, 1..=64, 0])) {
        return Some(&ICO);
    }
    let portable = head.starts_with(b"MZ")
        && at::<4>(head, 60)
            .and_then(|offset| usize::try_from(u32::from_le_bytes(offset)).ok())
            .and_then(|offset| at::<4>(head, offset))
            == Some(*b"PE\0\0");
    if portable {
        return Some(&PROGRAM);
    }
    if head.starts_with(b"BZh") && at::<6>(head, 4) == Some(*b"1AY&SY") {
        return Some(&BZIP2);
    }
    if at::<5>(head, 257) == Some(*b"ustar") && head.contains(&0) {
        return Some(&TAR);
    }
    frame(head)
}

/// Sound without a header begins with a frame of MPEG audio.
fn frame(head: &[u8]) -> Option<&'static Type> {
    let [sync, version, rate, _] = at::<4>(head, 0)?;
    if sync != 0xff || version & 0xe0 != 0xe0 || version & 0x18 == 0x08 {
        return None;
    }
    match (version >> 1) & 3 {
        1 if !matches!(rate >> 4, 0 | 15) && (rate >> 2) & 3 != 3 => Some(&MP3),
        0 if version & 0xf0 == 0xf0 => Some(&AAC),
        _ => None,
    }
}

/// Whether a text begins like a page: something that a browser would run.
pub(crate) fn begins_like_html(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let head: Vec<u8> = head.iter().take(16).map(u8::to_ascii_lowercase).collect();
    let marks: [&[u8]; 7] =
        [b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<iframe", b"<title"];
    marks.iter().any(|mark| head.starts_with(mark))
}
