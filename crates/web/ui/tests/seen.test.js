import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { blocksOf, digest, hash, sameMarks } from "../composer/seen.js";

// The same cases are read by crates/web/src/api/seen.rs: both sides make the same digests.
/** @type {any[]} */
const cases = JSON.parse(readFileSync(new URL("./seen.json", import.meta.url), "utf8"));
const BLOCK = 10;

test("PAY-6: page and server make the same digest", () => {
  for (const { model, conversation, instructions, y, pairs, files, question, digest: wanted } of cases) {
    const rows = Array.from({ length: y }, (_, at) => {
      const sent = pairs.find((/** @type {any} */ pair) => pair.at === at);
      return sent ? { ...sent, revision: String(sent.revision), sent: true } : { at, id: "none", revision: "1", sent: false };
    });
    const blocks = blocksOf(rows, { from: 0, to: y, y }, { block: BLOCK, blocks: [] });
    assert.equal(digest({ model, conversation, instructions: instructions.map(hash), blocks, files, question }), wanted);
  }
});

test("PAY-6: the page's own marks count where it holds a block, the server's word elsewhere", () => {
  const row = (/** @type {number} */ at, sent = true) => ({ at, id: `p${at}`, revision: "1", sent });
  /** @type {[number, string][]} */
  const told = [[0, "aaaa"], [1, "bbbb"], [2, "cccc"]];
  const whole = Array.from({ length: BLOCK }, (_, i) => row(10 + i));
  const [first, second, third] = blocksOf([row(3), ...whole, row(20), row(21)], { from: 3, to: 22, y: 22 }, { block: BLOCK, blocks: told });
  assert.deepEqual(first, [0, "aaaa"], "a block that is held in part is not the page's to tell");
  assert.notEqual(second?.[1], "bbbb");
  assert.notEqual(third?.[1], "cccc", "the last block is whole with fewer rows");
  // What the page marks as left out is left out of its digest, whatever the server said.
  const none = blocksOf(whole.map((one) => ({ ...one, sent: false })), { from: 10, to: 20, y: 22 }, { block: BLOCK, blocks: told });
  assert.deepEqual(none.map(([number]) => number), [0, 2]);
  // A page that knows of three pairs shows nothing of a block behind them.
  const few = blocksOf([row(0, false), row(1, false), row(2, false)], { from: 0, to: 3, y: 3 }, { block: BLOCK, blocks: told });
  assert.deepEqual(few, []);
  // A row that went away leaves a gap; what is marked beside it is still on screen.
  const gap = blocksOf([row(0), row(2, false)], { from: 0, to: 3, y: 3 }, { block: BLOCK, blocks: [] });
  assert.equal(gap.length, 1);
  // Nor is a mark forgotten in a block that is loaded in part and of which the server says nothing.
  const part = blocksOf([row(8), row(9)], { from: 8, to: 20, y: 30 }, { block: BLOCK, blocks: [] });
  assert.equal(part.length, 1);
});

test("PAY-6: rows that were drawn otherwise when the key was pressed are other rows", () => {
  const row = (/** @type {number} */ at, revision = "1") => ({ at, id: `p${at}`, revision, sent: true });
  const before = { from: 13, to: 20, y: 20, sent: [row(14), row(15), row(19)] };
  assert.ok(sameMarks(before, before));
  assert.ok(!sameMarks(before, { ...before, sent: [row(14), row(19)] }), "one is left out now");
  assert.ok(!sameMarks(before, { ...before, sent: [row(14), row(15, "2"), row(19)] }), "one was edited");
  assert.ok(!sameMarks(before, { from: 13, to: 21, y: 21, sent: [...before.sent, row(20)] }), "one came");
  // Scrolling loads rows and lets rows go; that changes nothing.
  assert.ok(sameMarks(before, { from: 3, to: 20, y: 20, sent: [row(5), ...before.sent] }));
  assert.ok(sameMarks(before, { from: 15, to: 20, y: 20, sent: [row(15), row(19)] }));
  assert.ok(sameMarks({ from: 3, to: 17, y: 20, sent: [row(14), row(15)] }, before));
});
