// Tippett plot: the share of each class with at least some LR.

const tippettPlot = byId("tippett-plot");
const NONTARGET_DASHES = [3, 1.5]; // in line widths

function tippettTraces() {
  const { llrs, tar, non, bands } = page.tippett;
  const x = llrs.map(inUnits);
  const lines = page.methods.flatMap((method, i) => {
    const trace = { ...methodTrace(method, i, false), x, hoverinfo: "x+y+name", hoverlabel: { namelength: -1 } };
    const dash = dashArray(NONTARGET_DASHES, 2, "px");
    return [
      { ...trace, y: tar[i], name: `${plotText(method.label)}, targets` },
      { ...trace, y: non[i], name: `${plotText(method.label)}, non-targets`, line: { ...trace.line, dash } },
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
  tippettPlot.setAttribute(
    "aria-label",
    `Share of targets and of non-targets with at least some likelihood-ratio, for ` +
      `${page.methods.length} calibrations. Solid: targets, dashed: non-targets.`,
  );
  drawTippett();
  [methodsChanged, themeChanged, logarithmsChanged].forEach((news) => news.then(drawTippett));
}
