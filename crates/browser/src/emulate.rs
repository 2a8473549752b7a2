//! The world around a page: its screen, the system's wishes, the network, who asks.

use std::{collections::BTreeMap, sync::PoisonError};

use serde::Deserialize;
use serde_json::json;

use crate::{Page, Result, Viewport};

/// What the system prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The media features that were set; the protocol wants all of them each time.
#[derive(Default)]
pub(crate) struct Media(BTreeMap<&'static str, &'static str>);

/// A cookie of the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether scripts cannot read it.
    #[serde(default)]
    pub http_only: bool,
    /// `Strict`, `Lax` or `None`, if it says.
    #[serde(default)]
    pub same_site: Option<String>,
}

impl Page {
    /// Sets the size of the page and the scale of its pictures.
    pub fn viewport(&self, viewport: Viewport) -> Result<()> {
        let Viewport { width, height, scale } = viewport;
        let params = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", params).map(|_| ())
    }

    /// A phone of this size: its screen is touched, and nothing hovers over it.
    pub fn phone(&self, viewport: Viewport) -> Result<()> {
        let Viewport { width, height, scale } = viewport;
        let params = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": true,
        });
        self.call("Emulation.setDeviceMetricsOverride", params)?;
        let touch = json!({"enabled": true, "maxTouchPoints": 1});
        self.call("Emulation.setTouchEmulationEnabled", touch).map(|_| ())
    }

    /// What `prefers-color-scheme` says.
    pub fn color_scheme(&self, scheme: Scheme) -> Result<()> {
        let value = match scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        };
        self.media("prefers-color-scheme", value)
    }

    /// What `prefers-reduced-motion` says.
    pub fn reduced_motion(&self, reduced: bool) -> Result<()> {
        let value = if reduced { "reduce" } else { "no-preference" };
        self.media("prefers-reduced-motion", value)
    }

    /// What `forced-colors` says, as in the high-contrast mode of Windows.
    pub fn forced_colors(&self, forced: bool) -> Result<()> {
        self.media("forced-colors", if forced { "active" } else { "none" })
    }

    /// Cuts the network off, or gives it back. What is already open, such as a stream of
    /// events, stays open: to break that, stop the server.
    pub fn offline(&self, offline: bool) -> Result<()> {
        let params = json!({
            "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        self.call("Network.emulateNetworkConditions", params).map(|_| ())
    }

    /// Headers that go with every request of this page from now on, instead of those
    /// set before, such as `("Authorization", "Bearer …")`.
    pub fn headers(&self, headers: &[(&str, &str)]) -> Result<()> {
        let headers: BTreeMap<&str, &str> = headers.iter().copied().collect();
        self.call("Network.setExtraHTTPHeaders", json!({ "headers": headers })).map(|_| ())
    }

    /// Sets a cookie for an address.
    pub fn set_cookie(&self, url: &str, name: &str, value: &str) -> Result<()> {
        let params = json!({ "url": url, "name": name, "value": value });
        self.call("Network.setCookie", params).map(|_| ())
    }

    /// The cookies that go to an address, also those that scripts cannot read.
    pub fn cookies(&self, url: &str) -> Result<Vec<Cookie>> {
        let mut answer = self.call("Network.getCookies", json!({ "urls": [url] }))?;
        crate::page::parse(answer["cookies"].take(), "Network.getCookies")
    }

    fn media(&self, name: &'static str, value: &'static str) -> Result<()> {
        let mut media = self.media.lock().unwrap_or_else(PoisonError::into_inner);
        media.0.insert(name, value);
        let features: Vec<_> =
            media.0.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).map(|_| ())
    }
}
