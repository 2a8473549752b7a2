// What the server tells of a send: started, what it waits for, its text, ended (UI-4, UI-5, UI-6).

import { addCopyButtons } from "../base/clipboard.js";
import { el } from "../base/dom.js";
import { remainder } from "./composer.js";
import { afterReply, endNotice } from "./policy.js";

/** @typedef {import("../types.js").Status} Status */

/** @typedef {{from: number, to: number, end: number}} Piece  bytes of an answer: final from–to, shown up to end */

/**
 * What becomes of a piece of an answer: it is added to what is shown, takes its place, is not
 * newer than that (nothing), or does not fit to it, so that the whole is asked for. Pure.
 * @param {{stable?: string | undefined, end?: string | undefined}} shown  so many bytes are final, and shown
 * @param {Piece} piece
 * @returns {"add" | "instead" | "nothing" | "ask"}
 */
export function placeOf(shown, { from, to, end }) {
  if (shown.stable === undefined || shown.end === undefined) return from === 0 ? "instead" : "ask";
  if (end < Number(shown.end) || (end === Number(shown.end) && to <= Number(shown.stable))) return "nothing";
  if (from === Number(shown.stable)) return "add";
  return from === 0 ? "instead" : "ask";
}

/**
 * @param {object} deps
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("../history/window.js").HistoryWindow} deps.win
 * @param {import("../history/history.js").History} deps.history
 * @param {import("./composer.js").Composer} deps.composer
 * @param {import("../keys/modes.js").Modes} deps.modes
 * @param {import("../history/cursor.js").Cursor} deps.cursor
 * @param {ReturnType<typeof import("../history/badges.js").createBadges>} deps.badges
 * @param {import("../base/notice.js").Notice} deps.notice
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(change: {filter: string}) => Promise<unknown>} deps.setView
 * @param {(words: string) => void} deps.announce  to those who listen
 * @param {() => Promise<void>} deps.caughtUp  until the page shows what the server spoke of last
 * @param {() => Promise<void>} deps.reloadRows  asks for the rows again
 * @param {Set<string>} deps.mine  the pairs that were sent from here and have not ended
 * @param {Set<string>} deps.flying  the pairs that are being answered
 * @param {() => boolean} deps.posting  whether a message is on its way to the server
 * @param {() => string | null} deps.outgoing  what the box held when it was sent, until the server took it
 * @param {() => void} deps.over  nothing is being answered any more
 * @param {() => void} deps.next  sends what is queued
 */
export function createSendEvents({ store, win, history, composer, modes, cursor, badges, notice, toast, setView, announce, caughtUp, reloadRows, mine, flying, posting, outgoing, over, next }) {
  /** The status that was announced last; its seconds are not worth a voice. */
  let said = "";

  /**
   * Rows that were fetched when a pair had ended are newer than what is still told of the way there.
   * @param {string} pair
   */
  const goesOn = (pair) => (win.find(pair)?.dataset["state"] ?? "sending") === "sending";

  return {
    /** @param {{pair: string, at: number | null, html?: string, state?: string | null}} event */
    async started({ pair, at, html, state }) {
      const own = posting() || mine.has(pair);
      if (own) mine.add(pair);
      if (at !== null && at !== undefined && html && !history.replace(pair, html)) history.append(html, at);
      // Else its end comes right behind: nothing is on its way any more.
      if (state === "sending") {
        flying.add(pair);
        store.set({ sending: { pair } });
        badges.show({ pair, kind: "waiting", text: "" });
      }
      announce("Sent.");
      if (own && at === null) {
        toast("Sent. The filter hides the new pair.", { label: "Show everything", act: () => void setView({ filter: "" }) });
      }
      if (own && at !== null) await history.toBottom().catch(() => {});
    },
    /** @param {Status} status */
    status(status) {
      if (!goesOn(status.pair)) return;
      if (store.get().sending?.pair !== status.pair) store.set({ sending: { pair: status.pair } });
      badges.show(status);
      if (status.text && status.text !== said) announce((said = status.text));
    },
    /** @param {{pair: string, append?: string, tail?: string} & Piece} event */
    text({ pair, append, tail, ...piece }) {
      const article = win.find(pair);
      if (!article || !goesOn(pair)) return;
      const { reply, done, rest } = replyOf(article);
      const place = placeOf(reply.dataset, piece);
      if (place === "nothing") return;
      if (place === "ask") return void reloadRows();
      reply.dataset["stable"] = String(piece.to);
      reply.dataset["end"] = String(piece.end);
      badges.clear();
      win.anchor.keep(() => {
        if (place === "instead") done.replaceChildren();
        if (append) {
          done.insertAdjacentHTML("beforeend", append);
          addCopyButtons(done);
        }
        rest.innerHTML = tail ?? "";
      });
    },
    /** @param {{pair: string, html?: string | null, state: string, notice?: string}} event */
    async ended({ pair, html, state, notice: words }) {
      const own = mine.delete(pair);
      flying.delete(pair);
      badges.clear();
      // With everything in sight another conversation may still be answered; the next state says so.
      const { sending: now } = store.get();
      const [other] = flying;
      if (!now || now.pair === pair) store.set({ sending: other ? { pair: other } : null });
      notice.clear("held");
      over();
      announce(state === "complete" ? "The reply is complete." : state === "cancelled" ? "Cancelled." : "The send ended in an error.");
      if (words && own) toast(words);
      let article = html ? history.replace(pair, html) : null;
      // Under a filter that moves, the rows with this pair may still be on their way.
      if (own && html && !article) {
        await caughtUp();
        article = win.find(pair);
      }
      const reply = article?.querySelector(".a");
      const sent = outgoing();
      const what = afterReply({
        mode: modes.mode,
        mine: own && state === "complete",
        // The end may be told before the answer that empties the box.
        draftEmpty: (sent === null ? composer.text() : remainder(composer.area.value, sent)) === "",
        shown: article !== null,
        replyHeight: reply?.getBoundingClientRect().height ?? 0,
        paneHeight: win.pane.clientHeight,
      });
      if (what === "read" && article && reply instanceof HTMLElement) {
        cursor.set(article);
        modes.enter("VIEW");
        article.focus({ preventScroll: true });
        win.anchor.scrollTo(reply, "top");
      }
      // Who did not send it has other things to read.
      const unseen = own ? endNotice({ shown: article !== null, visible: Boolean(html), state }) : null;
      if (unseen) toast(unseen, { label: "Show", act: () => void (html ? history.toBottom() : setView({ filter: "" })) });
      next();
    },
  };
}

/**
 * The reply's parts; made when the first text arrives, for an empty block says nothing.
 * @param {HTMLElement} article
 */
function replyOf(article) {
  let reply = /** @type {HTMLElement | null} */ (article.querySelector(".a"));
  if (!reply) {
    reply = el("div", { class: "a prose" });
    (article.querySelector(".toolcalls") ?? article.querySelector(".u"))?.after(reply);
  }
  const part = (/** @type {string} */ name) => {
    const found = reply.querySelector(`:scope > .${name}`);
    if (found instanceof HTMLElement) return found;
    const made = el("div", { class: name });
    reply.append(made);
    return made;
  };
  return { reply, done: part("done"), rest: part("tail") };
}
