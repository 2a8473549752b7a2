// A send on its way: its calls as they happen (API-2), and what is said when the view changes
// under it (OVF-5).

/** @typedef {import("../types.js").View} View */

/**
 * What to say when the view changes while a message is on its way, or null where nothing needs
 * to be said. Pure.
 * @param {View} now
 * @param {View} before
 * @param {import("../types.js").StatusKind | null} kind  what the send is doing; null once text came
 */
export function changedUnderway(now, before, kind) {
  if (kind === null) return null;
  const [filter, model] = [now.filter !== before.filter, now.model !== before.model];
  if (!filter && !model) return null;
  // Who waits for the quota is not yet sending: what goes along is captured when it leaves.
  if (kind === "quota") {
    const waits = filter ? "the waiting message goes with what is visible when its turn comes" : "the waiting message goes to the one that it was sent to";
    return `${filter ? "The filter" : "The model"} has changed; ${waits}.`;
  }
  const what = filter && model ? "The filter and the model have" : filter ? "The filter has" : "The model has";
  return `${what} changed; the message in flight goes on with what it had.`;
}

/**
 * @param {object} deps
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("../base/notice.js").Notice} deps.notice
 * @param {ReturnType<typeof import("../history/badges.js").createBadges>} deps.badges
 * @param {import("../panels.js").Panels} deps.panels
 * @param {() => void} deps.cancel
 */
export function createInFlight({ store, notice, badges, panels, cancel }) {
  store.on((now, before) => {
    if (!now.sending) return notice.clear("flight");
    const same = before.sending?.pair === now.sending.pair;
    const text = same ? changedUnderway(now.view, before.view, badges.kind()) : null;
    if (text) notice.say("flight", { text, level: "warn", label: "Cancel the send", act: cancel });
  });

  return {
    /**
     * Panels that show the calls of a send follow them.
     * @param {string} name
     */
    onEvent(name) {
      if (name !== "attempt" && name !== "receipt" && name !== "ended") return;
      panels.refresh("attempts");
      // They may have been opened before all that the send left behind was kept.
      if (name === "receipt") for (const panel of ["receipt", "receipts", "exact request", "models"]) panels.refresh(panel);
      panels.refreshHud();
    },
  };
}
