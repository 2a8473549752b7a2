// A send as the page asks for it: what goes, what holds it back, and what is said of it. What the
// server tells of it is in sendevents.js.

import { Problem, wordsOf } from "../base/api.js";
import { costTitle } from "./cost.js";
import { el } from "../base/dom.js";
import { busyWords } from "./refusals.js";
import { filesOf, sameMarks } from "./seen.js";
import { createSendEvents } from "./sendevents.js";
import { scalars } from "../base/text.js";

const TOO_LATE = "That pair cannot be answered again any more.";
/** A second click within this time belongs to the first: it means to send, not to cancel. */
const DOUBLE_CLICK_MS = 500;

/** @typedef {{text: string, attachments?: import("../types.js").Attachment[], reask?: string, regenerate?: string, model?: string, [name: string]: unknown}} SendBody */

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("../history/window.js").HistoryWindow} deps.win
 * @param {import("../history/history.js").History} deps.history
 * @param {import("./composer.js").Composer} deps.composer
 * @param {import("../keys/modes.js").Modes} deps.modes
 * @param {import("../history/cursor.js").Cursor} deps.cursor
 * @param {ReturnType<typeof import("../history/badges.js").createBadges>} deps.badges
 * @param {import("../base/notice.js").Notice} deps.notice
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {ReturnType<typeof import("./refusals.js").createHeld>} deps.held
 * @param {HTMLButtonElement} deps.button
 * @param {(change: {filter: string}) => Promise<unknown>} deps.setView
 * @param {(words: string) => void} deps.announce  to those who listen
 * @param {() => Promise<boolean>} deps.settled  whether all files of the message are there
 * @param {() => Promise<boolean>} deps.expand  whether a snippet came into the box instead (UI-23)
 * @param {import("./seen.js").PageSeen} deps.seen
 * @param {() => Promise<void>} deps.caughtUp  until the page shows what the server spoke of last
 * @param {() => Promise<void>} deps.reloadRows  asks the server for all of it again
 * @param {() => Promise<boolean>} deps.handOver  the draft's files to the server, where it has others
 * @param {import("./again.js").Again} deps.again
 * @param {() => {compare?: string[]}} deps.compared  the models that answer, where there are several
 */
export function createSending({ api, store, win, history, composer, modes, cursor, badges, notice, toast, held, button, setView, announce, settled, expand, seen, caughtUp, reloadRows, handOver, again, compared }) {
  let posting = false;
  /** The pairs that were sent from here and have not ended. @type {Set<string>} */
  const mine = new Set();
  /** The pairs that are being answered: one, or those of a comparison. @type {Set<string>} */
  const flying = new Set();
  /** Whether the draft goes when the reply is complete (SND-2). */
  let queued = false;
  /** Whether the notice says why the server did not take the message. */
  let refused = false;
  /** Whether Enter was pressed while the server had not yet answered to the one before. */
  let pressed = false;
  /** Whether Enter was pressed for what the box holds now, while a reply was on its way. */
  let heldBack = false;
  /** What the box held when it was sent, until the server has said that it took it. @type {string | null} */
  let outgoing = null;
  /** The question whether a pair is to be answered again, while it stands. @type {{model?: string, go: () => void} | null} */
  let question = null;
  /** When the pointer sent a message. */
  let clicked = -Infinity;

  /** What the message in the box will cost, as it is drawn. @type {import("../types.js").Cost | undefined} */
  let costs;

  const busy = () => posting || store.get().sending !== null;

  function drawButton() {
    const sending = store.get().sending !== null;
    // Where there is nothing to send yet, there is nothing to pay for.
    const cost = sending || (costs?.tokens === "0" && !composer.text()) ? undefined : costs;
    button.replaceChildren(sending ? "Cancel" : "Send", ...(cost?.most ? [el("span", { class: "weight" }, ` · ${cost.tokens}`), el("span", { class: "price" }, el("i", {}, " · "), cost.text)] : []));
    button.classList.toggle("cancel", sending);
    button.title = sending ? "Cancel (Ctrl+C here, x in VIEW)" : costTitle(cost);
    document.body.classList.toggle("sending", sending);
  }
  store.on(drawButton);
  store.on(({ sending }) => { if (!sending) flying.clear(); });
  // What a model refused says nothing about another one, or about another view.
  store.on(({ view }, { view: before }) => {
    if (!refused || (view.model === before.model && view.filter === before.filter)) return;
    refused = false;
    notice.clear("held");
  });

  async function cancel() {
    if (!busy()) return;
    // This send, and not one that begins while this request is on its way.
    const pair = store.get().sending?.pair;
    const pairs = flying.size > 1 ? [...flying] : [pair];
    await Promise.all(pairs.map(stop));
  }

  /** @param {string | undefined} pair  one of several answers, or whatever is in flight */
  async function stop(pair) {
    try {
      await api.call("POST", pair ? `/api/cancel?pair=${encodeURIComponent(pair)}` : "/api/cancel");
    } catch (error) {
      if (error instanceof Problem && error.code === "nothing_in_flight") return;
      toast(wordsOf(error), { error: true });
    }
  }

  /** @param {HTMLElement} article */
  function showEdited(article) {
    win.anchor.scrollTo(article, "top");
    article.querySelector("textarea")?.focus({ preventScroll: true });
  }

  /** @param {string} words  why it was not sent, and what sends it */
  const sayHeld = (words) => notice.say("held", { text: words, level: "warn" });

  /**
   * Posts with what the page shows (PAY-6), and asks what to do for as long as the server
   * holds it back.
   * @param {SendBody} body
   * @param {() => import("./seen.js").SeenFile[]} files  of the message
   * @param {object} [how]
   * @param {() => SendBody} [how.anew]  the body of a message that was changed meanwhile
   * @param {string} [how.press]  what sends it, in words
   * @param {(words: string) => void} [how.behind]  says that the page had been behind, and shows now what would be sent
   * @param {boolean} [how.unseen]  nobody pressed a key for it just now: it waited for its turn
   * @returns {Promise<boolean>}  whether it is on its way
   */
  async function post(body, files, { anew = () => body, press = "Enter", behind = sayHeld, unseen = false } = {}) {
    refused = false;
    const edited = win.rows.querySelector(".pair.editing:not(.ooc)");
    if (edited instanceof HTMLElement) {
      // The form shows one text, and another would go.
      notice.say("held", { text: "Not sent: a pair that goes along is being edited. Save it or leave it first.", level: "warn", label: "Show it", act: () => showEdited(edited) });
      return false;
    }
    posting = true;
    // What was on screen when the key was pressed; after a question it is what was chosen there.
    /** @type {{marks: import("./seen.js").Marks, pairs: string, all: string | null} | null} */
    let looked = unseen ? null : { marks: seen.marks(), pairs: seen.pairs(), all: seen.now(files()).digest };
    /** @param {string} why */
    const lookAgain = async (why) => {
      await reloadRows();
      await again.refresh();
      behind(`Not sent: ${why}. The page shows it now; ${press} sends what is shown.`);
      return false;
    };
    try {
      for (let request = body; ; ) {
        try {
          // With other files something else is said about files, and there is room for less.
          const told = await handOver();
          await (told ? reloadRows() : caughtUp());
          // Rows that came after the key were not seen by whoever pressed it.
          const same = !looked || (sameMarks(looked.marks, seen.marks()) && (told || looked.all === null ? looked.pairs === seen.pairs() : looked.all === seen.now(files()).digest));
          if (!same) return await lookAgain(looked?.all === null ? "other pairs go along now" : "What would be sent changed as you sent it");
          looked = null;
          const { pair, pairs = [pair] } = await api.call("POST", "/api/send", { ...request, seen: seen.now(files()) });
          for (const one of pairs) mine.add(one);
          return true;
        } catch (error) {
          if (error instanceof Problem && error.code === "view_changed") return await lookAgain(error.message);
          if (error instanceof Problem && error.code === "not_found" && request.reask) {
            composer.replaces(null);
            composer.gone([request.reask]);
            return await lookAgain("The pair that you ask again is gone; this is a new message now");
          }
          const [marks, pairs] = [seen.marks(), seen.pairs()];
          const more = error instanceof Problem ? await held(error) : undefined;
          // With another model or window other pairs may go along than those that were looked at.
          if (more?.["look"]) looked = { marks, pairs, all: null };
          delete more?.["look"];
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
    void submit({ unseen: true });
  }

  /** What Enter says while a reply is on its way: it always says something (UI-16). */
  function wait() {
    pressed = posting;
    const text = composer.text();
    if (text.trim() && store.get().queue) return queue();
    const words = text.trim() ? busyWords(scalars(text)) : "A reply is still on its way, and there is nothing to send yet.";
    heldBack = Boolean(text.trim());
    notice.say("held", { text: words, label: "Cancel the send", act: () => void cancel() });
  }

  /** Nothing is on its way any more, and the Enter that came too early is not lost without a word (UI-16). */
  function sayFree() {
    heldBack = false;
    if (composer.text().trim()) sayHeld("Not sent: a reply was still on its way when you pressed Enter. Enter sends it now.");
  }

  /**
   * @param {{unseen?: boolean}} [how]  `unseen`: its turn has come, and no key was pressed for it
   * @returns {Promise<void>}
   */
  async function submit({ unseen = false } = {}) {
    if (busy()) return wait();
    heldBack = false;
    notice.clear("held");
    if (question) {
      // The marks on screen are those of another request; they are drawn for this one first.
      await leaveAgain();
      if (composer.text().trim()) notice.say("held", { text: "The page shows now what goes along with your message; Enter sends it.", level: "warn" });
      return;
    }
    if (!(await settled())) return;
    // A snippet that the message calls comes into the box first: what is sent was seen there.
    if (await expand()) return;
    if (busy()) return wait();
    let message = composer.message();
    if (!message.text.trim()) return;
    const reasks = composer.reasks;
    const body = () => {
      message = composer.message();
      const { text: words, attachments } = message;
      return { text: words, ...(attachments.length ? { attachments } : {}), ...composer.purpose(), ...compared() };
    };
    pressed = false;
    const first = body();
    outgoing = message.shown;
    composer.replaces(reasks);
    const gone = await post(first, () => filesOf(message), { anew: body, unseen });
    composer.replaces(null);
    outgoing = null;
    if (gone) composer.taken(message);
    // The box held both messages then; what was said of it is said of what is left.
    const another = pressed;
    pressed = false;
    if (gone && another && composer.text().trim() && store.get().sending) wait();
    else if (gone && another && !queued) {
      notice.clear("held");
      sayFree();
    }
    if (!composer.text().trim()) unqueue();
    next();
  }

  /** The question is answered and its button gone: the keys belong to the pair again. */
  function backToPair() {
    if (modes.mode === "VIEW") cursor.focus();
  }

  function withdraw() {
    const focused = notice.focused();
    question = null;
    notice.clear("again");
    if (focused) backToPair();
  }

  /** What is asked for in place of the draft: the boundary of the draft is drawn again. */
  async function leaveAgain() {
    if (!question) return;
    withdraw();
    notice.clear("held");
    await again.show(null);
  }

  /**
   * @param {boolean} focus  its button is the next thing that a key means
   * @param {string} [before]  words to say first
   */
  function askAgain(focus, before = "") {
    if (!question) return;
    const { model, go } = question;
    notice.say("again", {
      text: `${before}${again.words(model ?? store.get().view.model)}`,
      label: "Answer again", act: go, focus,
      other: { label: "Leave it", act: () => void leaveAgain() },
    });
  }

  // The words follow the marks, whoever changed them; a pair that is gone is not asked about.
  store.on(({ preview }, { preview: before }) => {
    if (!question || posting || preview === before) return;
    if (preview) return askAgain(notice.focused());
    withdraw();
    toast(TOO_LATE);
  });
  // Who turns to the message box is about to send something else: its marks are drawn.
  composer.area.addEventListener("focus", () => void leaveAgain());
  // Who goes on writing has not finished: that Enter is not spoken of any more.
  composer.area.addEventListener("input", () => { heldBack = false; });

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
    stop,
    drawButton,
    /** @param {import("../types.js").Cost | undefined} cost  of what the box holds (UI-18) */
    price(cost) {
      const same = costs?.text === cost?.text && costs?.tokens === cost?.tokens && costs?.cached === cost?.cached;
      costs = cost;
      if (!same) drawButton();
    },
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
      notice.clear("held");
      try {
        await again.show(what);
      } catch (error) {
        await again.show(null);
        return void toast(wordsOf(error), { error: true });
      }
      const go = async () => {
        notice.clear("again");
        backToPair();
        let words = "";
        const gone = await post({ text: "", ...what }, () => store.get().preview?.files ?? [], { press: "the button", behind: (why) => { words = `${why} `; } });
        if (!gone && !refused && again.asked) return askAgain(true, words);
        // While it was looked at again, a newer answer came back or the pair went.
        if (!gone && !refused) toast(TOO_LATE);
        withdraw();
        await again.show(null);
      };
      question = { ...(model ? { model } : {}), go: () => void go() };
      askAgain(true);
    },
    /** @param {string} text  sent as it is, the draft left alone */
    async sendText(text) {
      if (busy()) return void toast("One message at a time: a reply is still on its way.");
      await leaveAgain();
      const before = again.asked;
      try {
        // Without the files of the draft the line may stand elsewhere.
        await again.show({ text });
        await post({ text }, () => [], { press: "“Continue”" });
      } catch (error) {
        toast(wordsOf(error), { error: true });
      } finally {
        await again.show(before).catch(() => {});
      }
    },
    ...createSendEvents({
      store, win, history, composer, modes, cursor, badges, notice, toast, setView, announce, caughtUp, reloadRows, mine, flying, next,
      posting: () => posting,
      outgoing: () => outgoing,
      over: () => { if (heldBack && !posting) sayFree(); },
    }),
  };
}

/** @typedef {ReturnType<typeof createSending>} Sending */
