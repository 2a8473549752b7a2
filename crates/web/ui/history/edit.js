// A pair's texts, edited where they stand (HIS-5).

import { wordsOf } from "../base/api.js";
import { el } from "../base/dom.js";
import { collapse, expand } from "../files/tokens.js";

/** @typedef {{userText: string, assistantText: string | null}} Texts */

/**
 * The fields that differ, or null when none does. Pure.
 * @param {Texts} before
 * @param {Texts} now
 */
export function changes(before, now) {
  /** @type {Partial<Texts>} */
  const changed = {};
  if (now.userText !== before.userText) changed.userText = now.userText;
  if (now.assistantText !== before.assistantText) changed.assistantText = now.assistantText;
  return Object.keys(changed).length ? changed : null;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(article: HTMLElement) => (string | null)[]} deps.namesIn  of the files of a pair
 * @param {() => void} deps.undo  brings back what was deleted last
 */
export function createEdits({ api, win, toast, namesIn, undo }) {
  /** What is being edited; it outlives the element, which may be scrolled or rendered away. */
  /** The message is edited as the composer shows it, its files as marks. */
  /** @type {Map<string, {before: Texts, now: Texts, shown: string, revision: number, marks: Map<string, import("../files/tokens.js").Mark>}>} */
  const open = new Map();

  /**
   * @param {HTMLElement} article
   * @param {boolean} focus
   */
  function build(article, focus) {
    const id = article.dataset["id"] ?? "";
    const edit = open.get(id);
    const body = article.querySelector(".body");
    if (!edit || !body || article.classList.contains("editing")) return;
    const field = (/** @type {keyof Texts} */ name, /** @type {string} */ label) => {
      const area = el("textarea", { "aria-label": label, class: "edit-text", rows: 3 });
      area.value = name === "userText" ? edit.shown : (edit.now[name] ?? "");
      area.addEventListener("input", () => {
        if (name === "userText") edit.shown = area.value;
        edit.now = { ...edit.now, [name]: name === "userText" ? expand(area.value, edit.marks).text : area.value };
      });
      return el("label", {}, el("span", {}, label), area);
    };
    const form = el("form", { class: "edit" },
      field("userText", "Message"),
      edit.before.assistantText !== null && field("assistantText", "Reply"),
      el("p", { class: "problem", hidden: true }),
      el("div", { class: "acts" },
        el("button", { type: "submit", class: "btn pri" }, "Save ", el("kbd", {}, "Ctrl+Enter")),
        el("button", { type: "button", class: "btn", onclick: () => leave(article) }, "Cancel ", el("kbd", {}, "Esc"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void save(article, form);
    });
    form.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      else if (event.key === "Escape") leave(article);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    const show = () => {
      article.classList.add("editing");
      body.prepend(form);
    };
    if (article.isConnected) win.anchor.keep(show);
    else show();
    if (focus) form.querySelector("textarea")?.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} article */
  function leave(article) {
    open.delete(article.dataset["id"] ?? "");
    article.focus({ preventScroll: true });
    win.anchor.keep(() => {
      article.classList.remove("editing");
      article.querySelector("form.edit")?.remove();
    });
  }

  /**
   * @param {HTMLElement} article
   * @param {HTMLFormElement} form
   */
  async function save(article, form) {
    const id = article.dataset["id"] ?? "";
    const edit = open.get(id);
    if (!edit) return;
    const changed = changes(edit.before, edit.now);
    try {
      if (changed) await api.call("PATCH", `/api/pairs/${encodeURIComponent(id)}`, { ...changed, revision: edit.revision });
      const now = win.find(id);
      if (now) leave(now);
      else open.delete(id);
    } catch (error) {
      // The pair may have been drawn again meanwhile, and its form with it.
      const problem = (form.isConnected ? form : win.find(id))?.querySelector(".problem");
      if (problem instanceof HTMLElement) {
        problem.textContent = wordsOf(error);
        problem.hidden = false;
      } else toast(wordsOf(error), { error: true });
    }
  }

  return {
    /** @param {HTMLElement} article */
    async start(article) {
      const id = article.dataset["id"] ?? "";
      if (!open.has(id)) {
        const pair = await api.call("GET", `/api/pairs/${encodeURIComponent(id)}`);
        const texts = { userText: pair.userText, assistantText: pair.assistantText ?? null };
        const names = namesIn(article);
        const { text: shown, marks } = collapse(pair.userText, (pair.attachments ?? []).map((/** @type {import("../types.js").Attachment} */ entry, /** @type {number} */ i) => ({ ...entry, name: names[i] ?? null })));
        open.set(id, { before: texts, now: texts, shown, marks, revision: pair.revision });
      }
      build(win.find(id) ?? article, true);
    },
    /**
     * Pairs were deleted, perhaps elsewhere. Who was editing one of them hears of it; the words
     * are kept, and come back with the pair.
     * @param {readonly string[]} pairs
     */
    gone(pairs) {
      if (!pairs.some((id) => open.has(id))) return;
      toast("The pair that you were editing was deleted. What you wrote comes back with it.", { label: "Undo", act: undo });
    },
    /**
     * Opens again what was being edited when its pair was rendered anew.
     * @param {HTMLElement} root
     */
    restore(root) {
      for (const id of open.keys()) {
        const article = root.dataset["id"] === id ? root : root.querySelector(`.pair[data-id="${CSS.escape(id)}"]`);
        if (article instanceof HTMLElement) build(article, false);
      }
    },
  };
}
