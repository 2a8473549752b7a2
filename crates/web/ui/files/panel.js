// The Files panel (key f): everything that came in or was made, to look at, attach again, take
// along or delete (FIL-1, FIL-2). Files can be dropped on it.

import { wordsOf } from "../base/api.js";
import { confirm } from "../base/dialog.js";
import { debounced, el } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { takeIn } from "./intake.js";
import { contentPath } from "./preview.js";
import { counted, grouped, opening } from "../base/text.js";
import { plainName } from "./tokens.js";
import { Stopped, percentOf } from "./uploads.js";

const SEARCH_MS = 150;

/** @typedef {import("../types.js").FileInfo} FileInfo */
/** @typedef {{files: FileInfo[], limits?: import("../types.js").Limits, section?: {on: boolean, scope: string, tokens: number | null, shown: number, total: number}}} Listing */

/** Whose files a model is told of and may read (FIL-6). */
export const FILES_SCOPES = [
  { value: "conversation", label: "of what is in scope" },
  { value: "pinned", label: "of pinned messages" },
  { value: "all", label: "of all messages" },
  { value: "none", label: "none" },
];

/** @type {[string, string][]} */
const KINDS = [["", "all kinds"], ["IMAGE", "pictures"], ["DOCUMENT", "documents and text"], ["PDF", "PDF"], ["AUDIO", "sound"], ["VOICE", "voice"], ["VIDEO", "video"], ["GENERATED", "made by tools"]];

/** @type {Record<string, import("../base/icons.js").IconName>} */
const ICONS = { IMAGE: "image", AUDIO: "sound", VOICE: "sound", VIDEO: "video", GENERATED: "made" };

/**
 * The line below a name. Pure.
 * @param {FileInfo} file
 */
export function lineOf({ sizeText, tokens, age, source, listed }) {
  const from = { user: [], assistant: ["from the model"], pending: ["from the model, whose answer is on its way"] }[source] ?? [];
  return [sizeText, ...(tokens === null ? [] : [`~${grouped(tokens)} tok`]), age, ...from, ...(listed ? [] : ["not listed to models"])].join(" · ");
}

/**
 * What the switch says. Pure.
 * @param {NonNullable<Listing["section"]>} section
 */
export function sectionWords({ on, scope, tokens, shown, total }) {
  if (!on || scope === "none") return "They are not told which files there are.";
  if (!total) return "There is none to list.";
  const all = shown < total ? `${grouped(shown)} of ${counted(total, "file")}` : counted(total, "file");
  return `${all}${tokens === null ? "" : `, ${grouped(tokens)} tokens`} with each message.`;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("./uploads.js").Uploads} deps.uploads
 * @param {import("./preview.js").PreviewDialog} deps.preview
 * @param {(file: FileInfo) => void} deps.attach
 * @param {(path: string) => string} deps.scope
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token: string) => void} deps.undo
 * @param {(change: {filesScope: string}) => Promise<unknown>} deps.setView
 */
export function createFilesPanel({ api, uploads, preview, attach, scope, toast, undo, setView }) {
  let turn = 0;
  const search = el("input", { type: "search", "aria-label": "Search files", placeholder: "name or words", autocomplete: "off", spellcheck: "false" });
  const kind = el("select", { "aria-label": "Kind" }, ...KINDS.map(([value, words]) => el("option", { value }, words)));
  const picker = el("input", { type: "file", multiple: true, hidden: true });
  const add = el("button", { type: "button", class: "btn", onclick: () => picker.click() }, icon("attach"), "Add files");
  const list = el("ul", { class: "files", "aria-label": "Files" });
  const coming = el("ul", { class: "files", "aria-label": "On their way", hidden: true });
  const box = el("input", { type: "checkbox" });
  const told = el("p", { class: "muted" });
  const whose = el("select", { "aria-label": "Whose files are listed" }, ...FILES_SCOPES.map(({ value, label }) => el("option", { value }, label)));
  const section = el("div", { class: "section", hidden: true }, el("label", {}, box, "List files to models that call tools:"), " ", whose, told);
  const limits = el("p", { class: "muted", hidden: true });
  const root = el("div", { class: "filespanel" }, el("div", { class: "row" }, search, kind, add, picker), limits, coming, list, section);

  /** @param {unknown} error */
  const fail = (error) => void toast(wordsOf(error), { error: true });
  const later = debounced(SEARCH_MS, () => void load());
  search.addEventListener("input", () => later.call());
  kind.addEventListener("change", () => void load());
  picker.addEventListener("change", () => {
    take([...(picker.files ?? [])]);
    picker.value = "";
  });
  box.addEventListener("change", async () => {
    try {
      await api.call("PUT", "/api/files/section", { on: box.checked });
    } catch (error) {
      fail(error);
    }
    await load();
  });

  whose.addEventListener("change", () => void setView({ filesScope: whose.value }).catch(fail).then(load));

  /** @param {Listing["section"]} now */
  function drawSection(now) {
    section.hidden = !now;
    if (!now) return;
    box.checked = now.on;
    whose.value = now.scope;
    told.textContent = sectionWords(now);
  }

  async function load() {
    const mine = (turn += 1);
    try {
      /** @type {Listing} */
      const answer = await api.call("GET", `/api/files?${new URLSearchParams({ query: search.value.trim(), kind: kind.value })}`);
      if (mine !== turn) return;
      const focused = document.activeElement instanceof HTMLElement && list.contains(document.activeElement) ? document.activeElement : null;
      const key = focused && `${focused.closest("li")?.dataset["id"]} ${focused.dataset["do"]}`;
      const empty = search.value || kind.value ? "No file is like that." : "No file yet. Paste, drop or attach one.";
      list.replaceChildren(...(answer.files.length ? answer.files.map(row) : [el("li", { class: "muted" }, empty)]));
      if (key) [...list.querySelectorAll("button")].find((button) => `${button.closest("li")?.dataset["id"]} ${button.dataset["do"]}` === key)?.focus({ preventScroll: true });
      limits.textContent = answer.limits?.words ?? "";
      limits.hidden = !answer.limits?.words;
      drawSection(answer.section);
    } catch (error) {
      if (mine === turn) list.replaceChildren(el("li", { class: "problem" }, wordsOf(error)));
    }
  }

  /** @param {FileInfo} file */
  async function remove(file) {
    const name = plainName(file.name);
    if (!(await confirm(`${name} is deleted. Messages that have it show a broken attachment instead.`, { title: "Delete this file?", ok: "Delete" }))) return;
    const answer = await api.call("DELETE", `/api/files/${encodeURIComponent(file.id)}`);
    toast(`Deleted ${name}.`, answer?.undo ? { label: "Undo", act: () => undo(answer.undo) } : {});
    await load();
  }

  /**
   * Whether models are told of it wherever they are told of files at all.
   * @param {FileInfo} file
   * @param {boolean} on
   */
  async function setListed(file, on) {
    await api.call("PUT", `/api/files/${encodeURIComponent(file.id)}/listed`, { on });
    await load();
  }

  /** @param {FileInfo} file */
  function row(file) {
    const name = plainName(file.name);
    const picture = file.thumbnail ? el("img", { src: scope(file.thumbnail), alt: "", loading: "lazy" }) : icon(ICONS[file.kind] ?? "file");
    const button = (/** @type {string} */ what, /** @type {string} */ label, /** @type {() => unknown} */ act) =>
      el("button", { type: "button", class: "link", "data-do": what, "aria-label": `${label} ${name}`, onclick: () => void Promise.resolve(act()).catch(fail) }, label);
    return el("li", { "data-id": file.id },
      el("span", { class: "file-pic" }, picture),
      el("div", { class: "file-body" },
        el("button", { type: "button", class: "file-name link", "data-do": "look", title: `${name}: look at it, and where it was used`, onclick: () => void preview.open(file.id) }, el("bdi", {}, name)),
        el("div", { class: "muted" }, lineOf(file)),
        file.uploadContext ? el("div", { class: "file-words" }, el("bdi", {}, `“${opening(plainName(file.uploadContext), 120)}”`)) : null,
        file.said ? el("div", { class: "file-said" }, file.said) : null,
        el("div", { class: "acts" },
          button("attach", "Attach", () => attach(file)),
          file.added ? button("unlist", "Do not list", () => setListed(file, false)) : file.listed ? null : button("list", "List", () => setListed(file, true)),
          el("a", { class: "link", href: scope(contentPath(file)), download: name, "aria-label": `Download ${name}` }, "Download"),
          button("delete", "Delete", () => remove(file)))));
  }

  /** @param {File[]} files  into the list, not into a message */
  function take(files) {
    for (const file of files) {
      const name = plainName(file.name);
      const bar = el("progress", { max: 100, "aria-label": `Upload of ${name}` });
      let stop = () => {};
      const node = el("li", {}, el("bdi", {}, name), bar, el("button", { type: "button", class: "tool", "aria-label": `Stop ${name}`, onclick: () => stop() }, icon("close")));
      coming.append(node);
      coming.hidden = false;
      takeIn((secret) => uploads.start(file, { name: file.name, secret, listed: true }, (loaded, total) => { bar.value = percentOf(loaded, total); }), file.name, (job) => { stop = job.stop; })
        .then(load, (error) => { if (!(error instanceof Stopped)) toast(`${name}: ${wordsOf(error)}`, { error: true }); })
        .finally(() => {
          node.remove();
          coming.hidden = coming.children.length === 0;
        });
    }
  }

  return {
    /** @param {HTMLElement} body  where the panel is drawn */
    async render(body) {
      if (root.parentElement !== body) body.replaceChildren(root);
      await load();
    },
    take,
    /** Whether it is on the page. */
    get open() { return root.isConnected; },
    /** The registry changed. */
    changed: () => void (root.isConnected && later.call()),
  };
}
