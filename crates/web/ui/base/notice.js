// The line above the draft: why nothing was sent, that the connection is lost, …
// Several things can be worth saying; the most urgent is shown.

import { el } from "./dom.js";

/** Most urgent first: Enter always has an answer on screen (UI-16), also without a connection. */
const ORDER = /** @type {const} */ (["held", "offline", "again", "queued", "flight", "reask", "aside", "load", "instead", "conversations"]);

/** @typedef {(typeof ORDER)[number]} Topic */
/**
 * `focus`: its button is the next thing that a key means.
 * @typedef {{text: string, level?: "info" | "warn" | "error", label?: string, act?: () => void, focus?: boolean, other?: {label: string, act: () => void}, others?: {label: string, act: () => void}[]}} Note
 */

/** @param {HTMLElement} box */
export function createNotice(box) {
  /** @type {Map<Topic, Note>} */
  const notes = new Map();
  /** @type {Note | undefined} */
  let shown;

  function draw() {
    const topic = ORDER.find((name) => notes.has(name));
    const note = topic && notes.get(topic);
    if (note === shown) return;
    shown = note;
    box.hidden = !note;
    box.replaceChildren();
    if (!note) return;
    box.dataset["level"] = note.level ?? "info";
    box.append(el("span", {}, note.text));
    if (note.label && note.act) {
      const button = el("button", { type: "button", class: "link", onclick: note.act }, note.label);
      box.append(button);
      if (note.focus) button.focus({ preventScroll: true });
    }
    for (const { label, act } of [...(note.other ? [note.other] : []), ...(note.others ?? [])]) box.append(el("button", { type: "button", class: "link", onclick: act }, label));
  }

  return {
    /**
     * @param {Topic} topic
     * @param {Note} note
     */
    say(topic, note) {
      const old = notes.get(topic);
      // The same words again would be read aloud again.
      if (old && old.text === note.text && old.level === note.level) return;
      // A connection that is lost now is news; what an earlier Enter did is not.
      if (topic === "offline" && !old) notes.delete("held");
      notes.set(topic, note);
      draw();
    },
    /** Whether one of its buttons has the focus. */
    focused: () => box.contains(document.activeElement),
    /** @param {Topic} topic */
    clear(topic) {
      if (notes.delete(topic)) draw();
    },
  };
}

/** @typedef {ReturnType<typeof createNotice>} Notice */
