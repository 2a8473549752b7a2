//! The way to the provider and back: the authorization code flow with PKCE.

use std::sync::Arc;

use openidconnect::{
    AuthType, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, Client, ClientId,
    ClientSecret, CsrfToken, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet,
    IdTokenClaims, IdTokenFields, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, StandardErrorResponse,
    StandardTokenResponse, TokenResponse, UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreClientAuthMethod, CoreErrorResponseType,
        CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm, CoreResponseType, CoreRevocableToken, CoreRevocationErrorResponse,
        CoreTokenIntrospectionResponse, CoreTokenType,
    },
};

use crate::{
    Ask, Attempt, Failure, Identity, NotAnswered, Rules, asking,
    identity::MoreClaims,
    published::{Published, Publisher},
};

/// What an administrator said about the provider.
#[derive(Clone)]
pub struct Setup {
    /// Its address, as it writes it itself.
    pub issuer: String,
    /// What it knows this server by.
    pub client: String,
    /// How this server proves that it is this client, where the provider asks for it.
    pub secret: Option<String>,
    /// What it is asked to tell besides who somebody is.
    pub scopes: Vec<String>,
    /// What people call it.
    pub shown_name: String,
    /// Who may sign in.
    pub rules: Rules,
    /// Whether people are added who sign in for the first time.
    pub adds_people: bool,
}

/// A provider of identities.
pub struct OpenId {
    setup: Setup,
    ask: Arc<dyn Ask>,
    publisher: Publisher,
}

type TokenError = StandardErrorResponse<CoreErrorResponseType>;
type Tokens = StandardTokenResponse<
    IdTokenFields<
        MoreClaims,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;
type Claims = IdTokenClaims<MoreClaims, CoreGenderClaim>;
type ThisClient = Client<
    MoreClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    TokenError,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Signatures that are believed: by a key that only the provider has. `none` is no signature, and
/// those by a shared secret could be made by whoever has the secret of this server.
const SIGNATURES: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

impl OpenId {
    /// The provider of these settings. It is not asked for anything before somebody signs in.
    pub fn new(setup: Setup, ask: Arc<dyn Ask>) -> Result<Self, Failure> {
        let issuer = IssuerUrl::new(setup.issuer.clone())
            .map_err(|error| Failure::Misconfigured(format!("{}: {error}", setup.issuer)))?;
        let publisher = Publisher::new(issuer, Arc::clone(&ask));
        Ok(Self { setup, ask, publisher })
    }

    /// What was set up.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The address that a browser is sent to, and comes back from to `redirect`.
    pub async fn address(&self, attempt: &Attempt, redirect: &str) -> Result<String, Failure> {
        let published = self.publisher.known().await?;
        let client = self.client(&published, redirect)?;
        let (state, nonce) = (attempt.state.clone(), attempt.nonce.clone());
        let verifier = PkceCodeVerifier::new(attempt.verifier.clone());
        let flow = AuthenticationFlow::<CoreResponseType>::AuthorizationCode;
        let mut request = client
            .authorize_url(flow, || CsrfToken::new(state), || Nonce::new(nonce))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
        for scope in self.setup.scopes.iter().filter(|scope| *scope != "openid") {
            request = request.add_scope(Scope::new(scope.clone()));
        }
        let (url, _, _) = request.url();
        Ok(url.into())
    }

    /// Who came back with this code. `redirect` is the address that was given before.
    pub async fn identity(
        &self,
        attempt: &Attempt,
        redirect: &str,
        code: &str,
    ) -> Result<Identity, Failure> {
        let mut published = self.publisher.known().await?;
        let tokens = self.tokens(&published, attempt, redirect, code).await?;
        let nonce = Nonce::new(attempt.nonce.clone());
        let mut checked = self.checked(&published, redirect, &tokens, &nonce);
        if matches!(checked, Err(Unproven { by_key: true, .. })) {
            published = self.publisher.newer_than(&published).await?;
            checked = self.checked(&published, redirect, &tokens, &nonce);
        }
        let claims = checked.map_err(|unproven| unproven.failure)?;
        let mut identity = Identity {
            issuer: self.setup.issuer.clone(),
            subject: claims.subject().to_string(),
            email: claims.email().map(|email| email.to_string()),
            email_verified: claims.email_verified() == Some(true),
            username: claims.preferred_username().map(|name| name.to_string()),
            groups: claims.additional_claims().groups.0.clone(),
        };
        if !self.setup.rules.has_enough(&identity) {
            self.ask_more(&published, redirect, &tokens, &claims, &mut identity).await?;
        }
        Ok(identity)
    }

    fn client(&self, published: &Published, redirect: &str) -> Result<ThisClient, Failure> {
        let metadata = (*published.metadata).clone();
        let redirect = RedirectUrl::new(redirect.to_owned())
            .map_err(|error| Failure::Misconfigured(format!("publicUrl: {error}")))?;
        // Without a list a provider takes the secret in a header.
        let ways = metadata.token_endpoint_auth_methods_supported();
        let takes = |way| ways.is_none_or(|ways| ways.contains(way));
        let in_header = takes(&CoreClientAuthMethod::ClientSecretBasic);
        let way = if in_header { AuthType::BasicAuth } else { AuthType::RequestBody };
        let secret = self.setup.secret.clone().map(ClientSecret::new);
        let client = ClientId::new(self.setup.client.clone());
        Ok(ThisClient::from_provider_metadata(metadata, client, secret)
            .set_redirect_uri(redirect)
            .set_auth_type(way))
    }

    async fn tokens(
        &self,
        published: &Published,
        attempt: &Attempt,
        redirect: &str,
        code: &str,
    ) -> Result<Tokens, Failure> {
        let client = self.client(published, redirect)?;
        let request = client.exchange_code(AuthorizationCode::new(code.to_owned()));
        let request = request.map_err(|error| Failure::Misconfigured(error.to_string()))?;
        let verifier = PkceCodeVerifier::new(attempt.verifier.clone());
        let ask = asking::client(&self.ask, self.publisher.is_private());
        let answered = request.set_pkce_verifier(verifier).request_async(&ask).await;
        answered.map_err(|error| refusal(&error))
    }

    /// The claims of a token that the provider signed, for this server, this attempt and now.
    fn checked(
        &self,
        published: &Published,
        redirect: &str,
        tokens: &Tokens,
        nonce: &Nonce,
    ) -> Result<Claims, Unproven> {
        let other = |failure| Unproven { failure, by_key: false };
        let client = self.client(published, redirect).map_err(other)?;
        let verifier = client.id_token_verifier().set_allowed_algs(SIGNATURES);
        let token = tokens.id_token();
        let token =
            token.ok_or_else(|| other(Failure::NotProven("no ID token came".to_owned())))?;
        token.claims(&verifier, nonce).cloned().map_err(|error| {
            let by_key = matches!(error, ClaimsVerificationError::SignatureVerification(_));
            Unproven { failure: Failure::NotProven(told(&error)), by_key }
        })
    }

    /// Some tell who somebody is in the token, and the rest only at another address.
    async fn ask_more(
        &self,
        published: &Published,
        redirect: &str,
        tokens: &Tokens,
        claims: &Claims,
        identity: &mut Identity,
    ) -> Result<(), Failure> {
        let client = self.client(published, redirect)?;
        let (access, subject) = (tokens.access_token().clone(), claims.subject().clone());
        // Without such an address there is nothing more to be known.
        let Ok(request) = client.user_info(access, Some(subject)) else { return Ok(()) };
        let ask = asking::client(&self.ask, self.publisher.is_private());
        let more: UserInfoClaims<MoreClaims, CoreGenderClaim> =
            match request.request_async(&ask).await {
                Ok(more) => more,
                Err(openidconnect::UserInfoError::Request(why)) => {
                    return Err(Failure::Unreachable(why.to_string()));
                }
                Err(error) => return Err(Failure::NotProven(told(&error))),
            };
        if identity.email.is_none() {
            identity.email = more.email().map(|email| email.to_string());
            identity.email_verified = more.email_verified() == Some(true);
        }
        if identity.username.is_none() {
            identity.username = more.preferred_username().map(|name| name.to_string());
        }
        if identity.groups.is_empty() {
            identity.groups.clone_from(&more.additional_claims().groups.0);
        }
        Ok(())
    }
}

/// Why claims are not believed, and whether other keys could change that.
struct Unproven {
    failure: Failure,
    by_key: bool,
}

/// An error with its causes, in one line.
fn told(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

fn refusal(error: &RequestTokenError<NotAnswered, TokenError>) -> Failure {
    match error {
        RequestTokenError::Request(why) => Failure::Unreachable(why.to_string()),
        RequestTokenError::ServerResponse(said) => {
            let words = said.to_string();
            match said.error() {
                CoreErrorResponseType::InvalidGrant => Failure::CodeRefused(words),
                CoreErrorResponseType::InvalidClient
                | CoreErrorResponseType::UnauthorizedClient
                | CoreErrorResponseType::InvalidScope
                | CoreErrorResponseType::InvalidRequest
                | CoreErrorResponseType::UnsupportedGrantType => Failure::ClientRefused(words),
                _ => Failure::Unreachable(words),
            }
        }
        // The body is left out: what is wrong with it is said, and it may hold tokens.
        RequestTokenError::Parse(why, _) => {
            Failure::Unreachable(format!("its answer cannot be read: {why}"))
        }
        RequestTokenError::Other(words) => Failure::Unreachable(words.clone()),
    }
}
