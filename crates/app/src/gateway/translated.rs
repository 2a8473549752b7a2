//! Answers of providers that speak another protocol than the client (GWY-4).

use futures_util::{StreamExt, stream, stream::BoxStream};
use plimsoll_domain::Protocol;
use plimsoll_fault::ProviderFailure;
use plimsoll_gateway::{AnswerWriter, Problem};
use plimsoll_provider::{AnswerStream, Delta};
use plimsoll_send::Stage;

use super::{AnswerBody, CallHead, CallRefused, ClientAnswer, answers::CallLog};

/// An answer that has begun, in another protocol.
pub(super) struct Asked {
    pub(super) protocol: Protocol,
    pub(super) stream: AnswerStream,
    /// What came first, if anything did.
    pub(super) first: Option<Delta>,
    pub(super) writer: AnswerWriter,
    /// Whether the client reads a stream.
    pub(super) streamed: bool,
}

/// The next of an answer.
enum Next {
    Delta(Delta),
    Failed(ProviderFailure),
    End,
}

/// An answer on its way to the client.
struct Writing {
    asked: Asked,
    log: CallLog,
    begun: bool,
    /// The estimate and the window, for problems that state none.
    figures: (u64, u64),
}

impl Asked {
    pub(super) async fn answer(
        self,
        mut log: CallLog,
        head: CallHead,
    ) -> Result<ClientAnswer, CallRefused> {
        log.began();
        let streamed = self.streamed;
        let figures = (head.estimate, head.window);
        let writing = Writing { asked: self, log, begun: false, figures };
        if streamed {
            return Ok(ClientAnswer { head, body: AnswerBody::Events(writing.events()) });
        }
        match writing.whole().await {
            Ok(body) => Ok(ClientAnswer { head, body: AnswerBody::Whole(body) }),
            Err(problem) => {
                Err(CallRefused { head: Some(Box::new(head)), ..CallRefused::from(problem) })
            }
        }
    }
}

impl Writing {
    async fn next(&mut self) -> Next {
        if let Some(first) = self.asked.first.take() {
            return Next::Delta(first);
        }
        let left = self.log.time_left();
        match tokio::time::timeout(left, self.asked.stream.next()).await {
            Ok(Some(Ok(delta))) => Next::Delta(delta),
            Ok(Some(Err(failure))) => Next::Failed(failure),
            Ok(None) => Next::End,
            Err(_) => {
                let transport = Some("the answer takes longer than an hour".to_owned());
                Next::Failed(ProviderFailure { transport, ..ProviderFailure::default() })
            }
        }
    }

    fn problem(&self, failure: &ProviderFailure) -> Problem {
        Problem::of(&failure.fault(), self.figures.0, self.figures.1)
    }

    fn write(&mut self, delta: &Delta) -> String {
        match delta {
            Delta::Usage(usage) => self.log.used(Some(*usage)),
            Delta::Finished(_) => self.log.completed(),
            _ => {}
        }
        self.asked.writer.piece(delta)
    }

    async fn whole(mut self) -> Result<serde_json::Value, Problem> {
        self.asked.writer.begin();
        loop {
            match self.next().await {
                Next::Delta(delta) => drop(self.write(&delta)),
                Next::Failed(failure) => {
                    let problem = self.problem(&failure);
                    self.log.end(Stage::Error, Some(problem.message(self.asked.protocol)));
                    return Err(problem);
                }
                Next::End => {
                    self.asked.writer.end();
                    let body = self.asked.writer.body();
                    self.log.end(Stage::Success, None);
                    return Ok(body);
                }
            }
        }
    }

    fn events(self) -> BoxStream<'static, String> {
        let events = stream::unfold(Some(self), |writing| async move {
            let mut writing = writing?;
            if !writing.begun {
                writing.begun = true;
                return Some((writing.asked.writer.begin(), Some(writing)));
            }
            loop {
                match writing.next().await {
                    Next::Delta(delta) => {
                        let said = writing.write(&delta);
                        if !said.is_empty() {
                            return Some((said, Some(writing)));
                        }
                    }
                    Next::Failed(failure) => {
                        let problem = writing.problem(&failure);
                        let said = writing.asked.writer.fail(&problem);
                        writing
                            .log
                            .end(Stage::Error, Some(problem.message(writing.asked.protocol)));
                        return Some((said, None));
                    }
                    Next::End => {
                        let said = writing.asked.writer.end();
                        writing.log.end(Stage::Success, None);
                        return Some((said, None));
                    }
                }
            }
        });
        events.boxed()
    }
}
