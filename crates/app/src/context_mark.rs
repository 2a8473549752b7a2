//! Where the context begins (UI-17): kept with the conversation, or with the workspace for those who
//! look at everything; obeyed by everything that sends.

use plimsoll_domain::{ContextMark, PairId, Timestamp, TopicId};
use plimsoll_store::Workspace;

use crate::{App, AppError, Progress, history::rows_within, workspace_view::key_of};

/// Where somebody wants the context to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextFrom {
    /// Wherever the prediction says.
    Prediction,
    With(PairId),
    Behind(PairId),
    /// Behind the newest pair, so that a new context grows from there.
    Now,
}

/// What stands before the id of a mark behind a pair.
const BEHIND: &str = "after:";
/// The word for [`ContextFrom::Now`].
const NOW: &str = "end";

impl ContextFrom {
    /// Reads what [`tell`] writes; `end` is behind the newest pair, and nothing at all is the
    /// prediction.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "" => Some(Self::Prediction),
            NOW => Some(Self::Now),
            text => match text.strip_prefix(BEHIND) {
                Some(id) => PairId::parse(id).map(Self::Behind),
                None => PairId::parse(text).map(Self::With),
            },
        }
    }
}

/// A mark as surfaces tell it: the id of the first pair of the context, or `after:` and the
/// id of the last one before it.
pub fn tell(mark: &ContextMark) -> String {
    format!("{}{}", if mark.after { BEHIND } else { "" }, mark.pair)
}

fn key(workspace: &Workspace, within: Option<TopicId>) -> String {
    key_of("contextFrom", workspace, within)
}

/// A mark as it is kept: the time orders it even when its pair is gone.
fn write(mark: &ContextMark) -> String {
    format!("{} {}", mark.created_at.millis(), tell(mark))
}

fn read(kept: &str) -> Option<ContextMark> {
    let (millis, place) = kept.split_once(' ')?;
    let created_at = Timestamp::from_millis(millis.parse().ok()?);
    match ContextFrom::parse(place)? {
        ContextFrom::With(pair) => Some(ContextMark { created_at, pair, after: false }),
        ContextFrom::Behind(pair) => Some(ContextMark { created_at, pair, after: true }),
        ContextFrom::Prediction | ContextFrom::Now => None,
    }
}

impl App {
    /// Where the context of a conversation or of a workspace begins, if somebody said so.
    pub async fn context_mark(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
    ) -> Result<Option<ContextMark>, AppError> {
        let kept = self.store.value(&key(workspace, within)).await?;
        Ok(kept.as_deref().and_then(read))
    }

    /// Says where the context begins from now on, and gives the mark.
    pub async fn set_context_from(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
        from: ContextFrom,
    ) -> Result<Option<ContextMark>, AppError> {
        let (id, after) = match from {
            ContextFrom::Prediction => (None, false),
            ContextFrom::With(id) => (Some(id), false),
            ContextFrom::Behind(id) => (Some(id), true),
            ContextFrom::Now => {
                let rows = rows_within(&*self.store, workspace, within).await?;
                (rows.last().map(|newest| newest.id), true)
            }
        };
        let mark = match id {
            None => None,
            Some(id) => {
                let created_at = self.store.get(id).await?.pair.created_at;
                Some(ContextMark { created_at, pair: id, after })
            }
        };
        self.set_context_mark(workspace, within, mark).await?;
        Ok(mark)
    }

    /// Puts the mark where it stood before.
    pub async fn set_context_mark(
        &self,
        workspace: &Workspace,
        within: Option<TopicId>,
        mark: Option<ContextMark>,
    ) -> Result<(), AppError> {
        let kept = mark.as_ref().map(write);
        let key = key(workspace, within);
        self.store.put_context_mark(workspace, &key, kept.as_deref()).await?;
        self.events.publish(workspace, Progress::ContextFrom);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_17_a_mark_is_read_as_it_was_written() {
        let pair = PairId::new(Timestamp::from_millis(9), [3; 10]);
        for after in [false, true] {
            let mark = ContextMark { created_at: Timestamp::from_millis(-4), pair, after };
            assert_eq!(read(&write(&mark)), Some(mark));
        }
        for broken in ["", "7", "x after:y", "7 end"] {
            assert_eq!(read(broken), None, "{broken}");
        }
        assert_eq!(ContextFrom::parse(" "), Some(ContextFrom::Prediction));
        assert_eq!(ContextFrom::parse("end"), Some(ContextFrom::Now));
        assert_eq!(ContextFrom::parse("nobody"), None);
    }
}
