// Which calibrations are shown: a set of checkboxes beside each plot that draws them, all in step.

const shownMethods = page.methods.map(() => true);
const methodsChanged = signal();

const MINIMUM_DASHES = [4, 2]; // in line widths, as those of the calibrations

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

// A short piece of a line, as it looks in the plots.
function swatch(style, dashed) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", style.light ? "swatch" : "swatch minimum");
  svg.setAttribute("viewBox", "0 0 40 16");
  svg.setAttribute("aria-hidden", "true");
  if (style.light) {
    svg.style.setProperty("--light", style.light);
    svg.style.setProperty("--dark", style.dark);
  }
  const dashes = dashed ? dashArray(style.dashes, 1.5) : "";
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
  document.querySelectorAll("input[data-method]").forEach((box) => {
    box.checked = shownMethods[box.dataset.method];
  });
  methodsChanged.send();
}

function methodBox(method, i, dashed) {
  const box = element("input", { type: "checkbox", checked: true });
  box.dataset.method = i;
  box.addEventListener("change", () =>
    showMethods((other) => (other === i ? box.checked : shownMethods[other])),
  );
  return element("label", {}, box, swatch(method.style, dashed), nameText(method.label));
}

// The dashed line, which is always there.
const minimumKey = (words) =>
  element("span", { className: "reference" }, swatch({ dashes: MINIMUM_DASHES }, true), words);

function fillMethodBoxes(fieldset) {
  const button = (text, wanted) => {
    const node = element("button", { type: "button" }, text);
    node.addEventListener("click", () => showMethods(wanted));
    return node;
  };
  fieldset.append(
    element("legend", {}, fieldset.dataset.legend),
    ...page.methods.map((method, i) => methodBox(method, i, "dashed" in fieldset.dataset)),
    ...(fieldset.dataset.minimum ? [minimumKey(fieldset.dataset.minimum)] : []),
    button("All", () => true),
    button("None", () => false),
  );
}

// Line and markers of a calibration in a plot. Lines are dashed where they would cover each other.
function methodTrace(method, i, dashed) {
  const { dashes, symbol } = method.style;
  const dash = dashed && dashes.length ? dashArray(dashes, 2, "px") : "solid";
  return {
    type: "scatter",
    mode: "lines+markers",
    visible: shownMethods[i],
    line: { color: lineColour(method.style), dash, width: 2 },
    marker: { color: lineColour(method.style), symbol, size: 8, maxdisplayed: 9 },
  };
}

// The band of the recommended calibration: how much its curve could vary with the choice of the test set.
function bandTraces(x, band) {
  if (!band) return [];
  const [low, high] = band;
  const beyond = 1e6; // for an infinite end, well above the frame
  return [
    {
      ...{ type: "scatter", mode: "none", fill: "toself", hoverinfo: "skip" },
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
