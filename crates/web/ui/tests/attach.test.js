// Files of a message: how they come in, what is shown of them, when it may go (INS, SHW, LIM, DLV).
import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../base/api.js";
import { createAttachments, infoOf, nextDelivery } from "../files/attachments.js";
import { carriesFiles, droppedOf } from "../files/drop.js";
import { sectionWords, lineOf } from "../files/panel.js";
import { attachedWords, createIntake, takeIn } from "../files/intake.js";
import { isLong, partsOf } from "../files/paste.js";
import { isPath, noneWords, pathAt } from "../files/paths.js";
import { factsOf } from "../files/preview.js";
import { chipOf, stripWords } from "../files/strip.js";
import { choicesFor, createTooLarge } from "../files/toolarge.js";
import { Stopped, createUploads, percentOf, uploadPath, waitingWords } from "../files/uploads.js";
import { fakeArea, fakeDocument } from "./area.js";
import { chance } from "./random.js";

fakeDocument();

/** @type {import("../types.js").FileInfo} */
const NOTES = {
  id: "file-1", name: "notes.md", kind: "DOCUMENT", mime: "text/markdown", size: 3174, sizeText: "3.1 KB", tokens: 890, pixels: null,
  isText: true, source: "user", uploadContext: null, createdAt: "2026-11-16T00:00:00Z", age: "just now", token: "<<context:text:/w/notes.md>>>",
  said: null, thumbnail: null, delivery: "inline", deliveries: ["inline", "on-demand"], tooLarge: null,
};
const LARGE = { limit: 16384, sizeText: "50 KB", words: "50 KB is over the limit of 16 KB", headBytes: 16128, headText: "15.8 KB", onDemand: true };

const LIMIT = { chars: 50, lines: 9 };

const blob = (/** @type {string} */ name, /** @type {string} */ type) => /** @type {any} */ ({ name, type, size: 3 });

test("INS-1: a clipboard gives pictures, then files, then words, each in its order", () => {
  const kinds = (/** @type {any} */ clipboard) => partsOf(clipboard, LIMIT).map((part) => ("name" in part ? part.name : "path" in part ? part.path : `${part.kind}:${part.text}`));
  assert.deepEqual(
    kinds({ files: [blob("a.zip", "application/zip"), blob("1.png", "image/png"), blob("b.txt", "text/plain"), blob("2.jpg", "image/jpeg")], text: "words" }),
    ["1.png", "2.jpg", "a.zip", "b.txt", "text:words"]);
  assert.deepEqual(kinds({ files: [blob("image.png", "image/png")], text: "" }), ["pasted.png"]);
  assert.deepEqual(kinds({ files: [blob("", "image/jpeg")], text: "" }), ["pasted.jpg"]);
  assert.deepEqual(kinds({ files: [], text: "just words" }), ["text:just words"]);
  // A file manager adds the names of its files as words.
  assert.deepEqual(kinds({ files: [blob("a.zip", "")], text: "/home/me/a.zip" }), ["a.zip"]);
  assert.deepEqual(kinds({ files: [blob("a.zip", "")], text: "see a.zip" }), ["a.zip", "text:see a.zip"]);
  assert.deepEqual(kinds({ files: [], text: "/home/me/a%20b.txt", uris: "file:///home/me/a%20b.txt\r\nhttp://x/y" }), ["/home/me/a b.txt"]);
  assert.deepEqual(kinds({ files: [], text: "http://x/y", uris: "http://x/y" }), ["text:http://x/y"]);
});

test("INS-1: a long text becomes a file, at the limits that the settings name", () => {
  assert.equal(isLong("a".repeat(50), LIMIT), false);
  assert.equal(isLong("a".repeat(51), LIMIT), true);
  assert.equal(isLong("😀".repeat(50), LIMIT), false, "characters are counted, not their halves");
  assert.equal(isLong("\n".repeat(8), LIMIT), false);
  assert.equal(isLong("\n".repeat(9), LIMIT), true);
  assert.equal(isLong("abcdef", { chars: 5, lines: 9 }), true);
  assert.deepEqual(partsOf({ files: [], text: "a\nb\nc" }, { chars: 99, lines: 2 }), [{ kind: "paste", text: "a\nb\nc" }]);
});

test("INS-2: a drop of files is ours, and a folder is no file", () => {
  assert.equal(carriesFiles(["text/plain"]), false);
  assert.equal(carriesFiles(["text/plain", "Files"]), true);
  assert.equal(carriesFiles(undefined), false);
  const item = (/** @type {string} */ name, /** @type {boolean} */ isDirectory) => ({ kind: "file", webkitGetAsEntry: () => ({ isDirectory, name }) });
  const data = /** @type {any} */ ({ items: [item("src", true), item("a", false)], files: [blob("src", ""), blob("a", "")] });
  assert.deepEqual(droppedOf(data).folders, ["src"]);
  assert.deepEqual(droppedOf(data).files.map(({ name }) => name), ["a"]);
});

test("INS-2: a path is completed where it can be one", () => {
  assert.deepEqual(pathAt("see @/home/m", 12), { at: 4, prefix: "/home/m" });
  assert.deepEqual(pathAt("@", 1), { at: 0, prefix: "" });
  assert.equal(pathAt("mail me@home", 12), null);
  // A name may be one below an allowed folder; where it is not, nobody hears of it.
  assert.deepEqual(pathAt("hello @you", 10), { at: 6, prefix: "you" });
  assert.equal(noneWords("you", ["/work"]), "");
  assert.equal(noneWords("you", []), "");
  assert.equal(noneWords("/home", ["/work", "/tmp"]), "Nothing begins so below /work or /tmp");
  assert.match(noneWords("", []), /allowedRoots/);
  assert.deepEqual(["/a", "~", "~/a", "C:\\a", "a", ""].map(isPath), [true, true, true, true, false, false]);
  assert.equal(pathAt("see @/home/m then", 17), null);
  // What was chosen from the list may hold spaces.
  assert.deepEqual(pathAt("see @/my files/x", 16, 4), { at: 4, prefix: "/my files/x" });
  assert.equal(pathAt("see @/my\nfiles", 14, 4), null);
  assert.deepEqual(pathAt("@C:\\x", 5), { at: 0, prefix: "C:\\x" });
});

test("INS-2: files stand at the caret in their order, and each mark is one of a kind", () => {
  const area = fakeArea("before after");
  area.setSelectionRange(6, 6);
  const attachments = createAttachments({ area });
  const coming = (/** @type {string} */ name) => ({ token: null, fileId: null, delivery: null, name, upload: { state: /** @type {const} */ ("running"), loaded: 0, total: 9 } });
  const made = attachments.insert([coming("a.png"), coming("a.png"), "and words"]);
  assert.deepEqual(made, ["⟦a.png⟧", "⟦a.png 2⟧"]);
  assert.equal(area.value, "before ⟦a.png⟧ ⟦a.png 2⟧ and words after");
  assert.equal(attachments.message().text, "before   and words after", "what is not there yet is not sent");
  assert.equal(attachments.unsettled().running.length, 2);
  attachments.bind("⟦a.png⟧", { ...NOTES, id: "file-a", token: "<<context:image:/w/a.png>>>" });
  assert.equal(attachments.unsettled().running.length, 1);
  assert.deepEqual(attachments.message().attachments, [{ fileId: "file-a", delivery: null }]);
  const [place] = attachments.placed();
  assert.ok(place);
  attachments.replace(place);
  assert.equal(area.value, "before ⟦a.png 2⟧ and words after");
  assert.equal(attachments.message().attachments.length, 0);
  // When the message has gone, names are free again.
  area.value = "";
  attachments.forget("back to ⟦a.png 2⟧");
  assert.deepEqual(attachments.insert([coming("a.png"), coming("a.png")]), ["⟦a.png⟧", "⟦a.png 3⟧"]);
});

test("a mark goes as a whole, and its upload with it", () => {
  const area = fakeArea("");
  const attachments = createAttachments({ area });
  let stopped = 0;
  attachments.insert([{ token: null, fileId: null, delivery: null, name: "v.mp4", upload: { state: "running", loaded: 0, total: 1, stop: () => { stopped += 1; } } }]);
  area.setSelectionRange(7, 7);
  let prevented = false;
  area.dispatchEvent({ type: "beforeinput", inputType: "deleteContentBackward", preventDefault: () => { prevented = true; } });
  assert.ok(prevented);
  assert.equal(area.value, " ");
  attachments.edited();
  assert.equal(stopped, 1);
});

test("a token that comes in by hand stops no upload", () => {
  const area = fakeArea("");
  const attachments = createAttachments({ area });
  let stopped = 0;
  attachments.insert([{ token: null, fileId: null, delivery: null, name: "v.mp4", upload: { state: "running", loaded: 0, total: 1, stop: () => { stopped += 1; } } }]);
  area.value += "and <<context:file:/w/plan.md>>> too";
  attachments.edited();
  assert.equal(area.value, "⟦v.mp4⟧ and ⟦plan.md⟧ too");
  assert.equal(stopped, 0);
  assert.equal(attachments.unsettled().running.length, 1);
  // Nor does one that is typed around its mark.
  area.value = "<<context:file:⟦v.mp4⟧>>>";
  attachments.edited();
  assert.equal(stopped, 0);
});

test("a token that comes in by hand becomes a mark, and marks get their names when they are known", () => {
  const hash = "ab".repeat(32);
  const area = fakeArea(`see <<context:text:/w/context/blobs/${hash}.md>>> there`);
  const attachments = createAttachments({ area });
  attachments.edited();
  assert.equal(area.value, "see ⟦text file⟧ there");
  area.setSelectionRange(20, 20);
  const { owners } = attachments.message();
  attachments.weighed(owners, [{ fileId: "file-9", name: "plan.md", kind: "text", sizeText: "1 KB", tokens: 250, delivery: "inline", deliveries: ["inline"] }]);
  assert.equal(area.value, "see ⟦plan.md⟧ there");
  assert.equal(area.selectionStart, 18, "the caret stays where it was in the words");
  assert.equal(attachments.message().text, `see <<context:text:/w/context/blobs/${hash}.md>>> there`);
  assert.equal(attachments.message().tokens, 250);
  // Shown again, the same file has the same mark.
  assert.equal(attachments.shown(attachments.message().text, [{ fileId: "file-9", delivery: null }]), "see ⟦plan.md⟧ there");
});

test("whatever is added, removed and undone, text and chips agree", () => {
  const pick = chance(23);
  for (let round = 0; round < 200; round += 1) {
    const area = fakeArea("");
    const attachments = createAttachments({ area });
    /** @type {string[]} */
    const past = [""];
    for (let step = 0; step < 20; step += 1) {
      const places = attachments.placed();
      const at = pick(area.value.length + 1);
      const inside = places.some(({ start, end }) => at > start && at < end);
      switch (pick(4)) {
        case 0:
          if (!inside) area.setSelectionRange(at, at);
          attachments.insert([{ token: `<<context:file:/w/${round}-${step}>>>`, fileId: `file-${step}`, delivery: null, name: ["a", "b\n", "⟦c"][pick(3)] ?? "" }]);
          break;
        case 1: { const place = places[pick(places.length || 1)]; if (place) attachments.replace(place); break; }
        case 2: area.value = past[pick(past.length)] ?? ""; break;
        default: if (!inside) { area.setSelectionRange(at, at); attachments.insert(["word "]); }
      }
      past.push(area.value);
      attachments.edited();
      const { attachments: list, text } = attachments.message();
      assert.equal(list.length, attachments.placed().length);
      assert.equal(text.split("<<context:").length - 1, list.length);
      assert.ok(list.every(({ fileId }) => fileId !== null));
    }
  }
});

/** An XMLHttpRequest that does what the test says. */
class FakeRequest {
  upload = /** @type {any} */ ({});
  status = 0;
  responseText = "";
  sent = false;
  aborted = false;
  url = "";
  /** @type {Record<string, string>} */
  headers = {};
  open(/** @type {string} */ _, /** @type {string} */ url) { this.url = url; }
  setRequestHeader(/** @type {string} */ name, /** @type {string} */ value) { this.headers[name] = value; }
  send() { this.sent = true; }
  abort() { this.aborted = true; /** @type {any} */ (this).onabort(); }
  answer(/** @type {number} */ status, /** @type {unknown} */ body) {
    Object.assign(this, { status, responseText: JSON.stringify(body) });
    /** @type {any} */ (this).onload();
  }
}

function bench() {
  /** @type {FakeRequest[]} */
  const requests = [];
  const uploads = createUploads({
    tab: "t", scope: (path) => path,
    open: () => { const request = new FakeRequest(); requests.push(request); return /** @type {any} */ (request); },
  });
  return { requests, uploads };
}

test("BLB-5: a few uploads at a time, with progress, and each can be stopped", async () => {
  const { requests, uploads } = bench();
  /** @type {number[]} */
  const seen = [];
  const jobs = Array.from({ length: 5 }, (_, i) => uploads.start(new Blob(["x"]), { name: `f ${i}&.txt` }, (loaded, total) => seen.push(percentOf(loaded, total))));
  assert.deepEqual(requests.map(({ sent }) => sent), [true, true, true, false, false]);
  assert.equal(requests[0]?.url, "/api/files?name=f+0%26.txt");
  assert.equal(requests[0]?.headers["content-type"], "application/octet-stream");
  requests[0]?.upload.onprogress({ loaded: 31, total: 50 });
  requests[0]?.upload.onprogress({ loaded: 50, total: 50 });
  assert.deepEqual(seen, [62, 99], "all of it is only there when the server says so");
  jobs[4]?.stop();
  await assert.rejects(jobs[4]?.done ?? Promise.resolve(), Stopped);
  jobs[1]?.stop();
  await assert.rejects(jobs[1]?.done ?? Promise.resolve(), Stopped);
  assert.ok(requests[1]?.aborted);
  assert.equal(requests[3]?.sent, true, "the next one goes in its place");
  requests[0]?.answer(201, NOTES);
  assert.equal((await jobs[0]?.done)?.id, "file-1");
  requests[2]?.answer(422, { code: "file_refused", detail: "no" });
  await assert.rejects(jobs[2]?.done ?? Promise.resolve(), (error) => error instanceof Problem && error.code === "file_refused");
  /** @type {any} */ (requests[3]).onerror();
  await assert.rejects(jobs[3]?.done ?? Promise.resolve(), (error) => error instanceof Problem && error.code === "offline");
  assert.equal(uploadPath({ name: "a", paste: true, secret: true }), "/api/files?name=a&paste=true&secret=allow");
  assert.match(waitingWords(2), /^2 files are still uploading/);
});

test("INS-4: what looks like a secret is asked about, once, and only then taken in", async () => {
  /** @type {boolean[]} */
  const asked = [];
  const begin = (/** @type {boolean} */ secret) => {
    asked.push(secret);
    const done = secret ? Promise.resolve(NOTES) : Promise.reject(new Problem(422, { code: "looks_secret", detail: "it is called .env" }));
    return { done, stop() {} };
  };
  assert.equal(await takeIn(begin, ".env", () => {}, async () => "yes"), NOTES);
  assert.deepEqual(asked, [false, true]);
  assert.equal(await takeIn(begin, ".env", () => {}, async () => null), null);
  await assert.rejects(takeIn(() => ({ done: Promise.reject(new Problem(413, { code: "too_large" })), stop() {} }), "x", () => {}, async () => "yes"), Problem);
});

function intakeBench() {
  const area = fakeArea("");
  const attachments = createAttachments({ area });
  const { requests, uploads } = bench();
  /** @type {string[]} */
  const said = [];
  /** @type {any[]} */
  const calls = [];
  /** @type {{value: string | null}} */
  const answer = { value: null };
  const api = /** @type {any} */ ({ call: async (/** @type {any[]} */ ...args) => { calls.push(args); return { ...NOTES, id: "file-head", name: "notes (first 16 KB).md", token: "<<context:text:/w/head.md>>>" }; } });
  /** @type {any[]} */
  const questions = [];
  const question = async (/** @type {any} */ what) => { questions.push(what); return answer.value; };
  const say = (/** @type {string} */ words) => said.push(words);
  const toast = /** @type {any} */ ((/** @type {string} */ words) => said.push(words));
  const tooLarge = createTooLarge({ attachments, api, say, toast, question });
  const intake = createIntake({ attachments, uploads, api, tooLarge, say, toast });
  return { area, attachments, requests, said, calls, answer, questions, intake, tooLarge };
}
const soon = () => new Promise((done) => setTimeout(done, 0));

test("LIM-3: a file over the limit is asked about, and every choice does what it says", async () => {
  for (const [value, check] of /** @type {[string | null, (b: ReturnType<typeof intakeBench>) => void][]} */ ([
    ["on-demand", (b) => assert.deepEqual(b.attachments.message().attachments, [{ fileId: "file-1", delivery: "on-demand" }])],
    ["head", (b) => {
      assert.deepEqual(b.calls, [["POST", "/api/files/file-1/head", { bytes: 16128 }]]);
      assert.deepEqual(b.attachments.message().attachments, [{ fileId: "file-head", delivery: null }]);
    }],
    [null, (b) => assert.equal(b.attachments.message().text.trim(), "")],
  ])) {
    const b = intakeBench();
    b.answer.value = value;
    b.intake.add([{ kind: "file", name: "notes.md", blob: new Blob(["x"]) }]);
    b.requests[0]?.answer(201, { ...NOTES, tooLarge: LARGE });
    await soon();
    assert.equal(b.questions.length, 1);
    assert.equal(b.questions[0].text, LARGE.words);
    check(b);
  }
  // From a chip, leaving the question leaves the file.
  const b = intakeBench();
  b.intake.attach(NOTES);
  b.attachments.change("⟦notes.md⟧", { file: { ...NOTES, tooLarge: LARGE } });
  await b.tooLarge.ask("⟦notes.md⟧");
  assert.equal(b.attachments.placed().length, 1);
});

test("LIM-3: choices name sizes, and what a model cannot do is off", () => {
  assert.deepEqual(choicesFor(LARGE, { fresh: true, isText: true }).map(({ label }) => label), ["Attach on demand", "Attach the first 15.8 KB"]);
  const mute = choicesFor({ ...LARGE, onDemand: false }, { fresh: false, isText: true });
  assert.equal(mute[0]?.off, true);
  assert.equal(mute[1]?.look, "primary");
  assert.equal(mute[2]?.value, "remove");
  assert.deepEqual(choicesFor(LARGE, { fresh: true, isText: false }).map(({ value }) => value), ["on-demand"]);
});

test("what does not arrive says why, and can be tried again", async () => {
  const b = intakeBench();
  b.intake.add([{ kind: "file", name: "x\u202Egnp.exe", blob: new Blob(["x"]) }]);
  assert.equal(b.area.value, "⟦xgnp.exe⟧ ");
  b.requests[0]?.answer(422, { code: "file_refused", detail: "it is a program" });
  await soon();
  const [place] = b.attachments.placed();
  assert.equal(place && chipOf(place.mark).state, "failed");
  assert.equal(place && chipOf(place.mark).size, "It is a program");
  assert.equal(b.attachments.unsettled().failed.length, 1);
  place?.mark.upload?.again?.();
  b.requests[1]?.answer(201, NOTES);
  await soon();
  assert.deepEqual(b.attachments.message().attachments, [{ fileId: "file-1", delivery: null }]);
  assert.equal(b.said.at(-1), "notes.md attached, about 890 tokens.");
});

test("INS-1: a long paste is a file, and words again when that is wanted", async () => {
  const b = intakeBench();
  b.area.value = "see: ";
  b.area.setSelectionRange(5, 5);
  b.intake.add([{ kind: "paste", text: "line\r\nline" }]);
  b.requests[0]?.answer(201, { ...NOTES, name: "pasted.txt" });
  await soon();
  const [place] = b.attachments.placed();
  assert.ok(place);
  assert.equal(chipOf(place.mark).name, "pasted text");
  assert.equal(chipOf(place.mark).asText, true);
  assert.match(b.requests[0]?.url ?? "", /paste=true/);
  await b.intake.asText(place);
  assert.equal(b.area.value, "see: line\nline ");
});

test("SHW-1: chips say name, size, tokens and delivery, and what is wrong", () => {
  const mark = { token: NOTES.token, fileId: "file-1", delivery: null, name: "notes.md", file: NOTES };
  assert.deepEqual(chipOf(mark), { state: "ok", name: "notes.md", size: "3.1 KB · 890 tok", kind: "text", delivery: "inline", choices: 2, instead: null, why: null, thumbnail: null, asText: false });
  assert.equal(chipOf({ ...mark, delivery: "on-demand" }).delivery, "on-demand", "a choice counts at once");
  assert.equal(infoOf({ ...mark, weighed: { ...infoOf(mark), tokens: 40, delivery: "on-demand" } }).tokens, 40);
  const picture = { ...mark, file: { ...NOTES, kind: /** @type {const} */ ("IMAGE"), tokens: 765, thumbnail: "/api/files/file-1/thumbnail" } };
  assert.equal(chipOf(picture).size, "765 tok");
  assert.equal(chipOf({ ...mark, weighed: { ...infoOf(mark), broken: "file is missing" } }).state, "broken");
  assert.equal(chipOf({ ...mark, file: { ...NOTES, tooLarge: LARGE } }).large, LARGE.words);
  assert.equal(nextDelivery(["inline", "on-demand"], "inline"), "on-demand");
  assert.equal(nextDelivery(["inline", "on-demand"], "on-demand"), "inline");
  assert.equal(nextDelivery([], "path"), "path");
  const blind = { ...mark, weighed: { ...infoOf(mark), note: "it does not see images" } };
  assert.deepEqual(stripWords([blind, blind], "Files up to 16 KB"), ["Files up to 16 KB", "it does not see images"]);
  const deaf = { ...mark, weighed: { ...infoOf(mark), delivery: /** @type {const} */ ("on-demand"), instead: "name only", note: "it calls no tools" } };
  assert.match(chipOf({ ...deaf, weighed: { ...deaf.weighed, tokens: 29 } }).size, /29 tok now$/, "what is read later is not weighed yet");
  assert.equal(chipOf(deaf).instead, "name only");
  assert.equal(chipOf({ ...deaf, delivery: "inline" }).instead, null, "another way was chosen since");
  assert.equal(attachedWords({ ...NOTES, name: "photo.jpg", tokens: 765 }), "photo.jpg attached, about 765 tokens.");
});

test("SHW-1: a document whose text goes along says so, with its length and what is lost", () => {
  const extracted = { length: "12 pages", sizeText: "14.0 KB", tokens: 3400, remark: "without pictures and layout" };
  /** @type {import("../types.js").FileInfo} */
  const report = { ...NOTES, name: "report.docx", isText: false, tokens: null, extracted, delivery: "text", deliveries: ["text", "on-demand"] };
  const mark = { token: report.token, fileId: "file-1", delivery: null, name: "report.docx", file: report };
  const chip = chipOf(mark);
  assert.deepEqual([chip.name, chip.size, chip.delivery, chip.kind], ["text of report.docx", "12 pages · 3,400 tok", "text", "file"]);
  assert.equal(chipOf({ ...mark, delivery: "on-demand" }).name, "report.docx");
  assert.equal(nextDelivery(["inline", "text", "on-demand"], "inline"), "text");
  const facts = Object.fromEntries(factsOf({ ...report, usedBy: [], preview: { kind: "none", words: "" } }));
  assert.equal(facts["its text"], "text of report.docx, 12 pages, ~3,400 tokens, without pictures and layout");
  assert.match(facts["delivery"] ?? "", /^text: /);
  assert.equal(attachedWords(report), "Text of report.docx attached, 12 pages, about 3,400 tokens.");
});

test("SHW-2: the preview says what it weighs and how it goes", () => {
  const file = { ...NOTES, usedBy: [], preview: /** @type {const} */ ({ kind: "none", words: "" }) };
  const facts = Object.fromEntries(factsOf(file, "on-demand", 40));
  assert.equal(facts["tokens"], "about 890");
  assert.match(facts["delivery"] ?? "", /^on demand: .*40 tokens that way$/);
  assert.equal("note" in facts, false);
});

test("the Files panel in words", () => {
  assert.equal(lineOf({ ...NOTES, source: "assistant", listed: true }), "3.1 KB · ~890 tok · just now · from the model");
  assert.equal(lineOf({ ...NOTES, listed: false }), "3.1 KB · ~890 tok · just now · not listed to models");
  assert.equal(sectionWords({ on: true, tokens: 52, shown: 2, total: 2 }), "2 files, 52 tokens with each message.");
  assert.equal(sectionWords({ on: true, tokens: 1000, shown: 9, total: 30 }), "9 of 30 files, 1,000 tokens with each message.");
  assert.match(sectionWords({ on: false, tokens: null, shown: 0, total: 3 }), /not told/);
});
