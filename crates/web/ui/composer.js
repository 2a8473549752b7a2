// The message that is being written.

import { createWalk } from "./walk.js";

/**
 * What stays in the box after `sent` was taken: nothing, or what was typed meanwhile. Pure.
 * @param {string} now
 * @param {string} sent
 */
export function remainder(now, sent) {
  if (now === sent) return "";
  return now.startsWith(sent) ? now.slice(sent.length).replace(/^\s+/, "") : now;
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {import("./api.js").Api} deps.api
 * @param {import("./drafts.js").Drafts} deps.drafts
 * @param {import("./notice.js").Notice} deps.notice
 * @param {(text: string) => void} deps.onText
 */
export function createComposer({ area, api, drafts, notice, onText }) {
  const walk = createWalk();
  let loaded = false;
  /** Where the walk put the caret; elsewhere, arrows move inside the text. */
  let put = -1;
  /** Somebody wrote in this tab since its text last came from elsewhere. */
  let typed = false;
  /** @type {{pair: string, text: string, before: string} | null} */
  let reask = null;
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
    typed = true;
    grow();
    notice.clear("held");
    drafts.changed(area.value);
    onText(area.value);
  }

  /**
   * @param {string} text
   * @param {"start" | "end"} [caret]
   */
  function write(text, caret = "end") {
    area.value = text;
    put = caret === "start" ? 0 : text.length;
    area.setSelectionRange(put, put);
    area.scrollTop = caret === "start" ? 0 : area.scrollHeight;
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
    const { before, text } = reask;
    reask = null;
    notice.clear("reask");
    // What was made of the old question meanwhile is the writer's; only the copy goes.
    if (area.value !== text) return;
    write(before);
    changed();
  }

  return {
    area,
    text: () => area.value,
    get typed() { return typed; },
    get reasks() { return reask?.pair ?? null; },
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
      await loadPrompts();
      const text = walk.older(area.value);
      if (text === null) return;
      write(text, "start");
      changed();
    },
    newer() {
      const text = walk.newer();
      if (text === null) return;
      write(text);
      changed();
    },
    /** @param {string} text  what the page opens with */
    begin(text) {
      write(text);
      put = -1;
      grow();
    },
    /** @param {string} text  shown, but not news to the server */
    show(text) {
      if (area.value === text) return;
      typed = false;
      area.value = text;
      grow();
      drafts.known(text);
      onText(text);
    },
    /** @param {string} sent  the server has it; what was typed since stays */
    taken(sent) {
      walk.add(sent);
      const back = reask?.before ?? "";
      reask = null;
      notice.clear("reask");
      write(remainder(area.value, sent) || back);
      changed();
    },
    /**
     * Puts an old question into the box; the old pair goes when this is sent (SND-7).
     * @param {string} pair
     * @param {string} text
     */
    reask(pair, text) {
      reask = { pair, text, before: reask ? reask.before : area.value };
      write(text);
      changed();
      notice.say("reask", { text: "Asking again: the old pair is replaced when you send.", label: "Leave it", act: leaveReask });
    },
    leaveReask,
  };
}

/** @typedef {ReturnType<typeof createComposer>} Composer */
