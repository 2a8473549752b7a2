// Answers to the same message stand side by side (HIS-12), where the screen is wide enough.

/**
 * Which articles of a chunk stand beside others: those of one comparison with nothing between them.
 * Each gets its place and their number; where it stands alone, null. Pure.
 * @param {readonly (string | null)[]} groups  of the chunk's parts in order; null: not of a comparison
 * @returns {(string | null)[]}
 */
export function sidesOf(groups) {
  /** @type {(string | null)[]} */
  const sides = [];
  for (let from = 0; from < groups.length; ) {
    const group = groups[from];
    let to = from + 1;
    while (group && groups[to] === group) to += 1;
    for (let at = from; at < to; at += 1) sides.push(to - from > 1 ? `${at - from + 1}/${to - from}` : null);
    from = to;
  }
  return sides;
}

/** @param {HTMLElement} rows  the chunks */
export function placeSides(rows) {
  if (!rows.querySelector("[data-group]")) return;
  for (const chunk of rows.children) {
    const parts = [...chunk.children].filter((part) => part instanceof HTMLElement && !(part instanceof HTMLTemplateElement));
    const sides = sidesOf(parts.map((part) => part.getAttribute("data-group")));
    parts.forEach((part, at) => {
      const side = sides[at];
      if (side) part.setAttribute("data-side", side);
      else part.removeAttribute("data-side");
    });
  }
}
