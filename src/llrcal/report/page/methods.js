// Which calibrations are shown: one row of checkboxes, which stays in sight and is the legend of all
// plots. The recommended one and the default come first; others are a click away.

const shownMethods = page.methods.map((_, i) => page.main.includes(i));
const orderedMethods = [...page.main, ...page.methods.keys()].filter((i, at, all) => all.indexOf(i) === at);

const MINIMUM_DASHES = [4, 2]; // in line widths
// Each system has scores of its own, and thus a minimum.
const MINIMUM_NAME = page.det.curves[0].method === null ? "minimum for these scores" : "least minimum of any system";

// Around the middle of a swatch, as plotly draws them.
const SWATCH_MARKERS = {
  circle: "M20 3.5a4.5 4.5 0 1 0 .01 0z",
  square: "M16 4h8v8h-8z",
  diamond: "M20 2.5l5.5 5.5-5.5 5.5-5.5-5.5z",
  "diamond-tall": "M20 2l3.5 6-3.5 6-3.5-6z",
  x: "M15.5 5.5l2-2 2.5 2.5 2.5-2.5 2 2L22 8l2.5 2.5-2 2L20 10l-2.5 2.5-2-2L18 8z",
  cross: "M18.4 3h3.2v3.4H25v3.2h-3.4V13h-3.2V9.6H15V6.4h3.4z",
  "triangle-up": "M20 2.5l5.5 10h-11z",
  "triangle-down": "M20 13.5l-5.5-10h11z",
  "triangle-left": "M14.5 8l10-5.5v11z",
  "triangle-right": "M25.5 8l-10-5.5v11z",
  star: "M20 2l1.5 4.2 4.5.1-3.6 2.7 1.3 4.3L20 10.7l-3.7 2.6 1.3-4.3L14 6.3l4.5-.1z",
  pentagon: "M20 3l4.8 3.5-1.8 5.6h-6l-1.8-5.6z",
  hexagon2: "M17.5 3.7h5L25 8l-2.5 4.3h-5L15 8z",
  octagon: "M18.1 3.5h3.8l2.6 2.6v3.8l-2.6 2.6h-3.8l-2.6-2.6V6.1z",
};

// Lengths on and off for a line of some width, in words of SVG; plotly wants units.
const dashArray = (dashes, width, unit = "") => dashes.map((length) => `${length * width}${unit}`).join(",");

// A short piece of a line, as it looks in the plots: dashed for the minimum, which has no colours.
function swatch(style = {}) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", style.light ? "swatch" : "swatch minimum");
  svg.setAttribute("viewBox", "0 0 40 16");
  svg.setAttribute("aria-hidden", "true");
  if (style.light) {
    svg.style.setProperty("--light", style.light);
    svg.style.setProperty("--dark", style.dark);
  }
  const dashes = style.light ? "" : dashArray(MINIMUM_DASHES, 1.5);
  const parts = [
    { d: "M1 8H39", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": dashes },
    { d: SWATCH_MARKERS[style.symbol] ?? "M0 0", fill: "currentColor" },
  ];
  for (const attributes of parts) {
    const path = document.createElementNS(svg.namespaceURI, "path");
    Object.entries(attributes).forEach(([name, value]) => path.setAttribute(name, value));
    svg.append(path);
  }
  return svg;
}

function showMethods(wanted) {
  page.methods.forEach((_, i) => (shownMethods[i] = wanted(i)));
  byId("methods").querySelectorAll("input").forEach((box) => (box.checked = shownMethods[box.value]));
  lookChanged.send();
}

function methodBox(i) {
  const { style, label } = page.methods[i];
  const box = element("input", { type: "checkbox", value: i, checked: shownMethods[i] });
  box.addEventListener("change", () =>
    showMethods((other) => (other === i ? box.checked : shownMethods[other])),
  );
  return element("label", {}, box, swatch(style), nameText(label));
}

function startMethods() {
  const button = (text, wanted) => {
    const node = element("button", { type: "button" }, text);
    node.addEventListener("click", () => showMethods(wanted));
    return node;
  };
  byId("methods").append(
    ...page.main.map(methodBox),
    // The dashed line, which is always there.
    element("span", { className: "reference" }, swatch(), MINIMUM_NAME),
    ...orderedMethods.slice(page.main.length).map(methodBox),
    ...(page.main.length < page.methods.length
      ? [button("All", () => true), button("Main", (i) => page.main.includes(i))]
      : []),
  );
}

// Line and markers of a calibration in a plot, as its swatch has them.
function methodTrace(method, i) {
  return {
    type: "scatter",
    mode: "lines+markers",
    name: plotText(method.label),
    visible: shownMethods[i],
    line: { color: lineColour(method.style), width: 2 },
    marker: { color: lineColour(method.style), symbol: method.style.symbol, size: 8, maxdisplayed: 9 },
    hoverinfo: "x+y+name",
    hoverlabel: { namelength: -1 },
  };
}

const minimumTrace = (x, y, name) => ({
  ...{ type: "scatter", mode: "lines", x, y, name, hoverinfo: "x+y+name", hoverlabel: { namelength: -1 } },
  line: { color: colour("minimum"), dash: dashArray(MINIMUM_DASHES, 2.5, "px"), width: 2.5 },
});

// The band of the recommended calibration: how much its curve could vary with the choice of the test set.
function bandTraces(x, band) {
  if (!band) return [];
  const [low, high] = band;
  const beyond = 1e6; // for an infinite end, well above the frame
  return [
    {
      ...{ type: "scatter", mode: "none", fill: "toself", hoverinfo: "skip", showlegend: false },
      x: [...x, ...[...x].reverse()],
      y: [...high.map((end) => end ?? beyond), ...low.map((end) => end ?? beyond).reverse()],
      fillcolor: `${lineColour(page.methods[page.recommended].style)}33`,
      visible: shownMethods[page.recommended],
    },
  ];
}

const BAND_WORDS = page.band
  ? " Band: 95 % of test sets drawn from this one, at each place, for the recommended calibration."
  : "";
document.querySelectorAll("[data-band]").forEach((node) => (node.textContent = BAND_WORDS));
