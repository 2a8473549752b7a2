// The muted badge behind the user's text while a send runs (UI-4): words that count.

/** @typedef {import("../types.js").Status} Status */

/**
 * The badge's words. Waits count down to `until`, work counts up from `since`. Pure.
 * @param {Status} status
 * @param {number} since  when this kind of work began, epoch milliseconds
 * @param {number} now
 */
export function badgeText({ kind, text, until }, since, now) {
  if (until !== undefined && until !== null) return countdown(text, kind, Math.max(0, Math.ceil((until - now) / 1000)));
  if (kind === "trimming") return text || "trimming";
  const seconds = Math.floor((now - since) / 1000);
  if (kind === "waiting" && seconds < 2) return "…";
  const words = (text && text !== "…" ? text : { loading: "loading model", thinking: "thinking", waiting: "waiting" }[String(kind)] ?? kind)
    .replace(/\s+\d+\s*s$/, "");
  return seconds < 1 ? words : `${words}${/\d$/.test(words) ? "," : ""} ${seconds} s`;
}

/**
 * The server's own sentence with its seconds renewed, or one of ours.
 * @param {string} text
 * @param {string} kind
 * @param {number} seconds
 */
function countdown(text, kind, seconds) {
  const left = seconds >= 7200 ? `${Math.ceil(seconds / 3600)} h` : seconds >= 120 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
  const reason = /^retry(?: in [\d.]+ ?(?:s|min|h))?\s*(\(.*\))?$/s.exec(text);
  if (reason) return `retry in ${left}${reason[1] ? ` ${reason[1]}` : ""}`;
  const renewed = text.replace(/\d+(?:\.\d+)?\s*(?:s|min|h)\b/, left);
  if (renewed !== text || text.includes(left)) return renewed;
  return `${text || (kind === "quota" ? "waiting for the quota," : "retry")} in ${left}`;
}

/**
 * @param {object} deps
 * @param {(id: string) => HTMLElement | null} deps.find
 * @param {() => number} [deps.now]
 */
export function createBadges({ find, now = Date.now }) {
  /** @type {{status: Status, since: number} | null} */
  let current = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;

  function draw() {
    if (!current) return;
    const badge = find(current.status.pair)?.querySelector(".think");
    if (!(badge instanceof HTMLElement)) return;
    badge.hidden = false;
    const text = badgeText(current.status, current.since, now());
    if (badge.textContent !== text) badge.textContent = text;
  }

  return {
    draw,
    /** What is waited for, if anything. */
    kind: () => current?.status.kind ?? null,
    /** @param {Status} status */
    show(status) {
      const goesOn = current && current.status.pair === status.pair && current.status.kind === status.kind && current.status.text === status.text;
      current = { status, since: goesOn && current ? current.since : now() };
      timer ??= setInterval(draw, 250);
      draw();
    },
    clear() {
      if (!current) return;
      const badge = find(current.status.pair)?.querySelector(".think");
      if (badge instanceof HTMLElement) badge.hidden = true;
      current = null;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
