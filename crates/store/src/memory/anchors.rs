//! What a note names of its project (MEM-15).

/// A file, a symbol of a file or a commit, with what it was like when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its name, such as `src/auth.rs`, `src/auth.rs#renew` or `commit:1f3c9a2`. It has no line
    /// break.
    pub target: String,
    /// None where nobody could look.
    pub state: Option<AnchorState>,
}

/// What something was like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorState {
    /// The hash of what the anchor names. It has no blank.
    pub hash: String,
    /// The size of the file; whoever finds size and time as they were need not read it.
    pub size: u64,
    /// When the file was last changed, in nanoseconds since 1970.
    pub changed: i64,
}

impl Anchor {
    /// The most that one note names.
    pub const MOST: usize = 20;

    /// Whether both name the same and saw the same there.
    pub fn is_like(&self, other: &Self) -> bool {
        let seen = |anchor: &Self| anchor.state.as_ref().map(|state| state.essence().to_owned());
        self.target == other.target && seen(self) == seen(other)
    }
}

impl AnchorState {
    /// The hash without what differs from one look to the next: of a commit only how it stands
    /// matters, not where HEAD was when somebody asked.
    pub fn essence(&self) -> &str {
        self.hash.split_once(':').map_or(&self.hash, |(standing, _)| standing)
    }
}
