// The files of the message that is being written: what each mark in the box stands for.
// The text is the truth: a chip is there for as long as its mark is.

import { insertText } from "../composer/insert.js";
import { collapse, expand, freshMarker, placedIn, tokensIn } from "./tokens.js";

/** @typedef {import("../types.js").Attachment} Attachment */
/** @typedef {import("../types.js").Delivery} Delivery */
/** @typedef {import("../types.js").FileInfo} FileInfo */
/** @typedef {import("../types.js").Weighed} Weighed */
/** @typedef {import("./tokens.js").Placed} Placed */

/**
 * A file on its way here, or one that did not arrive.
 * @typedef {object} Upload
 * @property {"running" | "failed"} state
 * @property {number} loaded
 * @property {number} total
 * @property {string} [words]       why it did not arrive
 * @property {() => void} [stop]
 * @property {() => void} [again]
 */

/** @typedef {import("./tokens.js").Mark & {upload?: Upload | null, file?: FileInfo | null, weighed?: Weighed | null, pasted?: string}} Held */

/**
 * The next of the allowed deliveries. Pure.
 * @param {readonly Delivery[]} allowed
 * @param {Delivery} now
 */
export function nextDelivery(allowed, now) {
  return allowed[(allowed.indexOf(now) + 1) % allowed.length] ?? now;
}

/**
 * What is known of a file: as it was weighed last, else as it was taken in. What was chosen
 * since counts at once. Pure.
 * @param {Held} mark
 * @returns {Weighed}
 */
export function infoOf({ file, weighed, fileId, name, delivery }) {
  const told = weighed ?? (file ? {
    fileId: file.id, name: file.name, kind: kindOf(file), sizeText: file.sizeText, extracted: file.extracted ?? null,
    tokens: (delivery ?? file.delivery) === "inline" ? file.tokens : (delivery ?? file.delivery) === "text" ? (file.extracted?.tokens ?? null) : null,
    delivery: file.delivery, deliveries: file.deliveries, thumbnail: file.thumbnail ?? null, broken: null, note: null, tooLarge: file.tooLarge ?? null,
  } : { fileId, name, kind: /** @type {const} */ ("file"), sizeText: "", tokens: null, delivery: delivery ?? "inline", deliveries: [] });
  const changed = delivery && delivery !== told.delivery;
  return changed ? { ...told, delivery, instead: null } : told;
}

/**
 * @param {FileInfo} file
 * @returns {Weighed["kind"]}
 */
function kindOf({ kind, isText }) {
  return kind === "IMAGE" ? "image" : isText ? "text" : "file";
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {(dropped: {marker: string, name: string}[]) => void} [deps.onDropped]  files that were typed over
 */
export function createAttachments({ area, onDropped = () => {} }) {
  /** Every mark that meant something here; undoing brings marks back, and their files with them. */
  /** @type {Map<string, Held>} */
  const marks = new Map();
  /** @type {((what: "files" | "progress") => void)[]} */
  const listeners = [];
  const tell = (/** @type {"files" | "progress"} */ what) => listeners.forEach((listener) => listener(what));
  const get = (/** @type {string} */ marker) => marks.get(marker);
  /** A change that a button makes, and that says itself what it takes away. */
  let own = false;
  const placed = () => /** @type {(Placed & {mark: Held})[]} */ (placedIn(area.value, marks));

  function message() {
    const { value } = area;
    const { text, attachments, owners, plain } = expand(value, marks);
    const names = owners.map((owner) => (owner && !owner.mark.provisional ? owner.mark.name : null));
    const tokens = owners.reduce((sum, owner) => sum + ((owner && infoOf(owner.mark).tokens) ?? 0), 0);
    return { shown: value, text, attachments, owners, names, plain, tokens };
  }

  /**
   * A stored text as the box shows it.
   * @param {string} text
   * @param {readonly (Attachment & {name?: string | null})[]} [attachments]
   */
  function shown(text, attachments = []) {
    const box = collapse(text, attachments, marks);
    for (const [marker, mark] of box.marks) marks.set(marker, mark);
    return box.text;
  }

  /**
   * @param {string} marker
   * @param {Partial<Held>} change
   */
  function change(marker, change) {
    const mark = marks.get(marker);
    if (!mark) return;
    Object.assign(mark, change);
    tell("files");
  }

  // A mark goes as a whole: half of one would be a text that means nothing.
  area.addEventListener("beforeinput", (event) => {
    const back = event.inputType === "deleteContentBackward";
    const { selectionStart: at, selectionEnd } = area;
    if ((!back && event.inputType !== "deleteContentForward") || at !== selectionEnd) return;
    const hit = placed().find(({ start, end }) => (back ? end : start) === at);
    if (!hit) return;
    event.preventDefault();
    own = true;
    insertText(area, "", hit.start, hit.end);
    own = false;
  });
  // Who types over a selection may not see that files stand in it; that is said (INS-1).
  /** @type {{marker: string, name: string}[]} */
  let within = [];
  area.addEventListener("beforeinput", ({ inputType }) => {
    const { selectionStart: from, selectionEnd: to } = area;
    const cuts = inputType === "deleteByCut" || inputType === "historyUndo" || inputType === "historyRedo";
    within = own || cuts || from === to ? [] : placed().flatMap(({ marker, start, end, mark }) => (start < to && from < end ? [{ marker, name: mark.name }] : []));
  });
  area.addEventListener("input", () => {
    const here = new Set(placed().map(({ marker }) => marker));
    const gone = within.filter(({ marker }) => !here.has(marker));
    within = [];
    if (gone.length) onDropped(gone);
  });

  return {
    get,
    message,
    placed,
    change,
    /** @param {(what: "files" | "progress") => void} listener */
    on(listener) {
      listeners.push(listener);
    },
    shown,
    /** Somebody wrote: tokens that came in by hand become marks, and lost uploads stop. */
    edited() {
      // Only the tokens themselves: marks stay as they are, and files on their way with them.
      const tokens = tokensIn(area.value);
      const around = (/** @type {Placed} */ { start, end }) => tokens.some((token) => token.start < start && end < token.end);
      if (tokens.length && !placed().some(around)) {
        const at = area.value.length - area.selectionEnd;
        area.value = shown(area.value);
        const caret = Math.max(0, area.value.length - at);
        area.setSelectionRange(caret, caret);
      }
      const here = new Set(placed().map(({ marker }) => marker));
      for (const [marker, mark] of marks) if (mark.upload?.state === "running" && !here.has(marker)) mark.upload.stop?.();
    },
    /**
     * Puts files and words at the caret, in their order. Gives the marks of the files.
     * @param {readonly (Held | string)[]} parts
     */
    insert(parts) {
      /** @type {string[]} */
      const made = [];
      let out = "";
      const last = () => out.at(-1) ?? area.value[area.selectionStart - 1] ?? " ";
      for (const part of parts) {
        if (typeof part === "string") {
          // The space behind a mark is ours; words that bring their own need no second one.
          out = (made.length && /^\s/.test(part) ? out.slice(0, -1) : out) + part;
          continue;
        }
        const marker = freshMarker(part.name, (text) => marks.has(text) || area.value.includes(text));
        marks.set(marker, part);
        made.push(marker);
        out += `${/\s/.test(last()) ? "" : " "}${marker} `;
      }
      if (/^\s/.test(area.value.slice(area.selectionEnd)) && out.endsWith(" ")) out = out.slice(0, -1);
      insertText(area, out);
      return made;
    },
    /**
     * Another text in place of a mark; its neighbour space goes where nothing is left.
     * @param {{start: number, end: number}} place
     * @param {string} [text]
     */
    replace({ start, end }, text = "") {
      const { value } = area;
      const after = !text && value[end] === " " && (start === 0 || /\s/.test(value[start - 1] ?? "")) ? 1 : 0;
      own = true;
      insertText(area, text, start, end + after);
      own = false;
    },
    /** @param {readonly string[]} markers  files that were typed over, at the caret again */
    putBack(markers) {
      const known = markers.filter((marker) => marks.has(marker) && !area.value.includes(marker));
      if (known.length) insertText(area, `${known.join(" ")} `, area.selectionStart, area.selectionStart);
    },
    /**
     * @param {string} marker
     * @param {number} loaded
     * @param {number} total
     */
    progress(marker, loaded, total) {
      const upload = marks.get(marker)?.upload;
      if (!upload) return;
      Object.assign(upload, { loaded, total });
      tell("progress");
    },
    /**
     * The file of a mark is there.
     * @param {string} marker
     * @param {FileInfo} file
     */
    bind(marker, file) {
      change(marker, { token: file.token, fileId: file.id, name: file.name, file, weighed: null, upload: null, delivery: null });
    },
    /**
     * What the server says of the files of a message. A mark that only has a makeshift name gets
     * its own, around the caret.
     * @param {readonly (Placed | null)[]} owners
     * @param {readonly Weighed[]} told
     */
    weighed(owners, told) {
      let renamed = false;
      owners.forEach((owner, i) => {
        const mark = owner && marks.get(owner.marker);
        const weighed = told[i];
        if (!owner || !mark || !weighed) return;
        mark.weighed = weighed;
        if (!mark.provisional || !weighed.name || weighed.broken) return;
        Object.assign(mark, { name: weighed.name, fileId: mark.fileId ?? weighed.fileId, provisional: false });
        const marker = freshMarker(weighed.name, (text) => marks.has(text) || area.value.includes(text));
        marks.set(marker, mark);
        for (const { start, end } of placed().filter((place) => place.marker === owner.marker).reverse()) {
          area.setRangeText(marker, start, end, "preserve");
        }
        marks.delete(owner.marker);
        renamed = true;
      });
      return renamed;
    },
    /**
     * A message is gone, and its marks with it: the next one begins with plain names again.
     * @param {string} other  a text that may come back
     */
    forget(other) {
      const kept = new Set([...placed(), ...placedIn(other, marks)].map(({ marker }) => marker));
      for (const marker of marks.keys()) if (!kept.has(marker)) marks.delete(marker);
    },
    /** Files that are still on their way, and those that did not arrive. */
    unsettled() {
      const uploads = placed().flatMap(({ mark }) => (mark.upload ? [mark] : []));
      return { running: uploads.filter(({ upload }) => upload?.state === "running"), failed: uploads.filter(({ upload }) => upload?.state === "failed") };
    },
  };
}

/** @typedef {ReturnType<typeof createAttachments>} Attachments */
/** @typedef {ReturnType<Attachments["message"]>} Message */
