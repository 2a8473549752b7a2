// What the server's events do to the page; two open tabs agree through them (UI-12).

import { debounced } from "../base/dom.js";
import { takesForeignDraft } from "../composer/drafts.js";
import { isBefore } from "../base/events.js";
import { stateOf } from "../base/state.js";

/** Several changes at once are one reload. */
const ROWS_MS = 60;
/** Events after which rows that were asked for earlier are old. */
const CHANGES_ROWS = new Set(["started", "ended", "pair", "removed", "toolcall"]);

/** Events with which something was deleted or came back. */
const CHANGES_DELETED = new Set(["removed", "rows", "files", "topics", "memory"]);

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 * @param {import("../composer/sending.js").Sending} deps.sending
 * @param {import("../composer/composer.js").Composer} deps.composer
 * @param {import("../panels.js").Panels} deps.panels
 * @param {import("../composer/again.js").Again} deps.again
 * @param {import("../composer/seen.js").PageSeen} deps.seen
 * @param {() => void} deps.onWindow  the window itself changed; the draft is weighed again
 * @param {() => void} deps.onFiles   the registry changed
 * @param {() => void} deps.onMemory  somebody wrote into the memory
 * @param {(call: import("../types.js").ToolCall) => void} deps.onTool
 * @param {(event: {pairs: string[], text: string, undo: string | null}) => void} deps.onSummarised
 */
export function createSync({ api, store, win, history, sending, composer, panels, again, seen, onWindow, onFiles, onMemory, onTool, onSummarised }) {
  let shownFilter = store.get().view.filter;
  /** @type {(() => void)[]} */
  let waiting = [];
  /** Until what this page itself asked to see is answered. */
  let changing = Promise.resolve();
  /** The id of the last event that the page's state knows of. */
  let newest = "";
  /** A reload is under way. */
  let loading = false;
  /** Another was asked for meanwhile. */
  let missed = false;

  /**
   * Fetches state and rows, and shows both together. Whether they are shown.
   */
  async function fetchAll() {
    recount.drop();
    const before = win.changes;
    const old = () => win.changes !== before;
    const state = stateOf(await api.call("GET", "/api/state"));
    if (overtaken(state.event)) return false;
    // Another filter is another history: its newest pairs are what is asked for.
    const bottom = state.view.filter !== shownFilter;
    const wanted = { y: state.boundary.y, shape: state.shown.shape };
    const marks = await again.withRows();
    // The marks of the new rows come with the rows: never do old ones carry them.
    const after = () => {
      shownFilter = state.view.filter;
      store.set({ ...state, ...marks() });
    };
    return history.refetch(wanted, { bottom, old, after });
  }

  /** One after the other: of two at once, one would throw away what the other fetched. */
  async function reload() {
    missed = true;
    if (loading) return;
    loading = true;
    /** @type {(() => void)[]} */
    let served = [];
    try {
      while (missed) {
        missed = false;
        // Who asks from now on wants what is fetched from now on.
        served.push(...waiting.splice(0));
        if (!(await fetchAll())) {
          missed = true;
          continue;
        }
        void again.refresh();
        for (const done of served.splice(0)) done();
      }
      onWindow();
    } catch {
      // The reconnection reloads; who waits is told that there is nothing to wait for.
      served = [...served, ...waiting.splice(0)];
    } finally {
      loading = false;
      for (const done of served) done();
    }
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

  /**
   * Whether something newer was told already. What is not is the newest from now on.
   * @param {string} event  the id of the last event that a state knows of
   */
  function overtaken(event) {
    if (isBefore(event, newest)) return true;
    newest = event;
    return false;
  }

  /**
   * @param {any} told
   * @param {string} [event]  that told it; else the last one that it knows of
   */
  function take(told, event = told.event) {
    if (overtaken(event)) return;
    const state = stateOf(told);
    const { boundary, shown, ...others } = state;
    const same = state.view.filter === shownFilter && shown.shape === win.shape;
    // Marks for other rows than these are not drawn on these; they come with their rows.
    store.set(same ? state : others);
    onWindow();
    panels.refreshHud();
    if (!same || !seen.instructed(shown)) rows.call();
    // Rows came or went that no event has told yet: it may still be on its way.
    else if (boundary.y !== win.y) recount.call();
    else void again.refresh();
  }

  /**
   * @param {string} name
   * @param {any} data
   * @param {string} id
   */
  function onEvent(name, data, id) {
    if (CHANGES_ROWS.has(name)) win.changed();
    if (CHANGES_DELETED.has(name)) panels.refresh("deleted");
    switch (name) {
      case "started":
        // Where places changed, the rows are fetched; the pair is among them.
        void sending.started(data.shape === win.shape ? data : { ...data, html: undefined });
        if (data.shape !== win.shape) rows.call();
        break;
      case "status": return sending.status(data);
      case "text": return sending.text(data);
      case "ended":
        void sending.ended(data);
        panels.refresh("receipts");
        return panels.refreshHud();
      case "pair": return void (data.html && history.replace(data.pair, data.html));
      case "removed":
        history.remove(data.pairs);
        composer.gone(data.pairs);
        return rows.call();
      case "rows": return rows.call();
      case "state": return take(data, id);
      case "topics":
        panels.refresh("topics");
        return panels.refresh("snippets");
      case "settings":
        panels.refresh("settings");
        panels.refresh("models");
        return panels.refreshHud();
      case "draft": {
        const focused = document.hasFocus() && document.activeElement === composer.area;
        const here = { focused, typed: composer.typed, text: composer.text(), mine: data.from === api.tab, unsaved: composer.unsaved };
        return takesForeignDraft(here) ? composer.show({ text: data.text, attachments: data.attachments ?? [] }) : undefined;
      }
      case "files":
        onFiles();
        onWindow();
        // Chips may be broken now, and the list of files that is sent is another.
        return rows.call();
      case "memory": return onMemory();
      case "summarised": return onSummarised(data);
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
    /** Returns when the rows are those that the server spoke of last, if it can be reached. */
    async caughtUp() {
      await changing;
      const { shown, boundary, view } = store.get();
      const same = view.filter === shownFilter && shown.shape === win.shape && boundary.y === win.y && seen.instructed(shown);
      if (!same || rows.waits() || recount.waits() || loading) await reloadRows();
      await again.settled();
    },
    /**
     * What is applied is applied at once; the rows follow.
     * @param {{filter?: string, topic?: string, model?: string, contextFrom?: string, filesScope?: string}} change
     */
    async setView(change) {
      const done = api.call("PUT", "/api/view", change).then(take);
      changing = Promise.all([changing, done]).then(() => {}, () => {});
      await done;
    },
  };
}
