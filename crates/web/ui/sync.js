// What the server's events do to the page; two open tabs agree through them (UI-12).

import { debounced } from "./dom.js";
import { takesForeignDraft } from "./drafts.js";
import { stateOf } from "./state.js";

/** Several changes at once are one reload. */
const ROWS_MS = 60;
/** Events after which rows that were asked for earlier are old. */
const CHANGES_ROWS = new Set(["started", "ended", "pair", "removed", "toolcall"]);

/** Events with which something was deleted or came back. */
const CHANGES_DELETED = new Set(["removed", "rows", "files", "topics", "memory"]);

/**
 * @param {object} deps
 * @param {import("./api.js").Api} deps.api
 * @param {import("./state.js").Store} deps.store
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 * @param {import("./sending.js").Sending} deps.sending
 * @param {import("./composer.js").Composer} deps.composer
 * @param {import("./panels.js").Panels} deps.panels
 * @param {() => void} deps.onWindow  the window itself changed; the draft is weighed again
 * @param {() => void} deps.onFiles   the registry changed
 * @param {() => void} deps.onMemory  somebody wrote into the memory
 * @param {(call: import("./types.js").ToolCall) => void} deps.onTool
 */
export function createSync({ api, store, win, history, sending, composer, panels, onWindow, onFiles, onMemory, onTool }) {
  let shownFilter = store.get().view.filter;
  /** @type {(() => void)[]} */
  let waiting = [];
  /** Events that changed rows; what was asked for before one of them may come back without it. */
  let news = 0;

  async function reload() {
    const waited = waiting;
    waiting = [];
    recount.drop();
    const before = news;
    const old = () => news !== before;
    try {
      const state = stateOf(await api.call("GET", "/api/state"));
      store.set(state);
      onWindow();
      // Another filter is another history: its newest pairs are what is asked for.
      const bottom = state.view.filter !== shownFilter;
      shownFilter = state.view.filter;
      await history.refetch(state.boundary.y, { bottom, old });
      if (old()) rows.call();
    } catch {
      // The reconnection reloads.
    }
    for (const done of waited) done();
  }
  const rows = debounced(ROWS_MS, () => void reload());
  /** The same because of the count alone, which the event of a new pair may still explain. */
  const recount = debounced(ROWS_MS, () => void reload());

  /** @returns {Promise<void>} */
  function reloadRows() {
    return new Promise((done) => {
      waiting.push(done);
      rows.call();
    });
  }

  /** @param {any} told */
  function take(told) {
    const state = stateOf(told);
    store.set(state);
    onWindow();
    panels.refreshHud();
    // Rows came or went that no event has told yet: it may still be on its way.
    if (state.view.filter !== shownFilter) rows.call();
    else if (state.boundary.y !== win.y) recount.call();
  }

  /**
   * @param {string} name
   * @param {any} data
   * @param {string} id
   */
  function onEvent(name, data, id) {
    if (CHANGES_ROWS.has(name)) news += 1;
    if (CHANGES_DELETED.has(name)) panels.refresh("deleted");
    switch (name) {
      case "started":
        void sending.started(data);
        break;
      case "status": return sending.status(data);
      case "text": return sending.text(data, id);
      case "ended":
        sending.ended(data);
        panels.refresh("receipts");
        return panels.refreshHud();
      case "pair": return void (data.html && history.replace(data.pair, data.html));
      case "removed":
        history.remove(data.pairs);
        return rows.call();
      case "rows": return rows.call();
      case "state": return take(data);
      case "topics": return panels.refresh("topics");
      case "settings":
        panels.refresh("settings");
        panels.refresh("models");
        return panels.refreshHud();
      case "draft": {
        const focused = document.hasFocus() && document.activeElement === composer.area;
        const here = { focused, typed: composer.typed, text: composer.text(), mine: data.from === api.tab };
        return takesForeignDraft(here) ? composer.show({ text: data.text, attachments: data.attachments ?? [] }) : undefined;
      }
      case "files":
        onFiles();
        onWindow();
        // Chips may be broken now, and the list of files that is sent is another.
        return rows.call();
      case "memory": return onMemory();
      case "toolcall": return onTool(data);
      case "reset":
        rows.call();
        panels.refresh();
        return panels.refreshHud();
      default: return undefined;
    }
    // A pair that was announced before its event explains the count; no reload is needed for it.
    if (store.get().boundary.y === win.y) recount.drop();
    return undefined;
  }

  return {
    onEvent,
    take,
    reloadRows,
    /**
     * What is applied is applied at once; the rows follow.
     * @param {{filter?: string, topic?: string, model?: string}} change
     */
    async setView(change) {
      take(await api.call("PUT", "/api/view", change));
    },
  };
}
