// The digest of what the page shows, so that nothing else is sent (PAY-6). The server makes the
// same of what it is about to send; crates/send/src/seen.rs is its side.

import { infoOf } from "../files/attachments.js";

const MASK = (1n << 64n) - 1n;

/**
 * FNV-1a with 64 bits, as sixteen hexadecimal digits. Pure.
 * @param {string} text
 */
export function hash(text) {
  let sum = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  return sum.toString(16).padStart(16, "0");
}

/** @typedef {{at: number, id: string, revision: string, sent: boolean, pinned?: boolean}} Row */
/** @typedef {import("../types.js").ShownView} ShownView */
/** @typedef {{fileId: string | null, delivery: string | null}} SeenFile */
/** @typedef {{pair: string, revision: string | number}} SeenQuestion */

/**
 * The blocks with a pair that is sent: the page's own marks where the whole block is loaded, the
 * server's word for the others that the page knows of. Pure.
 * @param {readonly Row[]} rows
 * @param {{from: number, to: number, y: number}} page  which positions are loaded, of how many
 * @param {Pick<ShownView, "block" | "blocks">} told
 * @returns {[number, string][]}
 */
export function blocksOf(rows, { from, to, y }, { block, blocks }) {
  /** @type {Map<number, Row[]>} */
  const held = new Map();
  for (const row of rows) {
    const number = Math.floor(row.at / block);
    const list = held.get(number);
    if (list) list.push(row);
    else held.set(number, [row]);
  }
  const out = new Map(blocks.filter(([number]) => number * block < y));
  for (const [number, list] of held) {
    const sent = list.filter((row) => row.sent).sort((a, b) => a.at - b.at);
    // A row that went away leaves a gap, and the page shows the others all the same. Of a block
    // that is loaded in part the server knows more, unless it knows nothing of what is marked.
    const whole = number * block >= from && Math.min((number + 1) * block, y) <= to;
    if (sent.length && (whole || !out.has(number))) out.set(number, hash(sent.map(({ id, revision, pinned }) => `${id} ${revision}${pinned ? " pinned" : ""}\n`).join("")));
    else if (whole) out.delete(number);
  }
  return [...out].sort(([a], [b]) => a - b);
}

/** The rows that are drawn as sent, of those that are loaded. @typedef {{from: number, to: number, y: number, sent: readonly Row[]}} Marks */

/**
 * Whether the rows that both times are loaded were drawn the same both times. The digest does not
 * tell: of a block that is loaded in part it has the server's word, which may come before the rows
 * are drawn anew. Pure.
 * @param {Marks} before
 * @param {Marks} now
 */
export function sameMarks(before, now) {
  const drawn = (/** @type {Marks} */ { sent }, /** @type {Marks} */ { from, to, y }) =>
    sent.filter(({ at }) => at >= from && (at < to || to === y)).map(({ at, id, revision, pinned }) => `${at} ${id} ${revision} ${Boolean(pinned)}`).sort().join("\n");
  return drawn(before, now) === drawn(now, before);
}

/**
 * @param {object} what
 * @param {string} what.model
 * @param {string | null} [what.conversation]  that is looked at alone
 * @param {readonly string[]} what.instructions  digests of what is said besides the messages
 * @param {readonly [number, string][]} what.blocks
 * @param {readonly SeenFile[]} what.files
 * @param {SeenQuestion | null} [what.question]  that is answered anew
 */
export function digest({ model, conversation = null, instructions, blocks, files, question = null }) {
  return hash([
    `model ${model}\n`,
    ...(conversation ? [`conversation ${conversation}\n`] : []),
    ...instructions.map((part) => `instructions ${part}\n`),
    ...blocks.map(([number, block]) => `block ${number} ${block}\n`),
    ...files.map(({ fileId, delivery }) => `file ${fileId ?? "none"} ${(fileId && delivery) || "none"}\n`),
    ...(question ? [`question ${question.pair} ${question.revision}\n`] : []),
  ].join(""));
}

/**
 * The files of a message as their chips show them. Pure.
 * @param {import("../files/attachments.js").Message} message
 * @returns {SeenFile[]}
 */
export function filesOf({ owners }) {
  return owners.map((owner) => {
    const info = owner && infoOf(/** @type {import("../files/attachments.js").Held} */ (owner.mark));
    return info && !info.broken ? { fileId: info.fileId, delivery: info.delivery } : { fileId: null, delivery: null };
  });
}

/**
 * What the page shows at this moment.
 * @param {object} deps
 * @param {import("../history/window.js").HistoryWindow} deps.win
 * @param {import("../base/state.js").Store} deps.store
 * @param {string | null} [deps.conversation]  that is looked at alone
 * @param {() => string} [deps.models]  those of a comparison, one a line
 */
export function createSeen({ win, store, conversation = null, models = () => "" }) {
  function rows() {
    const articles = /** @type {NodeListOf<HTMLElement>} */ (win.rows.querySelectorAll(".pair[data-id]"));
    return [...articles].map(({ dataset, classList }) => ({
      at: Number(dataset["at"]), id: dataset["id"] ?? "", revision: dataset["revision"] ?? "", sent: !classList.contains("ooc"), pinned: dataset["use"] === "pinned",
    }));
  }

  /**
   * Whether the page holds the place where a row of instructions stands: the system message at
   * the load line, what is said about files behind the newest pair.
   * @param {"system" | "files"} part
   */
  function holdsPlace(part) {
    const { preview, boundary } = store.get();
    const { start } = preview?.boundary ?? boundary;
    const neighbours = part === "system" ? [start, start - 1] : [win.y - 1];
    return win.y === 0 || neighbours.some((at) => win.findAt(at));
  }

  /**
   * The digest of a row of instructions: the page's own where it shows the row or should, the
   * server's word where that is out of what is loaded.
   * @param {"system" | "files"} part
   * @param {string | null | undefined} told
   */
  function instruction(part, told) {
    const row = /** @type {HTMLElement | null} */ (win.rows.querySelector(`.prelude[data-part="${part}"]`));
    return (row ? row.dataset["digest"] : holdsPlace(part) ? null : told) ?? null;
  }

  /**
   * The question that is answered anew, as the page shows it where it does.
   * @returns {SeenQuestion | null}
   */
  function question() {
    const told = store.get().preview?.question;
    const row = told && rows().find(({ id }) => id === told.pair);
    return row ? { pair: row.id, revision: row.revision } : (told ?? null);
  }

  function blocks() {
    const told = store.get().preview?.shown ?? store.get().shown;
    // The server's word is of its own arrangement; rows of an earlier one have no part in it.
    const known = told.shape === win.shape ? told.blocks : [];
    return blocksOf(rows(), { ...win.loaded, y: win.y }, { block: told.block, blocks: known });
  }

  return {
    /** Which pairs are sent, as far as the page knows. */
    pairs: () => hash(blocks().join("\n")),
    /** Which rows are drawn as sent. @returns {Marks} */
    marks: () => ({ ...win.loaded, y: win.y, sent: rows().filter(({ sent }) => sent) }),
    /**
     * Whether the rows of instructions, where the page shows them, are those that are sent.
     * @param {ShownView} told
     */
    instructed: (told) => instruction("system", told.system) === (told.system ?? null) && instruction("files", told.files) === (told.files ?? null),
    /**
     * @param {SeenFile[]} files  of the message that is to be sent
     * @returns {{view: number, digest: string}}
     */
    now(files) {
      const { preview, view, shown: plain } = store.get();
      const shown = preview?.shown ?? plain;
      const instructions = [instruction("system", shown.system), instruction("files", shown.files)].filter((part) => part !== null);
      // An answer again names its model in its own question; for all else the selector does.
      const model = preview?.question ? preview.model : (models() || view.model);
      return { view: shown.view, digest: digest({ model, conversation, instructions, blocks: blocks(), files, question: question() }) };
    },
  };
}

/** @typedef {ReturnType<typeof createSeen>} PageSeen */
