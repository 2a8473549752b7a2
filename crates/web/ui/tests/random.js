// Chance that repeats: the same seed gives the same numbers on every machine.

/** @param {number} seed */
export function chance(seed) {
  let state = seed >>> 0;
  /** A whole number, 0 ≤ n < below. */
  return (/** @type {number} */ below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
