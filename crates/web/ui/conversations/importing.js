// Conversations from elsewhere (HIS-8): a file is chosen or dropped, its way is seen and can be
// stopped, and its end says what came in and that nothing of it is sent.

import { Problem, wordsOf } from "../base/api.js";
import { closest, el } from "../base/dom.js";
import { sentence } from "../base/text.js";
import { carriesFiles, droppedOf } from "../files/drop.js";
import { Stopped, uploadBytes } from "../files/uploads.js";

/** @typedef {"receiving" | "checking" | "writing" | "done" | "cancelled" | "failed"} Stage */
/**
 * @typedef {object} Import  as the server tells it
 * @property {number} id
 * @property {Stage} stage
 * @property {number} done
 * @property {number} total
 * @property {string} [summary]
 * @property {string[]} [notes]
 * @property {{detail: string, hint?: string}} [problem]
 * @property {boolean} [skipHelps]
 */

/** What each stage is called, and which part of the bar is its own. */
const STAGES = /** @type {const} */ ({
  receiving: { words: "Uploading", from: 0, to: 20 },
  checking: { words: "Looking through", from: 20, to: 50 },
  writing: { words: "Taking in", from: 50, to: 100 },
});

/** @param {Stage} stage */
const isOver = (stage) => !(stage in STAGES);

/**
 * How far it is, as the bar shows it, and in words. Pure.
 * @param {Pick<Import, "stage" | "done" | "total">} status
 * @param {string} name  of the file
 */
export function progressOf({ stage, done, total }, name) {
  const { words, from, to } = STAGES[/** @type {keyof typeof STAGES} */ (stage)];
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const percent = Math.floor(from + (to - from) * share);
  return { percent, words: `${words} ${name || "the file"} · ${percent} %` };
}

/**
 * What is said of a file that was not imported, in one line. Pure.
 * @param {{detail: string, hint?: string | undefined}} problem
 */
export function problemWords({ detail, hint }) {
  return hint ? `${sentence(detail)}. ${sentence(hint)}.` : `${sentence(detail)}.`;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {(path: string) => string} deps.scope
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(words: string) => void} deps.announce
 */
export function createImporting({ api, scope, toast, announce }) {
  /** @type {HTMLDialogElement | null} */
  let dialog = null;
  /** The file that this page brought, kept so that it can be imported again without what is bad. @type {File | null} */
  let file = null;
  /** While the file is on its way. @type {XMLHttpRequest | null} */
  let upload = null;
  /** The import that this page began and has not told the end of. */
  let mine = 0;
  /** What came while the file was on its way: the end of a short one may overtake the answer. @type {Import | null} */
  let early = null;
  /** The newest import whose end was told. */
  let told = 0;

  /**
   * Shows a step of the dialog, with the focus on what is to be done next.
   * @param {string} title
   * @param {(Node | null)[]} parts
   */
  function show(title, parts) {
    if (!dialog) return;
    dialog.replaceChildren(el("h2", { id: "import-title" }, title), ...parts.filter((part) => part !== null));
    const next = dialog.querySelector(".btn.pri") ?? dialog.querySelector(".btn");
    if (next instanceof HTMLElement) next.focus();
  }

  /**
   * @param {string} label
   * @param {() => void} act
   * @param {string} [look]
   */
  const button = (label, act, look = "") => el("button", { type: "button", class: `btn ${look}`, onclick: act }, label);
  const close = () => dialog?.close();

  function choose() {
    const picker = el("input", { type: "file", hidden: true, tabindex: "-1", "aria-label": "A file to import" });
    picker.addEventListener("change", () => {
      const [chosen] = picker.files ?? [];
      if (chosen) void take(chosen);
    });
    show("Import conversations", [
      el("p", {}, "An export of ChatGPT or Claude (the zip, or conversations.json in it), OpenAI-style messages (JSONL), or an export of Plimsoll. It stays on this machine, and nothing of it is sent before you open a conversation of it."),
      el("div", { class: "dropzone" }, button("Choose a file", () => picker.click(), "pri"), el("span", {}, "or drop it here"), picker),
      el("div", { class: "choices" }, button("Cancel", close)),
    ]);
  }

  /** @param {Import} status */
  function busy(status) {
    const { percent, words } = progressOf(status, file?.name ?? "");
    const bar = dialog?.querySelector("progress");
    const said = dialog?.querySelector(".way");
    if (bar && said) {
      bar.value = percent;
      said.textContent = words;
      return;
    }
    show("Importing", [
      el("p", { class: "way" }, words),
      el("progress", { max: 100, value: percent, "aria-label": "How far the import is" }),
      el("p", {}, "You can close this; the import goes on."),
      el("div", { class: "choices" }, button("Cancel the import", () => void cancel()), button("Close", close)),
    ]);
  }

  /** @param {Import} status */
  function end({ stage, summary = "", notes = [], problem, skipHelps = false }) {
    const brought = file;
    if (stage === "failed") {
      const words = problemWords(problem ?? { detail: "it failed" });
      if (!dialog) return void toast(`Not imported: ${words}`, { error: true });
      return show("Not imported", [
        el("p", { class: "problem", role: "alert" }, words),
        el("div", { class: "choices" },
          skipHelps && brought ? button("Import the rest", () => void take(brought, true)) : null,
          button("Choose another file", choose, "pri"), button("Close", close)),
      ]);
    }
    const stopped = stage === "cancelled";
    const lines = notes.map((note) => `${sentence(note)}.`);
    if (stopped) lines.push("What came in is whole and stays. Import the same file again to go on.");
    announce(`${stopped ? "Import cancelled" : "Imported"}. ${summary}. ${lines[0] ?? ""}`);
    if (!dialog) return void toast(`${stopped ? "Import cancelled" : "Imported"}. ${summary}. ${lines[0] ?? ""}`);
    const [first, ...rest] = lines;
    return show(stopped ? "Import cancelled" : "Imported", [
      el("p", { class: "came" }, `${summary}.`),
      first ? el("p", { class: "came" }, first) : null,
      rest.length ? el("ul", {}, ...rest.map((line) => el("li", {}, line))) : null,
      el("div", { class: "choices" }, button("Done", close, "pri"), button("Import another file", choose)),
    ]);
  }

  /** @param {Import} status */
  function follow(status) {
    if (status.id <= told) return;
    if (upload) {
      if (status.id >= (early?.id ?? 0)) early = status;
      return;
    }
    if (!isOver(status.stage)) {
      if (dialog) busy(status);
      return;
    }
    told = status.id;
    // One that somebody else began is told where it is looked at.
    if (status.id === mine || dialog?.querySelector("progress")) end(status);
  }

  /**
   * @param {File} chosen
   * @param {boolean} [skipBad]
   */
  async function take(chosen, skipBad = false) {
    file = chosen;
    early = null;
    const request = new XMLHttpRequest();
    upload = request;
    busy({ id: 0, stage: "receiving", done: 0, total: chosen.size });
    try {
      const onProgress = (/** @type {number} */ done, /** @type {number} */ total) => dialog && busy({ id: 0, stage: "receiving", done, total });
      const address = scope(`/api/import${skipBad ? "?skipBad=true" : ""}`);
      const { import: status } = await uploadBytes(request, { address, tab: api.tab, body: chosen, onProgress });
      upload = null;
      mine = status.id;
      follow(status);
      const overtook = /** @type {Import | null} */ (early);
      if (overtook?.id === mine) follow(overtook);
    } catch (error) {
      upload = null;
      if (error instanceof Stopped) {
        if (dialog) choose();
        return;
      }
      const { detail = wordsOf(error), hint } = error instanceof Problem ? error.body : {};
      end({ id: 0, stage: "failed", done: 0, total: 0, problem: { detail: String(detail).replace(/\.$/, ""), hint } });
    }
  }

  async function cancel() {
    if (upload) return upload.abort();
    try {
      await api.call("DELETE", "/api/import");
    } catch (error) {
      // It ended just before; its end is told.
      if (!(error instanceof Problem && error.code === "nothing_imported")) toast(wordsOf(error), { error: true });
    }
  }

  /** What the server knows, where events may have been missed. */
  async function ask() {
    if (mine <= told && !dialog) return;
    const { import: status } = await api.call("GET", "/api/import").catch(() => ({ import: null }));
    if (status) follow(status);
  }

  /** @param {DragEvent} event */
  function drop(event) {
    if (!event.dataTransfer || !carriesFiles(event.dataTransfer.types)) return;
    event.preventDefault();
    // The page behind would attach it to the message.
    event.stopPropagation();
    const zone = dialog?.querySelector(".dropzone");
    zone?.classList.toggle("over", event.type !== "drop" && event.type !== "dragleave");
    if (event.type !== "drop" || !zone) return;
    const { files: [first, ...more], folders } = droppedOf(event.dataTransfer);
    if (folders.length || more.length) toast("One file at a time, and no folder.", { error: true });
    else if (first) void take(first);
  }

  function open() {
    if (dialog) return;
    const before = document.activeElement;
    const opened = el("dialog", { class: "ask importing", "aria-labelledby": "import-title" });
    dialog = opened;
    for (const name of /** @type {const} */ (["dragenter", "dragover", "dragleave", "drop"])) opened.addEventListener(name, drop);
    opened.addEventListener("click", (event) => {
      if (event.target === opened) opened.close();
    });
    opened.addEventListener("close", () => {
      dialog = null;
      opened.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    });
    document.body.append(opened);
    opened.showModal();
    if (upload) busy({ id: 0, stage: "receiving", done: 0, total: 0 });
    else {
      choose();
      void ask();
    }
  }

  document.addEventListener("click", (event) => {
    if (closest(event, "[data-import]")) open();
  });

  return { open, told: follow, ask };
}
