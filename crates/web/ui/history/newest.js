// The way back to the newest message, for who has scrolled up (UI-25).

/** Nearer to the end than this there is nothing to go back to. */
const NEAR_PX = 120;

/**
 * Whether the newest message is out of sight. Pure.
 * @param {{ends: boolean, scrollHeight: number, scrollTop: number, clientHeight: number}} pane
 */
export function isAway({ ends, scrollHeight, scrollTop, clientHeight }) {
  return !ends || scrollHeight - scrollTop - clientHeight > NEAR_PX;
}

/**
 * @param {object} deps
 * @param {HTMLButtonElement} deps.button
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 */
export function createNewest({ button, win, history }) {
  const { pane, rows } = win;
  let frame = 0;

  function draw() {
    frame = 0;
    const { scrollHeight, scrollTop, clientHeight } = pane;
    button.hidden = win.y === 0 || !isAway({ ends: win.ends(), scrollHeight, scrollTop, clientHeight });
  }
  const soon = () => { frame ||= requestAnimationFrame(draw); };
  pane.addEventListener("scroll", soon, { passive: true });
  const observer = new ResizeObserver(soon);
  observer.observe(pane);
  observer.observe(rows);

  // Who writes goes on writing.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    const focused = document.activeElement === button;
    void history.toBottom().then(() => {
      if (focused) pane.focus({ preventScroll: true });
      soon();
    });
  });
}
