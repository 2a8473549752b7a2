// The prompt library in the message box (UI-23).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { calledIn, expanded, nextPlace } from "../composer/snippets.js";

const shared = JSON.parse(readFileSync(new URL("./shared.json", import.meta.url), "utf8"));

test("a snippet is filled in as the server does it", () => {
  for (const { text, typed, expanded: whole } of shared.snippets) assert.equal(expanded(text, typed), whole, `${text} | ${typed}`);
});

test("only a message that begins with a slash and a name calls a snippet", () => {
  assert.deepEqual(calledIn("/"), { name: "", typed: null });
  assert.deepEqual(calledIn("/re"), { name: "re", typed: null });
  assert.deepEqual(calledIn("/review this\nand that"), { name: "review", typed: " this\nand that" });
  for (const text of ["", "a /review", "/etc/hosts", "/Review", "//review"]) assert.equal(calledIn(text), null, text);
});

test("places are filled in one after the other", () => {
  const text = "a {{b}} c {{d}}";
  assert.deepEqual(nextPlace(text, 0), [2, 7]);
  assert.deepEqual(nextPlace(text, 7), [10, 15]);
  assert.deepEqual(nextPlace(text, 15), [2, 7]);
  assert.equal(nextPlace("a", 0), null);
});
