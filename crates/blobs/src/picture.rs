//! Pictures: how large they are, and small ones of them (BLB-3). Nothing here trusts a file:
//! its size is read without unpacking it, and unpacking has bounds.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Cursor, Read, Seek},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::PoisonError,
};

use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, metadata::Orientation,
};

use crate::{
    BlobName, Blobs, Facts, ImageProblem,
    error::BlobError,
    sniff::{LOOKED_AT, sniff},
};

/// The largest width and height of a thumbnail.
pub const THUMBNAIL: (u32, u32) = (360, 220);

/// The most pixels of a picture that is unpacked.
pub const MOST_PIXELS: u64 = 100_000_000;

/// The most memory that unpacking one may take, and the largest file that is unpacked.
const MOST_MEMORY: u64 = 256 << 20;
const LARGEST_FILE: u64 = 128 << 20;

/// How much of a JPEG is searched for its size: its decoder reads all that it is given.
const JPEG_BEGINNING: u64 = 4 << 20;

/// The most memory that reading a size may take.
const MOST_FOR_A_SIZE: u64 = 32 << 20;

/// Adds to the facts how large a picture is, or why that cannot be told.
pub(crate) fn measure(file: &mut File, facts: &mut Facts) {
    let Some(format) = format_of(&facts.mime) else { return };
    if let Err(error) = file.rewind() {
        facts.broken_image = Some(error.to_string());
        return;
    }
    let measured = if format == ImageFormat::Jpeg {
        let mut beginning = Vec::new();
        let read = file.take(JPEG_BEGINNING).read_to_end(&mut beginning);
        read.map_err(ImageError::from)
            .map_err(|error| problem(&error))
            .and_then(|_| guarded(|| size(Cursor::new(beginning), format)))
    } else {
        guarded(|| size(BufReader::new(&*file), format))
    };
    match measured.and_then(|pixels| is_whole(file, format).map(|()| pixels)) {
        Ok(pixels) => facts.pixels = Some(pixels),
        Err(problem) => facts.broken_image = Some(problem.to_string()),
    }
}

/// Unpacks a picture once, to know that it is whole: one that ends too early begins like any
/// other, and nobody who gets it can show it.
fn is_whole(file: &mut File, format: ImageFormat) -> Result<(), ImageProblem> {
    let reading = |error: std::io::Error| problem(&ImageError::from(error));
    file.rewind().map_err(reading)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(reading)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(ImageProblem::TooMuchMemory);
    }
    guarded(|| unpacked(&bytes, format).map(drop))
}

/// The picture as PNG, which every provider takes.
pub fn as_png(bytes: &[u8]) -> Result<Vec<u8>, ImageProblem> {
    guarded(|| {
        let (mut picture, orientation) = unpacked(bytes, format_in(bytes)?)?;
        picture.apply_orientation(orientation);
        let mut png = Cursor::new(Vec::new());
        picture.write_to(&mut png, ImageFormat::Png).map_err(|error| problem(&error))?;
        Ok(png.into_inner())
    })
}

/// The formats that can be drawn here.
fn format_of(mime: &str) -> Option<ImageFormat> {
    match mime {
        "image/png" => Some(ImageFormat::Png),
        "image/jpeg" => Some(ImageFormat::Jpeg),
        "image/gif" => Some(ImageFormat::Gif),
        "image/webp" => Some(ImageFormat::WebP),
        "image/bmp" => Some(ImageFormat::Bmp),
        _ => None,
    }
}

fn size<R: BufRead + Seek>(reader: R, format: ImageFormat) -> Result<(u32, u32), ImageProblem> {
    let mut decoder = decoder(reader, format, MOST_FOR_A_SIZE)?;
    let (width, height) = decoder.dimensions();
    let turned = decoder.orientation().is_ok_and(lies_on_its_side);
    if width == 0 || height == 0 {
        return Err(ImageProblem::Damaged("it has no pixels".to_owned()));
    }
    Ok(if turned { (height, width) } else { (width, height) })
}

fn lies_on_its_side(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH)
}

fn decoder<'a, R: BufRead + Seek + 'a>(
    reader: R,
    format: ImageFormat,
    memory: u64,
) -> Result<impl ImageDecoder + 'a, ImageProblem> {
    let mut reader = ImageReader::with_format(reader, format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(memory);
    reader.limits(limits);
    reader.into_decoder().map_err(|error| problem(&error))
}

/// Unpacks a picture, upright, and makes it small.
pub(crate) fn small(bytes: &[u8]) -> Result<DynamicImage, ImageProblem> {
    let (picture, orientation) = unpacked(bytes, format_in(bytes)?)?;
    let (width, height) = (picture.width(), picture.height());
    // Turned last, when there is little left to turn.
    let (most_wide, most_high) =
        if lies_on_its_side(orientation) { (THUMBNAIL.1, THUMBNAIL.0) } else { THUMBNAIL };
    let mut picture = if width <= most_wide && height <= most_high {
        picture
    } else {
        picture.thumbnail(most_wide, most_high)
    };
    picture.apply_orientation(orientation);
    // Sixteen bits a colour are more than a thumbnail needs.
    Ok(if picture.color().has_alpha() {
        picture.into_rgba8().into()
    } else {
        picture.into_rgb8().into()
    })
}

fn format_in(bytes: &[u8]) -> Result<ImageFormat, ImageProblem> {
    let head = bytes.get(..bytes.len().min(LOOKED_AT)).unwrap_or_default();
    sniff(head).and_then(|found| format_of(found.mime)).ok_or(ImageProblem::NotAPicture)
}

/// The picture as it is kept, and how it is to be turned.
fn unpacked(
    bytes: &[u8],
    format: ImageFormat,
) -> Result<(DynamicImage, Orientation), ImageProblem> {
    let mut decoder = decoder(Cursor::new(bytes), format, MOST_MEMORY)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(ImageProblem::TooManyPixels { width, height });
    }
    if decoder.total_bytes() > MOST_MEMORY {
        return Err(ImageProblem::TooMuchMemory);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| problem(&error))?;
    Ok((picture, orientation))
}

/// A decoder that panics was given a damaged picture; that is no reason to fall over.
fn guarded<T>(work: impl FnOnce() -> Result<T, ImageProblem>) -> Result<T, ImageProblem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(ImageProblem::Damaged("the decoder could not make sense of it".to_owned()))
    })
}

fn problem(error: &ImageError) -> ImageProblem {
    match error {
        ImageError::Limits(_) => ImageProblem::TooMuchMemory,
        error => ImageProblem::Damaged(error.to_string()),
    }
}

impl Blobs {
    /// A small picture of a blob that is one, at most [`THUMBNAIL`] large, as PNG. It is made
    /// when it is first asked for, and again when it is gone.
    pub fn thumbnail(&self, name: &BlobName) -> Result<PathBuf, ImageProblem> {
        let path = self.thumbnail_path(name);
        let made = || fs::symlink_metadata(&path).is_ok_and(|made| made.is_file());
        if made() {
            return Ok(path);
        }
        let _one_at_a_time = self.shared.drawing.lock().unwrap_or_else(PoisonError::into_inner);
        if made() {
            return Ok(path);
        }
        let bytes = match self.read(name, LARGEST_FILE) {
            Err(BlobError::TooLarge { .. }) => return Err(ImageProblem::TooMuchMemory),
            bytes => bytes?,
        };
        let mut png = Cursor::new(Vec::new());
        guarded(|| {
            let picture = small(&bytes)?;
            picture.write_to(&mut png, ImageFormat::Png).map_err(|error| problem(&error))
        })?;
        self.write_derived(&path, png.get_ref())?;
        Ok(path)
    }

    /// Where the thumbnail of a blob is, if it was made.
    pub(crate) fn thumbnail_path(&self, name: &BlobName) -> PathBuf {
        let (width, height) = THUMBNAIL;
        self.shared.derived.join(format!("{}-{width}x{height}.png", name.hash()))
    }
}
