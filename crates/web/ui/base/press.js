// A press that is under way. A browser tells of no click where what was pressed is gone by
// the time it is released, so what is to be drawn anew waits for that.

/** A press that lasts longer is not a click. */
const LONGEST_MS = 1000;

/** @param {HTMLElement} pane */
export function createPress(pane) {
  /** @type {Element | null} */
  let pressed = null;
  /** @type {(() => void)[]} */
  let waiting = [];
  let timer = 0;

  function end() {
    clearTimeout(timer);
    pressed = null;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }

  pane.addEventListener("pointerdown", ({ target }) => {
    const control = target instanceof Element ? target.closest("button, a, summary") : null;
    if (!control) return;
    pressed = control;
    clearTimeout(timer);
    timer = window.setTimeout(end, LONGEST_MS);
  });
  // The click is told right after the release, before any timer.
  const released = () => void (pressed && setTimeout(end));
  for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, released, true);

  return {
    /** Whether something within is being pressed. @param {Element} root */
    within: (root) => pressed !== null && root.contains(pressed),
    /** When nothing is being pressed any more. @returns {Promise<void>} */
    over: () => (pressed ? new Promise((go) => void waiting.push(go)) : Promise.resolve()),
  };
}
