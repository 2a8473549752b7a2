// The one way to the server. Answers are JSON or HTML; whatever else happens is a Problem.

/** @typedef {import("../types.js").Suggestion} Suggestion */

import { scoped } from "./place.js";
import { sentence } from "./text.js";

/** A problem as the server tells it (RFC 9457), or `offline` when nobody answered. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {Record<string, any>} body
   */
  constructor(status, body) {
    super(sentence(String(body["detail"] || body["title"] || `The server answered ${status}.`)));
    this.status = status;
    this.code = String(body.code ?? "");
    /** @type {Suggestion[]} */
    this.suggestions = Array.isArray(body.suggestions) ? body.suggestions : [];
    this.body = body;
  }
}

/**
 * What to tell a person about anything that was thrown.
 * @param {unknown} error
 */
export function wordsOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @typedef {{signal?: AbortSignal, keepalive?: boolean}} Options */

/**
 * @param {object} deps
 * @param {string} deps.tab            sent along, so that a tab knows its own echoes
 * @param {Partial<import("./place.js").Place>} [deps.place]  named in every call, where it does not go without saying
 * @param {(lost: boolean) => void} deps.onConnection
 * @param {typeof fetch} [deps.send]
 */
export function createApi({ tab, place = {}, onConnection, send = fetch.bind(globalThis) }) {
  let asked = 0;
  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {string} accept
   * @param {Options} options
   */
  async function request(method, path, body, accept, options) {
    /** @type {Record<string, string>} */
    const headers = { accept, "x-plimsoll-tab": tab, "x-request-id": `${tab}-${(asked += 1)}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    let answer;
    try {
      answer = await send(scoped(path, place), { method, headers, body: body === undefined ? null : JSON.stringify(body), ...options });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      onConnection(true);
      throw new Problem(0, { code: "offline", detail: "Plimsoll does not answer. Try again when the connection is back." });
    }
    if (answer.ok) return answer;
    const text = await answer.text().catch(() => "");
    throw new Problem(answer.status, problemBody(text, answer.status));
  }

  return {
    tab,
    /**
     * @param {string} method
     * @param {string} path
     * @param {unknown} [body]
     * @param {Options} [options]
     * @returns {Promise<any>}
     */
    async call(method, path, body, options = {}) {
      const answer = await request(method, path, body, "application/json", options);
      const text = await answer.text();
      return text ? JSON.parse(text) : null;
    },
    /**
     * A fragment; with a body it is asked for by POST.
     * @param {string} path
     * @param {unknown} [body]
     * @param {Options} [options]
     */
    async html(path, body, options = {}) {
      const method = body === undefined ? "GET" : "POST";
      return (await request(method, path, body, "text/html", options)).text();
    },
    /**
     * The content of a file, as the text that it is.
     * @param {string} path
     */
    async text(path) {
      return (await request("GET", path, undefined, "*/*", {})).text();
    },
  };
}

/** @typedef {ReturnType<typeof createApi>} Api */

/**
 * A body that is no problem document still becomes one: proxies answer in HTML.
 * @param {string} text
 * @param {number} status
 * @returns {Record<string, any>}
 */
export function problemBody(text, status) {
  try {
    const body = JSON.parse(text);
    if (body && typeof body === "object" && !Array.isArray(body)) return body;
  } catch {
    // Not JSON: the status alone must do.
  }
  return { code: `http_${status}`, detail: `The server answered ${status}.` };
}
