// One note of the memory: its text, what it relates to, its session, its earlier texts.

import { wordsOf } from "../base/api.js";
import { ask } from "../base/dialog.js";
import { el } from "../base/dom.js";
import { noteLine, relationWords, warningWords } from "./text.js";

/** @typedef {import("../types.js").Note} Note */
/** @typedef {import("../types.js").WholeNote} WholeNote */

/** @param {string | null} at */
const expired = (at) => at !== null && Date.parse(at) <= Date.now();

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token: string) => void} deps.undo
 * @param {(note: WholeNote) => void} deps.insert
 * @param {(note: WholeNote) => void} deps.edit
 * @param {(id: number) => unknown} deps.open  shows another note, or this one anew
 * @param {() => unknown} deps.back
 */
export function createNoteView({ api, toast, undo, insert, edit, open, back }) {
  /** @param {unknown} error */
  const fail = (error) => void toast(wordsOf(error), { error: true });
  /**
   * @param {string} words
   * @param {() => unknown} act
   * @param {string} [label]
   */
  const link = (words, act, label) => el("button", { type: "button", class: "link", "aria-label": label, onclick: () => void Promise.resolve().then(act).catch(fail) }, words);

  /** @param {WholeNote} note */
  async function remove(note) {
    const text = "Neither agents nor this page see it any more. For good also takes its earlier texts and relations.";
    const how = await ask({
      title: `Delete “${note.title}”?`, text,
      choices: [{ value: "soft", label: "Delete", look: "danger" }, { value: "hard", label: "Delete for good", look: "danger" }],
    });
    if (!how) return;
    const answer = await api.call("DELETE", `/api/memory/${note.id}${how === "hard" ? "?hard=true" : ""}`);
    toast(`Deleted note #${note.id}.`, answer?.undo ? { label: "Undo", act: () => undo(answer.undo) } : {});
    await back();
  }

  /** @param {WholeNote} note */
  function relations(note) {
    const rows = note.relations.map((relation) => el("li", {},
      el("span", { class: "muted" }, `${relationWords(relation)} `),
      link(`#${relation.other} ${relation.otherTitle}`, () => open(relation.other)),
      relation.note ? el("span", { class: "muted" }, ` ${relation.note}`) : null,
      " ",
      link("Remove", async () => {
        await api.call("DELETE", `/api/memory/relations/${relation.id}`);
        await open(note.id);
      }, `Remove the relation to #${relation.other}`)));
    const to = el("input", { inputmode: "numeric", "aria-label": "Number of the other note", placeholder: "#", pattern: "#?[0-9]+", required: true, autocomplete: "off" });
    const kind = el("input", { "aria-label": "What the relation means", placeholder: "relates_to", maxlength: 100, autocomplete: "off" });
    const form = el("form", { class: "row relate" }, kind, to, el("button", { type: "submit", class: "btn" }, "Relate"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const other = Number(to.value.replace("#", ""));
      api.call("POST", "/api/memory/relations", { from: note.id, to: other, type: kind.value.trim() || null })
        .then(() => open(note.id)).catch(fail);
    });
    return [el("h3", {}, "Relations"), rows.length ? el("ul", { class: "plain relations" }, ...rows) : null, form];
  }

  /** @param {WholeNote} note  what it names, and whether that has changed since (MEM-15) */
  function anchors(note) {
    if (!note.anchors.length) return [];
    const rows = note.anchors.map(({ target, state }) => el("li", { "data-state": state },
      el("code", {}, target), el("span", { class: state === "changed since" || state === "gone" ? "warning" : "muted" }, ` ${state}`)));
    const stale = note.anchors.some(({ state }) => state !== "unchanged");
    return [
      el("h3", {}, "About"),
      el("ul", { class: "plain anchors" }, ...rows),
      stale ? el("p", {}, link("It is still true", async () => {
        await api.call("PATCH", `/api/memory/${note.id}`, { anchors: note.anchors.map(({ target }) => target), revision: note.revision });
        toast("Noted; it is held against what is there now.");
        await open(note.id);
      })) : null,
    ];
  }

  /** @param {WholeNote} note */
  function revisions(note) {
    if (!note.revisions.length) return [];
    const rows = note.revisions.map((earlier) => el("details", { class: "revision", "data-revision": earlier.revision },
      el("summary", {}, `Revision ${earlier.revision} `, el("span", { class: "muted" }, `${earlier.author ? `by ${earlier.author}, ` : ""}until ${earlier.replaced}`)),
      el("p", {}, el("b", {}, earlier.title), el("span", { class: "muted" }, ` ${earlier.type}`)),
      el("pre", { tabindex: "0", "aria-label": `Text of revision ${earlier.revision}` }, earlier.content),
      el("button", {
        type: "button", class: "btn", "aria-label": `Restore revision ${earlier.revision}`,
        onclick: () => void api.call("POST", `/api/memory/${note.id}/restore`, { revision: earlier.revision })
          .then(() => toast(`Revision ${earlier.revision} is back; the text before is kept.`)).then(() => open(note.id)).catch(fail),
      }, "Restore")));
    return [el("h3", {}, "Earlier texts"), ...rows];
  }

  /**
   * Its session is asked for when somebody wants to see it.
   * @param {WholeNote} note
   */
  function timeline(note) {
    const list = el("ol", { class: "timeline" });
    const box = el("details", { class: "session" }, el("summary", {}, "Session ", el("span", { class: "muted" }, note.session)), list);
    box.addEventListener("toggle", async () => {
      if (!box.open || list.childElementCount) return;
      try {
        const { notes } = await api.call("GET", `/api/memory/${note.id}/timeline`);
        list.replaceChildren(...notes.map((/** @type {Note} */ one) => el("li", { "aria-current": one.id === note.id ? "true" : null },
          one.id === note.id ? el("b", {}, `#${one.id} ${one.title}`) : link(`#${one.id} ${one.title}`, () => open(one.id)),
          el("span", { class: "muted" }, ` ${one.age}`))));
      } catch (error) {
        list.replaceChildren(el("li", { class: "problem" }, wordsOf(error)));
      }
    });
    return box;
  }

  /**
   * @param {WholeNote} note
   * @returns {HTMLElement}
   */
  return (note) => {
    const text = el("div", { class: "prose note-text" });
    // Rendered and escaped by the server.
    text.innerHTML = note.html;
    return el("article", { class: "note", "data-id": note.id },
      el("p", {}, link("← All notes", back)),
      el("h3", { class: "note-title" }, el("bdi", {}, note.title)),
      el("p", { class: "muted" }, noteLine(note)),
      note.warnings.length ? el("p", { class: "warning" }, warningWords(note)) : null,
      note.supersededBy === null ? null : el("p", {}, link(`Show #${note.supersededBy}, which took its place`, () => open(Number(note.supersededBy)))),
      el("div", { class: "acts" },
        el("button", { type: "button", class: "btn pri", title: "As a text file that you can see and take out", onclick: () => insert(note) }, "Attach to message"),
        el("button", { type: "button", class: "btn", onclick: () => edit(note) }, "Edit"),
        el("button", { type: "button", class: "btn", onclick: () => void remove(note).catch(fail) }, "Delete")),
      text,
      el("p", { class: "muted" }, [`Made ${note.created}`, ...(note.updatedAt === note.createdAt ? [] : [`changed ${note.updated}`]), ...(note.topicKey ? [`topic key ${note.topicKey}`] : []), ...(note.namespace ? [`namespace ${note.namespace}`] : []), ...(note.expires ? [`${expired(note.expiresAt) ? "expired" : "expires"} ${note.expires}`] : [])].join(", ")),
      ...anchors(note),
      timeline(note),
      ...relations(note),
      ...revisions(note));
  };
}
