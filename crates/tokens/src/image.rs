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
}

impl ImagePricing {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// The name used in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The pricing with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pricing| pricing.name() == name)
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
        ImagePricing::OpenAi => openai(width, height),
        ImagePricing::Anthropic => anthropic(width, height),
        ImagePricing::Gemini => gemini(width, height),
    }
}

fn openai(width: f64, height: f64) -> u64 {
    let into_square = (2048.0 / width.max(height)).min(1.0);
    let short_side = width.min(height) * into_square;
    let scale = into_square * (768.0 / short_side).min(1.0);
    // The provider works in whole pixels.
    let tiles = |side: f64| ((side * scale).round() / 512.0).ceil().max(1.0);
    85 + 170 * (tiles(width) * tiles(height)) as u64
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
        for pricing in ImagePricing::ALL {
            assert!(image_tokens(pricing, 0, 0) > 0);
            assert!(image_tokens(pricing, u32::MAX, 1) > 0);
            assert_eq!(ImagePricing::parse(pricing.name()), Some(pricing));
        }
    }
}
