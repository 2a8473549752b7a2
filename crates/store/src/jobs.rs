//! How a trait of the store is declared together with what it does: each method is one job, a
//! function of [`sql`](crate::sql), which an [`Engine`](crate::engine::Engine) runs in one
//! transaction.

use std::{borrow::Borrow, pin::Pin};

use plimsoll_budget::LearnedLimit;
use plimsoll_domain::{
    ColorFlag, DeletionId, Delivery, FileId, HistoryScope, LifecycleEvent, PairId, PairUse,
    ReceiptId, Star, Timestamp, TopicId,
};

use crate::{GroupBy, HeldSend, ListedIn, Order, Scope, StoreResult, UsageEntry, UseBy};

/// What a method of the store answers with. It borrows the store and none of the arguments.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = StoreResult<T>> + Send + 'a>>;

/// Declares a trait and implements it for every engine. A line
///
/// ```text
/// write insert(workspace: &Workspace, pair: &MessagePair) -> () = pairs::insert;
/// ```
///
/// is the method `insert`, whose job `pairs::insert` the engine runs by its method `write`. How
/// an engine runs a job is `read`, `write` or `write_lazily`; what a job of writing is about is said
/// by its first argument. `write_alone` is `write` while nobody else writes.
macro_rules! jobs {
    ($(#[$about:meta])* pub trait $name:ident { $(
        $(#[$doc:meta])*
        $how:ident $method:ident($($arg:ident: $type:ty),*) -> $answer:ty = $job:path;
    )* }) => {
        $(#[$about])*
        pub trait $name: Send + Sync { $(
            $(#[$doc])*
            fn $method(&self, $($arg: $type),*) -> $crate::StoreFuture<'_, $answer>;
        )* }

        impl<E: $crate::engine::Engine> $name for E { $(
            fn $method(&self, $($arg: $type),*) -> $crate::StoreFuture<'_, $answer> {
                let about = jobs!(@about $how $($arg)*);
                $(let $arg = $crate::jobs::Argument::keep($arg);)*
                Box::pin(jobs!(@$how self, about, move |db| {
                    $job(db, $($crate::jobs::Argument::lend(&$arg)),*)
                }))
            }
        )* }
    };
    (@about read $($arg:ident)*) => { () };
    (@about write_alone $($arg:ident)*) => { $crate::subject::Subject::Everything };
    (@about $how:ident $first:ident $($arg:ident)*) => {{
        use $crate::subject::Concerns as _;
        $first.subject()
    }};
    (@read $engine:ident, $about:ident, $job:expr) => {{
        let () = $about;
        $crate::engine::Engine::read($engine, $job)
    }};
    (@write_alone $engine:ident, $about:ident, $job:expr) => {
        $crate::engine::Engine::write($engine, $about, $job)
    };
    (@$how:ident $engine:ident, $about:ident, $job:expr) => {
        $crate::engine::Engine::$how($engine, $about, $job)
    };
}

/// An argument of a job. A job outlives its caller's patience, so that it keeps what it was given.
pub(crate) trait Argument<'a> {
    type Kept: Send + 'static;

    fn keep(self) -> Self::Kept;
    fn lend(kept: &'a Self::Kept) -> Self;
}

impl<'a, T: ToOwned<Owned: Send + 'static> + ?Sized> Argument<'a> for &'a T {
    type Kept = T::Owned;

    fn keep(self) -> T::Owned {
        self.to_owned()
    }

    fn lend(kept: &'a T::Owned) -> Self {
        kept.borrow()
    }
}

impl<'a, T: ToOwned<Owned: Send + 'static> + ?Sized> Argument<'a> for Option<&'a T> {
    type Kept = Option<T::Owned>;

    fn keep(self) -> Option<T::Owned> {
        self.map(ToOwned::to_owned)
    }

    fn lend(kept: &'a Option<T::Owned>) -> Self {
        kept.as_ref().map(Borrow::borrow)
    }
}

macro_rules! small_arguments {
    ($($type:ty),* $(,)?) => { $(
        impl Argument<'_> for $type {
            type Kept = Self;

            fn keep(self) -> Self {
                self
            }

            fn lend(kept: &Self) -> Self {
                *kept
            }
        }
    )* };
}

small_arguments!(
    bool,
    std::time::Duration,
    u64,
    usize,
    Timestamp,
    PairId,
    TopicId,
    Option<TopicId>,
    HistoryScope,
    FileId,
    HeldSend,
    ListedIn,
    ReceiptId,
    DeletionId,
    Star,
    ColorFlag,
    PairUse,
    LifecycleEvent,
    Delivery,
    LearnedLimit,
    UsageEntry,
    GroupBy,
    Order,
    Scope,
    UseBy,
);
