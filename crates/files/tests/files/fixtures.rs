//! Files made byte by byte.

/// The head of a PNG of this size; its pixels are missing.
pub(crate) fn png_head(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend_from_slice(&width.to_be_bytes());
    bytes.extend_from_slice(&height.to_be_bytes());
    bytes.extend_from_slice(&[8, 2, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// A JPEG's head with EXIF: the camera's make and model, and when it was taken.
pub(crate) fn jpeg_with_exif(make: &str, model: &str, taken: &str) -> Vec<u8> {
    let texts = [(0x010fu16, make), (0x0110, model)];
    let mut tiff = b"MM\0\x2a\0\0\0\x08".to_vec();
    // Three entries: two texts and the way to the second table.
    let mut heap = 8 + 2 + 3 * 12 + 4;
    let mut directory = 3u16.to_be_bytes().to_vec();
    let mut data = Vec::new();
    for (tag, text) in texts {
        directory.extend(entry(tag, 2, text.len() as u32 + 1, heap as u32));
        data.extend_from_slice(text.as_bytes());
        data.push(0);
        heap += text.len() + 1;
    }
    directory.extend(entry(0x8769, 4, 1, heap as u32));
    directory.extend([0; 4]);
    tiff.extend(directory);
    tiff.extend(data);
    tiff.extend(1u16.to_be_bytes());
    tiff.extend(entry(0x9003, 2, taken.len() as u32 + 1, (heap + 2 + 12 + 4) as u32));
    tiff.extend([0; 4]);
    tiff.extend(taken.as_bytes());
    tiff.push(0);
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe1];
    bytes.extend(((tiff.len() + 8) as u16).to_be_bytes());
    bytes.extend(b"Exif\0\0");
    bytes.extend(tiff);
    // A frame of 32 by 16, one colour.
    bytes.extend([0xff, 0xc0, 0, 11, 8, 0, 16, 0, 32, 1, 1, 0x11, 0, 0xff, 0xd9]);
    bytes
}

fn entry(tag: u16, kind: u16, count: u32, value: u32) -> Vec<u8> {
    [&tag.to_be_bytes()[..], &kind.to_be_bytes(), &count.to_be_bytes(), &value.to_be_bytes()]
        .concat()
}

/// Silence as WAV: 8,000 samples a second, one channel, 16 bits.
pub(crate) fn wav(samples: u32) -> Vec<u8> {
    let data = samples * 2;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + data).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(8000u32.to_le_bytes());
    bytes.extend(16_000u32.to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend(data.to_le_bytes());
    bytes.extend(vec![0; data as usize]);
    bytes
}

/// A black-and-white picture (PGM) of a word, large enough to be read.
pub(crate) fn picture_of_plimsoll() -> Vec<u8> {
    // Five by seven dots a letter.
    const LETTERS: [(char, [u8; 7]); 6] = [
        ('P', [0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000]),
        ('L', [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111]),
        ('I', [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b11111]),
        ('M', [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001]),
        ('S', [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110]),
        ('O', [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110]),
    ];
    const DOT: usize = 6;
    let word: Vec<char> = "PLIMSOLL".chars().collect();
    let (width, height) = ((word.len() * 7 + 6) * DOT, 17 * DOT);
    let mut pixels = vec![255u8; width * height];
    for (at, letter) in word.iter().enumerate() {
        let (_, rows) = LETTERS.iter().find(|(name, _)| name == letter).unwrap();
        for (y, row) in rows.iter().enumerate() {
            for x in (0..5).filter(|x| row >> (4 - x) & 1 == 1) {
                for (dy, dx) in (0..DOT * DOT).map(|dot| (dot / DOT, dot % DOT)) {
                    pixels[((y + 5) * DOT + dy) * width + (at * 7 + x + 4) * DOT + dx] = 0;
                }
            }
        }
    }
    [format!("P5\n{width} {height}\n255\n").into_bytes(), pixels].concat()
}
