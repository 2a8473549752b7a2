// The rendered part of the history: a few chunks of pairs between two spacers (UI-8).
//
// While somebody scrolls, the spacer above lends and takes what real heights differ from
// guessed ones, so that the scroll position is left alone; it is put right when all is quiet.

import { createAnchor } from "./anchor.js";
import { Heights, again, around, nextStep, surplus } from "./chunks.js";
import { debounced, must, parse } from "../base/dom.js";
import { keepFolds, keepWriting } from "./folds.js";
import { createPress } from "../base/press.js";

/** No scrolling for so long is quiet. */
const QUIET_MS = 150;

/** @typedef {import("./chunks.js").Range} Range */
/** @typedef {import("./chunks.js").Chunk & {node: HTMLElement}} Rendered */

/**
 * @param {object} deps
 * @param {HTMLElement} deps.pane
 * @param {(from: number, to: number, signal: AbortSignal) => Promise<string>} deps.fetchRows
 * @param {(root: HTMLElement) => void} deps.onRendered  before it is measured
 * @param {() => void} deps.onShown  other parts are shown than before
 * @param {() => void} deps.onBehind  rows came that know of more pairs or fewer than the page
 */
export function createWindow({ pane, fetchRows, onRendered, onShown, onBehind }) {
  const aboveEl = must("#above", HTMLElement, pane);
  const rows = must("#rows", HTMLElement, pane);
  const belowEl = must("#below", HTMLElement, pane);
  const heights = new Heights();
  const anchor = createAnchor({ pane, firstInView, ends });
  const press = createPress(pane);
  /** @type {Rendered[]} */
  let chunks = [];
  let y = Number(pane.dataset["visible"] ?? 0);
  /** The number of the arrangement that the rows belong to: positions mean nothing in another. */
  let shape = -1;
  let above = 0;
  /** Counts replacements of everything; what was asked for before one is thrown away. */
  let generation = 0;
  /** Counts changes of single rows; what was asked for before one may come back without it. */
  let changes = 0;
  let aborter = new AbortController();
  /** @type {Promise<void> | null} */
  let pumping = null;
  let frame = 0;
  let width = pane.clientWidth;
  /** What a newcomer sees instead of nothing (UI-13). */
  const welcome = rows.querySelector("#welcome");

  const observer = new ResizeObserver((entries) => {
    if (pane.clientWidth !== width) {
      width = pane.clientWidth;
      heights.forget();
      chunks.forEach(measure);
    } else {
      for (const { target } of entries) {
        const chunk = chunks.find(({ node }) => node === target);
        if (chunk) measure(chunk);
      }
    }
    anchor.settle();
  });
  observer.observe(pane);

  const quiet = debounced(QUIET_MS, () => {
    normalise();
    void pump();
  });
  pane.addEventListener("scroll", () => {
    quiet.call();
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      anchor.remember();
      void pump();
    });
  }, { passive: true });

  /** @param {Rendered} chunk */
  function measure(chunk) {
    chunk.height = chunk.node.getBoundingClientRect().height;
    heights.note(chunk, chunk.height);
    // From now on it is not laid out while out of sight; this is the height that it then has.
    chunk.node.style.setProperty("contain-intrinsic-block-size", `auto ${chunk.height}px`);
    chunk.node.classList.add("laid");
  }

  /** @param {number} px */
  function setAbove(px) {
    above = Math.max(0, Math.round(px));
    aboveEl.style.height = `${above}px`;
  }

  function setBelow() {
    const last = lastChunk();
    belowEl.style.height = `${Math.round(last ? heights.spacers(last, y).below : 0)}px`;
  }

  function normalise() {
    const first = chunks[0];
    const right = first ? Math.round(heights.spacers(first, y).above) : 0;
    if (Math.abs(right - above) > 1) anchor.keep(() => setAbove(right));
  }

  function lastChunk() {
    return chunks[chunks.length - 1] ?? null;
  }

  function ends() {
    return (lastChunk()?.to ?? 0) >= y;
  }

  /** The first pair of which anything can be seen. */
  function firstInView() {
    const top = pane.getBoundingClientRect().top + 1;
    const chunk = chunks.find(({ node }) => node.getBoundingClientRect().bottom > top);
    for (const article of chunk?.node.querySelectorAll(".pair[data-id]") ?? []) {
      if (article.getBoundingClientRect().bottom > top) return /** @type {HTMLElement} */ (article);
    }
    return null;
  }

  /**
   * @param {Range} range
   * @param {AbortSignal} signal
   * @returns {Promise<Rendered>}
   */
  async function load(range, signal) {
    const node = parse(await fetchRows(range.from, range.to, signal));
    if (!node) throw new Error("the server sent no rows");
    onRendered(node);
    return { ...range, height: 0, node };
  }

  /**
   * Whether a chunk belongs to an arrangement of so many pairs. One that does not is not mixed
   * with others: a pair would stand twice, or not at all.
   * @param {Rendered} chunk
   * @param {{y: number, shape: number}} wanted
   */
  function belongs({ node }, wanted) {
    return Number(node.dataset["y"]) === wanted.y && Number(node.dataset["shape"]) === wanted.shape;
  }

  /** @param {Rendered[]} fresh */
  function replaceAll(fresh) {
    const focused = document.activeElement?.closest("#rows .pair")?.getAttribute("data-id");
    for (const { node } of chunks) observer.unobserve(node);
    chunks = fresh;
    const reopen = keepFolds(rows);
    const writeOn = keepWriting(rows);
    // What the server rendered into the page stands there by now; moved, it would be laid out twice.
    const there = fresh.length === rows.childElementCount && fresh.every(({ node }, at) => rows.children[at] === node);
    if (!there) rows.replaceChildren(...fresh.map(({ node }) => node));
    reopen(rows);
    greet();
    for (const chunk of fresh) {
      measure(chunk);
      observer.observe(chunk.node);
    }
    setAbove(fresh[0] ? heights.spacers(fresh[0], y).above : 0);
    setBelow();
    if (focused && !writeOn(rows)) (find(focused) ?? pane).focus({ preventScroll: true });
  }

  function greet() {
    const empty = y === 0 && pane.dataset["filtered"] === undefined;
    if (welcome && empty) rows.prepend(welcome);
    else welcome?.remove();
  }

  /**
   * Loads these ranges in place of all that is shown. False when somebody else was quicker.
   * @param {Range[]} ranges
   * @param {object} [how]
   * @param {{y: number, shape: number}} [how.wanted]  what they must belong to; else what is shown now
   * @param {() => void} [how.before]  when they are there, right before they are shown
   * @param {() => void} [how.after]   right after
   * @param {() => boolean} [how.old]  whether they are worth nothing any more
   */
  async function show(ranges, { wanted = { y, shape }, before, after, old } = {}) {
    const mine = (generation += 1);
    const then = changes;
    aborter.abort();
    aborter = new AbortController();
    const { signal } = aborter;
    const fresh = await Promise.all(ranges.map((range) => load(range, signal))).catch((error) => {
      if (signal.aborted) return null;
      throw error;
    });
    await press.over();
    if (!fresh || mine !== generation || old?.()) return false;
    // A row that was changed meanwhile may have come as it was before.
    if (then !== changes && !old) return show(ranges, { wanted, before, after });
    if (!fresh.every((chunk) => belongs(chunk, wanted))) {
      onBehind();
      return false;
    }
    before?.();
    // What was asked for while these were on their way belongs to what was shown before.
    generation += 1;
    shape = wanted.shape;
    if (y !== wanted.y) setCount(wanted.y);
    replaceAll(fresh);
    after?.();
    onShown();
    return true;
  }

  /** Keeps the pane provided with chunks, one after the other. */
  function pump() {
    pumping ??= provide().finally(() => { pumping = null; });
    return pumping;
  }

  async function provide() {
    try {
      while (await step());
      cut();
    } catch {
      // Without a connection the spacer stays; scrolling or the reconnection asks again.
    }
  }

  async function step() {
    const top = pane.scrollTop - above;
    const margin = Math.max(900, pane.clientHeight * 1.5);
    const todo = nextStep({ chunks, y, top, bottom: top + pane.clientHeight, margin });
    if (!todo) return false;
    if (todo.kind === "jump") return leap();
    const [mine, then] = [generation, changes];
    const chunk = await load(todo.range, aborter.signal);
    if (mine !== generation || then !== changes) return true;
    if (!belongs(chunk, { y, shape })) {
      onBehind();
      return false;
    }
    anchor.keep(() => {
      if (todo.kind === "above") {
        rows.prepend(chunk.node);
        chunks.unshift(chunk);
        measure(chunk);
        const rest = above - chunk.height;
        setAbove(chunk.from > 0 && rest > 0 ? rest : heights.spacers(chunk, y).above);
      } else {
        rows.append(chunk.node);
        chunks.push(chunk);
        measure(chunk);
        setBelow();
      }
    });
    observer.observe(chunk.node);
    onShown();
    cut();
    return true;
  }

  /** The reader is among pairs that are not there: shows those that belong at this height. */
  async function leap() {
    const at = chunks.length ? heights.locate(pane.scrollTop, y) : y - 1;
    if (!(await show(around(at, y)))) return true;
    const node = anchor.following ? null : findAt(at);
    if (node) {
      // The spacer takes the difference, so that a dragged scroll bar is not pulled away.
      setAbove(pane.scrollTop - (node.getBoundingClientRect().top - rows.getBoundingClientRect().top));
      anchor.hold(node, 0);
    } else anchor.settle();
    return true;
  }

  function cut() {
    const top = pane.scrollTop - above;
    const gone = surplus({ chunks, top, bottom: top + pane.clientHeight });
    for (let left = gone.above; left > 0 && chunks[0]; left -= 1) {
      const { height } = chunks[0];
      if (!drop(chunks[0])) break;
      setAbove(above + height);
    }
    for (let left = gone.below; left > 0; left -= 1) {
      const last = lastChunk();
      if (!last || !drop(last)) break;
      setBelow();
    }
  }

  /**
   * Takes a chunk out, unless somebody is writing in it.
   * @param {Rendered} chunk
   */
  function drop(chunk) {
    if (chunk.node.querySelector(".editing")) return false;
    const focused = chunk.node.contains(document.activeElement);
    observer.unobserve(chunk.node);
    chunk.node.remove();
    chunks = chunks.filter((other) => other !== chunk);
    if (focused) pane.focus({ preventScroll: true });
    return true;
  }

  /** @param {string} id */
  function find(id) {
    return /** @type {HTMLElement | null} */ (rows.querySelector(`.pair[data-id="${CSS.escape(id)}"]`));
  }

  /** @param {number} at */
  function findAt(at) {
    return /** @type {HTMLElement | null} */ (rows.querySelector(`.pair[data-at="${at}"]`));
  }

  /** @param {number} count */
  function setCount(count) {
    y = count;
    pane.dataset["visible"] = String(count);
    if (count > 0) welcome?.remove();
    setBelow();
  }

  return {
    pane, rows, anchor, press, find, findAt, firstInView, show, pump, ends, lastChunk, setCount,
    get y() { return y; },
    get shape() { return shape; },
    /** Which positions are rendered. */
    get loaded() { return { from: chunks[0]?.from ?? 0, to: lastChunk()?.to ?? 0 }; },
    get changes() { return changes; },
    /** A row was changed; rows that are on their way may be older. */
    changed() { changes += 1; },
    /**
     * What to show after positions changed: the places in view, as far as they exist.
     * @param {number} count  of the pairs that are there now
     */
    again(count) {
      const { top, bottom } = pane.getBoundingClientRect();
      const near = chunks.filter(({ node }) => {
        const box = node.getBoundingClientRect();
        return box.bottom > top - pane.clientHeight && box.top < bottom + pane.clientHeight;
      });
      return again(near, count);
    },
    /** Takes over the chunks that the server rendered into the page. */
    adopt() {
      const nodes = /** @type {HTMLElement[]} */ ([...rows.querySelectorAll(":scope > .chunk")]);
      nodes.forEach(onRendered);
      shape = Number(nodes[0]?.dataset["shape"] ?? -1);
      replaceAll(nodes.map((node) => ({ node, from: Number(node.dataset["from"]), to: Number(node.dataset["to"]), height: 0 })));
    },
    /** @param {Rendered} chunk  the new last one */
    push(chunk) {
      rows.append(chunk.node);
      chunks.push(chunk);
      observer.observe(chunk.node);
    },
    /** Forgets measured heights: other pairs stand at these places now. */
    forget: () => heights.forget(),
  };
}

/** @typedef {ReturnType<typeof createWindow>} HistoryWindow */
