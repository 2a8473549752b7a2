// A file over the limit is never cut in silence: the writer chooses, with the sizes in view (LIM-3).

import { wordsOf } from "../base/api.js";
import { ask } from "../base/dialog.js";
import { infoOf } from "./attachments.js";
import { plainName } from "./tokens.js";

/** @typedef {import("../types.js").TooLarge} TooLarge */
/** @typedef {"on-demand" | "head" | "remove" | null} Way */

/**
 * What can be done about it. Where the file was just added, leaving means not adding it. Pure.
 * @param {TooLarge} large
 * @param {{fresh: boolean, isText: boolean}} how
 * @returns {import("../base/dialog.js").Choice[]}
 */
export function choicesFor(large, { fresh, isText }) {
  const demand = { value: "on-demand", label: "Attach on demand", ...(large.onDemand
    ? { detail: "the model reads parts of it by tool", look: /** @type {const} */ ("primary") }
    : { detail: "this model cannot call tools", off: true }) };
  const head = large.headText && isText
    ? [{ value: "head", label: `Attach the first ${large.headText}`, detail: `of ${large.sizeText}; the text says that it was cut`, ...(large.onDemand ? {} : { look: /** @type {const} */ ("primary") }) }]
    : [];
  return [demand, ...head, ...(fresh ? [] : [{ value: "remove", label: "Remove it", detail: "the message goes without it" }])];
}

/**
 * @param {object} deps
 * @param {import("./attachments.js").Attachments} deps.attachments
 * @param {import("../base/api.js").Api} deps.api
 * @param {(words: string) => void} deps.say
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {typeof ask} [deps.question]
 */
export function createTooLarge({ attachments, api, say, toast, question = ask }) {
  /** One question after the other. */
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  /**
   * @param {string} marker
   * @param {boolean} fresh
   */
  async function resolve(marker, fresh) {
    const mark = attachments.get(marker);
    const info = mark && infoOf(mark);
    const large = info?.tooLarge;
    if (!mark || !info || !large) return;
    const name = plainName(info.name);
    const picked = await question({
      title: `${name} is too large`,
      text: large.words,
      choices: choicesFor(large, { fresh, isText: info.kind === "text" || info.delivery === "text" }),
    });
    const way = /** @type {Way} */ (picked ?? (fresh ? "remove" : null));
    if (way === "on-demand") {
      attachments.change(marker, { delivery: "on-demand", ...cleared(mark) });
      say(`${name} is attached on demand.`);
    } else if (way === "head" && mark.fileId && large.headBytes) {
      try {
        const file = await api.call("POST", `/api/files/${encodeURIComponent(mark.fileId)}/head`, { bytes: large.headBytes });
        attachments.bind(marker, file);
        say(`The first ${file.sizeText ?? large.headText} of ${name} are attached.`);
      } catch (error) {
        toast(wordsOf(error), { error: true });
      }
    } else if (way === "remove") {
      for (const place of attachments.placed().filter((placed) => placed.marker === marker).reverse()) attachments.replace(place);
    }
  }

  return {
    /**
     * @param {string} marker
     * @param {{fresh?: boolean}} [how]  fresh: it was just added
     */
    ask(marker, { fresh = false } = {}) {
      last = last.then(() => resolve(marker, fresh));
      return last;
    },
  };
}

/**
 * What was said of the file as it was no longer holds.
 * @param {import("./attachments.js").Held} mark
 */
function cleared({ weighed, file }) {
  return { weighed: weighed ? { ...weighed, tooLarge: null } : null, file: file ? { ...file, tooLarge: null } : null };
}
