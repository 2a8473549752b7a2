// The sidebar: conversations by age, a new one, and what can be done to each (UI-15).

import { wordsOf } from "../base/api.js";
import { askText, confirm } from "../base/dialog.js";
import { closest, debounced, el, must } from "../base/dom.js";
import { choose } from "../base/popup.js";
import { counted } from "../base/text.js";
import { keep, recall } from "../base/theme.js";
import { ageOf, compact, found, headingOf } from "./list.js";
import { addressOf } from "../base/place.js";

/** @typedef {import("./list.js").Conversation} Conversation */

/** So many are drawn at once; more when somebody comes near the end. */
const STEP = 80;
const RELOAD_MS = 150;
/** Below this width the list lies over the page, and is closed until somebody wants it. */
const DRAWER = "(max-width: 900px)";
const OPEN = "sidebar";

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/place.js").Place} deps.place
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token?: string) => Promise<void>} deps.undo
 * @param {() => void} deps.write  to the message box
 */
export function createSidebar({ api, place, toast, undo, write }) {
  const side = must("#side", HTMLElement);
  const list = must("#side-list", HTMLElement);
  const field = must("#side-find", HTMLInputElement);
  const opener = must("#side-open", HTMLButtonElement);
  const shade = must("#side-shade", HTMLElement);
  const fresh = must("#new-chat", HTMLAnchorElement);
  const drawer = matchMedia(DRAWER);
  const panels = must("#panels", HTMLElement);
  const besidePanels = must(".bar > .icons:not(#panels)", HTMLElement);
  /** @type {Conversation[]} */
  let all = [];
  let drawn = 0;
  let loaded = false;
  /** Whether something in the list is being pressed, and whether it waits to be drawn. */
  let pressed = false;
  let late = false;

  const isOpen = () => document.body.dataset["side"] === "open";

  /**
   * @param {boolean} open
   * @param {{remember?: boolean}} [how]
   */
  function show(open, { remember = true } = {}) {
    document.body.dataset["side"] = open ? "open" : "closed";
    opener.setAttribute("aria-expanded", String(open));
    shade.hidden = !(open && drawer.matches);
    // Their place is below the list; without it, in the bar.
    if (open && !drawer.matches) side.append(panels);
    else besidePanels.before(panels);
    if (remember && !drawer.matches) keep(OPEN, open ? null : "closed");
    if (open && !loaded) void load();
  }

  /** @param {Conversation} one */
  const addressFor = (one) => addressOf({ ...place, conversation: one.id, scope: "conversation" });

  /**
   * @param {Conversation} one
   * @param {number} now
   */
  function item(one, now) {
    const here = one.id === place.conversation;
    const model = one.model ? `${one.model} · ` : "";
    const weight = one.tokens ? `~${compact(one.tokens)}` : "";
    return el("div", { class: `conv${here ? " on" : ""}`, "data-id": one.id },
      el("a", { href: addressFor(one), title: one.title, "aria-current": here ? "page" : false },
        el("b", {}, one.title),
        el("span", { class: "mono", title: weight ? `About ${weight.slice(1)} tokens, by the length of its ${counted(one.pairs, "pair")}` : "" }, weight),
        el("span", { class: "meta" }, `${model}${ageOf(one.updatedAt, now)}`)),
      el("button", { type: "button", class: "tool more", "aria-label": `More for “${one.title}”`, title: "Rename, move, delete", "aria-haspopup": "listbox" }, "⋯"));
  }

  function drawMore() {
    const wanted = found(all, field.value);
    const now = Date.now();
    const part = wanted.slice(drawn, drawn + STEP);
    const searched = field.value.trim() !== "";
    let last = list.querySelector(".day:last-of-type")?.textContent ?? "";
    for (const one of part) {
      const heading = searched ? "Found" : headingOf(one.updatedAt, now);
      if (heading !== last) list.append(el("p", { class: "day" }, heading));
      last = heading;
      list.append(item(one, now));
    }
    drawn += part.length;
    if (!wanted.length) list.append(el("p", { class: "muted" }, searched ? "No title holds these words. The box at the top searches all messages." : "Your conversations will stand here."));
  }

  function draw() {
    const at = list.scrollTop;
    const many = Math.max(drawn, STEP);
    list.replaceChildren();
    drawn = 0;
    do drawMore(); while (drawn < many && drawn < found(all, field.value).length);
    list.scrollTop = at;
  }

  async function load() {
    try {
      all = (await api.call("GET", "/api/conversations")).conversations;
      loaded = true;
      // What somebody is pressing is not drawn anew under the finger: the click would be lost.
      if (pressed) late = true;
      else draw();
    } catch {
      // The reconnection tells of conversations again.
    }
  }
  const reload = debounced(RELOAD_MS, () => void load());

  /** @param {Conversation} one */
  async function rename(one) {
    const title = await askText({ title: "Rename this conversation", label: "Title", value: one.title, ok: "Rename" });
    if (title === null || title.trim() === "" || title === one.title) return;
    await api.call("PATCH", `/api/conversations/${one.id}`, { title: title.trim() });
  }

  /** @param {Conversation} one */
  async function remove(one) {
    if (!(await confirm(`“${one.title}” with its ${counted(one.pairs, "pair")}. It can be brought back for a while.`, { ok: "Delete", title: "Delete this conversation?" }))) return;
    const gone = await api.call("DELETE", `/api/conversations/${one.id}`);
    if (one.id === place.conversation) {
      // Here is nothing left to look at.
      keep("said", JSON.stringify({ text: gone.done, undo: gone.undo ?? null }));
      location.assign(fresh.href);
      return;
    }
    toast(gone.done, gone.undo ? { label: "Undo", act: () => void undo(gone.undo) } : {});
  }

  /**
   * @param {Conversation} one
   * @param {HTMLElement} anchor
   */
  async function move(one, anchor) {
    const { topics } = await api.call("GET", "/api/topics");
    const options = topics.filter((/** @type {any} */ topic) => topic.id !== one.id)
      .map((/** @type {any} */ topic) => ({ value: topic.id, label: topic.path.slice(1).replaceAll("/", " › ") }));
    const below = await choose({ anchor, label: "Move below", options: [{ value: "/", label: "No topic: at the top" }, ...options] });
    if (below !== null) await api.call("PATCH", `/api/topics/${one.id}`, { parent: below === "/" ? "" : below });
  }

  /**
   * @param {Conversation} one
   * @param {HTMLElement} anchor
   */
  async function menu(one, anchor) {
    try {
      const act = await choose({ anchor, label: `“${one.title}”`, options: [{ value: "rename", label: "Rename" }, { value: "move", label: "Move" }, { value: "delete", label: "Delete" }] });
      if (act === "rename") await rename(one);
      if (act === "move") await move(one, anchor);
      if (act === "delete") await remove(one);
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  }

  list.addEventListener("pointerdown", () => { pressed = true; });
  for (const end of ["pointerup", "pointercancel"]) {
    // The click comes right after this.
    addEventListener(end, () => setTimeout(() => {
      pressed = false;
      if (late) draw();
      late = false;
    }));
  }
  list.addEventListener("click", (event) => {
    const button = closest(event, ".more");
    const one = button && all.find(({ id }) => id === button.closest(".conv")?.getAttribute("data-id"));
    if (one) void menu(one, button);
  });
  list.addEventListener("scroll", () => {
    if (list.scrollTop + list.clientHeight > list.scrollHeight - 400 && drawn < found(all, field.value).length) drawMore();
  }, { passive: true });
  field.addEventListener("input", () => {
    drawn = 0;
    draw();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && field.value) {
      field.value = "";
      draw();
      event.stopPropagation();
    } else if (event.key === "Enter") {
      const [first] = found(all, field.value);
      if (first) location.assign(addressFor(first));
    }
  });
  opener.addEventListener("click", () => show(!isOpen()));
  must("#side-close", HTMLButtonElement).addEventListener("click", () => show(false));
  shade.addEventListener("click", () => show(false));
  drawer.addEventListener("change", () => show(!drawer.matches && recall(OPEN) !== "closed", { remember: false }));
  show(!drawer.matches && recall(OPEN) !== "closed", { remember: false });

  return {
    /** Something was said somewhere, or a conversation came or went. */
    changed() {
      if (isOpen()) reload.call();
      else loaded = false;
    },
    toggle() {
      show(!isOpen());
      if (isOpen()) field.focus();
    },
    /** A conversation that holds nothing yet is the new one. */
    newChat(/** @type {boolean} */ empty) {
      if (empty && place.conversation) return write();
      location.assign(fresh.href);
    },
    /** @param {string} title  of the conversation that is open */
    async renameOpen(title) {
      const { conversation: id } = place;
      if (!id) return;
      try {
        await rename({ id, title, named: true, pairs: 0, updatedAt: "", tokens: 0 });
      } catch (error) {
        toast(wordsOf(error), { error: true });
      }
    },
  };
}
