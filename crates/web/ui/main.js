// Where the page begins: finds its parts, ties them together, and starts to listen.

import { createActions } from "./history/actions.js";
import { createAgain, toBeSent } from "./composer/again.js";
import { createApi, wordsOf } from "./base/api.js";
import { createArrived } from "./composer/arrived.js";
import { createAttach } from "./files/attach.js";
import { createBadges } from "./history/badges.js";
import { createBoundary } from "./history/boundary.js";
import { addCopyButtons, bindCopyButtons } from "./base/clipboard.js";
import { createAddress, placeIn, scoped } from "./base/place.js";
import { createCompare } from "./composer/compare.js";
import { createComposer } from "./composer/composer.js";
import { dollars } from "./composer/cost.js";
import { createCounter } from "./composer/counter.js";
import { createCursor } from "./history/cursor.js";
import { debounced, el, must, onTouch } from "./base/dom.js";
import { createDrafts } from "./composer/drafts.js";
import { createEdits } from "./history/edit.js";
import { createExactRequest } from "./composer/exactrequest.js";
import { createEvents } from "./base/events.js";
import { createFilterBox } from "./filter/box.js";
import { bindForms } from "./base/forms.js";
import { createGauge, loadNote } from "./composer/gauge.js";
import { createHeld } from "./composer/refusals.js";
import { createHistory } from "./history/history.js";
import { icon } from "./base/icons.js";
import { createImporting } from "./conversations/importing.js";
import { createInFlight } from "./composer/inflight.js";
import { createLine } from "./history/line.js";
import { createJumps } from "./history/jumps.js";
import { bindKeys } from "./keys/keys.js";
import { createMemoryPanel } from "./memory/panel.js";
import { createModes } from "./keys/modes.js";
import { createNewest } from "./history/newest.js";
import { createNotice } from "./base/notice.js";
import { createPanels } from "./panels.js";
import { createSeen } from "./composer/seen.js";
import { createSelectors } from "./composer/selectors.js";
import { placeSides } from "./history/sides.js";
import { createSupply } from "./models/supply.js";
import { createSidebar } from "./conversations/sidebar.js";
import { createSending } from "./composer/sending.js";
import { createSnippets } from "./composer/snippets.js";
import { createState, emptyState } from "./base/state.js";
import { createSummaries } from "./history/summaries.js";
import { createSync } from "./history/sync.js";
import { counted, grouped } from "./base/text.js";
import { applyTheme, bindTheme, keep, recall } from "./base/theme.js";
import { createToasts } from "./base/toasts.js";
import { tokensIn } from "./files/tokens.js";
import { createToolCalls } from "./history/toolcalls.js";
import { createWeigh } from "./composer/weigh.js";
import { createWindow } from "./history/window.js";

/** A panel that shows what is being written is drawn again when the writer pauses. */
const FOLLOW_MS = 250;

applyTheme();

const body = document.body;
const pane = must("#history", HTMLElement);
const draft = must("#draft", HTMLTextAreaElement);
const filter = must("#filter", HTMLInputElement);
const warnAt = Number(body.dataset["warnAt"] ?? 80);
const place = placeIn(body.dataset);
const within = place.scope === "conversation" ? place.conversation : null;
const keepDeleted = Number(body.dataset["keepDeleted"] ?? 0);

const store = createState(emptyState());
store.set({
  view: { filter: filter.value, topic: must("#topic", HTMLElement).dataset["path"] ?? "", topicId: must("#topic", HTMLElement).dataset["id"] ?? "", model: must("#model", HTMLElement).dataset["id"] ?? "", title: document.querySelector("#title")?.textContent ?? "" },
  boundary: {
    start: Number(pane.dataset["start"] ?? 0), x: Number(pane.dataset["x"] ?? 0), y: Number(pane.dataset["visible"] ?? 0),
    historyTokens: 0, totalTokens: 0,
  },
  // Known from the first key on: Enter during a send depends on it.
  queue: body.dataset["queue"] !== undefined,
});

const live = el("div", { class: "sr", role: "status" });
must("footer", HTMLElement).append(live);
const toast = createToasts(must("#toasts", HTMLElement));
const notice = createNotice(must("#notice", HTMLElement));

let lost = false;
/** @param {boolean} now */
function onConnection(now) {
  if (now === lost) return;
  lost = now;
  body.classList.toggle("lost", lost);
  if (lost) {
    notice.say("offline", { text: "Connection lost. What you write is kept here; trying to reconnect …", level: "error", label: "Try now", act: () => events.restart() });
    return;
  }
  notice.clear("offline");
  drafts.resume();
  void sync.reloadRows();
}

const api = createApi({
  place,
  tab: crypto.randomUUID?.() ?? String(Math.random()).slice(2),
  onConnection(now) {
    const fresh = now && !lost;
    onConnection(now);
    if (fresh) events.restart();
  },
});
const drafts = createDrafts({ api, place });
const arrived = createArrived();
const announce = (/** @type {string} */ words) => { live.textContent = words; };
const attach = createAttach({
  area: draft, api, store, notice, toast, undo: (token) => void filterBox.takeBack(token), say: announce, scope: (path) => scoped(path, place), goTo: (pair) => jumps.byId(pair), setView: (change) => setView(change),
  parts: {
    strip: must("#strip", HTMLElement), chips: must("#chips", HTMLElement), meter: must("#meter", HTMLElement), words: must("#strip-words", HTMLElement),
    button: must("#attach", HTMLButtonElement), picker: must("#picker", HTMLInputElement), layer: must("#drop", HTMLElement),
  },
});

/** @param {HTMLElement} root  everything that is rendered passes here before it is shown */
function onRendered(root) {
  boundary.mark(root);
  addCopyButtons(root);
  cursor.restore(root);
  edits.restore(root);
  queueMicrotask(() => {
    badges.draw();
    placeSides(win.rows);
  });
}

function onShown() {
  boundary.place();
  placeSides(win.rows);
}

const win = createWindow({ pane, onRendered, onShown, onBehind: () => void sync.reloadRows(), fetchRows: (from, to, signal) => api.html(`/ui/rows?from=${from}&to=${to}`, undefined, { signal }) });
const history = createHistory({ win, onRendered });
const cursor = createCursor({ win, history });
const edits = createEdits({ api, win, toast, namesIn: attach.chips.namesIn, undo: () => void filterBox.takeBack() });
const badges = createBadges({ find: win.find });
const boundary = createBoundary({
  win,
  boundary() {
    const { preview, boundary: plain } = store.get();
    return preview ? { ...preview.boundary, end: preview.end, without: preview.without } : plain;
  },
  limit: () => `it does not fit into the ${grouped(store.get().window.ml)} tokens of ${store.get().window.model || "the model"}`,
});

const bar = must("#gauge", HTMLElement);
const gauge = createGauge({ gauge: bar, legend: must("#legend", HTMLElement), warnAt });
// The server says with the page what is in the window; nobody waits for it to be drawn, and what
// stands in the box is weighed in it.
if (bar.dataset["window"]) {
  const window = JSON.parse(bar.dataset["window"]);
  store.set({ window });
  gauge.draw(window);
}
const again = createAgain({ api, store });
const weigh = createWeigh({ api, store, asked: () => again.asked, output: must("#aut", HTMLOutputElement), warnAt, onWindow: showWindow, onWeighed: attach.weighed });
/** @param {import("./files/attachments.js").Message} message */
function onText(message) {
  attach.draw();
  weigh.draft(message);
}
const seen = createSeen({ win, store, conversation: within, models: () => compare.body().compare?.join("\n") ?? "" });
const composer = createComposer({
  area: draft, attachments: attach.attachments, api, drafts, notice, onText, select: selectAgain,
  onReask: (asked) => void again.show(asked).then(() => asked || compare.resume()).catch((error) => toast(wordsOf(error), { error: true })),
  after(pair) {
    const later = win.y - 1 - Number(win.find(pair)?.dataset["at"] ?? win.y - 1);
    return later > 0 ? `${counted(later, "pair")} after it ${later === 1 ? "stays" : "stay"}, and ${later === 1 ? "is" : "are"} sent as marked.` : "";
  },
  beginAt: (pair) => void setView({ contextFrom: pair }).catch((error) => toast(wordsOf(error), { error: true })),
});
const compare = createCompare({
  api, store, again, toast, button: must("#compare", HTMLButtonElement), list: must("#compared", HTMLElement),
  taken: () => composer.reasks !== null, done: () => modes.enter("INPUT"),
});
/** @param {import("./composer/drafts.js").Selected} view  what the selectors showed before */
function selectAgain(view) {
  const { model, topicId } = store.get().view;
  if (model !== view.model || topicId !== view.topic) void setView(view).catch((error) => toast(wordsOf(error), { error: true }));
}
const modes = createModes({ label: must("#mode", HTMLElement), draft, filter, cursor });
const memory = createMemoryPanel({ api, toast, undo: (token) => void filterBox.takeBack(token), say: announce, attach: attach.take });
const written = () => {
  const { text, attachments } = composer.message();
  return toBeSent({ text, ...(attachments.length ? { attachments } : {}) }, again.asked);
};
const panels = createPanels({ api, draft: written, panel: must("#panel", HTMLElement), hud: must("#hud", HTMLElement), back: () => modes.enter("VIEW"), own: { files: attach.panel.render, memory: memory.render } });
const counter = createCounter({ button: must("#counter", HTMLButtonElement), state: store.get, openHud: panels.toggleHud });
/** @param {{filter?: string, topic?: string, model?: string, contextFrom?: string, filesScope?: string}} change */
const setView = (change) => (change.filter === undefined ? sync.setView(change) : address.step(() => sync.setView(change)));
const held = createHeld({ api, toast, setView, edit: () => modes.enter("INPUT"), openPanel: panels.openPanel, lighten: attach.lighten });
const snippets = createSnippets({ area: draft, button: must("#snippets", HTMLButtonElement), api, toast, edit: () => void panels.openPanel("snippets") });
const sending = createSending({
  api, store, win, history, composer, modes, cursor, badges, notice, toast, held,
  button: must("#send", HTMLButtonElement), setView, announce, settled: attach.settled, expand: snippets.expand,
  seen, again, caughtUp: () => sync.caughtUp(), reloadRows: () => sync.reloadRows(), handOver: drafts.handOver, compared: () => compare.body(),
});
const summaries = createSummaries({ api, toast, undo: (token) => void filterBox.takeBack(token), goTo: (pair) => jumps.toNew(pair) });
const inFlight = createInFlight({ store, notice, badges, panels, cancel: () => void sending.cancel() });
const toolCalls = createToolCalls({ win, announce });
const sync = createSync({ api, store, win, history, sending, composer, panels, again, seen, onWindow: weigh.refresh, onFiles: attach.panel.changed, onMemory: memory.changed, onTool: toolCalls.show, onSummarised: summaries.told });
const supply = createSupply({ api, toast, changed: () => panels.refresh("models") });
const selectors = createSelectors({
  api, store, setView, supply, toast, model: must("#model", HTMLButtonElement), topic: must("#topic", HTMLButtonElement),
  openPanel: panels.openPanel, done: () => modes.enter("INPUT"),
});
const jumps = createJumps({ api, store, place, win, history, cursor, setView, reloadRows: sync.reloadRows, toast });
createNewest({ button: must("#newest", HTMLButtonElement), win, history });
const line = createLine({ api, store, win, setView, toast });
const filterBox = createFilterBox({
  field: filter, menu: must("#filter-menu", HTMLElement), hits: must("#hits", HTMLElement), error: must("#filter-error", HTMLElement),
  api, setView, toast, applied: () => store.get().view.filter, goTo: jumps.toHit,
  leave: () => modes.enter("VIEW"), help: () => panels.openPanel("help"), within,
});
const actions = createActions({
  api, win, sending, composer, panels, selectors, supply, edits, chips: attach.chips, setView, toast, keepDeleted, showFile: attach.showFile,
  input: () => modes.enter("INPUT"), undo: filterBox.takeBack, beginAt: line.beginAt, summaries, goTo: jumps.byId,
  selected: () => ({ model: store.get().view.model, topic: store.get().view.topicId }),
});
const address = createAddress({ place, filter: () => store.get().view.filter, onBack: (filter) => void sync.setView({ filter }).catch((error) => toast(wordsOf(error), { error: true })) });
const sidebar = createSidebar({ api, place, toast, undo: filterBox.takeBack, write: () => modes.enter("INPUT") });
const importing = createImporting({ api, scope: (path) => scoped(path, place), toast, announce });
const newChat = () => sidebar.newChat(win.y === 0 && store.get().view.filter === "");
const titleButton = document.querySelector("#title");
titleButton?.addEventListener("click", () => void sidebar.renameOpen(store.get().view.title));
must("#new-chat", HTMLElement).addEventListener("click", (event) => {
  // Another button or a modifier opens it elsewhere, which is the browser's.
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  newChat();
});
bindForms({ api, toast, undo: filterBox.takeBack, onDone: panels.after });

/** @param {import("./types.js").Window} window */
function showWindow(window) {
  gauge.draw(window);
  sending.price(window.cost);
  panels.refreshHud();
  const note = loadNote(window, warnAt);
  if (note) notice.say("load", note);
  else notice.clear("load");
}

store.on((now, before) => {
  if (now.counter !== before.counter || now.window !== before.window || now.preview !== before.preview) counter.draw();
  // The gauge, the HUD and the request are those of what is marked.
  if (now.preview !== before.preview) {
    weigh.again();
    panels.refreshHud();
  }
  if (now.view !== before.view) filterBox.sync();
  if (now.view !== before.view) {
    address.follow();
    drawTitle(now.view.title);
    drawSpent(now.view.cost);
    selectors.draw();
    sayInstead(now.view);
    if (now.view.filter) pane.dataset["filtered"] = "";
    else delete pane.dataset["filtered"];
  }
  if (now.boundary !== before.boundary || now.preview !== before.preview) {
    const line = now.preview?.boundary ?? now.boundary;
    pane.dataset["start"] = String(line.start);
    pane.dataset["x"] = String(line.x);
    boundary.mark();
    boundary.place();
    drawEmpty();
  }
});

const empty = el("p", { class: "empty", hidden: true }, "No pair matches the filter. ",
  el("button", { type: "button", class: "link", onclick: () => void setView({ filter: "" }) }, "Show everything"));
pane.append(empty);
function drawEmpty() {
  const { boundary: { y }, view } = store.get();
  empty.hidden = y > 0 || view.filter === "";
}

/**
 * The model that answered here last cannot be asked, and another would answer.
 * @param {import("./types.js").View} view
 */
function sayInstead({ model, passedOver }) {
  if (!passedOver) return notice.clear("instead");
  const { model: last, lacks: { kind, words, provider = "", server } } = passedOver;
  const key = kind === "key";
  notice.say("instead", {
    text: `${last} answered here last and needs ${words}. ${model} answers instead.`,
    label: key ? "Add key" : "Models and keys",
    act: () => (key ? void supply.key({ provider, server, model: last }) : panels.openPanel("models")),
  });
}

/** @param {number | undefined} cost  of all that was sent in this conversation (UI-18) */
function drawSpent(cost) {
  const spent = document.querySelector("#spent");
  if (!(spent instanceof HTMLElement)) return;
  spent.hidden = cost === undefined;
  spent.textContent = cost === undefined ? "" : dollars(cost);
}

/** @param {string} title */
function drawTitle(title) {
  if (!titleButton) return;
  titleButton.textContent = title;
  arrived.setTitle(`${title} · Plimsoll`);
}

const exactRequest = createExactRequest({ panels, panel: must("#panel", HTMLElement), written });
const preview = exactRequest.open;
// What would be sent changes with every pair, filter, setting and key.
const followPreview = debounced(FOLLOW_MS, exactRequest.refresh);
store.on(() => followPreview.call());
must("#aut", HTMLElement).before(el("button", { type: "button", class: "tool", title: "What would be sent now, byte for byte (P in VIEW)", "aria-label": "What would be sent now", onclick: preview }, icon("request")));

// What floats above the footer has to know how high that is.
new ResizeObserver(([entry]) => body.style.setProperty("--foot", `${entry?.target.clientHeight ?? 0}px`)).observe(must("footer", HTMLElement));

const lineHeight = () => Math.round(Math.max(60, Math.min(140, pane.clientHeight / 6)));
/** Where the selection is being led to. @type {Promise<unknown>} */
let moving = Promise.resolve();
/** @param {Promise<unknown>} there */
function move(there) {
  moving = there.catch((error) => toast(wordsOf(error), { error: true }));
}
bindKeys({
  draft, filter,
  inputWhere: composer.where,
  commandWhere: filterBox.where,
  sending: () => store.get().sending !== null,
  lettersAreCommands: () => modes.commands,
  async onPair(act) {
    // Rows may still be on their way to where the key before this one leads.
    await moving;
    const { article, moved } = cursor.forKey();
    if (moved) return void toast("Another pair was selected, which is out of sight; this one is now. Press the key again.");
    return actions.run(act, article);
  },
  commands: {
    "scroll-down": () => pane.scrollBy({ top: lineHeight() }),
    "scroll-up": () => pane.scrollBy({ top: -lineHeight() }),
    next: () => move(cursor.move(1)),
    previous: () => move(cursor.move(-1)),
    first: () => move(cursor.first()),
    last: () => move(cursor.last()),
    boundary: () => move(jumps.toBoundary()),
    // Each step begins where the one before it ended.
    "line-up": () => move(moving.then(line.up)),
    "line-down": () => move(moving.then(line.down)),
    "summarise-rest": () => summaries.summarise().catch((error) => toast(wordsOf(error), { error: true })),
    compare: () => compare.open(),
    cancel: () => (store.get().sending ? sending.cancel() : toast("Nothing is being sent.")),
    preview,
    "panel-files": () => panels.toggle("files"),
    "panel-memory": () => panels.toggle("memory"),
    "panel-conversation": () => panels.toggle("conversation"),
    "panel-topics": () => panels.toggle("topics"),
    "panel-settings": () => panels.toggle("settings"),
    "panel-models": () => panels.toggle("models"),
    "panel-receipts": () => panels.toggle("receipts"),
    "panel-help": () => panels.toggle("help"),
    "panel-deleted": () => panels.toggle("deleted"),
    undo: () => filterBox.takeBack(),
    hud: panels.toggleHud,
    "new-chat": newChat,
    import: () => importing.open(),
    sidebar: sidebar.toggle,
    command: () => modes.enter("COMMAND"),
    input: () => modes.enter("INPUT"),
    view() {
      composer.leaveReask();
      void sending.leaveAgain();
      modes.enter("VIEW", { byEsc: true });
    },
    send: sending.submit,
    "older-prompt": composer.older,
    "newer-prompt": composer.newer,
    apply: filterBox.apply,
    accept: filterBox.accept,
    complete: filterBox.accept,
    "hits-actions": filterBox.hitsActions,
    leave() {
      filterBox.restore();
      modes.enter("VIEW", { byEsc: true });
    },
    "menu-up": filterBox.up,
    "menu-down": filterBox.down,
    "older-query": filterBox.older,
    "newer-query": filterBox.newer,
  },
});
must("#mode", HTMLElement).title = "INPUT writes, VIEW reads, COMMAND filters; Esc and Enter go between them.";

/**
 * @param {string} name
 * @param {any} data
 * @param {string} id
 */
function onEvent(name, data, id) {
  sync.onEvent(name, data, id);
  if (name === "removed") edits.gone(data.pairs);
  if (name === "ended") arrived.told();
  if (name === "conversations" || name === "reset") sidebar.changed();
  if (name === "import") importing.told(data);
  if (name === "reset") importing.ask();
  inFlight.onEvent(name);
}
const events = createEvents({ scope: (path) => scoped(path, place), after: body.dataset["event"] ?? "", onEvent, onConnection });

bindCopyButtons();
bindTheme(must("#theme", HTMLElement));
win.adopt();
win.anchor.toBottom();
pane.dataset["ready"] = "true";
// A draft with files comes beside the box: nobody is to see its tokens.
const begun = drafts.begin(draft.dataset["draft"] ?? draft.value);
composer.begin(begun);
onText(composer.message());
panels.restore();
if (onTouch()) draft.placeholder = "Write a message";
// On a touch screen the focus would raise the keyboard over the history.
if (!matchMedia("(pointer: coarse)").matches && document.activeElement === body) modes.enter("INPUT");
events.start();
drawTitle(store.get().view.title);
// Who deleted the conversation that was open is told here, and can take it back.
const said = recall("said");
if (said) {
  keep("said", null);
  const { text, undo } = JSON.parse(said);
  toast(text, undo ? { label: "Undo", act: () => void filterBox.takeBack(undo) } : {});
}
if (body.dataset["oldStore"] !== undefined && !recall("conversations")) {
  notice.say("conversations", {
    text: "New: conversations. This page shows everything, as before; with conversations, each has its own history.",
    label: "Use conversations",
    other: {
      label: "Not now",
      act() {
        keep("conversations", "later");
        notice.clear("conversations");
      },
    },
    act: () => void api.call("PUT", "/api/settings/scope", { value: "conversation" }).then(() => location.assign(scoped("/", { workspace: place.workspace })), (error) => toast(wordsOf(error), { error: true })),
  });
}
try {
  sync.take(await api.call("GET", "/api/state"));
  const { sending: now } = store.get();
  const reply = now && win.find(now.pair)?.querySelector(".a")?.textContent?.trim();
  if (now && !reply) badges.show({ pair: now.pair, kind: "waiting", text: "" });
  // A hit of a search that stands in this conversation.
  if (location.hash.length > 1) await jumps.byId(location.hash.slice(1));
} catch (error) {
  toast(wordsOf(error), { error: true });
}
if (!begun.late && tokensIn(begun.text).length) {
  // The page has the text of the draft; which files are meant is told apart.
  const told = await api.call("GET", "/api/draft").catch(() => null);
  if (told?.text === composer.text()) composer.show({ text: told.text, attachments: told.attachments ?? [] });
}
sending.drawButton();
void win.pump();
