// Which calibrations are shown: a set of checkboxes beside each plot that draws them, all in step.

const shownMethods = page.methods.map(() => true);
const methodsChanged = signal();

const SWATCH_DASHES = { solid: "", dashdot: "7 3 2 3", dot: "2 3", longdashdot: "10 3 2 3", dash: "6 4" };
const SWATCH_MARKERS = {
  circle: "M20 3.5a4.5 4.5 0 1 0 .01 0z",
  square: "M16 4h8v8h-8z",
  diamond: "M20 2.5l5.5 5.5-5.5 5.5-5.5-5.5z",
  x: "M15.5 5.5l2-2 2.5 2.5 2.5-2.5 2 2L22 8l2.5 2.5-2 2L20 10l-2.5 2.5-2-2L18 8z",
  "triangle-up": "M20 2.5l5.5 10h-11z",
  "triangle-down": "M20 13.5l-5.5-10h11z",
};

// A short piece of a line, as it looks in the plots.
function swatch(style) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", style.light ? "swatch" : "swatch minimum");
  svg.setAttribute("viewBox", "0 0 40 16");
  svg.setAttribute("aria-hidden", "true");
  if (style.light) {
    svg.style.setProperty("--light", style.light);
    svg.style.setProperty("--dark", style.dark);
  }
  const parts = [
    { d: "M1 8H39", stroke: "currentColor", "stroke-width": 2.5, "stroke-dasharray": SWATCH_DASHES[style.dash] },
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

function methodBox(method, i) {
  const box = element("input", { type: "checkbox", checked: true });
  box.dataset.method = i;
  box.addEventListener("change", () =>
    showMethods((other) => (other === i ? box.checked : shownMethods[other])),
  );
  return element("label", {}, box, swatch(method.style), nameText(method.label));
}

// The dashed line, which is always there.
const minimumKey = (words) =>
  element("span", { className: "reference" }, swatch({ dash: "dash" }), words);

function fillMethodBoxes(fieldset) {
  const button = (text, wanted) => {
    const node = element("button", { type: "button" }, text);
    node.addEventListener("click", () => showMethods(wanted));
    return node;
  };
  fieldset.append(
    element("legend", {}, fieldset.dataset.legend),
    ...page.methods.map(methodBox),
    ...(fieldset.dataset.minimum ? [minimumKey(fieldset.dataset.minimum)] : []),
    button("All", () => true),
    button("None", () => false),
  );
}

// Line and markers of a calibration in a plot.
function methodTrace(method, i) {
  return {
    type: "scatter",
    mode: "lines+markers",
    visible: shownMethods[i],
    line: { color: lineColour(method.style), dash: method.style.dash, width: 2 },
    marker: { color: lineColour(method.style), symbol: method.style.symbol, size: 8, maxdisplayed: 9 },
  };
}
