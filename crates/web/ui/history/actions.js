// What can be done to a pair, by key or by button (UI-2).

import { wordsOf } from "../base/api.js";
import { copyText } from "../base/clipboard.js";
import { confirm } from "../base/dialog.js";
import { closest } from "../base/dom.js";
import { FILES_SCOPES } from "../files/panel.js";
import { choose } from "../base/popup.js";
import { NEW_CONTEXT } from "../composer/refusals.js";
import { counted, opening, topicLabel } from "../base/text.js";

/** What is asked of a model whose reply was cut by its length (SND-4c). */
const CONTINUE = "Continue.";

/**
 * The star after this one. Pure.
 * @param {number} star
 */
export function nextStar(star) {
  return (star + 1) % 4;
}

/**
 * What a deletion means (REC-5). Pure.
 * @param {string} what  with its verb
 * @param {number} hours
 */
export function deletionWords(what, hours) {
  return hours > 0 ? `${what} deleted. That can be undone for ${counted(hours, "hour")}.` : `${what} deleted for good.`;
}

/**
 * A pair as plain text. Pure.
 * @param {import("../types.js").Pair} pair
 */
export function pairText({ userText, assistantText }) {
  return assistantText ? `${userText}\n\n${assistantText}` : userText;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("../composer/sending.js").Sending} deps.sending
 * @param {import("../composer/composer.js").Composer} deps.composer
 * @param {import("../panels.js").Panels} deps.panels
 * @param {ReturnType<typeof import("../composer/selectors.js").createSelectors>} deps.selectors
 * @param {import("../models/supply.js").Supply} deps.supply
 * @param {ReturnType<typeof import("./edit.js").createEdits>} deps.edits
 * @param {import("../files/chips.js").FileChips} deps.chips
 * @param {(change: {model?: string, topic?: string, filter?: string, contextFrom?: string, filesScope?: string}) => Promise<unknown>} deps.setView
 * @param {() => void} deps.input   to INPUT
 * @param {(name: string) => boolean} deps.showFile  the chip of a file of the message
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token?: string) => void} deps.undo
 * @param {(article: HTMLElement) => Promise<unknown>} deps.beginAt  the context begins with this pair
 * @param {() => import("../composer/drafts.js").Selected} deps.selected  model and topic as they are
 * @param {ReturnType<typeof import("./summaries.js").createSummaries>} deps.summaries
 * @param {(pair: string) => unknown} deps.goTo
 * @param {number} deps.keepDeleted  for so many hours what is deleted can be brought back
 */
export function createActions({ api, showFile, win, sending, composer, panels, selectors, supply, edits, chips, setView, input, toast, undo, beginAt, selected, summaries, goTo, keepDeleted }) {
  const path = (/** @type {string} */ id) => `/api/pairs/${encodeURIComponent(id)}`;

  /**
   * A label is shown at once, so it is kept although the page may be left at once; the server's
   * own rendering follows by an event.
   * @param {HTMLElement} article
   * @param {"star" | "flag"} name
   * @param {number | string} value
   */
  async function label(article, name, value) {
    const before = article.dataset[name];
    article.dataset[name] = String(value);
    try {
      await api.call("PATCH", path(article.dataset["id"] ?? ""), { [name]: value }, { keepalive: true });
    } catch (error) {
      article.dataset[name] = before;
      throw error;
    }
  }

  /** @type {Promise<unknown>} */
  let using = Promise.resolve();

  /**
   * Pins a pair or leaves it out, or neither if it is that already (HIS-10). The marks are the
   * server's: nothing is shown as sent before it is.
   * @param {HTMLElement} article
   * @param {"pinned" | "out"} wanted
   */
  function setUse(article, wanted) {
    const id = article.dataset["id"] ?? "";
    // One after the other: a second press means what the first one led to.
    const done = using.then(async () => {
      const now = win.find(id) ?? article;
      const { use } = await api.call("PATCH", path(id), { use: now.dataset["use"] === wanted ? "auto" : wanted });
      const after = win.find(id);
      if (after) after.dataset["use"] = use;
    });
    using = done.catch(() => {});
    return done;
  }

  /** @param {HTMLElement} article */
  async function remove(article) {
    const id = article.dataset["id"] ?? "";
    const words = opening(article.querySelector(".u .prose")?.textContent ?? "");
    // A pair in error holds nothing but its question; it goes without one (SND-7).
    const summary = article.dataset["kind"] === "summary";
    const [title, what] = summary ? ["Delete this summary?", "The messages that it stands for are used as before. The summary is"] : ["Delete this pair?", `“${words}” and its reply are`];
    if (article.dataset["state"] !== "error" && !(await confirm(deletionWords(what, keepDeleted), { title, ok: "Delete" }))) return;
    const answer = await api.call("DELETE", path(id));
    if (answer?.undo) toast(`Deleted “${words}”.`, { label: "Undo", act: () => undo(answer.undo) });
  }

  /**
   * A pair and its files, called what the page shows, before the server has said anything of them.
   * @param {string} id
   */
  async function withFiles(id) {
    const pair = await api.call("GET", path(id));
    const article = win.find(id);
    const names = article ? chips.namesIn(article) : [];
    const files = (pair.attachments ?? []).map((/** @type {import("../types.js").Attachment} */ one, /** @type {number} */ place) => ({ ...one, name: names[place] ?? null }));
    return { pair, files };
  }

  /** @param {string} id */
  async function reask(id) {
    const { pair, files } = await withFiles(id);
    composer.reask(id, pair.userText, files, selected());
    input();
    await setView({ ...(pair.model ? { model: pair.model } : {}), ...(pair.topicId ? { topic: pair.topicId } : {}) });
  }

  /**
   * To another conversation.
   * @param {string} id
   * @param {HTMLElement} from
   */
  async function move(id, from) {
    const { topicId } = await api.call("GET", path(id));
    const topic = await selectors.topicFor(from, topicId);
    if (topic === null || topic === topicId) return;
    const moved = await api.call("PATCH", path(id), { topic });
    toast(`Moved to “${topicLabel(moved.topic)}”.`, { label: "Undo", act: () => undo() });
  }

  /**
   * The message goes back into the box (HIS-13).
   * @param {string} id
   */
  async function sendAgain(id) {
    const { pair, files } = await withFiles(id);
    composer.sendAgain(id, pair.userText, files);
    input();
  }

  /**
   * @param {string} id
   * @param {boolean} whole
   */
  async function copy(id, whole) {
    const pair = await api.call("GET", path(id));
    const done = await copyText(whole ? pairText(pair) : pair.assistantText || pair.userText);
    const what = whole ? "The pair" : pair.assistantText ? "The reply" : "The message";
    toast(done ? `${what} is copied.` : "The browser refuses to copy.", { error: !done });
  }

  /**
   * @param {HTMLElement} article
   * @param {HTMLElement} from  the button, or the pair
   */
  async function regenerate(article, from) {
    if (article.dataset["state"] !== "complete") return void toast("Only a complete reply can be made again; an error is asked again with e.");
    // The pair itself may be taller than the page; its button is where the menu belongs.
    const button = article.querySelector("[data-act=regenerate]");
    const model = await selectors.modelFor(button instanceof HTMLElement ? button : from);
    if (model) await sending.regenerate(article.dataset["id"] ?? "", model);
  }

  /** @param {HTMLElement} article */
  function receipt(article) {
    const id = article.querySelector("[data-receipt]")?.getAttribute("data-receipt");
    if (article.dataset["state"] === "sending") panels.openUrl("attempts", `/ui/attempts/${encodeURIComponent(article.dataset["id"] ?? "")}`);
    else if (id) panels.openUrl("receipt", `/ui/receipt/${encodeURIComponent(id)}`);
    else toast("This pair has no receipt: nothing of it was sent.");
  }

  /**
   * Whose files the model is told of and may read (FIL-6).
   * @param {HTMLElement} anchor
   */
  async function chooseFiles(anchor) {
    const now = anchor.dataset["scope"];
    const value = await choose({ anchor, label: "List the files", options: FILES_SCOPES.map((option) => ({ ...option, current: option.value === now })) });
    if (value !== null && value !== now) await setView({ filesScope: value });
  }

  /** The list of files is no longer sent; that can be taken back at once. */
  async function leaveFilesOut() {
    await api.call("PUT", "/api/files/section", { on: false });
    const act = () => void api.call("PUT", "/api/files/section", { on: true }).catch((error) => toast(wordsOf(error), { error: true }));
    toast("Models are no longer told which files there are.", { label: "Tell them", act });
  }

  /**
   * The topic's system message is no longer sent, or is again (PAY-3).
   * @param {boolean} on
   */
  async function sendSystem(on) {
    const path = "/api/settings/sendSystemMessage";
    if (on) return void (await api.call("DELETE", path));
    await api.call("PUT", path, { value: "off" });
    const act = () => void sendSystem(true).catch((error) => toast(wordsOf(error), { error: true }));
    toast("System messages are no longer sent.", { label: "Send them", act });
  }

  /**
   * What buttons in panels do; they name what they are about themselves.
   * @param {HTMLElement} button
   * @returns {Promise<unknown> | void}
   */
  function elsewhere(button) {
    const { dataset } = button;
    switch (dataset["act"]) {
      case "file": return chips.open(button);
      case "section-off": return leaveFilesOut();
      case "files-scope": return chooseFiles(button);
      case "section-on": return api.call("PUT", "/api/files/section", { on: true });
      case "summarise-rest": return summaries.summarise();
      case "use-prediction": return setView({ contextFrom: "" });
      case "forget-learned": return api.call("DELETE", `/api/models/${encodeURIComponent(dataset["model"] ?? "")}/learned`);
      case "system-off": return sendSystem(false);
      case "system-on": return sendSystem(true);
      case "receipt": return panels.openUrl("receipt", `/ui/receipt/${encodeURIComponent(dataset["receipt"] ?? "")}`);
      case "request": return panels.openUrl("exact request", `/ui/request/${encodeURIComponent(dataset["id"] ?? "")}`);
      case "choose-topic": return setView({ topic: dataset["path"] ?? "" }).then(input);
      case "add-key": return supply.key({ provider: dataset["provider"] ?? "", server: dataset["server"], model: dataset["model"], holder: dataset["holder"] });
      case "add-server": return supply.server();
      case "choose-model": return setView({ model: dataset["model"] ?? "" }).then(input);
      default: return undefined;
    }
  }

  /**
   * @param {string} act
   * @param {HTMLElement} article
   * @param {HTMLElement} from
   * @returns {Promise<unknown> | void}
   */
  function perform(act, article, from) {
    const id = article.dataset["id"] ?? "";
    const { state, swap } = article.dataset;
    switch (act) {
      case "star": return label(article, "star", nextStar(Number(article.dataset["star"] ?? 0)));
      case "star-0": case "star-1": case "star-2": case "star-3": return label(article, "star", Number(act.slice(5)));
      case "flag": return label(article, "flag", article.dataset["flag"] === "blue" ? "grey" : "blue");
      case "pin": return setUse(article, "pinned");
      case "out": return setUse(article, "out");
      case "context-here": return beginAt(article);
      case "send-again":
        if (state === "sending" || article.dataset["kind"] === "summary") return void toast(state === "sending" ? "It is being answered; send it again when that has ended." : "A summary has no message to send again.");
        return sendAgain(id);
      case "summarise": return summaries.summarise({ upTo: id });
      case "summarised": return Promise.resolve(goTo(from.dataset["pair"] ?? ""));
      case "move": return move(id, from);
      case "prefer": return api.call("POST", `${path(id)}/prefer`);
      case "stop": return sending.stop(id);
      case "edit": return state === "sending" ? void toast("It is being answered; edit it when that has ended.") : edits.start(article);
      case "regenerate": return regenerate(article, from);
      case "swap": return swap === undefined ? void toast("This pair has no earlier answer.") : api.call("POST", `${path(id)}/swap`);
      case "copy": return copy(id, false);
      case "copypair": return copy(id, true);
      case "reask":
        if (state !== "error" && state !== "cancelled") return void toast("Only pairs in error or cancelled are asked again; R makes another reply.");
        return reask(id);
      case "delete": return state === "sending" ? void toast("It is being answered; cancel it first (x).") : remove(article);
      case "receipt": return receipt(article);
      case "details": return panels.openUrl("details", `/ui/error/${encodeURIComponent(id)}`);
      // FAU-7: what helps against a full window, as one click: the question comes back with it.
      case "clear": return reask(id).then(() => setView(NEW_CONTEXT));
      case "larger-model": return reask(id).then(selectors.openLarger);
      case "smaller-file": return reask(id).then(() => showFile(from.dataset["file"] ?? ""));
      case "shorter-answer": return panels.openPanel("topics");
      case "request": return panels.openUrl("exact request", `/ui/request/${encodeURIComponent(id)}`);
      case "file": return chips.open(from);
      case "delivery": return chips.deliver(id, from);
      case "continue": return sending.sendText(CONTINUE);
      default: return undefined;
    }
  }

  /**
   * @param {string} act
   * @param {HTMLElement | null} article
   * @param {HTMLElement | null} [from]
   */
  async function run(act, article, from = article) {
    if (!article || !from) return void toast("No pair is selected; J and K go from pair to pair.");
    try {
      await perform(act, article, from);
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  }

  document.addEventListener("click", (event) => {
    const button = closest(event, "[data-act]");
    if (!button) return;
    const article = button.closest(".pair");
    if (article instanceof HTMLElement) void run(button.dataset["act"] ?? "", article, button);
    else Promise.resolve(elsewhere(button)).catch((error) => toast(wordsOf(error), { error: true }));
  });

  return { run };
}
