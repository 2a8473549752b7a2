// `@path` in the message: files of this machine, below the roots that the settings allow (INS-2).

import { debounced, el } from "../base/dom.js";
import { insertText } from "../composer/insert.js";
import { createList } from "../base/list.js";
import { plainName } from "./tokens.js";

const ASK_MS = 90;

/** @typedef {{paths: {path: string, directory: boolean}[], roots: string[]}} Found */

/**
 * The path that is being written before the caret, or null. `open` is where one began that is
 * being completed: once there is a list, spaces may be part of it. Pure.
 * @param {string} text
 * @param {number} caret
 * @param {number} [open]  below zero: none
 */
export function pathAt(text, caret, open = -1) {
  const before = text.slice(0, caret);
  if (open >= 0 && text[open] === "@" && caret > open && !before.slice(open).includes("\n")) {
    return { at: open, prefix: before.slice(open + 1) };
  }
  // From the last space on, by hand: nothing is looked at twice, however long the text is.
  let at = caret;
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1;
  return text[at] === "@" && at < caret ? { at, prefix: before.slice(at + 1) } : null;
}

/**
 * Whether somebody means a path for sure, and wants to hear that there is none. `@name` may be
 * a name below an allowed folder, and may be anybody's. Pure.
 * @param {string} prefix
 */
export function isPath(prefix) {
  return /^(?:[/~]|[a-z]:[\\/])/i.test(prefix);
}

/**
 * What is said where nothing is offered. Pure.
 * @param {string} prefix
 * @param {readonly string[]} roots
 */
export function noneWords(prefix, roots) {
  if (prefix && !isPath(prefix)) return "";
  if (!roots.length) return "No folder is open to this page: name some on the terminal: plimsoll settings set allowedRoots FOLDER.";
  return prefix ? `Nothing begins so below ${roots.join(" or ")}` : "";
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {import("../base/api.js").Api} deps.api
 * @param {(path: string) => void} deps.onPath  takes the file in, at the caret
 */
export function bindPaths({ area, api, onPath }) {
  const box = el("ul", { class: "menu mono", id: "path-menu", role: "listbox", "aria-label": "Files of this machine", hidden: true });
  (area.closest("footer") ?? document.body).append(box);
  const list = createList(box, area);
  let turn = 0;
  let open = -1;

  function close() {
    turn += 1;
    open = -1;
    ask.drop();
    list.close();
  }

  /**
   * @param {number} at
   * @param {string} path
   * @param {boolean} directory
   */
  function choose(at, path, directory) {
    if (directory) {
      open = at;
      insertText(area, `@${path.endsWith("/") ? path : `${path}/`}`, at, area.selectionEnd);
      return;
    }
    insertText(area, "", at, area.selectionEnd);
    close();
    onPath(path);
  }

  const ask = debounced(ASK_MS, async () => {
    const mine = (turn += 1);
    const here = pathAt(area.value, area.selectionStart, open);
    if (!here) return close();
    try {
      /** @type {Found} */
      const { paths, roots } = await api.call("GET", `/api/paths?prefix=${encodeURIComponent(here.prefix)}`);
      if (mine !== turn || document.activeElement !== area) return undefined;
      const none = noneWords(here.prefix, roots.map(plainName));
      const items = paths.map(({ path, directory }) => ({
        label: plainName(path) + (directory && !path.endsWith("/") ? "/" : ""), detail: directory ? "folder" : "",
        choose: () => choose(here.at, path, directory),
      }));
      if (!items.length && !none) return close();
      open = items.length ? here.at : -1;
      place();
      list.show(items.length ? items : [{ label: none, off: true, choose() {} }], items.length ? 0 : -1);
    } catch {
      close();
    }
    return undefined;
  });

  function place() {
    const frame = (area.closest(".box") ?? area).getBoundingClientRect();
    const { clientHeight } = document.documentElement;
    box.style.left = `${frame.left}px`;
    box.style.width = `${Math.min(frame.width, 640)}px`;
    box.style.bottom = `${clientHeight - frame.top + 4}px`;
    box.style.maxHeight = `${Math.max(120, Math.min(320, frame.top - 16))}px`;
  }

  area.addEventListener("input", () => {
    if (pathAt(area.value, area.selectionStart, open)) ask.call();
    else if (list.open || open >= 0) close();
  });
  area.addEventListener("blur", close);
  area.addEventListener("keydown", (event) => {
    if (!list.open || event.isComposing) return;
    const act = {
      ArrowDown: () => list.move(1),
      ArrowUp: () => list.move(-1),
      Escape: close,
      ...(list.chosen ? { Enter: () => list.accept(), Tab: () => list.accept() } : {}),
    }[event.key];
    if (!act || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}
