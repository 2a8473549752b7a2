// Tokens in the stored text, marks in the box: one is always the other (TOK-1, TOK-2, SHW-1).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { roughTokens } from "../base/text.js";
import { collapse, expand, freshMarker, markName, placedIn, plainName, tokensIn } from "../files/tokens.js";
import { chance } from "./random.js";

// The same cases are read by crates/web/src/api/attached.rs.
/** @type {{tokens: {text: string, found: [string, string][]}[], estimates: {text: string, charsPerToken: number, tokens: number}[]}} */
const shared = JSON.parse(readFileSync(new URL("./shared.json", import.meta.url), "utf8"));

test("TOK-2: what is a token here is one on the server", () => {
  for (const { text, found } of shared.tokens) {
    assert.deepEqual(tokensIn(text).map(({ kind, path }) => [kind, path]), found, text);
  }
  const text = "a <<context: TEXT :  /x >>> b";
  assert.deepEqual(tokensIn(text).map(({ start, end }) => text.slice(start, end)), ["<<context: TEXT :  /x >>>"]);
});

test("EST-1: the guess while the server weighs is the server's own", () => {
  for (const { text, charsPerToken, tokens } of shared.estimates) assert.equal(roughTokens(text, charsPerToken), tokens, text);
});

test("TOK-2: many openers that never close are read in linear time", () => {
  const started = performance.now();
  assert.deepEqual(tokensIn("<<context:file:".repeat(200_000)), []);
  assert.equal(tokensIn(`${"<<context:x".repeat(200_000)}<<context:file:/a>>>`).length, 1);
  assert.ok(performance.now() - started < 2000);
});

const PIECES = [
  "<<context:image:/w/context/blobs/aa.png>>>", "<<context:text:/w/notes.md>>>", "<<context:file:/w/%0A.bin>>>",
  "<<context:", ">>>", "⟦", "⟧", "⟦notes.md⟧", "⟦notes.md 2⟧", "words ", "\n", "<<context:file:", "/x", "😀", " ", ">",
];

test("what is collapsed and expanded is what it was, with what belonged to it", () => {
  const pick = chance(11);
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: pick(12) }, () => PIECES[pick(PIECES.length)]).join("");
    const tokens = tokensIn(text);
    const attachments = tokens.map(() => ({
      fileId: pick(3) ? `file-${pick(3)}` : null,
      delivery: /** @type {const} */ ([null, "inline", "on-demand", "path"])[pick(4)] ?? null,
      ...(pick(2) ? { name: ["notes.md", "a\nb", "⟦x⟧", "", "p.png"][pick(5)] ?? "" } : {}),
    }));
    const box = collapse(text, attachments);
    assert.ok(tokensIn(box.text).every(({ path }) => path.includes("⟦")), "no raw token is shown, but around a mark");
    assert.equal(box.marks.size, tokens.length, "each token has a mark of its own");
    const back = expand(box.text, box.marks);
    assert.equal(back.text, text);
    assert.deepEqual(back.attachments, attachments.map(({ fileId, delivery }) => ({ fileId, delivery })));
    assert.equal(placedIn(box.text, box.marks).length, tokens.length);
    // Again, with marks that already mean something: the same text gets the same marks.
    const again = collapse(text, attachments, box.marks);
    assert.deepEqual(again.marks.size, tokens.length);
    assert.equal(expand(again.text, again.marks).text, text);
  }
});

test("marks of the same name are told apart, and none is taken that stands in the text", () => {
  const a = "<<context:text:/a/notes.md>>>";
  const b = "<<context:text:/b/notes.md>>>";
  const { text, marks } = collapse(`⟦notes.md⟧ ${a} and ${b}`, []);
  assert.equal(text, "⟦notes.md⟧ ⟦notes.md 2⟧ and ⟦notes.md 3⟧");
  assert.equal(expand(text, marks).text, `⟦notes.md⟧ ${a} and ${b}`);
  // Known marks of other files are left alone.
  const other = collapse(b, [], new Map([["⟦notes.md⟧", { token: a, fileId: null, delivery: null, name: "notes.md" }]]));
  assert.equal(other.text, "⟦notes.md 2⟧");
  assert.equal(freshMarker("x", () => false), "⟦x⟧");
});

test("a mark that was edited is text, one that was copied is two", () => {
  const token = "<<context:file:/a/b.zip>>>";
  const { text, marks } = collapse(`see ${token}`, [{ fileId: "file-1", delivery: "on-demand" }]);
  assert.equal(text, "see ⟦b.zip⟧");
  assert.deepEqual(expand("see ⟦b.zi⟧", marks).attachments, []);
  assert.equal(expand("see ⟦b.zi⟧", marks).text, "see ⟦b.zi⟧");
  const twice = expand("⟦b.zip⟧ or ⟦b.zip⟧", marks);
  assert.equal(twice.text, `${token} or ${token}`);
  assert.deepEqual(twice.attachments, Array(2).fill({ fileId: "file-1", delivery: "on-demand" }));
  assert.equal(twice.plain, " or ");
});

test("what is still on its way is not in the text, and a token typed by hand counts", () => {
  const marks = new Map([
    ["⟦v.mp4⟧", { token: null, fileId: null, delivery: null, name: "v.mp4" }],
    ["⟦a⟧", { token: "<<context:text:/a>>>", fileId: "file-a", delivery: null, name: "a" }],
  ]);
  const told = expand("x ⟦v.mp4⟧ <<context:text:/typed>>> ⟦a⟧", marks);
  assert.equal(told.text, "x  <<context:text:/typed>>> <<context:text:/a>>>");
  assert.deepEqual(told.attachments, [{ fileId: null, delivery: null }, { fileId: "file-a", delivery: null }]);
  assert.deepEqual(told.owners.map((owner) => owner?.marker ?? null), [null, "⟦a⟧"]);
});

test("names that want to be something else are only names", () => {
  assert.equal(plainName("invoice\u202Egnp.exe"), "invoicegnp.exe");
  assert.equal(plainName("a\r\nb\tc"), "a b c");
  assert.equal(plainName("\u200f\n"), "file");
  assert.equal(markName("<<context:text:/etc/passwd>>>"), "‹‹context:text:/etc/passwd›››");
  assert.equal(markName("⟦x⟧"), "|x|");
  assert.equal([...markName(`${"ж".repeat(80)}.tar`)].length, 40);
  assert.ok(markName(`${"a".repeat(80)}.tar`).endsWith("….tar"));
  assert.equal(markName("<img src=x onerror=alert(1)>"), "‹img src=x onerror=alert(1)›");
  assert.equal(collapse(`<<context:image:/w/context/blobs/${"ab".repeat(32)}.png>>>`, []).text, "⟦image⟧");
});

test("TOK-1: blanks without end in a token cost no more than their number", () => {
  const blanks = " ".repeat(200_000);
  const began = performance.now();
  assert.equal(tokensIn(`<<context:text: a${blanks}b >>>`)[0]?.path, `a${blanks}b`);
  assert.deepEqual(tokensIn(`<<context:a${blanks}b:/x>>>`), []);
  assert.equal(tokensIn(`<<context:${blanks}TEXT${blanks}:${blanks}/x${blanks}>>>`)[0]?.path, "/x");
  assert.ok(performance.now() - began < 3000, "it took longer than a long text may");
});
