// The sidebar: conversations by age, a new one, and what can be done to each (UI-15).

import { Problem, wordsOf } from "../base/api.js";
import { askText, confirm } from "../base/dialog.js";
import { closest, debounced, el, must } from "../base/dom.js";
import { choose } from "../base/popup.js";
import { counted, grouped } from "../base/text.js";
import { keep, recall } from "../base/theme.js";
import { ageOf, compact, headingOf } from "./list.js";
import { PAGE, createPages } from "./pages.js";
import { keepingPlace, shownConversations } from "./scrolling.js";
import { addressOf } from "../base/place.js";

/** @typedef {import("./list.js").Conversation} Conversation */

const RELOAD_MS = 150;
const SEARCH_MS = 120;
/** After the pointer moved over the list it stands still for so long: somebody may be about to press. */
const AIM_MS = 400;
/** Within so many pixels of the end the next page is fetched. */
const NEAR_END = 600;
/** So many more than are in view are fetched anew, so that scrolling on finds them there. */
const BELOW = 40;
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
  const pages = createPages((query) => api.call("GET", `/api/conversations?${query}`));
  let loaded = false;
  /** The words whose hits are drawn. */
  let drawnFor = "";
  /** Whether the next page could not be fetched; then nobody asks again but by the button. */
  let failed = false;
  /** Whether something in the list is being pressed, when the pointer last moved over it, and
   *  whether the list waits to be drawn. */
  let pressed = false;
  let aimed = -AIM_MS;
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
    return el("div", { class: `conv${here ? " on" : ""}`, "data-id": one.id, "data-at": one.updatedAt },
      el("a", { href: addressFor(one), title: one.title, "aria-current": here ? "page" : false },
        el("b", {}, one.title),
        el("span", { class: "mono", title: weight ? `About ${weight.slice(1)} tokens, by the length of its ${counted(one.pairs, "pair")}` : "" }, weight),
        el("span", { class: "meta" }, `${model}${ageOf(one.updatedAt, now)}`)),
      el("button", { type: "button", class: "tool more", "aria-label": `More for “${one.title}”`, title: "Rename, move, delete", "aria-haspopup": "listbox" }, "⋯"));
  }

  /** @param {readonly Conversation[]} some */
  function append(some) {
    const now = Date.now();
    const searched = pages.find() !== "";
    let last = [...list.querySelectorAll(".day")].at(-1)?.textContent ?? "";
    for (const one of some) {
      const heading = searched ? last || `${grouped(pages.total())} found` : headingOf(one.updatedAt, now);
      if (heading !== last) list.append(el("p", { class: "day" }, heading));
      last = heading;
      list.append(item(one, now));
    }
  }

  /** @param {boolean} searched */
  const nothing = (searched) => (searched
    ? el("p", { class: "muted" }, "No title holds these words. The box at the top searches all messages.")
    : el("p", { class: "muted" }, "Your conversations will stand here. ",
      el("button", { type: "button", class: "link", "data-import": true }, "Import those of ChatGPT or Claude")));

  function draw() {
    // What somebody presses, or is about to, does not move under the pointer: the click would be
    // lost, or open another conversation.
    late = pressed || still() > 0;
    if (late) {
      if (!pressed) setTimeout(drawLate, still());
      return;
    }
    failed = false;
    const all = pages.all();
    const redraw = () => {
      list.replaceChildren();
      append(all);
      if (!all.length) list.append(nothing(pages.find() !== ""));
    };
    if (drawnFor === pages.find()) keepingPlace(list, all, redraw);
    else {
      redraw();
      list.scrollTop = 0;
    }
    drawnFor = pages.find();
    void fill();
  }

  /** For how long the list must not move yet. */
  const still = () => aimed + AIM_MS - performance.now();

  function drawLate() {
    if (late) draw();
  }

  /**
   * @param {unknown} error
   * @param {() => void} again
   */
  function tell(error, again) {
    failed = true;
    list.querySelector(".problem")?.remove();
    list.append(el("p", { class: "problem", role: "alert" }, wordsOf(error), " ", el("button", { type: "button", class: "btn", onclick: again }, "Try again")));
  }

  /** Fetches the next page where the end is near. */
  async function fill() {
    if (failed || pages.ended() || !isOpen()) return;
    if (list.scrollTop + list.clientHeight < list.scrollHeight - NEAR_END) return;
    try {
      const added = await pages.more();
      append(added);
      if (added.length) void fill();
    } catch (error) {
      tell(error, () => {
        failed = false;
        list.querySelector(".problem")?.remove();
        void fill();
      });
    }
  }

  /** The conversations down to where somebody looks, as they are now. */
  async function load() {
    try {
      const { last } = shownConversations(list);
      if (!(await pages.reload(Math.max(PAGE, last + BELOW)))) return;
      loaded = true;
      draw();
    } catch (error) {
      // A lost connection is told below, and its return brings the list again.
      if (loaded && error instanceof Problem && error.code === "offline") return;
      tell(error, () => void load());
    }
  }
  const reload = debounced(RELOAD_MS, () => void load());

  async function search() {
    searching.drop();
    // Who types wants to see it now.
    aimed = -AIM_MS;
    try {
      if (await pages.search(field.value.trim())) draw();
    } catch (error) {
      tell(error, () => void search());
    }
  }
  const searching = debounced(SEARCH_MS, () => void search());

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

  /** The first one that holds what stands in the field, which may not have been looked for yet. */
  async function openFirst() {
    const typed = field.value.trim();
    // What happens meanwhile has the list fetched anew, and its answer comes instead.
    for (let tries = 0; tries < 3 && typed !== drawnFor; tries += 1) await search();
    const [first] = pages.all();
    if (first && drawnFor === typed && field.value.trim() === typed) location.assign(addressFor(first));
  }

  list.addEventListener("pointermove", () => { aimed = performance.now(); });
  list.addEventListener("pointerdown", () => { pressed = true; });
  for (const end of ["pointerup", "pointercancel"]) {
    // The click comes right after this.
    addEventListener(end, () => setTimeout(() => {
      pressed = false;
      drawLate();
    }));
  }
  list.addEventListener("click", (event) => {
    const button = closest(event, ".more");
    const one = button && pages.all().find(({ id }) => id === button.closest(".conv")?.getAttribute("data-id"));
    if (one) void menu(one, button);
  });
  list.addEventListener("scroll", () => void fill(), { passive: true });
  field.addEventListener("input", () => searching.call());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && field.value) {
      field.value = "";
      void search();
      event.stopPropagation();
    } else if (event.key === "Enter") {
      void openFirst();
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
