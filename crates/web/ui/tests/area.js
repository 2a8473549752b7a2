// A text box without a browser: what the modules need of one, and nothing of its looks.

/** @param {string} [value] */
export function fakeArea(value = "") {
  /** @type {Map<string, ((event: any) => void)[]>} */
  const listeners = new Map();
  const area = {
    value, selectionStart: value.length, selectionEnd: value.length,
    addEventListener(/** @type {string} */ name, /** @type {(event: any) => void} */ listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    },
    dispatchEvent(/** @type {{type: string}} */ event) {
      for (const listener of listeners.get(event.type) ?? []) listener(event);
      return true;
    },
    focus() {},
    setSelectionRange(/** @type {number} */ start, /** @type {number} */ end) {
      Object.assign(area, { selectionStart: start, selectionEnd: end });
    },
    setRangeText(/** @type {string} */ text, /** @type {number} */ start, /** @type {number} */ end, /** @type {string} */ mode) {
      const moved = (/** @type {number} */ at) => (at <= start ? at : Math.max(start, at + text.length - (end - start)));
      area.value = area.value.slice(0, start) + text + area.value.slice(end);
      if (mode === "end") area.selectionStart = area.selectionEnd = start + text.length;
      else area.setSelectionRange(moved(area.selectionStart), moved(area.selectionEnd));
    },
  };
  return /** @type {any} */ (area);
}

/** The browser's own editing is not here; the modules must manage without. */
export function fakeDocument() {
  Object.assign(globalThis, {
    document: { activeElement: null, execCommand: () => false },
    HTMLElement: class {},
  });
}
