// The draft outlives reloads, restarts and lost connections (UI-12, INS-5): it is kept in
// the browser at once and on the server a moment later.

import { debounced } from "./dom.js";
import { keep, recall } from "./theme.js";

const SAVE_MS = 400;
/** What a browser sends of a page that is being closed. */
const KEEPALIVE_BYTES = 60_000;

/** @typedef {{text: string, synced: boolean}} Kept */

/**
 * Which draft to begin with: the server's, unless this browser has one that it could not
 * hand over. Pure.
 * @param {string} server
 * @param {Kept | null} local
 * @returns {{text: string, push: boolean}}
 */
export function chooseDraft(server, local) {
  const lost = local !== null && !local.synced && local.text !== server;
  return lost ? { text: local.text, push: true } : { text: server, push: false };
}

/**
 * Whether a draft from another tab may take this one's place: never under the fingers of
 * somebody who has written something here. Pure.
 * @param {{focused: boolean, typed: boolean, text: string, mine: boolean}} here
 */
export function takesForeignDraft({ focused, typed, text, mine }) {
  return !mine && (!focused || !typed || text === "");
}

/**
 * @param {string | null} json
 * @returns {Kept | null}
 */
export function readKept(json) {
  try {
    const value = JSON.parse(json ?? "null");
    return value && typeof value.text === "string" ? { text: value.text, synced: value.synced === true } : null;
  } catch {
    return null;
  }
}

/**
 * @param {object} deps
 * @param {import("./api.js").Api} deps.api
 * @param {string} deps.workspace
 */
export function createDrafts({ api, workspace }) {
  const key = `draft:${workspace}`;
  let text = "";
  let synced = true;

  /** @param {boolean} now */
  function note(now) {
    synced = now;
    keep(key, text === "" && synced ? null : JSON.stringify({ text, synced }));
  }

  async function push() {
    const sent = text;
    try {
      await api.call("PUT", "/api/draft", { text: sent });
      if (text === sent) note(true);
    } catch {
      // It stays marked as not handed over; the reconnection tries again.
    }
  }

  const save = debounced(SAVE_MS, () => void push());

  addEventListener("pagehide", () => {
    save.drop();
    if (synced || text.length > KEEPALIVE_BYTES) return;
    void api.call("PUT", "/api/draft", { text }, { keepalive: true }).then(() => note(true), () => {});
  });

  return {
    /** @param {string} server */
    begin(server) {
      const { text: chosen, push: late } = chooseDraft(server, readKept(recall(key)));
      text = chosen;
      note(!late);
      if (late) save.call();
      return chosen;
    },
    /** @param {string} now */
    changed(now) {
      text = now;
      note(false);
      save.call();
    },
    /** The server already knows: it sent this text itself, or it has just taken it. */
    /** @param {string} now */
    known(now) {
      save.drop();
      text = now;
      note(true);
    },
    /** After the connection came back. */
    resume() {
      if (!synced) save.call();
    },
  };
}

/** @typedef {ReturnType<typeof createDrafts>} Drafts */
