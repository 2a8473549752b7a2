//! Pieces of an answer that arrive together are one piece: whoever watches has less to do,
//! and nobody sees a difference.

use std::task::{Poll, ready};

use futures_util::{Stream, StreamExt, stream};
use plimsoll_provider::{AnswerStream, Delta, ProviderFailure};

/// A piece of so many bytes is long enough.
const LONG: usize = 4096;

type Piece = Result<Delta, ProviderFailure>;

/// The answer, with texts joined that are there at the same time.
pub(crate) fn joined(answer: AnswerStream) -> impl Stream<Item = Piece> + Send + Unpin {
    let mut answer = answer.fuse();
    // What was looked at and does not belong to the piece before it.
    let mut ahead: Option<Piece> = None;
    stream::poll_fn(move |context| {
        let mut piece = match ahead.take() {
            Some(piece) => piece,
            None => match ready!(answer.poll_next_unpin(context)) {
                Some(piece) => piece,
                None => return Poll::Ready(None),
            },
        };
        while wants_more(&piece)
            && let Poll::Ready(Some(next)) = answer.poll_next_unpin(context)
        {
            ahead = join(&mut piece, next);
            if ahead.is_some() {
                break;
            }
        }
        Poll::Ready(Some(piece))
    })
}

fn wants_more(piece: &Piece) -> bool {
    matches!(piece, Ok(Delta::Text(text) | Delta::Reasoning(text)) if text.len() < LONG)
}

/// Adds a piece to the one before it; gives it back where it is of another kind.
fn join(piece: &mut Piece, next: Piece) -> Option<Piece> {
    match (piece, next) {
        (Ok(Delta::Text(text)), Ok(Delta::Text(more)))
        | (Ok(Delta::Reasoning(text)), Ok(Delta::Reasoning(more))) => {
            text.push_str(&more);
            None
        }
        (_, next) => Some(next),
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use proptest::prelude::*;

    use super::*;

    fn piece() -> impl Strategy<Value = Delta> {
        prop_oneof![
            "[a-c]{0,3}".prop_map(Delta::Text),
            "[x-z]{0,3}".prop_map(Delta::Reasoning),
            Just(Delta::Loading),
        ]
    }

    /// One character after the other, and what kind it is of.
    fn flat(pieces: &[Delta]) -> Vec<String> {
        let parts = pieces.iter().flat_map(|piece| match piece {
            Delta::Text(text) | Delta::Reasoning(text) => {
                text.chars().map(String::from).collect::<Vec<_>>()
            }
            other => vec![format!("{other:?}")],
        });
        parts.collect()
    }

    proptest! {
        /// Nothing is lost, doubled or turned round.
        #[test]
        fn joining_changes_nothing_but_the_seams(
            pieces in prop::collection::vec(piece(), 0..200),
        ) {
            let given = stream::iter(pieces.clone().into_iter().map(Ok)).boxed();
            let all = joined(given).collect::<Vec<_>>().now_or_never().unwrap();
            let all: Vec<Delta> = all.into_iter().map(Result::unwrap).collect();
            prop_assert_eq!(flat(&all), flat(&pieces));
        }
    }

    #[tokio::test]
    async fn what_is_there_is_told_and_not_kept_for_what_may_come() {
        let said = |text: &str| Ok(Delta::Text(text.to_owned()));
        let slow = stream::iter([said("a"), said("b")]).chain(stream::pending()).boxed();
        let mut slow = joined(slow);
        assert_eq!(slow.next().await.unwrap().unwrap(), Delta::Text("ab".to_owned()));
        assert!(slow.next().now_or_never().is_none());
        let broken = stream::iter([said("a"), Err(ProviderFailure::default()), said("b")]).boxed();
        let all: Vec<Piece> = joined(broken).collect().await;
        assert_eq!((all.len(), all[1].is_err()), (3, true));
    }
}
