//! The life of a pair: idle → sending → complete | error | cancelled (SND-1).

use thiserror::Error;

/// Where a pair stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// Written down, not yet sent.
    Idle,
    /// A provider call is under way.
    Sending,
    /// The answer is whole.
    Complete,
    /// The send failed; the user text is kept.
    Error,
    /// The user stopped it; what had arrived is kept.
    Cancelled,
}

/// What can happen to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LifecycleEvent {
    /// The first provider call is about to be made.
    Start,
    /// The whole answer arrived.
    Finish,
    /// The send failed, or was found interrupted at start-up (SND-6).
    Fail,
    /// The user stopped the send (SND-4).
    Cancel,
    /// The newest complete pair is asked again (SND-8).
    Regenerate,
}

/// A change of state that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a pair that is {} cannot {event:?}", .from.name())]
pub struct IllegalTransition {
    /// The state the pair is in.
    pub from: Lifecycle,
    /// What was asked of it.
    pub event: LifecycleEvent,
}

impl Lifecycle {
    /// All states, in the order of the spec.
    pub const ALL: [Self; 5] =
        [Self::Idle, Self::Sending, Self::Complete, Self::Error, Self::Cancelled];

    /// The name used in files and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Sending => "sending",
            Self::Complete => "complete",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The state after `event`, or why there is none.
    pub fn after(self, event: LifecycleEvent) -> Result<Self, IllegalTransition> {
        use LifecycleEvent as E;
        match (self, event) {
            (Self::Idle, E::Start) | (Self::Complete, E::Regenerate) => Ok(Self::Sending),
            (Self::Sending, E::Finish) => Ok(Self::Complete),
            (Self::Sending, E::Fail) => Ok(Self::Error),
            (Self::Sending, E::Cancel) => Ok(Self::Cancelled),
            (from, event) => Err(IllegalTransition { from, event }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_legal_transitions_exist() {
        use LifecycleEvent::*;
        let legal = [
            (Lifecycle::Idle, Start, Lifecycle::Sending),
            (Lifecycle::Sending, Finish, Lifecycle::Complete),
            (Lifecycle::Sending, Fail, Lifecycle::Error),
            (Lifecycle::Sending, Cancel, Lifecycle::Cancelled),
            (Lifecycle::Complete, Regenerate, Lifecycle::Sending),
        ];
        for from in Lifecycle::ALL {
            for event in [Start, Finish, Fail, Cancel, Regenerate] {
                let expected = legal.iter().find(|(f, e, _)| (*f, *e) == (from, event));
                match expected {
                    Some((_, _, to)) => assert_eq!(from.after(event), Ok(*to)),
                    None => assert_eq!(from.after(event), Err(IllegalTransition { from, event })),
                }
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for state in Lifecycle::ALL {
            assert_eq!(Lifecycle::parse(state.name()), Some(state));
        }
        assert_eq!(Lifecycle::parse("Complete"), None);
    }
}
