// Mean target LLR of each speaker against the mean non-target LLR, where speakers are known.

const zooPlot = byId("zoo-plot");

function zooTraces() {
  const { speakers } = page.zoo;
  const most = Math.max(...speakers.flatMap(({ shares }) => shares));
  return speakers.map(({ style, symbol, names, tar, non, shares }) => ({
    ...{ type: "scatter", mode: "markers", x: tar.map(inUnits), y: non.map(inUnits) },
    text: names.map((name, i) => `${plotText(name)}<br>${(100 * shares[i]).toFixed(1)} % of Cllr`),
    hoverinfo: "text+x+y",
    // Areas go with shares.
    marker: { color: lineColour(style), symbol, opacity: 0.75, size: shares.map((share) => 5 + 14 * Math.sqrt(share / most)) },
  }));
}

function drawZoo() {
  const { vertical, horizontal, corners } = page.zoo;
  const grey = { type: "line", layer: "below", line: { color: colour("quiet"), width: 1, dash: "dash" } };
  const layout = {
    ...plotLayout(
      `mean target ${llrTitle()}`,
      `mean non-target ${llrTitle()}`,
      { zeroline: false },
      { zeroline: false, autorange: "reversed" },
    ),
    ...{ hovermode: "closest", showlegend: false, uirevision: byId("logarithms").value },
    shapes: [
      ...vertical.map((x) => ({ ...grey, x0: inUnits(x), x1: inUnits(x), y0: 0, y1: 1, yref: "paper" })),
      ...horizontal.map((y) => ({ ...grey, y0: inUnits(y), y1: inUnits(y), x0: 0, x1: 1, xref: "paper" })),
    ],
    annotations: corners.map(({ right, low, style, text }) => ({
      ...{ xref: "paper", yref: "paper", showarrow: false, text, bgcolor: colour("surface") },
      ...{ x: right ? 1 : 0, xanchor: right ? "right" : "left" },
      ...{ y: low ? 0 : 1, yanchor: low ? "bottom" : "top" },
      font: { size: byFinger.matches ? 10 : 12, color: lineColour(style) },
    })),
  };
  render(zooPlot, zooTraces(), layout);
}

function startZooPlot() {
  if (!page.zoo) return;
  const label =
    "Mean target LLR of each speaker against the mean non-target LLR. The table that follows has those who " +
    "cost most.";
  startPlot(zooPlot, label, drawZoo);
}
