// Numbers and words as the page writes them. Pure.

/** How many characters make a token until the server has said better (EST-1). */
export const CHARS_PER_TOKEN = 3.5;

/**
 * `12345` → `12,345`, the same in every locale, as the server writes it.
 * @param {number} n
 */
export function grouped(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/**
 * `1` → `1 pair`, `2` → `2 pairs`.
 * @param {number} n
 * @param {string} noun
 */
export function counted(n, noun) {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/**
 * Unicode scalar values of a text: what the heuristic divides. A surrogate pair is one.
 * @param {string} text
 */
export function scalars(text) {
  let n = text.length;
  for (let i = 0; i + 1 < text.length; i += 1) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      n -= 1;
      i += 1;
    }
  }
  return n;
}

/**
 * The heuristic estimate of EST-1, shown while the server weighs.
 * @param {string} text
 * @param {number} [charsPerToken]
 */
export function roughTokens(text, charsPerToken = CHARS_PER_TOKEN) {
  return Math.ceil(scalars(text) / charsPerToken);
}

/**
 * `/Rust/async` → `Rust › async`.
 * @param {string} path
 */
export function topicLabel(path) {
  return path.split("/").filter(Boolean).join(" › ") || "All topics";
}

/**
 * With a capital, as a sentence of its own; problems come in the middle of one.
 * @param {string} text
 */
export function sentence(text) {
  return text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}

/**
 * The first words of a text, to name it by.
 * @param {string} text
 * @param {number} [max]
 */
export function opening(text, max = 40) {
  const line = text.trim().replace(/\s+/g, " ");
  const letters = [...line];
  return letters.length <= max ? line : `${letters.slice(0, max - 1).join("").trimEnd()}…`;
}
