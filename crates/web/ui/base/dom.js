// Small helpers around the document. Nothing here knows what Plimsoll is.

/**
 * The element that the page is known to have; its absence is a fault of the page.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [root]
 * @returns {T}
 */
export function must(selector, type, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * Builds an element. `class`, `hidden`, `data-…`, `aria-…` and other attributes by name;
 * a function under `on…` becomes a listener.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [props]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  for (const child of children) if (child) node.append(child);
  return node;
}

/**
 * The first element of a fragment that the server rendered.
 * @param {string} html
 * @returns {HTMLElement | null}
 */
export function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const first = template.content.firstElementChild;
  return first instanceof HTMLElement ? first : null;
}

/**
 * The nearest element around an event's target that matches.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function closest(event, selector) {
  const found = event.target instanceof Element ? event.target.closest(selector) : null;
  return found instanceof HTMLElement ? found : null;
}

/**
 * Whether keys that arrive here are text and not commands.
 * @param {EventTarget | null} target
 */
export function takesText(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["button", "checkbox", "radio", "submit", "reset", "range"].includes(target.type);
}

/**
 * Calls `work` once, `ms` after the last call.
 * @template {unknown[]} A
 * @param {number} ms
 * @param {(...args: A) => void} work
 */
export function debounced(ms, work) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {A | undefined} */
  let last;
  const run = () => {
    timer = undefined;
    const args = last;
    last = undefined;
    if (args) work(...args);
  };
  return {
    /** @param {A} args */
    call(...args) {
      last = args;
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    },
    /** Does at once what is waiting, if anything is. */
    flush() {
      clearTimeout(timer);
      run();
    },
    /** Whether something is waiting. */
    waits: () => timer !== undefined,
    drop() {
      clearTimeout(timer);
      timer = undefined;
      last = undefined;
    },
  };
}

/** Whether the reader asked for stillness. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Whether the screen is touched and nothing else points: there the keyboard is one on the screen. */
export function onTouch() {
  return matchMedia("(hover: none) and (pointer: coarse)").matches;
}
