// Notes that wait for somebody to look at them, and notes that were deleted (MEM-12, MEM-16).

import { wordsOf } from "../base/api.js";
import { ask } from "../base/dialog.js";
import { el } from "../base/dom.js";
import { counted } from "../base/text.js";
import { pendingLine } from "./text.js";

/** @typedef {import("../types.js").PendingNote} PendingNote */
/** @typedef {import("../types.js").DeletedNote} DeletedNote */

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(id: number) => unknown} deps.open
 * @param {() => unknown} deps.back
 */
export function createUpkeepViews({ api, toast, open, back }) {
  /** @param {unknown} error */
  const fail = (error) => void toast(wordsOf(error), { error: true });
  /**
   * A button that does one thing at a time.
   * @param {string} words
   * @param {string} label
   * @param {string} look
   * @param {() => Promise<unknown>} act
   */
  function button(words, label, look, act) {
    const made = el("button", { type: "button", class: look, "aria-label": label, onclick: () => {
      made.disabled = true;
      act().catch(fail).finally(() => { made.disabled = false; });
    } }, words);
    return made;
  }

  /**
   * @param {string} title
   * @param {string} words
   * @param {HTMLElement[]} rows
   * @param {HTMLElement | null} all  what is done to all of them
   */
  const page = (title, words, rows, all) => el("section", { class: "upkeep", "aria-label": title },
    el("p", {}, el("button", { type: "button", class: "link", onclick: () => void back() }, "← All notes")),
    el("h3", { class: "note-title" }, title),
    el("p", { class: "muted", role: "status" }, words),
    all ? el("div", { class: "acts" }, all) : null,
    el("ul", { class: "notes", "aria-label": title }, ...rows));

  /**
   * @param {PendingNote} note
   * @param {() => Promise<unknown>} again
   */
  function waiting(note, again) {
    const text = el("div", { class: "prose note-text" });
    // Rendered and escaped by the server.
    text.innerHTML = note.html ?? "";
    const name = note.title ?? (note.changes === null ? "" : `note #${note.changes}`);
    return el("li", { "data-pending": note.id },
      el("span", { class: "note-name" }, el("bdi", {}, name)),
      el("div", { class: "muted" }, pendingLine(note)),
      note.html ? text : null,
      note.anchors.length ? el("div", { class: "muted" }, `about ${note.anchors.join(", ")}`) : null,
      el("div", { class: "acts" },
        button("Approve", `Approve ${name}`, "btn pri", async () => {
          const kept = await api.call("POST", `/api/memory/pending/${note.id}/approve`);
          toast(`Approved: it is note #${kept.id}.`);
          await again();
        }),
        button("Delete", `Delete ${name}`, "btn", async () => {
          if (note.changes !== null) {
            const sure = await ask({ title: `Delete the change of #${note.changes}?`, text: "The note stays as it is.", choices: [{ value: "yes", label: "Delete", look: "danger" }] });
            if (!sure) return;
          }
          await api.call("DELETE", `/api/memory/pending/${note.id}`);
          toast(note.changes === null ? "Deleted; it is among the deleted notes." : "Deleted the change.");
          await again();
        }),
        note.changes === null ? null : button(`Show #${note.changes}`, `Show #${note.changes} as it is`, "link", async () => open(Number(note.changes)))));
  }

  /**
   * @param {DeletedNote} note
   * @param {() => Promise<unknown>} again
   */
  const gone = (note, again) => el("li", { "data-deleted": note.id },
    el("span", { class: "note-name" }, el("bdi", {}, note.title)),
    el("div", { class: "muted" }, [`#${note.id}`, note.type, note.project || "no project", `deleted ${note.age}`].join(" · ")),
    el("div", { class: "acts" }, button("Bring back", `Bring back ${note.title}`, "btn", async () => {
      await api.call("POST", `/api/memory/${note.id}/undelete`);
      toast(`Note #${note.id} is back.`);
      await again();
    })));

  return {
    /** @param {() => Promise<unknown>} again  shows it anew */
    async pending(again) {
      /** @type {{pending: PendingNote[], total: number}} */
      const { pending, total } = await api.call("GET", "/api/memory/pending");
      const words = total ? `${counted(total, "note")} that agents saved. Nobody is told of them before you approve them.` : "Nothing waits for review.";
      const all = pending.length > 1 ? button("Approve all", "Approve all that wait", "btn", async () => {
        for (const { id } of pending) await api.call("POST", `/api/memory/pending/${id}/approve`);
        toast(`Approved ${counted(pending.length, "note")}.`);
        await again();
      }) : null;
      return page("Waiting for review", words, pending.map((note) => waiting(note, again)), all);
    },
    /** @param {() => Promise<unknown>} again  shows it anew */
    async deleted(again) {
      /** @type {{notes: DeletedNote[], total: number}} */
      const { notes, total } = await api.call("GET", "/api/memory/deleted");
      const words = total ? `${counted(total, "note")} that can be brought back until they are purged.` : "No deleted note can be brought back.";
      return page("Deleted notes", words, notes.map((note) => gone(note, again)), null);
    },
  };
}
