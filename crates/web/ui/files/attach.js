// Ties together what brings files into a message, shows them there and lets it go with them.

import { createAttachments, infoOf, nextDelivery } from "./attachments.js";
import { bindDrop } from "./drop.js";
import { createFileChips } from "./chips.js";
import { createFilesPanel } from "./panel.js";
import { createIntake } from "./intake.js";
import { bindPaste } from "./paste.js";
import { bindPaths } from "./paths.js";
import { createPreview } from "./preview.js";
import { createStrip } from "./strip.js";
import { plainName } from "./tokens.js";
import { createTooLarge } from "./toolarge.js";
import { createUploads, waitingWords } from "./uploads.js";

/** @typedef {import("./attachments.js").Message} Message */

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {import("../base/api.js").Api} deps.api
 * @param {(path: string) => string} deps.scope
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("../base/notice.js").Notice} deps.notice
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token: string) => void} deps.undo
 * @param {(words: string) => void} deps.say
 * @param {(pair: string) => unknown} deps.goTo
 * @param {(change: {filesScope: string}) => Promise<unknown>} deps.setView
 * @param {{strip: HTMLElement, chips: HTMLElement, meter: HTMLElement, words: HTMLElement, button: HTMLButtonElement, picker: HTMLInputElement, layer: HTMLElement}} deps.parts
 */
export function createAttach({ area, api, scope, store, notice, toast, undo, say, goTo, setView, parts }) {
  const attachments = createAttachments({ area, onDropped });
  /** @param {{marker: string, name: string}[]} dropped  typed over with the text around them */
  function onDropped(dropped) {
    const names = dropped.map(({ name }) => plainName(name)).join(", ");
    toast(`No longer attached: ${names}.`, { label: "Attach again", act: () => attachments.putBack(dropped.map(({ marker }) => marker)) });
  }
  const uploads = createUploads({ tab: api.tab, scope });
  const preview = createPreview({ api, scope, goTo, toast });
  const tooLarge = createTooLarge({ attachments, api, say, toast });
  const intake = createIntake({ attachments, uploads, api, tooLarge, say, toast });
  const chips = createFileChips({ api, preview });
  const panel = createFilesPanel({ api, uploads, preview, attach: intake.attach, scope, toast, undo, setView });

  const strip = createStrip({
    ...parts, scope, placed: attachments.placed,
    onAct(act, place) {
      const { marker, mark } = place;
      const info = infoOf(mark);
      switch (act) {
        case "remove": return attachments.replace(place);
        case "preview": return void chips.openMark(mark);
        case "delivery": return attachments.change(marker, { delivery: nextDelivery(info.deliveries, info.delivery) });
        case "as-text": return void intake.asText(place);
        case "too-large": return void tooLarge.ask(marker);
        case "again": return mark.upload?.again?.();
      }
    },
  });
  attachments.on(strip.draw);

  const files = (/** @type {readonly File[]} */ list) => intake.add(list.map((blob) => ({ kind: "file", name: blob.name, blob })));
  bindPaste({
    area, onParts: intake.add,
    limit() {
      const { longPasteChars, longPasteLines } = store.get();
      return { chars: longPasteChars, lines: longPasteLines };
    },
  });
  bindPaths({ area, api, onPath: (path) => intake.add([{ kind: "path", path }]) });
  bindDrop({
    layer: parts.layer, toast,
    // What is dropped on the list of files goes there, not into the message.
    onFiles: (list, target) => (target instanceof Element && target.closest("#panel") && panel.open ? panel.take(list) : files(list)),
  });
  parts.button.addEventListener("click", () => parts.picker.click());
  parts.picker.addEventListener("change", () => {
    files([...(parts.picker.files ?? [])]);
    // The same file can be chosen again.
    parts.picker.value = "";
  });

  let waiting = false;
  const change = () => new Promise((done) => wakes.push(done));
  /** @type {((value?: unknown) => void)[]} */
  let wakes = [];
  attachments.on(() => {
    const all = wakes;
    wakes = [];
    for (const wake of all) wake();
  });

  return {
    attachments,
    chips,
    panel,
    take: intake.add,
    draw: strip.draw,
    /**
     * The answer to a weighing.
     * @param {Message} message
     * @param {{attachments?: import("../types.js").Weighed[], meter?: string, limits?: import("../types.js").Limits}} told
     */
    weighed(message, told) {
      attachments.weighed(message.owners, told.attachments ?? []);
      strip.tell(told);
    },
    /**
     * Takes the file that a suggestion names out of the message, or sends it the lighter way
     * (VAL-1, VAL-3). Whether there was one.
     * @param {"detach" | "on-demand"} how
     * @param {import("../types.js").Suggestion} suggestion
     */
    lighten(how, suggestion) {
      const [place] = attachments.placed()
        .filter(({ mark }) => infoOf(mark).name === suggestion.file)
        .sort((a, b) => (infoOf(b.mark).tokens ?? 0) - (infoOf(a.mark).tokens ?? 0));
      if (!place) return false;
      if (how === "detach") attachments.replace(place);
      else attachments.change(place.marker, { delivery: "on-demand" });
      return true;
    },
    /**
     * Brings the chip of a file of this name into focus, where it can be taken out or sent
     * another way (FAU-7). Whether there is one.
     * @param {string} name
     */
    showFile: (name) => strip.focus(({ mark }) => infoOf(mark).name === name || mark.name === name),
    /** Waits for files that are on their way; false where the message cannot go yet. */
    async settled() {
      if (waiting) return false;
      waiting = true;
      let stay = false;
      try {
        for (;;) {
          const { running, failed } = attachments.unsettled();
          const [lost] = failed;
          if (lost) {
            notice.say("held", { text: `Not sent: ${plainName(lost.name)} did not arrive. Try again, or remove it.`, level: "error" });
            return false;
          }
          if (!running.length || stay) return !stay;
          notice.say("held", {
            text: waitingWords(running.length), label: "Do not send",
            act() {
              stay = true;
              notice.clear("held");
              wakes.forEach((wake) => wake());
            },
          });
          await change();
        }
      } finally {
        waiting = false;
        if (!stay && !attachments.unsettled().failed.length) notice.clear("held");
      }
    },
  };
}
