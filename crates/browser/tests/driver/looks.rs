//! Sizes, schemes, pictures, scenes.

use plimsoll_browser::{
    Scheme, Viewport,
    shots::{Scene, shoot},
};

use crate::Stage;

#[test]
fn pictures_have_the_size_of_what_they_show() {
    let body = "<style>body{margin:0}</style><div id=a style='width:101px;height:33px;margin:7px;
      background:red'></div><div style='height:2000px;width:10px'></div>";
    let Some(stage) = Stage::with(body) else { return };
    let page = &stage.page;
    assert_eq!(page.screenshot().unwrap().size(), (1280, 800));
    page.viewport(Viewport::new(360, 640).scaled(2.0)).unwrap();
    assert_eq!(page.eval::<(u32, f64)>("[innerWidth, devicePixelRatio]").unwrap(), (360, 2.0));
    assert_eq!(page.screenshot().unwrap().size(), (720, 1280));
    let (width, height) = page.screenshot_full().unwrap().size();
    assert!(width >= 690 && height == 2 * (7 + 33 + 7 + 2000), "{width} × {height}");
    assert_eq!(page.screenshot_of("#a").unwrap().size(), (202, 66));
    page.viewport(Viewport::new(3840, 2160)).unwrap();
    assert_eq!(page.screenshot().unwrap().size(), (3840, 2160));
}

#[test]
fn the_page_sees_what_the_system_prefers() {
    let Some(stage) = Stage::with("<p>x") else { return };
    let page = &stage.page;
    let says = |query: &str| page.apply::<bool>("(q) => matchMedia(q).matches", query).unwrap();
    page.color_scheme(Scheme::Dark).unwrap();
    page.reduced_motion(true).unwrap();
    page.forced_colors(true).unwrap();
    assert!(says("(prefers-color-scheme: dark)"));
    assert!(says("(prefers-reduced-motion: reduce)"));
    assert!(says("(forced-colors: active)"));
    page.color_scheme(Scheme::Light).unwrap();
    assert!(says("(prefers-color-scheme: light)"));
    assert!(says("(prefers-reduced-motion: reduce)"));
}

#[test]
fn a_scene_is_acted_and_saved() {
    let body = "<button id=b onclick='this.textContent=1'>0</button>";
    let Some(stage) = Stage::serving(&[("/", "<p>"), ("/scene", body)], &[]) else { return };
    let scene = Scene::new("clicked").dark().at("/scene").sized(400, 300, 1.5).after(|page| {
        page.click("#b")?;
        page.wait_for("b.textContent === '1' && matchMedia('(prefers-color-scheme: dark)').matches")
    });
    let into = stage.browser.home().join("shots");
    let path = shoot(&stage.browser, &stage.server.root_url(), &scene, &into).unwrap();
    assert_eq!(path, into.join("clicked.png"));
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes[16..24], [0, 0, 2, 88, 0, 0, 1, 194]);
}

#[test]
fn a_loud_scene_is_no_picture() {
    let Some(stage) = Stage::with("<script>console.warn('hm')</script>") else { return };
    let into = stage.browser.home().join("loud");
    let failed = shoot(&stage.browser, &stage.server.root_url(), &Scene::new("x"), &into);
    assert!(failed.unwrap_err().to_string().contains("Warning: hm"));
    assert!(!into.exists());
}
