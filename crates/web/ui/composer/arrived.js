// An answer that came while nobody looked: the title and the badge of the app tell it (UI-26).

const MARK = "● ";

export function createArrived() {
  let title = document.title;
  let waiting = 0;

  function draw() {
    document.title = (waiting ? MARK : "") + title;
    // Only installed apps have a badge, and not every browser; that it fails is no fault.
    if (waiting) void navigator.setAppBadge?.(waiting)?.catch?.(() => {});
    else void navigator.clearAppBadge?.()?.catch?.(() => {});
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden || !waiting) return;
    waiting = 0;
    draw();
  });

  return {
    /** An answer has ended. */
    told() {
      if (!document.hidden) return;
      waiting += 1;
      draw();
    },
    /** @param {string} words  the title of what is open */
    setTitle(words) {
      title = words;
      document.title = (waiting ? MARK : "") + title;
    },
  };
}
