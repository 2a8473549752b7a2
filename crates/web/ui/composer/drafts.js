// The draft outlives reloads, restarts and lost connections (UI-12, INS-5): it is kept in
// the browser at once and on the server a moment later.

import { debounced } from "../base/dom.js";
import { keep, recall } from "../base/theme.js";

const SAVE_MS = 400;
/** What a browser sends of a page that is being closed. */
const KEEPALIVE_BYTES = 60_000;

/** @typedef {import("../types.js").Attachment & {name?: string | null}} NamedFile */
/** The topic is told by its id. @typedef {{model: string, topic: string}} Selected */
/**
 * An old question in the box: its pair goes when it is sent (SND-7).
 * @typedef {{pair: string, text: string, stored?: string, before: string, selected?: Selected, again?: "in" | "out"}} ReAsk
 */
/** @typedef {{text: string, attachments: NamedFile[], reask?: ReAsk}} Draft */
/** @typedef {{text: string, synced: boolean, attachments?: NamedFile[], reask?: ReAsk}} Kept */

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
 * somebody who has written something here, and never in place of what nobody else knows yet. Pure.
 * @param {{focused: boolean, typed: boolean, text: string, mine: boolean, unsaved: boolean}} here
 */
export function takesForeignDraft({ focused, typed, text, mine, unsaved }) {
  return !mine && (text === "" || (!unsaved && (!focused || !typed)));
}

/**
 * @param {string | null} json
 * @returns {Kept | null}
 */
export function readKept(json) {
  try {
    const value = JSON.parse(json ?? "null");
    if (!value || typeof value.text !== "string") return null;
    return {
      text: value.text,
      synced: value.synced === true,
      ...(Array.isArray(value.attachments) ? { attachments: value.attachments } : {}),
      ...(typeof value.reask?.pair === "string" && typeof value.reask.text === "string" && typeof value.reask.before === "string" ? { reask: value.reask } : {}),
    };
  } catch {
    return null;
  }
}

/**
 * A draft as the server takes it: names are this browser's own affair.
 * @param {Draft} draft
 */
function handedOver({ text, attachments }) {
  return { text, attachments: attachments.map(({ fileId, delivery }) => ({ fileId, delivery })) };
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/place.js").Place} deps.place
 */
export function createDrafts({ api, place }) {
  const key = `draft:${place.workspace}${place.conversation ? `:${place.conversation}` : ""}`;
  /** @type {Draft} */
  let draft = { text: "", attachments: [] };
  let synced = true;

  /** @param {boolean} now */
  function note(now) {
    synced = now;
    const files = draft.attachments.length ? { attachments: draft.attachments } : {};
    const purpose = draft.reask ? { reask: draft.reask } : {};
    keep(key, draft.text === "" && synced ? null : JSON.stringify({ text: draft.text, synced, ...files, ...purpose }));
  }

  /** Whether the server knows of a file of the draft that is not in it any more. */
  let hadFiles = false;

  /** How many savings are on their way. */
  let pushing = 0;

  async function push() {
    const sent = draft;
    pushing += 1;
    try {
      await api.call("PUT", "/api/draft", handedOver(sent));
      hadFiles = sent.attachments.length > 0;
      if (draft === sent) note(true);
    } catch {
      // It stays marked as not handed over; the reconnection tries again.
    }
    pushing -= 1;
  }

  const save = debounced(SAVE_MS, () => void push());

  addEventListener("pagehide", () => {
    save.drop();
    if (synced || draft.text.length > KEEPALIVE_BYTES) return;
    void api.call("PUT", "/api/draft", handedOver(draft), { keepalive: true }).then(() => note(true), () => {});
  });

  /** @param {Draft} now */
  function changed(now) {
    draft = now;
    note(false);
    save.call();
  }

  /** @param {Draft} now */
  function known(now) {
    save.drop();
    draft = now;
    note(true);
  }

  return {
    /** @param {string} server */
    begin(server) {
      const kept = readKept(recall(key));
      const { text, push: late } = chooseDraft(server, kept);
      const same = kept?.text === text;
      // What a draft is for outlives a reload as the draft does (INS-5).
      draft = { text, attachments: (same && kept.attachments) || [], ...(same && kept.reask ? { reask: kept.reask } : {}) };
      hadFiles = server.includes("<<context:");
      note(!late);
      if (late) save.call();
      return { ...draft, late };
    },
    changed,
    /** The server already knows: it sent this text itself, or it has just taken it. */
    known,
    /**
     * The message went out, and this is what stands in the box now. The server has emptied the
     * draft with the send; a saving of it that is still on its way may come behind that.
     * @param {Draft} now
     */
    sent(now) {
      if (pushing === 0 && now.text === "" && !now.attachments.length) known(now);
      else changed(now);
    },
    /** Whether something was written that the server has not got yet. */
    get unsaved() {
      return !synced;
    },
    /** Before a send: the server knows which files the message brings, or brings no more. Whether it was told just now. */
    async handOver() {
      if (synced || !(hadFiles || draft.attachments.length)) return false;
      save.drop();
      await push();
      return true;
    },
    /** After the connection came back. */
    resume() {
      if (!synced) save.call();
    },
  };
}

/** @typedef {ReturnType<typeof createDrafts>} Drafts */
