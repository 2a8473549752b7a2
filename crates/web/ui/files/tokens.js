// Context tokens in a text (TOK-1, TOK-2) and the short marks that stand for them in the box:
// nobody reads or edits a path there (SHW-1). Pure.

const OPEN = "<<context:";
const CLOSE = ">>>";
const KIND = /[a-z\p{White_Space}]*:/iuy;
const WHITE = /^\p{White_Space}$/u;
const BLANK = /^[ \t\r\n]$/;
const MARKER = /⟦[^⟦⟧]*⟧/g;
/** So many letters of a name stand in its mark. */
const NAME_LETTERS = 40;

/** @typedef {import("../types.js").Attachment} Attachment */
/** @typedef {import("../types.js").Delivery} Delivery */
/** @typedef {{start: number, end: number, kind: "image" | "text" | "file", path: string}} Token */

/**
 * What a mark in the box stands for. Without a token yet, its file is still on its way.
 * @typedef {{token: string | null, fileId: string | null, delivery: Delivery | null, name: string, provisional?: boolean}} Mark
 */
/** @typedef {{marker: string, mark: Mark, start: number, end: number}} Placed */

/**
 * The tokens of a text in order. One scan: no opener is looked at twice.
 * @param {string} text
 * @returns {Token[]}
 */
export function tokensIn(text) {
  /** @type {Token[]} */
  const found = [];
  let close = 0;
  for (let start = text.indexOf(OPEN); start >= 0; ) {
    const body = start + OPEN.length;
    KIND.lastIndex = body;
    const kind = KIND.exec(text)?.[0];
    const from = body + (kind?.length ?? 0);
    const next = text.indexOf(OPEN, body);
    if (close < from) close = text.indexOf(CLOSE, from);
    if (close < 0) break;
    const name = kindOf(kind);
    const path = name && (next < 0 || close < next) ? trimmed(text.slice(from, close)) : "";
    if (name && path) {
      const end = close + CLOSE.length;
      found.push({ start, end, kind: name, path });
      start = next < 0 || next >= end ? next : text.indexOf(OPEN, end);
    } else start = next;
  }
  return found;
}

/** @param {string | undefined} kind  with its colon */
function kindOf(kind) {
  const name = kind && stripped(kind.slice(0, -1), WHITE).toLowerCase();
  return name === "image" || name === "text" || name === "file" ? name : null;
}

/** @param {string} path */
function trimmed(path) {
  return /^\p{White_Space}*$/u.test(path) ? "" : stripped(path, BLANK);
}

/**
 * A text without such characters at its ends. From both ends by hand: a pattern for the end
 * begins anew at each of a long run in the middle.
 * @param {string} text
 * @param {RegExp} kind
 */
function stripped(text, kind) {
  let [start, end] = [0, text.length];
  while (start < end && kind.test(text.charAt(start))) start += 1;
  while (end > start && kind.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * A name that can be shown anywhere: one line, no marks that turn the writing around.
 * @param {string} name
 */
export function plainName(name) {
  const line = name.replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "").replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line || "file";
}

/**
 * The name as it stands in a mark: short, its ending kept, nothing in it that a mark or a
 * token begins or ends with.
 * @param {string} name
 */
export function markName(name) {
  const letters = [...plainName(name).replace(/[⟦⟧]/g, "|").replace(/</g, "‹").replace(/>/g, "›")];
  if (letters.length <= NAME_LETTERS) return letters.join("");
  const dot = letters.lastIndexOf(".");
  const ending = dot > 0 && letters.length - dot <= 10 ? letters.slice(dot) : [];
  return `${letters.slice(0, NAME_LETTERS - 1 - ending.length).join("").trimEnd()}…${ending.join("")}`;
}

/**
 * A mark that stands for nothing else.
 * @param {string} name
 * @param {(marker: string) => boolean} taken
 */
export function freshMarker(name, taken) {
  const short = markName(name);
  for (let n = 1; ; n += 1) {
    const marker = n === 1 ? `⟦${short}⟧` : `⟦${short} ${n}⟧`;
    if (!taken(marker)) return marker;
  }
}

/**
 * A text as the box shows it: each token a mark of its own. `known` are marks that already
 * mean something; one for the same file is used again, the others are left alone.
 * @param {string} text
 * @param {readonly (Attachment & {name?: string | null})[]} attachments  one for each token
 * @param {ReadonlyMap<string, Mark>} [known]
 * @returns {{text: string, marks: Map<string, Mark>}}
 */
export function collapse(text, attachments, known = new Map()) {
  /** @type {Map<string, Mark>} */
  const marks = new Map();
  const literal = new Set(text.match(MARKER));
  const taken = (/** @type {string} */ marker) => marks.has(marker) || known.has(marker) || literal.has(marker);
  let out = "";
  let at = 0;
  tokensIn(text).forEach(({ start, end, kind, path }, i) => {
    const { fileId = null, delivery = null, name } = attachments[i] ?? {};
    const token = text.slice(start, end);
    const same = [...known].find(([marker, mark]) =>
      mark.token === token && (fileId === null || mark.fileId === null || mark.fileId === fileId) && !marks.has(marker) && !literal.has(marker));
    const marker = same?.[0] ?? freshMarker(name || provisionalName(kind, path), taken);
    const before = same?.[1];
    marks.set(marker, {
      ...before,
      token, fileId: fileId ?? before?.fileId ?? null, delivery,
      name: name || before?.name || provisionalName(kind, path), provisional: !name && (before?.provisional ?? true),
    });
    out += text.slice(at, start) + marker;
    at = end;
  });
  return { text: out + text.slice(at), marks };
}

/**
 * What a file is called until the server has said its name: a stored one is called by its
 * hash, which tells a reader nothing.
 * @param {Token["kind"]} kind
 * @param {string} path
 */
function provisionalName(kind, path) {
  const last = path.split(/[\\/]/).pop() ?? "";
  if (last && !/^[0-9a-f]{32,}\./i.test(last)) return last;
  return kind === "image" ? "image" : kind === "text" ? "text file" : "file";
}

/**
 * The marks of a shown text, in order. A mark that was copied is there twice; one that was
 * changed is text like any other.
 * @param {string} shown
 * @param {ReadonlyMap<string, Mark>} marks
 * @returns {Placed[]}
 */
export function placedIn(shown, marks) {
  if (!marks.size) return [];
  return [...shown.matchAll(MARKER)].flatMap((found) => {
    const mark = marks.get(found[0]);
    return mark ? [{ marker: found[0], mark, start: found.index, end: found.index + found[0].length }] : [];
  });
}

/**
 * The text that is stored and sent, and what belongs to each of its tokens. A token that was
 * typed by hand counts, since the server counts it; what is still on its way does not.
 * `owners` are the marks of the attachments; `plain` is the text without its tokens.
 * @param {string} shown
 * @param {ReadonlyMap<string, Mark>} marks
 */
export function expand(shown, marks) {
  const placed = placedIn(shown, marks);
  let text = "";
  let at = 0;
  /** @type {Map<number, Placed>} */
  const byStart = new Map();
  for (const place of placed) {
    text += shown.slice(at, place.start);
    if (place.mark.token !== null) byStart.set(text.length, place);
    text += place.mark.token ?? "";
    at = place.end;
  }
  text += shown.slice(at);
  /** @type {Attachment[]} */
  const attachments = [];
  /** @type {(Placed | null)[]} */
  const owners = [];
  let plain = "";
  at = 0;
  for (const { start, end } of tokensIn(text)) {
    const owner = byStart.get(start) ?? null;
    owners.push(owner);
    attachments.push({ fileId: owner?.mark.fileId ?? null, delivery: owner?.mark.delivery ?? null });
    plain += text.slice(at, start);
    at = end;
  }
  return { text, attachments, owners, placed, plain: plain + text.slice(at) };
}
