// The gauge: one bar that is the model's window, and what it is loaded with.

import { grouped } from "../base/text.js";
import { costWith } from "./cost.js";

/** @typedef {import("../types.js").Window} Window */
/** @typedef {{key: string, label: string, tokens: number, x: number, w: number}} Segment */

const SVG = "http://www.w3.org/2000/svg";
const LABELS = /** @type {const} */ ({
  prelude: "instructions", history: "history", files: "files", draft: "draft", reserve: "reply", free: "free",
});

/**
 * The bar in per cent of its width. It is as wide as the window, or as the load where that
 * is more, so that nothing is ever drawn outside; the ticks move with it. Pure.
 * @param {Window} window
 * @param {number} warnAt  in per cent
 */
export function segmentsOf(window, warnAt) {
  const ml = Math.max(window.ml, 1);
  const files = Math.min(window.files ?? 0, window.aut);
  // The reply is promised what is left; a promise beyond the window is not drawn.
  const reserve = Math.max(0, Math.min(window.reserve, ml - window.total));
  const loads = { prelude: window.prelude, history: window.history, files, draft: window.aut - files, reserve };
  const used = Object.values(loads).reduce((sum, n) => sum + n, 0);
  const width = Math.max(ml, used);
  const all = { ...loads, free: width - used };
  let x = 0;
  /** @type {Segment[]} */
  const segments = [];
  for (const key of /** @type {(keyof typeof LABELS)[]} */ (Object.keys(LABELS))) {
    const w = (all[key] / width) * 100;
    segments.push({ key, label: LABELS[key], tokens: all[key], x, w });
    x += w;
  }
  const ticks = [warnAt, 100].map((at) => ({ at, x: (at * ml) / width }));
  return { segments, ticks, level: levelOf(window) };
}

/**
 * How alarming the load is. History fills the window up to the line by design, so a message
 * within its allowance alarms nobody. Pure.
 * @param {Window} window
 * @returns {"ok" | "warn" | "over"}
 */
export function levelOf({ verdict, aut, ura }) {
  if (verdict === "warn") return aut > ura ? "warn" : "ok";
  return verdict === "ok" ? "ok" : "over";
}

/**
 * What is said above the draft before it is sent (VAL-2); null where there is nothing to say,
 * and always without a message. Pure.
 * @param {Window} window
 * @param {number} warnAt
 * @returns {import("../base/notice.js").Note | null}
 */
export function loadNote({ verdict, aut, ura, history, percent }, warnAt) {
  if (aut === 0 || verdict === "ok") return null;
  if (verdict === "too_large") return { text: "This message alone is more than the window holds.", level: "error" };
  if (verdict === "over") return { text: "More than the window holds. Sending asks what to do first.", level: "error" };
  if (aut <= ura && history > 0) return { text: `History fills ${percent} % of the window, as planned. This message fits.`, level: "info" };
  return { text: `Above ${warnAt} % of the window (${percent} %). It can be sent.`, level: "warn" };
}

/**
 * The bar in words, for who cannot see it. Pure.
 * @param {Window} window
 */
export function gaugeWords(window) {
  const files = Math.min(window.files ?? 0, window.aut);
  const parts = [
    `instructions ${grouped(window.prelude)}`,
    `history ${grouped(window.history)}`,
    ...(files ? [`files ${grouped(files)}`] : []),
    `draft ${grouped(window.aut - files)}`,
    `reply reserve ${grouped(window.reserve)}`,
  ];
  const rest = window.total > window.ml
    ? `${grouped(window.total - window.ml)} tokens more than the ${grouped(window.ml)} of the window`
    : `free ${grouped(Math.max(0, window.free))} of ${grouped(window.ml)} tokens`;
  return `Window: ${parts.join(", ")}, ${rest}`;
}

/**
 * The window with another draft in it, until the server has weighed that draft. Pure.
 * @param {Window} window
 * @param {number} aut
 * @param {number} warnAt
 * @returns {Window}
 */
export function withDraft(window, aut, warnAt) {
  const total = window.prelude + window.history + aut;
  const percent = window.ml > 0 ? Math.round((total / window.ml) * 1000) / 10 : 0;
  // Whether it is refused depends on how sure the numbers are: the server says it. Of a window
  // that nobody told, nothing is said.
  const verdict = window.ml === 0 ? "ok" : total > window.ml ? "over" : percent > warnAt ? "warn" : "ok";
  const cost = costWith(window.cost, total - window.total);
  return { ...window, aut, total, percent, verdict, free: window.ml - total - window.reserve, exact: false, ...(cost ? { cost } : {}) };
}

/**
 * @param {object} deps
 * @param {HTMLElement} deps.gauge
 * @param {HTMLElement} deps.legend
 * @param {number} deps.warnAt
 */
export function createGauge({ gauge, legend, warnAt }) {
  /** @type {Map<string, {rect: SVGRectElement, title: SVGTitleElement, entry: HTMLElement, number: HTMLElement}>} */
  const parts = new Map();
  /** @type {SVGLineElement[]} */
  const ticks = [];
  const rest = document.createElement("span");

  function build() {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("aria-hidden", "true");
    svg.append(hatch());
    legend.replaceChildren();
    for (const [key, label] of Object.entries(LABELS)) {
      const rect = document.createElementNS(SVG, "rect");
      rect.setAttribute("class", `g-${key}`);
      rect.setAttribute("height", "100%");
      if (key === "reserve") rect.setAttribute("fill", "url(#g-hatch)");
      const title = document.createElementNS(SVG, "title");
      rect.append(title);
      svg.append(rect);
      const entry = document.createElement("span");
      const dot = document.createElement("i");
      dot.className = `g-${key}`;
      const number = document.createElement("b");
      entry.append(dot, `${label} `, number);
      if (key !== "free") legend.append(entry);
      parts.set(key, { rect, title, entry, number });
    }
    for (let i = 0; i < 2; i += 1) {
      const line = document.createElementNS(SVG, "line");
      line.setAttribute("class", i ? "tick full" : "tick");
      line.setAttribute("y2", "100%");
      ticks.push(line);
      svg.append(line);
    }
    rest.className = "r";
    legend.append(rest);
    gauge.replaceChildren(svg);
  }

  return {
    /** @param {Window} window */
    draw(window) {
      if (!parts.size) build();
      const bar = segmentsOf(window, warnAt);
      for (const { key, label, tokens, x, w } of bar.segments) {
        const part = parts.get(key);
        if (!part) continue;
        part.rect.setAttribute("x", `${x}%`);
        part.rect.setAttribute("width", `${w}%`);
        const made = key === "prelude" && window.preludeText ? `: ${window.preludeText}` : "";
        part.title.textContent = `${label} ${grouped(tokens)} tokens${made}`;
        part.entry.title = made ? part.title.textContent : "";
        part.number.textContent = grouped(key === "reserve" ? window.reserve : tokens);
        part.entry.hidden = key === "files" && tokens === 0;
      }
      bar.ticks.forEach(({ x }, i) => {
        ticks[i]?.setAttribute("x1", `${Math.min(x, 99.9)}%`);
        ticks[i]?.setAttribute("x2", `${Math.min(x, 99.9)}%`);
      });
      gauge.dataset["level"] = legend.dataset["level"] = bar.level;
      gauge.setAttribute("aria-label", gaugeWords(window));
      rest.textContent = `${window.percent} % of ${window.model} · ${window.load}`;
      rest.title = [window.told, window.bindText].filter(Boolean).join(" · ");
    },
  };
}

/** Slanted lines for room that is kept but not filled. */
function hatch() {
  const pattern = document.createElementNS(SVG, "pattern");
  for (const [name, value] of Object.entries({ id: "g-hatch", width: "6", height: "6", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" })) {
    pattern.setAttribute(name, value);
  }
  const line = document.createElementNS(SVG, "line");
  line.setAttribute("class", "hatch");
  line.setAttribute("y2", "6");
  pattern.append(line);
  return pattern;
}
