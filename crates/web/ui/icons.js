// Our own small drawings, for buttons that the page makes itself.

/** Paths on a 16 × 16 grid, drawn with strokes. */
const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h7v8h-7zM3.500 10.500v-8h7",
  check: "M3 8.500l3.500 3.500L13 4.500",
  sun: "M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1.500v1.500M8 13v1.500M1.500 8h1.500M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1",
  moon: "M13 9.800A5.500 5.500 0 1 1 6.200 3a4.500 4.500 0 0 0 6.800 6.800z",
  auto: "M8 2.500a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11zM8 2.500v11M8 5.500h4.500M8 8h5.300M8 10.500h4.500",
  request: "M5.500 3C3.500 3 5 7 3 8c2 1 .5 5 2.500 5M10.500 3c2 0 .5 4 2.500 5c-2 1-.5 5-2.500 5",
  down: "M4 6.500l4 4l4-4",
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
