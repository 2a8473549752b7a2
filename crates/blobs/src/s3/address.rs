//! `s3://bucket/prefix`.

use super::S3Error;

/// A bucket, and the part of it that is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) bucket: String,
    /// The names below which everything is kept; none is the whole bucket.
    pub(crate) prefix: Vec<String>,
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, S3Error> {
        let bad = || S3Error::BadAddress(text.to_owned());
        let rest = text.strip_prefix("s3://").ok_or_else(bad)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_bucket(bucket) {
            return Err(bad());
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let parts: Vec<String> =
            prefix.split('/').filter(|_| !prefix.is_empty()).map(str::to_owned).collect();
        if parts.iter().all(|part| is_part(part)) {
            Ok(Self { bucket: bucket.to_owned(), prefix: parts })
        } else {
            Err(bad())
        }
    }
}

/// The rule of S3 for names of buckets, as far as it concerns single characters.
fn is_bucket(name: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    let ends = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    (3..=63).contains(&name.len())
        && name.bytes().all(plain)
        && ends(name.bytes().next())
        && ends(name.bytes().last())
}

/// What every store and every program that looks into one takes for the same name.
fn is_part(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name != "." && name != ".." && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_1_an_address_is_a_bucket_and_a_prefix() {
        let parsed = |text: &str| {
            Address::parse(text).map(|address| (address.bucket, address.prefix.join("/"))).ok()
        };
        let is = |bucket: &str, prefix: &str| Some((bucket.to_owned(), prefix.to_owned()));
        assert_eq!(parsed("s3://team"), is("team", ""));
        assert_eq!(parsed("s3://team/"), is("team", ""));
        assert_eq!(parsed("s3://team-files.example/a/b_c"), is("team-files.example", "a/b_c"));
        assert_eq!(parsed("s3://team/a/"), is("team", "a"));
        for bad in [
            "",
            "team",
            "/team",
            "s3://",
            "s3:///a",
            "s3://Team",
            "s3://ab",
            "s3://team//a",
            "s3://team/../a",
            "s3://team/a b",
            "s3://team/a?b=c",
            "s3://key:word@team/a",
            "https://team/a",
            "s3://-team",
        ] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }
}
