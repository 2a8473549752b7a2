// The arithmetic of a windowed history: which chunks, how high, where. Pure.
//
// Positions count visible pairs from the oldest, 0, to the newest, y − 1. A block is an
// aligned run of CHUNK positions; a chunk is what one request rendered, within one block.

/** Pairs in one chunk: so few that laying one out is no long task. */
export const CHUNK = 10;
/** Chunks that stand in the document at once. */
export const MAX_CHUNKS = 20;
/** Browsers cannot lay out a box of any height: both spacers together stay below this. */
export const MAX_PX = 12_000_000;
/** Height of a pair that nobody has measured yet. */
const FIRST_GUESS = 130;

/** @typedef {{from: number, to: number}} Range */
/** @typedef {Range & {height: number}} Chunk */

/**
 * The chunk to ask for above one that begins at `from`.
 * @param {number} from
 * @returns {Range | null}
 */
export function rangeAbove(from) {
  return from <= 0 ? null : { from: Math.floor((from - 1) / CHUNK) * CHUNK, to: from };
}

/**
 * The chunk to ask for below one that ends at `to`.
 * @param {number} to
 * @param {number} y
 * @returns {Range | null}
 */
export function rangeBelow(to, y) {
  return to >= y ? null : { from: to, to: Math.min(y, (Math.floor(to / CHUNK) + 1) * CHUNK) };
}

/**
 * The chunks to ask for when somebody jumps to a position: its block and the nearer
 * neighbour, so that a pane is filled on both sides of it.
 * @param {number} at
 * @param {number} y
 * @returns {Range[]}
 */
export function around(at, y) {
  if (y <= 0) return [];
  const here = Math.min(Math.max(at, 0), y - 1);
  const own = /** @type {Range} */ (rangeBelow(Math.floor(here / CHUNK) * CHUNK, y));
  const before = rangeAbove(own.from);
  const after = rangeBelow(own.to, y);
  const low = here - own.from < CHUNK / 2;
  if (low && before) return [before, own];
  if (after) return [own, after];
  return before ? [before, own] : [own];
}

/**
 * The ranges that replace those on screen after positions changed: the same places, as far
 * as they still exist.
 * @param {Range[]} ranges
 * @param {number} y
 * @returns {Range[]}
 */
export function again(ranges, y) {
  const first = ranges[0];
  const last = ranges[ranges.length - 1];
  if (!first || !last || first.from >= y) return around(y - 1, y);
  const from = Math.floor(first.from / CHUNK) * CHUNK;
  /** @type {Range[]} */
  const out = [];
  for (let next = rangeBelow(from, y); next && next.from < last.to; next = rangeBelow(next.to, y)) out.push(next);
  // A chunk that held no pair, only what goes along, says nothing about places.
  return out.length ? out.slice(0, MAX_CHUNKS) : around(y - 1, y);
}

/** @typedef {{kind: "jump"} | {kind: "above", range: Range} | {kind: "below", range: Range}} Step */

/**
 * What the window needs next, or null when the reader is well provided.
 * `top` and `bottom` are the edges of the pane, measured from the top of the first chunk.
 * @param {{chunks: Chunk[], y: number, top: number, bottom: number, margin: number}} here
 * @returns {Step | null}
 */
export function nextStep({ chunks, y, top, bottom, margin }) {
  const first = chunks[0];
  const last = chunks[chunks.length - 1];
  if (!first || !last) return y > 0 ? { kind: "jump" } : null;
  const height = chunks.reduce((sum, chunk) => sum + chunk.height, 0);
  const above = rangeAbove(first.from);
  const below = rangeBelow(last.to, y);
  if ((above && bottom <= -margin) || (below && top >= height + margin)) return { kind: "jump" };
  if (above && top < margin) return { kind: "above", range: above };
  if (below && height - bottom < margin) return { kind: "below", range: below };
  return null;
}

/**
 * How many chunks to take out at either end: the far ones, never one that can be seen.
 * @param {{chunks: Chunk[], top: number, bottom: number, max?: number}} here
 */
export function surplus({ chunks, top, bottom, max = MAX_CHUNKS }) {
  let lo = 0;
  let hi = chunks.length;
  let start = 0;
  let end = chunks.reduce((sum, chunk) => sum + chunk.height, 0);
  while (hi - lo > max) {
    const head = /** @type {Chunk} */ (chunks[lo]).height;
    const tail = /** @type {Chunk} */ (chunks[hi - 1]).height;
    const gapAbove = top - (start + head);
    const gapBelow = end - tail - bottom;
    if (gapAbove <= 0 && gapBelow <= 0) break;
    if (gapAbove >= gapBelow) {
      lo += 1;
      start += head;
    } else {
      hi -= 1;
      end -= tail;
    }
  }
  return { above: lo, below: chunks.length - hi };
}

/** What is known about heights, and a guess for the rest. */
export class Heights {
  /** @type {Map<number, {count: number, height: number}>} */
  #known = new Map();
  #count = 0;
  #height = 0;

  /** Pixels of a pair, on average over all that were measured. */
  get mean() {
    return this.#count ? this.#height / this.#count : FIRST_GUESS;
  }

  /**
   * Remembers a measured chunk.
   * @param {Range} range
   * @param {number} height
   */
  note({ from, to }, height) {
    if (to <= from || height <= 0) return;
    const block = Math.floor(from / CHUNK);
    const old = this.#known.get(block);
    const count = to - from;
    // A chunk that grows replaces what it was; a smaller part of a block tells less than it.
    if (old && old.count > count) return;
    this.#count += count - (old?.count ?? 0);
    this.#height += height - (old?.height ?? 0);
    this.#known.set(block, { count, height });
  }

  /** Forgets the places, keeps the average: after a filter or a change of width. */
  forget() {
    const mean = this.mean;
    this.#known.clear();
    this.#count = 1;
    this.#height = mean;
  }

  /**
   * Pixels of the pairs `from` … `to` − 1.
   * @param {number} from
   * @param {number} to
   */
  estimate(from, to) {
    const { mean } = this;
    let px = 0;
    for (let at = from; at < to; ) {
      const block = Math.floor(at / CHUNK);
      const end = Math.min(to, (block + 1) * CHUNK);
      const known = this.#known.get(block);
      px += (end - at) * (known ? known.height / known.count : mean);
      at = end;
    }
    return px;
  }

  /**
   * What a spacer's pixel stands for: 1, or less where all would be too high.
   * @param {number} y
   */
  scale(y) {
    const all = this.estimate(0, y);
    return all > MAX_PX ? MAX_PX / all : 1;
  }

  /**
   * The spacers around rendered positions.
   * @param {Range} rendered
   * @param {number} y
   */
  spacers({ from, to }, y) {
    const scale = this.scale(y);
    return { above: this.estimate(0, from) * scale, below: this.estimate(to, y) * scale };
  }

  /**
   * The position that stands at a height: the inverse of `estimate(0, at) * scale`.
   * @param {number} px
   * @param {number} y
   */
  locate(px, y) {
    const scale = this.scale(y);
    let top = 0;
    for (let from = 0; from < y; from += CHUNK) {
      const to = Math.min(y, from + CHUNK);
      const height = this.estimate(from, to) * scale;
      if (top + height > px) return Math.min(to - 1, from + Math.max(0, Math.floor(((px - top) / height) * (to - from))));
      top += height;
    }
    return Math.max(0, y - 1);
  }
}
