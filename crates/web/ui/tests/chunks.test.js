// UI-8: the arithmetic of the windowed history.
import assert from "node:assert/strict";
import test from "node:test";
import { CHUNK, Heights, MAX_CHUNKS, MAX_PX, again, around, nextStep, rangeAbove, rangeBelow, surplus } from "../history/chunks.js";
import { isAway } from "../history/newest.js";
import { chance } from "./random.js";

/** @param {{from: number, to: number}} range */
function withinOneBlock({ from, to }) {
  assert.ok(from < to, `${from} < ${to}`);
  assert.equal(Math.floor(from / CHUNK), Math.floor((to - 1) / CHUNK));
}

test("chunks above and below continue without a gap, within one block each", () => {
  const pick = chance(1);
  for (let i = 0; i < 2000; i += 1) {
    const y = pick(5000);
    const at = pick(y + 1);
    const above = rangeAbove(at);
    if (at === 0) assert.equal(above, null);
    else {
      assert.ok(above);
      withinOneBlock(above);
      assert.equal(above.to, at);
    }
    const below = rangeBelow(at, y);
    if (at === y) assert.equal(below, null);
    else {
      assert.ok(below);
      withinOneBlock(below);
      assert.equal(below.from, at);
      assert.ok(below.to <= y);
    }
  }
});

test("walking up from anywhere reaches the oldest pair, block by block", () => {
  for (let from = 137, steps = 0; from > 0; steps += 1) {
    const range = rangeAbove(from);
    assert.ok(range && range.to === from);
    from = range.from;
    assert.ok(steps < 137 / CHUNK + 1);
  }
});

test("a jump shows its position, without gaps, wherever it goes", () => {
  const pick = chance(2);
  for (let i = 0; i < 2000; i += 1) {
    const y = 1 + pick(200_000);
    const at = pick(y + 50) - 25;
    const ranges = around(at, y);
    const goal = Math.min(Math.max(at, 0), y - 1);
    assert.ok(ranges.length >= 1 && ranges.length <= 2);
    assert.ok(ranges.some(({ from, to }) => from <= goal && goal < to), `${goal} in ${JSON.stringify(ranges)}`);
    ranges.forEach(withinOneBlock);
    for (let k = 1; k < ranges.length; k += 1) assert.equal(ranges[k]?.from, ranges[k - 1]?.to);
    assert.ok((ranges.at(-1)?.to ?? 0) <= y);
  }
  assert.deepEqual(around(0, 0), []);
});

test("after rows went, the same places are asked for as far as they exist", () => {
  const pick = chance(3);
  for (let i = 0; i < 1000; i += 1) {
    const from = pick(300) * CHUNK;
    const ranges = [{ from, to: from + CHUNK }, { from: from + CHUNK, to: from + 2 * CHUNK }];
    const y = pick(4000);
    const fresh = again(ranges, y);
    if (y === 0) {
      assert.deepEqual(fresh, []);
      continue;
    }
    assert.ok(fresh.length > 0 && fresh.length <= MAX_CHUNKS);
    fresh.forEach(withinOneBlock);
    for (let k = 1; k < fresh.length; k += 1) assert.equal(fresh[k]?.from, fresh[k - 1]?.to);
    assert.ok((fresh.at(-1)?.to ?? 0) <= y);
    if (from < y) assert.equal(fresh[0]?.from, from);
  }
  assert.deepEqual(again([], 25), around(24, 25));
  // Before the first pair there is a chunk without any; the first one must not end as nothing.
  assert.deepEqual(again([{ from: 0, to: 0 }], 1), around(0, 1));
});

test("the next step: nothing when provided, the near side when not, a jump when far off", () => {
  const chunks = [{ from: 100, to: 110, height: 2000 }, { from: 110, to: 120, height: 2000 }];
  const here = { chunks, y: 1000, margin: 900 };
  assert.equal(nextStep({ ...here, top: 1500, bottom: 2200 }), null);
  assert.deepEqual(nextStep({ ...here, top: 100, bottom: 800 }), { kind: "above", range: { from: 90, to: 100 } });
  assert.deepEqual(nextStep({ ...here, top: 3000, bottom: 3700 }), { kind: "below", range: { from: 120, to: 130 } });
  assert.deepEqual(nextStep({ ...here, top: -5000, bottom: -4300 }), { kind: "jump" });
  assert.deepEqual(nextStep({ ...here, top: 90_000, bottom: 90_700 }), { kind: "jump" });
  assert.equal(nextStep({ chunks: [], y: 0, top: 0, bottom: 700, margin: 900 }), null);
  assert.deepEqual(nextStep({ chunks: [], y: 3, top: 0, bottom: 700, margin: 900 }), { kind: "jump" });
});

test("at either end of the history there is nothing more to ask for", () => {
  const chunks = [{ from: 0, to: 7, height: 500 }];
  assert.equal(nextStep({ chunks, y: 7, top: -200, bottom: 900, margin: 900 }), null);
});

test("what is taken out is far away, never in view, and leaves at most the allowed number", () => {
  const pick = chance(4);
  for (let i = 0; i < 2000; i += 1) {
    const chunks = Array.from({ length: 1 + pick(40) }, (_, k) => ({ from: k * CHUNK, to: (k + 1) * CHUNK, height: 50 + pick(3000) }));
    const total = chunks.reduce((sum, { height }) => sum + height, 0);
    const top = pick(total + 2000) - 1000;
    const bottom = top + 700;
    const gone = surplus({ chunks, top, bottom });
    assert.ok(gone.above + gone.below <= chunks.length);
    let edge = 0;
    const kept = chunks.filter((chunk, k) => {
      const from = edge;
      edge += chunk.height;
      const stays = k >= gone.above && k < chunks.length - gone.below;
      if (!stays) assert.ok(edge <= top || from >= bottom, "a chunk in view was taken out");
      return stays;
    });
    // No pane of this height holds more chunks than may stay.
    assert.equal(kept.length, Math.min(chunks.length, MAX_CHUNKS));
  }
});

test("estimates add up, and use what was measured", () => {
  const heights = new Heights();
  heights.note({ from: 20, to: 30 }, 1000);
  assert.equal(heights.mean, 100);
  assert.equal(heights.estimate(20, 30), 1000);
  assert.equal(heights.estimate(0, 50), 5000);
  heights.note({ from: 30, to: 40 }, 3000);
  assert.equal(heights.estimate(30, 35), 1500);
  // The same chunk again replaces what it was.
  heights.note({ from: 20, to: 30 }, 2000);
  assert.equal(heights.estimate(20, 30), 2000);
  assert.equal(heights.mean, 250);
  const mean = heights.mean;
  heights.forget();
  assert.equal(heights.mean, mean);
  assert.equal(heights.estimate(20, 30), mean * 10);
});

test("estimates are additive for any cut, and the place of a height is its inverse", () => {
  const pick = chance(5);
  for (let round = 0; round < 60; round += 1) {
    const heights = new Heights();
    const y = 1 + pick(round % 3 === 0 ? 100_000 : 3000);
    for (let k = 0; k < 30; k += 1) {
      const from = pick(Math.ceil(y / CHUNK)) * CHUNK;
      heights.note({ from, to: Math.min(y, from + CHUNK) }, 100 + pick(5000));
    }
    const cut = pick(y + 1);
    const all = heights.estimate(0, y);
    assert.ok(Math.abs(heights.estimate(0, cut) + heights.estimate(cut, y) - all) < 1e-3 * Math.max(1, all));
    const scale = heights.scale(y);
    assert.ok(scale > 0 && scale <= 1 && all * scale <= MAX_PX * 1.000001);
    for (let k = 0; k < 10; k += 1) {
      const at = pick(y);
      const middle = ((heights.estimate(0, at) + heights.estimate(0, at + 1)) / 2) * scale;
      assert.equal(heights.locate(middle, y), at);
    }
    assert.equal(heights.locate(-100, y), 0);
    assert.equal(heights.locate(1e12, y), y - 1);
  }
});

test("spacers and rendered chunks stand for all pairs, also for 100,000 (UI-8)", () => {
  const heights = new Heights();
  heights.note({ from: 99_990, to: 100_000 }, 4000);
  const { above, below } = heights.spacers({ from: 50_000, to: 50_010 }, 100_000);
  assert.ok(above + below <= MAX_PX && above > 0 && Math.abs(above - below) < MAX_PX / 1000);
  assert.deepEqual(heights.spacers({ from: 0, to: 100_000 }, 100_000), { above: 0, below: 0 });
});

test("UI-25: the way to the newest message shows where that is out of sight", () => {
  const pane = { ends: true, scrollHeight: 2000, scrollTop: 1400, clientHeight: 600 };
  assert.equal(isAway(pane), false);
  assert.equal(isAway({ ...pane, scrollTop: 1000 }), true);
  assert.equal(isAway({ ...pane, ends: false }), true);
});
