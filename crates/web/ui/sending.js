// A send as the page sees it: asked for, started, streaming, ended (UI-4, UI-5, UI-6).

import { Problem, wordsOf } from "./api.js";
import { addCopyButtons } from "./clipboard.js";
import { remainder } from "./composer.js";
import { el } from "./dom.js";
import { busyWords } from "./held.js";
import { afterReply, endNotice } from "./policy.js";
import { filesOf } from "./seen.js";
import { scalars } from "./text.js";

/** A second click within this time belongs to the first: it means to send, not to cancel. */
const DOUBLE_CLICK_MS = 500;

/** @typedef {import("./types.js").Status} Status */
/** @typedef {{text: string, attachments?: import("./types.js").Attachment[], reask?: string, regenerate?: string, model?: string, [name: string]: unknown}} SendBody */

/**
 * Whether a piece of text was already shown: its event is not newer than the article. Pure.
 * @param {string | undefined} shown
 * @param {string} id
 */
export function alreadyShown(shown, id) {
  if (!shown || !id) return false;
  const [a, b] = [Number(shown), Number(id)];
  return Number.isNaN(a) || Number.isNaN(b) ? shown === id : b <= a;
}

/**
 * @param {object} deps
 * @param {import("./api.js").Api} deps.api
 * @param {import("./state.js").Store} deps.store
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 * @param {import("./composer.js").Composer} deps.composer
 * @param {import("./modes.js").Modes} deps.modes
 * @param {import("./cursor.js").Cursor} deps.cursor
 * @param {ReturnType<typeof import("./badges.js").createBadges>} deps.badges
 * @param {import("./notice.js").Notice} deps.notice
 * @param {import("./toasts.js").Toast} deps.toast
 * @param {ReturnType<typeof import("./held.js").createHeld>} deps.held
 * @param {HTMLButtonElement} deps.button
 * @param {(change: {filter: string}) => Promise<unknown>} deps.setView
 * @param {(words: string) => void} deps.announce  to those who listen
 * @param {() => Promise<boolean>} deps.settled  whether all files of the message are there
 * @param {import("./seen.js").PageSeen} deps.seen
 * @param {() => Promise<void>} deps.caughtUp  until the page shows what the server spoke of last
 * @param {() => Promise<void>} deps.reloadRows  asks the server for all of it again
 * @param {() => Promise<boolean>} deps.handOver  the draft's files to the server, where it has others
 * @param {import("./again.js").Again} deps.again
 */
export function createSending({ api, store, win, history, composer, modes, cursor, badges, notice, toast, held, button, setView, announce, settled, seen, caughtUp, reloadRows, handOver, again }) {
  let posting = false;
  /** @type {string | null} */
  let mine = null;
  /** Whether the draft goes when the reply is complete (SND-2). */
  let queued = false;
  /** Whether the notice says why the server did not take the message. */
  let refused = false;
  /** Whether Enter was pressed while the server had not yet answered to the one before. */
  let pressed = false;
  /** What the box held when it was sent, until the server has said that it took it. @type {string | null} */
  let outgoing = null;
  /** When the pointer sent a message. */
  let clicked = -Infinity;
  /** The status that was announced last; its seconds are not worth a voice. */
  let said = "";

  const busy = () => posting || store.get().sending !== null;

  function drawButton() {
    const sending = store.get().sending !== null;
    button.textContent = sending ? "Cancel" : "Send";
    button.classList.toggle("cancel", sending);
    button.title = sending ? "Cancel (Ctrl+C here, x in VIEW)" : "Send (Enter)";
    document.body.classList.toggle("sending", sending);
  }
  store.on(drawButton);
  // What a model refused says nothing about another one, or about another view.
  store.on(({ view }, { view: before }) => {
    if (!refused || (view.model === before.model && view.filter === before.filter)) return;
    refused = false;
    notice.clear("held");
  });

  async function cancel() {
    if (!busy()) return;
    try {
      await api.call("POST", "/api/cancel");
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  }

  /**
   * The page had been behind: what would be sent is shown now, and the next Enter sends it.
   * @param {Problem} problem
   */
  async function lookAgain(problem) {
    await reloadRows();
    await again.refresh();
    notice.say("held", { text: `Not sent: ${problem.message}. The page shows it now; Enter sends what is shown.`, level: "warn" });
  }

  /**
   * Posts with what the page shows (PAY-6), and asks what to do for as long as the server
   * holds it back.
   * @param {SendBody} body
   * @param {() => import("./seen.js").SeenFile[]} files  of the message
   * @param {() => SendBody} [anew]  the body of a message that was changed meanwhile
   * @returns {Promise<boolean>}  whether it is on its way
   */
  async function post(body, files, anew = () => body) {
    posting = true;
    try {
      for (let request = body; ; ) {
        try {
          // With other files something else is said about files, and there is room for less.
          if (await handOver()) await reloadRows();
          else await caughtUp();
          const { pair } = await api.call("POST", "/api/send", { ...request, seen: seen.now(files()) });
          mine = pair;
          return true;
        } catch (error) {
          if (error instanceof Problem && error.code === "view_changed") {
            await lookAgain(error);
            return false;
          }
          const more = error instanceof Problem ? await held(error) : undefined;
          refused = more === undefined;
          if (refused) notice.say("held", { text: `Not sent: ${wordsOf(error)}`, level: "error" });
          if (!more) return false;
          request = more["again"] ? { ...request, ...anew() } : { ...request, ...more };
        }
      }
    } finally {
      posting = false;
    }
  }

  /** The draft stays where it is, can still be changed, and goes when its turn comes. */
  function queue() {
    queued = true;
    notice.clear("held");
    // It stands apart from what typing clears: it is still queued while it is changed.
    notice.say("queued", { text: "Queued: it goes when the reply is complete.", label: "Take it back", act: unqueue });
  }

  function unqueue() {
    queued = false;
    notice.clear("queued");
  }

  /**
   * Sends what was queued, as soon as nothing is in flight: the end of a reply may be told
   * before the answer to its own request has come, and then that answer is waited for.
   */
  function next() {
    if (!queued || busy()) return;
    unqueue();
    void submit();
  }

  /** What Enter says while a reply is on its way: it always says something (UI-16). */
  function wait() {
    pressed = posting;
    const text = composer.text();
    if (text.trim() && store.get().queue) return queue();
    const words = text.trim() ? busyWords(scalars(text)) : "A reply is still on its way, and there is nothing to send yet.";
    notice.say("held", { text: words, label: "Cancel the send", act: () => void cancel() });
  }

  /** @returns {Promise<void>} */
  async function submit() {
    if (busy()) return wait();
    notice.clear("held");
    if (!(await settled())) return;
    if (busy()) return wait();
    let message = composer.message();
    if (!message.text.trim()) return;
    const { reasks } = composer;
    const body = () => {
      message = composer.message();
      const { text: words, attachments } = message;
      return { text: words, ...(attachments.length ? { attachments } : {}), ...(reasks ? { reask: reasks } : {}) };
    };
    pressed = false;
    const first = body();
    outgoing = message.shown;
    const gone = await post(first, () => filesOf(message), body);
    outgoing = null;
    if (gone) composer.taken(message);
    // The box held both messages then; what was said of it is said of what is left.
    const another = pressed;
    pressed = false;
    if (gone && another && composer.text().trim() && store.get().sending) wait();
    else if (gone && another && !queued) notice.clear("held");
    if (!composer.text().trim()) unqueue();
    next();
  }

  /** The question is answered and its button gone: the keys belong to the pair again. */
  function backToPair() {
    if (modes.mode === "VIEW") cursor.focus();
  }

  /** What is asked for in place of the draft: the boundary of the draft is drawn again. */
  async function leaveAgain() {
    if (!again.asked || !("regenerate" in again.asked)) return;
    notice.clear("again");
    backToPair();
    await again.show(null);
  }

  button.form?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!store.get().sending) {
      clicked = event.timeStamp;
      void submit();
    } else if (event.timeStamp - clicked > DOUBLE_CLICK_MS) void cancel();
  });

  return {
    submit,
    cancel,
    drawButton,
    leaveAgain,
    /**
     * Answers a complete pair again, with the same or another model (SND-8).
     * @param {string} id
     * @param {string | undefined} model
     */
    async regenerate(id, model) {
      if (busy()) return void toast("One message at a time: a reply is still on its way.");
      const what = { regenerate: id, ...(model ? { model } : {}) };
      await caughtUp();
      await again.show(what);
      const go = async () => {
        notice.clear("again");
        backToPair();
        const gone = await post({ text: "", ...what }, () => store.get().preview?.files ?? []);
        if (gone) await again.show(null);
        else askAgain();
      };
      const askAgain = () => notice.say("again", {
        text: again.words(model ?? store.get().view.model),
        label: "Answer again", act: () => void go(), focus: true,
        other: { label: "Leave it", act: () => void leaveAgain() },
      });
      askAgain();
    },
    /** @param {string} text  sent as it is, the draft left alone */
    async sendText(text) {
      if (busy()) return void toast("One message at a time: a reply is still on its way.");
      await post({ text }, () => []);
    },
    /** @param {{pair: string, at: number | null, html?: string}} event */
    async started({ pair, at, html }) {
      const own = posting || mine === pair;
      if (own) mine = pair;
      store.set({ sending: { pair } });
      if (at !== null && at !== undefined && html && !history.replace(pair, html)) history.append(html, at);
      badges.show({ pair, kind: "waiting", text: "" });
      announce("Sent.");
      if (own && at === null) {
        toast("Sent. The filter hides the new pair.", { label: "Show everything", act: () => void setView({ filter: "" }) });
      }
      if (own && at !== null) await history.toBottom().catch(() => {});
    },
    /** @param {Status} status */
    status(status) {
      if (store.get().sending?.pair !== status.pair) store.set({ sending: { pair: status.pair } });
      badges.show(status);
      if (status.text && status.text !== said) announce((said = status.text));
    },
    /**
     * @param {{pair: string, append?: string, tail?: string}} event
     * @param {string} id
     */
    text({ pair, append, tail }, id) {
      const article = win.find(pair);
      if (!article) return;
      const { reply, done, rest } = replyOf(article);
      if (alreadyShown(reply.dataset["event"], id)) return;
      reply.dataset["event"] = id;
      badges.clear();
      win.anchor.keep(() => {
        if (append) {
          done.insertAdjacentHTML("beforeend", append);
          addCopyButtons(done);
        }
        rest.innerHTML = tail ?? "";
      });
    },
    /** @param {{pair: string, html?: string | null, state: string, notice?: string}} event */
    ended({ pair, html, state, notice: words }) {
      const own = mine === pair;
      mine = null;
      badges.clear();
      store.set({ sending: null });
      notice.clear("held");
      const article = html ? history.replace(pair, html) : null;
      const reply = article?.querySelector(".a");
      const what = afterReply({
        mode: modes.mode,
        mine: own && state === "complete",
        // The end may be told before the answer that empties the box.
        draftEmpty: (outgoing === null ? composer.text() : remainder(composer.area.value, outgoing)) === "",
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
      announce(state === "complete" ? "The reply is complete." : state === "cancelled" ? "Cancelled." : "The send ended in an error.");
      if (words && own) toast(words);
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

/** @typedef {ReturnType<typeof createSending>} Sending */
