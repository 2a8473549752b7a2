//! Keys of a provider of identities, and tokens that they sign.

use std::sync::LazyLock;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    hmac,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use rsa::{
    RsaPrivateKey,
    pkcs1v15::SigningKey,
    rand_core::OsRng,
    sha2::Sha256,
    signature::{SignatureEncoding, Signer},
    traits::PublicKeyParts,
};
use serde_json::{Value, json};

/// One for all tests of a process: it takes a while to make.
#[allow(clippy::expect_used)]
static RSA: LazyLock<RsaPrivateKey> =
    LazyLock::new(|| RsaPrivateKey::new(&mut OsRng, 2048).expect("an RSA key"));

/// A key that signs.
pub(super) enum Key {
    /// RS256.
    Rsa,
    /// ES256.
    P256(Box<EcdsaKeyPair>),
}

pub(super) fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

impl Key {
    /// A new key for ES256.
    #[allow(clippy::expect_used)]
    pub(super) fn p256() -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a P-256 key");
        let key = EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random);
        Self::P256(Box::new(key.expect("the key that was made")))
    }

    pub(super) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa => "RS256",
            Self::P256(_) => "ES256",
        }
    }

    /// The public half, as providers publish it.
    pub(super) fn published(&self, id: &str) -> Value {
        match self {
            Self::Rsa => json!({
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": id,
                "n": encoded(RSA.n().to_bytes_be()), "e": encoded(RSA.e().to_bytes_be()),
            }),
            Self::P256(key) => {
                // An uncompressed point: a byte 4, then both coordinates.
                let point = key.public_key().as_ref();
                json!({
                    "kty": "EC", "use": "sig", "alg": "ES256", "kid": id, "crv": "P-256",
                    "x": encoded(&point[1..33]), "y": encoded(&point[33..65]),
                })
            }
        }
    }

    #[allow(clippy::expect_used)]
    fn signature(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Rsa => SigningKey::<Sha256>::new(RSA.clone()).sign(message).to_vec(),
            Self::P256(key) => {
                let signature = key.sign(&SystemRandom::new(), message);
                signature.expect("a signature").as_ref().to_vec()
            }
        }
    }

    /// A token that this key signed.
    pub(super) fn token(&self, id: &str, claims: &Value) -> String {
        let message = unsigned(&json!({"alg": self.algorithm(), "typ": "JWT", "kid": id}), claims);
        let signature = self.signature(message.as_bytes());
        format!("{message}.{}", encoded(signature))
    }
}

/// A token that nobody signed.
pub(super) fn token_of_nobody(claims: &Value) -> String {
    format!("{}.", unsigned(&json!({"alg": "none", "typ": "JWT"}), claims))
}

/// A token that was signed with the secret of a client.
pub(super) fn token_by_secret(secret: &str, claims: &Value) -> String {
    let message = unsigned(&json!({"alg": "HS256", "typ": "JWT"}), claims);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("{message}.{}", encoded(hmac::sign(&key, message.as_bytes())))
}

fn unsigned(head: &Value, claims: &Value) -> String {
    format!("{}.{}", encoded(head.to_string()), encoded(claims.to_string()))
}
