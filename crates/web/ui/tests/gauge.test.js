// The gauge, the counter and the draft's weight.
import assert from "node:assert/strict";
import test from "node:test";
import { breakdown, counterParts } from "../composer/counter.js";
import { gaugeWords, levelOf, loadNote, segmentsOf, withDraft } from "../composer/gauge.js";
import { emptyState } from "../base/state.js";
import { guess } from "../composer/weigh.js";
import { chance } from "./random.js";

const MOCK = {
  ...emptyState().window,
  ml: 4096, prelude: 164, history: 2212, aut: 941, files: 890, reserve: 512, total: 3317, percent: 81, free: 267,
  verdict: /** @type {const} */ ("warn"), ura: 100,
};

test("the segments are those of the look: instructions, history, files, draft, reply, free", () => {
  const { segments, ticks, level } = segmentsOf(MOCK, 80);
  assert.deepEqual(segments.map(({ key, tokens }) => [key, tokens]), [
    ["prelude", 164], ["history", 2212], ["files", 890], ["draft", 51], ["reserve", 512], ["free", 267],
  ]);
  assert.deepEqual(ticks, [{ at: 80, x: 80 }, { at: 100, x: 100 }]);
  assert.equal(level, "warn");
  assert.equal(gaugeWords(MOCK), "Window: instructions 164, history 2,212, files 890, draft 51, reply reserve 512, free 267 of 4,096 tokens");
});

test("the bar is always exactly full, whatever is in it", () => {
  const pick = chance(6);
  for (let i = 0; i < 3000; i += 1) {
    const part = { prelude: pick(3000), history: pick(9000), aut: pick(6000), files: pick(7000), reserve: pick(2000) };
    const total = part.prelude + part.history + part.aut;
    const window = { ...MOCK, ...part, ml: pick(8192), total };
    const { segments, ticks } = segmentsOf(window, 80);
    let x = 0;
    for (const segment of segments) {
      assert.ok(segment.w >= 0 && segment.tokens >= 0, JSON.stringify(window));
      assert.ok(Math.abs(segment.x - x) < 1e-6);
      x += segment.w;
    }
    assert.ok(Math.abs(x - 100) < 1e-6, `${x}`);
    for (const tick of ticks) assert.ok(tick.x >= 0 && tick.x <= 100 + 1e-9);
    if (total > window.ml && window.ml > 0) assert.ok((ticks[1]?.x ?? 100) < 100, "over the line, the line is inside");
  }
});

test("the words say by how much it is too much", () => {
  assert.match(gaugeWords({ ...MOCK, total: 5204 }), /1,108 tokens more than the 4,096 of the window$/);
});

test("VAL-2: a draft moves the verdict at once: 80 % warns, 100 % holds", () => {
  const base = { ...MOCK, ml: 1000, prelude: 100, history: 500, files: 0 };
  assert.equal(withDraft({ ...base, ml: 0 }, 200, 80).verdict, "ok", "nobody told the window yet");
  assert.equal(withDraft(base, 200, 80).verdict, "ok");
  assert.equal(withDraft(base, 201, 80).verdict, "warn");
  assert.equal(withDraft(base, 400, 80).verdict, "warn");
  assert.equal(withDraft(base, 401, 80).verdict, "over");
  assert.equal(withDraft(base, 901, 80).verdict, "over", "whether it is refused is the server's to say");
  assert.equal(withDraft(base, 200, 80).percent, 80);
  assert.equal(withDraft(base, 200, 80).exact, false);
});

test("VAL-2: above 80 % something is said before the send, and amber is for the message, not for the history", () => {
  const base = { ...MOCK, ml: 1000, prelude: 0, history: 850, files: 0, ura: 100 };
  const note = (/** @type {number} */ aut) => loadNote(withDraft(base, aut, 80), 80);
  assert.equal(note(0), null, "nothing to send, nothing to warn of");
  assert.equal(note(40)?.level, "info");
  assert.match(note(40)?.text ?? "", /as planned. This message fits/);
  assert.equal(note(120)?.level, "warn");
  assert.equal(note(200)?.level, "error");
  assert.equal(levelOf(withDraft(base, 40, 80)), "ok");
  assert.equal(levelOf(withDraft(base, 120, 80)), "warn");
  assert.equal(loadNote(withDraft({ ...base, history: 0 }, 90, 80), 80), null);
  assert.equal(loadNote(withDraft({ ...base, history: 0, prelude: 800 }, 90, 80), 80)?.level, "warn", "no history fills it");
});

test("EST-1 at once, then moved by what was typed since the server spoke", () => {
  assert.equal(guess("", null), 0);
  assert.equal(guess("", { tokens: 9, rough: 3 }), 0);
  assert.equal(guess("hello", null), 2);
  assert.equal(guess("x".repeat(35), null), 10);
  assert.equal(guess("x".repeat(36), null), 11);
  assert.equal(guess("😀".repeat(7), null), 2);
  assert.equal(guess("x".repeat(42), { tokens: 14, rough: 10 }), 16);
  assert.equal(guess("x", { tokens: 14, rough: 30 }), 1);
});

test("REC-3: X / Y, and [X-T]/Y after a trim", () => {
  const counter = { ...emptyState().counter, x: 12, y: 34 };
  assert.deepEqual(counterParts(counter), ["12", " / 34"]);
  assert.deepEqual(counterParts({ ...counter, t: 1 }), ["[12-1]", "/34"]);
  const rows = new Map(breakdown({ ...emptyState(), counter: { ...counter, t: 1 }, window: { ...MOCK, estimator: "fast", bindText: "window" } }));
  assert.equal(rows.get("sent (X − T)"), "11");
  assert.equal(rows.get("message (AUT)"), "~941 tokens");
});
