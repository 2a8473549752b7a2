// Drafts, earlier prompts, badges, endings: what happens around a message.
import assert from "node:assert/strict";
import test from "node:test";
import { badgeText } from "../history/badges.js";
import { remainder } from "../composer/composer.js";
import { chooseDraft, readKept, takesForeignDraft } from "../composer/drafts.js";
import { busyWords, waitLabel, wayOut } from "../composer/refusals.js";
import { changedUnderway } from "../composer/inflight.js";
import { afterReply, endNotice } from "../composer/policy.js";
import { isBefore } from "../base/events.js";
import { placeOf } from "../composer/sendevents.js";
import { createWalk } from "../base/walk.js";
import { chance } from "./random.js";

test("UI-12: a draft that could not be handed over wins over the server's", () => {
  assert.deepEqual(chooseDraft("server", null), { text: "server", push: false });
  assert.deepEqual(chooseDraft("server", { text: "old", synced: true }), { text: "server", push: false });
  assert.deepEqual(chooseDraft("server", { text: "typed", synced: false }), { text: "typed", push: true });
  assert.deepEqual(chooseDraft("same", { text: "same", synced: false }), { text: "same", push: false });
  assert.deepEqual(chooseDraft("server", { text: "", synced: false }), { text: "", push: true });
  assert.equal(readKept("{"), null);
  assert.equal(readKept(null), null);
  assert.equal(readKept("[1]"), null);
  assert.deepEqual(readKept('{"text":"a","synced":false}'), { text: "a", synced: false });
});

test("what was typed is never overwritten by another tab while it has the focus or is unsaved", () => {
  const here = { focused: true, typed: true, text: "mine", mine: false, unsaved: false };
  assert.equal(takesForeignDraft(here), false);
  assert.equal(takesForeignDraft({ ...here, text: "" }), true);
  assert.equal(takesForeignDraft({ ...here, typed: false }), true);
  assert.equal(takesForeignDraft({ ...here, focused: false }), true);
  assert.equal(takesForeignDraft({ ...here, focused: false, mine: true }), false);
  assert.equal(takesForeignDraft({ ...here, focused: false, unsaved: true }), false);
  assert.equal(takesForeignDraft({ ...here, typed: false, unsaved: true }), false);
  assert.equal(takesForeignDraft({ ...here, text: "", unsaved: true }), true);
});

test("what is typed while a message is on its way stays in the box", () => {
  assert.equal(remainder("hello", "hello"), "");
  assert.equal(remainder("hello\nand more", "hello"), "and more");
  assert.equal(remainder("something else", "hello"), "something else");
});

test("earlier prompts: up to the oldest, down to what was being written", () => {
  const walk = createWalk(["c", "b", "a"]);
  assert.equal(walk.newer(), null);
  assert.equal(walk.older("draft"), "c");
  assert.equal(walk.walking, true);
  assert.equal(walk.older("c"), "b");
  assert.equal(walk.older("b"), "a");
  assert.equal(walk.older("a"), null);
  assert.equal(walk.newer(), "b");
  assert.equal(walk.newer(), "c");
  assert.equal(walk.newer(), "draft");
  assert.equal(walk.walking, false);
  walk.add("d");
  walk.add("d");
  assert.equal(walk.older(""), "d");
  assert.equal(walk.older("d"), "c");
  walk.stop();
  assert.equal(walk.newer(), null);
  // What stands in the box already is not offered again.
  assert.equal(createWalk(["same", "other"]).older("same"), "other");
});

test("walking back and forth always ends at what was being written", () => {
  const pick = chance(7);
  for (let round = 0; round < 300; round += 1) {
    const items = Array.from({ length: pick(6) }, () => `p${pick(4)}`);
    const walk = createWalk(items);
    let shown = "own";
    for (let i = 0; i < 30; i += 1) {
      const next = pick(2) ? walk.older(shown) : walk.newer();
      if (next !== null) shown = next;
      assert.ok(shown === "own" || items.includes(shown));
      assert.equal(walk.walking, shown !== "own");
    }
    for (let i = 0; i <= items.length && walk.walking; i += 1) shown = walk.newer() ?? shown;
    assert.equal(shown, "own");
  }
});

test("UI-4: badges count up while something works and down while it waits", () => {
  const pair = "p";
  const at = (/** @type {any} */ status, /** @type {number} */ seconds) => badgeText({ pair, text: "", ...status }, 0, seconds * 1000);
  assert.equal(at({ kind: "waiting" }, 0), "…");
  assert.equal(at({ kind: "waiting" }, 1.9), "…");
  assert.equal(at({ kind: "waiting" }, 2), "waiting 2 s");
  assert.equal(at({ kind: "thinking", text: "thinking" }, 4.2), "thinking 4 s");
  assert.equal(at({ kind: "thinking", text: "thinking 0 s" }, 4.2), "thinking 4 s");
  assert.equal(at({ kind: "thinking" }, 0.5), "thinking");
  assert.equal(at({ kind: "loading", text: "loading model" }, 2), "loading model 2 s");
  assert.equal(at({ kind: "trimming", text: "trimming 2 · attempt 3 of 11" }, 9), "trimming 2 · attempt 3 of 11");
  const retry = { kind: "retry", text: "retry in 3 s (rate limit)", until: 3000 };
  assert.equal(at(retry, 0), "retry in 3 s (rate limit)");
  assert.equal(at(retry, 1.1), "retry in 2 s (rate limit)");
  assert.equal(at(retry, 7), "retry in 0 s (rate limit)");
  assert.equal(at({ kind: "quota", text: "12 s until the next minute's tokens", until: 12_000 }, 5), "7 s until the next minute's tokens");
  assert.equal(at({ kind: "retry", until: 2000 }, 0), "retry in 2 s");
  assert.equal(at({ kind: "retry", text: "retry (try again in 1.2s)", until: 2000 }, 0), "retry in 2 s (try again in 1.2s)");
  assert.equal(at({ kind: "thinking", text: "thinking", until: null }, 2), "thinking 2 s");
  assert.equal(at({ kind: "quota", text: "the limit of tokens per minute is used up: 12 s until this fits", until: 12_000 }, 4),
    "the limit of tokens per minute is used up: 8 s until this fits");
  assert.equal(at({ kind: "quota", text: "tokens of the day", until: 600_000 }, 0), "tokens of the day in 10 min");
});

test("UI-4: a wait of hours counts in hours, and a call that runs counts up", () => {
  const at = (/** @type {any} */ status, /** @type {number} */ seconds) => badgeText({ pair: "p", text: "", ...status }, 0, seconds * 1000);
  const day = { kind: "quota", text: "the limit of tokens per day is used up: 24 h until this fits", until: 86_400_000 };
  assert.equal(at(day, 0), "the limit of tokens per day is used up: 24 h until this fits");
  assert.equal(at(day, 82_000), "the limit of tokens per day is used up: 74 min until this fits");
  assert.equal(at(day, 86_390), "the limit of tokens per day is used up: 10 s until this fits");
  assert.equal(at({ kind: "attempt", text: "trying again, 1 of 3" }, 5), "trying again, 1 of 3, 5 s");
});

test("VAL-4: a long wait is told by when it ends", () => {
  const now = new Date(2026, 10, 16, 8, 49, 30);
  assert.equal(waitLabel(11.2, now), "Wait 12 s");
  assert.equal(waitLabel(119, now), "Wait 119 s");
  assert.equal(waitLabel(600, now), "Wait until 08:59");
  assert.equal(waitLabel(86_399, now), "Wait until tomorrow 08:49");
  assert.equal(waitLabel(15 * 3600, now), "Wait until 23:49");
  assert.equal(waitLabel(3 * 86_400, now), "Wait 3 days, until 08:49");
});

test("OVF-5: a view that changes under a send is told, as long as nothing was answered", () => {
  const view = { filter: "r5", topic: "/A", model: "m" };
  const tell = (/** @type {object} */ change, /** @type {any} */ kind = "retry") => changedUnderway({ ...view, ...change }, view, kind);
  assert.equal(tell({ filter: "" }), "The filter has changed; the message in flight goes on with what it had.");
  assert.equal(tell({ model: "n" }, "trimming"), "The model has changed; the message in flight goes on with what it had.");
  assert.match(tell({ filter: "", model: "n" }) ?? "", /^The filter and the model have changed/);
  assert.equal(tell({ filter: "" }, "quota"), "The filter has changed; the waiting message goes with what is visible when its turn comes.");
  assert.equal(tell({ model: "n" }, "quota"), "The model has changed; the waiting message goes to the one that it was sent to.");
  assert.equal(tell({}), null);
  assert.equal(tell({ topic: "/B" }), null);
  assert.equal(tell({ filter: "" }, null), null, "the answer is coming in");
});

test("UI-5: only who waits in an empty box is taken to a reply that does not fit", () => {
  const waits = { mode: /** @type {const} */ ("INPUT"), mine: true, draftEmpty: true, shown: true, replyHeight: 900, paneHeight: 600 };
  assert.equal(afterReply(waits), "read");
  assert.equal(afterReply({ ...waits, replyHeight: 600 }), "stay");
  assert.equal(afterReply({ ...waits, draftEmpty: false }), "stay");
  assert.equal(afterReply({ ...waits, mode: "VIEW" }), "stay");
  assert.equal(afterReply({ ...waits, mode: "COMMAND" }), "stay");
  assert.equal(afterReply({ ...waits, mine: false }), "stay");
  assert.equal(afterReply({ ...waits, shown: false }), "stay");
});

test("UI-6: a send that ends out of sight is told", () => {
  assert.equal(endNotice({ shown: true, visible: true, state: "complete" }), null);
  assert.equal(endNotice({ shown: false, visible: false, state: "complete" }), "The reply is complete; the filter hides it.");
  assert.equal(endNotice({ shown: false, visible: true, state: "error" }), "The send ended in an error; it is further down.");
  assert.equal(endNotice({ shown: false, visible: false, state: "cancelled" }), "The send was cancelled; the filter hides it.");
});

test("VAL-3: every suggestion leads somewhere", () => {
  const of = (/** @type {string} */ kind, more = {}) => wayOut({ kind, label: kind, ...more });
  assert.deepEqual(of("send_anyway"), { send: { overBudget: "trim" } });
  assert.deepEqual(of("set_window", { model: "m", tokens: 9000 }), { limit: "set_window", send: { look: true } });
  assert.deepEqual(of("forget_learned", { model: "m" }), { limit: "forget_learned", send: { look: true } });
  assert.deepEqual(of("trim"), { send: { overBudget: "trim" } });
  assert.deepEqual(of("fit"), { send: { overBudget: "fit" } });
  assert.deepEqual(of("switch_model", { model: "phi-4-mini" }), { view: { model: "phi-4-mini" }, send: { look: true } });
  assert.deepEqual(of("switch_model"), { edit: true });
  assert.deepEqual(wayOut({ kind: "unpin", label: "", pairs: ["a", "b"] }), { unpin: ["a", "b"], send: { look: true } });
  assert.deepEqual(of("clear_history"), { view: { contextFrom: "end" }, send: {} });
  assert.deepEqual(of("detach"), { file: "detach" });
  assert.deepEqual(of("on_demand"), { file: "on-demand" });
  assert.deepEqual(of("shorten"), { edit: true });
  assert.deepEqual(of("something new"), { edit: true });
  assert.match(busyWords(1), /1 character\)/);
});

test("TEA-6: a piece of an answer is added where it fits, and the whole is asked for where it does not", () => {
  const piece = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ end) => ({ from, to, end });
  const shown = { stable: "10", end: "14" };
  assert.equal(placeOf(shown, piece(10, 10, 20)), "add");
  assert.equal(placeOf(shown, piece(10, 14, 14)), "add", "the tail became final");
  assert.equal(placeOf(shown, piece(10, 10, 14)), "nothing", "it is shown already");
  assert.equal(placeOf(shown, piece(0, 10, 12)), "nothing", "an older one");
  assert.equal(placeOf(shown, piece(8, 12, 20)), "ask", "another node rendered other parts");
  assert.equal(placeOf(shown, piece(12, 16, 20)), "ask", "something is missing");
  assert.equal(placeOf(shown, piece(0, 16, 20)), "instead");
  assert.equal(placeOf({}, piece(0, 0, 5)), "instead");
  assert.equal(placeOf({}, piece(5, 6, 9)), "ask");
});

test("TEA-6: states of one node are compared by its log, those of two by what changed", () => {
  assert.equal(isBefore("7.0.aa-5", "7.0.aa-6"), true);
  assert.equal(isBefore("7.0.aa-6", "7.0.aa-6"), false);
  assert.equal(isBefore("9.0.aa-5", "8.0.bb-900"), false);
  assert.equal(isBefore("7.0.aa-950", "8.0.bb-900"), true);
  assert.equal(isBefore("8.0.0-0.7-12", "8.0.aa-3"), false);
  assert.equal(isBefore("7.0.aa-1", ""), false);
});
