// What a model lacks, supplied: a key for its provider, or a server by its address. A key is in
// its field until it is sent, and nowhere else: in no draft, no state and no storage.

import { wordsOf } from "../base/api.js";
import { el } from "../base/dom.js";

/** So many models of a server are chosen beforehand; of more, somebody picks. */
const FEW = 20;

/** @typedef {{provider: string, server?: string | undefined, model?: string | undefined, holder?: string | undefined}} WantedKey */
/** @typedef {{id: string, contextWindow?: number}} Served */

/** Whether what is typed here reaches the server unread: on this machine, or over TLS. */
const isPrivate = () => globalThis.isSecureContext;

/** Whose keys can be given here where a team signs in: their own, and for some the team's. */
const holdersHere = () => (document.body.dataset["keys"] ?? "").split(" ").filter(Boolean);

/**
 * The address that takes a key. Pure.
 * @param {string} provider
 * @param {string} holder  whose it is in a team; blank where there is none
 * @returns {["PUT" | "POST", string]}
 */
export function keyAddress(provider, holder) {
  const name = encodeURIComponent(provider);
  return holder ? ["PUT", `/api/team/keys/${holder}/${name}`] : ["POST", `/api/providers/${name}/key`];
}

/**
 * What is said before a key is typed. Pure.
 * @param {WantedKey} wanted
 * @param {boolean} inTeam
 */
export function keyWords({ server, model }, inTeam) {
  const place = inTeam ? "sealed in the store of the team" : "in the keyring of this machine or in a file that only you can read";
  return `${model ? `${model} needs it. ` : ""}It is tried first, goes to ${server || "the server of the provider"} and to no other, is kept ${place}, and is never shown again.`;
}

/**
 * Why no key can be typed here. Pure.
 * @param {string} provider
 * @param {boolean} [inTeam]
 */
export function notPrivate(provider, inTeam = false) {
  if (inTeam) return "This page came over plain HTTP: a key that is typed here could be read on the way. Open it over TLS, or ask whoever looks after the team to keep your key.";
  return `This page came over plain HTTP from another machine: a key that is typed here could be read on the way. Open it on that machine, through a tunnel or over TLS; or run there: plimsoll keys set ${provider}`;
}

/**
 * A dialog with a form that stays open until what it asks for was done. Gives what `act` gave,
 * or null.
 * @template T
 * @param {object} question
 * @param {string} question.title
 * @param {(Node | string | null)[]} question.body
 * @param {string} [question.ok]  the words of the button; without them there is none
 * @param {() => Promise<T>} question.act
 * @param {() => HTMLElement | null} question.first  where the focus goes, also after a mistake
 * @returns {Promise<T | null>}
 */
function askUntilDone({ title, body, ok, act, first }) {
  return new Promise((resolve) => {
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const button = ok ? el("button", { class: "btn pri", type: "submit" }, ok) : null;
    const leave = el("button", { class: "btn", type: "button" }, ok ? "Cancel " : "Close ", el("kbd", {}, "Esc"));
    const form = el("form", {}, el("h2", { id: "supply-title" }, title), ...body, problem, el("div", { class: "choices" }, button, leave));
    const dialog = el("dialog", { class: "ask supply", "aria-labelledby": "supply-title" }, form);
    const before = document.activeElement;
    /** @type {T | null} */
    let done = null;
    leave.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (form.getAttribute("aria-busy") || !button) return;
      problem.hidden = true;
      form.setAttribute("aria-busy", "true");
      button.disabled = true;
      act().then(
        (value) => {
          done = value;
          dialog.close();
        },
        (error) => {
          problem.textContent = wordsOf(error);
          problem.hidden = false;
          form.removeAttribute("aria-busy");
          button.disabled = false;
          first()?.focus();
        });
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
    (first() ?? leave).focus();
  });
}

/** A field for a key. Browsers are asked not to keep what is typed there. */
function keyField() {
  return el("input", { type: "password", name: "key", autocomplete: "new-password", spellcheck: "false", autocapitalize: "off", maxlength: "4096", "data-lpignore": "true" });
}

/**
 * The key in a field, which does not keep it.
 * @param {HTMLInputElement} field
 */
function taken(field) {
  const key = field.value;
  field.value = "";
  return key;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {() => void} deps.changed  models can be asked that could not be before
 */
export function createSupply({ api, toast, changed }) {
  /**
   * Asks for a key. Gives whether one is kept now.
   * @param {WantedKey} wanted
   */
  async function key({ provider, server, model, holder }) {
    const holders = holdersHere();
    const title = `A key of ${provider}`;
    if (!isPrivate()) {
      await askUntilDone({ title, body: [el("p", {}, notPrivate(provider, holders.length > 0))], act: async () => true, first: () => null });
      return false;
    }
    const field = keyField();
    field.required = true;
    const untested = el("input", { type: "checkbox" });
    const whose = el("select", { name: "holder" }, ...holders.map((one) =>
      el("option", { value: one, selected: one === holder }, one === "team" ? "Everybody in the team" : "You alone")));
    const done = await askUntilDone({
      title,
      body: [
        el("p", {}, keyWords({ provider, server, model }, holders.length > 0)),
        el("label", {}, "Key", field),
        holders.length > 1 ? el("label", {}, "Who uses it", whose) : null,
        el("label", { class: "check" }, untested, "Keep it also if it cannot be tried now"),
      ],
      ok: "Try and keep it",
      act: () => api.call(...keyAddress(provider, holders.length ? whose.value : ""), { key: taken(field), ...(server ? { server } : {}), untested: untested.checked }),
      first: () => field,
    });
    if (!done) return false;
    toast(done.done);
    changed();
    return true;
  }

  /** Adds a server by its address. Gives the first of its models that were kept, or null. */
  async function server() {
    const address = el("input", { type: "text", required: true, maxlength: "500", placeholder: "http://127.0.0.1:8080", autocomplete: "off", spellcheck: "false", inputmode: "url" });
    const form = el("select", {},
      el("option", { value: "openai" }, "OpenAI style (most servers)"),
      el("option", { value: "anthropic" }, "Anthropic style"),
      el("option", { value: "gemini" }, "Gemini style"));
    const name = el("input", { type: "text", maxlength: "64", placeholder: "else the name of its host", autocomplete: "off", spellcheck: "false" });
    const field = keyField();
    const tried = await askUntilDone({
      title: "Add a server",
      body: [
        el("label", {}, "Address", address),
        el("label", {}, "How it is asked", form),
        el("label", {}, "Name", name),
        isPrivate() ? el("label", {}, "Key, if it wants one", field) : el("p", {}, notPrivate("NAME", holdersHere().length > 0)),
        el("p", { class: "muted" }, "It is asked for its models. A key goes to this server and to no other."),
      ],
      ok: "Try it",
      act: () => {
        const secret = taken(field);
        return api.call("POST", "/api/servers", { address: address.value, api: form.value, ...(name.value ? { name: name.value } : {}), ...(secret ? { key: secret } : {}) });
      },
      first: () => address,
    });
    return tried ? pick(tried) : null;
  }

  /**
   * Which models of a server are kept.
   * @param {{provider: string, address: string, api: string, models: Served[], key?: string}} tried
   * @returns {Promise<string | null>}
   */
  async function pick({ provider, address, api: form, models, key: place }) {
    const boxes = models.map(({ id, contextWindow }) => {
      const box = el("input", { type: "checkbox", value: id, checked: models.length <= FEW });
      return { box, row: el("label", { class: "check" }, box, id, contextWindow ? el("em", {}, `${contextWindow.toLocaleString("en")} tokens`) : null) };
    });
    const typed = el("input", { type: "text", maxlength: "512", autocomplete: "off", spellcheck: "false" });
    const chosen = () => [...boxes.filter(({ box }) => box.checked).map(({ box }) => box.value), ...(typed.value.trim() ? [typed.value.trim()] : [])];
    const done = await askUntilDone({
      title: `Models of ${provider}`,
      body: [
        el("p", {}, `${address} ${models.length ? `lists ${models.length} ${models.length === 1 ? "model" : "models"}` : "answers, and lists no models"}.${place ? ` Its key is kept in ${place}.` : ""}`),
        models.length ? el("div", { class: "served", role: "group", "aria-label": "Models" }, ...boxes.map(({ row }) => row)) : null,
        models.length ? null : el("label", {}, "Name of a model that it serves", typed),
      ],
      ok: "Keep these models",
      act: async () => {
        const ids = chosen();
        if (!ids.length) throw new Error("Choose at least one model.");
        const answer = await api.call("POST", "/api/servers/models", { provider, address, api: form, models: ids });
        return { ...answer, first: ids[0] ?? null };
      },
      first: () => boxes[0]?.box ?? typed,
    });
    changed();
    if (!done) return null;
    toast(done.done);
    return done.first;
  }

  return { key, server };
}

/** @typedef {ReturnType<typeof createSupply>} Supply */
