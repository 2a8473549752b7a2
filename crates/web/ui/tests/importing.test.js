// The words of an import.

import assert from "node:assert/strict";
import test from "node:test";

import { problemWords, progressOf } from "../conversations/importing.js";

test("HIS-8: the bar of an import only grows, from stage to stage", () => {
  const stages = /** @type {const} */ (["receiving", "checking", "writing"]);
  const seen = stages.flatMap((stage) => [0, 50, 100].map((done) => progressOf({ stage, done, total: 100 }, "chats.zip").percent));
  assert.deepEqual(seen, [0, 10, 20, 20, 35, 50, 50, 75, 100]);
  assert.equal(progressOf({ stage: "checking", done: 0, total: 0 }, "").words, "Looking through the file · 20 %");
  assert.equal(progressOf({ stage: "writing", done: 1, total: 2 }, "chats.zip").words, "Taking in chats.zip · 75 %");
});

test("HIS-8: a file that is bad says where and what to do, in one line", () => {
  assert.equal(problemWords({ detail: "line 2: no", hint: "mend the file" }), "Line 2: no. Mend the file.");
  assert.equal(problemWords({ detail: "no" }), "No.");
});
