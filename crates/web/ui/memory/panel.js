// The Memory panel (key m): what coding agents and people have written down, to search, read,
// change and attach to a message (MEM-9).

import { Problem, wordsOf } from "../base/api.js";
import { debounced, el, takesText } from "../base/dom.js";
import { createNoteView } from "./note.js";
import { createUpkeepViews } from "./upkeep.js";
import { TYPES, changesOf, linesOf, listPath, listWords, noteFile, noteLine, warningWords } from "./text.js";

const SEARCH_MS = 150;
/** Several notes saved at once are one reload. */
const CHANGED_MS = 120;

/** @typedef {import("../types.js").Note} Note */
/** @typedef {import("../types.js").NoteList} NoteList */
/** @typedef {import("../types.js").WholeNote} WholeNote */

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token: string) => void} deps.undo
 * @param {(words: string) => void} deps.say
 * @param {(parts: import("../files/paste.js").Part[]) => void} deps.attach
 */
export function createMemoryPanel({ api, toast, undo, say, attach }) {
  let turn = 0;
  /** The note that is shown; null: the list. @type {WholeNote | null} */
  let shown = null;
  /** The note that was asked for last, shown or on its way. @type {number | null} */
  let wanted = null;
  /** What the list shows, word for word: what did not change is left alone. */
  let listed = "";
  let editing = false;
  /** What is shown beside notes: those that wait, or those that were deleted. @type {"pending" | "deleted" | null} */
  let beside = null;

  const search = el("input", { type: "search", "aria-label": "Search the memory", placeholder: "words", autocomplete: "off", spellcheck: "false" });
  const type = el("select", { "aria-label": "Type" });
  const project = el("select", { "aria-label": "Project" });
  const count = el("p", { class: "muted", role: "status" });
  const list = el("ul", { class: "notes", "aria-label": "Notes" });
  const waiting = el("button", { type: "button", class: "btn waiting", hidden: true, onclick: () => void aside("pending") });
  const gone = el("button", { type: "button", class: "link", hidden: true, onclick: () => void aside("deleted") });
  const rows = el("div", {}, el("div", { class: "row" }, search, type, project, el("button", { type: "button", class: "btn", onclick: () => form(null) }, "New note"), waiting), count, list, el("p", {}, gone));
  const one = el("div", { hidden: true });
  const root = el("div", { class: "memorypanel" }, rows, one);

  /** @param {unknown} error */
  const fail = (error) => void toast(wordsOf(error), { error: true });
  const later = debounced(SEARCH_MS, () => void load());
  search.addEventListener("input", () => later.call());
  type.addEventListener("change", () => void load());
  project.addEventListener("change", () => void load());

  /** @param {{id: number}} note  as a file that stands in the message */
  async function insert(note) {
    /** @type {WholeNote} */
    const whole = "content" in note ? /** @type {WholeNote} */ (note) : await api.call("GET", `/api/memory/${note.id}`);
    const { name, text } = noteFile(whole);
    attach([{ kind: "file", name, blob: new File([text], name, { type: "text/markdown" }) }]);
  }

  /**
   * @param {HTMLSelectElement} select
   * @param {string} all
   * @param {{name: string, count: number}[]} groups
   */
  function choices(select, all, groups) {
    const value = select.value;
    const names = groups.map(({ name }) => name);
    if (value && !names.includes(value)) groups = [{ name: value, count: 0 }, ...groups];
    select.replaceChildren(el("option", { value: "" }, all), ...groups.map(({ name, count: n }) => el("option", { value: name }, `${name} (${n})`)));
    select.value = value;
  }

  async function load() {
    const mine = (turn += 1);
    try {
      /** @type {NoteList} */
      const told = await api.call("GET", listPath({ query: search.value, type: type.value, project: project.value }));
      if (mine !== turn) return;
      const focused = document.activeElement instanceof HTMLElement && list.contains(document.activeElement) ? document.activeElement : null;
      const key = focused && `${focused.closest("li")?.dataset["id"]} ${focused.dataset["do"]}`;
      choices(type, "all types", told.types);
      choices(project, "all projects", told.projects);
      waiting.hidden = told.pending === 0;
      waiting.textContent = `Waiting for review (${told.pending})`;
      gone.hidden = told.deleted === 0;
      gone.textContent = `Deleted notes (${told.deleted})`;
      const words = listWords(told, Boolean(search.value.trim() || type.value || project.value));
      if (count.textContent !== words) count.textContent = words;
      if (listed === JSON.stringify(told.notes)) return;
      listed = JSON.stringify(told.notes);
      list.replaceChildren(...told.notes.map(row));
      if (key) [...list.querySelectorAll("button")].find((button) => `${button.closest("li")?.dataset["id"]} ${button.dataset["do"]}` === key)?.focus({ preventScroll: true });
    } catch (error) {
      listed = "";
      if (mine === turn) list.replaceChildren(el("li", { class: "problem" }, wordsOf(error)));
    }
  }

  /** @param {Note} note */
  function row(note) {
    const words = el("p", { class: "note-snippet" });
    // Escaped by the server, but for the marks around what was found.
    words.innerHTML = note.snippetHtml;
    const title = el("bdi", {}, note.title);
    return el("li", { "data-id": note.prompt ? `p${note.id}` : note.id },
      note.prompt ? el("span", { class: "note-name" }, title) : el("button", { type: "button", class: "note-name link", "data-do": "open", onclick: () => void open(note.id) }, title),
      el("div", { class: "muted" }, noteLine(note)),
      note.warnings.length ? el("div", { class: "warning" }, warningWords(note)) : null,
      note.snippetHtml ? words : null,
      note.prompt ? null : el("div", { class: "acts" },
        el("button", { type: "button", class: "link", "data-do": "attach", "aria-label": `Attach ${note.title} to the message`, onclick: () => void insert(note).catch(fail) }, "Attach")));
  }

  /** @param {HTMLElement | null} content  in place of the list; null is the list */
  function show(content) {
    rows.hidden = content !== null;
    one.hidden = content === null;
    one.replaceChildren(...(content ? [content] : []));
  }

  async function back() {
    const from = shown?.id;
    shown = null;
    wanted = null;
    editing = false;
    const left = beside;
    beside = null;
    show(null);
    await load();
    if (left) return void focusFirst(left === "pending" ? waiting : gone);
    const name = list.querySelector(`li[data-id="${from}"] button`);
    if (name instanceof HTMLElement) name.focus({ preventScroll: true });
    else search.focus({ preventScroll: true });
    return undefined;
  }

  /** @param {HTMLElement} wished  or the search, where it is not there any more */
  const focusFirst = (wished) => (wished.hidden ? search : wished).focus({ preventScroll: true });

  const view = createNoteView({ api, toast, undo, insert: (note) => void insert(note).catch(fail), edit: form, open, back });

  const upkeep = createUpkeepViews({ api, toast, open, back });

  /** @param {"pending" | "deleted"} what */
  async function aside(what) {
    const mine = (turn += 1);
    const first = beside !== what;
    beside = what;
    wanted = null;
    shown = null;
    try {
      const page = await upkeep[what](() => aside(what));
      if (mine !== turn) return;
      const focused = one.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
      show(page);
      const buttons = [...page.querySelectorAll("button")];
      // The same button, else the first of the next note, else the way back.
      const next = buttons.find((button) => focused && button.getAttribute("aria-label") === focused) ?? buttons.find((button) => button.closest("li")) ?? buttons[0];
      if (first || focused) next?.focus({ preventScroll: true });
      if (first) root.parentElement?.scrollTo({ top: 0 });
    } catch (error) {
      fail(error);
    }
  }

  /** @param {number} id */
  async function open(id) {
    const mine = (turn += 1);
    beside = null;
    wanted = id;
    try {
      /** @type {WholeNote} */
      const note = await api.call("GET", `/api/memory/${id}`);
      if (mine !== turn) return;
      if (!editing && JSON.stringify(note) === JSON.stringify(shown)) return;
      const other = shown?.id !== id;
      const opened = other ? [] : [...one.querySelectorAll("details[open]")].map((box) => box.className + (box.getAttribute("data-revision") ?? ""));
      const held = !other && one.contains(document.activeElement);
      shown = note;
      editing = false;
      show(view(note));
      for (const box of one.querySelectorAll("details")) box.open = opened.includes(box.className + (box.getAttribute("data-revision") ?? ""));
      if (other || held) one.querySelector("button")?.focus({ preventScroll: true });
      if (other) root.parentElement?.scrollTo({ top: 0 });
    } catch (error) {
      if (mine !== turn) return;
      if (error instanceof Problem && error.status === 404 && shown?.id === id) {
        toast(`Note #${id} is gone.`);
        return void back();
      }
      fail(error);
    }
    return undefined;
  }

  /** @param {WholeNote | null} note  null: a new one */
  function form(note) {
    editing = true;
    // What was asked for before comes too late: it must not take the form away.
    turn += 1;
    /**
     * @param {string} name
     * @param {string} value
     * @param {Record<string, string | number | boolean>} [more]
     */
    const field = (name, value, more = {}) => el("input", { name, value, autocomplete: "off", ...more });
    const before = { title: note?.title ?? "", type: note?.type ?? "", project: note?.project ?? project.value, scope: note?.scope ?? "project", topicKey: note?.topicKey ?? "", anchors: note?.anchors.map(({ target }) => target).join("\n") ?? "", expires: "", content: note?.content ?? "" };
    const scope = el("select", { name: "scope" }, ...["project", "personal"].map((value) => el("option", { value, selected: value === before.scope }, value)));
    const area = el("textarea", { name: "content", rows: 8, required: true });
    area.value = before.content;
    const about = el("textarea", { name: "anchors", rows: 2, placeholder: "src/auth.rs#renew, one a line" });
    about.value = before.anchors;
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const leave = () => (note ? open(note.id) : back());
    const box = el("form", { class: "note-form" },
      el("label", {}, "Title", field("title", before.title, { required: true, maxlength: 500 })),
      el("label", {}, "Text", area),
      el("label", {}, "Type", field("type", before.type, { list: "note-types", placeholder: "manual" })),
      el("datalist", { id: "note-types" }, ...TYPES.map((value) => el("option", { value }))),
      el("label", {}, "Project", field("project", before.project, { placeholder: "the one of this folder" })),
      el("label", {}, "For", scope),
      el("label", {}, "Topic key", field("topicKey", before.topicKey, { placeholder: "none", title: "A note that is saved with the same key replaces the text of this one" })),
      el("label", {}, "About these files, symbols or commits", about),
      el("label", {}, "Expires", field("expires", "", { placeholder: note?.expires ? `${note.expires}; or never` : "never; or 2026-12-31, 30d" })),
      problem,
      el("div", { class: "acts" }, el("button", { type: "submit", class: "btn pri" }, "Save"), el("button", { type: "button", class: "btn", onclick: () => void leave() }, "Cancel")));
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      const now = Object.fromEntries([...new FormData(box)].map(([name, value]) => [name, String(value).replaceAll("\r\n", "\n")]));
      void save(note, before, now).catch((error) => {
        problem.textContent = wordsOf(error);
        problem.hidden = false;
      });
    });
    show(box);
    box.querySelector("input")?.focus({ preventScroll: true });
    root.parentElement?.scrollTo({ top: 0 });
  }

  /**
   * @param {WholeNote | null} note
   * @param {Record<string, string>} before
   * @param {Record<string, string>} now
   */
  async function save(note, before, now) {
    if (!note) {
      const given = Object.fromEntries(Object.entries(now).filter(([, value]) => value));
      const made = await api.call("POST", "/api/memory", { ...given, anchors: linesOf(now["anchors"] ?? "") });
      say(`Saved as note #${made.id}.`);
      return open(made.id);
    }
    const changes = changesOf(before, now);
    const anchors = changes && "anchors" in changes ? { anchors: linesOf(changes["anchors"] ?? "") } : {};
    if (changes) await api.call("PATCH", `/api/memory/${note.id}`, { ...changes, ...anchors, revision: note.revision });
    say(changes ? "Saved; the earlier text is kept." : "Nothing was changed.");
    return open(note.id);
  }

  const fresh = debounced(CHANGED_MS, () => {
    if (!root.isConnected || editing) return;
    if (beside) return void aside(beside);
    if (wanted === null) return void load();
    // Who fills in a relation is not disturbed.
    if (!(one.contains(document.activeElement) && takesText(document.activeElement))) void open(wanted);
    return undefined;
  });

  return {
    /** @param {HTMLElement} body  where the panel is drawn */
    async render(body) {
      if (root.parentElement !== body) {
        body.replaceChildren(root);
        if (!editing && beside) await aside(beside);
        if (!editing && wanted !== null) await open(wanted);
      }
      if (wanted === null && !editing && !beside) await load();
    },
    /** Somebody wrote into the memory. */
    changed: () => fresh.call(),
  };
}
