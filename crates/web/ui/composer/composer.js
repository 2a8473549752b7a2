// The message that is being written.

import { createWalk } from "../base/walk.js";

/**
 * What stays in the box after `sent` was taken: nothing, or what was typed meanwhile. Pure.
 * @param {string} now
 * @param {string} sent
 */
export function remainder(now, sent) {
  if (now === sent) return "";
  return now.startsWith(sent) ? now.slice(sent.length).replace(/^\s+/, "") : now;
}

/** @typedef {import("./drafts.js").Draft} Draft */

/**
 * A message as a draft: with the names of its files, so that they are known at once next time.
 * @param {import("../files/attachments.js").Message} message
 * @returns {Draft}
 */
function draftOf({ text, attachments, names }) {
  return { text, attachments: attachments.map((entry, i) => ({ ...entry, name: names[i] ?? null })) };
}

/**
 * Whether two lists name the same files, delivered the same way. Pure.
 * @param {readonly import("../types.js").Attachment[]} a
 * @param {readonly import("../types.js").Attachment[]} b
 */
export function sameFiles(a, b) {
  return a.length === b.length && a.every(({ fileId, delivery }, i) => fileId === b[i]?.fileId && delivery === b[i]?.delivery);
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {import("../files/attachments.js").Attachments} deps.attachments
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("./drafts.js").Drafts} deps.drafts
 * @param {import("../base/notice.js").Notice} deps.notice
 * @param {(message: import("../files/attachments.js").Message) => void} deps.onText
 * @param {(view: import("./drafts.js").Selected) => void} deps.select  model and topic as they were
 * @param {(asked: {reask: string} | {sendAgain: string} | null) => void} deps.onReask  a pair is asked or sent again, or is not any more
 * @param {(pair: string) => string} deps.after  what else goes along that came after a pair, in words
 * @param {(pair: string) => void} deps.beginAt  the context begins with this pair
 */
export function createComposer({ area, attachments, api, drafts, notice, onText, select, onReask, after, beginAt }) {
  const walk = createWalk();
  let loaded = false;
  /** Where the walk put the caret; elsewhere, arrows move inside the text. */
  let put = -1;
  /** Somebody wrote in this tab since its text last came from elsewhere. */
  let typed = false;
  // All of these are as the box shows them: marks instead of tokens.
  /** @type {import("./drafts.js").ReAsk | null} */
  let reask = null;
  /** What stood in the box before an old question whose pair is gone by now. */
  let aside = "";
  /** The pair that is asked again by a message on its way: that it goes is no news. @type {string | null} */
  let replaced = null;
  const grows = !CSS.supports("field-sizing", "content");

  function grow() {
    if (!grows) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }

  area.addEventListener("input", () => {
    walk.stop();
    put = -1;
    changed();
  });

  function changed() {
    notice.clear("held");
    renewed();
  }

  /** The text is another one; what was said about the last Enter stays. */
  /** @param {(now: Draft) => void} [save] */
  function renewed(save) {
    typed = true;
    grow();
    attachments.edited();
    tell(save);
  }

  function tell(save = drafts.changed) {
    const message = attachments.message();
    save({ ...draftOf(message), ...(reask ? { reask } : {}) });
    onText(message);
  }
  // A file arrived, or goes another way: the text is the same, the message is not.
  attachments.on((what) => {
    if (what === "files") tell();
  });

  /**
   * @param {string} text
   * @param {"start" | "end"} [caret]
   */
  function write(text, caret = "end") {
    area.value = text;
    put = caret === "start" ? 0 : text.length;
    area.setSelectionRange(put, put);
    // An empty box has nowhere to scroll to; asking would lay the whole page out.
    if (text) area.scrollTop = caret === "start" ? 0 : area.scrollHeight;
  }

  /**
   * Leaves only the end of what stands in the box; caret and selection stay where they are in it.
   * @param {string} rest
   */
  function cutTo(rest) {
    const { selectionStart, selectionEnd, value } = area;
    if (rest === value) return;
    const cut = value.length - rest.length;
    area.value = rest;
    area.setSelectionRange(Math.max(0, selectionStart - cut), Math.max(0, selectionEnd - cut));
    put = -1;
  }

  async function loadPrompts() {
    if (loaded) return;
    loaded = true;
    try {
      const { prompts } = await api.call("GET", "/api/prompts");
      walk.load(prompts);
    } catch {
      loaded = false;
    }
  }
  area.addEventListener("focus", () => void loadPrompts());

  /** One row of text: up and down have nowhere to go. */
  function oneRow() {
    const line = parseFloat(getComputedStyle(area).lineHeight) || 20;
    return !area.value.includes("\n") && area.scrollHeight < line * 2.2;
  }

  function leaveReask() {
    if (!reask) return;
    const { before, text, stored, selected } = reask;
    reask = null;
    notice.clear("reask");
    if (selected) select(selected);
    onReask(null);
    // What was made of the old question meanwhile is the writer's; only the copy goes.
    const untouched = stored === undefined ? area.value === text : attachments.message().text === stored;
    if (untouched) write(before);
    else if (before.trim()) offer(before);
    changed();
  }

  /**
   * Both texts are the writer's: the other one is a button away.
   * @param {string} before
   */
  function offer(before) {
    // Whoever sends the question first finds it in the box afterwards.
    aside = before;
    notice.say("aside", { text: "What you were writing before was put aside.", label: "Bring it back", act: () => {
      notice.clear("aside");
      aside = "";
      walk.add(attachments.message().text);
      write(before);
      changed();
    } });
  }

  /** What the old pair means for what is sent. */
  const asked = () => {
    if (!reask) return null;
    return reask.again === undefined ? { reask: reask.pair } : reask.again === "out" ? { sendAgain: reask.pair } : null;
  };

  /** HIS-13: a new message at the end; the old one can stay. */
  function saySendAgain() {
    if (!reask) return;
    const { pair, again } = reask;
    const out = again === "out";
    notice.clear("reask");
    notice.say("reask", {
      text: `Sent again as a new message. The old one ${out ? "is left out" : "goes along too"}. ${after(pair)}`.trim(),
      label: "Leave it", act: leaveReask,
      others: [
        { label: out ? "Keep the old one" : "Leave the old one out", act: () => setOld(out ? "in" : "out") },
        { label: "Start the context here", act: () => beginAt(pair) },
      ],
    });
  }

  /** @param {"in" | "out"} old */
  function setOld(old) {
    if (!reask) return;
    reask = { ...reask, again: old };
    tell();
    onReask(asked());
    saySendAgain();
  }

  function sayReask() {
    if (reask?.again !== undefined) return saySendAgain();
    notice.say("reask", { text: "Asking again: the old pair is replaced when you send.", label: "Leave it", act: leaveReask });
  }

  /**
   * The draft was an old question when the page was left; it still is, if that can still be
   * asked again.
   * @param {import("./drafts.js").ReAsk} kept
   */
  async function resumeReask(kept) {
    reask = kept;
    sayReask();
    const pair = await api.call("GET", `/api/pairs/${encodeURIComponent(kept.pair)}`).catch(() => null);
    const states = kept.again === undefined ? ["error", "cancelled"] : ["complete", "error", "cancelled"];
    const again = pair === null ? false : states.includes(pair.lifecycleState);
    if (reask !== kept) return;
    // The old pair is not sent along: the marks say so again.
    if (again) return onReask(asked());
    reask = null;
    notice.clear("reask");
    tell();
  }

  return {
    area,
    /** The text as it is stored and sent. */
    text: () => attachments.message().text,
    message: attachments.message,
    get typed() { return typed; },
    get unsaved() { return drafts.unsaved; },
    get reasks() { return reask?.pair ?? null; },
    /** What the message is for besides being new. */
    purpose: () => asked() ?? {},
    /** What the key map wants to know of the caret. */
    where() {
      const { selectionStart, selectionEnd, value } = area;
      const still = put === selectionStart;
      return {
        selection: selectionStart !== selectionEnd,
        atTop: selectionStart === 0 || (walk.walking && still) || oneRow(),
        atBottom: selectionStart === value.length || (walk.walking && still) || oneRow(),
        walking: walk.walking,
      };
    },
    async older() {
      const { value } = area;
      await loadPrompts();
      // Who wrote on while the list was on its way goes on writing.
      if (area.value !== value) return;
      const text = walk.older(area.value);
      if (text === null) return;
      write(attachments.shown(text), "start");
      changed();
    },
    newer() {
      const text = walk.newer();
      if (text === null) return;
      write(attachments.shown(text));
      changed();
    },
    /**
     * What the page opens with. Letters that were typed before this script ran stand behind it.
     * @param {Draft} draft
     */
    begin({ text, attachments: list, reask: kept }) {
      const early = area.value.startsWith(area.defaultValue) ? area.value.slice(area.defaultValue.length) : "";
      const shown = attachments.shown(text, list);
      write(shown + early);
      put = -1;
      grow();
      if (kept) void resumeReask(kept);
      if (early) renewed();
    },
    /** @param {Draft} draft  shown, but not news to the server */
    show({ text, attachments: list }) {
      const now = attachments.message();
      if (now.text === text && sameFiles(now.attachments, list)) return;
      typed = false;
      area.value = attachments.shown(text, list);
      grow();
      const message = attachments.message();
      drafts.known(draftOf(message));
      onText(message);
    },
    /** @param {import("../files/attachments.js").Message} sent  the server has it; what was typed since stays */
    taken(sent) {
      walk.add(sent.text);
      const back = reask?.before ?? aside;
      const save = reask ? drafts.changed : drafts.sent;
      if (reask) onReask(null);
      reask = null;
      aside = "";
      notice.clear("reask");
      notice.clear("aside");
      const rest = remainder(area.value, sent.shown);
      if (rest) cutTo(rest);
      else write(back);
      attachments.forget(back);
      renewed(save);
    },
    /**
     * Puts an old question into the box; the old pair goes when this is sent (SND-7).
     * @param {string} pair
     * @param {string} stored
     * @param {(import("../types.js").Attachment & {name?: string | null})[]} [files]
     * @param {import("./drafts.js").Selected} [selected]  model and topic as they are before
     */
    reask(pair, stored, files, selected) {
      const text = attachments.shown(stored, files);
      const first = reask?.selected ?? selected;
      reask = { pair, text, stored, before: reask ? reask.before : area.value, ...(first ? { selected: first } : {}) };
      write(text);
      changed();
      onReask(asked());
      sayReask();
    },
    /**
     * Puts the message of a pair into the box, to be sent again in other words (HIS-13).
     * @param {string} pair
     * @param {string} stored
     * @param {(import("../types.js").Attachment & {name?: string | null})[]} [files]
     */
    sendAgain(pair, stored, files) {
      const text = attachments.shown(stored, files);
      reask = { pair, text, stored, before: reask ? reask.before : area.value, again: "out" };
      write(text);
      changed();
      onReask(asked());
      saySendAgain();
    },

    leaveReask,
    /** @param {string | null} pair  the message on its way takes its place; null: none is */
    replaces(pair) { replaced = pair; },
    /**
     * Pairs were deleted. A question whose old pair is among them is a message like any other.
     * @param {readonly string[]} pairs
     */
    gone(pairs) {
      if (!reask || reask.pair === replaced || !pairs.includes(reask.pair)) return;
      aside = reask.before;
      reask = null;
      notice.clear("reask");
      onReask(null);
      tell();
    },
  };
}

/** @typedef {ReturnType<typeof createComposer>} Composer */
