// Files in the history: pictures and chips that the server drew, and what a click on them does.

import { infoOf, nextDelivery } from "./attachments.js";
import { DELIVERY_WORDS } from "./strip.js";

/** @typedef {import("../types.js").Delivery} Delivery */

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("./preview.js").PreviewDialog} deps.preview
 */
export function createFileChips({ api, preview }) {
  return {
    /**
     * @param {HTMLElement} from  the button
     */
    async open(from) {
      const holder = from.closest("[data-file]");
      const id = holder?.getAttribute("data-file");
      const delivery = /** @type {Delivery | null} */ (holder?.getAttribute("data-delivery") ?? null);
      if (id) await preview.open(id, { delivery });
    },
    /**
     * The next way in which it goes along from now on, shown at once and kept although the page
     * may be left at once; the boundary follows (BND-4).
     * @param {string} pair
     * @param {HTMLElement} from
     */
    async deliver(pair, from) {
      const chip = from.closest("[data-place]");
      if (!(chip instanceof HTMLElement)) return;
      const before = /** @type {Delivery} */ (chip.dataset["delivery"] ?? "inline");
      const ways = /** @type {Delivery[]} */ ((chip.dataset["deliveries"] ?? "").split(" ").filter(Boolean));
      const next = nextDelivery(ways, before);
      chip.dataset["delivery"] = next;
      from.textContent = DELIVERY_WORDS[next];
      try {
        await api.call("PUT", `/api/pairs/${encodeURIComponent(pair)}/attachments/${chip.dataset["place"] ?? "0"}`, { delivery: next }, { keepalive: true });
      } catch (error) {
        chip.dataset["delivery"] = before;
        from.textContent = DELIVERY_WORDS[before] ?? before;
        throw error;
      }
    },
    /**
     * A file of the message that is being written.
     * @param {import("./attachments.js").Held} mark
     */
    async openMark(mark) {
      const info = infoOf(mark);
      const id = mark.fileId ?? info.fileId;
      if (id) await preview.open(id, { delivery: info.delivery, tokens: info.tokens });
    },
    /**
     * What the files of a pair are called, by their place, as the page shows them.
     * @param {HTMLElement} article
     */
    namesIn(article) {
      /** @type {(string | null)[]} */
      const names = [];
      for (const node of article.querySelectorAll(".u [data-place]")) {
        names[Number(node.getAttribute("data-place"))] = node.querySelector(".chip-name")?.textContent ?? node.querySelector("img")?.alt ?? null;
      }
      return names;
    },
  };
}

/** @typedef {ReturnType<typeof createFileChips>} FileChips */
