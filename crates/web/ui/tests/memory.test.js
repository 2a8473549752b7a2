// The Memory panel's words: what is listed, what goes into a message, what was changed (MEM-9).
import assert from "node:assert/strict";
import test from "node:test";
import { changesOf, linesOf, listPath, listWords, noteFile, noteLine, pendingLine, relationWords, warningWords } from "../memory/text.js";
import { chance } from "./random.js";

/** @type {import("../types.js").Note} */
const NOTE = {
  id: 42, prompt: false, type: "decision", title: "Ports start at 7411", snippetHtml: "", project: "harbour", scope: "project", session: "s", topicKey: null,
  namespace: null, revision: 1, duplicates: 0, tokens: 1234, createdAt: "2026-11-16T03:00:00Z", updatedAt: "2026-11-16T04:00:00Z", age: "2 h ago", author: null, warnings: [], how: null,
};

test("MEM-1: the line below a title says what a note is, and nothing that goes without saying", () => {
  assert.equal(noteLine(NOTE), "#42 · decision · harbour · ~1,234 tok · 2 h ago");
  assert.equal(noteLine({ ...NOTE, scope: "personal", revision: 3, duplicates: 2 }), "#42 · decision · harbour · personal · ~1,234 tok · revision 3 · saved again 2× · 2 h ago");
  assert.equal(noteLine({ ...NOTE, prompt: true }), "prompt · harbour · ~1,234 tok · 2 h ago");
});

test("MEM-16: a note says who wrote it, and MEM-15: why it may not count any more", () => {
  assert.equal(noteLine({ ...NOTE, author: "codex" }), "#42 · decision · harbour · ~1,234 tok · by codex · 2 h ago");
  assert.equal(warningWords(NOTE), "");
  assert.equal(warningWords({ warnings: ["superseded by #57", "src/a.rs gone"] }), "⚠ superseded by #57, src/a.rs gone");
  assert.deepEqual(linesOf(" src/a.rs \n\ncommit:1f3c9a2\n"), ["src/a.rs", "commit:1f3c9a2"]);
});

test("MEM-16: what waits says what it would change", () => {
  const waiting = { id: 58, changes: null, type: "decision", title: "x", html: null, project: "harbour", author: "codex", topicKey: null, anchors: [], supersedes: [3], savedAt: "", age: "1 min ago" };
  assert.equal(pendingLine(waiting), "#58 · decision · harbour · supersedes #3 · by codex · 1 min ago");
  assert.equal(pendingLine({ ...waiting, changes: 7, type: null, project: null, supersedes: [] }), "#58 · change of #7 · by codex · 1 min ago");
});

test("MEM-6: the list says how many there are, and when not all words were found", () => {
  assert.match(listWords({ notes: [], total: 0, more: false, anyWord: false }, false), /^Nothing is remembered yet/);
  assert.equal(listWords({ notes: [], total: 0, more: false, anyWord: false }, true), "No note is like that.");
  const words = { how: null };
  assert.equal(listWords({ notes: [words], total: 1, more: false, anyWord: false }, false), "1 note");
  assert.equal(listWords({ notes: [words, words], total: 1200, more: false, anyWord: true }, true), "2 of 1,200 notes. None has all words; these have some.");
  assert.equal(listWords({ notes: [words, words], total: 200, more: true, anyWord: false }, true), "2 of more than 200 notes");
});

test("MEM-10: a note that was found says how", () => {
  assert.equal(noteLine({ ...NOTE, how: "by meaning" }), "#42 · decision · harbour · ~1,234 tok · 2 h ago · found by meaning");
  const notes = [{ how: "by some words" }, { how: "by meaning" }];
  assert.equal(listWords({ notes, total: 2, more: false, anyWord: true }, true), "2 notes. None has all words; these have some or mean the like.");
  assert.equal(listWords({ notes, total: 2, more: false, anyWord: false }, true), "2 notes");
});

test("MEM-9: a note goes into a message as a file that says what it is", () => {
  const { name, text } = noteFile({ ...NOTE, content: "Lower ones are taken.\n\n" });
  assert.equal(name, "memory-42.md");
  assert.equal(text, "# Ports start at 7411\n\nNote #42 of the memory: decision, project harbour, revision 1, 2026-11-16\n\nLower ones are taken.\n");
});

test("a relation reads from either end", () => {
  const relation = { id: 1, type: "depends_on", note: null, outgoing: true, other: 7, otherTitle: "x" };
  assert.equal(relationWords(relation), "depends on →");
  assert.equal(relationWords({ ...relation, outgoing: false }), "← depends on");
  assert.equal(relationWords({ ...relation, type: "supersedes" }), "supersedes →");
  assert.equal(relationWords({ ...relation, type: "supersedes", outgoing: false }), "superseded by");
});

test("any words make a legal address, and come out of it as they went in", () => {
  assert.equal(listPath({ query: "  ", type: "", project: "" }), "/api/memory");
  const roll = chance(7);
  const letters = [..."ab &=?#%+\"'<é漢"];
  for (let i = 0; i < 200; i += 1) {
    const query = Array.from({ length: 1 + roll(12) }, () => letters[roll(letters.length)]).join("");
    const asked = new URL(listPath({ query, type: "a&b", project: "p=q" }), "http://x").searchParams;
    assert.equal(asked.get("query") ?? "", query.trim());
    assert.equal(asked.get("type"), "a&b");
    assert.equal(asked.get("project"), "p=q");
  }
});

test("only what was changed is sent", () => {
  const before = { title: "a", content: "b", type: "" };
  assert.equal(changesOf(before, { ...before }), null);
  assert.deepEqual(changesOf(before, { ...before, content: "c" }), { content: "c" });
  assert.deepEqual(changesOf({}, { title: "x", type: "" }), { title: "x" });
});
