// Keys as somebody types them: which address takes them, and what is said before.

import assert from "node:assert/strict";
import test from "node:test";

import { keyAddress, keyWords, notPrivate } from "../models/supply.js";

test("tea_10 a key goes to the address of whoever holds it", () => {
  assert.deepEqual(keyAddress("openai", ""), ["POST", "/api/providers/openai/key"]);
  assert.deepEqual(keyAddress("a/b", "mine"), ["PUT", "/api/team/keys/mine/a%2Fb"]);
  assert.deepEqual(keyAddress("openai", "team"), ["PUT", "/api/team/keys/team/openai"]);
});

test("tea_10 it is said where a key is kept", () => {
  const wanted = { provider: "openai", server: "https://api.openai.com", model: "gpt" };
  assert.match(keyWords(wanted, true), /^gpt needs it\. .*goes to https:\/\/api\.openai\.com .*sealed in the store/);
  assert.match(keyWords({ provider: "openai" }, false), /the server of the provider.*keyring of this machine/);
});

test("tea_11 one person on one machine reads nothing of a team", () => {
  for (const words of [keyWords({ provider: "openai" }, false), notPrivate("openai")]) {
    assert.doesNotMatch(words, /team/);
  }
  assert.match(notPrivate("openai", true), /team/);
});
