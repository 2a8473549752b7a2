// Light, dark, or what the system says (UI-11).

import { icon } from "./icons.js";

const THEMES = /** @type {const} */ (["auto", "light", "dark"]);
/** @typedef {(typeof THEMES)[number]} Theme */

/**
 * Anything that was stored, as a theme. Pure.
 * @param {unknown} value
 * @returns {Theme}
 */
export function themeOf(value) {
  return THEMES.find((theme) => theme === value) ?? "auto";
}

/**
 * The theme that the switch leads to. Pure.
 * @param {Theme} theme
 * @returns {Theme}
 */
export function nextTheme(theme) {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
}

/**
 * Private windows may refuse to remember; the page works without.
 * @param {string} key
 */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string | null} value
 */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // As above.
  }
}

/** Sets the theme before anything else happens. */
export function applyTheme() {
  const stored = recall("theme");
  if (stored) document.documentElement.dataset["theme"] = themeOf(stored);
}

/** @param {HTMLElement} button */
export function bindTheme(button) {
  const root = document.documentElement;
  const draw = () => {
    const theme = themeOf(root.dataset["theme"]);
    const label = `Theme: ${theme}. Switch to ${nextTheme(theme)}`;
    button.replaceChildren(icon(theme === "auto" ? "auto" : theme === "light" ? "sun" : "moon"));
    button.title = label;
    button.setAttribute("aria-label", label);
  };
  button.addEventListener("click", () => {
    root.dataset["theme"] = nextTheme(themeOf(root.dataset["theme"]));
    keep("theme", root.dataset["theme"]);
    draw();
  });
  // Another tab switched.
  addEventListener("storage", (event) => {
    if (event.key !== "theme") return;
    root.dataset["theme"] = themeOf(event.newValue);
    draw();
  });
  draw();
}
