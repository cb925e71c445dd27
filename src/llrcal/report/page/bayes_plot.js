// Normalised Bayes errors against prior log-odds, with the operating point as a vertical line.

const bayesPlot = byId("bayes-plot");
const gridX = Array.from({ length: count }, (_, i) => priorLogOdds(i));
let markedPosition = 0;

// First of the shapes, so that moving it needs no search.
function operatingLine() {
  const x = priorLogOdds(markedPosition);
  const line = { color: colour("accent"), width: 2 };
  return { type: "line", x0: x, x1: x, y0: 0, y1: 1, yref: "paper", line };
}

function bayesShapes() {
  const dotted = { color: colour("quiet"), width: 1.5, dash: "dot" };
  const shapes = [
    operatingLine(),
    { type: "line", x0: 0, x1: 1, xref: "paper", y0: 1, y1: 1, line: dotted },
  ];
  if (page.ruleOf30) {
    const [low, high] = page.ruleOf30;
    const shade = { type: "rect", yref: "paper", y0: 0, y1: 1, layer: "below", line: { width: 0 }, fillcolor: colour("shade") };
    shapes.push({ ...shade, x0: gridX[0], x1: low }, { ...shade, x0: high, x1: gridX[count - 1] });
    for (const x of [low, high]) {
      shapes.push({ type: "line", x0: x, x1: x, y0: 0, y1: 1, yref: "paper", line: dotted });
    }
  }
  return shapes;
}

function bayesAnnotations() {
  const common = { showarrow: false, font: { size: 12, color: colour("quiet") } };
  const words = [
    { ...common, xref: "paper", x: 1, xanchor: "right", y: 1, yanchor: "bottom", text: "default" },
  ];
  if (page.ruleOf30) {
    const [low, high] = page.ruleOf30;
    const upright = { ...common, textangle: -90, yref: "paper", y: 0.02, yanchor: "bottom" };
    // Amid each shaded end, which may be narrow.
    for (const x of [(gridX[0] + low) / 2, (high + gridX[count - 1]) / 2]) {
      words.push({ ...upright, x, xanchor: "center", text: "fewer than 30 errors" });
    }
  }
  return words;
}

function drawBayes() {
  const traces = page.methods.map((method, i) => ({
    ...methodTrace(method, i),
    x: gridX,
    y: method.actual.slice(0, count),
  }));
  traces.push(
    ...bandTraces(gridX, page.band),
    minimumTrace(gridX, page.minimum.slice(0, count), MINIMUM_NAME),
  );
  const layout = {
    ...plotLayout(
      oddsTitle(),
      "normalised Bayes error",
      { range: [gridX[0], gridX[count - 1]], zeroline: false, ...oddsTicks(gridX[0], gridX[count - 1]) },
      // Margins stay as they are: the style sheet puts the slider between them.
      { range: [0, 1.15], zeroline: false, automargin: false },
    ),
    hovermode: false, // bayes_pointer.js reads off all lines at once
    shapes: bayesShapes(),
    annotations: bayesAnnotations(),
  };
  render(bayesPlot, traces, layout);
}

function markPosition(position) {
  markedPosition = position;
  const x = priorLogOdds(position);
  if (bayesPlot.layout) Plotly.relayout(bayesPlot, { "shapes[0].x0": x, "shapes[0].x1": x });
}

function startBayesPlot() {
  const show = (position, wanted = null) => {
    readOff(position, wanted);
    markPosition(position);
  };
  pointChanged.then(show);
  startPlot(
    bayesPlot,
    `Normalised Bayes error of ${page.methods.length} calibrations against prior log-odds, from ` +
      `${decimal(gridX[0], 1)} to ${decimal(gridX[count - 1], 1)}, with the minimum dashed. The table ` +
      "that follows gives the numbers at the operating point.",
    drawBayes,
  );
  const few = page.ruleOf30
    ? "Shaded: fewer than 30 errors of one kind."
    : "No threshold leaves 30 errors of each kind in this test: all of it rests on few errors.";
  byId("bayes-note").textContent =
    `Coloured: actual errors. Dashed: ${MINIMUM_NAME}. Dotted level: the default. ${few}${BAND_WORDS}`;
  followPointer(show);
  lookChanged.then(() => show(operatingPoint.position, operatingPoint.wanted));
}
