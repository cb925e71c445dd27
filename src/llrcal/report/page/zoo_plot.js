// Mean target LLR of each speaker against the mean non-target LLR, where speakers are known.

const zooPlot = byId("zoo-plot");

function drawZoo() {
  const { names, tar, non, shares } = page.zoo;
  const most = Math.max(...shares);
  const points = {
    ...{ type: "scatter", mode: "markers", x: tar.map(inUnits), y: non.map(inUnits) },
    text: names.map((name, i) => `${plotText(name)}<br>${(100 * shares[i]).toFixed(1)} % of Cllr`),
    hoverinfo: "text+x+y",
    // Areas go with shares.
    marker: { color: colour("accent"), opacity: 0.75, size: shares.map((share) => 5 + 14 * Math.sqrt(share / most)) },
  };
  const layout = {
    ...plotLayout(
      `mean target ${llrTitle()}`,
      `mean non-target ${llrTitle()}`,
      { zeroline: false },
      { zeroline: false, autorange: "reversed" },
    ),
    ...{ hovermode: "closest", showlegend: false, uirevision: byId("logarithms").value },
  };
  render(zooPlot, [points], layout);
}

function startZooPlot() {
  if (!page.zoo) return;
  const label =
    "Mean target LLR of each speaker against the mean non-target LLR. The table that follows has those who " +
    "cost most.";
  startPlot(zooPlot, label, drawZoo);
}
