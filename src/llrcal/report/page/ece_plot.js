// Empirical cross-entropy against prior odds, with that after PAV and the entropy of the prior.

const ecePlot = byId("ece-plot");

function drawEce() {
  const { priorLogOdds: odds, actual, minimum, neutral, band } = page.ece;
  const x = odds.map(inUnits);
  const traces = page.methods.map((method, i) => ({ ...methodTrace(method, i), x, y: actual[i] }));
  const neutralLine = { color: colour("quiet"), dash: "dot", width: 1.5 };
  traces.push(minimumTrace(x, minimum, "after PAV"));
  traces.push({ ...minimumTrace(x, neutral, "LR = 1"), line: neutralLine });
  traces.push(...bandTraces(x, band));
  const ends = [...actual.flat(), ...(band?.[1] ?? [])].filter((value) => value !== null);
  const highest = Math.max(...minimum, ...ends);
  const layout = {
    ...plotLayout(
      oddsTitle(),
      "empirical cross-entropy, bits",
      { range: [x[0], x.at(-1)], zeroline: false },
      { range: [0, Math.min(1.05, 1.08 * highest)], zeroline: false },
    ),
    hovermode: "closest",
    uirevision: byId("logarithms").value,
  };
  render(ecePlot, traces, layout);
}

function startEcePlot() {
  startPlot(
    ecePlot,
    `Empirical cross-entropy of ${page.methods.length} calibrations against prior odds, from one to a ` +
      "thousand to a thousand to one. Dashed: after PAV. Dotted: the entropy of the prior.",
    drawEce,
  );
}
