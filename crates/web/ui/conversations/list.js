// The conversations as a list shows them (UI-15). Pure.

/** @typedef {{id: string, title: string, named: boolean, pairs: number, updatedAt: string, model?: string, tokens: number}} Conversation */

const DAY_MS = 86_400_000;
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/** @param {Date} date */
const dayOf = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/**
 * Under which heading a conversation stands.
 * @param {string} updatedAt
 * @param {number} now
 */
export function headingOf(updatedAt, now) {
  const then = new Date(updatedAt);
  const days = Math.round((dayOf(new Date(now)) - dayOf(then)) / DAY_MS);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return "This week";
  if (days < 30) return "This month";
  return `${MONTHS[then.getMonth()]} ${then.getFullYear()}`;
}

/**
 * How long ago that was, in few letters.
 * @param {string} updatedAt
 * @param {number} now
 */
export function ageOf(updatedAt, now) {
  const minutes = Math.max(0, Math.floor((now - new Date(updatedAt).getTime()) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 30) return `${days} d`;
  const then = new Date(updatedAt);
  return `${(MONTHS[then.getMonth()] ?? "").slice(0, 3)} ${then.getFullYear()}`;
}

/**
 * `1234` → `1.2K`; one decimal below ten thousand (EST-8).
 * @param {number} n
 */
export function compact(n) {
  if (n < 1000) return String(n);
  const [value, unit] = n < 999_500 ? [n / 1000, "K"] : [n / 1_000_000, "M"];
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}
