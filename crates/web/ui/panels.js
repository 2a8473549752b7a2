// Panels beside the history, and the details of the next send. The server renders them; the page opens, closes,
// keeps them fresh and gives the focus back.

import { wordsOf } from "./base/api.js";
import { addCopyButtons } from "./base/clipboard.js";
import { closest, debounced, el, takesText } from "./base/dom.js";
import { icon } from "./base/icons.js";
import { addSizer } from "./base/sizer.js";
import { keep, recall } from "./base/theme.js";

const HUD_MS = 250;

/** A body that is a function is asked for each time. @typedef {{name: string, url: string, body?: unknown}} Source */

/**
 * @param {object} deps
 * @param {import("./base/api.js").Api} deps.api
 * @param {HTMLElement} deps.panel
 * @param {HTMLElement} deps.hud
 * @param {() => void} deps.back  where the focus goes when nobody had it
 * @param {() => unknown} deps.draft  what is being written, for the details
 * @param {Record<string, (body: HTMLElement) => Promise<void>>} [deps.own]  panels that the page draws itself
 */
export function createPanels({ api, panel, hud, back, draft, own = {} }) {
  const parts = { panel: frame(panel, "Width of the panel"), hud: frame(hud, "Width of the details") };
  parts.hud.title.textContent = "Details";
  parts.panel.close.addEventListener("click", () => close());
  parts.hud.close.addEventListener("click", () => showHud(false));
  /** @type {Source | null} */
  let shown = null;
  /** @type {HTMLElement | null} */
  let opener = null;
  let turn = 0;

  /**
   * The panel's first heading is its title.
   * @param {string} html
   * @param {string} name
   */
  function fill(html, name) {
    const { body, title } = parts.panel;
    body.innerHTML = html;
    const heading = body.querySelector(":scope > h2");
    title.textContent = heading?.textContent ?? name;
    heading?.remove();
    addCopyButtons(body);
  }

  /** @param {{fresh: boolean}} how */
  async function load({ fresh }) {
    const source = shown;
    if (!source) return;
    const mine = (turn += 1);
    const { body } = parts.panel;
    const at = body.scrollTop;
    const draw = own[source.name];
    if (draw) return draw(body);
    try {
      const html = await api.html(source.url, typeof source.body === "function" ? source.body() : source.body);
      if (mine !== turn) return;
      const focused = body.contains(document.activeElement) ? document.activeElement?.id : "";
      fill(html, nameOf(source.name));
      body.scrollTop = fresh ? 0 : at;
      if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    } catch (error) {
      if (mine !== turn) return;
      fill("", nameOf(source.name));
      body.append(el("p", { class: "problem" }, wordsOf(error)));
    }
    // What was focused may be gone with the old content.
    if (document.activeElement === document.body) body.focus({ preventScroll: true });
  }

  /** @param {Source} source */
  function open(source) {
    if (document.activeElement instanceof HTMLElement && !panel.contains(document.activeElement)) opener = document.activeElement;
    if (shown?.url !== source.url) parts.panel.body.replaceChildren();
    shown = source;
    panel.hidden = false;
    parts.panel.title.textContent = nameOf(source.name);
    // At once, so that Esc closes it even before it is there.
    parts.panel.body.focus({ preventScroll: true });
    mark();
    return load({ fresh: true });
  }

  function close() {
    if (panel.hidden) return;
    const inside = panel.contains(document.activeElement) || document.activeElement === document.body;
    panel.hidden = true;
    shown = null;
    turn += 1;
    parts.panel.body.replaceChildren();
    mark();
    if (!inside) return;
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    else back();
  }

  /** Tells each button whether what it opens is open. */
  function mark() {
    for (const button of document.querySelectorAll("nav [data-panel]")) {
      const name = button.getAttribute("data-panel");
      button.setAttribute("aria-expanded", String(name === "hud" ? !hud.hidden : name === shown?.name));
    }
  }

  const freshHud = debounced(HUD_MS, async () => {
    if (hud.hidden) return;
    try {
      const html = await api.html("/ui/hud", draft());
      const at = parts.hud.body.scrollTop;
      parts.hud.body.innerHTML = html;
      parts.hud.body.scrollTop = at;
    } catch {
      // The old numbers stay until the connection is back.
    }
  });

  /** @param {boolean} on */
  function showHud(on) {
    const inside = hud.contains(document.activeElement);
    hud.hidden = !on;
    keep("hud", on ? "1" : null);
    mark();
    if (on) {
      freshHud.call();
      freshHud.flush();
    } else if (inside) back();
  }

  for (const aside of [panel, hud]) {
    aside.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      if (aside === hud) showHud(false);
      else close();
    });
  }

  // Where a panel covers the page, going elsewhere leaves it.
  const covers = matchMedia("(max-width: 640px)");
  document.addEventListener("focusin", ({ target }) => {
    if (!covers.matches || !(target instanceof Element) || target.closest("aside, dialog, .popup, #toasts")) return;
    if (!panel.hidden) close();
    if (!hud.hidden) showHud(false);
  });

  const panels = {
    close,
    /** @param {string} name */
    toggle(name) {
      if (name === "hud") return showHud(Boolean(hud.hidden));
      if (shown?.name === name) return close();
      void open({ name, url: `/ui/panel/${name}` });
    },
    /** @param {string} name */
    openPanel: (name) => void open({ name, url: `/ui/panel/${name}` }),
    /**
     * Any fragment of the server.
     * @param {string} name
     * @param {string} url
     * @param {unknown} [body]
     */
    openUrl: (name, url, body) => void open({ name, url, ...(body === undefined ? {} : { body }) }),
    toggleHud: () => showHud(Boolean(hud.hidden)),
    refreshHud: () => freshHud.call(),
    /**
     * Something that a panel shows has changed; one that is being filled in is left alone.
     * @param {string} [name]
     */
    refresh(name) {
      if (!shown || (name && shown.name !== name)) return;
      if (panel.contains(document.activeElement) && takesText(document.activeElement)) return;
      void load({ fresh: false });
    },
    /** @param {string} then  `panel:NAME`, `hud`, `close`, `none` or `reload` */
    after(then) {
      if (then === "close") close();
      else if (then === "hud") freshHud.call();
      else if (then.startsWith("panel:")) panels.openPanel(then.slice(6));
      else if (then === "reload") void load({ fresh: false });
    },
    restore() {
      if (recall("hud")) showHud(true);
      mark();
    },
  };

  document.addEventListener("click", (event) => {
    const opens = closest(event, "[data-panel]");
    if (opens) panels.toggle(opens.dataset["panel"] ?? "");
    const link = closest(event, "[data-open]");
    const url = link?.dataset["open"] ?? "";
    if (link && url.startsWith("/ui/")) panels.openUrl(link.dataset["name"] ?? link.textContent ?? "", url);
  });
  // `<input data-narrow=".setting">` hides what of the panel does not hold every word.
  panel.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.dataset["narrow"]) narrow(parts.panel.body, target.dataset["narrow"], target.value);
  });
  // `<form data-find="/ui/panel/topics" data-name="topics">` shows the panel with what was found.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.dataset["find"]) return;
    event.preventDefault();
    const find = new FormData(form).get("find");
    const url = `${form.dataset["find"]}?find=${encodeURIComponent(typeof find === "string" ? find : "")}`;
    panels.openUrl(form.dataset["name"] ?? "", url);
  });
  return panels;
}

/** @typedef {ReturnType<typeof createPanels>} Panels */

/**
 * @param {HTMLElement} aside
 * @param {string} label
 */
function frame(aside, label) {
  const title = el("h2", { id: `${aside.id}-title` });
  const close = el("button", { type: "button", class: "tool", "aria-label": "Close", title: "Close (Esc)" }, icon("close"));
  const body = el("div", { class: "panel-body", tabindex: "-1", "aria-labelledby": title.id, role: "group" });
  const sizer = addSizer(aside, label);
  const size = el("button", { type: "button", class: "tool size", "aria-label": "Wider or narrower", title: "Wider or narrower", onclick: sizer.turn }, "⇔");
  aside.replaceChildren(sizer.handle, el("header", { class: "panel-head" }, title, size, close), body);
  return { title, close, body };
}

/**
 * @param {HTMLElement} body
 * @param {string} selector
 * @param {string} typed
 */
function narrow(body, selector, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(selector))) {
    const text = `${one.closest(".group")?.querySelector("h3")?.textContent ?? ""} ${one.textContent ?? ""}`.toLowerCase();
    one.hidden = !words.every((word) => text.includes(word));
    if (!one.hidden) found += 1;
  }
  for (const group of /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(".group"))) group.hidden = !group.querySelector(`${selector}:not([hidden])`);
  body.querySelector("[data-narrow-none]")?.toggleAttribute("hidden", found > 0);
}

/** @param {string} name */
function nameOf(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
