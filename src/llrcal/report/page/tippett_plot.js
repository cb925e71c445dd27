// Tippett plot: the share of each class with at least some LR.

const tippettPlot = byId("tippett-plot");
const NONTARGET_DASHES = [3, 1.5]; // in line widths

function tippettTraces() {
  const { llrs, tar, non, bands } = page.tippett;
  const x = llrs.map(inUnits);
  const lines = page.methods.flatMap((method, i) => {
    const trace = { ...methodTrace(method, i), x };
    const dash = dashArray(NONTARGET_DASHES, 2, "px");
    return [
      { ...trace, y: tar[i], name: `${trace.name}, targets` },
      { ...trace, y: non[i], name: `${trace.name}, non-targets`, line: { ...trace.line, dash } },
    ];
  });
  return [...lines, ...bandTraces(x, bands?.tar), ...bandTraces(x, bands?.non)];
}

function drawTippett() {
  const { llrs } = page.tippett;
  const range = [inUnits(llrs[0]), inUnits(llrs.at(-1))];
  const layout = {
    ...plotLayout(
      llrTitle(),
      "share of trials at or above",
      { range, zeroline: true, zerolinecolor: colour("quiet") },
      { range: [-0.02, 1.02], zeroline: false },
    ),
    hovermode: "closest",
    uirevision: byId("logarithms").value,
  };
  render(tippettPlot, tippettTraces(), layout);
}

function startTippettPlot() {
  startPlot(
    tippettPlot,
    `Share of targets and of non-targets with at least some likelihood-ratio, for ` +
      `${page.methods.length} calibrations. Solid: targets, dashed: non-targets.`,
    drawTippett,
  );
}
