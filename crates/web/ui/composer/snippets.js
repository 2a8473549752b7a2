// The prompt library in the message box (UI-23): `/name` is completed from a list, and the text of a
// snippet comes into the box before it is sent. What stands in the box is what is sent.

import { el } from "../base/dom.js";
import { createList } from "../base/list.js";
import { opening } from "../base/text.js";
import { wordsOf } from "../base/api.js";
import { insertText } from "./insert.js";

/** @typedef {{name: string, text: string, places: string[]}} Snippet */

const PLACE = /\{\{\s*([\p{L}\p{N}_-]+)\s*(?:=((?:(?!\}\}).)*))?\}\}/gsu;
const INPUT = "input";

/**
 * The name of a snippet that a message may begin with, and the words behind it. Pure.
 * @param {string} text
 */
export function calledIn(text) {
  const found = /^\/([a-z0-9_-]*)(\s[\s\S]*)?$/.exec(text);
  return found ? { name: found[1] ?? "", typed: found[2] ?? null } : null;
}

/**
 * `place=value` at the start of what is typed, for places that there are, and then words. Pure.
 * @param {string} text  of the snippet
 * @param {string} typed
 */
function fillingsOf(text, typed) {
  const places = new Set([...text.matchAll(PLACE)].map((match) => match[1]).filter((name) => name !== INPUT));
  /** @type {Map<string, string>} */
  const values = new Map();
  let rest = typed.trim();
  for (;;) {
    const found = /^([\p{L}\p{N}_-]+)=(?:"([^"]*)"|(?!")(\S*))/u.exec(rest);
    if (!found || !places.has(found[1])) break;
    values.set(found[1] ?? "", found[2] ?? found[3] ?? "");
    rest = rest.slice(found[0].length).trimStart();
  }
  return { values, input: rest };
}

/**
 * The text of a snippet with what was typed behind its name; the server's rule is the same. Pure.
 * @param {string} text
 * @param {string} typed
 */
export function expanded(text, typed) {
  const { values, input } = fillingsOf(text, typed);
  let tookInput = false;
  const filled = text.replace(PLACE, (written, /** @type {string} */ name, /** @type {string | undefined} */ word) => {
    if (name !== INPUT) return values.get(name) ?? word?.trim() ?? written;
    tookInput = true;
    return input;
  });
  return !tookInput && input ? `${filled.trimEnd()}\n\n${input}` : filled;
}

/**
 * The next place to fill in, from a position on; from the start if none follows. Pure.
 * @param {string} text
 * @param {number} from
 * @returns {[number, number] | null}
 */
export function nextPlace(text, from) {
  const places = [...text.matchAll(PLACE)];
  const next = places.find(({ index }) => index >= from) ?? places[0];
  return next ? [next.index, next.index + next[0].length] : null;
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {HTMLButtonElement} deps.button  opens the list by mouse
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {() => void} deps.edit  opens the panel where snippets are made
 */
export function createSnippets({ area, button, api, toast, edit }) {
  const box = el("ul", { class: "menu", id: "snippet-menu", role: "listbox", "aria-label": "Snippets", hidden: true });
  (area.closest("footer") ?? document.body).append(box);
  const list = createList(box, area);
  let turn = 0;
  /** Places of a snippet are being filled in: Tab goes to the next one. */
  let filling = false;

  /** @returns {Promise<Snippet[]>} */
  const load = async () => (await api.call("GET", "/api/snippets")).snippets;

  function close() {
    turn += 1;
    list.close();
  }

  /**
   * Puts a snippet into the box in place of what called it; the first place to fill in is selected.
   * @param {Snippet} snippet
   * @param {string} typed
   */
  function put(snippet, typed) {
    close();
    const called = calledIn(area.value);
    const text = expanded(snippet.text, typed);
    // By the button it comes where the caret is, and nothing that was written goes.
    const from = called ? 0 : area.selectionStart;
    insertText(area, text, from, called ? area.value.length : area.selectionEnd);
    const place = nextPlace(area.value, from);
    filling = place !== null && place[0] < from + text.length;
    if (filling && place) area.setSelectionRange(...place);
    // The list closes also where the text itself begins with a slash.
    close();
  }

  /**
   * @param {Snippet[]} snippets
   * @param {string} begun  the beginning of a name
   */
  function show(snippets, begun) {
    const found = snippets.filter(({ name }) => name.startsWith(begun));
    const items = found.map((snippet) => ({ label: `/${snippet.name}`, detail: opening(snippet.text, 48), choose: () => put(snippet, "") }));
    const more = { label: snippets.length ? "Edit snippets …" : "Make a snippet …", choose() { close(); edit(); } };
    // A beginning that nothing has is a message like any other.
    if (!found.length && begun) return close();
    place();
    list.show([...items, more], found.length && found[0]?.name === begun ? 0 : -1);
  }

  function place() {
    const frame = (area.closest(".box") ?? area).getBoundingClientRect();
    box.style.left = `${frame.left}px`;
    box.style.width = `${Math.min(frame.width, 640)}px`;
    box.style.bottom = `${document.documentElement.clientHeight - frame.top + 4}px`;
    box.style.maxHeight = `${Math.max(120, Math.min(320, frame.top - 16))}px`;
  }

  async function offer() {
    const mine = (turn += 1);
    try {
      const snippets = await load();
      const called = calledIn(area.value);
      if (mine === turn && called && called.typed === null && document.activeElement === area) show(snippets, called.name);
    } catch {
      close();
    }
  }

  area.addEventListener("input", () => {
    const called = calledIn(area.value);
    if (called && called.typed === null) void offer();
    else close();
  });
  area.addEventListener("blur", () => {
    close();
    filling = false;
  });
  area.addEventListener("keydown", (event) => {
    if (event.isComposing || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!list.open) return void (event.key === "Tab" && filling && fillNext(event));
    const act = {
      ArrowDown: () => list.move(1),
      ArrowUp: () => list.move(-1),
      Escape: close,
      Tab: () => list.accept(),
      ...(list.chosen ? { Enter: () => list.accept() } : {}),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });

  /** @param {KeyboardEvent} event */
  function fillNext(event) {
    const next = nextPlace(area.value, area.selectionEnd);
    filling = next !== null;
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    area.setSelectionRange(...next);
  }

  // The box keeps the focus, so that the list steers it.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    if (list.open) return close();
    area.focus({ preventScroll: true });
    const mine = (turn += 1);
    return void load().then((snippets) => { if (mine === turn) show(snippets, ""); }, (error) => toast(wordsOf(error), { error: true }));
  });

  return {
    /**
     * Whether a snippet that the message calls by its name came into the box: it is seen before it
     * is sent. What names none is sent as it was typed.
     */
    async expand() {
      const called = calledIn(area.value);
      if (!called?.name) return false;
      const text = area.value;
      const snippets = await load().catch(() => /** @type {Snippet[]} */ ([]));
      const snippet = snippets.find(({ name }) => name === called.name);
      if (!snippet || area.value !== text) return false;
      put(snippet, called.typed ?? "");
      return true;
    },
  };
}
