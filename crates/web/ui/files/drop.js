// Files that are dragged over the page: anywhere is a place to drop them (INS-2).

import { wordsOf } from "../base/api.js";

/**
 * Whether a drag carries files, and not words of the page. Pure.
 * @param {readonly string[] | undefined} types
 */
export function carriesFiles(types) {
  return Boolean(types?.includes("Files"));
}

/**
 * The files of a drop in their order, and the folders, which are no files.
 * @param {DataTransfer} data
 */
export function droppedOf(data) {
  const folders = [...data.items].flatMap((item) => {
    const entry = item.kind === "file" ? item.webkitGetAsEntry?.() : null;
    return entry?.isDirectory ? [entry.name] : [];
  });
  const left = [...folders];
  const files = [...data.files].filter(({ name }) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { files, folders };
}

/**
 * @param {object} deps
 * @param {HTMLElement} deps.layer     shown while files hang over the page
 * @param {(files: File[], target: EventTarget | null) => void} deps.onFiles
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function bindDrop({ layer, onFiles, toast }) {
  const show = (/** @type {boolean} */ on) => { layer.hidden = !on; };

  document.addEventListener("dragenter", (event) => {
    if (carriesFiles(event.dataTransfer?.types)) show(true);
  });
  document.addEventListener("dragover", (event) => {
    if (!carriesFiles(event.dataTransfer?.types) || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    layer.dataset["onto"] = event.target instanceof Element && event.target.closest("#panel .filespanel, #panel:has(.filespanel)") ? "panel" : "message";
    show(true);
  });
  document.addEventListener("dragleave", (event) => {
    // Only what leaves the page has nowhere to go to.
    if (event.relatedTarget === null) show(false);
  });
  addEventListener("dragend", () => show(false));
  document.addEventListener("drop", (event) => {
    show(false);
    if (!event.dataTransfer || !carriesFiles(event.dataTransfer.types)) return;
    event.preventDefault();
    try {
      const { files, folders } = droppedOf(event.dataTransfer);
      if (folders.length) toast("A folder cannot be attached; drop the files in it.", { error: true });
      if (files.length) onFiles(files, event.target);
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  });
}
