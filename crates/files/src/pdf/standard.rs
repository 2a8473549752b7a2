//! How wide the letters of the fonts are that every reader of PDFs has, so that files need not
//! say it: Courier, Helvetica and Times.

use std::collections::HashMap;

/// From the space to the tilde, in thousandths of the letters' size.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];

const COURIER: [u16; 95] = [600; 95];

/// The widths of a font with this name by code; none if it is not one of them. Bold and slanted
/// letters are a little wider or narrower, by less than a space is missed for.
pub(super) fn widths(name: &[u8]) -> HashMap<u32, f32> {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let widths = match () {
        () if name.contains("courier") => &COURIER,
        () if name.contains("helvetica") || name.contains("arial") => &HELVETICA,
        () if name.contains("times") => &TIMES,
        () => return HashMap::new(),
    };
    (32..).zip(widths.iter().map(|width| f32::from(*width) / 1000.0)).collect()
}
