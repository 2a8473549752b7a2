// What a send will cost, as its button says it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { costTitle, costWith, dollars, dollarsAtMost, sumOfCosts } from "../composer/cost.js";
import { withDraft } from "../composer/gauge.js";
import { emptyState } from "../base/state.js";

const shared = JSON.parse(readFileSync(new URL("./shared.json", import.meta.url), "utf8"));
const COST = { most: 0.13, text: "≤ $0.13", tokens: "54K", cached: 0.07, inputPrice: 2.5 };

test("UI-18 page and server write prices alike, and never too low", () => {
  for (const [cost, text] of shared.atMost) assert.equal(dollarsAtMost(cost), text, String(cost));
  assert.deepEqual([dollars(0.0021), dollars(12.345)], ["$0.0021", "$12.35"]);
});

test("UI-18 the price follows the draft until the server has weighed it", () => {
  assert.equal(costWith(COST, 0), COST);
  assert.equal(costWith(COST, 10_000)?.text, "≤ $0.16");
  assert.equal(costWith(COST, 10_000)?.cached, undefined, "of that nothing is known yet");
  assert.equal(costWith(COST, -1_000_000)?.most, 0);
  assert.equal(costWith(undefined, 5), undefined);
  assert.equal(costWith({ most: 0, text: "free", tokens: "1K", inputPrice: 0 }, 900)?.text, "free");
  const window = { ...emptyState().window, ml: 128_000, prelude: 1000, history: 50_000, aut: 0, total: 51_000, cost: COST };
  assert.equal(withDraft(window, 10_000, 80).cost?.text, "≤ $0.16");
});

test("UI-18 the tooltip says what is counted, and the price with a cache", () => {
  assert.equal(costTitle(COST), "Send (Enter). The prompt costs at most $0.13; about $0.0700 if the beginning of the last send is still cached. The answer is not counted.");
  assert.equal(costTitle(undefined), "Send (Enter)");
});

test("UI-18 a sum is known only where every price is", () => {
  assert.deepEqual(sumOfCosts([COST, { ...COST, most: 0.2 }]), { most: 0.33, text: "≤ $0.33" });
  assert.equal(sumOfCosts([COST, undefined]), undefined);
  assert.equal(sumOfCosts([]), undefined);
});
