// Files come in: by paste, drop, button, path or from the list of files. Each stands in the
// text at once, as a mark, and is bound to its file when that has arrived (INS-1, INS-2).

import { Problem, wordsOf } from "../base/api.js";
import { ask } from "../base/dialog.js";
import { grouped } from "../base/text.js";
import { plainName } from "./tokens.js";
import { Stopped } from "./uploads.js";

/** @typedef {import("./paste.js").Part} Part */
/** @typedef {import("../types.js").FileInfo} FileInfo */
/** @typedef {import("./uploads.js").Job} Job */
/** @typedef {(secret: boolean) => Job} Begin */

/** What a long paste is called. */
export const PASTED = "pasted.txt";

/**
 * What those who listen are told. Pure.
 * @param {FileInfo} file
 */
export function attachedWords({ name, tokens, delivery, extracted }) {
  if (delivery === "text" && extracted) {
    return `Text of ${plainName(name)} attached, ${extracted.length ?? extracted.sizeText}, about ${grouped(extracted.tokens)} tokens.`;
  }
  return `${plainName(name)} attached${tokens === null ? "" : `, about ${grouped(tokens)} tokens`}.`;
}

/**
 * Takes a file in, and asks first where it looks like a secret (INS-4). Null: better not.
 * @param {Begin} begin
 * @param {string} name
 * @param {(job: Job) => void} onJob
 * @param {typeof ask} [question]
 * @returns {Promise<FileInfo | null>}
 */
export async function takeIn(begin, name, onJob, question = ask) {
  for (let secret = false; ; secret = true) {
    const job = begin(secret);
    onJob(job);
    try {
      return await job.done;
    } catch (error) {
      if (secret || !(error instanceof Problem) || error.code !== "looks_secret") throw error;
      const title = `Attach ${plainName(name)}?`;
      const yes = await question({ title, text: error.message, choices: [{ value: "yes", label: "Attach it all the same", look: "danger" }], cancel: "Leave it out" });
      if (!yes) return null;
    }
  }
}

/**
 * @param {object} deps
 * @param {import("./attachments.js").Attachments} deps.attachments
 * @param {import("./uploads.js").Uploads} deps.uploads
 * @param {import("../base/api.js").Api} deps.api
 * @param {{ask: (marker: string, how: {fresh: boolean}) => Promise<unknown>}} deps.tooLarge
 * @param {(words: string) => void} deps.say
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createIntake({ attachments, uploads, api, tooLarge, say, toast }) {
  /** @param {string} marker */
  function drop(marker) {
    for (const place of attachments.placed().filter((placed) => placed.marker === marker).reverse()) attachments.replace(place);
  }

  /**
   * @param {string} marker
   * @param {string} name
   * @param {number} size
   * @param {Begin} begin
   */
  async function bring(marker, name, size, begin) {
    try {
      const file = await takeIn(begin, name, ({ stop }) => attachments.change(marker, { upload: { state: "running", loaded: 0, total: size, stop } }));
      if (!file) return drop(marker);
      attachments.bind(marker, file);
      say(attachedWords(file));
      if (file.said) toast(file.said);
      if (file.tooLarge) await tooLarge.ask(marker, { fresh: true });
    } catch (error) {
      const words = error instanceof Stopped ? "stopped" : wordsOf(error);
      attachments.change(marker, { upload: { state: "failed", loaded: 0, total: size, words, again: () => void bring(marker, name, size, begin) } });
      if (!(error instanceof Stopped)) say(`${plainName(name)} was not attached. ${words}`);
    }
    return undefined;
  }

  /**
   * @param {string} path
   * @returns {Begin}
   */
  const fromPath = (path) => (secret) => {
    const abort = new AbortController();
    const done = api.call("POST", "/api/files/from-path", { path, ...(secret ? { secret: "allow" } : {}) }, { signal: abort.signal })
      .catch((error) => { throw abort.signal.aborted ? new Stopped() : error; });
    return { done, stop: () => abort.abort() };
  };

  return {
    /** @param {readonly Part[]} parts  put at the caret in this order */
    add(parts) {
      const coming = () => ({ token: null, fileId: null, delivery: null, upload: { state: /** @type {const} */ ("running"), loaded: 0, total: 0 } });
      /** @type {{name: string, size: number, begin: (marker: () => string) => Begin}[]} */
      const jobs = [];
      const entries = parts.map((part) => {
        if (part.kind === "text") return part.text;
        if (part.kind === "path") {
          const name = part.path.split(/[\\/]/).pop() || part.path;
          jobs.push({ name, size: 0, begin: () => fromPath(part.path) });
          return { ...coming(), name };
        }
        const paste = part.kind === "paste";
        const name = paste ? PASTED : part.name;
        const blob = paste ? new Blob([part.text], { type: "text/plain" }) : part.blob;
        jobs.push({
          name, size: blob.size,
          begin: (marker) => (secret) => uploads.start(blob, { name, paste, secret }, (loaded, total) => attachments.progress(marker(), loaded, total)),
        });
        return { ...coming(), name, ...(paste ? { pasted: part.text } : {}) };
      });
      const markers = attachments.insert(entries);
      jobs.forEach(({ name, size, begin }, i) => {
        const marker = markers[i] ?? "";
        void bring(marker, name, size, begin(() => marker));
      });
    },
    /** @param {FileInfo} file  one that is there already */
    attach(file) {
      const [marker = ""] = attachments.insert([{ token: file.token, fileId: file.id, delivery: null, name: file.name, file }]);
      say(attachedWords(file));
      if (file.tooLarge) void tooLarge.ask(marker, { fresh: true });
    },
    /**
     * The words of a long paste in place of its mark (INS-1).
     * @param {{marker: string, start: number, end: number}} place
     */
    async asText({ marker, start, end }) {
      const mark = attachments.get(marker);
      try {
        const text = mark?.pasted ?? (mark?.fileId ? await api.text(`/api/files/${encodeURIComponent(mark.fileId)}/content`) : null);
        const now = attachments.placed().find((placed) => placed.marker === marker && placed.start === start) ?? attachments.placed().find((placed) => placed.marker === marker);
        if (text !== null && now && now.end - now.start === end - start) attachments.replace(now, text.replace(/\r\n?/g, "\n"));
      } catch (error) {
        toast(wordsOf(error), { error: true });
      }
    },
  };
}

/** @typedef {ReturnType<typeof createIntake>} Intake */
