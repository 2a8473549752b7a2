// A send that was held back, and the ways out of it (VAL-1 to VAL-4, UI-9).

import { wordsOf } from "../base/api.js";
import { ask, askNumber } from "../base/dialog.js";
import { counted } from "../base/text.js";

/** @typedef {import("../base/api.js").Problem} Problem */
/** @typedef {import("../types.js").Suggestion} Suggestion */
/** @typedef {Record<string, unknown>} SendBody */

/** A new context begins behind the newest pair (UI-17): what stands before is not sent. */
export const NEW_CONTEXT = Object.freeze({ contextFrom: "end" });

/**
 * What to do for a chosen suggestion: change the view, change the request, or go back to the
 * text. Pure.
 * @param {Suggestion} suggestion
 * @returns {{view?: {model?: string, contextFrom?: string}, send?: SendBody, file?: "detach" | "on-demand", limit?: "set_window" | "forget_learned", unpin?: string[], edit?: boolean}}
 */
export function wayOut({ kind, model, pairs }) {
  switch (kind) {
    case "detach": return { file: "detach" };
    case "on_demand": return { file: "on-demand" };
    case "trim":
    case "fit": return { send: { overBudget: kind } };
    case "send_anyway": return { send: { overBudget: "trim" } };
    case "set_window":
    case "forget_learned": return model ? { limit: kind, send: { look: true } } : { edit: true };
    case "switch_model": return model ? { view: { model }, send: { look: true } } : { edit: true };
    case "unpin": return { unpin: pairs ?? [], send: { look: true } };
    case "clear_history": return { view: NEW_CONTEXT, send: {} };
    default: return { edit: true };
  }
}

/**
 * @param {Suggestion[]} suggestions
 * @returns {import("../base/dialog.js").Choice[]}
 */
function choicesOf(suggestions) {
  return suggestions.map(({ label, detail }, i) => ({
    value: String(i), label, ...(detail ? { detail } : {}), ...(i === 0 ? { look: /** @type {const} */ ("primary") } : {}),
  }));
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(change: {model?: string, contextFrom?: string}) => Promise<unknown>} deps.setView
 * @param {() => void} deps.edit
 * @param {(name: string) => void} deps.openPanel
 * @param {(how: "detach" | "on-demand", suggestion: Suggestion) => boolean} deps.lighten  a file of the message
 */
export function createHeld({ api, toast, setView, edit, openPanel, lighten }) {
  /**
   * Changes the limit that stands in the way. False if that was left, or could not be done.
   * @param {"set_window" | "forget_learned"} how
   * @param {Suggestion} suggestion
   */
  async function changeLimit(how, { model = "", tokens = 0 }) {
    const path = `/api/models/${encodeURIComponent(model)}`;
    try {
      if (how === "forget_learned") await api.call("DELETE", `${path}/learned`);
      else {
        const size = await askNumber({ title: `How large is the window of ${model}?`, label: "Context window, tokens", value: tokens, ok: "Set it and send" });
        if (size === null) return false;
        await api.call("PUT", path, { contextWindow: size });
      }
      return true;
    } catch (error) {
      toast(wordsOf(error), { error: true });
      return false;
    }
  }

  /**
   * Pairs go along where there is room again, and no longer before all others.
   * @param {string[]} ids
   */
  async function unpin(ids) {
    try {
      await api.call("PATCH", "/api/pairs", { pairs: ids, use: "auto" });
      return true;
    } catch (error) {
      toast(wordsOf(error), { error: true });
      return false;
    }
  }

  /** @param {Problem} problem */
  async function overBudget(problem) {
    const picked = await ask({ title: problem.message, text: String(problem.body["hint"] ?? ""), choices: choicesOf(problem.suggestions), alarm: true });
    const suggestion = picked === null ? undefined : problem.suggestions[Number(picked)];
    if (!suggestion) return null;
    const way = wayOut(suggestion);
    if (way.view) await setView(way.view);
    if (way.limit && !(await changeLimit(way.limit, suggestion))) return null;
    if (way.unpin && !(await unpin(way.unpin))) return null;
    if (way.file) {
      const lighter = lighten(way.file, suggestion);
      // What is left may mean something else without its file: the writer sends it, or not.
      if (way.file === "detach") edit();
      return lighter && way.file !== "detach" ? { again: true } : null;
    }
    if (way.edit) edit();
    return way.send ?? null;
  }

  /** @param {Problem} problem */
  async function overQuota(problem) {
    const after = problem.body["afterSeconds"];
    // What is more than the whole limit never fits, however long one waits.
    const waits = typeof after === "number"
      ? [{ value: "wait", label: waitLabel(after, new Date()), detail: "it is sent by itself when it fits; the pair counts down", look: /** @type {const} */ ("primary") }]
      : [];
    const picked = await ask({
      title: "The account's limit is reached",
      text: problem.message,
      choices: [...waits, { value: "go", label: "Send now", detail: "the provider may refuse it" }],
    });
    return picked ? { quota: picked } : null;
  }

  /** @param {Problem} problem */
  async function noProvider(problem) {
    const hint = String(problem.body["hint"] ?? problem.suggestions[0]?.detail ?? "");
    const picked = await ask({
      title: problem.message,
      text: hint === problem.message ? "" : hint,
      choices: [{ value: "models", label: "Choose a model", look: "primary" }],
    });
    if (picked) openPanel("models");
    return null;
  }

  /**
   * Asks what to do. Gives what to add to the request before it is sent again, or null.
   * @param {Problem} problem
   * @returns {Promise<SendBody | null | undefined>}  undefined: not one of ours; `again`: the
   *   message itself was changed; `look`: it goes only if the same pairs go along
   */
  return async function resolve(problem) {
    switch (problem.code) {
      case "over_budget":
      case "pinned_too_large":
      case "user_prompt_too_large": return overBudget(problem);
      case "over_quota": return overQuota(problem);
      case "no_provider": return noProvider(problem);
      default: return undefined;
    }
  };
}

/**
 * How long a wait is, for a button: in seconds while they can be watched, then until when. Pure.
 * @param {number} seconds
 * @param {Date} now
 */
export function waitLabel(seconds, now) {
  if (seconds < 120) return `Wait ${Math.ceil(seconds)} s`;
  const until = new Date(now.getTime() + seconds * 1000);
  const days = Math.round((midnight(until) - midnight(now)) / 86_400_000);
  const time = [until.getHours(), until.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  return days > 1 ? `Wait ${days} days, until ${time}` : `Wait until ${days ? "tomorrow " : ""}${time}`;
}

/** @param {Date} time */
function midnight(time) {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}

/**
 * Why Enter did nothing while a reply is on its way (SND-2). Pure.
 * @param {number} chars
 */
export function busyWords(chars) {
  return `One message at a time: a reply is still on its way. Your draft (${counted(chars, "character")}) is kept.`;
}
