import assert from "node:assert/strict";
import test from "node:test";

import { PAGE, createPages } from "../conversations/pages.js";

/** @typedef {import("../conversations/list.js").Conversation} Conversation */

/**
 * @param {number} n
 * @param {string} [title]
 * @returns {Conversation}
 */
const one = (n, title = `Conversation ${n}`) => ({ id: String(n), title, named: false, pairs: 1, updatedAt: "", tokens: 1 });
const ids = (/** @type {readonly Conversation[]} */ some) => some.map(({ id }) => Number(id));
const upTo = (/** @type {number} */ count) => Array.from({ length: count }, (_, n) => n);

/**
 * A server with these conversations, which notes what it was asked.
 * @param {Conversation[]} all
 */
function server(all) {
  /** @type {string[]} */
  const asked = [];
  const fetchPage = async (/** @type {string} */ query) => {
    asked.push(query);
    const said = new URLSearchParams(query);
    const found = all.filter(({ title }) => title.includes(said.get("find") ?? ""));
    const from = Number(said.get("before") ?? 0);
    const to = from + Number(said.get("limit"));
    const rest = to < found.length ? { next: String(to) } : {};
    return { conversations: found.slice(from, to), total: found.length, ...rest };
  };
  return { all, asked, fetchPage };
}

test("UI-15: the list is fetched page by page, each conversation once", async () => {
  const from = server(upTo(250).map((n) => one(n)));
  const pages = createPages(from.fetchPage);
  assert.equal(await pages.reload(PAGE), true);
  assert.deepEqual([pages.all().length, pages.total(), pages.ended()], [PAGE, 250, false]);
  // One that comes in front moves the others down: the last of the first page comes again.
  from.all.unshift(one(999));
  assert.deepEqual(ids(await pages.more()), upTo(99).map((n) => n + 100));
  // Two at a time are one, and after the last there is nothing.
  const [some, none] = await Promise.all([pages.more(), pages.more()]);
  assert.deepEqual([some.length, none.length, pages.ended()], [51, 0, true]);
  assert.deepEqual(await pages.more(), []);
  assert.deepEqual(ids(pages.all()), upTo(250));
});

test("UI-15: what is shown is fetched anew, within what the server gives at once", async () => {
  const from = server(upTo(2000).map((n) => one(n)));
  const pages = createPages(from.fetchPage);
  await pages.reload(1150);
  assert.deepEqual(from.asked, ["limit=500", "limit=500&before=500", "limit=150&before=1000"]);
  assert.deepEqual([pages.all().length, pages.ended()], [1150, false]);
  from.all.splice(3);
  await pages.reload(1150);
  assert.deepEqual([ids(pages.all()), pages.total(), pages.ended()], [[0, 1, 2], 3, true]);
});

test("UI-15: the newest question has the answer, in whatever order answers come", async () => {
  const from = server([one(1, "ship"), one(2, "shipwreck"), one(3, "train")]);
  /** @type {(() => void)[]} */
  const waiting = [];
  const pages = createPages(async (query) => {
    const answer = await from.fetchPage(query);
    await new Promise((go) => waiting.push(() => go(null)));
    return answer;
  });
  const [slow, fast] = [pages.search("ship"), pages.search("shipw")];
  await new Promise((go) => setTimeout(go));
  waiting[1]?.();
  assert.equal(await fast, true);
  waiting[0]?.();
  assert.equal(await slow, false);
  assert.deepEqual([ids(pages.all()), pages.find(), pages.total()], [[2], "shipw", 1]);
  // A page of the list before is none of the list after it.
  const late = pages.search("");
  assert.deepEqual(await pages.more(), []);
  await new Promise((go) => setTimeout(go));
  waiting[2]?.();
  assert.equal(await late, true);
});

test("UI-15: what cannot be fetched leaves what is there", async () => {
  const from = server(upTo(150).map((n) => one(n)));
  let broken = false;
  const pages = createPages((query) => (broken ? Promise.reject(new Error("gone")) : from.fetchPage(query)));
  await pages.reload(PAGE);
  broken = true;
  await assert.rejects(pages.more(), /gone/);
  await assert.rejects(pages.reload(PAGE), /gone/);
  assert.equal(pages.all().length, PAGE);
  // Nobody hears that a question failed which is no longer asked.
  const old = pages.reload(PAGE);
  broken = false;
  assert.deepEqual(await Promise.all([old, pages.reload(PAGE)]), [false, true]);
  assert.equal((await pages.more()).length, 50);
});
