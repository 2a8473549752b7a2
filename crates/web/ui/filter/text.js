// What a text in the filter box is: a filter, a command, or words to search for. Pure.

/**
 * Where the command begins: the first `:` outside quotes (FLT-5), or −1.
 * @param {string} text
 */
export function commandAt(text) {
  let quote = "";
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quote) {
      if (c === "\\") i += 1;
      else if (c === quote) quote = "";
    } else if (c === "'" || c === '"') quote = c;
    else if (c === ":") return i;
  }
  return -1;
}

/** So many words are looked for one by one. */
const MOST_WORDS = 32;

/** One atom of FLT-3 that is written without quotes. */
const ATOM = /^(?:t(?:\.\.\.|\d+)?|s(?:[<>]=?|=)?\d|r\d+|k(?:[<>]=?|=)?\d+|o\d*|[bgmeia]|d(?:[<>]=?|=)?\d[\d-]*(?:min|h|d|w|mo|y)?)$/;

/**
 * Whether a text reads as plain words: no quotes, no operators, and at least one word that
 * is no atom. Such a text is offered as a search (HIS-7).
 * @param {string} text
 */
export function readsAsWords(text) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (!words.length || /['"|&()!@:<>=]/.test(text)) return false;
  return words.some((word) => !ATOM.test(word) && /\p{L}{2}/u.test(word));
}

/**
 * Words as a filter for pairs that hold each of them. Pure.
 * @param {string} text
 */
export function filterOfWords(text) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const quoted = (/** @type {string} */ word) => `c'${word.replace(/[\\'*]/g, "\\$&")}'`;
  // A pasted paragraph is looked for as it is written.
  return (words.length > MOST_WORDS ? [text.trim()] : words).map(quoted).join(" ");
}

/**
 * The server's two lines, taken apart: the text, where the carets stand, and the words.
 * @param {string} caret
 */
export function caretParts(caret) {
  const cut = caret.lastIndexOf("\n");
  const text = cut < 0 ? "" : caret.slice(0, cut);
  const line = caret.slice(cut + 1);
  const column = line.indexOf("^");
  return {
    text,
    column: Math.max(0, column),
    message: (column < 0 ? line : line.slice(column).replace(/^\^+/, "")).trim(),
    marks: column < 0 ? "^" : (/^\^+/.exec(line.slice(column))?.[0] ?? "^"),
  };
}

/**
 * A completion put into the text: what it becomes and where the caret goes.
 * @param {string} text
 * @param {{from: number, to: number}} range  in UTF-16 units
 * @param {string} insert
 */
export function completed(text, { from, to }, insert) {
  return { text: text.slice(0, from) + insert + text.slice(to), caret: from + insert.length };
}
