// The strip above the text: a chip for each file of the message, and what they weigh (SHW-2).

import { infoOf } from "./attachments.js";
import { el } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { PASTED } from "./intake.js";
import { grouped } from "../base/text.js";
import { plainName } from "./tokens.js";
import { percentOf } from "./uploads.js";

/** @typedef {import("./attachments.js").Held} Held */
/** @typedef {import("./tokens.js").Placed & {mark: Held}} Place */
/** @typedef {"preview" | "remove" | "delivery" | "as-text" | "too-large" | "again"} ChipAct */

/**
 * @typedef {object} Chip
 * @property {"uploading" | "failed" | "broken" | "ok" | "large"} state
 * @property {string} name
 * @property {string} size
 * @property {import("../types.js").Weighed["kind"]} kind
 * @property {import("../types.js").Delivery} [delivery]
 * @property {number} [choices]   of deliveries
 * @property {string | null} [instead]  what the model gets, if it cannot take it that way
 * @property {string | null} [why]      why it cannot
 * @property {string | null} [thumbnail]
 * @property {boolean} [asText]   a long paste, which can be words again
 * @property {string} [large]     why it is too large
 */

/** How a delivery is written. */
export const DELIVERY_WORDS = Object.freeze({ inline: "inline", "on-demand": "on demand", path: "path", text: "text" });

/** What each delivery means, for who points at it. */
export const DELIVERY_MEANS = Object.freeze({
  inline: "its content is sent where it stands",
  "on-demand": "the model reads it by tool, when it needs to",
  path: "the program reads it from disk",
  text: "the text that was read out of it is sent where it stands",
});

/**
 * What a chip shows, as data. Pure.
 * @param {Held} mark
 * @returns {Chip}
 */
export function chipOf(mark) {
  const info = infoOf(mark);
  const name = plainName(mark.upload || info.broken ? mark.name : info.name);
  const { upload } = mark;
  if (upload) {
    const failed = upload.state === "failed";
    return { state: failed ? "failed" : "uploading", name, size: failed ? (upload.words ?? "") : "", kind: info.kind };
  }
  if (info.broken) return { state: "broken", name, size: info.broken, kind: info.kind };
  // What a model reads later by tool is not weighed yet.
  const tokens = info.tokens === null ? "" : `${grouped(info.tokens)} tok${info.delivery === "on-demand" ? " now" : ""}`;
  const text = info.delivery === "text" ? info.extracted : null;
  const whole = text ? (text.length ?? text.sizeText) : info.sizeText;
  const size = info.kind === "image" && !info.unseen ? tokens || info.sizeText : [info.unseen, whole, tokens].filter(Boolean).join(" · ");
  return {
    state: info.tooLarge ? "large" : "ok",
    name: name === PASTED || mark.pasted !== undefined ? "pasted text" : text ? `text of ${name}` : name,
    size, kind: info.kind, delivery: info.delivery, choices: info.deliveries.length, instead: info.instead ?? null, why: info.note ?? null,
    thumbnail: info.kind === "image" ? (info.thumbnail ?? null) : null,
    asText: name === PASTED || mark.pasted !== undefined,
    ...(info.tooLarge ? { large: info.tooLarge.words } : {}),
  };
}

/**
 * What is to be said of all files together: limits, and what a model does not see. Pure.
 * @param {readonly Held[]} marks
 * @param {string | null | undefined} limits
 */
export function stripWords(marks, limits) {
  const notes = marks.flatMap((mark) => mark.weighed?.note ?? []);
  return [...new Set([...(limits ? [limits] : []), ...notes])];
}

/**
 * @param {object} deps
 * @param {HTMLElement} deps.strip
 * @param {HTMLElement} deps.chips
 * @param {HTMLElement} deps.meter
 * @param {HTMLElement} deps.words
 * @param {() => Place[]} deps.placed
 * @param {(path: string) => string} deps.scope
 * @param {(act: ChipAct, place: Place) => void} deps.onAct
 */
export function createStrip({ strip, chips, meter, words, placed, scope, onAct }) {
  /** @type {string[]} */
  let drawn = [];
  /** @type {Place[]} */
  let shown = [];
  let told = "";
  /** @type {string | null} */
  let limits = null;

  /** @typedef {{act: ChipAct, at: number, marker: string, button: HTMLButtonElement}} Hit */
  /** @type {Hit | null} */
  let pressed = null;

  /**
   * @param {EventTarget | null} target
   * @returns {Hit | null}
   */
  function hitOf(target) {
    const button = target instanceof Element ? target.closest("button[data-chip]") : null;
    const chip = button?.closest("li");
    if (!(button instanceof HTMLButtonElement) || !chip) return null;
    const at = [...chips.children].indexOf(chip);
    return { act: /** @type {ChipAct} */ (button.dataset["chip"]), at, marker: shown[at]?.marker ?? "", button };
  }

  /**
   * @param {Hit} hit
   * @param {boolean} byKey
   */
  function run({ act, at }, byKey) {
    const place = shown[at];
    if (!place) return;
    onAct(act, place);
    // Who works through the chips by key stays among them.
    if (act === "remove" && byKey) focusChip(Math.min(at, chips.children.length - 1), "remove");
  }

  chips.addEventListener("pointerdown", ({ target }) => { pressed = hitOf(target); });
  // A button that was drawn anew between press and release gets no click from the browser. It
  // is meant all the same, if it is still the one under the pointer.
  chips.addEventListener("pointerup", ({ target }) => {
    const [before, now] = [pressed, hitOf(target)];
    pressed = null;
    if (!before || before.button.isConnected || !now) return;
    if (now.act === before.act && now.marker === before.marker) run(now, false);
  });
  chips.addEventListener("click", ({ target, detail }) => {
    const hit = hitOf(target);
    if (hit) run(hit, detail === 0);
  });

  /**
   * @param {number} at
   * @param {string} act
   */
  function focusChip(at, act) {
    const button = chips.children[at]?.querySelector(`[data-chip="${act}"]`);
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
  }

  function draw() {
    shown = placed();
    const views = shown.map(({ mark }) => chipOf(mark));
    const keys = views.map((view) => JSON.stringify(view));
    const focused = document.activeElement instanceof HTMLElement && chips.contains(document.activeElement) ? document.activeElement : null;
    const at = focused ? [...chips.children].findIndex((chip) => chip.contains(focused)) : -1;
    if (keys.length !== drawn.length || keys.some((key, i) => key !== drawn[i])) {
      const old = [...chips.children];
      chips.replaceChildren(...views.map((view, i) => (drawn[i] === keys[i] && old[i] ? old[i] : chipNode(view, scope))));
      drawn = keys;
      if (focused && !focused.isConnected) focusChip(Math.min(at, chips.children.length - 1), focused.dataset["chip"] ?? "remove");
      else if (focused && document.activeElement !== focused) focused.focus({ preventScroll: true });
    }
    shown.forEach(({ mark }, i) => progress(chips.children[i], mark));
    strip.hidden = shown.length === 0;
    meter.textContent = told;
    meter.hidden = told === "";
    const lines = stripWords(shown.map(({ mark }) => mark), limits);
    const text = lines.join(" · ");
    if (words.textContent !== text) words.textContent = text;
    words.hidden = text === "";
  }

  return {
    draw,
    /**
     * @param {{meter?: string | null, limits?: import("../types.js").Limits | null}} weighed
     */
    tell(weighed) {
      told = weighed.meter ?? "";
      limits = weighed.limits?.words ?? null;
      draw();
    },
    /**
     * Brings the first chip that is meant into focus, at what makes it smaller: another way to
     * send it, or else taking it out. Whether there is one.
     * @param {(place: Place) => boolean} [meant]
     */
    focus(meant = () => true) {
      const at = shown.findIndex(meant);
      if (at < 0) return false;
      focusChip(at, chips.children[at]?.querySelector('[data-chip="delivery"]') ? "delivery" : "remove");
      return true;
    },
  };
}

/**
 * @param {Element | undefined} chip
 * @param {Held} mark
 */
function progress(chip, { upload }) {
  const bar = chip?.querySelector("progress");
  if (!chip || !bar || !upload) return;
  const percent = percentOf(upload.loaded, upload.total);
  if (upload.total > 0) bar.value = percent;
  const label = chip.querySelector("em");
  const text = upload.total > 0 ? `${percent} %` : "…";
  if (label && label.textContent !== text) label.textContent = text;
}

/**
 * The drawing for a file. Pure.
 * @param {Chip["kind"]} kind
 * @param {string} name
 * @returns {import("../base/icons.js").IconName}
 */
export function iconOf(kind, name) {
  if (kind !== "file") return kind === "image" ? "image" : "file";
  if (/\.(ogg|oga|opus|mp3|wav|flac|m4a|aac)$/i.test(name)) return "sound";
  return /\.(mp4|m4v|mov|webm|mkv|avi)$/i.test(name) ? "video" : "file";
}

/**
 * @param {Chip} view
 * @param {(path: string) => string} scope
 */
function chipNode(view, scope) {
  const { state, name, size } = view;
  const act = (/** @type {ChipAct} */ what, /** @type {string} */ label, /** @type {string} */ title, look = "how") =>
    el("button", { type: "button", class: look, "data-chip": what, title }, label);
  const bdi = el("bdi", {}, name);
  const remove = el("button", { type: "button", class: "chip-x", "data-chip": "remove", title: state === "uploading" ? "Stop" : "Remove", "aria-label": `${state === "uploading" ? "Stop" : "Remove"} ${name}` }, icon("close"));
  const chip = el("li", { class: "chip", "data-state": state });
  if (state === "uploading") {
    chip.append(el("span", { class: "chip-name" }, bdi), el("em", {}), el("progress", { max: 100, "aria-label": `Upload of ${name}` }), remove);
    return chip;
  }
  if (state === "broken" || state === "failed") {
    chip.append(el("span", { class: "chip-name" }, state === "broken" ? "! broken attachment" : el("span", {}, "! ", bdi)), el("em", { class: "chip-why" }, size));
    if (state === "failed") chip.append(act("again", "try again", "Upload it again"));
    chip.append(remove);
    return chip;
  }
  const { kind, thumbnail, delivery, choices = 0, instead, why, asText, large } = view;
  const how = delivery && (instead ?? DELIVERY_WORDS[delivery]);
  const means = delivery && ((instead && why) || DELIVERY_MEANS[delivery]);
  chip.append(
    thumbnail ? el("img", { class: "chip-thumb", src: scope(thumbnail), alt: "", loading: "lazy" }) : icon(iconOf(kind, name)),
    el("button", { type: "button", class: "chip-name", "data-chip": "preview", title: `${name}: look at it` }, bdi),
    el("em", {}, size));
  if (large) chip.append(act("too-large", "too large", large, "how alert"));
  else if (how && choices > 1) chip.append(act("delivery", how, `${means}; click for another way`));
  else if (how && means && (kind !== "image" || instead)) chip.append(el("span", { class: "how", title: means }, how));
  if (asText) chip.append(act("as-text", "paste as text instead", "Put the words into the message"));
  chip.append(remove);
  return chip;
}
