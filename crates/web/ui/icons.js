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
  file: "M4 1.500h5l3 3v10h-8zM9 1.500v3h3",
  image: "M2 3h12v10h-12zM2 11l3.500-3.500l3 3l2-2l3.500 3M10.500 5.500a.8.800 0 1 0 .01 0",
  sound: "M2.500 6.500v3M5 4v8M7.500 2.500v11M10 5v6M12.500 6.500v3",
  video: "M2 4h9v8h-9zM11 7l3-2v6l-3-2",
  made: "M8 2l1.300 4.700l4.700 1.300l-4.700 1.300l-1.300 4.700l-1.300-4.700l-4.700-1.300l4.700-1.300z",
  attach: "M13 7.500l-5.200 5.200a3 3 0 0 1-4.300-4.300l5.700-5.700a2 2 0 0 1 2.900 2.900l-5.500 5.500a1 1 0 0 1-1.500-1.500l4.700-4.700",
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
