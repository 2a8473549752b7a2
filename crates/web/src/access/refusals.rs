//! Why somebody was not signed in by OpenID Connect, in one line that says what to do.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use plimsoll_openid::{Failure, Lacking, OpenId};

use super::sign_in;
use crate::Web;

/// Why.
#[derive(Debug)]
pub(super) enum Refused {
    /// Too much came from there: the seconds to wait.
    Wait(u64),
    /// So many people are at the provider that there is no room for one more.
    TooMany,
    /// It took too long, came twice, or belongs to another browser.
    Ended,
    /// Somebody said no at the provider.
    Denied,
    /// The provider sent them back with another error.
    Said(String),
    /// The provider did not tell who they are.
    Failed(Failure),
    /// They are somebody whom this server does not let in, by what they are called.
    Lacking(Lacking, String),
    /// Nobody here is called so.
    Unknown(String),
}

impl Refused {
    /// What the provider sent somebody back with. Other words than codes of errors are not shown.
    pub(super) fn of_error(error: String) -> Self {
        let code = |error: &str| {
            error.len() <= 60 && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        match &*error {
            "access_denied" => Self::Denied,
            known if code(known) => Self::Said(error),
            _ => Self::Said("unknown".to_owned()),
        }
    }

    /// Whether it is counted: who guesses, or fills the log, is slowed. That the provider is away is
    /// nobody's doing.
    pub(super) fn counts(&self) -> bool {
        match self {
            Self::Ended | Self::Denied | Self::Said(_) => true,
            Self::Lacking(..) | Self::Unknown(_) => true,
            Self::Failed(failure) => {
                matches!(failure, Failure::CodeRefused(_) | Failure::NotProven(_))
            }
            Self::Wait(_) | Self::TooMany => false,
        }
    }

    /// What stands in the audit log.
    pub(super) fn noted(&self) -> String {
        let words = match self {
            Self::Wait(_) => "too many tries".to_owned(),
            Self::TooMany => "too many at once".to_owned(),
            Self::Ended => "it had ended, or began in another browser".to_owned(),
            Self::Denied => "it was refused at the provider".to_owned(),
            Self::Said(error) => format!("the provider said {error}"),
            Self::Failed(failure) => failure.to_string(),
            Self::Lacking(Lacking::Permission, who) => format!("{who} may not sign in"),
            Self::Lacking(Lacking::VerifiedEmail, who) => format!("{who} is not verified"),
            Self::Lacking(Lacking::Name, who) => format!("the provider does not name {who}"),
            Self::Unknown(who) => format!("nobody here is {who}"),
        };
        format!("OpenID: {words}")
    }

    /// The page of sign-in with the reason.
    pub(super) fn page(&self, web: &Web, openid: &OpenId, to: &str) -> Response {
        let (status, words) = self.words(&openid.setup().shown_name);
        let page = sign_in::form(web, status, to, Some(&words));
        match self {
            Self::Wait(seconds) => {
                ([(header::RETRY_AFTER, seconds.to_string())], page).into_response()
            }
            _ => page,
        }
    }

    fn words(&self, name: &str) -> (StatusCode, String) {
        const ADMIN: &str = "whoever looks after this server";
        match self {
            Self::Wait(seconds) => (
                StatusCode::TOO_MANY_REQUESTS,
                format!("Too many tries came from there. Wait {seconds} s."),
            ),
            Self::TooMany => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many people are signing in at this moment. Try again in some minutes.".into(),
            ),
            Self::Ended => (
                StatusCode::BAD_REQUEST,
                "This sign-in has ended, or began in another browser. Begin again.".into(),
            ),
            Self::Denied => (
                StatusCode::FORBIDDEN,
                format!("Signing in was refused at {name}. Begin again, or take a token."),
            ),
            Self::Said(error) => (
                StatusCode::BAD_GATEWAY,
                format!("{name} reports an error ({error}). Begin again, or ask {ADMIN}."),
            ),
            Self::Failed(failure) => of_failure(failure, name, ADMIN),
            Self::Lacking(Lacking::Permission, who) => {
                (StatusCode::FORBIDDEN, format!("{who} may not sign in here. Ask {ADMIN}."))
            }
            Self::Lacking(Lacking::VerifiedEmail, who) => (
                StatusCode::FORBIDDEN,
                format!(
                    "{name} has not verified {who}. Verify the address there, then begin again."
                ),
            ),
            Self::Lacking(Lacking::Name, _) => (
                StatusCode::FORBIDDEN,
                format!(
                    "{name} does not say what you are called. Ask {ADMIN} to check openidClaim and \
                     openidScopes."
                ),
            ),
            Self::Unknown(who) => (
                StatusCode::FORBIDDEN,
                format!("Nobody here is known as {who}. Ask {ADMIN} to add you."),
            ),
        }
    }
}

fn of_failure(failure: &Failure, name: &str, admin: &str) -> (StatusCode, String) {
    match failure {
        Failure::Unreachable(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{name} does not answer. Try again in a minute, or take a token."),
        ),
        Failure::Misconfigured(_) => (
            StatusCode::BAD_GATEWAY,
            format!("{name} is not set up rightly here. Ask {admin}; the log says what is wrong."),
        ),
        Failure::ClientRefused(_) => (
            StatusCode::BAD_GATEWAY,
            format!(
                "{name} does not accept this server. Ask {admin} to check openidClientId and its \
                 secret."
            ),
        ),
        Failure::CodeRefused(_) => (
            StatusCode::BAD_REQUEST,
            format!("{name} does not know this sign-in any more. Begin again."),
        ),
        Failure::NotProven(_) => (
            StatusCode::FORBIDDEN,
            format!(
                "What {name} said cannot be trusted. Begin again; if it stays so, ask {admin}."
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_every_refusal_is_one_line_that_says_what_to_do() {
        let who = || "ann@example.org".to_owned();
        let why = || "connect: secret words".to_owned();
        for refused in [
            Refused::Wait(3),
            Refused::TooMany,
            Refused::Ended,
            Refused::Denied,
            Refused::Said("server_error".to_owned()),
            Refused::Failed(Failure::Unreachable(why())),
            Refused::Failed(Failure::Misconfigured(why())),
            Refused::Failed(Failure::ClientRefused(why())),
            Refused::Failed(Failure::CodeRefused(why())),
            Refused::Failed(Failure::NotProven(why())),
            Refused::Lacking(Lacking::Permission, who()),
            Refused::Lacking(Lacking::VerifiedEmail, who()),
            Refused::Lacking(Lacking::Name, who()),
            Refused::Unknown(who()),
        ] {
            let (status, words) = refused.words("Harbour");
            assert!(status.is_client_error() || status.is_server_error());
            assert!(words.len() < 140 && !words.contains('\n'), "{words}");
            let does = ["egin again", "Ask", "ask", "Wait", "Try again"];
            assert!(does.iter().any(|does| words.contains(does)), "{words}");
            assert!(!words.contains("secret words"), "what failed stands in the log: {words}");
        }
    }

    #[test]
    fn tea_9_words_of_the_provider_are_not_shown() {
        assert!(matches!(Refused::of_error("access_denied".into()), Refused::Denied));
        for (error, shown) in [
            ("server_error", "server_error"),
            ("Call 0900 now", "unknown"),
            (&"a".repeat(61), "unknown"),
        ] {
            match Refused::of_error(error.to_owned()) {
                Refused::Said(said) => assert_eq!(said, shown),
                other => panic!("{other:?}"),
            }
        }
    }
}
