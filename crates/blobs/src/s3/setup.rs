//! From the usual variables to a client.

use std::time::Duration;

use object_store::{
    BackoffConfig, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey},
};
use reqwest::Url;

use super::{S3Error, address::Address, http::Connector};

/// A fault that passes is tried again so often, and for so long.
const RETRIES: usize = 4;
const RETRIED_FOR: Duration = Duration::from_secs(20);

/// Any of these says where keys come from.
const KEY_VARIABLES: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
    "AWS_SKIP_SIGNATURE",
];

/// A client for an address, and what its server is called.
pub(crate) fn client(
    address: &Address,
    variables: Vec<(String, String)>,
) -> Result<(AmazonS3, String), S3Error> {
    let variables: Vec<_> =
        variables.into_iter().filter(|(_, value)| !value.trim().is_empty()).collect();
    let value = |name: &str| {
        variables.iter().find(|(variable, _)| variable == name).map(|(_, value)| value.as_str())
    };
    let wrong = |words: String| Err(S3Error::Setup(words));
    if !KEY_VARIABLES.iter().any(|name| value(name).is_some()) {
        return wrong("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY".to_owned());
    }
    if value("AWS_ACCESS_KEY_ID").is_some() != value("AWS_SECRET_ACCESS_KEY").is_some() {
        return wrong(
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together; set both".to_owned(),
        );
    }
    let region = value("AWS_REGION").or(value("AWS_DEFAULT_REGION")).unwrap_or("us-east-1");
    let endpoint = match value("AWS_ENDPOINT_URL_S3").or(value("AWS_ENDPOINT_URL")) {
        None => format!("https://s3.{region}.amazonaws.com"),
        Some(text) => match Url::parse(text) {
            Ok(url) if url.scheme() == "http" && !is_true(value("AWS_ALLOW_HTTP")) => {
                return wrong(
                    "AWS_ENDPOINT_URL has no TLS; use https, or set AWS_ALLOW_HTTP=true".to_owned(),
                );
            }
            // Without anything that may be secret in it.
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                url.origin().ascii_serialization()
            }
            _ => {
                return wrong(
                    "AWS_ENDPOINT_URL is no address such as https://minio.example:9000".to_owned(),
                );
            }
        },
    };
    let mut builder = AmazonS3Builder::new();
    for (name, value) in &variables {
        if name.starts_with("AWS_")
            && let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>()
        {
            builder = builder.with_config(key, value.trim());
        }
    }
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(2),
        base: 2.0,
    };
    let retry = RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRIED_FOR };
    let built = builder
        .with_bucket_name(&address.bucket)
        .with_retry(retry)
        .with_http_connector(Connector { local: is_local(&endpoint) })
        .build();
    match built {
        Ok(client) => Ok((client, endpoint)),
        // The words of the library may quote a variable, and so a key.
        Err(_) => wrong("one of the AWS_… variables has a value that it does not take".to_owned()),
    }
}

fn is_true(value: Option<&str>) -> bool {
    value.is_some_and(|value| {
        ["1", "true", "on", "yes", "y"].iter().any(|one| one.eq_ignore_ascii_case(value.trim()))
    })
}

/// Whether this is a server of this machine, which no proxy can reach.
fn is_local(endpoint: &str) -> bool {
    let host = Url::parse(endpoint).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_up(variables: &[(&str, &str)]) -> Result<String, String> {
        let address = Address::parse("s3://team/files").unwrap();
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let client = client(&address, variables.collect());
        client.map(|(_, endpoint)| endpoint).map_err(|error| error.to_string())
    }

    const ID: (&str, &str) = ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    const KEY: (&str, &str) = ("AWS_SECRET_ACCESS_KEY", "very-secret-words");

    #[test]
    fn tea_1_the_usual_variables_say_where_and_with_which_keys() {
        assert_eq!(set_up(&[ID, KEY]).unwrap(), "https://s3.us-east-1.amazonaws.com");
        let region = ("AWS_REGION", "eu-west-3");
        assert_eq!(set_up(&[ID, KEY, region]).unwrap(), "https://s3.eu-west-3.amazonaws.com");
        let at = |url| set_up(&[ID, KEY, ("AWS_ENDPOINT_URL", url)]);
        assert_eq!(at("https://minio.example:9000/").unwrap(), "https://minio.example:9000");
        assert!(at("http://10.0.0.7:9000").unwrap_err().contains("AWS_ALLOW_HTTP"));
        let plain =
            [ID, KEY, ("AWS_ENDPOINT_URL", "http://10.0.0.7:9000"), ("AWS_ALLOW_HTTP", "true")];
        assert_eq!(set_up(&plain).unwrap(), "http://10.0.0.7:9000");
    }

    #[test]
    fn tea_1_what_is_missing_is_said_without_the_keys() {
        assert!(set_up(&[]).unwrap_err().contains("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
        assert!(set_up(&[ID, ("AWS_SECRET_ACCESS_KEY", " ")]).unwrap_err().contains("set both"));
        let wrong = [
            ("AWS_ENDPOINT_URL", "minio"),
            ("AWS_ENDPOINT_URL", "https://"),
            ("AWS_ENDPOINT_URL", "ftp://minio"),
            ("AWS_CHECKSUM_ALGORITHM", "very-secret-words"),
        ];
        for variable in wrong {
            let said = set_up(&[ID, KEY, variable]).unwrap_err();
            assert!(said.contains("AWS_"), "{said}");
            assert!(!said.contains("secret-words") && !said.contains("AKID"), "{said}");
        }
    }
}
