//! Reading the bodies of clients: packed or not, within bounds while they are read (GWY-15).

use std::{io::Read, sync::Arc};

use axum::{body::Body, extract::Request, http::header};
use futures_util::StreamExt;
use plimsoll_gateway::{Problem, Refusal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Web;

/// So many of the largest bodies have room at the same time.
const LARGEST_AT_ONCE: u64 = 4;
const KILO: usize = 1024;
/// As much is unpacked at a time.
const STEP: u64 = 256 << 10;

/// The memory that bodies may take together, in kilobytes.
#[derive(Clone)]
pub(crate) struct BodyRoom(Arc<Semaphore>);

impl BodyRoom {
    pub(crate) fn new(largest: u64) -> Self {
        let kilos = largest.saturating_mul(LARGEST_AT_ONCE) / KILO as u64;
        let kilos = usize::try_from(kilos).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(kilos.max(1))))
    }

    fn take(&self, held: &mut Held, bytes: usize) -> Result<(), Problem> {
        let wanted = bytes.div_ceil(KILO);
        let more =
            wanted.saturating_sub(held.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
        if more == 0 {
            return Ok(());
        }
        let permits = u32::try_from(more).map_err(|_| busy())?;
        let taken = Arc::clone(&self.0).try_acquire_many_owned(permits).map_err(|_| busy())?;
        match &mut held.0 {
            Some(held) => held.merge(taken),
            None => held.0 = Some(taken),
        }
        Ok(())
    }
}

fn busy() -> Problem {
    Problem::Overloaded("too many large requests are being read; try again shortly".to_owned())
}

/// The room that a body takes, for as long as this is kept.
#[derive(Default)]
pub(super) struct Held(Option<OwnedSemaphorePermit>);

/// How a body is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    No,
    Gzip,
    Zstd,
}

fn packed(request: &Request) -> Result<Packing, Problem> {
    let encoding = request.headers().get(header::CONTENT_ENCODING);
    match encoding.map(|value| value.to_str().unwrap_or("?").trim().to_ascii_lowercase()) {
        None => Ok(Packing::No),
        Some(name) => match name.as_str() {
            "" | "identity" => Ok(Packing::No),
            "gzip" | "x-gzip" => Ok(Packing::Gzip),
            "zstd" => Ok(Packing::Zstd),
            _ => {
                let words = format!("bodies packed as {name} are not read here; gzip and zstd are");
                Err(Problem::Refused(Refusal::of("content-encoding", words)))
            }
        },
    }
}

/// The bytes of a body.
pub(super) async fn read_bytes(web: &Web, request: Request) -> Result<(Vec<u8>, Held), Problem> {
    let packed = packed(&request)?;
    let most = usize::try_from(web.app.settings().gateway_body_limit()).unwrap_or(usize::MAX);
    let mut held = Held::default();
    let told = request.headers().get(header::CONTENT_LENGTH);
    let told = told.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if told.is_some_and(|told| told > most) {
        return Err(Problem::BodyTooLarge { most: most as u64 });
    }
    let came = read_all(web, request.into_body(), most, &mut held).await?;
    let bytes = match packed {
        Packing::No => came,
        _ => {
            let (room, mut unpacking) = (web.body_room.clone(), Held::default());
            let work = move || {
                let bytes = unpack(packed, &came, most, |size| room.take(&mut unpacking, size))?;
                Ok::<_, Problem>((bytes, unpacking))
            };
            let unpacked = tokio::task::spawn_blocking(work).await;
            let unpacked = unpacked.map_err(|error| Problem::Upstream(error.to_string()))?;
            let (bytes, unpacking) = unpacked?;
            held = unpacking;
            bytes
        }
    };
    Ok((bytes, held))
}

async fn read_all(web: &Web, body: Body, most: usize, held: &mut Held) -> Result<Vec<u8>, Problem> {
    let mut all = Vec::new();
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece
            .map_err(|_| Problem::Refused(Refusal::whole("the body broke off before its end")))?;
        if all.len() + piece.len() > most {
            return Err(Problem::BodyTooLarge { most: most as u64 });
        }
        web.body_room.take(held, all.len() + piece.len())?;
        all.extend_from_slice(&piece);
    }
    Ok(all)
}

/// No more is unpacked than may be read, and only while there is room for it.
fn unpack(
    packed: Packing,
    bytes: &[u8],
    most: usize,
    mut room: impl FnMut(usize) -> Result<(), Problem>,
) -> Result<Vec<u8>, Problem> {
    let wrong = |error: String| {
        let words = format!("the body cannot be unpacked: {error}");
        Problem::Refused(Refusal::of("content-encoding", words))
    };
    let mut reader: Box<dyn Read + '_> = match packed {
        Packing::No => Box::new(bytes),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        Packing::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
            Box::new(decoder.map_err(|error| wrong(error.to_string()))?)
        }
    };
    let mut all = Vec::new();
    loop {
        let before = all.len();
        let step = reader.by_ref().take(STEP).read_to_end(&mut all);
        step.map_err(|error| wrong(error.to_string()))?;
        if all.len() > most {
            return Err(Problem::BodyTooLarge { most: most as u64 });
        }
        if all.len() == before {
            return Ok(all);
        }
        room(all.len())?;
    }
}

/// The text of a body of JSON.
pub(super) async fn read_text(web: &Web, request: Request) -> Result<(String, Held), Problem> {
    let (bytes, held) = read_bytes(web, request).await?;
    // Some clients send nothing where they have nothing to say.
    let bytes = if bytes.is_empty() { b"{}".to_vec() } else { bytes };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::Refused(Refusal::whole(format!("the body is not UTF-8, from byte {at} on")))
    })?;
    if !plimsoll_domain::json_is_bounded(text.as_bytes()) {
        return Err(Problem::Refused(Refusal::whole("the body holds too many values")));
    }
    Ok((text, held))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gwy_15_a_packed_body_is_bounded_by_what_it_unpacks_to() {
        let text = vec![b'a'; 1 << 20];
        let zstd = ruzstd::encoding::compress_to_vec(
            &text[..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        for (packed, bytes) in [(Packing::Gzip, gzip(&text)), (Packing::Zstd, zstd)] {
            assert!(bytes.len() < 1 << 14);
            assert_eq!(unpack(packed, &bytes, 1 << 20, |_| Ok(())).unwrap(), text);
            let over = unpack(packed, &bytes, (1 << 20) - 1, |_| Ok(())).unwrap_err();
            assert_eq!(over, Problem::BodyTooLarge { most: (1 << 20) - 1 });
            let cut = unpack(packed, &bytes[..bytes.len() / 2], 1 << 20, |_| Ok(())).unwrap_err();
            assert!(matches!(cut, Problem::Refused(_)), "{cut:?}");
            assert!(unpack(packed, b"neither", 100, |_| Ok(())).is_err());
        }
    }

    #[test]
    fn rel_7_bodies_share_a_bound() {
        let room = BodyRoom::new(1 << 20);
        let (mut one, mut other) = (Held::default(), Held::default());
        room.take(&mut one, 3 << 20).unwrap();
        room.take(&mut one, 2 << 20).unwrap();
        room.take(&mut other, 1 << 20).unwrap();
        assert!(matches!(room.take(&mut other, (1 << 20) + 1), Err(Problem::Overloaded(_))));
        drop(one);
        room.take(&mut other, 4 << 20).unwrap();
    }
}
