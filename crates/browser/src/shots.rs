//! Screenshots for the documentation: scenes in a list, a picture for each.
//!
//! A scene is data and one function, so that all scenes stand in one place and read like
//! a table. Each gets a page of its own, still and without the person's own storage.

use std::path::{Path, PathBuf};

use crate::{Browser, Page, Result, Scheme, Viewport};

/// One picture.
#[derive(Clone, Copy)]
pub struct Scene {
    /// The file's name without `.png`.
    pub name: &'static str,
    /// What is opened, below the base address.
    pub path: &'static str,
    /// The size of the page.
    pub viewport: Viewport,
    /// Light or dark.
    pub scheme: Scheme,
    /// What is done before the picture is taken.
    pub act: fn(&Page) -> Result<()>,
}

impl Scene {
    /// A scene that shows the start page as it opens, light, on a common screen, with
    /// three device pixels for two CSS pixels: sharp where it is read, and not too large.
    pub const fn new(name: &'static str) -> Self {
        let viewport = Viewport { width: 1280, height: 800, scale: 1.5 };
        Self { name, path: "/", viewport, scheme: Scheme::Light, act: |_| Ok(()) }
    }

    /// The same in the dark.
    pub const fn dark(self) -> Self {
        Self { scheme: Scheme::Dark, ..self }
    }

    /// The same at another size and scale.
    pub const fn sized(self, width: u32, height: u32, scale: f64) -> Self {
        Self { viewport: Viewport { width, height, scale }, ..self }
    }

    /// The same at another address below the base.
    pub const fn at(self, path: &'static str) -> Self {
        Self { path, ..self }
    }

    /// The same after something was done.
    pub const fn after(self, act: fn(&Page) -> Result<()>) -> Self {
        Self { act, ..self }
    }
}

/// Takes the picture of a scene and gives its path. The page must have been quiet.
pub fn shoot(browser: &Browser, base: &str, scene: &Scene, into: &Path) -> Result<PathBuf> {
    let page = browser.private_page()?;
    page.viewport(scene.viewport)?;
    page.color_scheme(scene.scheme)?;
    page.reduced_motion(true)?;
    page.open(&format!("{}{}", base.trim_end_matches('/'), scene.path))?;
    (scene.act)(&page)?;
    page.eval::<serde_json::Value>("document.fonts.ready.then(() => null)")?;
    page.assert_quiet()?;
    let path = into.join(format!("{}.png", scene.name));
    page.screenshot()?.save(&path)?;
    Ok(path)
}
