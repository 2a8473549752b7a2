//! What a picture costs, by the way its provider charges (EST-5).

/// How a provider charges for pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImagePricing {
    /// 85, and 170 for each tile of 512 px after scaling into 2048 px and the
    /// shorter side to 768 px.
    OpenAi,
    /// Pixels by 750, after scaling the longer side to 1568 px.
    Anthropic,
    /// 258 for each tile of 768 px; a picture of at most 384 px is one tile.
    Gemini,
    /// As OpenAI's tiles, with other numbers for the whole and for each tile.
    Tiles {
        /// For the picture.
        base: u32,
        /// For each tile.
        tile: u32,
    },
    /// For each patch of 32 px, of which there are at most 1,536 after scaling, so many
    /// hundredths of a token.
    Patches { hundredths: u32 },
}

/// The most patches of a picture.
const MOST_PATCHES: f64 = 1536.0;

impl ImagePricing {
    /// The names that the catalog takes.
    pub const NAMES: [&str; 5] = ["openai", "anthropic", "gemini", "tiles:85+170", "patches:1.62"];

    /// The name used in the catalog.
    pub fn name(self) -> String {
        match self {
            Self::OpenAi => "openai".to_owned(),
            Self::Anthropic => "anthropic".to_owned(),
            Self::Gemini => "gemini".to_owned(),
            Self::Tiles { base, tile } => format!("tiles:{base}+{tile}"),
            Self::Patches { hundredths } => {
                format!("patches:{}.{:02}", hundredths / 100, hundredths % 100)
            }
        }
    }

    /// The pricing with this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "openai" => return Some(Self::OpenAi),
            "anthropic" => return Some(Self::Anthropic),
            "gemini" => return Some(Self::Gemini),
            _ => {}
        }
        if let Some(numbers) = name.strip_prefix("tiles:") {
            let (base, tile) = numbers.split_once('+')?;
            return Some(Self::Tiles { base: base.parse().ok()?, tile: tile.parse().ok()? });
        }
        let factor: f64 = name.strip_prefix("patches:")?.parse().ok()?;
        let sane = factor.is_finite() && (0.01..=100.0).contains(&factor);
        sane.then(|| Self::Patches { hundredths: (factor * 100.0).round() as u32 })
    }
}

/// The tokens of a picture of this size. A picture whose size is unknown (0) costs
/// what the largest one does: an unknown cost is never 0.
pub fn image_tokens(pricing: ImagePricing, width: u32, height: u32) -> u64 {
    let (width, height) = match (width, height) {
        (0, _) | (_, 0) => (2048.0, 2048.0),
        (width, height) => (f64::from(width), f64::from(height)),
    };
    match pricing {
        ImagePricing::OpenAi => tiles(width, height, 85, 170),
        ImagePricing::Tiles { base, tile } => tiles(width, height, base, tile),
        ImagePricing::Patches { hundredths } => patches(width, height, hundredths),
        ImagePricing::Anthropic => anthropic(width, height),
        ImagePricing::Gemini => gemini(width, height),
    }
}

fn tiles(width: f64, height: f64, base: u32, tile: u32) -> u64 {
    let into_square = (2048.0 / width.max(height)).min(1.0);
    let short_side = width.min(height) * into_square;
    let scale = into_square * (768.0 / short_side).min(1.0);
    // The provider works in whole pixels.
    let tiles = |side: f64| ((side * scale).round() / 512.0).ceil().max(1.0);
    u64::from(base) + u64::from(tile) * (tiles(width) * tiles(height)) as u64
}

/// A picture that has too many patches is made smaller until they fit; how the provider
/// rounds then is not told, and it was seen to charge for all of them.
fn patches(width: f64, height: f64, hundredths: u32) -> u64 {
    let count = ((width / 32.0).ceil() * (height / 32.0).ceil()).min(MOST_PATCHES);
    (count * f64::from(hundredths) / 100.0).ceil().max(1.0) as u64
}

fn anthropic(width: f64, height: f64) -> u64 {
    let scale = (1568.0 / width.max(height)).min(1.0);
    ((width * scale) * (height * scale) / 750.0).ceil().max(1.0) as u64
}

fn gemini(width: f64, height: f64) -> u64 {
    if width <= 384.0 && height <= 384.0 {
        return 258;
    }
    let unit = (width.min(height) / 1.5).floor().clamp(256.0, 768.0);
    let tiles = (width / unit).ceil() * (height / unit).ceil();
    258 * tiles as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn est_5_known_prices() {
        use ImagePricing::*;
        for (pricing, width, height, tokens) in [
            (OpenAi, 512, 512, 255),
            (OpenAi, 1024, 1024, 765),
            (OpenAi, 2048, 4096, 1105),
            (OpenAi, 1, 1, 255),
            (Anthropic, 750, 1000, 1000),
            (Anthropic, 1568, 1568, 3279),
            (Anthropic, 4000, 4000, 3279),
            (Anthropic, 1, 1, 1),
            (Gemini, 384, 384, 258),
            (Gemini, 768, 768, 1032),
            (Gemini, 960, 540, 1548),
            (Tiles { base: 2833, tile: 5667 }, 1024, 1024, 25_501),
            (Patches { hundredths: 162 }, 1024, 1024, 1659),
            (Patches { hundredths: 162 }, 4000, 1474, 2489),
            (Patches { hundredths: 120 }, 512, 512, 308),
        ] {
            assert_eq!(
                image_tokens(pricing, width, height),
                tokens,
                "{pricing:?} {width}x{height}"
            );
        }
    }

    #[test]
    fn an_unknown_size_is_never_free() {
        for name in ImagePricing::NAMES {
            let pricing = ImagePricing::parse(name).unwrap();
            assert!(image_tokens(pricing, 0, 0) > 0);
            assert!(image_tokens(pricing, u32::MAX, 1) > 0);
            assert_eq!(pricing.name(), name);
        }
        for wrong in ["", "tiles", "tiles:1", "patches:", "patches:NaN", "patches:-1", "patches:0"]
        {
            assert_eq!(ImagePricing::parse(wrong), None, "{wrong}");
        }
    }
}
