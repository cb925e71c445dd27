// Score to LLR, one line a calibration; PAV as steps.

const transformsPlot = byId("transforms-plot");

function drawTransforms() {
  const { lines, training, scoreView, llrView } = page.transforms;
  const traces = page.methods.map((method, i) => {
    const trace = methodTrace(method, i);
    const shape = lines[i].steps ? "hv" : "linear";
    return {
      ...trace,
      x: lines[i].scores,
      y: lines[i].llrs.map(inUnits),
      line: { ...trace.line, shape },
    };
  });
  const layout = {
    ...plotLayout(
      "score",
      llrTitle(),
      { range: scoreView, zeroline: false },
      { range: llrView.map(inUnits), zeroline: true, zerolinecolor: colour("quiet") },
    ),
    hovermode: "closest",
    uirevision: byId("logarithms").value,
    shapes: [
      {
        type: "rect",
        x0: training[0],
        x1: training[1],
        yref: "paper",
        y0: 0,
        y1: 1,
        layer: "below",
        line: { width: 0 },
        fillcolor: colour("shade"),
      },
    ],
  };
  render(transformsPlot, traces, layout);
}

function startTransformsPlot() {
  if (byId("transforms").hidden) return;
  const [low, high] = page.transforms.training;
  startPlot(
    transformsPlot,
    `LLR against score for ${page.methods.length} calibrations. The training scores reach from ` +
      `${decimal(low, 2)} to ${decimal(high, 2)}.`,
    drawTransforms,
  );
}
