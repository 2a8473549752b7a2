// UI-1, UI-2: every key in every mode.
import assert from "node:assert/strict";
import test from "node:test";
import { actionOf } from "../keys/keymap.js";
import table from "../keys/table.js";

/** VIEW as Esc enters it: letters are commands (UI-16). */
const COMMANDS = { commands: true };

/** What UI-2 says of VIEW, written down again. */
const VIEW = {
  j: "scroll-down", k: "scroll-up", J: "next", K: "previous", g: "first", G: "last", O: "boundary", o: "boundary",
  "*": "star", 1: "star-1", 2: "star-2", 3: "star-3", 0: "star-0", a: "flag", e: "reask", T: "move", d: "delete", i: "edit",
  R: "regenerate", S: "swap", y: "copy", Y: "copypair", r: "receipt", p: "request",
  f: "panel-files", m: "panel-memory", t: "panel-topics", I: "panel-conversation", h: "hud", s: "panel-settings", "/": "command", "?": "panel-help",
  M: "panel-models", L: "panel-receipts", D: "panel-deleted", P: "preview",
  "-": "out", "+": "pin", "[": "line-up", "]": "line-down", c: "context-here", E: "send-again", Z: "summarise", z: "summarise-rest", v: "compare", n: "new-chat", B: "import", C: "sidebar",
  x: "cancel", u: "undo", Enter: "input", Escape: "command",
};

/** Everything on a keyboard that has a name of its own or writes a letter. */
const ALL = [
  ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789`~!@#$%^&*()-_=+[]{}\\|;:'\",.<>/? äß漢",
  "Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
  "Home", "End", "PageUp", "PageDown", "F1", "F5", "F11", "F12", "Insert", "ContextMenu", "constructor", "toString",
];

test("VIEW has every key of the rule", () => {
  for (const [key, action] of Object.entries(VIEW)) assert.equal(actionOf("VIEW", { key }, COMMANDS), action, key);
});

test("UI-2: the table says of every key what the key does", () => {
  const where = { commands: true, atTop: true, atBottom: true, walking: true, menu: true, completes: true, sending: true };
  for (const { mode, key: name, action = null } of table) {
    const [key = "", ...held] = name === "+" ? [name] : name.split("+").reverse();
    const pressed = { key: held.includes("Ctrl") ? key.toLowerCase() : key, shift: held.includes("Shift"), ctrl: held.includes("Ctrl") };
    assert.equal(actionOf(/** @type {import("../keys/keymap.js").Mode} */ (mode), pressed, where), action, `${name} in ${mode}`);
  }
});

test("in VIEW a key that is not listed is the browser's", () => {
  const own = new Set(Object.keys(VIEW));
  for (const key of ALL) if (!own.has(key)) assert.equal(actionOf("VIEW", { key }, COMMANDS), null, key);
});

test("INPUT: letters are text, whatever they mean elsewhere", () => {
  for (const key of ALL) {
    if (["Enter", "Escape", "ArrowUp", "ArrowDown"].includes(key)) continue;
    assert.equal(actionOf("INPUT", { key }, { atTop: true, atBottom: true, walking: true, sending: true }), null, key);
  }
  assert.equal(actionOf("INPUT", { key: "Enter" }), "send");
  assert.equal(actionOf("INPUT", { key: "Enter", shift: true }), null);
});

test("INPUT: Esc goes to VIEW and never cancels a send", () => {
  assert.equal(actionOf("INPUT", { key: "Escape" }, { sending: true }), "view");
  assert.equal(actionOf("INPUT", { key: "Escape" }), "view");
});

test("INPUT: Ctrl+C cancels only with nothing selected and something in flight", () => {
  const key = { key: "c", ctrl: true };
  assert.equal(actionOf("INPUT", key, { sending: true }), "cancel");
  assert.equal(actionOf("INPUT", key, { sending: true, selection: true }), null);
  assert.equal(actionOf("INPUT", key, {}), null);
  assert.equal(actionOf("INPUT", { ...key, shift: true }, { sending: true }), null);
  assert.equal(actionOf("VIEW", key, { sending: true }), null);
  assert.equal(actionOf("COMMAND", key, { sending: true }), null);
});

test("INPUT: arrows walk earlier prompts only at the edge of the box", () => {
  const up = { key: "ArrowUp" };
  const down = { key: "ArrowDown" };
  assert.equal(actionOf("INPUT", up, { atTop: true }), "older-prompt");
  assert.equal(actionOf("INPUT", up, { atTop: false }), null);
  assert.equal(actionOf("INPUT", up, { atTop: true, selection: true }), null);
  assert.equal(actionOf("INPUT", { ...up, shift: true }, { atTop: true }), null);
  assert.equal(actionOf("INPUT", down, { atBottom: true, walking: true }), "newer-prompt");
  assert.equal(actionOf("INPUT", down, { atBottom: true }), null);
});

test("UI-24: on a touch screen Enter is a new line", () => {
  assert.equal(actionOf("INPUT", { key: "Enter" }, { touch: true }), null);
  assert.equal(actionOf("COMMAND", { key: "Enter" }, { touch: true }), "apply");
});

test("COMMAND: apply, leave, history, completion", () => {
  assert.equal(actionOf("COMMAND", { key: "Enter" }), "apply");
  assert.equal(actionOf("COMMAND", { key: "Enter" }, { menu: true }), "apply");
  assert.equal(actionOf("COMMAND", { key: "Enter" }, { menu: true, chosen: true }), "accept");
  assert.equal(actionOf("COMMAND", { key: "Escape" }, { menu: true, chosen: true }), "leave");
  assert.equal(actionOf("COMMAND", { key: "Tab" }, { menu: true, completes: true }), "complete");
  assert.equal(actionOf("COMMAND", { key: "Tab" }), null);
  // Hits and offered filters complete nothing: Tab goes on.
  assert.equal(actionOf("COMMAND", { key: "Tab" }, { menu: true }), null);
  assert.equal(actionOf("COMMAND", { key: "Tab" }, { menu: true, hits: true }), "hits-actions");
  assert.equal(actionOf("COMMAND", { key: "Tab", shift: true }, { menu: true, completes: true }), null);
  assert.equal(actionOf("COMMAND", { key: "ArrowUp" }), "older-query");
  assert.equal(actionOf("COMMAND", { key: "ArrowUp" }, { menu: true, chosen: true }), "menu-up");
  assert.equal(actionOf("COMMAND", { key: "ArrowDown" }, { walking: true }), "newer-query");
  assert.equal(actionOf("COMMAND", { key: "ArrowDown" }, { menu: true }), "menu-down");
  assert.equal(actionOf("COMMAND", { key: "ArrowDown" }), null);
});

test("COMMAND: everything else is text", () => {
  for (const key of ALL) {
    if (["Enter", "Escape", "Tab", "ArrowUp", "ArrowDown"].includes(key)) continue;
    assert.equal(actionOf("COMMAND", { key }, { menu: true, chosen: true, walking: true }), null, key);
  }
});

test("keys never fight the browser's own", () => {
  const everything = { commands: true, sending: true, atTop: true, atBottom: true, walking: true, menu: true, chosen: true };
  for (const mode of /** @type {const} */ (["INPUT", "VIEW", "COMMAND"])) {
    for (const key of ALL) {
      assert.equal(actionOf(mode, { key, meta: true }, everything), null, `Meta+${key}`);
      assert.equal(actionOf(mode, { key, alt: true }, everything), null, `Alt+${key}`);
      if (key.toLowerCase() !== "c") assert.equal(actionOf(mode, { key, ctrl: true }, everything), null, `Ctrl+${key}`);
    }
  }
});

test("no key does anything while a word is being composed", () => {
  for (const mode of /** @type {const} */ (["INPUT", "VIEW", "COMMAND"])) {
    for (const key of ALL) assert.equal(actionOf(mode, { key, composing: true }, { commands: true, menu: true, atTop: true }), null, key);
    assert.equal(actionOf(mode, { key: "Process" }, COMMANDS), null);
  }
});

test("UI-16: in a VIEW that nobody asked for by Esc, what writes is written", () => {
  for (const key of ALL.filter((name) => [...name].length === 1)) {
    assert.equal(actionOf("VIEW", { key }), "write", key);
    assert.equal(actionOf("VIEW", { key, shift: true }), "write", key);
    assert.equal(actionOf("VIEW", { key, ctrl: true, alt: true, altGraph: true }), "write", `AltGr+${key}`);
    if (key.toLowerCase() !== "v") assert.equal(actionOf("VIEW", { key, ctrl: true }), null, `Ctrl+${key}`);
  }
  // An input method and dead keys begin where the message is.
  for (const begun of [{ key: "Process" }, { key: "Dead" }, { key: "a", composing: true }]) assert.equal(actionOf("VIEW", begun), "write");
  assert.equal(actionOf("VIEW", { key: "v", ctrl: true }), "write", "a paste goes there too");
});

test("UI-16: the ways between the modes stay, and other keys are the browser's", () => {
  assert.equal(actionOf("VIEW", { key: "Enter" }), "input");
  assert.equal(actionOf("VIEW", { key: "Escape" }), "command");
  for (const key of ALL.filter((name) => [...name].length > 1 && !["Enter", "Escape"].includes(name))) assert.equal(actionOf("VIEW", { key }), null, key);
});
