//! Where everything is kept, if not in the data directory (TEA-1).

use crate::Settings;

impl Settings {
    /// The address of the database that the store is in; none is a file.
    pub fn store(&self) -> Option<&str> {
        Some(self.text("store")).filter(|address| !address.is_empty())
    }

    /// For how long a send is held without a sign of life (TEA-7).
    pub fn lease(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.whole("leaseSeconds"))
    }

    /// The object store that holds what attached files hold; none is the data directory.
    pub fn blobs(&self) -> Option<&str> {
        Some(self.text("blobs")).filter(|address| !address.is_empty())
    }
}

/// Whether a bucket is named, or nothing at all. The whole rule is that of the store.
pub(crate) fn is_object_store(value: &str) -> bool {
    let named = |rest: &str| {
        !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace)
    };
    value.is_empty() || value.strip_prefix("s3://").is_some_and(named)
}

#[cfg(test)]
mod tests {
    use crate::{Settings, Source, Sources};

    fn resolve(file: &str, variable: Option<&str>) -> Result<Settings, String> {
        let variable = variable.map(|value| ("PLIMSOLL_BLOBS".to_owned(), value.to_owned()));
        let environment = variable.into_iter().collect();
        let sources = Sources { file: Some(file.to_owned()), environment };
        Settings::resolve(&sources).map_err(|error| error.to_string())
    }

    #[test]
    fn tea_1_blobs_are_in_the_data_directory_unless_an_object_store_is_named() {
        assert_eq!(Settings::default().blobs(), None);
        let settings = resolve("blobs = \"s3://team/files\"", None).unwrap();
        assert_eq!(settings.blobs(), Some("s3://team/files"));
        let mut settings = resolve("blobs = \"s3://team/files\"", Some("s3://other")).unwrap();
        assert_eq!(settings.blobs(), Some("s3://other"));
        settings.set_flag("blobs", String::new()).unwrap();
        assert_eq!(settings.blobs(), None);
        assert_eq!(settings.get("blobs").unwrap().1, Source::Flag);
        for bad in ["team/files", "s3://", "s3:///files", "https://team", "s3://a b"] {
            let said = resolve("", Some(bad)).unwrap_err();
            assert!(
                said.contains("PLIMSOLL_BLOBS") && said.contains("s3://bucket/prefix"),
                "{said}"
            );
        }
    }
}
