// A file looked at: its picture or first lines, what it weighs, how the model gets it (SHW-2).

import { wordsOf } from "../base/api.js";
import { el } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { DELIVERY_MEANS, DELIVERY_WORDS } from "./strip.js";
import { grouped } from "../base/text.js";
import { plainName } from "./tokens.js";

/** @typedef {import("../types.js").FileDetails} FileDetails */
/** @typedef {import("../types.js").Delivery} Delivery */

/**
 * The facts of a file, as pairs of words. Pure.
 * @param {FileDetails} file
 * @param {Delivery | null} [delivery]  chosen for this message
 * @param {number | null} [tokens]      as it would be delivered there
 * @returns {[string, string][]}
 */
export function factsOf(file, delivery = null, tokens = null) {
  const how = delivery ?? file.delivery;
  /** @type {[string, string | null | undefined | false][]} */
  const facts = [
    ["size", `${file.sizeText}${file.pixels ? ` · ${grouped(file.pixels[0])} × ${grouped(file.pixels[1])} pixels` : ""}`],
    ["type", file.mime],
    ["its text", extractedWords(file)],
    ["no text", file.noText],
    ["tokens", file.tokens === null && file.extracted ? `about ${grouped(file.extracted.tokens)} as its text` : file.tokens === null ? (file.pixels ? "as many as the model takes for a picture" : "not known: it is not text") : `about ${grouped(file.tokens)}`],
    ["delivery", `${DELIVERY_WORDS[how] ?? how}: ${DELIVERY_MEANS[how] ?? ""}${tokens !== null && tokens !== file.tokens ? `; ${grouped(tokens)} tokens that way` : ""}`],
    ["came", `${file.age}, from ${file.source === "assistant" ? "the model" : file.source === "user" ? "you" : "elsewhere"}`],
    ["with the words", file.uploadContext],
    ["note", file.said],
    ["too large", file.tooLarge?.words],
  ];
  return facts.flatMap(([label, words]) => (words ? [/** @type {[string, string]} */ ([label, words])] : []));
}

/**
 * What was read out of a document. Pure.
 * @param {FileDetails} file
 */
export function extractedWords({ name, extracted }) {
  if (!extracted) return null;
  return [`text of ${plainName(name)}`, extracted.length ?? extracted.sizeText, `~${grouped(extracted.tokens)} tokens`, extracted.remark].filter(Boolean).join(", ");
}

/** @param {{id: string}} file */
export function contentPath({ id }) {
  return `/api/files/${encodeURIComponent(id)}/content`;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {(path: string) => string} deps.scope
 * @param {(pair: string) => unknown} deps.goTo
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createPreview({ api, scope, goTo, toast }) {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {FileDetails} file
   */
  function pictureOf(dialog, file) {
    const { preview } = file;
    if (preview.kind === "text") {
      return el("div", { class: "look" }, el("pre", { tabindex: "0", "aria-label": "First lines" }, preview.text), preview.more && el("p", { class: "muted" }, "Only the beginning is shown here."));
    }
    if (preview.kind === "image") {
      const image = el("img", { src: scope(preview.url), alt: plainName(file.name) });
      image.addEventListener("error", () => image.replaceWith(el("p", { class: "problem" }, "The picture cannot be drawn.")));
      return el("div", { class: "look" }, image);
    }
    return el("p", { class: "muted" }, preview.words);
  }

  /**
   * @param {string} id
   * @param {{delivery?: Delivery | null, tokens?: number | null}} [here]
   */
  async function open(id, { delivery = null, tokens = null } = {}) {
    /** @type {FileDetails} */
    let file;
    try {
      file = await api.call("GET", `/api/files/${encodeURIComponent(id)}`);
    } catch (error) {
      return void toast(wordsOf(error), { error: true });
    }
    const before = document.activeElement;
    const dialog = el("dialog", { class: "ask preview", "aria-labelledby": "preview-title" });
    const leave = () => dialog.close();
    dialog.append(
      el("header", {},
        el("h2", { id: "preview-title" }, el("bdi", {}, plainName(file.name))),
        el("button", { type: "button", class: "tool", "aria-label": "Close", title: "Close (Esc)", onclick: leave }, icon("close"))),
      pictureOf(dialog, file),
      el("dl", {}, ...factsOf(file, delivery, tokens).flatMap(([label, words]) => [el("dt", {}, label), el("dd", {}, el("bdi", {}, words))])),
      usedBy(file, leave),
      el("div", { class: "acts" }, el("a", { class: "btn", href: scope(contentPath(file)), download: plainName(file.name) }, "Download")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) leave();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  /**
   * @param {FileDetails} file
   * @param {() => void} leave
   */
  function usedBy(file, leave) {
    if (!file.usedBy.length) return el("p", { class: "muted" }, "No message has it yet.");
    return el("div", { class: "used" }, el("p", { class: "muted" }, "It stands in:"), el("ul", {},
      ...file.usedBy.map(({ pair, opening }) => el("li", {}, el("button", { type: "button", class: "link", onclick: () => { leave(); goTo(pair); } }, opening || "a message")))));
  }

  return { open };
}

/** @typedef {ReturnType<typeof createPreview>} PreviewDialog */
