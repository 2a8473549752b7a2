// Copying texts, and the copy buttons on code blocks (UI-7).

import { closest, el } from "./dom.js";
import { icon } from "./icons.js";

/**
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * Pages that are not served from this machine have no clipboard of their own.
 * @param {string} text
 */
function copyBySelection(text) {
  const focused = document.activeElement;
  const area = el("textarea", { class: "offscreen", readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return done;
}

/**
 * Gives each code block of a rendered part its button.
 * @param {ParentNode} root
 */
export function addCopyButtons(root) {
  for (const figure of root.querySelectorAll("figure.code")) {
    if (figure.querySelector("[data-copy-code]")) continue;
    const button = el("button", { type: "button", class: "tool copy", "data-copy-code": true, title: "Copy this code", "aria-label": "Copy this code" }, icon("copy"));
    const caption = figure.querySelector("figcaption");
    if (caption) caption.append(button);
    else figure.prepend(button);
  }
}

/** One listener for all of them, wherever they are. */
export function bindCopyButtons() {
  document.addEventListener("click", async (event) => {
    const other = closest(event, "[data-copy]");
    const text = other?.parentElement?.querySelector(other.dataset["copy"] || "pre")?.textContent;
    if (other && text && (await copyText(text))) other.textContent = "Copied";
    const button = closest(event, "[data-copy-code]");
    const code = button?.closest("figure.code")?.querySelector("pre");
    if (!button || !code) return;
    const done = await copyText(code.textContent ?? "");
    button.replaceChildren(icon(done ? "check" : "close"));
    button.setAttribute("aria-label", done ? "Copied" : "The browser refuses to copy");
    setTimeout(() => {
      button.replaceChildren(icon("copy"));
      button.setAttribute("aria-label", "Copy this code");
    }, 1600);
  });
}
