// Notes of the memory as the page writes them. Pure.

import { counted, grouped } from "../base/text.js";

/** @typedef {import("../types.js").Note} Note */
/** @typedef {import("../types.js").NoteList} NoteList */
/** @typedef {import("../types.js").NoteRelation} NoteRelation */
/** @typedef {import("../types.js").WholeNote} WholeNote */

/** Types that agents use (MEM-2); any other word will do. */
export const TYPES = ["decision", "architecture", "bugfix", "pattern", "config", "discovery", "learning", "manual"];

/**
 * The line below a title.
 * @param {Note} note
 */
export function noteLine({ id, prompt, type, project, scope, tokens, revision, duplicates, age, author, how }) {
  return [
    ...(prompt ? ["prompt"] : [`#${id}`, type]), project || "no project",
    ...(scope === "personal" ? ["personal"] : []),
    `~${grouped(tokens)} tok`,
    ...(revision > 1 ? [`revision ${grouped(revision)}`] : []),
    ...(duplicates > 0 ? [`saved again ${grouped(duplicates)}×`] : []),
    ...(author ? [`by ${author}`] : []),
    age,
    ...(how ? [`found ${how}`] : []),
  ].join(" · ");
}

/**
 * The line below what waits for review.
 * @param {import("../types.js").PendingNote} note
 */
export function pendingLine({ id, changes, type, project, author, age, supersedes, topicKey }) {
  return [
    `#${id}`,
    ...(changes === null ? [] : [`change of #${changes}`]),
    ...(type ? [type] : []),
    ...(project ? [project] : []),
    ...(topicKey ? [`topic key ${topicKey}`] : []),
    ...(supersedes.length ? [`supersedes ${supersedes.map((one) => `#${one}`).join(", ")}`] : []),
    ...(author ? [`by ${author}`] : []),
    age,
  ].join(" · ");
}

/**
 * What has to be said of a note; empty where there is nothing.
 * @param {Pick<Note, "warnings">} note
 */
export const warningWords = ({ warnings }) => (warnings.length ? `⚠ ${warnings.join(", ")}` : "");

/**
 * What was typed, one a line, as a list.
 * @param {string} text
 */
export const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/**
 * What stands above the list.
 * @param {Pick<NoteList, "total" | "more" | "anyWord"> & {notes: readonly Pick<Note, "how">[]}} list
 * @param {boolean} narrowed  whether something was searched for or chosen
 */
export function listWords({ notes, total, more, anyWord }, narrowed) {
  if (!notes.length) return narrowed ? "No note is like that." : "Nothing is remembered yet. Agents save notes through plimsoll mcp or /mcp; you can write one here.";
  const of = more ? `more than ${counted(total, "note")}` : counted(total, "note");
  const all = more || notes.length < total ? `${grouped(notes.length)} of ${of}` : counted(notes.length, "note");
  const like = notes.some(({ how }) => how === "by meaning") ? " or mean the like" : "";
  return anyWord ? `${all}. None has all words; these have some${like}.` : all;
}

/**
 * How a relation reads from the note that is shown.
 * @param {NoteRelation} relation
 */
export function relationWords({ type, outgoing }) {
  if (type === "supersedes" && !outgoing) return "superseded by";
  const words = type.replaceAll("_", " ");
  return outgoing ? `${words} →` : `← ${words}`;
}

/**
 * A note as the file that goes into a message: what it is, then its words (MEM-9).
 * @param {Pick<WholeNote, "id" | "title" | "type" | "project" | "revision" | "updatedAt" | "content">} note
 */
export function noteFile({ id, title, type, project, revision, updatedAt, content }) {
  const about = `Note #${id} of the memory: ${type}, project ${project}, revision ${revision}, ${updatedAt.slice(0, 10)}`;
  return { name: `memory-${id}.md`, text: `# ${title}\n\n${about}\n\n${content.trimEnd()}\n` };
}

/**
 * The address of a list.
 * @param {{query: string, type: string, project: string}} wanted
 */
export function listPath({ query, type, project }) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries({ query: query.trim(), type, project })) if (value) asked.set(name, value);
  return asked.size ? `/api/memory?${asked}` : "/api/memory";
}

/**
 * What was changed of a note; null where nothing was.
 * @param {Record<string, string>} before
 * @param {Record<string, string>} now
 * @returns {Record<string, string> | null}
 */
export function changesOf(before, now) {
  const changed = Object.entries(now).filter(([name, value]) => value !== (before[name] ?? ""));
  return changed.length ? Object.fromEntries(changed) : null;
}
