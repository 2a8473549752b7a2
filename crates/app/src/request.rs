//! The request of a prepared message, for each attempt anew.

use std::collections::HashMap;

use plimsoll_budget::OverBudget;
use plimsoll_domain::{FileId, PairId};
use plimsoll_provider::Encoded;
use plimsoll_send::{
    AnswerOptions, IncludedTexts, Instructions, Message, Part, Request, compose, plan,
};

use crate::Prepared;

impl Prepared {
    /// The request of an attempt that sends these of the included pairs along. `rounds` are what
    /// was said with tools so far, and `copies` the ids of files at the provider.
    pub(crate) fn request(
        &self,
        sent: &[PairId],
        max_output: Option<u64>,
        rounds: &[Message],
        copies: &HashMap<FileId, String>,
    ) -> Request {
        let instructions = Instructions {
            system: self.system.as_deref(),
            files: self.files.section.as_ref().map(|section| section.text.as_str()),
        };
        // Both are in the same order, so that one pass finds all.
        let mut wanted = sent.iter().peekable();
        let included = self.included.iter().zip(&self.questions);
        let included = included.filter(|(stored, _)| wanted.next_if_eq(&&stored.pair.id).is_some());
        let pairs = included.map(|(stored, question)| IncludedTexts {
            id: stored.pair.id,
            lifecycle: stored.pair.lifecycle,
            user: &stored.pair.user_text,
            rendered: question.as_deref(),
            assistant: stored.pair.assistant_text.as_deref(),
        });
        let rules = self.provider.wire_rules();
        let (mut messages, history_hash) = compose(&instructions, pairs, &self.message, rules);
        for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
            if let Part::File(file) = part {
                file.remote = file.id().and_then(|id| copies.get(&id).cloned());
            }
        }
        messages.extend_from_slice(rounds);
        Request {
            model: self.served_model.clone(),
            messages,
            temperature: self.topic.temperature,
            max_output,
            tools: self.files.tools.clone(),
            history_hash,
            options: AnswerOptions::default(),
        }
    }

    /// The request that would leave first under a policy, as it is written (PAY-5).
    pub fn exact_request(&self, policy: OverBudget) -> Encoded {
        let left_out = plan(&self.plan.snapshot, policy).left_out_first();
        let sent = self.attempts.without_oldest(left_out).map(|pair| pair.id);
        let sent: Vec<PairId> = sent.collect();
        let request = self.request(&sent, self.attempts.max_output, &[], &HashMap::new());
        self.provider.encode(&request)
    }
}
