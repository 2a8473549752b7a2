// The stream of events: opened, watched, opened again where it broke off.

/** Names of the events that the server sends (API-2). */
export const EVENT_NAMES = [
  "started", "attempt", "status", "text", "receipt", "ended", "pair", "removed",
  "rows", "state", "topics", "conversations", "settings", "draft", "files", "memory", "summarised", "toolcall", "import", "reset",
];

/** A hidden tab gives its connection back: a browser has only six for one server. */
const HIDDEN_MS = 30_000;

/**
 * How long to wait before try number `n` (0 is the first), with jitter, at most 15 s.
 * @param {number} n
 * @param {number} random  0 ≤ random < 1
 */
export function backoff(n, random) {
  const base = Math.min(15_000, 400 * 2 ** Math.min(n, 10));
  return Math.round(base * (0.75 + random / 2));
}

/**
 * Whether an event was told before another: by their places in the log of a node, or by the changes that
 * they know of where two nodes told them. Pure.
 * @param {string} one  an id such as `17.0.5f3a-1234`
 * @param {string} other
 */
export function isBefore(one, other) {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (!a || !b) return false;
  return a.run && a.run === b.run ? a.event < b.event : a.number < b.number;
}

/** @param {string} id */
function partsOf(id) {
  const [number, , place] = String(id ?? "").split(".");
  if (!number) return null;
  const [run, event] = (place ?? "").split("-");
  return { number: Number(number), run: run === "0" ? "" : run, event: Number(event) };
}

/**
 * @param {object} deps
 * @param {(path: string) => string} [deps.scope]  names the place
 * @param {string} deps.after  id of the newest event that the page already shows
 * @param {(name: string, data: any, id: string) => void} deps.onEvent
 * @param {(lost: boolean) => void} deps.onConnection
 * @param {(url: string) => EventSource} [deps.open]
 */
export function createEvents({ scope = (path) => path, after, onEvent, onConnection, open = (url) => new EventSource(url) }) {
  /** @type {EventSource | null} */
  let source = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let tries = 0;
  let last = after;

  function connect() {
    clearTimeout(timer);
    source?.close();
    const here = open(scope(`/ui/events?after=${encodeURIComponent(last)}`));
    source = here;
    here.onopen = () => {
      tries = 0;
      onConnection(false);
    };
    // The browser would try again by itself, but not after every fault and not where we are.
    here.onerror = () => {
      if (source !== here) return;
      here.close();
      source = null;
      onConnection(true);
      timer = setTimeout(connect, backoff(tries, Math.random()));
      tries += 1;
    };
    for (const name of EVENT_NAMES) {
      here.addEventListener(name, (event) => {
        if (source !== here) return;
        const message = /** @type {MessageEvent<string>} */ (event);
        if (message.lastEventId) last = message.lastEventId;
        onEvent(name, read(message.data), message.lastEventId);
      });
    }
  }

  function pause() {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  return {
    start() {
      connect();
      addEventListener("online", () => source || connect());
      addEventListener("pagehide", pause);
      addEventListener("pageshow", (event) => {
        if (event.persisted) connect();
      });
      document.addEventListener("visibilitychange", () => {
        if (!document.hidden) {
          if (source) clearTimeout(timer);
          else connect();
        } else if (source) {
          clearTimeout(timer);
          timer = setTimeout(pause, HIDDEN_MS);
        }
      });
    },
    /** Opens anew: somebody found the server silent, or does not want to wait. */
    restart: connect,
  };
}

/**
 * @param {string} data
 * @returns {any}
 */
function read(data) {
  try {
    return JSON.parse(data) ?? {};
  } catch {
    return {};
  }
}
