// The command box, lists, forms and panels.
import assert from "node:assert/strict";
import test from "node:test";
import { deletionWords, nextStar, pairText } from "../history/actions.js";
import { problemBody } from "../base/api.js";
import { addressOf, scoped } from "../base/place.js";
import { ageOf, compact, headingOf } from "../conversations/list.js";
import { ashore } from "../history/boundary.js";
import { changes } from "../history/edit.js";
import { backoff } from "../base/events.js";
import { caretParts, commandAt, completed, filterOfWords, readsAsWords } from "../filter/text.js";
import { offersOf, takesBest } from "../filter/completion.js";
import { hitsTitle } from "../filter/hits.js";
import { bodyOf, requestOf } from "../base/forms.js";
import { noBoundary } from "../history/jumps.js";
import { nextChoice } from "../base/list.js";
import { paintParts } from "../filter/paint.js";
import { bounded, narrowed, roomFor } from "../base/popup.js";
import { topicOptions, topicPath } from "../composer/selectors.js";
import { exactRequestOf } from "../composer/exactrequest.js";
import { lackOf, largerModels, modelOptions } from "../models/options.js";
import { clampWidth } from "../base/sizer.js";
import { emptyState, stateOf } from "../base/state.js";
import { counted, grouped, opening, scalars, sentence, topicLabel } from "../base/text.js";
import { nextTheme, themeOf } from "../base/theme.js";
import { chance } from "./random.js";

test("FLT-5: a command begins at the first colon outside quotes", () => {
  for (const [text, at] of /** @type {[string, number][]} */ ([
    ["", -1], ["s>=1", -1], ["s>=1 :star 2", 5], [":help", 0], ["t'a:b' :flag b", 7], ['c"x:\\":y" :save n', 10],
    ["c'it\\'s: here'", -1], ["t'open :delete", -1], ["d<7d:export", 4],
  ])) assert.equal(commandAt(text), at, text);
});

test("HIS-7: plain words are offered as a search, filters are not", () => {
  for (const text of ["flame graph", "tokio", "what is pinning", "Größe", "漢字 test", "t rust", "rust"]) assert.ok(readsAsWords(text), text);
  for (const text of ["", "   ", "t", "t...", "t5", "s3", "s>=2", "r10", "b", "g", "m", "e", "i a", "o", "o3", "d<7d", "d2025-09-01",
    "k>500", "@work", "t'Rust'", "c'text'", "!e", "(e)", "e | a", "s>=1 :star", "9", "x"]) assert.ok(!readsAsWords(text), text);
});

test("UI-20: an empty box offers filters used last, saved ones and examples", () => {
  const saved = [{ name: "work", text: "t'Work'" }];
  const offers = offersOf({ recent: ["r1", "s3 :star 2", "r1", "d<7d"], saved, everything: true });
  assert.deepEqual(offers.slice(0, 4).map(({ group, label, filter }) => `${group} ${label} ${filter}`), [
    "Recent r1 r1", "Recent d<7d d<7d", "Saved @work @work", "Examples this conversation t",
  ]);
  assert.ok(!offersOf({ recent: [], saved, everything: false }).some(({ filter }) => filter === "t"));
});

test("UI-20: the best completion waits for Enter where the text cannot stand as it is", () => {
  const items = [{ insert: "Rust'", label: "/Rust" }];
  assert.ok(takesBest("t'Ru", { from: 2, to: 4, items }));
  assert.ok(!takesBest("s", { from: 0, to: 1, items: [{ insert: "s3", label: "" }] }));
  assert.ok(!takesBest("@work", { from: 1, to: 5, items: [{ insert: "work", label: "" }] }));
  assert.ok(!takesBest("c'x", { from: 2, to: 3, items: [] }));
  assert.ok(!takesBest("c'*ship*'", { from: 9, to: 9, items: [{ insert: "t", label: "" }] }), "a quote that is closed is finished");
});

test("UI-20: words become a filter for pairs that hold each of them", () => {
  assert.equal(filterOfWords(" flame graph "), "c'flame' c'graph'");
  assert.equal(filterOfWords("it's 2*3"), "c'it\\'s' c'2\\*3'");
  assert.equal(filterOfWords("a ".repeat(40)), `c'${"a ".repeat(40).trim()}'`);
  assert.equal(hitsTitle("ship", 1), "1 hit for “ship”, the best first");
  assert.equal(hitsTitle("ship", 0), "No pair has “ship”");
});

test("FLT-4: the caret line is taken apart", () => {
  assert.deepEqual(caretParts("t'Rust' & s9\n          ^ stars go from 0 to 3"), {
    text: "t'Rust' & s9", column: 10, message: "stars go from 0 to 3", marks: "^",
  });
  assert.deepEqual(caretParts("t'é' s99\n      ^^"), { text: "t'é' s99", column: 6, message: "", marks: "^^" });
  assert.deepEqual(caretParts("no caret"), { text: "", column: 0, message: "no caret", marks: "^" });
  assert.equal(caretParts("").message, "");
});

test("a completion replaces its range and nothing else", () => {
  assert.deepEqual(completed("t'Ru & e", { from: 0, to: 4 }, "t'Rust'"), { text: "t'Rust' & e", caret: 7 });
  const pick = chance(8);
  for (let i = 0; i < 500; i += 1) {
    const text = Array.from({ length: pick(12) }, () => "ab'😀"[pick(4)]).join("");
    const from = pick(text.length + 1);
    const to = from + pick(text.length - from + 1);
    const { text: out, caret } = completed(text, { from, to }, "NEW");
    assert.equal(out.slice(0, from), text.slice(0, from));
    assert.equal(out.slice(from, caret), "NEW");
    assert.equal(out.slice(caret), text.slice(to));
  }
});

test("a painted filter is the filter, whatever is written", () => {
  assert.deepEqual(paintParts("t'Rust > async' & s>=1 | d<7d").filter(({ kind }) => kind).map(({ text, kind }) => `${kind} ${text}`), [
    "atom t", "name 'Rust > async'", "op &", "atom s", "op >=", "op |", "atom d", "op <",
  ]);
  assert.deepEqual(paintParts("@work :star 2").map(({ kind }) => kind), ["command", "", "command"]);
  const pick = chance(9);
  const letters = ["t", "s", "'", '"', "\\", " ", "&", "|", "!", "(", ")", "<", "=", "@", ":", "5", "é", "😀", "-", "\n", "."];
  for (let i = 0; i < 3000; i += 1) {
    const text = Array.from({ length: pick(20) }, () => letters[pick(letters.length)]).join("");
    assert.equal(paintParts(text).map((part) => part.text).join(""), text);
  }
});

test("arrows skip what cannot be chosen and come back to the field", () => {
  const items = [{ off: true }, {}, { off: true }, {}];
  assert.equal(nextChoice(items, -1, 1), 1);
  assert.equal(nextChoice(items, 1, 1), 3);
  assert.equal(nextChoice(items, 3, 1), 3);
  assert.equal(nextChoice(items, 3, -1), 1);
  assert.equal(nextChoice(items, 1, -1), -1);
  assert.equal(nextChoice([], -1, 1), -1);
});

test("typing narrows a list by every word, beginnings first", () => {
  const models = modelOptions([
    { id: "gpt-4.1-mini", provider: "openai", ml: 128000, available: true, current: false },
    { id: "phi-3-mini-4k", provider: "ollama", ml: 4096, available: true, current: true },
    { id: "mini", provider: "ollama", ml: 0, available: true, current: false },
    { id: "switched-off", provider: "ollama", ml: 0, available: true, current: false, enabled: false },
  ], "phi-3-mini-4k");
  assert.deepEqual(narrowed(models, "mini").map(({ value }) => value), ["mini", "gpt-4.1-mini", "phi-3-mini-4k"]);
  assert.deepEqual(narrowed(models, "OLLAMA phi").map(({ value }) => value), ["phi-3-mini-4k"]);
  assert.deepEqual(narrowed(models, "").length, 3);
  assert.deepEqual(narrowed(models, "zzz"), []);
  assert.equal(models[0]?.detail, "openai · 128,000 tokens");
  assert.equal(models[1]?.current, true);
  const topics = [{ id: "1", path: "/Rust/async", pairs: 3 }, { id: "2", path: "/Rust/async" }];
  assert.equal(topicOptions(topics, "2")[0]?.label, "Rust › async");
  assert.deepEqual(topicOptions(topics, "2").map(({ value, current }) => [value, current]), [["1", false], ["2", true]], "of the same title, told by their ids");
  assert.equal(topicPath(" Sea › Ships "), "/Sea/Ships");
  assert.equal(topicPath("/Sea/Ships"), "/Sea/Ships");
  assert.deepEqual(narrowed([{ label: "Topic 17" }, { label: "Topic 7" }], "topic 7").map(({ label }) => label), ["Topic 7", "Topic 17"]);
});

test("UI-19 usable models come first, and the others say what they lack and how it is supplied", () => {
  const key = { kind: /** @type {const} */ ("key"), words: "a key of openai", provider: "openai", server: "https://api.openai.com" };
  const none = { kind: /** @type {const} */ ("server"), words: "a running server that has it" };
  const weights = { kind: /** @type {const} */ ("weights"), words: "its weights" };
  const model = (/** @type {string} */ id, /** @type {import("../types.js").Lack | undefined} */ lacks) => ({ id, provider: "p", ml: 4096, available: !lacks, current: false, ...(lacks ? { lacks } : {}) });
  const models = [model("gpt-4o", key), model("gpt-5", key), model("phi", none), model("here"), model("inside", weights)];
  const options = modelOptions(models, "here");
  const shown = (/** @type {string} */ hidden) => options.filter(({ when }) => when !== hidden).map(({ label }) => label);
  assert.deepEqual(shown("typed"), ["here", "inside", "2 models of openai", "1 model without a server"]);
  assert.deepEqual(shown("untyped"), ["here", "inside", "gpt-4o", "gpt-5", "phi"]);
  const gpt = options.find(({ value }) => value === "gpt-4o");
  assert.deepEqual([gpt?.detail, gpt?.act], ["p · needs a key of openai", "Add key"]);
  assert.deepEqual(lackOf(models, "gpt-4o"), { lack: key, model: "gpt-4o" });
  const group = options.find(({ label }) => label === "2 models of openai");
  assert.deepEqual(lackOf(models, group?.value ?? ""), { lack: key });
  assert.equal(lackOf(models, "here"), null);
  assert.equal(lackOf(models, "inside"), null, "weights come by themselves");
  // A model that is selected is in sight, whatever it lacks.
  assert.ok(modelOptions(models, "gpt-4o").some(({ value, when }) => value === "gpt-4o" && !when));
});

test("REL-9 of thousands of options a bounded number is drawn, the current and the last with them", () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ label: `topic ${i}`, current: i === 7000 }));
  const drawn = bounded(many);
  assert.equal(drawn.length, 201);
  assert.ok(drawn.some(({ label }) => label === "topic 7000"));
  assert.equal(drawn.at(-1)?.label, "topic 9999");
  assert.deepEqual(bounded(many.slice(0, 3)), many.slice(0, 3));
});

test("forms become JSON: booleans, numbers, null for what was left empty", () => {
  const field = { type: "text", value: "", checked: false };
  assert.deepEqual(bodyOf([
    { ...field, name: "name", value: "x" },
    { ...field, name: "note", optional: true },
    { ...field, name: "text" },
    { ...field, name: "none", dataType: "number" },
    { ...field, name: "n", value: "3.5", dataType: "number" },
    { ...field, name: "bad", value: "3,5", dataType: "number" },
    { ...field, name: "on", type: "checkbox", checked: true },
    { ...field, name: "off", type: "checkbox" },
    { ...field, name: "pick", type: "radio", value: "a" },
    { ...field, name: "pick", type: "radio", value: "b", checked: true },
    { ...field, name: "", value: "nameless" },
  ]), { name: "x", note: null, text: "", none: null, n: 3.5, bad: "3,5", on: true, off: false, pick: "b" });
});

test("calls: the path takes its fields out of the body", () => {
  assert.deepEqual(requestOf("PUT /api/filters/{name}", { name: "a b/c", text: "e" }), { method: "PUT", path: "/api/filters/a%20b%2Fc", body: { text: "e" } });
  assert.deepEqual(requestOf("DELETE /api/topics/7", {}), { method: "DELETE", path: "/api/topics/7", body: undefined });
  assert.deepEqual(requestOf("POST /api/x", {}), { method: "POST", path: "/api/x", body: {} });
});

test("UI-3: a pair is ashore for its own reason or by its place", () => {
  assert.equal(ashore({ why: "error" }, 9, { start: 3 }), true);
  assert.equal(ashore({ why: "" }, 9, { start: 3 }), true);
  assert.equal(ashore({}, 2, { start: 3 }), true);
  assert.equal(ashore({}, 3, { start: 3 }), false);
  assert.equal(ashore({}, 5, { start: 3, end: 5 }), true);
  // BND-8: what is pinned goes from above the line too, unless it failed.
  assert.equal(ashore({ use: "pinned" }, 2, { start: 3 }), false);
  assert.equal(ashore({ use: "pinned", why: "error" }, 2, { start: 3 }), true);
  assert.equal(ashore({ use: "pinned" }, 5, { start: 3, end: 5 }), true);
});

test("UI-2: the boundary is told where there is none", () => {
  const boundary = { start: 0, x: 34, y: 34, historyTokens: 0, totalTokens: 0 };
  assert.match(noBoundary(boundary) ?? "", /All 34 pairs/);
  assert.equal(noBoundary({ ...boundary, start: 30, x: 4 }), null);
  assert.equal(noBoundary({ ...boundary, start: 34, x: 0 }), null);
  assert.match(noBoundary({ ...boundary, x: 0, y: 0 }) ?? "", /no pair/);
});

test("back-off grows, is jittered, and ends at 15 s", () => {
  for (let n = 0; n < 40; n += 1) {
    const [low, high] = [backoff(n, 0), backoff(n, 0.999)];
    assert.ok(low >= 300 && high <= 18_750 && low <= high);
    if (n) assert.ok(backoff(n, 0.5) >= backoff(n - 1, 0.5));
  }
  assert.equal(backoff(0, 0.5), 400);
});

test("small things: stars, texts, widths, themes, problems", () => {
  assert.deepEqual([0, 1, 2, 3].map(nextStar), [1, 2, 3, 0]);
  assert.equal(pairText({ id: "1", userText: "q", assistantText: null }), "q");
  assert.equal(pairText({ id: "1", userText: "q", assistantText: "a" }), "q\n\na");
  assert.equal(changes({ userText: "a", assistantText: null }, { userText: "a", assistantText: null }), null);
  assert.deepEqual(changes({ userText: "a", assistantText: "b" }, { userText: "a", assistantText: "c" }), { assistantText: "c" });
  assert.equal(grouped(0), "0");
  assert.equal(grouped(1234567), "1,234,567");
  assert.equal(counted(1, "pair"), "1 pair");
  assert.equal(counted(1000, "pair"), "1,000 pairs");
  assert.equal(scalars("a😀b"), 3);
  assert.equal(scalars("\ud800x"), 2);
  assert.equal(topicLabel("/Rust/async"), "Rust › async");
  assert.equal(sentence("there is nothing"), "There is nothing");
  assert.equal(sentence("`s9` is"), "`s9` is");
  assert.equal(opening("one\ntwo   three", 8), "one two…");
  assert.equal(clampWidth(10, 1000), 220);
  assert.equal(clampWidth(900, 1000), 600);
  assert.equal(clampWidth(NaN, 300), 220);
  assert.equal(themeOf("purple"), "auto");
  assert.equal(nextTheme(nextTheme(nextTheme("auto"))), "auto");
  assert.equal(scoped("/api/state", { workspace: "default/main" }), "/api/state");
  assert.equal(scoped("/ui/rows?from=1", { workspace: "p/w x" }), "/ui/rows?from=1&workspace=p%2Fw%20x");
  assert.equal(scoped("/api/state", { conversation: "7", scope: "conversation" }), "/api/state?conversation=7");
  assert.equal(scoped("/api/state?conversation=8", { conversation: "7", scope: "everything" }), "/api/state?conversation=8&scope=everything");
  assert.deepEqual(stateOf({ ...emptyState(), sending: "7" }).sending, { pair: "7" });
  assert.equal(stateOf({ ...emptyState(), sending: undefined }).sending, null);
  assert.equal(problemBody("<html>", 502)["code"], "http_502");
  assert.equal(problemBody('{"code":"busy"}', 409)["code"], "busy");
  assert.equal(problemBody("[]", 500)["code"], "http_500");
});

test("FAU-7: larger models are those that can be asked and are known to be larger", () => {
  const model = (/** @type {string} */ id, /** @type {number} */ ml, more = {}) => ({ id, provider: "p", ml, available: true, current: false, ...more });
  const all = [
    model("this", 131072, { current: true }), model("huge", 1_000_000), model("large", 8192), model("same", 4096),
    model("off", 9000, { enabled: false }), model("away", 9000, { available: false }), model("whisper-1", 8192, { assumed: true }),
  ];
  // The limit of the one in use may have been learned from the provider.
  assert.deepEqual(largerModels(all, { model: "this", ml: 4096 }).map(({ id }) => id), ["large", "huge"]);
  assert.deepEqual(largerModels(all, { model: "huge", ml: 1_000_000 }), []);
});

test("a list stands beside what it belongs to, and never outside the page", () => {
  assert.deepEqual(roomFor({ top: 600, bottom: 630 }, 700), { up: true, from: 106, room: 420 });
  assert.deepEqual(roomFor({ top: 100, bottom: 130 }, 700), { up: false, from: 136, room: 420 });
  for (const [top, bottom] of [[-2000, 3000], [40, 3000], [-900, 690], [60, 640]]) {
    const { up, from, room } = roomFor({ top, bottom }, 700);
    assert.ok(!up && from >= 8 && from + room <= 700 && room >= 140, `${top} ${bottom}`);
  }
});

test("REC-5: what a deletion means is said as it is", () => {
  assert.equal(deletionWords("It is", 24), "It is deleted. That can be undone for 24 hours.");
  assert.equal(deletionWords("It is", 1), "It is deleted. That can be undone for 1 hour.");
  assert.equal(deletionWords("It is", 0), "It is deleted for good.");
});

test("HIS-9b: an address says the conversation, the scope and the filter", () => {
  /** @type {import("../base/place.js").Place} */
  const place = { workspace: "default/main", conversation: "7", scope: "conversation" };
  assert.equal(addressOf(place), "/c/7");
  assert.equal(addressOf(place, "s>=2 & t'a'"), "/c/7?filter=s%3E%3D2+%26+t%27a%27");
  assert.equal(addressOf({ ...place, scope: "everything" }), "/c/7?scope=everything");
  assert.equal(addressOf({ workspace: "p/w", conversation: null, scope: "everything" }), "/?workspace=p%2Fw&scope=everything");
});

test("UI-15: conversations stand under their days, with their age and weight", () => {
  const now = new Date(2026, 10, 17, 12, 0).getTime();
  const at = (/** @type {number} */ days, hours = 0) => new Date(now - days * 86_400_000 - hours * 3_600_000).toISOString();
  assert.deepEqual([at(0), at(0, 11), at(1), at(3), at(20)].map((one) => headingOf(one, now)), ["Today", "Today", "Yesterday", "This week", "This month"]);
  assert.equal(headingOf(new Date(2024, 0, 5).toISOString(), now), "January 2024");
  assert.deepEqual([at(0), at(0, 2), at(3)].map((one) => ageOf(one, now)), ["now", "2 h", "3 d"]);
  assert.equal(ageOf(new Date(2024, 0, 5).toISOString(), now), "Jan 2024");
  assert.deepEqual([0, 999, 1000, 1234, 12_345, 999_499, 1_000_000, 2_500_000].map(compact), ["0", "999", "1K", "1.2K", "12K", "999K", "1M", "2.5M"]);
});

test("HIS-12 the exact request is that of the chosen model, where it is compared", () => {
  const message = { text: "hi", compare: ["a", "b"] };
  assert.deepEqual(exactRequestOf(message, "b"), { ...message, model: "b" });
  assert.deepEqual(exactRequestOf(message, "gone"), message);
  assert.deepEqual(exactRequestOf({ text: "hi" }, "b"), { text: "hi" });
});
