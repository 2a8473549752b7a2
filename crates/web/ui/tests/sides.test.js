import assert from "node:assert/strict";
import test from "node:test";
import { sidesOf } from "../history/sides.js";

test("HIS-12: answers to one message stand side by side, others do not", () => {
  assert.deepEqual(sidesOf([]), []);
  assert.deepEqual(sidesOf([null, null]), [null, null]);
  assert.deepEqual(sidesOf([null, "a", "a", null]), [null, "1/2", "2/2", null]);
  assert.deepEqual(sidesOf(["a", "a", "a", "b", "b"]), ["1/3", "2/3", "3/3", "1/2", "2/2"]);
  // One whose neighbour was deleted, or is beyond the line, stands alone.
  assert.deepEqual(sidesOf(["a", null, "a"]), [null, null, null]);
});
