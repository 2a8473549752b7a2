// Files on their way to the server: a few at a time, with their progress, and a way to stop.

import { Problem, problemBody } from "../base/api.js";

/** A browser has six connections for one server, and the events need one. */
const AT_ONCE = 3;

/** Somebody stopped it: nothing to tell. */
export class Stopped extends Error {}

/** @typedef {import("../types.js").FileInfo} FileInfo */
/** @typedef {{done: Promise<FileInfo>, stop: () => void}} Job */
/** @typedef {{name: string, paste?: boolean, secret?: boolean, context?: string, listed?: boolean}} About */

/**
 * @param {About} about
 */
export function uploadPath({ name, paste, secret, context, listed }) {
  const query = new URLSearchParams({ name });
  if (paste) query.set("paste", "true");
  if (secret) query.set("secret", "allow");
  if (context) query.set("context", context);
  if (listed) query.set("listed", "true");
  return `/api/files?${query}`;
}

/**
 * Whole per cent, and never all of them before the server has said so. Pure.
 * @param {number} loaded
 * @param {number} total
 */
export function percentOf(loaded, total) {
  return total > 0 ? Math.max(0, Math.min(99, Math.floor((loaded / total) * 100))) : 0;
}

/**
 * Why a message waits. Pure.
 * @param {number} count
 */
export function waitingWords(count) {
  return count === 1 ? "A file is still uploading; it is sent when the file is there." : `${count} files are still uploading; it is sent when they are there.`;
}

/**
 * Sends bytes by a request that is not open yet; who aborts it makes this [`Stopped`].
 * @param {XMLHttpRequest} request
 * @param {{address: string, tab: string, body: Blob, onProgress: (loaded: number, total: number) => void}} what
 * @returns {Promise<any>}  the answer
 */
export function uploadBytes(request, { address, tab, body, onProgress }) {
  return new Promise((resolve, reject) => {
    request.open("POST", address);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("x-plimsoll-tab", tab);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total || body.size);
    request.onload = () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) resolve(JSON.parse(responseText));
      else reject(new Problem(status, problemBody(responseText, status)));
    };
    request.onerror = () => reject(new Problem(0, { code: "offline", detail: "The upload broke off." }));
    request.onabort = () => reject(new Stopped());
    request.send(body);
  });
}

/**
 * @param {object} deps
 * @param {string} deps.tab
 * @param {(path: string) => string} deps.scope
 * @param {() => XMLHttpRequest} [deps.open]
 */
export function createUploads({ tab, scope, open = () => new XMLHttpRequest() }) {
  /** @type {(() => void)[]} */
  const waiting = [];
  let running = 0;

  function next() {
    while (running < AT_ONCE && waiting.length) {
      running += 1;
      waiting.shift()?.();
    }
  }

  return {
    /**
     * @param {Blob} body
     * @param {About} about
     * @param {(loaded: number, total: number) => void} onProgress
     * @returns {Job}
     */
    start(body, about, onProgress) {
      const request = open();
      let state = /** @type {"waiting" | "running" | "over"} */ ("waiting");
      /** @type {() => void} */
      let stop = () => {};
      /** @type {Promise<FileInfo>} */
      const done = new Promise((resolve, reject) => {
        const over = () => {
          if (state === "running") running -= 1;
          state = "over";
          next();
        };
        const begin = () => {
          state = "running";
          uploadBytes(request, { address: scope(uploadPath(about)), tab, body, onProgress }).finally(over).then(resolve, reject);
        };
        stop = () => {
          if (state === "running") return request.abort();
          if (state === "over") return;
          waiting.splice(waiting.indexOf(begin), 1);
          state = "over";
          reject(new Stopped());
        };
        waiting.push(begin);
        next();
      });
      return { done, stop: () => stop() };
    },
  };
}

/** @typedef {ReturnType<typeof createUploads>} Uploads */
