//! The six numbers by which a PDF moves, turns and stretches what it draws.

/// `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
    e: f32,
    f: f32,
}

impl Matrix {
    pub(super) const UNCHANGED: Self = Self::of([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) const fn of([a, b, c, d, e, f]: [f32; 6]) -> Self {
        Self { a, b, c, d, e, f }
    }

    pub(super) fn moved(x: f32, y: f32) -> Self {
        Self { e: x, f: y, ..Self::UNCHANGED }
    }

    /// First this, then the other.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            a: self.a * next.a + self.b * next.c,
            b: self.a * next.b + self.b * next.d,
            c: self.c * next.a + self.d * next.c,
            d: self.c * next.b + self.d * next.d,
            e: self.e * next.a + self.f * next.c + next.e,
            f: self.e * next.b + self.f * next.d + next.f,
        }
    }

    pub(super) fn point(self, x: f32, y: f32) -> (f32, f32) {
        (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)
    }

    /// Where a step to the right leads, as a vector of length one.
    pub(super) fn direction(self) -> (f32, f32) {
        match self.a.hypot(self.b) {
            length if length.is_finite() && length > 0.0 => (self.a / length, self.b / length),
            _ => (1.0, 0.0),
        }
    }

    /// How much higher things become.
    pub(super) fn height(self) -> f32 {
        self.c.hypot(self.d)
    }
}
